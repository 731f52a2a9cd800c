"""Any number of a run can be opened: the arithmetic is right, every operand is there, and every trail ends."""

import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from in_turn import in_turn
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from torch import Tensor

from encoder import EncoderConfig, TextEncoder, Trace
from encoder.explain.operations import OPERATIONS
from encoder.explain.operations.explanation import SHOWN, Explanation, Operand
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.step import Step

TOLERANCE = 1e-6  # of the size of what was combined; float32 stays within 3e-7
GIVEN = {  # operations of steps that are made of no other step
    "lookup",
    "position",
    "segment",
    "sinusoid",
    "zeros",
    "rotary_cos",
    "rotary_sin",
    "relative_bias",
    "alibi",
    "distance",
}
COMPUTED = {"sinusoid", "zeros", "rotary_cos", "rotary_sin", "alibi"}  # from nothing but a place
OF_DISTANCES = {"content_to_position", "position_to_content"}
ADDED_UP = {"linear", "matmul", "decode", "label", "dot", "weighted_sum", *OF_DISTANCES}
SHALLOW = {name: replace(VARIANTS[name], n_layers=2) for name in (*COVERING, "labels", "late-labels", "labels-words")}

every_variant = in_turn("config", SHALLOW.values())


def run(encoder: TextEncoder, hidden: bool) -> Trace:
    """A sentence alone, or one with two tokens hidden and two more that are padding."""
    if not hidden:
        return encoder.trace(SENTENCE)
    return encoder.trace([SENTENCE, f"{SENTENCE} w5 w6"], hidden=(1, 4))[0]


def cells(trace: Trace, step: Step, count: int) -> list[tuple[int, ...]]:
    """Some places in a step, always the same ones."""
    chance = random.Random(step.name)
    return [tuple(chance.randrange(size) for size in trace[step.name].shape) for _ in range(count)]


def everything(encoder: TextEncoder, trace: Trace) -> dict[str, Tensor]:
    """All that an operand may be called, gathered without the code under test."""
    model = {**dict(encoder.model.named_buffers()), **encoder.model.state_dict()}
    return {"ids": torch.tensor(trace.ids), **model, **trace}


def operands(made: Explanation, chance: random.Random) -> list[Operand]:
    """Every single operand, and of every line of terms one number."""
    lines = made.terms.lines if made.terms else ()
    return [*made.operands, *(line[chance.randrange(len(line.values))] for line in lines)]


def numbers(latex: str) -> np.ndarray:
    """Every number that a formula shows."""
    plain = re.sub(r"\\cdot 10\^\{(-?\d+)\}", r"e\1", latex.replace(r"\infty", "inf"))
    return np.array([float(found) for found in re.findall(r"-?(?:inf|\d+\.?\d*(?:e-?\d+)?)", plain)])


def shows(latex: str, value: float) -> bool:
    """Whether a formula shows a number, to four significant digits."""
    return bool(np.isclose(numbers(latex), value, rtol=6e-4, atol=0).any())


