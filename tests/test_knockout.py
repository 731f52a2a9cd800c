"""Knocking parts out in batches gives what one edit after the other gives, and does no more work than it has to."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from in_turn import in_turn
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from torch import nn

from encoder import Edit, EncoderConfig, TextEncoder, Trace
from encoder.experiments.ablation import Effect, Outcome, Progress, WatchedWord, ablate_each, grid, knock_outs, outcomes

pytestmark = pytest.mark.slow

SARA = "Keys on the [MASK] belong to Sara."
SAME = 1e-5


def alone(encoder: TextEncoder, before: Trace, edit: Edit, watch: WatchedWord | None) -> Effect:
    """The effect of one edit, by one ordinary run."""
    after = encoder.trace(before.text, hidden=before.hidden, edits=(*before.edits, edit))
    n = len(after.tokens)
    x, y = before["output"][:n].double(), after["output"].double()
    cosine = (x * y).sum(-1) / (x.norm(dim=-1) * y.norm(dim=-1))
    found = None
    if watch:
        logs = [t["mlm.logits"][watch.position].double().softmax(-1)[watch.token].log() for t in (before, after)]
        found = float(logs[1] - logs[0])
    return Effect(edit, float((y - x).norm() / x.norm()), float(cosine.mean()), found)


def last(sweep: Sequence[Progress]) -> tuple[Effect, ...]:
    """What a sweep found when it was done."""
    *_, end = sweep
    assert end.done == end.total == len(end.effects)
    return end.effects


def assert_same(found: Sequence[Effect], expected: Sequence[Effect]) -> None:
    """The same edits in the same order, with the same effects."""
    assert [effect.edit for effect in found] == [effect.edit for effect in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.relative_change == pytest.approx(other.relative_change, abs=SAME), one.edit
        assert one.cosine == pytest.approx(other.cosine, abs=SAME), one.edit
        assert one.log_probability == pytest.approx(other.log_probability, abs=SAME), one.edit


# The same as one by one


def test_every_head_and_every_feed_forward_as_alone(small: TextEncoder) -> None:
    encoder, trace = small, small.trace(SARA)
    watch = WatchedWord(4, encoder.tokenizer.token_to_id("table"))
    found = last(list(ablate_each(encoder, trace, watch=watch)))
    edits = knock_outs(encoder.config)
    assert len(found) == encoder.config.n_layers * (encoder.config.n_heads + 1)
    assert_same(found, [alone(encoder, trace, edit, watch) for edit in edits])
    assert max(effect.relative_change for effect in found) > 0.05
    assert min(effect.log_probability for effect in found) < -0.1
    board = grid(found, encoder.config)
    for layer, head in ((0, 1), (2, 3)):
        effect = alone(encoder, trace, Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,)), watch)
        assert board[layer, head].item() == pytest.approx(effect.relative_change, abs=SAME)
    effect = alone(encoder, trace, Edit("layers.1.feed_forward.output", "zero"), watch)
    assert board[1, -1].item() == pytest.approx(effect.relative_change, abs=SAME)


@in_turn("config", [VARIANTS[name] for name in COVERING])
def test_every_variant_as_alone(config: EncoderConfig) -> None:
    encoder = tiny(config)
    trace = encoder.trace(SENTENCE, hidden=(3,))
    watch = WatchedWord(2, 7) if config.mlm_head else None
    found = last(list(ablate_each(encoder, trace, watch=watch, action="mean")))
    assert_same(found, [alone(encoder, trace, edit, watch) for edit in knock_outs(config, action="mean")])


OWN = (
    Edit("embedding.positions", "shuffle", value=3),
    Edit("layers.0.attention.heads", "zero", heads=(1,)),
    Edit("layers.1.attention.scaled", "bypass"),
    Edit("layers.1.add_norm_1.residual", "bypass", positions=(1,)),
    Edit("mlm.norm.normalized", "scale", positions=(2,), value=0.5),
)


def test_on_top_of_the_traces_own_edits() -> None:
    encoder, watch = tiny(replace(TINY, n_layers=3, mlm_head=True)), WatchedWord(2, 7)
    trace = encoder.trace(SENTENCE, hidden=(4,), edits=OWN)
    found = last(list(ablate_each(encoder, trace, watch=watch)))
    assert_same(found, [alone(encoder, trace, edit, watch) for edit in knock_outs(encoder.config)])
    again = next(effect for effect in found if effect.edit == OWN[1])
    assert again.relative_change == pytest.approx(0, abs=1e-6)


def test_a_padded_trace_counts_its_own_tokens_only() -> None:
    encoder, watch = tiny(VARIANTS["mlm-head"]), WatchedWord(2, 7)
    padded, _ = encoder.trace(["w1 w2 w5", f"{SENTENCE} w6"], hidden=(1,))
    assert padded.padding == 3
    whole = encoder.trace("w1 w2 w5", hidden=(1,))
    found = last(list(ablate_each(encoder, padded, watch=watch, action="mean")))
    assert_same(found, [alone(encoder, whole, edit, watch) for edit in knock_outs(encoder.config, action="mean")])


ANYWHERE = [
    Edit("embedding.tokens", "zero", positions=(2,)),
    Edit("embedding.output", "patch", value="w9 w8 w7 w6 w5"),
    Edit("layers.1.output", "zero", positions=(1,)),
    Edit("layers.0.add_norm_1.residual", "bypass"),
    Edit("layers.0.attention.masked", "causal"),
    Edit("final_norm.normalized", "bypass"),
    Edit("output", "bypass", positions=(1, 2)),
    Edit("mlm.transform", "bypass", positions=(3,)),
    Edit("mlm.logits", "scale", value=2),
]


@in_turn("norm_first", [False, True])
def test_edits_before_and_after_the_layers(norm_first: bool) -> None:
    """Each alone, in batches, is what its own run gives."""
    encoder = tiny(replace(TINY, norm_first=norm_first, final_norm=True, mlm_head=True))
    trace, watch = encoder.trace(SENTENCE), WatchedWord(3, 11)
    found: list[Outcome] = [outcome for chunk in outcomes(encoder, trace, ANYWHERE, watch, 16) for outcome in chunk]
    assert [outcome.edit for outcome in found] == ANYWHERE
    for outcome in found:
        after = encoder.trace(SENTENCE, edits=[outcome.edit])
        expected = float(after["mlm.logits"][3].double().log_softmax(-1)[11])
        assert float((outcome.output - after["output"]).abs().max()) <= SAME
        assert outcome.log_probability == pytest.approx(expected, abs=SAME)


def test_a_sentence_is_run_first(small: TextEncoder) -> None:
    found = last(list(ablate_each(small, SARA, ("attention.output",))))
    assert_same(found, last(list(ablate_each(small, small.trace(SARA), ("attention.output",)))))
    assert [effect.edit.step for effect in found] == [f"layers.{i}.attention.output" for i in range(4)]
    assert {effect.log_probability for effect in found} == {None}


# Progress


def test_progress_goes_forward_by_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many tokens there are fewer runs in a forward."""
    encoder = tiny(TINY)
    whole = last(list(ablate_each(encoder, SENTENCE)))
    for batch, steps in ((1, [1] * 8), (3, [3, 1, 3, 1]), (4, [4, 4]), (16, [4, 4])):
        seen = list(ablate_each(encoder, SENTENCE, batch=batch))
        assert [(p.done, p.total) for p in seen] == [(sum(steps[:i]), 8) for i in range(len(steps) + 1)]
        for earlier, later in pairwise(seen):
            assert later.effects[: earlier.done] == earlier.effects
        assert_same(seen[-1].effects, whole)
    monkeypatch.setattr("encoder.experiments.ablation.TOKENS", 15)
    assert [p.done for p in ablate_each(encoder, SENTENCE)] == [0, 2, 4, 6, 8]


