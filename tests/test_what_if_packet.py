"""Packets of level 7: the run without each part alone, and what edits change, against runs made one by one."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from in_turn import in_turn

from encoder import Edit, EncoderConfig, TextEncoder
from encoder.edits.edit_text import text_to_edits
from encoder.packet.format import unpack
from encoder.packet.what_if_level import level_7, parts_tried
from encoder.trace.trace import Trace
from pages.front.request_fields import RefusedError, RunRequest, read

KEYS = "The keys to the cabinet [MASK] on the table."
BLOCKS = ("attention.output", "feed_forward.output")


def off(layer: int, *steps: str) -> list[Edit]:
    return [Edit(f"layers.{layer}.{step}", "zero") for step in steps]


def parts(layer: int) -> Iterator[list[Edit]]:
    """The attention, the feed-forward and both."""
    yield off(layer, BLOCKS[0])
    yield off(layer, BLOCKS[1])
    yield off(layer, *BLOCKS)


def written(encoder: TextEncoder, trace: Trace, **options: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    level, about, arrays = unpack(level_7(encoder, trace, **options))
    assert level == 7
    return about, {name: one.numbers for name, one in arrays.items()}


@in_turn("model", ["base", "small"])
def test_each_part_alone_gives_the_shares_of_a_run_without_it(model: str, request: pytest.FixtureRequest) -> None:
    encoder: TextEncoder = request.getfixturevalue(model)
    trace = encoder.trace(KEYS)
    gap = trace.tokens.index("[MASK]")
    about, arrays = written(encoder, trace)
    words = [word for word, _ in encoder.predict(trace, 10, [gap])[0]]
    assert about["words"][:10] == words and len(set(about["words"])) == len(about["words"]) <= 64
    now = trace["mlm.probabilities"][gap]
    ids = [encoder.tokenizer.token_to_id(word) for word in about["words"]]
    np.testing.assert_allclose(about["shares"], now[ids], atol=1e-6)
    assert arrays["parts"].shape == (encoder.config.n_layers, 3, len(ids))
    for layer in range(encoder.config.n_layers):
        for column, edits in enumerate(parts(layer)):
            alone = encoder.trace(KEYS, edits=edits)["mlm.probabilities"][gap]
            np.testing.assert_allclose(arrays["parts"][layer, column], alone[ids], atol=1e-5)
            assert set(alone.topk(3).indices.tolist()) <= set(ids)


def test_without_a_guess_it_is_the_output_that_changes() -> None:
    encoder = TextEncoder.from_config(EncoderConfig(n_layers=2, d_model=24, n_heads=3, d_ff=40, vocab_size=16384), 3)
    trace = encoder.trace("The quokka sat.")
    about, arrays = written(encoder, trace)
    assert about["words"] == [] and arrays["change"].shape == (2, 6) and parts_tried(encoder, trace) == 6
    for layer in range(2):
        heads = [[Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,))] for head in range(3)]
        for column, edits in enumerate([*heads, *parts(layer)]):
            apart = encoder.trace("The quokka sat.", edits=edits)["output"] - trace["output"]
            np.testing.assert_allclose(
                arrays["change"][layer, column], apart.norm() / trace["output"].norm(), rtol=1e-4
            )


def test_nothing_is_tried_where_that_would_take_long(base: TextEncoder) -> None:
    about, arrays = written(base, base.trace(KEYS), parts=False)
    assert about["words"] == [] and arrays == {}


@in_turn(
    ("text", "first"),
    [
        ("layers.5.attention.heads:zero:h=6", ("attention.heads", 5)),
        ("layers.3.feed_forward.output:zero;layers.1.attention.heads:zero:h=0-3", ("attention.heads", 1)),
        ("embedding.positions:shift:v=2", ("embedding.positions", None)),
        ("layers.2.attention.scaled:scale:v=1", None),
    ],
)
def test_what_edits_change_is_held_against_the_run_without_them(
    base: TextEncoder, text: str, first: tuple[str, int | None] | None
) -> None:
    plain, trace = base.trace(KEYS), base.trace(KEYS, edits=text_to_edits(text))
    gap = plain.tokens.index("[MASK]")
    about, arrays = written(base, trace)
    assert (about["first"] and (about["first"]["step"], about["first"]["layer"])) == first
    assert len(about["changes"]) == len(text.split(";")) and all(about["changes"])
    before, after = plain["mlm.probabilities"][gap], trace["mlm.probabilities"][gap]
    ids = [base.tokenizer.token_to_id(word) for word in about["words"]]
    assert ids[:10] == before.topk(10).indices.tolist() and set(after.topk(10).indices.tolist()) <= set(ids)
    np.testing.assert_allclose(about["shares"], before[ids], atol=1e-6)
    np.testing.assert_allclose(about["after"], after[ids], atol=1e-6)
    moved = (trace["output"] - plain["output"]).norm(dim=-1) / plain["output"].norm(dim=-1)
    np.testing.assert_allclose(arrays["moved"], moved, atol=1e-6)
    assert about["change"] == pytest.approx(
        float((trace["output"] - plain["output"]).norm() / plain["output"].norm()), abs=1e-6
    )


def test_numbers_that_are_none_leave_a_packet_that_can_be_read(base: TextEncoder) -> None:
    causal = tuple(Edit(f"layers.{i}.attention.masked", "causal") for i in range(base.config.n_layers))
    about, _ = written(base, base.trace(KEYS, edits=causal, hidden=(0,)))
    assert about["after"] == [] and about["change"] is None and about["words"][0] == "are"


def test_a_level_that_there_is_not_is_refused() -> None:
    asked = {"sentence": KEYS, "level": 7}
    assert read(RunRequest, json.dumps(asked).encode()).layer == -1
    for level in (0, 8.5, 99):
        with pytest.raises(RefusedError, match="level"):
            read(RunRequest, json.dumps(asked | {"level": level}).encode())
