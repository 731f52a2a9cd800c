"""The guess while words go, the one with the largest share first."""

import numpy as np

from encoder.attributions.gradients import Baseline
from encoder.attributions.target import Target
from encoder.attributions.why import Why
from encoder.export.caption import About
from encoder.figures.charts import lines
from pages.ui.components.chart import chart
from pages.ui.text import heading, theme


def draw(found: Why, name: str, about: About, target: Target, baseline: Baseline) -> None:
    """A line from this run to the one in which all words are gone."""
    heading("The guess while words go")
    titles = ("tokens taken away, the largest share first", "logit")
    drawn = lines({name: found.deleted.numpy()}, np.arange(len(found.deleted)), titles, theme=theme())
    alt = f"{name} while the tokens with the largest shares go"
    made = f"deletion(enc, t, {target}, {found.order}, {baseline!r})"
    chart(drawn, "why_deleted", alt, about, numbers=True, made=made)
