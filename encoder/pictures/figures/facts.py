"""What a picture is called and says in one sentence, for the eye and the screen reader; and which cells stay blank."""

from collections.abc import Sequence

import numpy as np

from encoder.metrics.weight_matrices import largest_pair
from encoder.model.config import EncoderConfig
from encoder.model.steps.step import Step
from encoder.support.formatting import percent, short, shown, where
from encoder.support.selection import Selection
from encoder.support.theme import Kind


def place(names: list[str] | str, i: int) -> str:
    """How a row or column is called in a sentence."""
    return f"“{names[i]}” ({i})" if isinstance(names, list) else f"{names} {i}"


def main_fact(
    values: np.ndarray,
    rows: list[str],
    columns: list[str] | str,
    kind: Kind,
    special: Sequence[bool] = (),
    mask: str = "minus infinity",
) -> str:
    """What stands out in values [rows, columns]: the column that gets most of the weight, or the extreme cell.

    `special` marks the tokens, among rows and columns alike, that are not words: [CLS], [SEP], padding. `mask` is what
    the hidden cells hold.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return "No value here is a finite number."
    if kind == "share":
        received = values.mean(0)
        top = int(received.argmax())
        if received[top] > 0.5 and len(rows) > 1:
            return f"On average a row gives {percent(float(received[top]))} of its weight to {place(columns, top)}."
        apart = special if isinstance(columns, list) and not all(special) else ()
        i, j = largest_pair(values, apart)
        sentence = f"{place(rows, i)} puts {percent(float(values[i, j]))} on {place(columns, j)}"
        if not any(apart):
            return f"{sentence}, the largest weight."
        share = percent(float(received[np.asarray(special)].sum()))
        return f"{sentence}, the largest weight between two words; {share} of all weight goes to special tokens."
    if finite.all() and values.min() == values.max():
        return f"Every value is {short(float(values.min()))}."
    size = np.where(finite, np.abs(values), -1.0)
    row, column = (int(k) for k in np.unravel_index(size.argmax(), size.shape))
    least, most = short(float(values[finite].min())), short(float(values[finite].max()))
    where = place(rows, row) + (f", {place(columns, column)}" if values.shape[1] > 1 else "")
    sentence = f"Values go from {least} to {most}; the strongest is at {where}."
    blank = int((~finite).sum())
    return sentence + (f" {blank} masked cells are {mask} and stay blank." if blank else "")


def drawn_fact(chosen: Selection, values: np.ndarray, kind: Kind) -> str:
    """What stands out among the cells drawn of values [n, n], and what is left out."""
    seen = chosen.cut(values)
    if not np.isfinite(seen).any():
        return f"No value drawn here is a finite number. {chosen.sentence()}"
    size = np.where(np.isfinite(seen), seen if kind == "share" else np.abs(seen), -1.0)
    i, j = largest_pair(size)
    row, column = place(list(chosen.names), chosen.at[i]), place(list(chosen.names), chosen.at[j])
    if kind == "share":
        sentence = f"{row} puts {percent(float(seen[i, j]))} on {column}, the largest weight drawn."
        return f"{sentence} {chosen.sentence(values)}"
    return f"The strongest value drawn is {short(float(seen[i, j]))}, at {row}, {column}. {chosen.sentence()}"


def strongest_map(
    maps: Sequence[np.ndarray],
    titles: Sequence[str],
    names: Sequence[str],
    kind: Kind,
    special: Sequence[bool] = (),
    at: Sequence[int] | None = None,
) -> str:
    """Which of several maps of pairs of tokens, each [n, n], has the largest number, and where.

    `special` marks the tokens that are not words, between which no weight counts; `at` are the positions of the tokens
    where they are some of many. What is no finite number counts as none.
    """
    places = range(len(names)) if at is None else at
    apart = kind != "signed" and any(special) and not all(special)
    words = np.flatnonzero(~np.asarray(special)) if apart else np.arange(len(names))
    values = np.stack(maps)
    size = np.abs(values[:, words[:, None], words] if apart else values)
    size[~np.isfinite(size)] = -1.0
    number, row, column = (int(k) for k in np.unravel_index(size.argmax(), size.shape))
    if size[number, row, column] < 0:
        return "No value here is a finite number."
    i, j = int(words[row]), int(words[column])
    value = float(maps[number][i, j])
    looks, looked_at = (f"“{shown(names[k])}” ({places[k]})" for k in (i, j))
    if kind == "signed":
        return (
            f"Of {len(values)} maps {titles[number]} has the strongest value, {short(value)}, at {looks}, {looked_at}."
        )
    between = "between two words, " if apart else ""
    weight = f"the largest weight, {between}{percent(value)}"
    return f"Of {len(values)} maps {titles[number]} has {weight}: {looks} looks at {looked_at}."


def unmasked(values: np.ndarray, step: Step, config: EncoderConfig) -> np.ndarray:
    """The values with minus infinity where a step's mask put its own, that or the low number that the model has."""
    hides = step.operation in ("mask", "window")
    return np.where(values == np.float32(config.mask_value), np.float32(-np.inf), values) if hides else values


def kind_of(step: Step) -> Kind:
    """How the values of a step are coloured."""
    kinds: dict[str, Kind] = {"signed": "signed", "share": "share", "positive": "positive"}
    return kinds[step.values]


def title(step: Step, head: int) -> str:
    """The step with the layer and head it is shown for."""
    at = where(step.layer, str(head) if "H" in step.shape else "")
    return f"{step.title} ({at})" if at else step.title
