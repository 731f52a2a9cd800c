"""The claims with what was found of each in the bundled models when they were shipped, until somebody measures again.

`python -m encoder.teach.lessons.stored --model base --out encoder/teach/lessons/verdicts/base.json` makes what is shipped.
"""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.progress import counting
from encoder.teach import trials
from encoder.teach.lessons.claims import CLAIMS, Claim
from encoder.teach.trials.finding import Finding, Judgement, untried
from encoder.text_encoder import TextEncoder

FORMAT, VERSION = "encoder-claims", 1
SHIPPED = Path(__file__).parent / "verdicts"  # of the bundled models


@dataclass(frozen=True)
class StoredVerdict:
    """What was found of a claim, and the trial with its parameters that found it; without the numbers of a picture."""

    trial: str
    given: Mapping[str, Any]
    finding: Finding


@dataclass(frozen=True)
class StoredVerdicts:
    """What was found of every claim in a model of this name and with these weights, by the claims' keys."""

    model: str
    fingerprint: str
    verdicts: Mapping[str, StoredVerdict]

    def finding(self, claim: Claim) -> Finding | None:
        """Return what was found of a claim; None where it was none then, or was measured in another way."""
        stored = self.verdicts.get(claim.key)
        if stored is None or (stored.trial, stored.given) != (claim.trial, dict(claim.given)):
            return None
        return stored.finding

    def to_json(self) -> str:
        """Return everything as JSON, a line for each claim."""
        about = {"format": FORMAT, "version": VERSION, "model": self.model, "fingerprint": self.fingerprint}
        lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in about.items()]
        rows = (f"{json.dumps(key)}: {json.dumps(row(one), ensure_ascii=False)}" for key, one in self.verdicts.items())
        lines.append(' "verdicts": {\n  ' + ",\n  ".join(rows) + "\n }")
        return "{\n" + ",\n".join(lines) + "\n}\n"


def row(stored: StoredVerdict) -> dict[str, Any]:
    """Return a verdict as plain values; a number that is none is null."""
    found = stored.finding
    return {
        "trial": stored.trial,
        "given": dict(stored.given),
        "value": found.value if math.isfinite(found.value) else None,
        "what": found.what,
        "measured": found.measured,
        "judgement": asdict(found.judgement) if found.judgement else None,
    }


def measure(encoder: TextEncoder) -> StoredVerdicts:
    """Return what is found of every claim in an encoder now."""
    source = encoder.source
    found = {one.key: StoredVerdict(one.trial, dict(one.given), found_of(encoder, one)) for one in CLAIMS}
    return StoredVerdicts(source.name, source.fingerprint, found)


def found_of(encoder: TextEncoder, claim: Claim) -> Finding:
    """Return what is found of a claim in an encoder now, also that it cannot be tried there."""
    try:
        return replace(trials.run(claim.trial, encoder, claim.given), picture=None)
    except (EncoderError, KeyError) as error:
        return not_tried(error)


def not_tried(error: Exception) -> Finding:
    """Return what is said of a claim that cannot be tried in a model, for this reason."""
    return untried(f"It cannot be tried in this model: {error.args[0]}.")


def read(path: Path) -> StoredVerdicts:
    """Read the JSON of `to_json`.

    Raises:
        EncoderError: it is of another version.
    """
    raw = json.loads(path.read_text(encoding="utf-8"))
    if (raw["format"], raw["version"]) != (FORMAT, VERSION):
        raise EncoderError(f"{path} holds no verdicts of version {VERSION}; make it again: see {__name__}")
    verdicts = {key: StoredVerdict(one["trial"], one["given"], finding_of(one)) for key, one in raw["verdicts"].items()}
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
    with counting("claims"):
        found = measure(TextEncoder.from_pretrained(asked.model))
    whole_file.write(asked.out, found.to_json().encode())
    for key, one in found.verdicts.items():
        print(f"{key}: {one.finding.verdict.value}")
    print(asked.out)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
