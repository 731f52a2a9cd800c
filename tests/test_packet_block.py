"""The packet of a layer's sums, norms and units holds the numbers of its run, and stays small where that is long."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from in_turn import in_turn
from packet_runs import EDITS, MASKED, SIZE
from shared_models import pretrained

from encoder import PRESETS, EncoderConfig, EncoderError, TextEncoder
from encoder.packet.block_level import MOST_BYTES, bytes_of_a_row, level_3
from encoder.packet.format import Stored, unpack
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
    assert arrays["silent"].numbers.tolist() == (after == 0).sum(-1).tolist()
    assert about["units"]["never"] == pytest.approx((after == 0).all(0).mean())
    assert about["units"]["gated"] == ("gated" in arrays) and about["units"]["activation"] == trace.config.activation


def test_a_token_far_longer_than_the_others_takes_none_of_their_digits() -> None:
    trace, (_, arrays) = trace_of("base", "plain"), packet_of("base", "plain", 3)
    lengths = arrays["sum_length_2"].numbers
    assert lengths.max() > 20 * np.median(lengths)
    sent, _ = values(arrays, "sum_2", "sum_peak_2")
    recorded, short = trace.array("layers.3.add_norm_2.sum"), int(np.argmin(lengths))
    assert np.abs(sent[short] - recorded[short]).max() < 1e-4 * np.abs(recorded[short]).max()


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
