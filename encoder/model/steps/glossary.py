"""The glossary: what each name means, and what others call it; glossary.json has its terms."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Term:
    """A name of ours, its meaning in one or two plain sentences, and its name elsewhere ("–" where there is none).

    `title` is what it is in words, `place` where in the encoder it stands, one of `PLACES`, and `symbol` what it is in
    formulas, in LaTeX. `steps` are the steps of the catalogue, by local name or its beginning, beside which it is
    shown; the first shows it best, unless there is a `lab` about it. `words` are how it is written in a sentence that
    may explain it where it stands.
    """

    name: str
    title: str
    place: str
    meaning: str
    symbol: str = ""
    paper: str = "–"
    torch: str = "–"
    hugging_face: str = "–"
    transformer_lens: str = "–"
    steps: tuple[str, ...] = ()
    lab: str = ""
    words: tuple[str, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """Its other names, by who calls it so."""
        names = {
            "paper": self.paper,
            "torch": self.torch,
            "Hugging Face": self.hugging_face,
            "TransformerLens": self.transformer_lens,
        }
        return {where: name for where, name in names.items() if name != "–"}

    @property
    def elsewhere(self) -> str:
        """Its other names in one line."""
        return "; ".join(f"{where}: {name}" for where, name in self.names.items())


PLACES = {  # in the order of computation: what happens there
    "Tokens & embedding": "Words become vectors that also say where they stand.",
    "Attention": "Each token looks at the others and takes something of each.",
    "Add & norm": "What was found is added to what was there, and brought back to a common scale.",
    "Feed-forward": "Each token is worked on by itself.",
    "Output": "What all layers together make of a sentence.",
    "Training": "What happens only while a model learns.",
}


def read_terms() -> tuple[Term, ...]:
    """Return the terms of glossary.json, in its order."""
    rows: list[dict[str, Any]] = json.loads(Path(__file__).with_name("glossary.json").read_text(encoding="utf-8"))
    listed = ("steps", "words")
    return tuple(Term(**row | {name: tuple(row.get(name, ())) for name in listed}) for row in rows)


TERMS = read_terms()


def meant(step: str, name: str) -> bool:
    """Whether a step, by its local name, is one that a term names: as it is, or by its beginning up to a dot."""
    return step == name or (name.endswith(".") and step.startswith(name))


def beside(step: str) -> tuple[Term, ...]:
    """The terms of a step, by its local name."""
    return tuple(term for term in TERMS if any(meant(step, name) for name in term.steps))
