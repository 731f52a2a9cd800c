"""One token's vector through all heads and back: read whole by each, cut among them, joined, and mixed by W_O."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from encoder.export.tables import grid
from encoder.figures.drawn import Drawn, draw, mark
from encoder.formatting import percent
from encoder.metrics import THROUGH
from encoder.theme import BACKGROUND, INK, MUTED, SECOND, Theme, label, layout, scale

HEIGHT = 520
TITLES = ("in", "Q", "K", "V", "Z", "concat", "after W<sub>O</sub>")  # what stands above each strip
EDGES = (0.0, 3.4, 4.6, 5.8, 11.6, 14.2, 18.6)  # the left of each
STRIPS = tuple(zip(THROUGH, TITLES, EDGES, strict=True))
SHARED = ("input", "concat", "output")  # no head's own
WIDTH, SAID, END = 1.0, (7.3, 11.1), 19.6


def fan_out(
    through: np.ndarray, shares: Sequence[float], looks: Sequence[tuple[float, str]], theme: Theme = "light"
) -> Drawn:
    """The steps of a layer's attention at one token as strips [7, d_model], a cell for each number.

    Every strip has colours of its own, up to its largest number. Beside each head stands what it looks at most, by
    `looks` its weight and the token, and the curve from it to the output is as wide as its share of what all heads add.
    """
    tall, heads = through.shape[1], len(shares)
    width = tall // heads
    numbers = dict(zip(THROUGH, through, strict=True))
    strips = [strip(name, title, left, numbers[name], width, theme) for name, title, left in STRIPS]
    unseen: dict[str, Any] = {"visible": False}
    frame = layout(
        theme,
        HEIGHT,
        xaxis=unseen | {"range": [-0.2, END + 0.2]},
        yaxis=unseen | {"range": [tall - 0.5, -0.5 - tall / 20]},
        shapes=joints(shares, width, tall, theme),
        annotations=[*titles(tall, theme), *looked_at(looks, width, theme)],
    )
    figure = draw(
        strips, frame, lambda: grid(through, list(THROUGH), "dimension"), "every strip up to its own largest number"
    )
    figure.parts = {title: numbers[name].reshape(heads, width) for name, title, _ in STRIPS}
    return figure


def strip(name: str, title: str, left: float, values: np.ndarray, width: int, theme: Theme) -> dict[str, Any]:
    """A vector as one column of cells; a head's cell says its head and the dimension there, others the dimension."""
    numbers: dict[str, Any] = {"z": values[:, None]}
    where = "dimension %{y}"
    if name not in SHARED:
        places = np.stack(np.divmod(np.arange(len(values), dtype=np.uint16), np.uint16(width)), -1)
        numbers["customdata"], where = places[:, None], "head %{customdata[0]}, dimension %{customdata[1]}"
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    return mark(
        "heatmap",
        x=[left, left + WIDTH],
        **numbers,
        zmin=-largest,
        zmax=largest,
        colorscale=scale("signed", theme),
        showscale=False,
        hovertemplate=f"{title}, {where}<br>%{{z:.6g}}<extra></extra>",
        hoverongaps=False,
    )


def joints(shares: Sequence[float], width: int, d_model: int, theme: Theme) -> list[dict[str, Any]]:
    """Where strips go into each other, as curves from their middles; a head's last one is as wide as its share."""
    left = {name: at for name, _, at in STRIPS}
    whole, found = (d_model - 1) / 2, []
    for h, share in enumerate(shares):
        top, middle = h * width - 0.5, (h + 0.5) * width - 0.5
        found += [
            curve((WIDTH, whole), (left["q"], middle), 2, theme),
            curve((left["v"] + WIDTH, middle), (SAID[0], middle), 2, theme),
            curve((SAID[1], middle), (left["heads"], middle), 2, theme),
            curve((left["heads"] + WIDTH, middle), (left["concat"], middle), 2, theme),
            curve((left["concat"] + WIDTH, middle), (left["output"], whole), 1 + 30 * abs(share), theme, share < 0),
        ]
        if h:
            line = {"color": BACKGROUND[theme], "width": 2}
            ends = {"x0": left["q"], "x1": left["heads"] + WIDTH, "y0": top, "y1": top}
            found.append({"type": "line", **ends, "line": line})
    return found


def curve(
    a: tuple[float, float], b: tuple[float, float], width: float, theme: Theme, against: bool = False
) -> dict[str, Any]:
    """A curve between two places that leaves and arrives level; one that works `against` the sum has a colour."""
    middle = (a[0] + b[0]) / 2
    path = f"M {a[0]},{a[1]} C {middle},{a[1]} {middle},{b[1]} {b[0]},{b[1]}"
    line = {"color": (SECOND if against else MUTED)[theme], "width": width}
    return {"type": "path", "path": path, "opacity": 0.45, "line": line, "layer": "below"}


def titles(tall: int, theme: Theme) -> list[dict[str, Any]]:
    """What stands above each strip, and above what the heads look at."""
    heads = {"text": "looks most at", "x": sum(SAID) / 2}
    above: list[dict[str, Any]] = [{"text": title, "x": at + WIDTH / 2} for _, title, at in STRIPS]
    return [
        one | {"y": -0.5 - tall / 80, "yanchor": "bottom", "showarrow": False, "font": {"color": INK[theme]}}
        for one in (*above, heads)
    ]


def looked_at(looks: Sequence[tuple[float, str]], width: int, theme: Theme) -> list[dict[str, Any]]:
    """What each head looks at most from the token, between its values and what it brings together."""
    return [
        {"text": f"{h}: {percent(weight)} {label(token, 8)}", "x": sum(SAID) / 2,
         "y": (h + 0.5) * width - 0.5, "showarrow": False, "font": {"color": INK[theme], "size": 12}}
        for h, (weight, token) in enumerate(looks)
    ]  # fmt: skip
