"""What pages ask for: models, runs and measures, mostly of what this session looks at."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from encoder import Trace
from encoder.edits.edit_text import edits_to_text
from pages.ui.server import measurements
from pages.ui.server.engine import is_kept
from pages.ui.server.engine import is_loaded as is_loaded
from pages.ui.server.engine import run as run
from pages.ui.server.engine import text_encoder as text_encoder
from pages.ui.server.engine import warm as warm
from pages.ui.server.measurements import findings as findings
from pages.ui.server.measurements import snapshots as snapshots
from pages.ui.server.measurements import spelled as spelled
from pages.ui.state.session_state import current, session

P = ParamSpec("P")
R = TypeVar("R")


def of_current(of_model: Callable[Concatenate[str, P], R]) -> Callable[P, R]:
    """The same of the model that this session looks at."""
    return lambda *asked, **named: of_model(current().model, *asked, **named)


probe = of_current(measurements.probe)
readers = of_current(measurements.readers)


def now() -> Trace:
    """The run that this session looks at."""
    view = current()
    return run(view.model, session().read, view.hidden, edits_to_text(view.edits))


def is_at_hand() -> bool:
    """Whether that run need not be made first."""
    view = current()
    return is_kept(view.model, session().read, view.hidden, edits_to_text(view.edits))
