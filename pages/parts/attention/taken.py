"""What one token takes from each other one."""

from encoder.pictures.registry.attention import QUERY, TAKEN
from pages.ui import session
from pages.ui.picture import show
from pages.ui.text import heading
from pages.ui.widgets import pick_token


def draw() -> None:
    """The values of all tokens times the weights that the chosen token gives them."""
    heading("What one token takes from each")
    pick_token("Token", session.now().tokens, QUERY.key)
    show(
        TAKEN,
        more="Each row is that token's value times the weight it gets here. They add up to the row of the picture "
        "above.",
    )
