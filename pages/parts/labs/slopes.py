"""How steep softmax is over random scores, by the width of a head."""

import numpy as np

from encoder.export.caption import About
from encoder.figures.charts import lines
from encoder.figures.drawn import numbers_of
from encoder.formatting import brief
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import heading, say, theme


def draw() -> None:
    """The length of softmax's gradient with the division by sqrt(d_head), and without."""
    heading("The gradient with the division, and without")
    found = session.lab("softmax_slopes")
    x = np.array([one.d_head for one in found])
    series = {"divided": [one.with_ for one in found], "not divided": [one.without for one in found]}
    curves = {name: np.array(values) for name, values in series.items()}
    drawn = lines(curves, x, ("d_head", "length of the gradient"), logarithmic=(True, False), theme=theme())
    last = found[-1]
    fact = (
        f"At d_head = {last.d_head} the gradient of softmax is {brief(last.with_)} long with the division and "
        f"{brief(last.without)} without: where softmax is all or nothing, little can be learned through it."
    )
    chart(
        drawn,
        "slopes",
        fact,
        About(scope="random queries and keys, seed 0"),
        made="[one.with_ for one in softmax_slopes()]",
    )
    say(fact)
    downloads.of_figure("slopes", numbers_of(drawn))
