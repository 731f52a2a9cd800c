"""Sections that several pages have: the tokens of a run, its costs, and the parts of a model."""

import pandas as pd

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.cost import parameters, step_costs
from encoder.trace.trace import Trace
from pages.ui.downloads import table as downloads
from pages.ui.text import WHOLE


def draw_parameters(encoder: TextEncoder) -> None:
    """Draw a table of every part of a model, its formula and its count."""
    rows = [
        {"part": part.name, "formula": part.formula, "by formula": part.by_formula, "counted": part.counted}
        for part in parameters(encoder.model)
    ]
    whole = dict.fromkeys(("by formula", "counted"), WHOLE)
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="parameters", column_config=whole)


def draw_costs(trace: Trace) -> None:
    """Draw a table of every step of a run: its shape, operations, memory and time."""
    rows = [
        {
            "step": cost.step.name,
            "shape": " × ".join(cost.step.shape),
            "for this sentence": " × ".join(map(str, cost.sizes)),
            "operations": cost.flops,
            "bytes": cost.new_bytes,
            "µs": round(cost.seconds * 1e6, 1),
        }
        for cost in step_costs(trace)
    ]
    whole = dict.fromkeys(("operations", "bytes"), WHOLE)
    downloads.shown_table(pd.DataFrame(rows), hide_index=True, key="steps", column_config=whole)
