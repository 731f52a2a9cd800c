"""A linear map whose weight may be laid out once for the processor, so that short sentences run in half the time.

For a few tokens the time of a linear map is that of reading its weight, and oneDNN reads its own blocked layout faster
than rows. The arithmetic is that of torch.nn.Linear up to the order of its sums, and the same with and without a tap.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import torch
from torch import Tensor, nn

ROWS = 16  # tokens the layout is best for; it serves every number of them


class Prepacked(nn.Module):
    """A part that maps with one weight W [out, in] and may keep a prepacked copy of it, as large as W itself.

    What changes the part (moving it, another dtype, loading, training) drops the copy, and with it the plain map is
    back.
    """

    prepacked: Tensor | None = None

    def map(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Return x W^T + b, from the prepacked copy of W where one was made and fits: x [..., in] -> [..., out]."""
        if self.prepacked is None or x.dtype != torch.float32 or (torch.is_grad_enabled() and x.requires_grad):
            return nn.functional.linear(x, weight, bias)
        result: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.prepacked, bias, "none", [], "")
        return result

    def prepack(self, weight: Tensor) -> None:
        """Make the prepacked copy, where torch and the processor can; elsewhere, on an accelerator, nothing is made."""
        can = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        if can and weight.device.type == "cpu" and weight.dtype == torch.float32:
            self.prepacked = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), ROWS)

    def train(self, mode: bool = True) -> Self:
        """Train on the plain weight."""
        self.prepacked = None if mode else self.prepacked
        return super().train(mode)

    def __getstate__(self) -> dict[str, object]:
        """What a copy or a file takes along: all but the layout."""
        return self.__dict__ | {"prepacked": None}

    def _apply(self, *args: object, **more: object) -> Self:
        self.prepacked = None
        super()._apply(*args, **more)  # type: ignore[no-untyped-call]
        return self

    def _load_from_state_dict(self, *args: object, **more: object) -> None:
        self.prepacked = None
        super()._load_from_state_dict(*args, **more)


@contextmanager
def unpacked(model: nn.Module) -> Iterator[None]:
    """The plain linear maps for a while: of prepacked ones something stays in memory for every size of a batch."""
    packed = [(part, part.prepacked) for part in model.modules() if isinstance(part, Prepacked)]
    for part, _ in packed:
        part.prepacked = None
    try:
        yield
    finally:
        for part, copy in packed:
            part.prepacked = copy


def without_bias(part: nn.Module, size: int) -> None:
    """Give a part zeros for its bias, which are neither learned nor in a checkpoint."""
    part.register_parameter("bias", None)
    del part._parameters["bias"]
    part.register_buffer("bias", torch.zeros(size, device="cpu"), persistent=False)


class Linear(Prepacked, nn.Linear):
    """output = x W^T + b, as torch.nn.Linear: x [..., in_features] -> output [..., out_features].

    Without a bias, b is zero and no parameter.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__(in_features, out_features, bias)
        if not bias:
            without_bias(self, out_features)

    def forward(self, x: Tensor) -> Tensor:
        """Map every vector."""
        return self.map(x, self.weight, self.bias)
