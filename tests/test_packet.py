"""Packets hold the numbers of their run, and nothing that is not one is read as one."""

import json
import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from in_turn import in_turn
from packet_runs import CONFIGS, EDITS, MASKED, RUNS, encoder_of, trace_of
from said import PATTERNS, say

from encoder import EncoderError, TextEncoder
from encoder.edits.edit import Edit
from encoder.exam import bundled_exam
from encoder.experiments.attributions.contributions import StreamPart, logit_attribution
from encoder.experiments.attributions.target import Target
from encoder.experiments.circuit.shipped_circuits import circuits_by_content
from encoder.metrics.word_kinds import words_known
from encoder.packet.format import PacketError, Stored, exact, pack, shares, signed, unpack
from encoder.packet.run import MODELS as SIZES
from encoder.packet.run import TOKENS, level_1, level_1_bytes, level_2, level_2_bytes, opening, table
from encoder.packet.shipped import SENTENCES, shipped
from encoder.packet.tempting import tempts
from encoder.pictures.view import EXAMPLES, OTHER
from encoder.support.formatting import percent
from encoder.trace.trace import Trace

ROOT = Path(__file__).parents[1]
MODELS = ("small", *CONFIGS)
HEAD_EDITS = (Edit("mlm.transform", "bypass"), Edit("mlm.activation", "noise", value=3))
CASES = json.loads((ROOT / "tests" / "pattern_cases.json").read_text(encoding="utf-8"))


@cache
def packet_of(model: str, run: str) -> tuple[dict[str, Any], dict[str, Stored]]:
    level, about, arrays = unpack(level_1(encoder_of(model), trace_of(model, run)))
    assert level == 1
    return about, arrays


def within_half_a_step(stored: Stored, values: np.ndarray) -> bool:
    """Whether the packet's numbers are the run's, to half a step of their scale; to the bit where there is none."""
    none = ~np.isfinite(values)
    if stored.scale is None:
        return np.array_equal(stored.values, values, equal_nan=True)
    assert np.array_equal(np.isnan(stored.numbers), none)
    apart = np.abs(stored.numbers - values.astype(np.float64))[~none]
    return stored.values.shape == values.shape and bool((apart <= stored.scale / 2 * (1 + 1e-9)).all())


def of_all_layers(trace: Trace, step: str) -> np.ndarray:
    return np.stack([trace.array(f"layers.{i}.attention.{step}") for i in range(trace.config.n_layers)])


@in_turn("run", RUNS)
@pytest.mark.parametrize("model", MODELS)
def test_the_numbers_are_those_of_the_run_and_the_weights_follow_from_them(model: str, run: str) -> None:
    """A browser does the mask and the softmax again from the header and the scores; it must come to the weights."""
    trace, (about, arrays) = trace_of(model, run), packet_of(model, run)
    assert about["rows"] == list(range(len(trace.tokens)))
    assert arrays["weights"].type == "u16" and arrays["scores"].type == "f32"
    assert within_half_a_step(arrays["weights"], of_all_layers(trace, "weights"))
    before = of_all_layers(trace, "scores").astype(np.float64) / trace.config.score_size**0.5
    if model == "T5":
        before += of_all_layers(trace, "position_bias")
    np.testing.assert_allclose(arrays["scores"].numbers, before, rtol=1e-5, atol=1e-5)
    assert about["tokens"] == trace.tokens
    model_of = about["model"]
    assert [model_of["layers"], model_of["heads"]] == list(arrays["weights"].values.shape[:2])
    assert model_of["heads"] * model_of["d_head"] == model_of["d_model"] == trace["output"].shape[-1]
    scores = arrays["scores"].numbers.copy()
    value = -np.inf if about["mask_value"] is None else about["mask_value"]
    n = scores.shape[-1]
    apart = np.abs(np.arange(n)[:, None] - np.arange(n))
    for layer, window in enumerate(about["windows"]):
        if window is not None:
            scores[layer][:, apart > window] = value
    hidden = [i for i in range(n) if i in about["hidden"] or about["kinds"][i] == "padding"]
    scores[..., hidden] = value
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(arrays["weights"].numbers, powers / powers.sum(-1, keepdims=True), atol=1e-4)


