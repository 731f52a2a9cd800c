"""Where a model's parameters are, as bars."""

import numpy as np

from encoder.explain.cost import Part, by_kind
from encoder.export.caption import About
from encoder.figures.charts import token_bars
from encoder.formatting import percent
from encoder.trace.source import Source
from pages.ui.components.chart import chart
from pages.ui.text import say, theme


def draw(parts: list[Part], source: Source) -> None:
    """A bar for each kind of part, and the largest in a sentence."""
    counts = by_kind(parts)
    most = max(counts, key=lambda kind: counts[kind])
    fact = (
        f"Most parameters are in the {most}: {counts[most]:,}, {percent(counts[most] / sum(counts.values()))} of all."
    )
    bars = token_bars({"parameters": np.array([*counts.values()])}, [*counts], title="parameters", theme=theme())
    chart(bars, "kinds", fact, About(source=source, scope="All of its layers together"), numbers=True,
          made="by_kind(parameters(enc.model))")  # fmt: skip
    say(fact)
