"""The pictures of a report: each a figure of one panel, drawn as a figure for a paper is, with its numbers beside."""

import base64
import csv
import html
import json
from dataclasses import replace

import numpy as np

from encoder.metrics.cells import largest_pair
from encoder.model.steps.step import PAIRS, Step
from encoder.pictures.figures.masked import unmasked
from encoder.pictures.figures.steps import kind_of
from encoder.pictures.paper.files import PaperFigure
from encoder.pictures.paper.from_drawn import of_drawn
from encoder.pictures.paper.panel import HeatMap, Panel, heat_map
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.registry.steps import step_picture
from encoder.pictures.report.template import FIGURE
from encoder.support.formatting import short
from encoder.support.theme import Theme
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

HIGHEST = 240.0  # mm of a picture: what has room on a sheet of A4


def overview(trace: Trace) -> Panel:
    """Every head of every layer, a layer in each row."""
    maps = [
        heat_map(weights, trace.tokens, trace.tokens, "share", title=f"L{layer} H{head}")
        for layer in range(trace.config.n_layers)
        for head, weights in enumerate(trace.array(f"layers.{layer}.attention.weights"))
    ]
    return Panel("", "", tuple(maps), across=trace.config.n_heads)


def look(encoder: TextEncoder, trace: Trace, step: Step) -> tuple[Panel, str]:
    """The picture of a step, of all its heads, and its main fact."""
    whole = step_picture(encoder, trace, step.name)
    if step.single or step.shape[-1] == "vocab":
        return untitled(of_drawn("", "", whole.figure())), whole.sentence
    values, rows, columns = trace.array(step.name), step.rows(trace.tokens), step.columns(trace.tokens)
    shown = unmasked(values, step, trace.config)
    if "H" not in step.shape:
        return Panel("", "", (heat_map(shown, rows, columns, kind_of(step)),)), whole.sentence
    largest = float(np.abs(shown[np.isfinite(shown)]).max(initial=0.0))
    maps = [
        heat_map(one, rows, columns, kind_of(step), title=f"head {head}", largest=largest)
        for head, one in enumerate(shown)
    ]
    best = max(range(len(values)), key=lambda head: most_telling(trace, step, shown[head]))
    return Panel("", "", tuple(maps)), f"Head {best}: {step_picture(encoder, trace, step.name, best).sentence}"


def scale_of(panel: Panel) -> str:
    """The ends of its colours in words; empty where the maps have words in their cells, and for charts."""
    one = panel.maps[0] if panel.maps and not panel.maps[0].cells else None
    return f"{short(one.low)} to {short(one.high)}" if one else ""


def untitled(panel: Panel) -> Panel:
    """The panel without a title: the page says it."""
    return replace(panel, title="")


def most_telling(trace: Trace, step: Step, values: np.ndarray) -> float:
    """By what the head is chosen that is spoken of: its largest number; of weights, that between two words."""
    if step.values == "share" and step.shape == PAIRS:
        return float(values[largest_pair(values, trace.tokenization.special)])
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def drawing(panel: Panel, key: str, words: str, theme: Theme = "light") -> str:
    """A picture with its caption and its numbers; no data can end the script they stand in."""
    sheet = Sheet(theme=theme, alt=words, in_page=True)
    made = PaperFigure((panel,), sheet)
    if made.height > HIGHEST:
        sheet = replace(sheet, height=HIGHEST)
        made = PaperFigure((panel,), sheet)
    data = json.dumps(packed(made)).replace("<", "\\u003c")
    hint = "Point at a cell to read its number." if panel.maps else ""
    said = {"key": html.escape(key), "words": html.escape(words), "hint": hint, "numbers": table(panel)}
    return FIGURE.format(svg=made.svg(), data=data, **said)


def packed(made: PaperFigure) -> dict[str, object]:
    """The numbers of a picture and where its maps stand, as shares of its sides."""
    (panel,), wide, high = made.panels, made.width, made.height
    maps = []
    for one, box in zip(panel.maps, made.placed.maps(), strict=True):
        at = (box.x / wide, box.y / high, box.wide / wide, box.high / high)
        maps.append(packed_map(one) | {"at": [round(side, 5) for side in at]})
    return {"maps": maps}


def packed_map(one: HeatMap) -> dict[str, object]:
    """A map as JSON: its numbers as bytes of float32, row by row."""
    numbers = base64.b64encode(np.ascontiguousarray(one.values, dtype="<f4").tobytes()).decode()
    return {
        "title": one.title, "rows": one.rows, "columns": one.columns, "shape": one.shape, "values": numbers,
        "cells": one.cells,
    }  # fmt: skip


def table(panel: Panel) -> str:
    """The numbers of a chart, folded; those of maps are read by pointing at them."""
    if not panel.numbers:
        return ""
    rows = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>"
        for row in csv.reader(panel.numbers.splitlines())
    )
    return f"<details><summary>Numbers</summary><table>{rows}</table></details>"
