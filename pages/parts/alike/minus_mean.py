"""What taking the mean of a corpus off both vectors does to their cosine."""

import numpy as np

from encoder.attributions.similarity import Centred, Likeness
from encoder.export.caption import About
from encoder.figures.charts import term_bars
from encoder.metrics import SENTENCES
from pages.ui.components.chart import chart
from pages.ui.text import heading, say, theme


def draw(found: Centred, whole: Likeness, about: About) -> None:
    """The terms of the second view beside the first one's number."""
    heading("What the mean takes away")
    values = np.array(list(found.terms.values()))
    chart(
        term_bars(values, list(found.terms), theme()),
        "alike_terms",
        "The terms of (a - m) · (b - m)",
        about,
        numbers=True,
        made="centred(a, b, mean_vector(enc, SENTENCES)).terms",
    )
    say(
        f"With a and b the two vectors and m the mean of {len(SENTENCES)} sentences, the four terms, each over the "
        f"lengths of a - m and b - m, add up to {found.cosine:.4f}. As they are the vectors have {whole.cosine:.4f}.",
        "m · m is what all sentences have in common, and it says nothing of these two. This is another number, and no "
        "correction of the first.",
    )
