"""Token-to-token lines: who looks at whom, stronger lines for larger weights."""

from collections.abc import Sequence

import numpy as np

from encoder.pictures.figures.drawn import Drawn, draw, mark
from encoder.support.theme import ACCENT, INK, Theme, labels, layout

LEVELS = 12  # lines are drawn in so many strengths
LEAST = 0.02  # weights below this have no line


def links(
    weights: np.ndarray, tokens: list[str], chosen: list[int], theme: Theme = "light", at: Sequence[int] | None = None
) -> Drawn:
    """Lines from the looking tokens on the left to those looked at on the right; weights [n, n], rows look.

    With `chosen` tokens, only the lines that leave or reach one of them. Lines under 0.02 are left out; how much weight
    that is, `undrawn` says. `at` are the positions of tokens that are some of many.
    """
    n = len(tokens)
    shown = np.where(weights >= LEAST, weights, 0.0)
    if chosen:
        kept = np.zeros((n, n), dtype=bool)
        kept[chosen] = True
        kept[:, chosen] = True
        shown = np.where(kept, shown, 0.0)
    strength = np.ceil(shown * LEVELS).astype(int).clip(0, LEVELS)
    lines = []
    for level in range(1, LEVELS + 1):
        rows, columns = np.nonzero(strength == level)
        if len(rows):
            gap = np.full(len(rows), np.nan)
            lines.append(
                mark(
                    "scatter",
                    x=np.stack([np.zeros(len(rows)), np.ones(len(rows)), gap], 1).ravel().astype(np.float32),
                    y=np.stack([rows, columns, gap], 1).ravel().astype(np.float32),
                    mode="lines",
                    line={"color": ACCENT[theme], "width": 0.5 + 5 * level / LEVELS},
                    opacity=0.25 + 0.75 * level / LEVELS,
                    hoverinfo="skip",
                )
            )
    names, marked = labels(tokens), set(chosen)
    texts = [f"\u00a0<b>{name}</b>\u00a0" if i in marked else f"\u00a0{name}\u00a0" for i, name in enumerate(names)]
    for x, side in ((0, "middle left"), (1, "middle right")):
        lines.append(
            mark(
                "scatter",
                x=np.full(n, x, dtype=np.int32),
                y=np.arange(n, dtype=np.int32),
                mode="text",
                text=texts,
                textposition=side,
                textfont={"color": INK[theme]},
                hoverinfo="skip",
            )
        )
    hidden = {"visible": False, "fixedrange": True}
    frame = layout(
        theme,
        min(1600, max(220, 22 * n + 20)),
        xaxis=hidden | {"range": [-0.5, 1.5]},
        yaxis=hidden | {"range": [n - 0.5, -0.5]},
    )
    return draw(lines, frame)


def undrawn(weights: np.ndarray) -> float:
    """The share of all weight that is in lines too weak to be drawn."""
    return float(weights[weights < LEAST].sum() / weights.sum())