@in_turn("run", RUNS)
@pytest.mark.parametrize("model", MODELS)
def test_the_vectors_of_a_layer_are_those_of_the_run(model: str, run: str) -> None:
    trace, layer = trace_of(model, run), encoder_of(model).config.n_layers - 1
    level, about, arrays = unpack(level_2(trace, layer))
    assert (level, about["layer"]) == (2, layer)
    steps = {"x": "input", "q": "q", "k": "k", "v": "v", "mixed": "heads", "concat": "concat", "output": "output"}
    for name, step in steps.items():
        assert arrays[name].type == "i16"
        assert within_half_a_step(arrays[name], trace.array(f"layers.{layer}.attention.{step}")), name
    turned = model == "ModernBERT"
    assert ("q_rotated" in arrays) == turned
    q, k = (arrays[f"{name}_rotated" if turned else name] for name in ("q", "k"))
    products = q.numbers @ k.numbers.swapaxes(-1, -2)
    size = np.abs(q.numbers).max() * k.scale + np.abs(k.numbers).max() * q.scale
    np.testing.assert_allclose(arrays["products"].numbers, products, atol=size * q.values.shape[-1])
    scaled = trace.array(f"layers.{layer}.attention.scaled")
    np.testing.assert_allclose(arrays["products"].numbers / about["divisor"], scaled, rtol=1e-5, atol=1e-6)


@in_turn("run", RUNS)
@pytest.mark.parametrize("model", MODELS)
def test_the_guesses_are_the_likeliest_words(model: str, run: str) -> None:
    encoder, trace, (about, arrays) = encoder_of(model), trace_of(model, run), packet_of(model, run)
    gaps = [i for i, token in enumerate(trace.tokens) if token == "[MASK]"]
    assert [i for i, kind in enumerate(about["kinds"]) if kind == "mask"] == gaps
    guesses, head = encoder.model.mlm_head is not None, encoder.config.classifier
    if head is not None and not guesses:  # tests/test_label_sums.py
        words = [first for first, _ in about["words"]]
        assert sorted(map(int, about["guesses"])) == (words if head.labelled == "token" else [-1])
        assert about["gap"] == (words[0] if head.labelled == "token" else -1) and "off" in about
        return
    assert about["gap"] == (gaps[0] if gaps else -1)
    assert sorted(map(int, about["guesses"])) == (gaps if guesses else [])
    assert ("off" in about) == ("off" in arrays) == ("moved" not in arrays) == (guesses and bool(gaps))
    for gap, told in about["guesses"].items():
        order = np.argsort(-trace.array("mlm.probabilities")[int(gap)], kind="stable")[:10]
        expected = [
            (encoder.tokenizer.id_to_token(int(i)), float(trace["mlm.probabilities"][int(gap), i])) for i in order
        ]
        np.testing.assert_allclose([share for _, share in told], [share for _, share in expected], atol=1e-6)
        assert {word for word, _ in told} == {word for word, _ in expected}


def ids_of(encoder: TextEncoder, words: list[str]) -> list[int]:
    return [encoder.tokenizer.token_to_id(word) for word in words]


def parts_of(
    encoder: TextEncoder, blocks: str, places: str, arrays: dict[str, Any]
) -> Iterator[tuple[np.ndarray, str]]:
    """What a packet says without some blocks, and without positions, and the step that is zero there."""
    last = encoder.config.n_layers - 1
    for layer, block, name in ((0, 0, "attention"), (0, 1, "feed_forward"), (last, 0, "attention")):
        yield arrays[blocks].values[layer, block], f"layers.{layer}.{name}.output"
    assert (places in arrays) == (encoder.config.positions in ("sinusoidal", "learned"))
    if places in arrays:
        yield arrays[places].values, "embedding.positions"


