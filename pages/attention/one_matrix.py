"""One matrix for all heads is a matrix for each head."""

import pandas as pd

from encoder.experiments import one_matrix
from encoder.support.formatting import agreement, brief
from pages.ui import session
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import say
from pages.ui.widgets import fold

NAMES = {"q": "queries", "k": "keys", "v": "values"}


def draw() -> None:
    """Queries, keys and values made by one matrix, and made again head by head, folded."""
    config = session.now().config
    h, width, rows = config.n_heads, config.d_head, config.d_model
    fold(f"One matrix of {rows} × {h * width} is {h} matrices of {rows} × {width}", "one_matrix", compared)


def compared() -> None:
    """How far the two ways are apart, by head."""
    found = one_matrix(session.now(), state.current().layer)
    width = found[0].cut[-1]
    table = pd.DataFrame(
        {NAMES[one.name]: [brief(float(apart)) for apart in one.apart] for one in found},
        index=pd.Index([f"head {i}" for i in range(len(found[0].apart))], name="largest difference"),
    )
    downloads.shown_table(table, key="one_matrix_table")
    agreed = ", ".join(f"{NAMES[one.name]} {agreement(float(one.apart.max()), one.size)}" for one in found)
    say(
        f"Made head by head and made by the one matrix they agree: {agreed}.",
        f"Columns 0 to {width - 1} of the one matrix belong to head 0, the next {width} to head 1, and so on.",
    )
