"""The thumbnails of lessons and labs on their list: true pictures, each of a step or of what a lab shows first.

python -m tests.shipped.thumbnails [NAME ...]
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from encoder.pictures import labs
from encoder.pictures.ask import ask, model_called, run_now, text_of
from encoder.pictures.lab import pictures_of
from encoder.pictures.labs import LABS
from encoder.pictures.labs.training_lab import LAYERS, LEARNING_ONE, WARM_UP, WARM_UPS, learning
from encoder.pictures.link import from_query
from encoder.pictures.registry import pictures
from encoder.pictures.scene import Scene
from encoder.pictures.view import View
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.tasks.learning import learning_curves
from encoder.teach.lessons.lesson import LessonStep
from pages.front.lesson_steps import given_to
from pages.lessons.lesson_list import THUMBNAILS, of_lab
from pages.ui.lessons import library
from pages.ui.server import offered_models
from pages.ui.state.choice_names import names

WIDE, HIGH, ROOM = 184, 74, 4
LEVELS = 10  # of a colour
CELLS = (16, 46)  # down and across, at most
LINES, BARS = 4, 24  # at most
MAPS = (2, 4)  # heads of a layer
# The picture of a page; that of others is the step that a view names.
OF_PAGE = {"heads": "all_heads", "output": "lens", "compare": "alike_cosine", "models": "areas", "training": "grammar"}
WINDOWED = "built:mask_value=-1000000000.0,window=8,seed=0"
OTHER = {  # what a lab is drawn of, where the usual model lacks it
    "Gate signs": View(model="modern", layer=0, head=0),
    "Windows": View(model=WINDOWED, layer=1, head=0),
}


def view_of(query: Mapping[str, str]) -> View:
    """The view of an address, with the layer and head that its model opens with."""
    view, _ = from_query(query, offered_models.check, names())
    offer = offered_models.offer(view.model)
    return replace(view, layer=view.layer if "layer" in query else offer.layer,
                   head=view.head if "head" in query else offer.head)  # fmt: skip


def of_step(step: LessonStep) -> str:
    """The thumbnail of a step: the numbers that it measures, or what its page shows."""
    view = view_of(step.view)
    if step.trial:
        finding = labs.run(step.trial, model_called(view.model), given_to(step, view.sentence))
        if finding.picture:
            return of_numbers(finding.picture.kind, finding.picture.numbers.array)
    if step.page == library.HERE:
        return of_picture(next(pictures_of(LABS[step.view["lab"]].parts)).key, view)
    if step.page == "start" or (step.question and step.question.kind == "word"):
        return arcs(view, step.question.word if step.question else "")
    if step.page == "what_if":
        return of_picture("guess_changed" if "[MASK]" in view.sentence else "words_moved", view)
    key = OF_PAGE.get(step.page, "picture")
    return of_picture("all_heads" if view.model.startswith("mystery:") else key, view)


WEIGHTS = "attention.weights"


def arcs(view: View, word: str) -> str:
    """Where a head looks from a word: the one that is asked about, else the gap, else the one that the view names."""
    encoder = model_called(view.model)
    trace = run_now(view.model, text_of(view), view.hidden, "")
    words = [word for word in trace.tokenization.words if not trace.tokenization.special[word[0]]]
    named = word or (encoder.mask_token if encoder.mask_token in trace.tokens else "")
    start = trace.tokenization.find(named)[-1] if named else words[len(words) // 2][-1]
    row = trace[f"layers.{view.layer}.{WEIGHTS}"][view.head, start]
    shares = np.array([float(row[list(places)].sum()) for places in words])
    letters = np.array([len(trace.tokenization.spelled(places)) + 2 for places in words])
    ends = np.concatenate([[0], letters.cumsum()]) / letters.sum() * (WIDE - 2 * ROOM) + ROOM
    middles, at = (ends[:-1] + ends[1:]) / 2, next(i for i, places in enumerate(words) if start in places)
    most, foot = int(shares.argmax()), HIGH - 14
    inside = []
    for i in np.argsort(shares, kind="stable"):
        if i == at or shares[i] < 0.01:
            continue
        radius = abs(middles[i] - middles[at]) / 2
        width = 0.8 + 5 * shares[i]
        left, right = sorted((middles[i], middles[at]))
        arc = f"M{left:.0f} {foot}A{radius:.1f} {min(radius, foot - ROOM):.1f} 0 0 1 {right:.0f} {foot}"
        inside.append(f'<path class="line{"" if i == most else " quiet"}" stroke-width="{width:.1f}" d="{arc}"/>')
    for i, (left, right) in enumerate(pairwise(ends)):
        kind = "for" if i in (at, most) else "quiet"
        inside.append(f'<rect class="{kind}" x="{left + 1:.0f}" y="{foot + 4}" width="{right - left - 2:.0f}" '
                      f'height="5" rx="2.5"/>')  # fmt: skip
    return svg(*inside)


def trained(scene: Scene) -> dict[Any, Any]:
    """How small models learn, which takes a minute."""
    *_, all_curves = learning_curves(scene[LAYERS], WARM_UPS[scene[WARM_UP]])
    return {learning(scene, kind): curve for kind, curve in all_curves.curves.items()}


def of_picture(key: str, view: View) -> str:
    """What a picture of the library shows of a view, with few cells, bars or lines."""
    picture = pictures()[key]
    scene = ask(picture, view)
    answer = picture.of(scene, known=trained(scene) if picture is LEARNING_ONE else None)
    values, kind = answer.numbers.array, answer.kind
    if kind == "maps":
        return maps(np.nan_to_num(values[view.layer]))
    if kind == "words":
        return bars(values[:, 0][None])  # the share of what is likeliest
    return of_numbers(kind, values)


def of_numbers(kind: str, numbers: np.ndarray) -> str:
    """Numbers as lines, bars or cells."""
    values = np.nan_to_num(numbers.astype(np.float64))
    if kind == "curve":
        return lines(np.atleast_2d(values))
    return (
        bars(np.atleast_2d(values))
        if "bars" in kind or kind == "areas"
        else svg(*cells(values, ROOM, ROOM, WIDE - 2 * ROOM, HIGH - 2 * ROOM))
    )


def spread(count: int, most: int) -> np.ndarray:
    """At most so many places, evenly."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def cells(values: np.ndarray, left: float, top: float, wide: float, high: float, levels: int = LEVELS) -> Iterator[str]:
    """A matrix: blue for what is positive and warm for what is negative, in so many levels."""
    some = values[np.ix_(*(spread(count, most) for count, most in zip(values.shape, CELLS, strict=True)))]
    steps = np.round(some / max(np.abs(some).max(), 1e-9) * levels).astype(int)
    rows, columns = steps.shape
    yield f'<g transform="translate({left:g} {top:g}) scale({wide / columns:.3f} {high / rows:.3f})">'
    for level in sorted(set(steps.ravel().tolist()) - {0}):
        path = "".join(f"M{x} {y}h1v1h-1z" for y, x in np.argwhere(steps == level).tolist())
        yield f'<path class="{"for" if level > 0 else "against"}" fill-opacity="{abs(level) / levels:g}" d="{path}"/>'
    yield "</g>"