@pytest.mark.parametrize(
    ("model", "run", "edits"),
    [
        ("small", "masked", ()),
        ("small", "hidden", ()),
        ("small", "edited", EDITS),
        ("small", "padded", ()),
        ("small", "pair", ()),
        ("T5", "masked", ()),
        ("small", "head edited", HEAD_EDITS),
    ],
)
def test_a_guess_without_a_head_is_that_of_a_run_without_it(model: str, run: str, edits: tuple[Edit, ...]) -> None:
    encoder = encoder_of(model)
    trace = trace_of(model, run) if run in RUNS else encoder.trace(MASKED, edits=edits)
    _, about, arrays = unpack(level_1(encoder, trace))
    ids = ids_of(encoder, about["off"]["words"])
    before = trace["mlm.probabilities"][about["gap"], ids].numpy()
    np.testing.assert_allclose(about["off"]["shares"], before, atol=1e-6)
    first = [word for word, _ in about["guesses"][str(about["gap"])]]
    assert about["off"]["words"][: len(first)] == first
    for layer, head in ((0, 1), (1, 2), (encoder.config.n_layers - 1, 0)):
        off = Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,))
        again = encoder.trace(trace.inputs, hidden=trace.hidden, edits=(*trace.edits, off))["mlm.probabilities"]
        found = again[about["gap"]]
        np.testing.assert_allclose(arrays["off"].values[layer, head], found[ids].numpy(), atol=1e-5)
        assert set(found.topk(3).indices.tolist()) <= set(ids)
    for values, step in parts_of(encoder, "parts", "places", arrays):
        off = Edit(step, "zero")
        again = encoder.trace(trace.inputs, hidden=trace.hidden, edits=(*trace.edits, off))["mlm.probabilities"]
        np.testing.assert_allclose(values, again[about["gap"], ids].numpy(), atol=1e-5)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(("model", "text"), [("small", "My dog sleeps."), ("MiniLM", "My dog [MASK].")])
