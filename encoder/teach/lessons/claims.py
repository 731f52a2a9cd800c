"""What tutorials say of encoders, each with the trial that measures it, as claims.toml beside this file lists it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIDE = "The animal didn't cross the street because it was too wide."
TIRED = "The animal didn't cross the street because it was too tired."


@dataclass(frozen=True)
class Claim:
    """One claim in our own words.

    `where` lists keys of SOURCES. `trial` and `given` are what measures it. `lesson` is the bundled lesson that tries
    it, `page` the page that shows it where there is none, and `lab` the experiment there.
    """

    key: str
    text: str
    where: tuple[str, ...]
    trial: str
    given: Mapping[str, Any] = field(default_factory=dict)
    lesson: str = ""
    page: str = ""
    lab: str = ""


DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SOURCES: dict[str, str] = DATA["sources"]  # where the claims stand: common kinds of tutorial, by their titles
CLAIMS = tuple(Claim(**row | {"where": tuple(row["where"])}) for row in DATA["claim"])


def said_in(claim: Claim) -> str:
    """Return where a claim stands, in words."""
    return "; ".join(SOURCES[key] for key in claim.where)
