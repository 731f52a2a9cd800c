"""The whole run as one picture: every token a row, every layer a column; plain bytes for a browser to draw.

A byte is a level. Weights are counted in half percents, rounded down, so that a whole percent and every comparison
with a threshold of whole percents is exactly that of the recorded weight. Signed values, and all differences to another
run, are counted from -127 to 127 steps of a scale that is sent along.
"""

import math
from typing import Any

import numpy as np

from encoder.metrics import SUBLAYERS, sublayer_lengths
from encoder.metrics.strongest_looks import links
from encoder.metrics.sublayers import added_ratios
from encoder.metrics.weight_matrices import all_flows, all_weights, check_same, recorded
from encoder.metrics.word_kinds import is_word
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.step import PAIRS, PER_HEAD, Step
from encoder.pictures.figures.facts import unmasked
from encoder.pictures.figures.living_map_cells import (
    NONE,
    Array,
    blocks,
    cells_of,
    drawn,
    packed,
    row_stretch,
    scale_of,
    share_levels,
    signed_levels,
)
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent, points, shown
from encoder.trace.trace import Trace

THUMB_BYTES = 100_000  # of all heads' small maps together
SATURATED = 0.98  # of a strip's cells lie within its scale
GUESSES = 3
SWITCHES = (  # what hands on nothing when it is zero
    "attention.weights",
    "attention.heads",
    "attention.concat",
    "attention.output",
    "feed_forward.output",
)
LABELS = {  # what a narrow column is called
    "attention.input": "Input x",
    "attention.q": "Queries Q",
    "attention.k": "Keys K",
    "attention.v": "Values V",
    "attention.cos": "Cosines",
    "attention.sin": "Sines",
    "attention.q_rotated": "Q turned",
    "attention.k_rotated": "K turned",
    "attention.position_bias": "Bias B",
    "attention.biased": "+ bias B",
    "attention.windowed": "In window",
    "attention.scores": "Scores QKᵀ",
    "attention.c2p": "To position",
    "attention.p2c": "To content",
    "attention.total": "Sum of scores",
    "attention.scaled": "Scaled ÷√d",
    "attention.masked": "Masked",
    "attention.weights": "Weights A",
    "attention.heads": "A × V",
    "attention.concat": "All heads",
    "attention.output": "× W_O",
    "add_norm_1.sum": "+ residual",
    "add_norm_1.output": "Norm",
    "feed_forward.hidden": "Hidden units",
    "feed_forward.activation": "Activated",
    "feed_forward.up": "Up",
    "feed_forward.gated": "Gated",
    "feed_forward.output": "Feed-forward",
    "add_norm_2.sum": "+ residual",
    "add_norm_2.output": "Norm",
}


def strip_steps(trace: Trace) -> list[Step]:
    """The steps that the folded picture shows as strips: word, place, and each layer's output."""
    names = ["embedding.scaled", "embedding.positions"]
    names += [f"layers.{i}.output" for i in range(trace.config.n_layers)]
    return [trace.step(name) for name in names]


def layer_steps(trace: Trace, layer: int) -> list[Step]:
    """The steps of a layer that have a column of their own when it is unfolded, in the order of computation."""
    same = ("add_norm_1.residual", "add_norm_2.residual", "output")  # what another column shows
    of_tokens = (s for s in catalogue(trace.config) if s.layer == layer and "n" in s.shape and not s.single)
    return [s for s in of_tokens if s.local not in same and not s.local.endswith(".normalized")]


def strips(trace: Trace, before: Trace | None) -> tuple[list[Array], list[float]]:
    """The cells of every strip, and the end of its colour scale."""
    steps = strip_steps(trace)
    outputs = np.stack([recorded(trace, step.name, before) for step in steps[2:]])
    cells = [cells_of(recorded(trace, step.name, before), step).values for step in steps[:2]]
    cells += [*cells_of(outputs, steps[2]).values]
    return cells, [scale_of(strip, SATURATED) for strip in cells]