def test_how_far_vectors_move_without_a_head_is_that_of_a_run_without_it(model: str, text: str, padded: bool) -> None:
    encoder = encoder_of(model)
    trace = encoder.trace([text, "The cat chased the mouse of a king."])[0] if padded else encoder.trace(text)
    _, about, arrays = unpack(level_1(encoder, trace))
    n = len(trace.tokens) - trace.padding
    assert "off" not in about and arrays["moved"].values.shape[2] == len(trace.tokens)
    assert not arrays["moved"].values[..., n:].any()
    before = trace.array("output")[:n].astype(np.float64)
    for layer, head in ((0, 1), (encoder.config.n_layers - 1, 0)):
        off = Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,))
        after = encoder.trace(trace.inputs, edits=(off,)).array("output")[:n].astype(np.float64)
        far = [np.sqrt(((b - a) ** 2).sum() / (a**2).sum()) for a, b in zip(before, after, strict=True)]
        np.testing.assert_allclose(arrays["moved"].values[layer, head, :n], far, rtol=1e-3, atol=1e-5)
    for values, step in parts_of(encoder, "moved_parts", "moved_places", arrays):
        after = encoder.trace(trace.inputs, edits=(Edit(step, "zero"),)).array("output")[:n].astype(np.float64)
        far = [np.sqrt(((b - a) ** 2).sum() / (a**2).sum()) for a, b in zip(before, after, strict=True)]
        np.testing.assert_allclose(values[:n], far, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("model", ["small", "T5"])
def test_what_each_head_adds_is_told_where_no_head_was_taken_away(model: str) -> None:
    encoder, trace = encoder_of(model), trace_of(model, "masked")
    _, about, arrays = unpack(level_1(encoder, trace, off=False))
    gap = about["gap"]
    word = int(trace["mlm.probabilities"][gap].argmax())
    sums = logit_attribution(encoder, trace, Target(gap, word))
    for layer, head in np.ndindex(*arrays["adds"].values.shape):
        assert arrays["adds"].values[layer, head] == pytest.approx(sums.of(StreamPart("head", layer, head)), abs=1e-5)
    assert arrays["adds"].values.shape == (encoder.config.n_layers, encoder.config.n_heads)
    assert opening(about, arrays) == np.unravel_index(arrays["adds"].values.argmax(), arrays["adds"].values.shape)
    assert "adds" not in packet_of(model, "masked")[1]
    assert "adds" not in unpack(level_1(encoder, trace_of(model, "plain"), off=False))[2]


def test_a_model_whose_weights_are_random_says_so() -> None:
    assert encoder_of("T5").source.seed is not None and packet_of("T5", "masked")[0]["model"]["untrained"] is True
    assert not {"untrained", "wordless"} & packet_of("small", "masked")[0]["model"].keys()
    assert packet_of("MiniLM", "masked")[0]["model"]["wordless"] is True


def test_a_noun_of_the_other_number_than_the_verb_tempts_and_no_other_word() -> None:
    assert tempts("cabinet", "are") and tempts("Cabinets", "was") and tempts("teachers", "is")
    for before, guess in (("cabinet", "is"), ("keys", "are"), ("the", "are"), ("two", "is"), ("cabinet", "bark")):
        assert not tempts(before, guess), (before, guess)


def test_words_are_whole_and_special_tokens_are_none() -> None:
    about, _ = packet_of("small", "masked")
    assert about["names"] == ["The", "[MASK]", "sat", "on", "unbelievably", "soft", "mats", ",", "and", "[MASK]", "."]
    assert any(count > 1 for _, count in about["words"])
    covered = [i for first, count in about["words"] for i in range(first, first + count)]
    assert covered == [i for i, kind in enumerate(about["kinds"]) if kind in ("word", "mask")]
    assert about["kinds"][0] == about["kinds"][-1] == "special"
    padded, _ = packet_of("small", "padded")
    assert padded["kinds"][-1] == "padding" and padded["kinds"].count("mask") == 1
    pair, _ = packet_of("small", "pair")
    assert (pair["sentence"], pair["second"]) == ("The [MASK] sat.", "A dog ran <b>away</b>.")
    hidden, _ = packet_of("small", "hidden")
    assert hidden["hidden"] == [2, 4]
    assert packet_of("small", "edited")[0]["edits"] == "layers.1.attention.heads:zero:h=2;embedding.positions:zero"


def test_rows_around_a_word_where_all_are_too_many() -> None:
    encoder, trace = encoder_of("base"), trace_of("base", "masked")
    n = len(trace.tokens)
    for around, rows in ((None, [0, 1, 2, 3, 4]), (7, [5, 6, 7, 8, 9]), (n - 1, list(range(n - 5, n)))):
        data = level_1(encoder, trace, off=False, around=around, most_bytes=2 * 48 * n * 5 + 1)
        _, about, arrays = unpack(data)
        assert about["rows"] == rows
        assert within_half_a_step(arrays["weights"], of_all_layers(trace, "weights")[:, :, rows])
        assert np.array_equal(arrays["scores"].values, of_all_layers(trace, "scaled")[:, :, rows])
    assert unpack(level_1(encoder, trace, off=False, around=3, most_bytes=1))[1]["rows"] == [3]
    with pytest.raises(EncoderError):
        level_1(encoder, trace, around=n)
    trace = encoder_of("small").trace("the cat sat " * 30)  # a long run has no scores and no products
    assert set(unpack(level_1(encoder_of("small"), trace, off=False))[2]) == {"weights"}
    assert "products" not in unpack(level_2(trace, 0))[2]


def test_what_an_edit_made_of_weights_and_masks_is_told() -> None:
    encoder = encoder_of("small")
    trace = encoder.trace(MASKED, edits=(Edit("layers.0.attention.weights", "replace", value=2.5),))
    arrays = unpack(level_1(encoder, trace))[2]
    assert arrays["weights"].type == "f32"
    assert np.array_equal(arrays["weights"].values, of_all_layers(trace, "weights"))
    trace = encoder.trace(MASKED, edits=(Edit("layers.0.attention.masked", "causal"),))
    arrays = unpack(level_1(encoder, trace))[2]
    assert np.array_equal(arrays["masked"].values, of_all_layers(trace, "masked"))
    assert arrays["weights"].values[0, 0, 0, 1] == 0


def test_what_is_no_finite_number_stays_none() -> None:
    values = np.array([0.0, 1.0, np.nan, np.inf, -np.inf, 0.25], np.float32)
    none = [False, False, True, True, True, False]
    for stored in (shares(values), signed(values)):
        assert np.isnan(stored.numbers).tolist() == none
        assert within_half_a_step(stored, values)
    for empty in (np.zeros((0, 3), np.float32), np.zeros(4, np.float32), np.full(2, 1e-45, np.float32)):
        assert within_half_a_step(signed(empty), empty)
    trace = encoder_of("small").trace(
        MASKED, edits=(Edit("layers.0.attention.masked", "replace", value=float("-inf")),)
    )
    _, about, arrays = unpack(level_1(encoder_of("small"), trace))
    assert (
        "off" not in about
        and np.isnan(arrays["weights"].numbers).all()
        and all(found == [] for found in about["guesses"].values())
    )


def test_another_model_s_run_is_refused() -> None:
    with pytest.raises(EncoderError, match="another model"):
        level_1(encoder_of("small"), trace_of("base", "masked"))
    with pytest.raises(EncoderError):
        level_2(trace_of("base", "masked"), 6)


@cache
def sample() -> bytes:
    arrays = {"a": shares(np.array([[0.5, 0.25, 1]])), "b": exact(np.arange(5.0)), "c": signed(np.array([-1.0, 2.0]))}
    return pack(1, {"tokens": ["[CLS]", "é", "\U0001f600"], "gap": -1}, arrays)


def test_the_bytes_are_those_of_the_format() -> None:
    data = sample()
    magic, version, level, length, checksum = struct.unpack("<4sHHII", data[:16])
    assert (magic, version, level, checksum) == (b"ENCP", 1, 1, zlib.crc32(data[16:]))
    header = json.loads(data[16 : 16 + length])
    assert length % 8 == 0 and header["tokens"] == ["[CLS]", "é", "\U0001f600"]
    assert header["arrays"]["a"] == {"type": "u16", "shape": [1, 3], "at": 0, "scale": 1 / 65534}
    assert struct.unpack_from("<3H", data, 16 + length) == (32767, 16384, 65534)
    assert header["arrays"]["b"] == {"type": "f32", "shape": [5], "at": 8}
    assert data[16 + length + 6 : 16 + length + 8] == b"\0\0"
    assert struct.unpack_from("<5f", data, 16 + length + 8) == (0, 1, 2, 3, 4)
    assert struct.unpack_from("<2h", data, 16 + length + header["arrays"]["c"]["at"]) == (-16384, 32767)


def refused(data: bytes) -> str:
    """The sentence that refuses these bytes; fails where they are taken, or another exception is raised."""
    with pytest.raises(PacketError) as error:
        unpack(data)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_cut_and_changed_packets_are_refused() -> None:
    data = sample()
    for length in range(1, len(data)):
        assert "cut" in refused(data[:length])
    for i in range(len(data)):
        for bit in range(8):
            refused(data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :])
    for some in (b"", b"PK", b"<!doctype html>" * 9, bytes(64)):
        assert "not a packet" in refused(some)
    assert "version 2" in refused(data[:4] + b"\2\0" + data[6:])
    assert "changed" in refused(data + b"\0")
    draw = random.Random(0)
    for _ in range(300):
        refused(data[: draw.randrange(17)] + draw.randbytes(draw.randrange(200)))


