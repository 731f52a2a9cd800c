"""Faults of the engine as somebody would make them: one line of a forward pass says something else."""

import inspect
import sys
import textwrap
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.model.embedding import Embedding
from encoder.model.normalization import LayerNorm


class Line(NamedTuple):
    """A method of a class of the engine, what one of its lines says, and what it says with the fault."""

    owner: type
    method: str
    right: str
    wrong: str


FAULTS: Mapping[str, tuple[Line, ...]] = {
    "no residual around attention": (
        Line(Block, "post_norm", "x = residual + self.attention(", "x = self.attention("),
        Line(Block, "pre_norm", "residual + added", "added"),
    ),
    "no residual around feed-forward": (
        Line(Block, "post_norm", "x = residual + self.feed_forward(", "x = self.feed_forward("),
        Line(Block, "pre_norm", "residual + self.feed_forward(", "self.feed_forward("),
    ),
    "no division by the root of d_head": (Line(Attention, "forward", "scores / math.sqrt(self.score_size)", "scores"),),
    "softmax down the columns": (Line(Attention, "forward", "masked.softmax(-1)", "masked.softmax(-2)"),),
    "no b_V": (Line(Attention, "forward", "self.split(self.w_v(x))", "self.split(x @ self.w_v.weight.T)"),),
    "no eps": (Line(LayerNorm, "spread", "variance + self.eps", "variance"),),
    "no gamma": (
        Line(LayerNorm, "forward", "torch.addcmul(self.bias, normalized, self.weight)", "self.bias + normalized"),
    ),
    "no positions": (Line(Embedding, "forward", "x = scaled + positions", "x = scaled"),),
}


def plant(patch: pytest.MonkeyPatch, *faults: str) -> None:
    """Put faults in place until the patch is undone; models that are there already have them too."""
    sources: dict[tuple[type, str], str] = {}
    for owner, method, right, wrong in (line for fault in faults for line in FAULTS[fault]):
        source = sources.get((owner, method)) or textwrap.dedent(inspect.getsource(getattr(owner, method)))
        assert source.count(right) == 1, f"{owner.__name__}.{method} has this {source.count(right)} times: {right}"
        sources[owner, method] = source.replace(right, wrong)
    for (owner, method), source in sources.items():
        names = dict(vars(sys.modules[owner.__module__]))
        exec(source, names)
        patch.setattr(owner, method, names[method])