def bands(trace: Trace, every: Array, before: Trace | None) -> tuple[dict[str, Array], Array, float]:
    """The bands of every layer, all small maps, and the end of the scale of differences (1 for weights).

    mean, flow [L, rows, rows]; of the head with the largest weight, or change, strongest and who; thumbs [L, H, rows,
    rows]. `every` holds all weights, [L, H, n, n].
    """
    weights = blocks(every)
    who = np.abs(weights).argmax(1)
    band = {
        "mean": weights.astype(np.float64).mean(1),
        "strongest": np.take_along_axis(weights, who[:, None], 1)[:, 0],
    }
    if (flows := all_flows(trace, before)) is not None:
        band["flow"] = blocks(flows)
    largest = (
        1.0 if before is None else scale_of(np.concatenate([weights.ravel(), band.get("flow", who * 0.0).ravel()]))
    )
    levels = {name: share_levels(v) if before is None else signed_levels(v, largest) for name, v in band.items()}
    return levels | {"who": who.astype(np.uint8)}, weights, largest


def whole(
    trace: Trace,
    guesses: list[list[tuple[str, float]]] | None = None,
    mask: str | None = None,
    before: Trace | None = None,
) -> bytes:
    """The folded picture of a run: tokens, strips, every head's small map, bands, changes, guesses.

    `guesses` are the likeliest words at each position, with their probabilities; `mask` is the token that stands for
    a word to be guessed. With `before`, another run of as many tokens, every cell and band is this run minus that one,
    and "difference" in the header says so. Its arrays:

    thumbs [L, H, side, side], mean, strongest, flow [L, rows, rows]: weights in half percents, or signed levels of
    `band_scale`; mean is that of all heads, strongest that of the head which `who` [L, rows, rows] names, flow what
    really flows as shares of a row. strips [2 + L, rows, cells]: signed levels of `scales`. attention, feed_forward
    [L, n]: what they add against what was there, in this run.

    Raises:
        EncoderError: `before` has more or fewer tokens, or a model of another shape.
    """
    if before is not None:
        check_same(trace, before)
    n, config = len(trace.tokens), trace.config
    every = all_weights(trace, before)
    levels, weights, band_scale = bands(trace, every, before)
    most = max(8, math.isqrt(THUMB_BYTES // (config.n_layers * config.n_heads)))
    coarse = math.ceil(weights.shape[-1] / most)
    small = drawn(weights, coarse, coarse).values
    cells_of_strips, scales = strips(trace, before)
    drawn_strips = np.full(
        (len(cells_of_strips), weights.shape[-1], max(strip.shape[1] for strip in cells_of_strips)), NONE, np.uint8
    )
    for at, strip, scale in zip(drawn_strips, cells_of_strips, scales, strict=True):
        at[:, : strip.shape[1]] = signed_levels(strip, scale)
    attention, feed_forward = added_ratios(trace)
    steps = strip_steps(trace)
    say = percent if before is None else points
    about = {
        "n": n,
        "rows": weights.shape[-1],
        "every": row_stretch(n),
        "layers": config.n_layers,
        "heads": config.n_heads,
        "difference": before is not None,
        "band_scale": band_scale,
        "tokens": names(trace, before),
        "special": [int(special) for special in trace.tokenization.special],
        "words": [int(word) for word in is_word(trace)],
        "segments": list(trace.tokenization.segments) if trace.tokenization.pair else [],
        "padding": trace.padding,
        "hidden": list(trace.hidden),
        "changed": changed(trace),
        "links": [
            [[k.query, k.key, say(k.weight, 1), abs(k.weight)] if k else None for k in heads]
            for heads in links(trace, every)
        ],
        "guesses": [
            [[shown(word), round(p, 7)] for word, p in row[:GUESSES] if math.isfinite(p)] for row in guesses or []
        ],
        "masked": [i for i, token in enumerate(trace.tokens) if token == mask],
        "steps": [step.name for step in steps],
        "titles": [step.title for step in steps],
        "columns": [column(trace, step) for step in layer_steps(trace, 0)],
        "scales": scales,
        "widths": [strip.shape[1] for strip in cells_of_strips],
    }
    arrays = {
        "thumbs": share_levels(small) if before is None else signed_levels(small, band_scale),
        "strips": drawn_strips,
        "attention": attention,
        "feed_forward": feed_forward,
    }
    return packed(about, levels | arrays)


def names(trace: Trace, before: Trace | None) -> list[str]:
    """What the rows are called: their tokens, after those of the run before where they are others."""
    pairs = zip(trace.tokens, before.tokens if before else trace.tokens, strict=True)
    return [shown(token) if token == other else f"{shown(other)} | {shown(token)}" for token, other in pairs]


def changed(trace: Trace) -> list[dict[str, Any]]:
    """What was changed in the run: step, action, heads and positions (none: all), and whether that is switched off."""
    return [
        {
            "step": edit.step,
            "action": edit.action,
            "heads": list(edit.heads or ()),
            "positions": list(edit.positions or ()),
            "off": edit.action == "zero" and edit.step.split(".", 2)[-1] in SWITCHES,
        }
        for edit in trace.edits
    ]


def column(trace: Trace, step: Step) -> dict[str, Any]:
    """What is said of a step of every layer, whose numbers are a column of an unfolded one."""
    return {
        "local": step.local,
        "title": step.title,
        "label": LABELS.get(step.local, step.title),
        "note": step.note,
        "pairs": int(step.shape == PAIRS),
        "heads": int(step.shape in (PAIRS, PER_HEAD)),
        "share": int(step.values == "share"),
        "size": step.sizes(trace.config, len(trace.tokens))[-1],
    }


def layer(trace: Trace, number: int, before: Trace | None = None) -> bytes:
    """One layer unfolded: the numbers of its columns, of every head where there are heads.

    An array `s` for column s: [rows, cells] levels, or [H, rows, cells]. Shares in half percents, others signed on
    the scale of their column, which `scales` gives; with `before`, another run, all are differences and signed.

    Raises:
        EncoderError: `before` has more or fewer tokens, or a model of another shape.
    """
    if before is not None:
        check_same(trace, before)
    arrays, scales = {}, []
    for s, step in enumerate(layer_steps(trace, number)):
        values = cells_of(recorded(trace, step.name, before), step).values
        share = step.values == "share" and before is None
        apart = unmasked(values, step, trace.config)
        scale = 1.0 if share else scale_of(apart, 1.0 if step.shape == PAIRS else SATURATED)
        arrays[str(s)] = share_levels(values) if share else signed_levels(values, scale)
        scales.append(scale)
    return packed({"layer": number, "scales": scales}, arrays)


def walk(trace: Trace, position: int, guesses: list[list[tuple[str, float]]] | None = None) -> list[str]:
    """What happens to the token at a position: embedding, position, each layer, output.

    `guesses` are the likeliest words at each position, with their probabilities.

    Returns:
        n_layers + 3 sentences.

    Raises:
        EncoderError: no such position.
    """
    if not 0 <= position < len(trace.tokens):
        raise EncoderError(
            f"position {position} is outside the sentence; positions go from 0 to {len(trace.tokens) - 1}"
        )
    name = f"“{shown(trace.tokens[position])}”"
    place = size(trace, "embedding.positions", position)
    sentences = [
        f"{name} is token {trace.ids[position]}: {trace['embedding.scaled'].shape[-1]} numbers stand for it, a vector "
        f"of length {size(trace, 'embedding.scaled', position)}.",
        f"It stands at position {position}, whose own vector, of length {place}, is added."
        if float(trace["embedding.positions"].abs().max())
        else f"It stands at position {position}; no vector is added for that.",
    ]
    sentences += [in_layer(trace, layer, position) for layer in range(trace.config.n_layers)]
    first = guesses[position][0] if guesses and guesses[position] else None
    if first is not None and math.isfinite(first[1]):
        return [
            *sentences,
            f"The model's first guess for this place is “{shown(first[0])}”, with {percent(first[1], 1)}.",
        ]
    return [*sentences, f"The output is a vector of length {size(trace, 'output', position)}."]


def in_layer(trace: Trace, layer: int, position: int) -> str:
    """What attention and feed-forward do to a token in a layer: where it looks most, and what each adds."""
    name = f"“{shown(trace.tokens[position])}”"
    row = trace[f"layers.{layer}.attention.weights"][:, position]
    lengths = (sublayer_lengths(trace, layer, part) for part in SUBLAYERS)
    added = [float(of["added"][position]) / max(float(of["residual"][position]), 1e-30) for of in lengths]
    if not (bool(row.isfinite().all()) and all(map(math.isfinite, added))):
        return f"Layer {layer}: the numbers of {name} are not finite here."
    head, key = divmod(int(row.argmax()), row.shape[1])
    looks = "itself" if key == position else f"“{shown(trace.tokens[key])}” ({key})"
    return (
        f"Layer {layer}: {name} looks most at {looks}, {percent(float(row[head, key]), 1)} in head {head}. Attention "
        f"adds {brief(added[0])} times the length of what stood there, feed-forward {brief(added[1])} times."
    )


def size(trace: Trace, step: str, position: int) -> str:
    """How long a token's vector is after a step."""
    return brief(float(trace[step][position].norm()))