def with_header(header: bytes, body: bytes = bytes(64)) -> bytes:
    rest = header + body
    return struct.pack("<4sHHII", b"ENCP", 1, 1, len(header), zlib.crc32(rest)) + rest


GOOD = {"type": "f32", "shape": [2], "at": 0}


WRONG: list[dict[str, Any]] = [
    *({"shape": shape} for shape in (None, 3, [-1], [True], [1.5], ["2"], [2**40], [0, 2**30, 2**30], [1] * 20, [17])),
    *({"at": at} for at in (None, -8, 4, 1e300, True, "0", 2**70, 64)),
    *({"type": kind} for kind in (None, "f64", [], {}, 1)),
    *({"type": "u16", "scale": scale} for scale in (None, 0, -1, "1", True, [])),
    {"scale": 1.0},
]
NO_HEADERS = [
    *(
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"level": 1}',
        b'{"level": 1, "arrays": []}',
        b"[" * 100_000,
        b"1" * 5000,
    ),
    *(b'{"level": 1, "arrays": {"a": 1}}', b'{"level": 1, "arrays": {}, "x": NaN}', b'{"x": "\\ud800", "arrays": {}}'),
    b'{"level": 1, "arrays": {"a": {"type": "u16", "shape": [1], "at": 0, "scale": 1e999}}}',
    *(b'{"level": 2, "arrays": {}}', b"1" * 5000),
]


def test_headers_that_are_none_or_state_wrong_arrays_are_refused() -> None:
    unpack(with_header(json.dumps({"level": 1, "arrays": {"a": GOOD}}).encode()))
    for wrong in WRONG:
        assert "header" in refused(with_header(json.dumps({"level": 1, "arrays": {"a": GOOD | wrong}}).encode())), wrong
    for header in NO_HEADERS:
        refused(with_header(header))