def check_arithmetic(made: Explanation, trace: Trace, step: Step, cell: tuple[int, ...]) -> None:
    """The result is what the run recorded, and the terms add up to it."""
    assert (made.name, made.index, made.operation) == (step.name, cell, step.operation)
    assert made.recorded == float(trace[step.name][cell])
    assert made.difference <= TOLERANCE * made.size, (step.name, cell, made)
    assert (made.difference == 0) == (made.result == made.recorded)
    if made.terms is None:
        assert step.operation not in {*ADDED_UP, "mean", "variance", "variance_unbiased", "softmax"}
        return
    values, order = made.terms.values, made.terms.order.tolist()
    assert sorted(order) == list(range(len(values)))
    assert (np.diff(np.abs(values[order])) <= 0).all()
    total, size = math.fsum(values.tolist()), float(np.abs(values).sum())
    assert made.terms.running.shape == values.shape
    assert made.terms.running[-1] == pytest.approx(total, rel=0, abs=1e-12 * size)
    assert made.terms.running[0] == values[order[0]]
    lines, bias = [line.values for line in made.terms.lines], math.fsum(operand.value for operand in made.operands)
    width = len(lines[0])
    if step.operation in ADDED_UP:
        assert (values == lines[0] * lines[1]).all()
        assert made.result == pytest.approx(total + bias, rel=0, abs=1e-12 * made.size)
    elif step.operation == "mean":
        assert (values == lines[0]).all()
        assert made.result == pytest.approx(total / width, rel=1e-12)
    elif step.operation == "mean_square":
        assert (values == lines[0] ** 2).all()
        assert made.result == pytest.approx(total / width, rel=1e-12)
    elif step.operation.startswith("variance"):
        assert (values == (lines[0] - bias) ** 2).all()
        assert made.result == pytest.approx(total / (width - (step.operation == "variance_unbiased")), rel=1e-12)
    elif step.operation.startswith("pool_mean") or step.operation in ("label_mean", "pool_words"):
        kept = [i for i in range(width - trace.padding) if i not in trace.hidden]
        kept = kept[1:-1] if step.operation == "pool_words" else kept
        assert (values[kept] == lines[0][kept]).all() and np.count_nonzero(values) == len(kept)
        power = 0.5 if step.operation == "pool_mean_sqrt_len" else 1
        assert made.result == pytest.approx(total / len(kept) ** power, rel=1e-12)
    else:
        assert step.operation == "softmax"
        assert values.max() == 1
        assert made.result == values[cell[-1]] / total


def check_operands(made: Explanation, held: dict[str, Tensor]) -> None:
    """Every operand and every line of terms holds what stands under its name."""
    for operand in made.operands:
        assert operand.value == float(held[operand.name][operand.index]), (made.name, operand)
    for line in made.terms.lines if made.terms else ():
        at = tuple(slice(None) if i is None else i for i in line.index)
        assert line.index.count(None) == 1
        assert (line.values == held[line.name][at].double().numpy()).all(), (made.name, line.name)
        assert line.values.dtype == np.float64


def check_latex(made: Explanation) -> None:
    """The formula is well formed and shows the result, the operands and the largest terms."""
    latex = made.latex
    depths = np.cumsum([{"{": 1, "}": -1}.get(c, 0) for c in latex])
    assert depths.min() >= 0, latex
    assert depths[-1] == 0, latex
    assert re.findall(r"\{\w*[a-zA-Z_]\w*\}|\{\}|nan|(?<!\\)inf|None|e[+-]\d", latex) == [], latex
    assert shows(latex.rsplit("= ", 1)[-1], made.result), (latex, made.result)
    largest = made.terms.order[:SHOWN] if made.terms and made.operation != "softmax" else ()
    factors = [float(line.values[k]) for k in largest for line in made.terms.lines]
    for value in (*(operand.value for operand in made.operands), *factors):
        assert shows(latex, value), (latex, value)


@pytest.mark.slow
@every_variant
def test_every_step_is_explained(config: EncoderConfig) -> None:
    encoder = tiny(config)
    check_all(encoder, run(encoder, hidden=True))


@pytest.mark.slow
def test_every_step_of_a_bundled_model_is_explained(base: TextEncoder) -> None:
    check_all(base, base.trace("Keys on the table belong to Sara.", hidden=(0, 3)))


def check_all(encoder: TextEncoder, trace: Trace) -> None:
    """Open two numbers of every step, and all operands of the first."""
    held = everything(encoder, trace)
    for step in encoder.steps:
        chance = random.Random(step.name)
        for i, cell in enumerate(cells(trace, step, 2)):
            made = encoder.explain(trace, step.name, cell)
            check_arithmetic(made, trace, step, cell)
            if i:
                continue
            check_operands(made, held)
            check_latex(made)
            for operand in operands(made, chance):
                opened = encoder.explain(trace, operand.name, operand.index)
                assert opened.recorded == operand.value, (step.name, operand)
                assert opened.words.endswith("."), operand.name


