"""What the browser makes of a packet, stop by stop, is what the run recorded: hidden, far, padded, changed or plain."""

import base64
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from made_once import level_1
from playwright.sync_api import Page

from encoder import PRESETS, Edit, EncoderConfig, TextEncoder, Trace
from encoder.packet.format import unpack
from encoder.packet.run import level_2

SIZE = {"vocab_size": 16384, "max_positions": 64}
BERT = EncoderConfig(
    n_layers=2,
    d_model=60,
    n_heads=5,
    d_ff=110,
    positions="learned",
    n_segments=2,
    embedding_norm=True,
    scale_embeddings=False,
    mlm_head=True,
    **SIZE,
)
CONFIGS = {
    "bert": BERT,
    "finite": replace(BERT, mask_value=-1e9),
    "windows": replace(PRESETS["modern"], n_layers=4, d_model=56, n_heads=7, d_ff=66, window=2, **SIZE),
    "distances": EncoderConfig(
        n_layers=2, d_model=48, n_heads=3, d_ff=77, positions="none", position_buckets=32, **SIZE
    ),
    "disentangled": EncoderConfig(
        n_layers=2, d_model=48, n_heads=3, d_ff=77, positions="none", distance_scores="both", distance_span=8, **SIZE
    ),
}
TEXT = "The [MASK] sat on unbelievably soft mats, and slept."
SCORES = (
    Edit("layers.0.attention.scaled", "scale", value=3.0, heads=(1,)),
    Edit("layers.1.attention.masked", "causal"),
    Edit("layers.1.attention.masked", "replace", value=0.5, heads=(2,), positions=(3,)),
)
RUNS: dict[str, tuple[str, Callable[[TextEncoder], Trace]]] = {
    "hidden": ("bert", lambda encoder: encoder.trace(TEXT, hidden=(2, 4))),
    "hidden by a finite number": ("finite", lambda encoder: encoder.trace(TEXT, hidden=(2, 4))),
    "padded": ("bert", lambda encoder: encoder.trace([TEXT * 2, "The [MASK] sat."])[1]),
    "windowed and hidden": ("windows", lambda encoder: encoder.trace(TEXT, hidden=(2, 3, 4, 5, 6))),
    "window changed": ("windows", lambda encoder: encoder.trace(TEXT, edits=WINDOWED)),
    "distances": ("distances", lambda encoder: encoder.trace(TEXT, hidden=(3,))),
    "scores of distances": ("disentangled", lambda encoder: encoder.trace(TEXT)),
    "scores changed": ("bert", lambda encoder: encoder.trace(TEXT, edits=SCORES)),
    "nothing left to see": ("bert", lambda encoder: encoder.trace(TEXT, hidden=(0, 1, 2, 3), edits=SCORES[1:2])),
    "weights changed": ("bert", lambda encoder: encoder.trace(TEXT, hidden=(2,), edits=WEIGHTS)),
    "pair": ("bert", lambda encoder: encoder.trace(("The [MASK] sat.", "A dog ran <b>away</b>."))),
}
WINDOWED = (Edit("layers.1.attention.windowed", "replace", value=1.25, positions=(4,)),)
WEIGHTS = (
    Edit("layers.0.attention.weights", "replace", value=2.5, heads=(1,)),
    Edit("layers.1.attention.weights", "scale", value=-1.0, heads=(2,)),
)
STEPS = ("input", "q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output")
ARRAYS = {"input": "x", "heads": "mixed"}
OWN = ("q", "k", "v", "scores", "scaled", "masked", "weights", "heads")
# For every head of a layer: of each stop its numbers, and of each row whether its arithmetic comes to what was
# recorded; and the weights at a temperature.
READ = """async ([first, second, layer, temperature]) => {
  const names = ['packet', 'steps_of_attention', 'number_strips', 'row']
  const [{ read }, { STOPS }, { numbersOf }, { tableOf }] = await Promise.all(
    names.map(name => import(`/encoder/browser/${name}.js`)))
  const bytes = text => Uint8Array.from(atob(text), one => one.charCodeAt(0))
  const text = values => btoa(String.fromCharCode(...new Uint8Array(values.buffer)))
  const run = read(bytes(first)), vectors = read(bytes(second)), softmax = STOPS.find(stop => stop.key === 'softmax')
  return Array.from({ length: run.about.model.heads }, (_, head) => {
    const chosen = { layer, head, temperature: 1 }
    return [Object.fromEntries(STOPS.map(stop => {
      const { columns, values } = numbersOf(stop, run, vectors, chosen)
      const tables = run.about.rows.map((_, row) => tableOf(stop, run, vectors, chosen, { row, column: 0 }))
        .map(({ agrees, check }) => ({ agrees, check }))
      return [stop.step.replace('attention.', ''), { columns, values: text(values), tables }]
    })), text(numbersOf(softmax, run, vectors, { ...chosen, temperature }).values)]
  })
}"""