def test_made_up_headers_raise_nothing_else() -> None:
    draw = random.Random(1)
    values = [None, True, -1, 0, 8, 64, 2**31, 1e-400, 1e999, "f32", "u16", "i16", [], [0], [2, 3], [0] * 9, {}, "a"]
    for _ in range(2000):
        stated = {key: draw.choice(values) for key in ("type", "shape", "at", "scale") if draw.random() < 0.9}
        data = with_header(json.dumps({"level": 1, "arrays": {"a": stated}}).replace("Infinity", "1e999").encode())
        try:
            unpack(data)
        except PacketError:
            continue


@pytest.mark.slow
def test_the_shipped_packets_are_what_is_computed() -> None:
    """Processors differ in the last bits: numbers may differ by a few steps, texts may not."""
    assert set(EXAMPLES) | {OTHER} <= set(SENTENCES)
    assert shipped("Another sentence.") is None
    encoder = encoder_of("base")
    for sentence in SENTENCES:
        data = shipped(sentence)
        assert data is not None
        level, about, arrays = unpack(data)
        _, now, computed = unpack(level_1(encoder, encoder.trace(sentence)))
        assert level == 1 and about["sentence"] == sentence and about["model"]["digest"] == encoder.source.sha256
        for gap, told in about.pop("guesses").items():
            fresh = now["guesses"][gap]
            np.testing.assert_allclose([share for _, share in told], [share for _, share in fresh], atol=1e-5)
            assert told[0][0] == fresh[0][0]
        words = (about.pop("off", {}), now.pop("off", {}))
        assert [*words[0]] == [*words[1]]
        now.pop("guesses")
        assert about == now and set(arrays) == set(computed)
        for name, bound in (("weights", 1e-4), ("scores", 1e-3)):
            assert arrays[name].values.shape == computed[name].values.shape
            np.testing.assert_allclose(arrays[name].numbers, computed[name].numbers, atol=bound)
        if words[0]:
            both = [word for word in words[0]["words"] if word in words[1]["words"]]
            assert words[0]["words"][0] in both and len(both) >= 9
            pick = [[one["words"].index(word) for word in both] for one in words]
            old, new = arrays["off"].numbers[..., pick[0]], computed["off"].numbers[..., pick[1]]
            np.testing.assert_allclose(old, new, atol=1e-4)