@in_turn("config", [VARIANTS["post-norm"], VARIANTS["std-norm"]])
def test_dots_stand_for_terms_that_are_left_out(config: EncoderConfig) -> None:
    for d_model, dots in ((2, False), (4, True)):
        encoder = tiny(replace(config, d_model=d_model, n_heads=1))
        trace = encoder.trace(SENTENCE)
        for local in ("attention.q", "attention.scores", "add_norm_1.mean", "add_norm_1.variance"):
            name = f"layers.0.{local}"
            made = encoder.explain(trace, name, cells(trace, trace.step(name), 1)[0])
            assert (r"\cdots" in made.latex) == dots, made.latex


def test_the_formula_is_written_out() -> None:
    encoder = tiny(replace(TINY, d_model=2, n_heads=1))
    weights, trace = encoder.model.state_dict(), encoder.trace(SENTENCE)
    x, w = trace["layers.0.attention.input"][3], weights["layers.0.attention.w_q.weight"][1]
    b, q = weights["layers.0.attention.w_q.bias"][1], trace["layers.0.attention.q"][0, 3, 1]
    first, second = sorted(((float(x[k]), float(w[k])) for k in (0, 1)), key=lambda pair: -abs(pair[0] * pair[1]))
    said = [f"({v:.4g})" if v < 0 else f"{v:.4g}" for v in (*first, *second, float(b))]
    expected = r"{} \cdot {} + {} \cdot {} + {}".format(*said) + f" = {float(q):.4g}"
    assert encoder.explain(trace, "layers.0.attention.q", (0, 3, 1)).latex == expected


def test_softmax_shows_both_powers_and_their_quotient() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    row, j = trace["layers.1.attention.masked"][2, 3].double(), 4
    made = encoder.explain(trace, "layers.1.attention.weights", (2, 3, j))
    power, total = math.exp(row[j] - row.max()), float((row - row.max()).exp().sum())
    assert numbers(made.latex)[-3:] == pytest.approx([power, total, power / total], rel=6e-4)
    assert made.terms is not None
    assert made.terms.values == pytest.approx((row - row.max()).exp().numpy(), rel=1e-12)


# Trails


def trail(encoder: TextEncoder, trace: Trace, chance: random.Random, steps_only: bool) -> Iterator[Explanation]:
    """From some weight of the last layer, one operand of each number after the other."""
    name = f"layers.{trace.config.n_layers - 1}.attention.weights"
    index = cells(trace, trace.step(name), 1)[0]
    while True:
        made = encoder.explain(trace, name, index)
        yield made
        follow = [o for o in operands(made, chance) if not steps_only or o.name in trace]
        if not follow:
            return
        chosen = chance.choice(follow)
        name, index = chosen.name, chosen.index


@every_variant
def test_every_trail_ends_where_the_numbers_come_in(config: EncoderConfig) -> None:
    encoder = tiny(config)
    trace = run(encoder, hidden=True)
    moment = {name: i for i, name in enumerate(trace)}
    for seed in range(6):
        for steps_only, ends in ((True, GIVEN), (False, {"input", "parameter", *COMPUTED})):
            passed = list(trail(encoder, trace, random.Random(seed), steps_only))
            moments = [moment[made.name] for made in passed if made.name in moment]
            assert moments == sorted(set(moments), reverse=True)  # each hop leads to an earlier step
            assert passed[-1].operation in ends, passed[-1].name


