"""What pages ask for: models, runs and measures, mostly of what this session looks at."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from encoder import Trace, trials
from encoder.atlas.knockout import Absence, AtlasPart
from encoder.atlas.reading import Atlas
from encoder.edits.text import edits_to_text
from encoder.exam import Exam
from encoder.explain.proof import Check
from encoder.metrics import Survey
from encoder.pictures.ask import in_training
from encoder.probes.layers import Probe
from encoder.probes.regression import Regression
from encoder.trace.tokens import Text
from pages.ui.server.atlases import atlases
from pages.ui.server.engine import is_kept, is_loaded, run, text_encoder, warm
from pages.ui.server.exams import exam as exam_of
from pages.ui.server.exams import examined as examined_of
from pages.ui.server.measurements import (
    dead_units,
    findings,
    moments,
    proofs,
    role_history,
    snapshots,
    spelled,
    trial_seconds,
    words_of_head,
    words_of_unit,
)
from pages.ui.server.measurements import is_found as is_found_of
from pages.ui.server.measurements import knocked_out as knocked_out_of
from pages.ui.server.measurements import mean_vector as mean_vector_of
from pages.ui.server.measurements import probe as probe_of
from pages.ui.server.measurements import readers as readers_of
from pages.ui.server.measurements import survey as survey_of
from pages.ui.state.session_state import current, session

__all__ = [
    "atlas", "dead_units", "exam", "examined", "finding", "findings", "is_at_hand", "is_found", "is_loaded",
    "knocked_out", "mean_vector", "moments", "now", "probe", "proof", "readers", "role_history", "run",
    "seconds", "snapshots", "spelled", "survey", "text_encoder", "trained", "warm", "words_of_head",
    "words_of_unit",
]  # fmt: skip


def atlas() -> Atlas | None:
    """The atlas of the model that this session looks at: the one that was chosen, or the first; None without one."""
    found = atlases(current().model).atlases
    chosen = dict(current().choices).get("atlas_of", "0")
    return next((one for i, one in enumerate(found) if str(i) == chosen), found[0] if found else None)


def proof(step: str) -> list[Check]:
    """The proofs of one step of the run that this session looks at."""
    view = current()
    return proofs(view.model, session().read, view.hidden, edits_to_text(view.edits), step)


def survey(sentence: Text | None) -> Survey:
    """Measures of the model that this session looks at; None stands for the bundled sentences."""
    return survey_of(current().model, sentence)


def mean_vector() -> Tensor:
    """The mean of the bundled sentences' vectors in the model that this session looks at."""
    return mean_vector_of(current().model)


def knocked_out(part: AtlasPart, contexts: tuple[tuple[Text, int], ...]) -> list[Absence]:
    """What the absence of a part of the model that this session looks at does at tokens of some texts."""
    return knocked_out_of(current().model, part, contexts)


def probe(task: str) -> Probe:
    """What probes of every layer tell in the model that this session looks at."""
    return probe_of(current().model, task)


def exam() -> Exam | None:
    """What the heads of the model that this session looks at have a licence for; None where nobody examined it yet."""
    return exam_of(current().model)


def examined() -> Exam:
    """The same, made now where it is asked for."""
    return examined_of(current().model)


def readers(layer: int) -> dict[str, Regression]:
    """A classifier and a tagger for a layer of the model that this session looks at."""
    return readers_of(current().model, layer)


def now() -> Trace:
    """The run that this session looks at."""
    view = current()
    return run(view.model, session().read, view.hidden, edits_to_text(view.edits))


def finding(trial: str, given: Mapping[str, Any], *, agreed: bool = False) -> trials.Finding:
    """What a trial finds in the model that this session looks at; EncoderError where it does not fit."""
    return findings(current().model, trial, spelled(given), agreed=agreed)


def is_found(trial: str, given: Mapping[str, Any]) -> bool:
    """Whether that finding is there."""
    return is_found_of(current().model, trial, spelled(given))


def seconds(trial: str, given: Mapping[str, Any]) -> float:
    """About how long it takes until that finding is there."""
    return trial_seconds(current().model, trial, spelled(given))


def is_at_hand() -> bool:
    """Whether that run need not be made first."""
    view = current()
    return is_kept(view.model, session().read, view.hidden, edits_to_text(view.edits))


def trained() -> str:
    """The model whose moments of training are shown to this session."""
    return in_training(current().model, text_encoder)