def test_layers_before_the_edit_are_not_run_again_and_cancelling_stops() -> None:
    encoder = tiny(replace(TINY, n_layers=3))
    ran: list[int] = []

    def count(number: int) -> None:
        def hook(layer: nn.Module, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
            ran.append(number)

        encoder.model.layers[number].register_forward_hook(hook)

    trace = encoder.trace(SENTENCE)
    for i in range(3):
        count(i)
    sweep = ablate_each(encoder, trace)
    assert ran == []
    assert next(sweep) == Progress(0, 12, ())
    assert ran == []
    assert not torch.is_inference_mode_enabled()
    assert next(sweep).done == 4
    assert ran == [0, 1, 2]
    assert not torch.is_inference_mode_enabled()
    sweep.close()
    assert ran == [0, 1, 2]
    list(ablate_each(encoder, trace))
    assert ran[3:] == [0, 1, 2, 1, 2, 2]


# The map


def test_the_map_has_a_column_for_each_head_and_one_for_the_layer() -> None:
    encoder = tiny(VARIANTS["mlm-head"])
    found = last(list(ablate_each(encoder, SENTENCE, watch=WatchedWord(1, 5))))
    for measure in ("relative_change", "cosine", "log_probability"):
        table = grid(found, encoder.config, measure)
        assert table.shape == (2, 4)
        expected = torch.tensor([getattr(effect, measure) for effect in found]).view(2, 4)
        assert torch.equal(table, expected)
    half = grid(found[:5], encoder.config)
    assert half.isnan().tolist() == [[False] * 4, [False, True, True, True]]
    assert bool(grid(last(list(ablate_each(encoder, SENTENCE))), encoder.config, "log_probability").isnan().all())


# What cannot be


def test_what_cannot_be_asked(small: TextEncoder) -> None:
    encoder = tiny(TINY)
    trace, worded = encoder.trace(SENTENCE), tiny(VARIANTS["mlm-head"])
    cases = [
        (lambda: ablate_each(small, trace), r"the trace is of another model \(tiny\) than this one \(small\)"),
        (lambda: ablate_each(encoder, trace, ("attention.head",)), "no step of a layer is called 'attention.head'"),
        (lambda: ablate_each(encoder, trace, action="scale"), "value is None; scale takes a number"),
        (lambda: ablate_each(encoder, trace, action="drop"), "action is 'drop'; it must be one of"),
        (lambda: ablate_each(encoder, trace, action="causal"), "cannot be causal"),
        (lambda: ablate_each(encoder, trace, batch=0), "batch is 0; it must be 1 or more"),
        (lambda: ablate_each(encoder, trace, watch=WatchedWord(1, 1)), "this model has no head that guesses words"),
        (
            lambda: ablate_each(worded, SENTENCE, watch=WatchedWord(7, 1)),
            r"watch is \(7, 1\); positions go from 0 to 6, words from 0 to 52",
        ),
        (lambda: ablate_each(worded, SENTENCE, watch=WatchedWord(1, 53)), r"watch is \(1, 53\); positions"),
    ]
    for ask, message in cases:
        with pytest.raises(ValueError, match=message):
            ask()


def test_what_is_no_number_stays_none(small: TextEncoder) -> None:
    edits = [Edit("layers.0.attention.masked", "replace", positions=(1,), value=-math.inf)]
    found = last(list(ablate_each(small, small.trace(SARA, edits=edits), ("attention.output",))))
    assert all(math.isnan(effect.relative_change) for effect in found)