def test_ids_end_the_trail_and_name_the_token() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    made = encoder.explain(trace, "embedding.tokens", (2, 5))
    assert [(operand.name, operand.index) for operand in made.operands] == [
        ("ids", (2,)),
        ("embedding.tokens.weight", (trace.ids[2], 5)),
    ]
    token = encoder.explain(trace, "ids", (2,))
    assert (token.result, token.recorded, token.operation) == (trace.ids[2], trace.ids[2], "input")
    assert "'w2'" in token.words
    assert (token.operands, token.terms) == ((), None)


# Hidden keys


@in_turn("name", ["post-norm", "finite-mask"])
def test_a_hidden_key_is_explained_by_the_mask(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = run(encoder, hidden=True)
    assert (trace.hidden, trace.padding, len(trace.tokens)) == ((1, 4), 2, 9)
    value = encoder.config.mask_value
    for j in range(9):
        for h, i in ((0, 0), (1, 3), (2, 8)):
            scaled = float(trace["layers.1.attention.scaled"][h, i, j])
            made = encoder.explain(trace, "layers.1.attention.masked", (h, i, j))
            assert made.operands == (Operand("layers.1.attention.scaled", (h, i, j), scaled),)
            assert made.difference == 0
            weight = encoder.explain(trace, "layers.1.attention.weights", (h, i, j))
            if j in (1, 4, 7, 8):
                assert made.result == value
                assert "is masked" in made.words
                shown = r"-\infty" if value == -math.inf else r"-1\cdot 10^{9}"
                assert made.latex == rf"{scaled:.4g} \to {shown} = {shown}"
                assert weight.result == weight.recorded == 0
            else:
                assert made.result == scaled
                assert "is not masked" in made.words
                assert weight.result > 0


# What cannot be opened


SCORES = "layers.0.attention.scores"
PLACES = "an index has 3 places: 0 to 2, 0 to 6, 0 to 6"
NOWHERE = (
    (),
    (0, 1),
    (0, 1, 2, 3),
    (0, -1, 2),
    (3, 0, 0),
    (0, 7, 0),
    (0, 0, 7),
    (0, True, 0),
    (0, 1.0, 2),
    (math.nan, 0, 0),
)
BEYOND = [
    *((SCORES, index, PLACES) for index in NOWHERE),
    ("ids", (7,), "an index has 1 places: 0 to 6"),
    ("embedding.tokens.weight", (0, 30), "an index has 2 places: 0 to 52, 0 to 29"),
    ("embedding.positions.weight", (19, 0), "an index has 2 places: 0 to 18, 0 to 29"),
    ("layers.0.add_norm_1.mean", (1, 0), "an index has 1 places: 0 to 6"),
]


def test_what_is_not_there_is_refused_with_what_is() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    for name, index, places in BEYOND:
        with pytest.raises(ValueError) as error:
            encoder.explain(trace, name, index)
        assert str(error.value) == f"{name} has no number at {index}; {places}"
    for name in ("layers.0.atention.scores", "layers.0.attention.score"):
        with pytest.raises(KeyError, match=f"'{name}'; did you mean .*layers.0.attention.scores"):
            encoder.explain(trace, name, (0, 0, 0))
    for name in ("hidden", "zzz", "", "layers.2.attention.scores", "layers.0.attention"):
        with pytest.raises(KeyError, match=f"no step is called '{name}'"):
            encoder.explain(trace, name, (0,))
    made = encoder.explain(trace, "output", [6, 29])  # a list is an index too
    assert made == encoder.explain(trace, "output", (6, 29)) and made.index == (6, 29)


def test_every_operation_has_a_rule_and_every_table_can_be_opened() -> None:
    assert set(OPERATIONS) == {step.operation for config in VARIANTS.values() for step in catalogue(config)}
    for positions in ("sinusoidal", "learned", "none"):
        encoder = tiny(replace(TINY, positions=positions))
        trace = encoder.trace(SENTENCE)
        made = encoder.explain(trace, "embedding.positions.weight", (3, 7))
        assert (made.operation, made.recorded) == ("parameter", float(trace["embedding.positions"][3, 7]))
