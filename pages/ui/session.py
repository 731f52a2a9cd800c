"""What pages ask for: models, runs and measures, mostly of what this session looks at."""

from collections.abc import Mapping
from typing import Any

from encoder import Trace, trials
from encoder.edits.text import edits_to_text
from encoder.explain.proof import Check
from encoder.metrics import Survey
from encoder.trace.tokens import Text
from pages.ui.server.engine import is_loaded, run, text_encoder, warm
from pages.ui.server.measurements import (
    findings,
    lab,
    moments,
    proofs,
    role_history,
    snapshots,
    spelled,
    trial_seconds,
    words_near,
    words_of_unit,
)
from pages.ui.server.measurements import survey as survey_of
from pages.ui.state.session_state import current, session

__all__ = [
    "finding", "findings", "is_loaded", "lab", "moments", "now", "proof", "role_history", "run", "seconds", "snapshots",
    "spelled", "survey", "text_encoder", "untouched", "warm", "words_near", "words_of_unit",
]  # fmt: skip


def proof(step: str) -> list[Check]:
    """The proofs of one step of the run that this session looks at."""
    view = current()
    return proofs(view.model, session().read, view.hidden, edits_to_text(view.edits), step)


def survey(sentence: Text | None) -> Survey:
    """Measures of the model that this session looks at; None stands for the bundled sentences."""
    return survey_of(current().model, sentence)


def now() -> Trace:
    """The run that this session looks at."""
    view = current()
    return run(view.model, session().read, view.hidden, edits_to_text(view.edits))


def finding(trial: str, given: Mapping[str, Any]) -> trials.Finding:
    """What a trial finds in the model that this session looks at; ValueError where it does not fit."""
    return findings(current().model, trial, spelled(given))


def seconds(trial: str, given: Mapping[str, Any]) -> float:
    """About how long it takes until that finding is there."""
    return trial_seconds(current().model, trial, spelled(given))


def untouched() -> Trace:
    """The same run without edits."""
    view = current()
    return run(view.model, session().read, view.hidden)
