"""The packet of a layer's sums, norms and units holds the numbers of its run, and stays small where that is long."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from in_turn import in_turn
from packet_runs import EDITS, MASKED, SIZE
from shared_models import pretrained

from encoder import PRESETS, Edit, EncoderConfig, EncoderError, TextEncoder
from encoder.atlas.atlas_reader import Firing
from encoder.experiments.attributions.target import Target
from encoder.experiments.attributions.units import unit_sum
from encoder.packet.block_level import MOST_BYTES, bytes_of_a_row, level_3
from encoder.packet.format import Stored, unpack
from encoder.packet.rival import rival_of
from encoder.packet.run import shown_word
from encoder.packet.unit_level import around, level_11
from encoder.trace.trace import Trace

SMALL = EncoderConfig(n_layers=2, d_model=60, n_heads=3, d_ff=110, **SIZE)
CONFIGS = {
    "GELU": replace(SMALL, activation="gelu", norm_first=True, final_norm=True),
    "RMS": replace(SMALL, norm="rms_norm", activation="silu"),
    "std": replace(SMALL, norm="std_norm", norm_eps=1e-3, activation="gelu_tanh"),
    "ModernBERT": replace(PRESETS["modern"], n_layers=2, d_model=56, n_heads=7, d_ff=66, window=2, **SIZE),
}
MODELS = ("base", *CONFIGS)
LAST = {"residual": "residual", "sum": "sum", "normalized": "normalized", "normed": "output"}


@cache
def encoder_of(model: str) -> TextEncoder:
    return pretrained(model) if model not in CONFIGS else TextEncoder.from_config(CONFIGS[model], 3, name=model)


@cache
def trace_of(model: str, run: str) -> Trace:
    return encoder_of(model).trace(MASKED, edits=EDITS if run == "edited" else ())


def packet_of(model: str, run: str, layer: int) -> tuple[dict[str, Any], dict[str, Stored]]:
    level, about, arrays = unpack(level_3(encoder_of(model), trace_of(model, run), layer))
    assert (level, about["layer"]) == (3, layer)
    return about, arrays


def values(arrays: dict[str, Stored], name: str, peak: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers that a reader makes of an array, and how far each may be from the run's own."""
    peaks = arrays[peak].numbers[:, None]
    assert arrays[name].type == "i16"
    return arrays[name].numbers * peaks, np.broadcast_to(peaks / 32767, arrays[name].values.shape)


@in_turn("run", ["plain", "edited"])
@pytest.mark.parametrize("model", MODELS)
def test_the_vectors_of_both_sums_are_those_of_the_run(model: str, run: str) -> None:
    trace, (about, arrays) = trace_of(model, run), packet_of(model, run, 1)
    assert about["rows"] == list(range(len(trace.tokens))) and about["pre_norm"] == trace.config.norm_first
    for n, sublayer in ((1, "attention"), (2, "feed_forward")):
        steps = {name: f"layers.1.add_norm_{n}.{step}" for name, step in LAST.items()}
        for name, step in (steps | {"added": f"layers.1.{sublayer}.output"}).items():
            sent, within = values(arrays, f"{name}_{n}", f"{name}_peak_{n}")
            recorded = trace.array(step)
            assert (np.abs(sent - recorded) <= within).all(), name
            np.testing.assert_allclose(
                arrays[f"{name}_length_{n}"].numbers, np.linalg.norm(recorded, axis=-1), rtol=1e-5, err_msg=name
            )


@pytest.mark.parametrize("model", MODELS)
def test_a_norm_follows_from_what_the_packet_says(model: str) -> None:
    """A browser does the norm again from the header and the arrays; it must come to what was recorded."""
    for layer in (0, 1):
        about, arrays = packet_of(model, "plain", layer)
        for n in (1, 2):
            norm, before = about["sums"][f"add_norm_{n}"], "residual" if about["pre_norm"] else "sum"
            x, _ = values(arrays, f"{before}_{n}", f"{before}_peak_{n}")
            recorded, _ = values(arrays, f"normed_{n}", f"normed_peak_{n}")
            if norm["kind"] == "none":
                assert model == "ModernBERT" and (layer, n) == (0, 1)
                np.testing.assert_allclose(recorded, x, atol=1e-3)
                continue
            rms = norm["kind"] == "rms_norm"
            centred = x - (0 if rms else arrays[f"mean_{n}"].numbers[:, None])
            variance = arrays[f"mean_square_{n}" if rms else f"variance_{n}"].numbers[:, None]
            outside = norm["kind"] == "std_norm"
            spread = np.sqrt(variance) + norm["eps"] if outside else np.sqrt(variance + norm["eps"])
            beta = arrays[f"beta_{n}"].numbers if f"beta_{n}" in arrays else 0
            made = centred / spread * arrays[f"gamma_{n}"].numbers + beta
            np.testing.assert_allclose(made, recorded, atol=2e-3 * float(np.abs(recorded).max()))


