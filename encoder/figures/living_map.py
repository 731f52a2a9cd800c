"""The whole run as one picture: every token a row, every layer a column; plain bytes for a browser to draw.

A byte is a level. Weights are counted in half percents, rounded down, so that a whole percent and every comparison
with a threshold of whole percents is exactly that of the recorded weight. Signed values are counted from -127 to 127
steps of a scale that is sent along.
"""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from encoder.export.tables import Rows, numbered
from encoder.formatting import shown
from encoder.steps.catalogue import catalogue
from encoder.steps.step import PAIRS, PER_HEAD, PER_TOKEN, Step
from encoder.trace.trace import Trace

HALF_PERCENTS = 200  # levels of a weight of 1
NONE = 255  # the level of what is no finite number
ZERO = 127  # the level of 0 among signed values
MOST_ROWS = 64  # more tokens than this share rows
CELLS = 32  # cells of a vector's strip
HEAD_CELLS = 16  # of a head's vector
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
    "attention.scores": "Scores QKᵀ",
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
    "feed_forward.output": "Feed-forward",
    "add_norm_2.sum": "+ residual",
    "add_norm_2.output": "Norm",
}
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Cells:
    """What is drawn of a matrix: the value of largest size in each block, and the row and column that it has there."""

    values: Array
    rows: Array
    columns: Array


def row_stretch(n: int) -> int:
    """How many tokens share a row of the picture."""
    return math.ceil(n / MOST_ROWS)


