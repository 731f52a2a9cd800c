"""The picture of any step of the catalogue, the same on a page, in a report and in a notebook."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from encoder.export.tables import grid
from encoder.figures.charts import likeliest, token_bars
from encoder.figures.drawn import Drawn
from encoder.figures.facts import drawn_fact, main_fact
from encoder.figures.masked import unmasked
from encoder.figures.matrix import matrix
from encoder.formatting import short
from encoder.metrics.kinds import tokens_drawn
from encoder.selection import Choice, Selection
from encoder.steps.step import PAIRS, Step
from encoder.theme import Kind, Theme
from encoder.trace.trace import Trace

BEST_WORDS = 5


@dataclass(frozen=True)
class StepPicture:
    """What is drawn of a step: values [rows, columns] of one head or of all tokens.

    `largest` is the end of the colour scale, that of the values without it; `special` marks the tokens, among rows and
    columns alike, that are not words. `shown` are the values as they are coloured, minus infinity where they are
    masked, and `mask` is what stands there. `seen` are the tokens that are drawn, where they are not all.
    """

    step: Step
    values: np.ndarray
    rows: list[str]
    columns: list[str] | str
    kind: Kind
    largest: float | None = None
    special: tuple[bool, ...] = ()
    shown: np.ndarray | None = None
    mask: float = -math.inf
    seen: Selection | None = None

    @property
    def coloured(self) -> np.ndarray:
        """The values as they are coloured."""
        return self.values if self.shown is None else self.shown

    def draw(self, theme: Theme = "light") -> Drawn:
        """The figure: bars for one number per token, else a matrix."""
        if self.step.single:
            return token_bars({self.step.title: self.values[:, 0]}, self.rows, title=self.step.title, theme=theme)
        pairs = self.step.shape == PAIRS
        titles = ("query (looks)", "key (is looked at)") if pairs else ("", "")
        if self.seen is not None and not self.seen.whole:
            names, at, values = self.seen.drawn, self.seen.at, self.seen.cut(self.values)
            figure = matrix(
                self.seen.cut(self.coloured), names, names, kind=cut_kind(self.kind), theme=theme,
                row_title=titles[0], column_title=titles[1], largest=self.largest, at=at,
            )  # fmt: skip
            figure.numbers = lambda: grid(values, names, names, at)
            return figure
        figure = matrix(
            self.coloured, self.rows, self.columns, kind=self.kind, theme=theme, largest=self.largest,
            row_title=titles[0], column_title=titles[1],
        )  # fmt: skip
        figure.numbers = lambda: grid(self.values, self.rows, self.columns)
        return figure

    def fact(self) -> str:
        """What stands out in it, in one sentence."""
        mask = "minus infinity" if math.isinf(self.mask) else short(self.mask)
        if self.seen is not None and not self.seen.whole:
            return drawn_fact(self.seen, self.coloured, self.kind)
        return main_fact(self.coloured, self.rows, self.columns, self.kind, self.special, mask)


def picture(trace: Trace, step: Step, head: int, lock: bool = False, choice: Choice = "all") -> StepPicture:
    """The part of a step that fits a picture: one head of several, a row for each token.

    With `lock` the colour scale is that of all heads together. `choice` says which tokens are drawn of a step from
    token to token; its colours then run up to the largest value drawn.
    """
    values = trace.array(step.name)
    shown = unmasked(values, step, trace.config)
    chosen = tokens_drawn(trace, choice) if step.shape == PAIRS and choice != "all" else None
    seen = chosen.cut(shown) if chosen else shown
    finite = np.abs(seen[np.isfinite(seen)])
    largest = float(finite.max(initial=0.0)) if lock else None
    if "H" in step.shape:
        values, shown = values[head], shown[head]
    if step.single:
        values = shown = values[:, None]
    special = tuple(trace.tokenization.special) if "n" in step.shape else ()
    columns, mask = step.columns(trace.tokens), trace.config.mask_value
    return StepPicture(
        step, values, step.rows(trace.tokens), columns, kind_of(step), largest, special, shown, mask, chosen
    )


def kind_of(step: Step) -> Kind:
    """How the values of a step are coloured."""
    kinds: dict[str, Kind] = {"signed": "signed", "share": "share", "positive": "positive"}
    return kinds[step.values]


def cut_kind(kind: Kind) -> Kind:
    """How values are coloured of which some are left out: what is drawn of shares runs up to the largest of it."""
    return "positive" if kind == "share" else kind


def draw_step(what: StepPicture, step: Step, theme: Theme = "light") -> Drawn:
    """The figure of a step's picture: `what.draw(theme)`."""
    return what.draw(theme)


def draw_best_words(
    trace: Trace, step: Step, word: Callable[[int], str | None], theme: Theme = "light"
) -> tuple[Drawn, list[list[int]]]:
    """The likeliest words of a step over the vocabulary, and their ids [n, 5]; `word` names an id."""
    top = trace[step.name].topk(BEST_WORDS)
    ids: list[list[int]] = top.indices.tolist()
    names = [[str(word(i)) for i in row] for row in ids]
    return likeliest(names, top.values.numpy(), trace.tokens, kind=kind_of(step), theme=theme), ids


def title(step: Step, head: int) -> str:
    """The step with the layer and head it is shown for."""
    where = [f"layer {step.layer}"] if step.layer is not None else []
    where += [f"head {head}"] if "H" in step.shape else []
    return f"{step.title} ({', '.join(where)})" if where else step.title
