"""Levels 8 and 9: the numbers of a step are the run's own to the bit, and a number leads to what it was made of."""

import math
import random
import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from in_turn import in_turn
from packet_runs import CONFIGS, encoder_of, trace_of
from torch.nn import functional

from encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.packet.format import unpack
from encoder.packet.levels import OF_STEP
from encoder.packet.step_numbers import MOST_NUMBERS
from encoder.support.errors import EncoderError
from encoder.support.formatting import short
from encoder.trace.trace import Trace

MODELS = ("small", *CONFIGS)


@pytest.mark.parametrize("model", MODELS)
@in_turn("run", ["masked", "pair", "edited", "padded"])
def test_every_step_of_every_model_comes_to_the_bit(model: str, run: str) -> None:
    encoder, trace = encoder_of(model), trace_of(model, run)
    offered = {}
    for name in trace:
        step = trace.step(name)
        index = [encoder.config.n_heads - 1] if "H" in step.shape else []
        level, about, arrays = unpack(OF_STEP[8](encoder, trace, name, index))
        assert (level, about["step"], about["title"], about.get("layer")) == (8, name, step.title, step.layer)
        offered |= dict(about["steps"])
        recorded = trace[name][tuple(index)].numpy()
        rows = recorded.reshape(1 if step.shape[0] == "sentence" else recorded.shape[0], -1)
        assert about["all"] == len(rows) == len(about["rows"])
        if step.shape[-1] == "vocab":
            rows = np.take_along_axis(rows, arrays["ids"].values.astype(int), 1)
            assert (rows[:, 0] == trace[name].numpy().max(-1)).all() and (np.diff(rows) <= 0).all()
        np.testing.assert_array_equal(arrays["numbers"].values, rows, strict=True)
    assert offered.keys() >= {name for name in trace if not name.startswith("layers.1")}


@pytest.mark.parametrize("model", MODELS)
def test_a_number_of_every_step_is_told_with_what_it_was_made_of(model: str) -> None:
    encoder, trace = encoder_of(model), trace_of(model, "masked")
    for name in trace:
        index = [size - 1 for size in trace[name].shape]
        level, about, arrays = unpack(OF_STEP[9](encoder, trace, name, index))
        recorded = float(trace[name][tuple(index)])
        assert (level, about["step"], about["index"], about["recorded"]) == (9, name, index, short(recorded))
        if about["check"]:
            again = float(about["check"]["again"])
            assert again == pytest.approx(recorded, rel=1e-3, abs=1e-4) or again == recorded
            assert about["check"]["agrees"].startswith("They agree to ")
        for one in about["operands"]:
            value = OF_STEP[9](encoder, trace, one["step"], one["index"])
            assert unpack(value)[1]["recorded"] == one["value"]
        if "terms" in about:
            assert len(about["names"]) == len(arrays["values"].values) == min(500, about["terms"])
            sizes = np.abs(arrays["values"].numbers)
            assert (np.diff(sizes) <= 0).all(), "the largest first"
            first, place = about["lines"][0], int(arrays["places"].values[0])
            at = [place if i is None else i for i in first[1]]
            if first[0] in trace:
                assert arrays["line_0"].values[0] == trace[first[0]][tuple(at)].item()


def again(encoder: TextEncoder, trace: Trace, name: str) -> torch.Tensor | None:
    """A step made anew in float64 from its recorded inputs by PyTorch itself; None of steps that are copies."""
    step, config = trace.step(name), encoder.config
    inputs = [trace[one].double() for one in step.inputs if one in trace]
    of = {key: value.double() for key, value in encoder.model.named_parameters(remove_duplicate=False)}
    first = step.parameters[0] if step.parameters else ""
    if step.operation in ("linear", "matmul") and "H" not in step.shape:
        return functional.linear(inputs[0], of[f"{first}.weight"], of.get(f"{first}.bias"))
    if step.operation in ("linear", "matmul") and step.shape[1] == "n":
        whole = functional.linear(inputs[0], of[f"{first}.weight"], of.get(f"{first}.bias"))
        return whole.unflatten(-1, (config.n_heads, -1)).transpose(0, 1)
    if step.operation == "decode":
        return functional.linear(inputs[0], of[step.parameters[0]], of[step.parameters[1]])
    made: dict[str, Callable[[], torch.Tensor]] = {
        "dot": lambda: inputs[0] @ inputs[1].mT,
        "unscale": lambda: inputs[0] / math.sqrt(config.score_size),
        "softmax": lambda: inputs[0].softmax(-1),
        "weighted_sum": lambda: inputs[0] @ inputs[1],
        "add": lambda: torch.stack(inputs).sum(0),
        "multiply": lambda: inputs[0] * inputs[1],
        "relu": lambda: inputs[0].relu(),
        "gelu": lambda: functional.gelu(inputs[0]),
        "mean": lambda: inputs[0].mean(-1),
        "mean_square": lambda: inputs[0].square().mean(-1),
        "normalize": lambda: (inputs[0] - inputs[1][:, None]) / (inputs[2][:, None] + config.norm_eps).sqrt(),
        "affine": lambda: inputs[0] * of[f"{first}.weight"] + of[f"{first}.bias"],
        "scale": lambda: inputs[0] * math.sqrt(config.d_model),
    }
    return made[step.operation]().detach() if step.operation in made else None


