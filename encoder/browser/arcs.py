"""The arcs of a head over the words of a sentence, as SVG: the shapes of encoder/browser/arcs.js.

Nothing can be measured here, so that a word's width is taken from its letters: wide ones of CJK count twice.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from encoder.browser.markup import AS_IS, Html, el, join
from encoder.support.formatting import percent

LEAST, WRITTEN = 0.0005, 0.005  # shares from which on an arc is drawn, and a number written
LONGEST = 1100  # units of a sentence on one line
MOST = 16  # words of a column; of longer sentences those that are looked at most
LINE, LETTERS = 34, 17  # units of a word in a column, and how many letters it shows there


@dataclass(frozen=True)
class Way:
    """How a sentence stands: where a point lies so far along the words and out from them, and sizes in units."""

    name: str
    point: Callable[[float, float], tuple[float, float]]
    room: float  # of arcs, out from the words
    thickest: float
    size: int  # of letters
    name_at: float  # how far behind the words' edge a name stands, and a share
    share_at: float
    anchor: str


ACROSS = Way("across", lambda along, out: (along, 155 - out), 150, 22, 26, 24, 52, "middle")
DOWN = Way("down", lambda along, out: (230 + out, along), 145, 16, 18, 8, 184, "end")


def pictures(names: Sequence[str], chosen: int, shares: Sequence[float], title: str, about: str) -> Html:
    """The sentence on one line where it is not too long, and in a column: for narrow pages, or for all."""
    largest = sorted(sorted(range(len(names)), key=lambda i: (i != chosen, -shares[i]))[:MOST])
    column = [LINE * (place + 0.5) for place in range(len(largest))]
    cut = [fitting(names[i]) for i in largest]
    down = picture(
        DOWN, cut, largest.index(chosen), [shares[i] for i in largest], column, (380, LINE * len(largest)), title, about
    )
    widths = [max(2, width(name)) * 0.58 * ACROSS.size + 16 for name in names]
    if sum(widths) > LONGEST:
        return down
    line = [sum(widths[:i]) + own / 2 for i, own in enumerate(widths)]
    if from_right("".join(names)):
        line = [sum(widths) - x for x in line]
    return join(picture(ACROSS, names, chosen, shares, line, (round(sum(widths)), 220), title, about), down)


def picture(
    way: Way,
    names: Sequence[str],
    chosen: int,
    shares: Sequence[float],
    places: Sequence[float],
    size: tuple[int, int],
    title: str,
    about: str,
) -> Html:
    """Words at their places, each with its share in whole percents, and an arc from the asked one to every other."""
    most, start = max(shares), places[chosen]
    far = max(1, *(abs(place - start) for place in places))
    marks = []
    for share, end in sorted(zip(shares, places, strict=True)):  # thick ones above
        if end != start and share >= LEAST:
            thick = max(1.2, min(1, share) * way.thickest)
            out = max(4, (way.room - thick) * (0.3 + 0.7 * abs(end - start) / far)) / 0.75
            points = (way.point(start, 0), way.point(start, out), way.point(end, out), way.point(end, 0))
            path = "M{} C{} {} {}".format(*(f"{x:.1f} {y:.1f}" for x, y in points))
            marks.append(el("path", d=path, stroke_width=f"{thick:.1f}", class_="most" if share == most else None))
    for i, (name, share, place) in enumerate(zip(names, shares, places, strict=True)):
        kind = "asked" if i == chosen else "most" if share == most else None
        texts = ((name, way.name_at, way.size, kind), (percent(share, 1), way.share_at, 15, "share"))
        for text, behind, letters, of in texts[: 2 if share >= WRITTEN else 1]:
            x, y = way.point(place, -behind)
            at = {"x": round(x, 1), "y": round(y, 1), "font_size": letters}
            marks.append(
                el("text", text, **AS_IS, text_anchor=way.anchor, dominant_baseline="central", class_=of, **at)
            )
    labels = [el("title", title, id=f"{way.name}-title"), el("desc", about, id=f"{way.name}-desc")]
    by = {"aria_labelledby": f"{way.name}-title", "aria_describedby": f"{way.name}-desc", "role": "img"}
    return el("svg", *labels, *marks, class_=way.name, viewBox=f"0 0 {size[0]} {size[1]}", width=size[0], **by)


def width(name: str) -> int:
    """How many letters of usual width a word takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in name)


def fitting(name: str) -> str:
    """A word cut to the width of a column."""
    end = next((i for i in range(len(name)) if width(name[: i + 1]) > LETTERS), len(name))
    return name if end == len(name) else f"{name[: end - 1]}…"


def from_right(text: str) -> bool:
    """Whether a text begins from the right."""
    kinds = (unicodedata.bidirectional(letter) for letter in text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"
