"""What is found of every claim in a bundled model.

python -m tests.shipped.verdicts --model base --out encoder/teach/lessons/verdicts/base.json
"""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS
from encoder.pictures.labs.trial import Finding
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.progress import counting
from encoder.teach.lessons.stored import FORMAT, VERSION, StoredVerdict, StoredVerdicts, not_tried


def measure(encoder: TextEncoder) -> StoredVerdicts:
    """Return what is found of every claim in an encoder now."""
    source = encoder.source
    result = (StoredVerdict(one.trial, one.given, found_of(encoder, one.trial, one.given)) for one in CLAIMS)
    return StoredVerdicts(source.name, source.fingerprint, tuple(result))


def found_of(encoder: TextEncoder, trial: str, given: Mapping[str, Any]) -> Finding:
    """Return what a trial finds in an encoder now, also that it cannot be tried there."""
    try:
        return replace(labs.run(trial, encoder, given), picture=None)
    except (EncoderError, KeyError) as error:
        return not_tried(error)


def to_json(verdicts: StoredVerdicts) -> str:
    """Return everything as JSON, a line for each verdict."""
    about = {"format": FORMAT, "version": VERSION, "model": verdicts.model, "fingerprint": verdicts.fingerprint}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in about.items()]
    rows = (json.dumps(row(verdict), ensure_ascii=False) for verdict in verdicts.verdicts)
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


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m tests.shipped.verdicts", description=__doc__)
    parser.add_argument("--model", default="base", help="a bundled model or a folder")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON that is written")
    asked = parser.parse_args(given)
    whole_file.check(asked.out)
    with counting("verdicts"):
        result = measure(TextEncoder.from_pretrained(asked.model))
    whole_file.write(asked.out, to_json(result).encode())
    for verdict in result.verdicts:
        print(f"{verdict.trial} {json.dumps(verdict.given)}: {verdict.finding.verdict.value}")
    print(asked.out)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
