"""Colours, labels and number format that every picture shares."""

import html
import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from plotly.colors import convert_colors_to_same_type, sample_colorscale

from encoder.support.formatting import shown

Theme = Literal["light", "dark"]
Kind = Literal["signed", "share", "positive"]


def evenly(colours: list[str]) -> list[list[Any]]:
    """A Plotly colour scale with the colours at equal distances."""
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


# The palette of every picture, on the screen, in charts and in files: by theme, colours at equal distances on a scale.
# Zero is the page's own background: pale in light, near black in dark. More is blue, less than zero is warm.
RAMPS: dict[Theme, dict[str, list[list[int]]]] = json.loads(
    (Path(__file__).parent / "palette.json").read_text(encoding="utf-8")
)
# The page's own colours: .streamlit/config.toml has the same, and a test holds both to a contrast of 4.5 to 1.
ACCENT: dict[Theme, str] = {"light": "#1f6fb2", "dark": "#6db6e8"}
SECOND: dict[Theme, str] = {"light": "#b4532a", "dark": "#f0a35e"}
INK: dict[Theme, str] = {"light": "#262a33", "dark": "#e6e8ee"}
MUTED: dict[Theme, str] = {"light": "#5a6170", "dark": "#a6adbb"}
PALE: dict[Theme, str] = {"light": "#9bb6d3", "dark": "#4a6f92"}  # what stands beside what is meant
BACKGROUND: dict[Theme, str] = {"light": "#ffffff", "dark": "#0d1118"}
GRID: dict[Theme, str] = {"light": "#e3e6ec", "dark": "#2b303b"}

# Names that do not fit side by side end at their place: at the right edge there is no room to go on.
TILTED = {"autotickangles": [0, -45, -90]}

# What a picture calls the colours of its bars and strips.
PAINTS = {"accent": ACCENT, "second": SECOND, "pale": PALE, "muted": MUTED, "ink": INK}
TWO = ("accent", "second")  # those of two series, unless it says others

# Up to four lines in one picture: their colour and dash.
LINES = ((ACCENT, "solid"), (SECOND, "solid"), (ACCENT, "dot"), (SECOND, "dot"))


def scale(kind: Kind, theme: Theme) -> list[list[Any]]:
    """The colour scale for values of a kind."""
    ramp = RAMPS[theme]["signed" if kind == "signed" else "share"]
    return evenly([f"rgb({', '.join(map(str, colour))})" for colour in ramp])


@cache
def palette(kind: Kind, theme: Theme, steps: int = 255) -> tuple[tuple[int, ...], ...]:
    """The colour scale as `steps` RGB triples, from the lowest value to the highest."""
    points = [i / (steps - 1) for i in range(steps)]
    rgb = convert_colors_to_same_type(sample_colorscale(scale(kind, theme), points), colortype="tuple")[0]
    return tuple(tuple(round(255 * channel) for channel in colour) for colour in rgb)


def limits(kind: Kind, largest: float) -> tuple[float, float]:
    """The ends of the colour scale: 0..1 for shares, symmetric about zero for values with a sign, else from zero up."""
    largest = largest if math.isfinite(largest) and largest > 0 else 1.0
    return (-largest, largest) if kind == "signed" else (0.0, 1.0 if kind == "share" else largest)


def colour(value: float, kind: Kind, largest: float, theme: Theme) -> str:
    """The colour, as CSS, of a value on the scale of its kind that ends at `largest`."""
    (low, high), ramp = limits(kind, largest), palette(kind, theme)
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return "rgb({}, {}, {})".format(*ramp[round(share * (len(ramp) - 1))])


def label(token: str, longest: int = 14) -> str:
    """A token as it may stand in a Plotly picture, whose texts read some HTML."""
    return html.escape(shown(token, longest), quote=False)


def labels(tokens: list[str], longest: int = 14) -> list[str]:
    """Every token as a tick label."""
    return [label(token, longest) for token in tokens]


def layout(theme: Theme, height: int, *, xaxis: dict[str, Any], yaxis: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The frame all pictures share: no wasted margin, the page's background, its ink."""
    muted = {"color": MUTED[theme]}
    axes = {
        name: axis | {"tickfont": muted, "title": axis.get("title", {}) | {"font": muted, "standoff": 16}}
        for name, axis in (("xaxis", xaxis), ("yaxis", yaxis))
    }
    shared = {
        "template": {},  # Plotly's own would be sent with every figure
        "height": height,
        "margin": {"l": 0, "r": 0, "t": 10, "b": 0},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": INK[theme], "size": 13},
        "hoverlabel": {"font": {"size": 13}},
        "showlegend": False,
    }
    return {**shared, **more, **axes}


def token_axis(
    tokens: list[str], title: str | None, room: int = 48, at: Sequence[int] | None = None, longest: int = 14
) -> dict[str, Any]:
    """An axis with one place for each token; beyond `room` tokens only some are named, with their positions `at`.

    A name has `longest` characters at most.
    """
    every = math.ceil(len(tokens) / room)
    places = list(range(0, len(tokens), every))
    names = labels(tokens, longest)
    return {
        "title": {"text": title},
        "tickvals": places,
        "ticktext": [names[i] if every == 1 else f"{at[i] if at else i} {names[i]}" for i in places],
        "range": [-0.5, len(tokens) - 0.5],
        "showgrid": False,
        "automargin": True,
        "zeroline": False,
    }


def number_axis(title: str, theme: Theme) -> dict[str, Any]:
    """An axis for plain numbers."""
    return {
        "title": {"text": title},
        "showgrid": False,
        "automargin": True,
        "zeroline": False,
        "linecolor": GRID[theme],
    }