def digits_said(encoder: TextEncoder, trace: Trace, name: str, index: list[int]) -> tuple[str, str, str]:
    """What a drawer says of how far a number agrees, and the two numbers beside it."""
    _, about, _ = unpack(OF_STEP[9](encoder, trace, name, index))
    return about["check"]["agrees"], about["check"]["again"], about["check"]["recorded"]


@pytest.mark.parametrize("model", MODELS)
def test_the_digits_that_a_drawer_says_are_those_that_both_numbers_have(model: str) -> None:
    """Of the number, which may be small where large terms cancel, and not of its terms."""
    encoder, trace = encoder_of(model), trace_of(model, "masked")
    chance = random.Random(model)
    steps = [(name, made) for name in trace if (made := again(encoder, trace, name)) is not None]
    assert len(steps) > 20
    seen = set()
    for name, made in chance.choices(steps, k=14):
        index = [chance.randrange(size) for size in made.shape]
        new, old = float(made[tuple(index)]), float(trace[name][tuple(index)])
        said, first, second = digits_said(encoder, trace, name, index)
        assert float(first) == pytest.approx(new, rel=1e-8) and float(second) == pytest.approx(old, rel=1e-8)
        found = re.match(r"They agree to (\d+) digits?\.", said)
        if found is None:
            equal = said.startswith("They agree to the last bit.")
            assert abs(new - old) <= 1e-15 * abs(new) if equal else abs(new - old) >= 0.0999 * abs(new), (name, said)
            continue
        digits, apart = int(found[1]), abs(new - old)
        seen.add(digits)
        # The last digit that is said is right but for a carry, and one more would not be.
        assert apart <= 10.0**-digits * abs(new) * 1.001, (name, index, said, new, old)
        assert apart >= 10.0 ** -(digits + 1) * abs(new) * 0.999 or apart < 1e-14 * abs(new), (name, index, said)
    assert len(seen) > 1


def test_where_terms_cancel_fewer_digits_are_said() -> None:
    """The smallest number of a map of scores: its products are large, and little is left of them."""
    encoder, trace = encoder_of("base"), trace_of("base", "masked")
    scores = trace["layers.3.attention.scores"]
    index = [int(i) for i in np.unravel_index(int(scores.abs().argmin()), scores.shape)]
    said, _, _ = digits_said(encoder, trace, "layers.3.attention.scores", index)
    assert "nearly cancel" in said and "to 7 digits" not in said


def test_of_what_is_no_number_no_digits_are_said() -> None:
    encoder = encoder_of("small")
    trace = encoder.trace("The cat sat.", edits=(Edit("layers.0.attention.masked", "replace", value=-math.inf),))
    assert torch.isnan(trace["layers.0.attention.weights"]).all()
    assert digits_said(encoder, trace, "layers.0.attention.weights", [0, 1, 1])[0] == "Neither is a number."
    _, about, _ = unpack(OF_STEP[9](encoder, trace, "layers.0.attention.masked", [0, 1, 1]))
    assert about["check"]["recorded"] == "-∞"


def test_a_number_leads_back_to_the_table_of_embeddings() -> None:
    """By the way that a person takes: always the largest of what went in."""
    encoder, trace = encoder_of("small"), trace_of("small", "plain")
    name, index, way = "layers.1.attention.weights", [0, 2, 3], []
    while len(way) < 60:
        _, about, arrays = unpack(OF_STEP[9](encoder, trace, name, index))
        way.append(name)
        some = [(one["step"], one["index"]) for one in about["operands"]]
        if "terms" in about:
            place = int(arrays["places"].values[0])
            some += [(step, [place if i is None else i for i in at]) for step, at in about["lines"]]
        if not some:
            break
        name, index = next((one for one in some if one[0] in trace), some[0])
    assert way[-1] in ("embedding.tokens.weight", "ids", "embedding.positions")
    assert len(way) > 10


def test_what_an_edit_did_to_a_number_is_said() -> None:
    encoder, trace = encoder_of("small"), trace_of("small", "edited")
    _, about, _ = unpack(OF_STEP[9](encoder, trace, "layers.1.attention.heads", [2, 1, 3]))
    assert about["recorded"] == "0" and "head 2" in about["edited"] and not about["check"]["agrees"]


def test_of_a_long_run_the_last_rows_are_left_out_and_it_is_said() -> None:
    encoder = encoder_of("small")
    trace = encoder.trace("word " * 300)
    width = MOST_NUMBERS // 200
    values = trace["layers.0.attention.weights"][0]
    assert values.shape[0] > 200
    _, about, arrays = unpack(OF_STEP[8](encoder, trace, "layers.0.attention.weights", [0]))
    assert about["all"] == values.shape[0]
    assert torch.equal(torch.from_numpy(arrays["numbers"].values.copy()), values[: len(about["rows"])])
    assert len(about["rows"]) * values.shape[1] <= MOST_NUMBERS and width


@in_turn(
    ("level", "step", "index"),
    [
        (8, "layers.0.attention.weights", ()),
        (8, "layers.0.attention.weights", (99,)),
        (8, "layers.0.attention.weights", (-1,)),
        (8, "no.step", ()),
        (8, "", ()),
        (9, "layers.0.attention.weights", (0, 0)),
        (9, "layers.0.attention.weights", (0, 0, 99)),
        (9, "nothing", (0,)),
        (9, "", ()),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(level: int, step: str, index: tuple[int, ...]) -> None:
    with pytest.raises(EncoderError, match=r"\w+ \w+"):
        OF_STEP[level](encoder_of("small"), trace_of("small", "plain"), step, index)
