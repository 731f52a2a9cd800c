"""One grid that becomes: from the scores of a head, frame by frame, to what its weights take."""

from encoder.figures.attention_grid import frames
from encoder.metrics.softmax import Setting
from encoder.pictures.registry.grids import ATTENTION_GRID, GRID, read_pair, usual_pair
from encoder.pictures.view import Cell
from pages.ui import session
from pages.ui.components import attention_grid
from pages.ui.components.attention_grid import Choice
from pages.ui.picture import answer_of, ask
from pages.ui.state import session_state as state
from pages.ui.state.session_state import note, remember
from pages.ui.step import opened
from pages.ui.text import heading

KEY = GRID.key


def draw() -> None:
    """The grid of the chosen head; its frame is the step of the page, where that is one of its frames."""
    trace, view = session.now(), state.current()
    heading(f"From scores to values, step by step (layer {view.layer}, head {view.head})")
    steps = [step.local for step in frames(trace, view.layer)]
    text = str(state.value(state.choice(KEY, None, "")["key"]))
    if text and read_pair(text, len(trace.tokens)) is None:
        remember(KEY, "", "")
        note([f"The link asks for “{text[:40]}” ({KEY}), which is not offered here."])
    answer = answer_of(ATTENTION_GRID)
    attention_grid.draw(answer, view.step if view.step in steps else steps[0], choose, open_number)


def choose(choice: Choice) -> None:
    """Take over what was chosen in the grid."""
    step, query, key, setting = choice
    if step != state.current().step:
        state.change(step=step, cell=None)
    same = setting.recorded and (query, key) == usual_pair(ask(ATTENTION_GRID))
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
