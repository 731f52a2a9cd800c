"""Ask a word: where it looks and who looks at it, in every head; plain bytes for a browser to draw.

A weight is sent as a byte of half percents, rounded down: the whole percent read off it is that of the recorded weight.
Which word gets most is found among the recorded weights themselves and sent along, so that equal bytes decide nothing.
"""

import math
from typing import Any

import numpy as np

from encoder.figures.living_map_cells import drawn
from encoder.figures.living_map_packet import packed, share_levels
from encoder.formatting import shown
from encoder.metrics.asking import WAYS, Asked, Way

ALL_BYTES = 300_000  # up to so many, the weights of all heads are sent at once
SMALL_BYTES = 100_000  # of all small maps, where the weights are not sent
Array = np.ndarray[Any, Any]


def at_once(run: Asked) -> bool:
    """Whether every weight is sent at once; else the answers to one word are, when it is asked."""
    return run.weights.size <= ALL_BYTES


def packet(run: Asked) -> bytes:
    """All that is known before a word is asked, in the form of `living_map_packet.packed`.

    The header has `names`, `first` (the position of each word's first piece), `kinds`, `segments`, `drawn`, `layers`,
    `heads`, and `every`, how many words share a cell of a small map. Where all is sent `at_once` the arrays are weights
    [L * H, m, m], parked, best_from and best_to [m, L * H]; else maps [L * H, side, side], of the words drawn.
    """
    about: dict[str, Any] = {
        "names": [shown(name) for name in run.names],
        "called": [run.called(i) if i in run.drawn.at else shown(run.names[i]) for i in range(len(run.names))],
        "first": [group[0] for group in run.groups],
        "pieces": [len(group) for group in run.groups],
        "segments": list(run.segments),
        "drawn": list(run.drawn.at),
        "layers": run.layers,
        "heads": run.heads,
        "at_once": at_once(run),
        "every": 1,
    }
    flat = run.weights.reshape(-1, *run.weights.shape[2:])
    if at_once(run):
        words = range(len(run.names))
        best = {f"best_{way}": np.stack([flat_best(run, i, way) for i in words]) for way in WAYS}
        parked = np.stack([share_levels(run.parked(i)).reshape(-1) for i in words])
        return packed(about, {"weights": share_levels(flat), "parked": parked, **best})
    seen = run.drawn.cut(flat)
    most = max(8, math.isqrt(SMALL_BYTES // len(flat)))
    about["every"] = math.ceil(seen.shape[-1] / most)
    return packed(about, {"maps": share_levels(drawn(seen, about["every"], about["every"]).values)})


def answer(run: Asked, word: int, way: Way) -> bytes:
    """What every head answers to one word: row [L * H, m], parked and best [L * H], of that way alone."""
    row = share_levels(run.answers(word, way)).reshape(run.layers * run.heads, -1)
    parked = share_levels(run.parked(word)).reshape(-1)
    return packed({"word": word, "way": way}, {"row": row, "parked": parked, "best": flat_best(run, word, way)})


def flat_best(run: Asked, word: int, way: Way) -> Array:
    """The best other word of each head, as floats, which hold NOBODY too: [L * H]."""
    return run.best(word, way).reshape(-1).astype("<f4")
