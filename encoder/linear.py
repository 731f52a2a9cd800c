"""A linear map whose weight may be laid out once for the processor, so that short sentences run in half the time.

For a few tokens the time of a linear map is that of reading its weight, and oneDNN reads its own blocked layout faster
than rows. The arithmetic is that of torch.nn.Linear up to the order of its sums, and the same with and without a tap.
"""

import torch
from torch import Tensor, nn

ROWS = 16  # tokens the layout is best for; it serves every number of them


class Linear(nn.Linear):
    """output = x W^T + b, as torch.nn.Linear, from the blocked copy of W where one was made and fits the input.

    Shapes: x [..., in_features] -> output [..., out_features]. What changes the weight (moving it, another dtype,
    loading, training) drops the copy, and with it the plain map is back.
    """

    blocked: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Map every vector."""
        if self.blocked is None or x.dtype != torch.float32 or (torch.is_grad_enabled() and x.requires_grad):
            return super().forward(x)
        result: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.blocked, self.bias, "none", [], "")
        return result

    def lay_out(self) -> None:
        """Make the blocked copy, as large as the weight itself."""
        self.blocked = torch.ops.mkldnn._reorder_linear_weight(self.weight.detach(), ROWS)

    def train(self, mode: bool = True) -> "Linear":
        """Train on the plain weight."""
        self.blocked = None if mode else self.blocked
        return super().train(mode)

    def __getstate__(self) -> dict[str, object]:
        """What a copy or a file takes along: all but the layout."""
        return self.__dict__ | {"blocked": None}

    def _apply(self, *args: object, **more: object) -> "Linear":
        self.blocked = None
        super()._apply(*args, **more)  # type: ignore[no-untyped-call]
        return self

    def _load_from_state_dict(self, *args: object, **more: object) -> None:
        self.blocked = None
        super()._load_from_state_dict(*args, **more)


def lay_out(model: nn.Module) -> None:
    """Lay out every linear map of a model for this processor, where torch and the processor can.

    Elsewhere (no oneDNN, an accelerator, other dtypes) the plain maps stay.
    """
    maps = [part for part in model.modules() if isinstance(part, Linear)]
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return
    for part in maps:
        if part.weight.device.type == "cpu" and part.weight.dtype == torch.float32:
            part.lay_out()