@in_turn("run", ["plain", "edited"])
@pytest.mark.parametrize("model", MODELS)
def test_the_units_and_their_counts_are_those_of_the_run(model: str, run: str) -> None:
    trace, (about, arrays) = trace_of(model, run), packet_of(model, run, 0)
    for name in ("hidden", "activation", *(("up", "gated") if trace.config.gated else ())):
        sent, within = values(arrays, name, f"{name}_peak")
        assert (np.abs(sent - trace.array(f"layers.0.feed_forward.{name}")) <= within).all(), name
    after = trace.array("layers.0.feed_forward.activation")
    assert arrays["firing"].numbers.tolist() == (after > 0).sum(-1).tolist()
    assert about["units"]["gated"] == ("gated" in arrays) and about["units"]["activation"] == trace.config.activation


def test_units_are_told_with_what_they_add_where_a_guess_means_something() -> None:
    encoder = encoder_of("base")
    trace = encoder.trace("The [MASK] to the cabinet [MASK] on the table.")
    _, about, arrays = unpack(level_3(encoder, trace, 4))
    assert [gap for gap, *_ in about["leads"]] == [2, 6]
    for k, (gap, word, over) in enumerate(about["leads"]):
        ids = [encoder.tokenizer.token_to_id(name) for name in (word, over)]
        first, second = trace["mlm.logits"][gap].topk(2).indices.tolist()
        assert ids == [first, encoder.tokenizer.token_to_id("is") if word == "are" else second]
        found = unit_sum(encoder, trace, Target(gap, *ids), 4)
        within = float(arrays["adds_peak"].numbers[k]) / 32767
        assert np.abs(arrays["adds"].numbers[k] * arrays["adds_peak"].numbers[k] - found.adds.numpy()).max() <= within
        assert arrays["adds_total"].numbers[k] == pytest.approx(found.total, abs=1e-6)
    silent = [
        (encoder, encoder.trace("The cat sat.")),  # no gap
        (encoder, encoder.trace(MASKED, edits=[Edit("layers.4.feed_forward.output", "zero")])),  # writes nothing
        (encoder, encoder.trace(MASKED, edits=[Edit("layers.2.output", "scale", value=3e38)])),  # no number
    ]
    for one, run in silent:
        _, about, arrays = unpack(level_3(one, run, 4))
        assert about["leads"] == [] and "adds" not in arrays
    for model in CONFIGS:  # random weights, or no head for words
        about, arrays = packet_of(model, "plain", 1)
        assert about["leads"] == [] and "adds" not in arrays


def test_a_guess_leads_another_word_and_not_its_own_in_other_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = encoder_of("base")
    trace = encoder.trace(MASKED)
    first, second, third = trace["mlm.logits"][trace.tokens.index("[MASK]")].topk(3).indices.tolist()
    names = {first: "Are", second: "are", third: "was"}
    monkeypatch.setattr("encoder.packet.rival.shown_word", lambda _, token: names.get(token, str(token)))
    _, about, _ = unpack(level_3(encoder, trace, 5))
    assert about["leads"][0][2] == shown_word(encoder, third)


def test_a_guess_leads_a_whole_word_where_one_is_near(base: TextEncoder) -> None:
    trace = base.trace("The brave [MASK] climbed the steep mountain.")
    gap = trace.tokens.index("[MASK]")
    best = [base.tokenizer.id_to_token(i) for i in trace["mlm.logits"][gap].topk(4).indices.tolist()]
    assert best[1].startswith("##") and base.tokenizer.id_to_token(rival_of(base, trace, gap)) == "girl"