@cache
def encoder_of(model: str) -> TextEncoder:
    """A model whose weights are so large that its heads are sure of something."""
    encoder = TextEncoder.from_config(CONFIGS[model], 3, name=model)
    with torch.no_grad():
        for name, tensor in encoder.model.named_parameters():
            if ".w_" in name and tensor.dim() == 2:
                tensor.mul_(8)
    return encoder


@cache
def trace_of(run: str) -> Trace:
    model, make = RUNS[run]
    return make(encoder_of(model))


def read(page: Page, run: str, layer: int, temperature: float) -> list[tuple[dict[str, Any], np.ndarray[Any, Any]]]:
    """Of each head, what the browser's code makes of the packets of a run by the step's name, and warm weights."""
    trace = trace_of(run)
    packets = level_1(encoder_of(RUNS[run][0]), trace, off=False), level_2(trace, layer)
    sent = [base64.b64encode(packet).decode("ascii") for packet in packets]
    heads = []
    for stops, warm in page.evaluate(READ, [*sent, layer, temperature]):
        for stop in stops.values():
            stop["values"] = decoded(stop["values"], stop["columns"])
        heads.append((stops, decoded(warm, stops["weights"]["columns"])))
    return heads


def decoded(text: str, columns: int) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, columns)


# Of one number of every stop in each head: its strips, its terms, and whether its lines come to its total.
OPERANDS = """async ([first, second, layer, place]) => {
  const names = ['packet', 'steps_of_attention', 'number_strips', 'operands']
  const [{ read }, { STOPS }, { numbersOf }, { operandsOf }] = await Promise.all(
    names.map(name => import(`/encoder/browser/${name}.js`)))
  const bytes = text => Uint8Array.from(atob(text), one => one.charCodeAt(0))
  const run = read(bytes(first)), vectors = read(bytes(second)), plain = values => Array.from(values, String)
  return Array.from({ length: run.about.model.heads }, (_, head) => Object.fromEntries(STOPS.map(stop => {
    const chosen = { layer, head, temperature: 1 }, numbers = numbersOf(stop, run, vectors, chosen)
    const { strips, terms, lines, total } = operandsOf(stop, run, vectors, chosen, numbers, place)
    return [stop.step.replace('attention.', ''), {
      strips: strips.map(({ values, share }) => [plain(values), share ?? null]), terms: terms && plain(terms),
      lines: lines.map(one => String(one.value)), total: String(total.value), written: total.text,
    }]
  })))
}"""


def alike(shown: list[str], true: np.ndarray[Any, Any], what: object) -> None:
    """Hold numbers of the browser, as text, against those of the run, but for the steps in which they were sent."""
    size = float(np.abs(true[np.isfinite(true)]).max(initial=0))
    values = np.array([float(text.replace("Infinity", "inf")) for text in shown])
    np.testing.assert_allclose(values, true, rtol=0, atol=2e-4 * size, equal_nan=True, err_msg=str(what))


