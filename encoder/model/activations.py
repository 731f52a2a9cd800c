"""The activations that a model may have: all that is known of one, but for its arithmetic number by number.

That stands in `encoder.explain.operations.layer_rules` and, for the browser, in both tables of
`encoder/browser/block.js`, under the same name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Activation:
    """What bends each number by itself.

    `title` is its name for people, `formula` LaTeX for a number <0>, `module` what PyTorch has of it, `hugging_face`
    the names it goes by in a config.json. `cuts` says whether it is exactly zero for all below zero.
    """

    title: str
    function: Callable[[Tensor], Tensor]
    formula: str
    module: Callable[[], nn.Module]
    hugging_face: tuple[str, ...]
    cuts: bool = False


ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation("ReLU", functional.relu, r"\max(0, <0>)", nn.ReLU, ("relu",), cuts=True),
    "gelu": Activation("GELU", functional.gelu, r"<0> \cdot \Phi(<0>)", nn.GELU, ("gelu", "gelu_python")),
    "gelu_tanh": Activation(
        "GELU (tanh)",
        partial(functional.gelu, approximate="tanh"),
        r"\tfrac{<0>}{2} \Big(1 + \tanh\big(\sqrt{2/\pi}\,(<0> + 0.044715\, <0>^3)\big)\Big)",
        partial(nn.GELU, "tanh"),
        ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"),
    ),
    "silu": Activation("SiLU", functional.silu, r"<0> \cdot \sigma(<0>)", nn.SiLU, ("silu", "swish")),
}
HEAD_ACTIVATIONS = ACTIVATIONS | {
    "tanh": Activation("tanh", torch.tanh, r"\tanh(<0>)", nn.Tanh, ("tanh",))
}  # of labels
