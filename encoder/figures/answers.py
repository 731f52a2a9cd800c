"""What a class answered, as dots on the picture that it was asked about: one dot for each answer, and what is right."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from encoder.export.tables import columns
from encoder.figures.drawn import Drawn, draw, mark
from encoder.theme import ACCENT, GRID, INK, SECOND, TILTED, Theme, labels, layout, number_axis, scale, token_axis

MOST_DOTS = 30  # above each other; of more answers each dot stands for several
PLACES = 40  # of a range of numbers, at which dots stand
MODEL = "model"  # what its own numbers are called beside the votes
VOTES = ((ACCENT, "circle", -0.17), (SECOND, "diamond", 0.17))  # colour, look and place beside each other


def places(low: float, high: float, answers: Sequence[float]) -> list[float]:
    """Where the dots of answers from a range stand."""
    width = (high - low) / PLACES
    return [low + width * round((answer - low) / width) for answer in answers]


def dots(places: Sequence[float], shift: float, each: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Where the dots of a vote stand: one for `each` answers, above each other at the answer's place.

    The topmost of a place bears the number of all its answers.
    """
    x, y, counts = list[float](), list[float](), list[str]()
    for place, count in sorted(Counter(places).items()):
        high = -(-count // each)
        x += high * [place + shift]
        y += [i + 0.5 for i in range(high)]
        counts += [*(high - 1) * [""], str(count)]
    return np.array(x, np.float32), np.array(y, np.float32), counts


def votes_of(votes: Mapping[str, Sequence[float]], shift: float, theme: Theme) -> tuple[list[dict[str, object]], int]:
    """The dots of up to two votes beside each other by `shift`, and how many stand above each other at most."""
    highest = max((count for places in votes.values() for count in Counter(places).values()), default=0)
    each = max(1, -(-highest // MOST_DOTS))
    marks = []
    for (name, places), (colour, look, side) in zip(votes.items(), VOTES[: len(votes)], strict=True):
        x, y, counts = dots(places, side * shift * (len(votes) > 1), each)
        said = name if each == 1 else f"{name}, a dot for {each}"
        marks.append(
            mark("scatter", x=x, y=y, name=said, mode="markers+text", text=counts, textposition="top center",
                 hoverinfo="name", cliponaxis=False, textfont={"color": colour[theme]},
                 marker={"color": colour[theme], "symbol": look, "size": 9})
        )  # fmt: skip
    return marks, -(-highest // each)


def chosen(
    names: list[str],
    votes: Mapping[str, Sequence[float]],
    *,
    right: int | None = None,
    values: Sequence[float] = (),
    theme: Theme = "light",
) -> Drawn:
    """Dots over the `names` that were chosen, by their places; below them the model's own row, where there is one.

    Args:
        names: what could be chosen.
        votes: up to two votes by name, each the places that were chosen.
        right: the place of the right one, framed; None where that is not to be seen.
        values: the model's shares of each, such as a row of attention, drawn as the row of a map.
        theme: light or dark.
    """
    marks, highest = votes_of(votes, 1.0, theme)
    if values:
        places, foot = np.arange(len(names)), np.array([-0.75], np.float32)
        row = mark("heatmap", z=np.array([values], np.float32), x=places, y=foot, zmin=0.0, zmax=1.0, dy=1.0,
                   colorscale=scale("share", theme), showscale=False,
                   hovertemplate="%{x}<br>%{z:.1%}<extra></extra>")  # fmt: skip
        marks.insert(0, row)
    low = -1.35 if values else -0.2
    down = number_axis("answers", theme) | {"range": [low, highest + 1.2], "showticklabels": False}
    frame = layout(theme, max(220, min(520, 140 + 14 * highest)), xaxis=token_axis(names, None) | TILTED, yaxis=down)
    frame |= {"showlegend": True, "legend": {"orientation": "h", "y": 1.15}}
    if right is not None:
        frame["shapes"] = [frame_of(right - 0.5, right + 0.5, low, highest + 1.1, theme)]
    counted = {name: np.array([Counter(places)[i] for i in range(len(names))]) for name, places in votes.items()}
    more = {MODEL: np.array(values)} if values else {}
    return draw(marks, frame, lambda: columns("answer", labels(names, 40), counted | more))


def on_a_line(
    low: float, high: float, votes: Mapping[str, Sequence[float]], *, right: float | None = None, theme: Theme = "light"
) -> Drawn:
    """Dots on the range of numbers that could be answered; a line stands at the `right` one, where it is given."""
    width = (high - low) / PLACES
    binned = {name: places(low, high, said) for name, said in votes.items()}
    marks, highest = votes_of(binned, 1.5 * width, theme)
    across = number_axis("answer", theme) | {"range": [low - width, high + width]}
    down = number_axis("answers", theme) | {"range": [0, highest + 1.2], "showticklabels": False}
    frame = layout(theme, max(200, min(520, 130 + 14 * highest)), xaxis=across, yaxis=down | {"gridcolor": GRID[theme]})
    frame |= {"showlegend": True, "legend": {"orientation": "h", "y": 1.15}}
    if right is not None:
        line = {"color": INK[theme], "width": 2, "dash": "dash"}
        frame["shapes"] = [{"type": "line", "x0": right, "x1": right, "y0": 0, "y1": highest + 1.2, "line": line}]
    answered = np.array(sorted({place for said in binned.values() for place in said}))
    counted = {name: np.array([Counter(said)[place] for place in answered]) for name, said in binned.items()}
    return draw(marks, frame, lambda: columns("answer", answered, counted))


def frame_of(x0: float, x1: float, y0: float, y1: float, theme: Theme) -> dict[str, object]:
    """A frame around what is right."""
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": INK[theme], "width": 2}}