@pytest.mark.parametrize("model", ["base", "GELU", "ModernBERT"])
def test_the_weights_of_units_are_those_of_the_model(model: str) -> None:
    encoder, trace = encoder_of(model), trace_of(model, "plain")
    block, config = encoder.model.layers[1].feed_forward, encoder.config
    given = trace.array(f"layers.1.feed_forward.{'gated' if config.gated else 'activation'}")[3]
    strength = np.abs(given) if config.gated else given
    best, last = np.argsort(-strength, kind="stable")[:4].tolist(), int(strength.argmin())
    for unit, wanted in ((best[1], best), (last, [*best, last])):
        level, about, arrays = unpack(level_11(encoder, trace, "layers.1.feed_forward.hidden", (3, unit)))
        assert (level, about["units"], about["index"]) == (11, wanted, [3, unit])
        assert set(arrays) >= {"into_hidden", "out"} and ("into_up" in arrays) == config.gated
        assert ("bias_hidden" in arrays) == (config.feed_forward_bias == "both")
        for name, weights in {"into_hidden": block.w_1.weight[wanted], "out": block.w_2.weight[:, wanted].T}.items():
            sent, within = values(arrays, name, f"{name}_peak")
            assert (np.abs(sent - weights.detach().numpy()) <= within).all(), name
        if config.gated:
            sent, within = values(arrays, "into_up", "into_up_peak")
            assert (np.abs(sent - block.w_up.weight.detach().numpy()[wanted]) <= within).all()
        assert len(about["contexts"]) == (3 if model == "base" else 0)
    for step, index in (
        ("layers.1.feed_forward.hidden", (3,)),
        ("layers.9.feed_forward.hidden", (3, 1)),
        ("x", (3, 1)),
    ):
        with pytest.raises(EncoderError, match="a unit is one of"):
            level_11(encoder, trace, f"layers.{step}", index)
    for index in ((99, 1), (3, config.d_ff)):
        with pytest.raises(EncoderError):
            level_11(encoder, trace, "layers.1.feed_forward.hidden", index)


def test_contexts_are_sentences_of_the_atlas_with_the_word_at_which_the_unit_fires() -> None:
    encoder, trace = encoder_of("base"), trace_of("base", "plain")
    for layer, unit in ((0, 189), (1, 1539), (4, 466), (5, 888)):
        _, about, _ = unpack(level_11(encoder, trace, f"layers.{layer}.feed_forward.hidden", (3, unit)))
        told = about["contexts"]
        assert len({"".join(one) for one in told}) == len(told) == 3
        before, word, _ = told[0]
        run = encoder.trace("".join(told[0]))
        fires = run[f"layers.{layer}.feed_forward.activation"][:, unit]
        fires = fires.masked_fill(torch.tensor(run.tokenization.special), -1)  # an atlas tells of words
        at = run.tokenization.spans[int(fires.argmax())]
        assert len(before) <= at[0] < at[1] <= len(before) + len(word), (layer, unit, told[0])


def test_a_long_context_is_cut_between_words() -> None:
    encoder = encoder_of("base")
    words = [f"{'abcdefghij'[: 1 + i % 10]}" for i in range(40)]
    text = " ".join([*words, "keys", *words])
    tokens = encoder.tokenize(text)
    at = next(i for i, (start, _) in enumerate(tokens.spans) if start >= text.index("keys"))
    before, word, after = around(encoder, text, Firing(sentence=0, position=at, token="keys", value=1.0, decile=0))
    assert word == "keys" and before.startswith("… ") and after.endswith(" …")
    assert f" {text} ".count(f" {before[2:]}keys{after[:-2]} ") == 1


def test_a_long_run_is_sent_around_its_gap_and_stays_small() -> None:
    encoder = encoder_of("base")
    trace = encoder.trace("the cat sat on the mat and " * 40 + "the [MASK] slept " + "while the dog ran " * 40)
    gap = trace.tokens.index("[MASK]")
    packet = level_3(encoder, trace, 2)
    _, about, arrays = unpack(packet)
    rows = about["rows"]
    assert gap in rows and len(rows) < len(trace.tokens) and rows == list(range(rows[0], rows[-1] + 1))
    assert len(rows) * bytes_of_a_row(encoder.config) <= MOST_BYTES < len(packet) < 1.1 * MOST_BYTES
    assert arrays["sum_length_1"].values.shape == (len(trace.tokens),)
    sent, within = values(arrays, "hidden", "hidden_peak")
    assert (np.abs(sent - trace.array("layers.2.feed_forward.hidden")[rows]) <= within).all()


def test_what_is_no_layer_or_another_model_is_refused() -> None:
    encoder, trace = encoder_of("base"), trace_of("base", "plain")
    with pytest.raises(EncoderError, match="layer"):
        level_3(encoder, trace, 6)
    with pytest.raises(EncoderError):
        level_3(encoder_of("GELU"), trace, 0)
