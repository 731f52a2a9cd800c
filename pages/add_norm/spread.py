"""How the numbers are spread before a norm and after it."""

from encoder.pictures.registry.add_norm import NORM_SIDES
from pages.ui.picture import show
from pages.ui.text import heading


def draw() -> None:
    """All numbers of all tokens that go into one norm of the layer, and all that come out."""
    heading("All numbers before the norm and after it")
    show(
        NORM_SIDES,
        more="To see the same weights with their norms in the other place, open their order in Lessons, Labs.",
    )
