"""Weights set by hand: what would have been enough for a task, compiled from what each head selects and hands on.

After RASP (Weiss et al. 2021): a layer selects keys for each query and takes the mean of what they hold, and hidden
units look where a sum passes a threshold. The vectors are made of named parts in which one number is 1, so a selection
is a table over pairs of such numbers. A loud constant in two numbers of every vector keeps what the norms divide by
nearly the same for all, and what is written adds up to the same for all, so the norms change nothing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from encoder import checkpoint
from encoder.model.block import Block
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.tap import Recorder
from encoder.support.errors import EncoderError
from encoder.tasks.attention_task import AttentionTask
from encoder.tasks.data import FIRST, batch, vocab_size
from encoder.tasks.task import DEEPEST, PAIRS, task_of

SHARP = 30.0  # by how much a selected key's score is above the others'
LOUD = 200.0  # the constant of the two numbers that keep the norms quiet
FAR = 16.0  # more than a place's number, which tells later brackets from earlier ones
CLS = 2  # the id of [CLS]
# Rows of a table. Selected: part and number of a query, part and number of a key, score. Handed on: part and number
# of a key, part and number where it is written, factor. Read: part and number, id of the answer, factor. Summed: part
# and number, factor.
Table = list[tuple[str, int, str, int, float]]
Reading = list[tuple[str, int, int, float]]
Sum = list[tuple[str, int, float]]


@dataclass(frozen=True)
class Threshold:
    """1 in a number of the part "over" where a sum is 0 or more, 0 where it is -1 or less; "under" has the rest."""

    number: int
    terms: Sum
    bias: float


@dataclass(frozen=True)
class SelectingLayer:
    """One layer with one head: which keys it selects, what it hands on of them, and what is looked up after it."""

    select: Table
    move: Table
    thresholds: tuple[Threshold, ...] = ()


@dataclass(frozen=True)
class Solution:
    """A task solved by one head in each layer; how the answer is read, and by how much more each id is answered."""

    layers: tuple[SelectingLayer, ...]
    read: Reading
    bias: dict[int, float] = field(default_factory=dict)


def signs(task: AttentionTask) -> range:
    """Return the ids of a task's symbols."""
    return range(FIRST, FIRST + len(task.symbols))


def copied(task: AttentionTask, into: str = "out") -> Table:
    """Hand on the sign that a key holds."""
    return [("sign", i, into, i, 1.0) for i in range(vocab_size(task))]


def read_out(task: AttentionTask, part: str = "out") -> Reading:
    """Answer with the sign that was handed on."""
    return [(part, i, i, 1.0) for i in signs(task)]


def by_place(source: Callable[[int], int]) -> Callable[[AttentionTask], Solution]:
    """Let every place look at one other place and say what is there."""

    def solve(task: AttentionTask) -> Solution:
        table: Table = [("place", i + 1, "place", source(i) + 1, 1.0) for i in range(task.length)]
        return Solution((SelectingLayer(table, copied(task)),), read_out(task))

    return solve


def most_frequent(task: AttentionTask) -> Solution:
    """Let every letter look at all letters alike; what there is more of is the larger part of the mean."""
    table: Table = [("sign", a, "sign", b, 1.0) for a in signs(task) for b in signs(task)]
    return Solution((SelectingLayer(table, copied(task)),), read_out(task))


def largest(task: AttentionTask) -> Solution:
    """Let a digit's score be the digit itself."""
    table: Table = [("sign", a, "sign", b, float(b - FIRST)) for a in signs(task) for b in signs(task)]
    return Solution((SelectingLayer(table, copied(task)),), read_out(task))


FROM_CLS: Table = [("sign", CLS, "share", 0, 1.0), ("sign", CLS, "share", 1, -1.0)]


def counted(task: AttentionTask) -> Solution:
    """Look at all letters like oneself and at [CLS]: of c letters, [CLS] gets the share 1 / (c + 1)."""
    table: Table = [("sign", a, "sign", a, 1.0) for a in signs(task)]
    table += [("sign", a, "sign", CLS, 1.0) for a in signs(task)]
    shares = [1 / (c + 2) for c in range(len(task.answers))]
    first = FIRST + len(task.symbols)
    # The nearest share s wins: -(v - s)^2 is 2 v s - s^2 and a part that is the same for all.
    nearest = [("share", 0, first + c, 2 * s) for c, s in enumerate(shares)]
    bias = {first + c: 1 - s * s for c, s in enumerate(shares)}
    return Solution((SelectingLayer(table, FROM_CLS),), nearest, bias)