def maps(heads: np.ndarray) -> str:
    """The first heads of a layer."""
    rows, columns = MAPS if len(heads) > MAPS[1] else (1, len(heads))
    size = (HIGH - (rows + 1) * ROOM) / rows
    apart = (WIDE - columns * size) / columns
    parts = [
        part
        for i, head in enumerate(heads[: rows * columns])
        for part in cells(
            head, apart / 2 + i % columns * (size + apart), ROOM + i // columns * (size + ROOM), size, size, 5
        )
    ]
    return svg(*parts)


def bars(values: np.ndarray) -> str:
    """Bars side by side, up or down from zero; those of the lower of two series are pale."""
    drawn_of = values[:2, spread(values.shape[1], BARS)]
    some = np.stack(sorted(drawn_of, key=lambda series: -float(np.abs(series).sum())))
    top, low = max(some.max(), 0), min(some.min(), 0)
    scale = (HIGH - 2 * ROOM) / max(top - low, 1e-9)
    zero, room = ROOM + top * scale, (WIDE - 2 * ROOM) / some.shape[1]
    thick = min(14.0, room * 0.7 / len(some))
    drawn = [f'<path class="line quiet" d="M{ROOM} {zero:.1f}H{WIDE - ROOM}"/>']
    for (series, at), value in np.ndenumerate(some):
        x = ROOM + (at + 0.5) * room + (series - len(some) / 2) * thick
        y, kind = zero - max(value, 0) * scale, "quiet" if series else "for" if value >= 0 else "against"
        drawn.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{thick:.1f}" height="{abs(value) * scale:.1f}"/>'
        )
    return svg(*drawn)


def lines(values: np.ndarray) -> str:
    """Lines over the same places, the first one in front."""
    some = values[:LINES, spread(values.shape[1], CELLS[1])]
    low, high = some.min(), some.max()
    xs = np.linspace(2 * ROOM, WIDE - 2 * ROOM, some.shape[1])
    ys = HIGH - 2 * ROOM - (some - low) / max(high - low, 1e-9) * (HIGH - 4 * ROOM)
    drawn = []
    for i in reversed(range(len(some))):
        path = "L".join(f"{x:.0f} {y:.1f}" for x, y in zip(xs, ys[i], strict=True))
        drawn.append(f'<path class="line{" quiet" if i else ""}" stroke-width="{2 if i else 3}" d="M{path}"/>')
    return svg(*drawn)


def svg(*inside: str) -> str:
    """The file; the page that it stands on has its colours."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}">{"".join(inside)}</svg>\n'


def thumbnail(name: str) -> str:
    """That of a lesson or a lab, by the name of its file."""
    lesson = library.bundled().get(name)
    if lesson:
        return of_step(lesson.steps[lesson.card - 1])
    lab = next(lab for lab in LABS if of_lab(lab) == name)
    first = next(pictures_of(LABS[lab].parts), LEARNING_ONE)  # training is drawn by code of its own
    return of_picture(first.key, OTHER.get(lab, View()))


def every() -> list[str]:
    """All of them by name."""
    return [*library.bundled(), *map(of_lab, LABS)]


def make(given: list[str] | None) -> None:
    """Do what the command line asks for.

    Raises:
        EncoderError: there is no lesson or lab of a name.
    """
    line = CommandLine(
        prog="python -m tests.shipped.thumbnails", description="Draw the thumbnails of lessons and labs."
    )
    line.add_argument("names", nargs="*", metavar="NAME", help="a lesson or a lab by its file's name; all without one")
    wanted = line.parse_args(given).names
    if unknown := sorted({*wanted} - {*every()}):
        raise EncoderError(f"there is no lesson or lab {unknown[0]!r}")
    for each in wanted or every():
        whole_file.write(THUMBNAILS / f"{each}.svg", thumbnail(each).encode())
        print(each)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
