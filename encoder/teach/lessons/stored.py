"""Claims with what was found of them in the bundled models when they were shipped.

What is shipped is shown until somebody measures again. It is made by

    python -m encoder.teach.lessons.stored --model base --out FILE

whose FILE is encoder/teach/lessons/verdicts/base.json.
"""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.progress import counting
from encoder.teach import trials
from encoder.teach.lessons.claims import CLAIMS
from encoder.teach.trials.finding import Finding, Judgement, untried

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

    def to_json(self) -> str:
        """Return everything as JSON, a line for each verdict."""
        about = {"format": FORMAT, "version": VERSION, "model": self.model, "fingerprint": self.fingerprint}
        lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in about.items()]
        rows = (json.dumps(row(verdict), ensure_ascii=False) for verdict in self.verdicts)
        lines.append(' "verdicts": [\n  ' + ",\n  ".join(rows) + "\n ]")
        return "{\n" + ",\n".join(lines) + "\n}\n"


def row(stored: StoredVerdict) -> dict[str, Any]:
    """Return a verdict as plain values; a number that is none is null."""
    result = stored.finding
    return {
        "trial": stored.trial,
        "given": dict(stored.given),
        "value": result.value if math.isfinite(result.value) else None,
        "what": result.what,
        "measured": result.measured,
        "judgement": asdict(result.judgement) if result.judgement else None,
    }


def measure(encoder: TextEncoder) -> StoredVerdicts:
    """Return what is found of every claim in an encoder now."""
    source = encoder.source
    result = (StoredVerdict(one.trial, one.given, found_of(encoder, one.trial, one.given)) for one in CLAIMS)
    return StoredVerdicts(source.name, source.fingerprint, tuple(result))


def found_of(encoder: TextEncoder, trial: str, given: Mapping[str, Any]) -> Finding:
    """Return what a trial finds in an encoder now, also that it cannot be tried there."""
    try:
        return replace(trials.run(trial, encoder, given), picture=None)
    except (EncoderError, KeyError) as error:
        return not_tried(error)


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
        raise EncoderError(f"{path} holds no verdicts of version {VERSION}; make it again: see {__name__}")
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


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m encoder.teach.lessons.stored", description=__doc__)
    parser.add_argument("--model", default="base", help="a bundled model or a folder")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON that is written")
    asked = parser.parse_args(given)
    whole_file.check(asked.out)
    with counting("verdicts"):
        result = measure(TextEncoder.from_pretrained(asked.model))
    whole_file.write(asked.out, result.to_json().encode())
    for verdict in result.verdicts:
        print(f"{verdict.trial} {json.dumps(verdict.given)}: {verdict.finding.verdict.value}")
    print(asked.out)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