def in_order(task: AttentionTask) -> Solution:
    """First look at all digits alike and count them; then look at the digit that belongs here.

    A digit of d or more belongs at place i where no more than i digits are below d. Of the digits whose threshold is
    passed, the largest is the one.
    """
    digits, n = signs(task), task.length
    count: Table = [("sign", a, "sign", b, 1.0) for a in range(vocab_size(task)) for b in digits]
    place: Sum = [("place", i + 1, float(i)) for i in range(n)]
    below: dict[int, Sum] = {d: [("out", b, -float(n)) for b in digits if b < d] for d in digits[1:]}
    thresholds = tuple(Threshold(d - FIRST, [*place, *below[d]], 0.0) for d in below)
    # 2 for each threshold up to a key's digit that is passed, less the digit: highest at the last that is passed.
    largest: Table = [("over", d - FIRST, "sign", b, 2.0) for d in below for b in digits if b >= d]
    largest += [("sign", a, "sign", b, 1.0 + FIRST - b) for a in digits for b in digits]
    return Solution(
        (SelectingLayer(count, copied(task), thresholds), SelectingLayer(largest, copied(task, "found"))),
        read_out(task, "found"),
    )


def matching(task: AttentionTask) -> Solution:
    """First count how deep each place lies; then look at the last opening bracket before that lies as deep.

    To count, a place looks at itself and all before it, evenly; [CLS] gets what makes it one of n + 1 shares each.
    """
    n, opening, dot = task.length, signs(task)[: len(PAIRS)], FIRST + len(PAIRS)
    so_far: Table = [("place", i + 1, "place", j + 1, 1.0) for i in range(n) for j in range(i + 1)]
    so_far += [("place", i + 1, "place", 0, 1.0 + math.log(n - i) / SHARP) for i in range(n)]
    deeper: Table = [("sign", b, "share", k, way) for b in opening for k, way in ((0, 1.0), (1, -1.0))]
    deeper += [("sign", dot, "share", k, way) for k, way in ((0, -1.0), (1, 1.0))]
    depth: Sum = [("share", 0, n + 1.0), ("sign", dot, 1.0)]  # a dot lies as deep as the bracket that it closes
    thresholds = tuple(Threshold(deep, depth, -float(deep)) for deep in range(2, DEEPEST + 1))
    partner: Table = [("place", i + 1, "place", j + 1, j - FAR * (j >= i)) for i in range(n) for j in range(n)]
    partner += [("sign", dot, "sign", b, FAR) for b in opening]
    for deep in range(2, DEEPEST + 1):  # FAR less where one is so deep and the other is not
        partner += [("over", deep, "over", deep, 2 * FAR), ("sign", dot, "over", deep, -FAR)]
    closed: Reading = [("found", b, b + len(PAIRS) + 1, 1.0) for b in opening]
    return Solution(
        (SelectingLayer(so_far, deeper, thresholds), SelectingLayer(partner, copied(task, "found"))), closed
    )


SOLUTIONS: dict[str, Callable[[AttentionTask], Solution]] = {
    "copy": by_place(lambda i: i),
    "shift": by_place(lambda i: (i - 1) % 10),
    "reverse": by_place(lambda i: 9 - i),
    "histogram": counted,
    "majority": most_frequent,
    "maximum": largest,
    "palindrome": by_place(lambda i: 9 - i),
    "brackets": matching,
    "sort": in_order,
}


@dataclass(frozen=True)
class Parts:
    """Where in a vector each named part begins, and how wide the vector is."""

    first: dict[str, int]
    width: int

    @classmethod
    def of(cls, task: AttentionTask, solution: Solution) -> "Parts":
        """Parts for the signs, the places, what each layer hands on, a share, thresholds; two numbers are loud."""
        passed = 1 + max((threshold.number for layer in solution.layers for threshold in layer.thresholds), default=-1)
        sizes = {"sign": vocab_size(task), "place": task.length + 2, "out": vocab_size(task), "share": 2, "loud": 2}
        if len(solution.layers) > 1:
            sizes |= {"found": vocab_size(task), "over": passed, "under": passed}
        first, width = {}, 0
        for name, size in sizes.items():
            first[name] = width
            width += size
        return cls(first, width)

    def at(self, part: str, number: int) -> int:
        """Return where a number of a part stands."""
        return self.first[part] + number


def shape(task: AttentionTask, norm_first: bool) -> EncoderConfig:
    """Layers with one head each, vectors as wide as the parts, and two hidden units for each threshold.

    Raises:
        EncoderError: no solution by hand is known here; the message lists the tasks that have one.
    """
    if task.key not in SOLUTIONS:
        raise EncoderError(f"no weights are set by hand for {task.key!r}; there are some for {', '.join(SOLUTIONS)}")
    solution = SOLUTIONS[task.key](task)
    hidden = max(2, *(2 * len(layer.thresholds) for layer in solution.layers), 0)
    return EncoderConfig(
        vocab_size(task),
        Parts.of(task, solution).width,
        1,
        len(solution.layers),
        hidden,
        max_positions=task.length + 2,
        positions="learned",
        norm_first=norm_first,
        final_norm=norm_first,
        scale_embeddings=False,
        mlm_head=True,
        trained_length=task.length + 2,
    )