@pytest.mark.parametrize("run", RUNS)
def test_the_operands_of_a_number_are_those_of_the_run_and_its_sum_is_the_number(blank: Page, run: str) -> None:
    trace, column = trace_of(run), 1
    layer, row, config = trace.config.n_layers - 1, len(trace.tokens) // 2, trace.config
    packets = level_1(encoder_of(RUNS[run][0]), trace, off=False), level_2(trace, layer)
    sent = [base64.b64encode(packet).decode("ascii") for packet in packets]
    at = {name: recorded(trace, layer, name) for name in (*STEPS, "masked")}
    met = [
        trace.array(f"layers.{layer}.attention.{name}_rotated") if config.positions == "rotary" else at[name]
        for name in "qk"
    ]
    for head, stops in enumerate(blank.evaluate(OPERANDS, [*sent, layer, {"row": row, "column": column}])):
        q, k, scores = met[0][head, row], met[1][head, column], at["scores"][head, row]
        before, after, weights = (at[name][head, row].astype(float) for name in ("scaled", "masked", "weights"))
        expected = {
            "input": [at["input"][row]],
            **{name: [at["input"][row], at[name][head, row]] for name in ("q", "k", "v")},
            "scores": [q, k, q * k],
            "scaled": [scores, *([scores / config.score_size**0.5] if config.position_bias else []), before],
            "masked": [before, after],
            "weights": [after, np.exp(after - after.max()), weights],
            "concat": [*at["heads"][:, row], at["concat"][row]],
            "output": [at["concat"][row], at["output"][row]],
        }
        for name, strips in expected.items():
            assert len(stops[name]["strips"]) == len(strips)
            for i, (true, (shown, _)) in enumerate(zip(strips, stops[name]["strips"], strict=True)):
                if (run, name) not in CHANGED or i == len(strips) - 1:
                    alike(shown, true, (head, name, i))
        alike(stops["scores"]["terms"], q * k, head)
        # The values, each times its share, are the mixture; the last of them is of all that are not told one by one.
        *parts, (whole, _) = stops["heads"]["strips"]
        alike(whole, at["heads"][head, row], head)
        if np.isfinite(weights).all():
            alike(
                [str(sum(share * float(one[d]) for one, share in parts)) for d in range(len(whole))],
                at["heads"][head, row],
                head,
            )
            order = np.argsort(-np.abs(weights), kind="stable")
            for (shown, share), j in zip(parts[:4], order, strict=False):
                assert share == pytest.approx(weights[j], abs=1e-4)
                if np.sum(np.abs(np.abs(weights) - abs(weights[j])) < 1e-4) == 1:  # it is clear which one comes here
                    alike(shown, at["v"][head, j], (head, j))
        for name in ("scores", "heads"):
            lines = [float(one) for one in stops[name]["lines"]]
            if np.isfinite(lines).all():
                assert sum(lines) == pytest.approx(float(stops[name]["total"]), abs=1e-4 * (1 + sum(map(abs, lines))))


def recorded(trace: Trace, layer: int, step: str) -> np.ndarray[Any, Any]:
    """What a stop shows is called otherwise where a model adds something for the distance."""
    name = "biased" if step == "scaled" and trace.config.position_bias else step
    name = "total" if step == "scores" and trace.config.distance_parts else name
    return trace.array(f"layers.{layer}.attention.{name}")


# Where a run was changed behind what a stop is made of, its numbers are others, and that is said.
CHANGED = {
    ("scores of distances", "scores"): "this model does more on the way",
    ("scores changed", "scaled"): "this run was changed",
    ("weights changed", "weights"): "this run was changed",
}


@pytest.mark.parametrize("run", RUNS)
def test_every_stop_has_the_numbers_that_were_recorded_and_its_arithmetic_comes_to_them(blank: Page, run: str) -> None:
    """So does a temperature, which divides what is left behind the mask."""
    trace, wrong = trace_of(run), set()
    shares = unpack(level_1(encoder_of(RUNS[run][0]), trace, off=False))[2]["weights"]
    for layer in range(trace.config.n_layers):
        stored = unpack(level_2(trace, layer))[2]
        masked = trace[f"layers.{layer}.attention.masked"]
        for head, (stops, warm) in enumerate(read(blank, run, layer, 0.5)):
            softmax = torch.softmax(masked[head].double() / 0.5, -1).numpy()
            np.testing.assert_allclose(warm, softmax, rtol=0, atol=1e-6, err_msg=f"{layer} {head}")
            for step in STEPS:
                whole = recorded(trace, layer, step)
                true = whole[head] if step in OWN else whole
                values = stops[step]["values"]
                array = shares if step == "weights" else stored.get(ARRAYS.get(step, step))
                if array is None or array.scale is None:
                    assert np.array_equal(values, true, equal_nan=True), (layer, head, step)
                else:
                    # The browser holds them as float32, which may round once more.
                    apart = array.scale / 2 + 2**-23 * float(np.abs(np.nan_to_num(true)).max())
                    np.testing.assert_allclose(values, true, rtol=0, atol=apart, err_msg=f"{layer} {head} {step}")
                for row, table in enumerate(stops[step]["tables"]):
                    if (run, step) in CHANGED and not table["agrees"]:
                        assert CHANGED[run, step] in table["check"]
                        wrong.add(step)
                    else:
                        assert table["agrees"], (layer, head, step, row, table["check"])
    assert wrong == {step for changed, step in CHANGED if changed == run}
