"""Weights set by hand: what would have been enough for a task, compiled from what each head selects and hands on.

After RASP (Weiss et al. 2021): a layer selects keys for each query and takes the mean of what they hold. The vectors
are made of named parts in which one number is 1, so a selection is a table over pairs of such numbers. A loud constant
in two numbers of every vector keeps what the norms divide by nearly the same for all, so they change nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from encoder import checkpoint
from encoder.model.block import Block
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.tap import Recorder
from encoder.tasks.data import FIRST, batch, vocab_size
from encoder.tasks.task import AttentionTask, task_of

SHARP = 30.0  # by how much a selected key's score is above the others'
LOUD = 60.0  # the constant of the two numbers that keep the norms quiet
CLS = 2  # the id of [CLS]
# Rows of a table. Selected: part and number of a query, part and number of a key, score. Handed on: part and number
# of a key, part and number where it is written, factor. Read: part and number, id of the answer, factor, bias.
Table = list[tuple[str, int, str, int, float]]
Reading = list[tuple[str, int, int, float, float]]


@dataclass(frozen=True)
class Solution:
    """A task solved by one head: which keys it selects, what it hands on of them, and how the answer is read."""

    select: Table
    move: Table
    read: Reading


def signs(task: AttentionTask) -> range:
    """The ids of a task's symbols."""
    return range(FIRST, FIRST + len(task.symbols))


def copied(task: AttentionTask) -> Table:
    """Hand on the sign that a key holds."""
    return [("sign", i, "out", i, 1.0) for i in signs(task)]


def said(task: AttentionTask) -> Reading:
    """Answer with the sign that was handed on."""
    return [("out", i, i, 1.0, 0.0) for i in signs(task)]


def by_place(source: Callable[[int], int]) -> Callable[[AttentionTask], Solution]:
    """Every place looks at one other place and says what is there."""

    def solve(task: AttentionTask) -> Solution:
        table: Table = [("place", i + 1, "place", source(i) + 1, 1.0) for i in range(task.length)]
        return Solution(table, copied(task), said(task))

    return solve


def most_frequent(task: AttentionTask) -> Solution:
    """Every letter looks at all letters alike; what there is more of is the larger part of the mean."""
    table: Table = [("sign", a, "sign", b, 1.0) for a in signs(task) for b in signs(task)]
    return Solution(table, copied(task), said(task))


def largest(task: AttentionTask) -> Solution:
    """A digit's score is the digit itself."""
    table: Table = [("sign", a, "sign", b, float(b - FIRST)) for a in signs(task) for b in signs(task)]
    return Solution(table, copied(task), said(task))


FROM_CLS: Table = [("sign", CLS, "share", 0, 1.0), ("sign", CLS, "share", 1, -1.0)]


def counted(task: AttentionTask) -> Solution:
    """Look at all letters like oneself and at [CLS]: of c letters, [CLS] gets the share 1 / (c + 1)."""
    table: Table = [("sign", a, "sign", a, 1.0) for a in signs(task)]
    table += [("sign", a, "sign", CLS, 1.0) for a in signs(task)]
    shares = [1 / (c + 2) for c in range(len(task.answers))]
    first = FIRST + len(task.symbols)
    # The nearest share s wins: -(v - s)^2 is 2 v s - s^2 and a part that is the same for all.
    nearest = [("share", 0, first + c, 2 * s, 1 - s * s) for c, s in enumerate(shares)]
    return Solution(table, FROM_CLS, nearest)


SOLUTIONS: dict[str, Callable[[AttentionTask], Solution]] = {
    "copy": by_place(lambda i: i),
    "shift": by_place(lambda i: (i - 1) % 10),
    "reverse": by_place(lambda i: 9 - i),
    "histogram": counted,
    "majority": most_frequent,
    "maximum": largest,
    "palindrome": by_place(lambda i: 9 - i),
}  # fmt: skip


