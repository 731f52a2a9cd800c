"""The rail of the story: its chapters and stops by name, where a person is, and what was guessed."""

from collections.abc import Callable, Mapping
from itertools import groupby

from encoder.teach.story import StoryStop
from pages.ui.component import component
from pages.ui.state import session_state as state

_rail = component(__file__, "story_rail", "<nav class='rail' aria-label='The story'></nav>")


def draw(
    stops: tuple[StoryStop, ...], at: int, guesses: Mapping[int, int | None], on_choice: Callable[[int], None]
) -> None:
    """Draw it; `on_choice` gets the stop that a person picks, counted from 1."""

    def picked() -> None:
        said = state.picked("story_rail")
        if type(said) is int and 1 <= said <= len(stops):
            on_choice(said)

    numbered = enumerate(stops, 1)
    _rail(
        key="story_rail",
        on_picked_change=picked,
        data={
            "at": at,
            "chapters": [
                {
                    "name": name,
                    "stops": [{"number": i, "name": stop.name, "done": i in guesses} for i, stop in group],
                }
                for name, group in groupby(numbered, lambda one: one[1].chapter)
            ],
        },
    )
