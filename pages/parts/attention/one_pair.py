"""The query and the key behind one score: the products of their numbers."""

from encoder.metrics.softmax import Setting
from encoder.pictures.registry.attention import PRODUCTS
from encoder.pictures.registry.grids import ATTENTION_GRID, GRID, pair_in_grid
from encoder.pictures.view import Cell
from pages.ui.picture import ask, show
from pages.ui.state import session_state as state
from pages.ui.state.session_state import remember
from pages.ui.step import opened
from pages.ui.widgets import fold


def draw() -> None:
    """The products, folded."""
    fold("The query and the key of one pair, product by product", "products", draw_products)


def draw_products() -> None:
    """The query, the key and their products, of the pair that is chosen in the grid or opened."""
    i, j, setting = pair_in_grid(ask(ATTENTION_GRID))
    show(
        PRODUCTS,
        more="Choose another pair in the picture at the top.",
        take=lambda row, dimension: open_strip((i, j), setting, row, dimension),
    )


def open_strip(pair: tuple[int, int], setting: Setting, row: int, dimension: int) -> None:
    """Open the number of the query or the key that was picked; of their products, the score that they add up to."""
    view = state.current()
    more = "" if setting.recorded else f",{setting.heat},{int(setting.scaled)}"
    remember(GRID.key, f"{pair[0]},{pair[1]}{more}", "")  # go on showing this pair, whichever number is opened next
    strips = (("attention.q", (pair[0], dimension)), ("attention.k", (pair[1], dimension)), ("attention.scores", pair))
    name, index = strips[min(row, 2)]
    opened.open_number(Cell(f"layers.{view.layer}.{name}", (view.head, *index)))