def drawn(values: Array, tall: int, wide: int, first: bool = False) -> Cells:
    """The value of largest size in each block of tall x wide: [n, d] -> [n / tall, d / wide], rounded up.

    What is no finite number gives way to what is. With `first` it is the first value of each block instead.
    """
    n, d = values.shape
    if tall == wide == 1:
        rows, columns = np.indices((n, d))
        return Cells(values, rows, columns)
    if first:
        rows, columns = np.indices((math.ceil(n / tall), math.ceil(d / wide)))
        return Cells(values[::tall, ::wide], rows * tall, columns * wide)
    over = (-n % tall, -d % wide)
    size = np.where(np.isfinite(values), np.abs(values), -1.0)
    size = np.pad(size, ((0, over[0]), (0, over[1])), constant_values=-2.0)
    blocks = size.reshape(size.shape[0] // tall, tall, size.shape[1] // wide, wide).swapaxes(1, 2)
    best = blocks.reshape(*blocks.shape[:2], tall * wide).argmax(-1)
    rows = np.arange(best.shape[0])[:, None] * tall + best // wide
    columns = np.arange(best.shape[1])[None] * wide + best % wide
    return Cells(values[rows, columns], rows, columns)


def stretch(step: Step, n: int, d: int) -> int:
    """How many columns of a step's matrix [n, d] share a cell."""
    return row_stretch(n) if step.shape == PAIRS else math.ceil(d / (HEAD_CELLS if step.shape == PER_HEAD else CELLS))


def cells_of(values: Array, step: Step) -> Cells:
    """What the picture shows of a step's matrix: [n, n] in blocks of tokens, [n, d] in a strip of at most CELLS.

    Of positions the first of each stretch: the largest of a stretch of waves is 1 nearly everywhere.
    """
    every = row_stretch(len(values))
    wide = stretch(step, len(values), values.shape[1])
    return drawn(values, every, wide, first=step.name == "embedding.positions")


def matrix_of(trace: Trace, step: Step, head: int) -> Array:
    """The matrix of a step that has a row per token, of one head where it has heads."""
    values = trace[step.name].numpy()
    return values[head] if step.shape in (PAIRS, PER_HEAD) else values


def index_at(trace: Trace, name: str, head: int, row: int, cell: int) -> tuple[int, ...]:
    """The index, in its recorded step, of the number that a cell of the picture shows.

    Raises:
        KeyError: no such step.
        ValueError: the step is not drawn, or has no such head, row or cell.
    """
    step = trace.step(name)
    if len(step.shape) < 2 or step.shape[-1] == "vocab" or not 0 <= head < trace.config.n_heads:
        raise ValueError(f"{name} of head {head} is not in the picture")
    found = cells_of(matrix_of(trace, step, head), step)
    if not (0 <= row < found.values.shape[0] and 0 <= cell < found.values.shape[1]):
        raise ValueError(f"{name} has no row {row} and cell {cell}; the picture has {list(found.values.shape)}")
    at = int(found.rows[row, cell]), int(found.columns[row, cell])
    return (head, *at) if step.shape in (PAIRS, PER_HEAD) else at


def cell_of(trace: Trace, name: str, index: tuple[int, ...]) -> tuple[int, int] | None:
    """The row and cell of the picture in which a number lies; None for a step that is not drawn."""
    step = trace.step(name)
    if len(step.shape) != len(index) or len(step.shape) < 2 or step.shape[-1] == "vocab":
        return None
    n = len(trace.tokens)
    size = step.sizes(trace.config, n)
    if any(not 0 <= i < most for i, most in zip(index, size, strict=True)):
        return None
    return index[-2] // row_stretch(n), index[-1] // stretch(step, n, size[-1])


def share_levels(shares: Array) -> Array:
    """Shares of 1 in half percents, rounded down: 0 to 200."""
    levels = np.floor(np.nan_to_num(shares.astype(np.float64)) * HALF_PERCENTS).clip(0, HALF_PERCENTS)
    return np.where(np.isfinite(shares), levels, NONE).astype(np.uint8)


def signed_levels(values: Array, largest: float) -> Array:
    """Values from -largest to largest as 0 to 254, zero at 127; what lies outside is drawn as the end of the scale."""
    levels = np.rint(np.nan_to_num(values.astype(np.float64) / largest, posinf=0.0, neginf=0.0) * ZERO)
    return np.where(np.isfinite(values), levels.clip(-ZERO, ZERO) + ZERO, NONE).astype(np.uint8)


def scale_of(values: Array, within: float = 1.0) -> float:
    """The end of a signed scale: the size that the part `within` of the finite values does not exceed."""
    finite = np.abs(values[np.isfinite(values)])
    largest = float(np.quantile(finite, within, method="higher")) if finite.size else 0.0
    return largest if 0 < largest < math.inf else 1.0


def is_word(trace: Trace) -> list[bool]:
    """Which tokens stand for something that was written in letters or digits: no mark, no special token but a mask."""
    ends = set(range(len(trace.tokens) - trace.padding, len(trace.tokens)))
    return [
        i not in ends and (not special or bool(trace.tokenization.typed(i).strip())) and any(c.isalnum() for c in token)
        for i, (token, special) in enumerate(zip(trace.tokens, trace.tokenization.special, strict=True))
    ]


@dataclass(frozen=True)
class Link:
    """The strongest look of one head from a word to another, with its weight; `parked` is what special tokens get."""

    query: int
    key: int
    weight: float
    parked: float


def strongest_link(trace: Trace, layer: int, head: int) -> Link | None:
    """From which word to which other word a head looks most; None where there are no two words, or no numbers."""
    words = np.flatnonzero(is_word(trace))
    weights = trace[f"layers.{layer}.attention.weights"][head].numpy()
    among = weights[np.ix_(words, words)].astype(np.float64)
    among[np.arange(len(words)), np.arange(len(words))] = -1.0
    if len(words) < 2 or not np.isfinite(among).all():
        return None
    i, j = np.unravel_index(among.argmax(), among.shape)
    query, key = int(words[i]), int(words[j])
    special = [at for at, one in enumerate(trace.tokenization.special) if one and at != key]
    return Link(query, key, float(weights[query, key]), float(weights[query, special].sum()))


def percent(share: float) -> str:
    """A share as whole percents, as the picture says it."""
    return f"{(math.floor(share * HALF_PERCENTS) + 1) // 2} %"


def finding(trace: Trace, layer: int, head: int) -> str:
    """The chosen head's strongest look from word to word, in one plain sentence."""
    link = strongest_link(trace, layer, head)
    if link is None:
        return f"{len(trace.tokens)} tokens go through {trace.config.n_layers} layers, and every number is recorded."
    query, key = (shown(trace.tokens[i]) for i in (link.query, link.key))
    twice = [i for i, token in enumerate(trace.tokens) if token in (trace.tokens[link.query], trace.tokens[link.key])]
    where = len(twice) > 2 or query == key
    names = (f"“{query}” ({link.query})", f"“{key}” ({link.key})") if where else (f"“{query}”", f"“{key}”")
    return f"{names[0]} gives {percent(link.weight)} of its attention to {names[1]}, in layer {layer}, head {head}."


def packed(about: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """A header of JSON and the arrays behind it: 4 bytes of the header's length, the header, the arrays.

    The header says for each array its type, its shape, and where it begins behind the header; equal ones are sent once.
    """
    places: dict[str, Any] = {}
    buffers: dict[bytes, int] = {}
    length = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        if data not in buffers:
            buffers[data] = length
            length += len(data)
        places[name] = [array.dtype.str, list(array.shape), buffers[data]]
    header = json.dumps(about | {"arrays": places}, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return len(header).to_bytes(4, "little") + header + b"".join(buffers)


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header and the arrays that were `packed`."""
    start = 4 + int.from_bytes(data[:4], "little")
    about = json.loads(data[4:start])
    arrays = {
        name: np.frombuffer(data, kind, math.prod(shape), start + offset).reshape(shape)
        for name, (kind, shape, offset) in about["arrays"].items()
    }
    return about, arrays


def strip_steps(trace: Trace) -> list[Step]:
    """The steps that the folded picture shows as strips: word, place, and each layer's output."""
    names = ["embedding.scaled", "embedding.positions"]
    names += [f"layers.{i}.output" for i in range(trace.config.n_layers)]
    return [trace.step(name) for name in names]


def layer_steps(trace: Trace, layer: int) -> list[Step]:
    """The steps of a layer that have a column of their own when it is unfolded, in the order of computation."""
    same = ("add_norm_1.residual", "add_norm_2.residual", "output")  # what another column shows
    per_token = (s for s in catalogue(trace.config) if s.layer == layer and s.shape != PER_TOKEN)
    return [s for s in per_token if s.local not in same and not s.local.endswith(".normalized")]


def changes(trace: Trace) -> tuple[Array, Array]:
    """How long what attention, and what feed-forward, adds is against what it is added to: two of [n_layers, n]."""

    def size(name: str) -> Array:
        return np.asarray(np.linalg.norm(trace[name].numpy().astype(np.float64), axis=-1))

    found = []
    for norm, part in (("add_norm_1", "attention"), ("add_norm_2", "feed_forward")):
        layers = [f"layers.{i}." for i in range(trace.config.n_layers)]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.stack([size(f"{at}{part}.output") / size(f"{at}{norm}.residual") for at in layers])
        found.append(np.nan_to_num(ratio, posinf=0.0).astype(np.float32))
    return found[0], found[1]


def all_weights(trace: Trace) -> Array:
    """Every layer's attention weights, tokens in blocks where they share rows: [n_layers, H, rows, rows]."""
    every = row_stretch(len(trace.tokens))
    names = [f"layers.{i}.attention.weights" for i in range(trace.config.n_layers)]
    weights = np.stack([trace[name].numpy() for name in names])
    return weights if every == 1 else pooled(weights, every)


def strongest_rows(trace: Trace) -> Rows:
    """The bands as a table, and all weaker ones: for each layer and pair of tokens the largest weight of its heads."""
    names = numbered(trace.tokens)
    yield ("layer", "token", "looks_at", "largest_weight", "head")
    for layer in range(trace.config.n_layers):
        values, heads = trace[f"layers.{layer}.attention.weights"].max(0)
        for looks, row, of in zip(names, values.tolist(), heads.tolist(), strict=True):
            yield from ((layer, looks, at, value, head) for at, value, head in zip(names, row, of, strict=True))


def pooled(weights: Array, every: int) -> Array:
    """The largest weight of each every x every block of the last two axes."""
    over = -weights.shape[-1] % every
    weights = np.pad(weights, [(0, 0)] * (weights.ndim - 2) + [(0, over)] * 2, constant_values=-1.0)
    rows = weights.shape[-1] // every
    return np.asarray(weights.reshape(*weights.shape[:-2], rows, every, rows, every).max(axis=(-3, -1)))


def whole(trace: Trace, guesses: list[list[tuple[str, float]]] | None = None, mask: str | None = None) -> bytes:
    """The folded picture of a run: tokens, strips, every head's small map, bands, changes, guesses.

    `guesses` are the likeliest words at each position, with their probabilities; `mask` is the token that stands for
    a word to be guessed. Its arrays:

    thumbs [L, H, side, side], mean, strongest [L, rows, rows]: weights in half percents; mean is that of all heads,
    strongest that of the head which `who` [L, rows, rows] names. strips [2 + L, rows, cells]: signed levels of
    `scales`. attention, feed_forward [L, n]: what they add against what was there.
    """
    n, config = len(trace.tokens), trace.config
    every = row_stretch(n)
    weights = all_weights(trace)
    most = max(8, math.isqrt(THUMB_BYTES // (config.n_layers * config.n_heads)))
    coarse = math.ceil(weights.shape[-1] / most)
    steps = strip_steps(trace)
    strips = [cells_of(trace[step.name].numpy(), step).values for step in steps]
    scales = [scale_of(strip, SATURATED) for strip in strips]
    cells = max(strip.shape[1] for strip in strips)
    levels = [
        np.pad(signed_levels(strip, scale), ((0, 0), (0, cells - strip.shape[1])), constant_values=NONE)
        for strip, scale in zip(strips, scales, strict=True)
    ]
    attention, feed_forward = changes(trace)
    links = [[strongest_link(trace, i, h) for h in range(config.n_heads)] for i in range(config.n_layers)]
    about = {
        "n": n,
        "rows": weights.shape[-1],
        "every": every,
        "layers": config.n_layers,
        "heads": config.n_heads,
        "tokens": [shown(token) for token in trace.tokens],
        "special": [int(special) for special in trace.tokenization.special],
        "words": [int(word) for word in is_word(trace)],
        "segments": list(trace.tokenization.segments) if trace.tokenization.pair else [],
        "padding": trace.padding,
        "hidden": list(trace.hidden),
        "changed": changed(trace),
        "links": [[[k.query, k.key, percent(k.weight)] if k else None for k in layer] for layer in links],
        "guesses": [
            [[shown(word), round(p, 4)] for word, p in row[:GUESSES] if math.isfinite(p)] for row in guesses or []
        ],
        "masked": [i for i, token in enumerate(trace.tokens) if token == mask],
        "steps": [step.name for step in steps],
        "titles": [step.title for step in steps],
        "columns": [column(trace, step) for step in layer_steps(trace, 0)],
        "scales": scales,
        "widths": [strip.shape[1] for strip in strips],
    }
    return packed(
        about,
        {
            "thumbs": share_levels(pooled(weights, coarse) if coarse > 1 else weights),
            "mean": share_levels(weights.astype(np.float64).mean(1)),
            "strongest": share_levels(weights.max(1)),
            "who": weights.argmax(1).astype(np.uint8),
            "strips": np.stack(levels),
            "attention": attention,
            "feed_forward": feed_forward,
        },
    )


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


def layer(trace: Trace, number: int) -> bytes:
    """One layer unfolded: the numbers of its columns, of every head where there are heads.

    An array `s` for column s: [rows, cells] levels, or [H, rows, cells]. Shares in half percents, others signed on
    the scale of their column, which `scales` gives.
    """
    arrays, scales = {}, []
    for s, step in enumerate(layer_steps(trace, number)):
        heads = range(trace.config.n_heads) if step.shape in (PAIRS, PER_HEAD) else [0]
        found = np.stack([cells_of(matrix_of(trace, step, h), step).values for h in heads])
        share = step.values == "share"
        scale = 1.0 if share else scale_of(found, 1.0 if step.shape == PAIRS else SATURATED)
        levels = share_levels(found) if share else signed_levels(found, scale)
        arrays[str(s)] = levels if step.shape in (PAIRS, PER_HEAD) else levels[0]
        scales.append(scale)
    return packed({"layer": number, "scales": scales}, arrays)
