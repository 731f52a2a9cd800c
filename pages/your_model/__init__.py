"""Models: which model this is, what it costs, and the ways to another one."""

from pages.ui.widgets import apart, tabs
from pages.your_model import another, cost, glance, this_model


def draw() -> None:
    """Draw the page."""
    with apart():
        glance.draw()
        tabs({"This model": this_model.draw, "Cost": cost.draw, "Another model": another.draw}, "models_part")
