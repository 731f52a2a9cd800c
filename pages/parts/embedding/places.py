"""What tells the model where a word stands: how alike the vectors of two positions are."""

from encoder.pictures.registry.embedding import PLACES
from pages.ui import session
from pages.ui.picture import show
from pages.ui.text import heading


def draw() -> None:
    """The cosine between the vectors of every two positions."""
    if not session.now()["embedding.positions"].any():
        return
    heading("How alike two positions are")
    show(
        PLACES,
        more="The cosine between the position vectors of every two places. With sinusoidal positions it depends only "
        "on the distance between them: every diagonal has one colour.",
    )
