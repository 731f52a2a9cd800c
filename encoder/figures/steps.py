"""The picture of any step of the catalogue, the same on a page, in a report and in a notebook."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from encoder.figures.charts import likeliest, token_bars
from encoder.figures.drawn import Drawn
from encoder.figures.facts import main_fact
from encoder.figures.matrix import matrix
from encoder.figures.theme import Kind, Theme
from encoder.steps.step import PAIRS, PER_TOKEN, Step
from encoder.trace.trace import Trace

BEST_WORDS = 5


@dataclass(frozen=True)
class Picture:
    """What is drawn of a step: values [rows, columns] of one head or of all tokens.

    `largest` is the end of the colour scale, that of the values without it; `special` marks the tokens, among rows and
    columns alike, that are not words.
    """

    step: Step
    values: np.ndarray
    rows: list[str]
    columns: list[str] | str
    kind: Kind
    largest: float | None = None
    special: tuple[bool, ...] = ()

    def draw(self, theme: Theme = "light") -> Drawn:
        """The figure: bars for one number per token, else a matrix."""
        if self.step.shape == PER_TOKEN:
            return token_bars({self.step.title: self.values[:, 0]}, self.rows, title=self.step.title, theme=theme)
        pairs = self.step.shape == PAIRS
        return matrix(
            self.values, self.rows, self.columns, kind=self.kind, theme=theme, largest=self.largest,
            row_title="query (looks)" if pairs else "", column_title="key (is looked at)" if pairs else "",
        )  # fmt: skip

    def fact(self) -> str:
        """What stands out in it, in one sentence."""
        return main_fact(self.values, self.rows, self.columns, self.kind, self.special)


def picture(trace: Trace, step: Step, head: int, lock: bool = False) -> Picture:
    """The part of a step that fits a picture: one head of several, a row for each token.

    With `lock` the colour scale is that of all heads together.
    """
    values = trace.array(step.name)
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0)) if lock else None
    if "H" in step.shape:
        values = values[head]
    if step.shape == PER_TOKEN:
        values = values[:, None]
    special = tuple(trace.tokenization.special)
    return Picture(step, values, trace.tokens, step.columns(trace.tokens), kind_of(step), largest, special)


def kind_of(step: Step) -> Kind:
    """How the values of a step are coloured."""
    kinds: dict[str, Kind] = {"signed": "signed", "share": "share", "positive": "positive"}
    return kinds[step.values]


def draw_step(what: Picture, step: Step, theme: Theme = "light") -> Drawn:
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
