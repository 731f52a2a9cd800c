"""What the browser does where a person arrives at a step.

A page opens at its top, and so do a lesson, a part of the page of lessons and, on the page of models, another model;
who cannot see the screen is told where they are. Where the browser turns from light to dark, the page is drawn again:
its pictures are drawn for one of the two.
"""

from pages.ui.component import component
from pages.ui.state import session_state as state
from pages.ui.state.site import Page
from pages.ui.state.walk import Place

_component = component(__file__, "arrival", "<p role='status' aria-live='polite'></p>")


def draw(page: Page, at: Place | None) -> None:
    """Tell the browser which page and step it shows."""
    said = page.title if at is None else f"{at.said}: {at.here.title}"
    view = state.current()
    part = view.model if page.key == "your_model" else dict(view.choices).get("lessons_part", "")
    shows = f"{page.key} {bool(view.lesson)} {part}"
    _component(
        key="arrival",
        data={"page": shows, "said": said},
        on_colours_change=lambda: None,
    )
