"""Claims with what was found of them in the bundled models when they were shipped.

What is shipped is shown until somebody measures again.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from encoder.pictures.labs.trial import Finding, Judgement, untried
from encoder.support.errors import EncoderError

FORMAT, VERSION = "encoder-verdicts", 2
SHIPPED = Path(__file__).parent / "verdicts"  # of the bundled models


@dataclass(frozen=True)
class StoredVerdict:
    """What was found, and the trial with its parameters that found it; without the numbers of a picture."""

    trial: str
    given: Mapping[str, Any]
    finding: Finding


@dataclass(frozen=True)
class StoredVerdicts:
    """What was found in a model of this name and with these weights, in the order in which it was asked."""

    model: str
    fingerprint: str
    verdicts: tuple[StoredVerdict, ...]

    def finding(self, trial: str, given: Mapping[str, Any]) -> Finding | None:
        """Return what a trial found that was given just this; None where it was not asked."""
        return next(
            (verdict.finding for verdict in self.verdicts if (verdict.trial, verdict.given) == (trial, given)), None
        )


def not_tried(error: Exception) -> Finding:
    """Return what is said of a trial that does not fit a model, for this reason."""
    return untried(f"It cannot be tried in this model: {error.args[0]}.")


def read(path: Path) -> StoredVerdicts:
    """Read the JSON of `to_json`.

    Raises:
        EncoderError: it is of another version.
    """
    raw = json.loads(path.read_text(encoding="utf-8"))
    if (raw["format"], raw["version"]) != (FORMAT, VERSION):
        raise EncoderError(f"{path} holds no verdicts of version {VERSION}; make it again")
    verdicts = tuple(
        StoredVerdict(verdict["trial"], verdict["given"], finding_of(verdict)) for verdict in raw["verdicts"]
    )
    return StoredVerdicts(raw["model"], raw["fingerprint"], verdicts)


def finding_of(raw: Mapping[str, Any]) -> Finding:
    """Return the finding of a row."""
    judgement = None if raw["judgement"] is None else Judgement(**raw["judgement"])
    value = math.nan if raw["value"] is None else raw["value"]
    return Finding(value, raw["what"], raw["measured"], judgement)


@cache
def by_content(fingerprint: str) -> StoredVerdicts | None:
    """Return what is shipped of a model with these weights, whatever it is called; None where there is nothing."""
    shipped = map(read, sorted(SHIPPED.glob("*.json")))
    return next((one for one in shipped if one.fingerprint == fingerprint), None)