def test_the_shipped_packets_are_read_without_torch() -> None:
    code = (
        "import sys; from encoder.packet.shipped import SENTENCES, shipped; from encoder.packet.format import unpack;"
        "[unpack(shipped(one)) for one in SENTENCES]; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_readme_has_the_bytes_of_packets() -> None:
    assert table() in (ROOT / "encoder" / "packet" / "README.md").read_text(encoding="utf-8")
    assert {14, 64, 506} <= set(TOKENS)
    assert {(6, 8, 512), (12, 12, 768), (24, 16, 1024)} <= {(c.n_layers, c.n_heads, c.d_model) for c in SIZES}


@in_turn("count", [1, 60, 100])
def test_the_bytes_of_packets_are_those_counted(count: int) -> None:
    encoder = encoder_of("small")
    trace = encoder.trace("cat " * count)
    n, config = len(trace.tokens), encoder.config
    for most in (2_000_000, 10_000):
        _, _, arrays = unpack(level_1(encoder, trace, off=False, most_bytes=most))
        assert sum(one.values.nbytes for one in arrays.values()) == level_1_bytes(config, n, most)
    assert sum(one.values.nbytes for one in unpack(level_2(trace, 0))[2].values()) == level_2_bytes(config, n)


def test_every_pattern_has_a_case() -> None:
    """That the browser says them so is tried in tests/javascript/say.test.mjs."""
    assert {key for key, _, _ in CASES} == set(PATTERNS)


def test_the_evidence_is_that_of_the_examination() -> None:
    exam = bundled_exam("base")
    assert exam is not None
    _, about, _ = unpack(shipped(SENTENCES[0]) or b"")
    found = about["evidence"]
    made = next(row for row in exam.frames if row.frame == "all frames")
    assert (
        [(one["layer"], one["head"]) for one in found if one["here"]] == [(made.layer, made.head)] * 4 == [(5, 6)] * 4
    )
    said = [say(one["key"], **one["args"]) for one in found]
    assert percent(made.accuracy) in said[0] and percent(made.rule_accuracy) in said[0] and str(made.n) in said[0]
    for row, text in zip((exam.row("gap:between", bank.name) for bank in exam.treebanks), said[1:3], strict=True):
        assert percent(row.accuracy) in text and percent(row.rule_accuracy) in text and str(row.n) in text
        assert not row.passed
    assert said[3] == "So it did not pass." and not made.passed
    jobs = [one for one in found if one["key"] == "exam_job"]
    assert [(one["layer"], one["head"]) for one in jobs] == [row.place for row in exam.jobs()]
    failed = {(one["layer"], one["head"]) for one in found if one["key"] == "exam_not_passed"}
    assert failed == {row.place for row in exam.jobs() if not row.passed} | {(made.layer, made.head)}
    france = unpack(shipped("The capital of France is [MASK].") or b"")[1]
    assert not any(one["here"] for one in france["evidence"])
    edited = unpack(level_1(encoder_of("base"), trace_of("base", "edited"), off=False))[1]
    assert not {"evidence", "carries"} & edited.keys() and packet_of("MiniLM", "masked")[0]["evidence"] == []


def test_what_is_carried_to_a_gap_is_said_where_the_guess_is_an_answer_of_what_was_tried() -> None:
    shipped_ = circuits_by_content(encoder_of("base").source.fingerprint)
    assert shipped_ is not None
    keys, france = (unpack(shipped(one) or b"")[1]["carries"] for one in (SENTENCES[0], SENTENCES[5]))
    first, *others = keys
    natural = shipped_.natural
    assert first["natural"] and natural.heads == ((4, 1), (5, 6))
    assert first["heads"] == [[*head, natural.each[head]] for head in natural.heads]
    assert (first["share"], first["count"]) == (natural.share, natural.pairs)
    assert first["tells"] == "whether the subject is one or many"
    assert [one["count"] for one in others] == [shipped_.constructed["number"].pairs]
    capital = shipped_.constructed["capital"]
    heads = [[*head, capital.each[head]] for head in capital.heads]
    assert [(one["heads"], one["share"]) for one in france] == [(heads, capital.share)]
    assert not any("carries" in unpack(shipped(one) or b"")[1] for one in SENTENCES[2:5])
    assert "carries" not in packet_of("MiniLM", "masked")[0]


def test_what_start_says_is_so() -> None:
    """The claims of the first page about its own sentence, read from the packet and found again in runs."""
    encoder = encoder_of("base")
    _, about, arrays = unpack(shipped(SENTENCES[0]) or b"")
    gap, keys = about["gap"], about["tokens"].index("keys")
    trace = encoder.trace(SENTENCES[0])
    weight = float(trace["layers.5.attention.weights"][6, gap, keys])
    assert percent(float(arrays["weights"].numbers[5, 6, gap, keys])) == percent(weight) == "89 %"
    lost = about["off"]["shares"][0] - arrays["off"].numbers[..., 0]
    assert np.unravel_index(lost.argmax(), lost.shape) == (5, 6)
    assert torch.allclose(torch.tensor(lost[4, 1]), torch.tensor(lost[5, 6]), rtol=0.05)


def test_what_a_reader_must_know_of_a_text_goes_with_the_run(small: TextEncoder) -> None:
    def notes(text: str) -> list[str] | None:
        found: list[str] | None = unpack(level_1(small, small.trace(text), off=False))[1].get("notes")
        return found

    assert notes("The cat sat on the mat.") is None
    known, english = notes("La casa blanca duerme tranquilamente") or []
    assert known == words_known(small.tokenize("La casa blanca duerme tranquilamente")).sentence != ""
    assert english == "It learned from English alone."
    foreign, english, unknown = notes("我喜欢吃苹果") or []
    lost = small.trace("我喜欢吃苹果").tokens.count("[UNK]")
    assert lost and unknown == f"{lost} word{'s' * (lost > 1)} {'are' if lost > 1 else 'is'} unknown to the model."
    assert foreign.startswith("This text is not in Latin letters, but the model's vocabulary is")
    assert foreign not in (notes("I said 你好 to the old man") or [])
    (cut,) = notes("The old man and the sea were friends. " * 75) or []
    dropped = small.trace("The old man and the sea were friends. " * 75).dropped
    assert cut == f"The model reads 512 tokens and no more: {dropped} at the end are left out." and dropped > 90
