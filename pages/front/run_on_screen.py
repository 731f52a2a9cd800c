"""The run that a screen shows, by what its address says."""

from collections.abc import Mapping
from dataclasses import dataclass

from encoder import TextEncoder
from encoder.edits.edit_text import edits_to_text
from encoder.pictures.ask import text_of
from encoder.pictures.link import from_query
from encoder.pictures.view import View
from encoder.trace.trace import Trace
from pages.front import make
from pages.ui.server import engine


@dataclass(frozen=True)
class RunOnScreen:
    """A view, its model, and its run."""

    view: View
    encoder: TextEncoder
    trace: Trace


def run_on_screen(query: Mapping[str, str]) -> RunOnScreen:
    """Return the run of the screen whose address has these parameters.

    Raises:
        RefusedError: its model is not at hand.
        EncoderError: there is no such run.
    """
    view, _ = from_query(query, lambda model: None)  # whether there is such a model is seen when it is opened
    encoder = make.opened(view.model)
    pieces = encoder.tokenize(text_of(view))
    view, _ = view.within(encoder.config, len(pieces.ids))
    return RunOnScreen(view, encoder, engine.run(view.model, pieces.inputs, view.hidden, edits_to_text(view.edits)))
