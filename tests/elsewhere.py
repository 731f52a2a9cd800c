"""An atlas on a device that this machine has not: python tests/elsewhere.py; prints where each of its values was.

PyTorch's FakeTensorMode computes shapes and devices without numbers, and raises where tensors of two devices meet. The
device is one of its own for code outside it, which behaves as a GPU does in that: a build for processors alone has no
"cuda" even in name.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import torch  # noqa: E402
from tiny import VARIANTS, tiny  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.symbolic_shapes import ShapeEnv  # noqa: E402
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend  # noqa: E402

from encoder.atlas.collecting import Collector, KeptVectors, RunningCounts, collect  # noqa: E402
from encoder.trace.tokens import Text  # noqa: E402

ELSEWHERE = "elsewhere"
TEXTS: list[Text] = ["w1 w2 w3 w2 w5", "w4 w5 w1 w1 w2"]
PAIRS: list[Text] = [("w1 w2 w3", "w2 w5"), ("w4 w5", "w1 w1 w2")]
MODEL = replace(
    VARIANTS["alibi-of-four-heads"], n_layers=1, n_segments=2
)  # with masks and biases that are made on the way


class NoNumbers(FakeTensorMode):
    """Not even those of a tensor of one element, which are kept otherwise and would be computed with there."""

    def may_turn_const(self, t: torch.Tensor) -> bool:
        """None is."""
        return False


def seen() -> set[str]:
    """The devices of the steps that are counted, of all that is kept of them, and of what is written in the end."""
    found = set[str]()

    def noted(see: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        def both(self: Collector, name: str, value: torch.Tensor) -> torch.Tensor:
            found.add(f"step {value.device.type}")
            return see(self, name, value)

        return both

    Collector.see = noted(Collector.see)  # type: ignore[method-assign]
    encoder, mode = tiny(MODEL), NoNumbers(shape_env=ShapeEnv(), static_shapes=True)
    with mode:
        encoder.model._apply(lambda one: mode.from_tensor(one).to(ELSEWHERE))
        for texts in (TEXTS, PAIRS):
            running = RunningCounts(encoder, KeptVectors((0, 1), (0,)), isinstance(texts[0], tuple))
            collect(running, encoder, 0, texts)
            found.update(f"kept {one.device.type}" for one in held(running))
            found.update(f"done {one.device.type}" for one in running.of_part().values())
            running.load(running.state())
            found.update(f"done {one.device.type}" for one in running.state().values())
    return found


def held(running: RunningCounts) -> list[torch.Tensor]:
    """All that is kept."""
    parts: list[Any] = [running.sums.values, *(ranking.state() for ranking in running.rankings.values())]
    lists = [*running.vectors.values(), *running.heads.values(), running.places]
    return [one for part in parts for one in part.values()] + [one for some in lists for one in some]


if __name__ == "__main__":
    _setup_privateuseone_for_python_backend(ELSEWHERE)
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    print(*sorted(seen()), sep="\n")
