"""One grid that becomes: from the scores of a head, frame by frame, to what its weights take."""

from encoder.figures.attention_grid import HEATS, frames, in_the_way
from encoder.metrics.cells import largest_pair
from encoder.metrics.softmax import Setting
from encoder.pictures.view import Cell
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.components import attention_grid
from pages.ui.components.attention_grid import Choice
from pages.ui.state import session_state as state
from pages.ui.state.session_state import note, remember
from pages.ui.step import opened
from pages.ui.text import heading

KEY = "grid"  # in a link: query, key, temperature and whether the scores are divided, as far as they are not the usual


def draw() -> None:
    """The grid of the chosen head; its frame is the step of the page, where that is one of its frames."""
    trace, view = session.now(), state.current()
    heading(f"From scores to values, step by step (layer {view.layer}, head {view.head})")
    steps = [step.local for step in frames(trace, view.layer)]
    query, key, setting = asked(trace)
    chosen = (view.step if view.step in steps else steps[0], query, key, setting)
    attention_grid.draw(trace, view.layer, view.head, chosen, choose, open_number)


def usual(trace: Trace) -> tuple[int, int]:
    """The pair that is shown where none is chosen: that of the opened number, or of the largest weight of two words."""
    view = state.current()
    places = (opened.place_in(trace, step, view.head) for step in frames(trace, view.layer)[:-1])
    weights = trace.array(f"layers.{view.layer}.attention.weights")[view.head]
    return next(filter(None, places), None) or largest_pair(weights, trace.tokenization.special)


def asked(trace: Trace) -> tuple[int, int, Setting]:
    """The pair and the softmax that the link asks for; what cannot be shown gives way to the usual."""
    view = state.current()
    text = str(state.value(state.choice(KEY, None, "")["key"]))
    found = read(text, len(trace.tokens))
    if text and found is None:
        remember(KEY, "", "")
        note([f"The link asks for “{text[:40]}” ({KEY}), which is not offered here."])
    query, key, setting = found or (*usual(trace), Setting())
    return query, key, Setting() if in_the_way(trace, view.layer, view.head) else setting


def read(text: str, n: int) -> tuple[int, int, Setting] | None:
    """What a link's text says, such as "8,2" or "8,2,0.5,0", of a sentence of n tokens; None where it says nothing."""
    query, key, heat, scaled = [*text.split(","), *("1.0", "1")[max(0, text.count(",") - 1) :], *[""] * 4][:4]
    heats = {str(heat): heat for heat in HEATS}
    places = [int(place) if place.isascii() and place.isdigit() and len(place) < 6 else n for place in (query, key)]
    fits = 1 <= text.count(",") <= 3 and max(places) < n and heat in heats and scaled in ("0", "1")
    return (places[0], places[1], Setting(heats[heat], scaled == "1")) if fits else None


def choose(choice: Choice) -> None:
    """Take over what was chosen in the grid."""
    step, query, key, setting = choice
    if step != state.current().step:
        state.change(step=step, cell=None)
    same = setting.recorded and (query, key) == usual(session.now())
    remember(KEY, "" if same else spelled(query, key, setting), "")


def keep_pair(query: int, key: int, setting: Setting) -> None:
    """Go on showing a pair and its softmax, whichever number is opened next."""
    remember(KEY, spelled(query, key, setting), "")


def spelled(query: int, key: int, setting: Setting) -> str:
    """A pair and its softmax as a link spells them."""
    more = "" if setting.recorded else f",{setting.heat},{int(setting.scaled)}"
    return f"{query},{key}{more}"


def open_number(step: str, index: tuple[int, ...]) -> None:
    """Open a number of the grid."""
    opened.open_number(Cell(step, index), fresh=True)