def weights(task: AttentionTask, solution: Solution, config: EncoderConfig) -> dict[str, Tensor]:
    """Return all weights of a solution, by their names in the model; norms still leave out mean and size."""
    parts = Parts.of(task, solution)
    tensors = {name: torch.zeros(tensor.shape) for name, tensor in checkpoint.on_meta(config).named_parameters()}
    for name in tensors:
        if "norm" in name and name.endswith("weight"):
            tensors[name].fill_(1.0)
    tensors["embedding.tokens.weight"][:, : config.vocab_size].fill_diagonal_(1.0)
    tensors["embedding.tokens.weight"][:, parts.at("loud", 0)] = LOUD
    tensors["embedding.tokens.weight"][:, parts.at("loud", 1)] = -LOUD
    place = parts.at("place", 0)
    tensors["embedding.positions.weight"][:, place : place + task.length + 2].fill_diagonal_(1.0)
    for number, layer in enumerate(solution.layers):
        own = {name: tensor for name, tensor in tensors.items() if name.startswith(f"layers.{number}.")}
        compiled(layer, parts, {name.split(".", 2)[2]: tensor for name, tensor in own.items()})
    for part, i, answer, factor in solution.read:
        tensors["mlm_head.transform.weight"][answer, parts.at(part, i)] = factor
    for answer, more in solution.bias.items():
        tensors["mlm_head.transform.bias"][answer] = more
    return tensors


def compiled(layer: SelectingLayer, parts: Parts, own: dict[str, Tensor]) -> None:
    """Write what a layer selects, hands on and looks up into its weights, by their names within the layer."""
    for part, i, other, j, score in layer.select:  # Q holds, where the key's number is, what it scores
        own["attention.w_q.weight"][parts.at(other, j), parts.at(part, i)] = score * SHARP * parts.width**0.5
    own["attention.w_k.weight"].fill_diagonal_(1.0)
    own["attention.w_v.weight"].fill_diagonal_(1.0)
    for part, i, other, j, factor in layer.move:
        own["attention.w_o.weight"][parts.at(other, j), parts.at(part, i)] = factor
    for threshold in layer.thresholds:  # "under" is 1 where "over" is 0, so that all vectors are of one size
        own["feed_forward.w_2.bias"][parts.at("under", threshold.number)] = 1.0
    for i, threshold in enumerate(layer.thresholds):  # relu(2 s + 3/2) - relu(2 s + 1/2) is 1 from 0 on, 0 up to -1
        for unit, bias, sign in ((2 * i, 1.5, 1.0), (2 * i + 1, 0.5, -1.0)):
            for part, j, factor in threshold.terms:
                own["feed_forward.w_1.weight"][unit, parts.at(part, j)] = 2 * factor
            own["feed_forward.w_1.bias"][unit] = 2 * threshold.bias + bias
            own["feed_forward.w_2.weight"][parts.at("over", threshold.number), unit] = sign
            own["feed_forward.w_2.weight"][parts.at("under", threshold.number), unit] = -sign


def quiet(model: Encoder, task: AttentionTask) -> None:
    """Let each norm but the head's put back what it takes away: gamma is the deviation that it sees, beta the mean."""
    inputs, wanted = task.draw(np.random.default_rng(0), 64)
    ids = batch(task, inputs, wanted).ids
    norms = []
    for i, block in enumerate(part for part in model.modules() if isinstance(part, Block)):
        norms += [(f"layers.{i}.add_norm_1", block.norm1), (f"layers.{i}.add_norm_2", block.norm2)]
    norms += [("final_norm", model.final_norm)] if model.final_norm is not None else []
    for name, norm in norms:
        values: dict[str, Tensor] = {}
        with torch.inference_mode():
            model(ids, tap=Recorder(values, {}))
        norm.weight.data.fill_(float((values[f"{name}.variance"].mean() + norm.eps).sqrt()))
        norm.bias.data.fill_(float(values[f"{name}.mean"].mean()))


def solved(key: str, norm_first: bool = False) -> Encoder:
    """Return an encoder whose weights were set by hand to solve a task.

    Raises:
        EncoderError: no solution by hand is known here; the message lists the tasks that have one.
    """
    task = task_of(key)
    config = shape(task, norm_first)
    model = checkpoint.build(config, weights(task, SOLUTIONS[key](task), config), f"{key} by hand")
    quiet(model, task)
    return model
