"""One row of the embedding table at every moment of training."""

from encoder.pictures.registry.learning import EMBEDDING_ROW, ROW_OF
from pages.ui.picture import ask, show
from pages.ui.widgets import pick_token


def draw() -> None:
    """The row of a chosen token as a picture, a line for each moment, and the words nearest to it then and now."""
    scene = ask(EMBEDDING_ROW)
    pick_token("Token", scene.t.tokens, ROW_OF.key, ROW_OF.usual(scene))
    show(EMBEDDING_ROW, more="Nobody wrote these numbers: training moved them, a little at each step.")