@dataclass(frozen=True)
class Parts:
    """Where in a vector each named part begins, and how wide the vector is."""

    first: dict[str, int]
    width: int

    @classmethod
    def of(cls, task: AttentionTask) -> "Parts":
        """A part for the signs, the places and what is handed on; two numbers for a share; two that are loud."""
        sizes = {"sign": vocab_size(task), "place": task.length + 2, "out": vocab_size(task), "share": 2, "loud": 2}
        first, width = {}, 0
        for name, size in sizes.items():
            first[name] = width
            width += size
        return cls(first, width)

    def at(self, part: str, number: int) -> int:
        """Where a number of a part stands."""
        return self.first[part] + number


def shape(task: AttentionTask, norm_first: bool) -> EncoderConfig:
    """One layer with one head, its vectors as wide as the parts; the feed-forward part adds nothing."""
    return EncoderConfig(
        vocab_size(task), Parts.of(task).width, 1, 1, 2, max_positions=task.length + 2, positions="learned",
        norm_first=norm_first, final_norm=norm_first, scale_embeddings=False, mlm_head=True,
        trained_length=task.length + 2,
    )  # fmt: skip


def weights(task: AttentionTask, solution: Solution, config: EncoderConfig) -> dict[str, Tensor]:
    """All weights of a solution, by their names in the model; norms still leave out mean and size."""
    parts, d = Parts.of(task), config.d_model
    found = {name: torch.zeros(one.shape) for name, one in checkpoint.on_meta(config).named_parameters()}
    for name in found:
        if "norm" in name and name.endswith("weight"):
            found[name].fill_(1.0)
    found["embedding.tokens.weight"][:, : config.vocab_size].fill_diagonal_(1.0)
    found["embedding.tokens.weight"][:, parts.at("loud", 0)] = LOUD
    found["embedding.tokens.weight"][:, parts.at("loud", 1)] = -LOUD
    place = parts.at("place", 0)
    found["embedding.positions.weight"][:, place : place + task.length + 2].fill_diagonal_(1.0)
    attention = "layers.0.attention."
    for part, i, other, j, score in solution.select:  # Q holds, where the key's number is, what it scores
        found[f"{attention}w_q.weight"][parts.at(other, j), parts.at(part, i)] = score * SHARP * d**0.5
    found[f"{attention}w_k.weight"].fill_diagonal_(1.0)
    found[f"{attention}w_v.weight"].fill_diagonal_(1.0)
    for part, i, other, j, factor in solution.move:
        found[f"{attention}w_o.weight"][parts.at(other, j), parts.at(part, i)] = factor
    for part, i, answer, factor, bias in solution.read:
        found["mlm_head.transform.weight"][answer, parts.at(part, i)] = factor
        found["mlm_head.transform.bias"][answer] = bias
    return found


def quiet(model: Encoder, task: AttentionTask) -> None:
    """Let each norm but the head's put back what it takes away: gamma is the deviation that it sees, beta the mean."""
    inputs, wanted = task.draw(np.random.default_rng(0), 64)
    ids = batch(task, inputs, wanted).ids
    block = next(part for part in model.modules() if isinstance(part, Block))
    norms = [("layers.0.add_norm_1", block.norm1), ("layers.0.add_norm_2", block.norm2)]
    norms += [("final_norm", model.final_norm)] if model.final_norm is not None else []
    for name, norm in norms:
        values: dict[str, Tensor] = {}
        with torch.inference_mode():
            model(ids, tap=Recorder(values, {}))
        norm.weight.data.fill_(float((values[f"{name}.variance"].mean() + norm.eps).sqrt()))
        norm.bias.data.fill_(float(values[f"{name}.mean"].mean()))


def solved(key: str, norm_first: bool = False) -> Encoder:
    """An encoder whose weights were set by hand to solve a task.

    Raises:
        ValueError: no solution by hand is known here; the message lists the tasks that have one.
    """
    task = task_of(key)
    if key not in SOLUTIONS:
        raise ValueError(f"no weights are set by hand for {key!r}; there are some for {', '.join(SOLUTIONS)}")
    config = shape(task, norm_first)
    model = checkpoint.build(config, weights(task, SOLUTIONS[key](task), config), f"{key} by hand")
    quiet(model, task)
    return model
