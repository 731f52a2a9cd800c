"""Which few heads carry what turns a guess like that of a run, as it was tried on many pairs of sentences."""

from typing import Any

from encoder.exam.links import GAP_VERBS
from encoder.experiments.circuit.phenomena import phenomena
from encoder.experiments.circuit.shipped_circuits import circuits_by_content

WRITTEN = "written"  # of pairs that people wrote: they differ in the number of the subject
TELLS = {  # what the words that differ in a phenomenon tell the gap, behind "carries"
    WRITTEN: "whether the subject is one or many",
    "number": "whether the subject is one or many",
    "determiner": "whether it is “this” or “these”",
    "gender": "whether it is “man” or “woman”",
    "capital": "which country it is",
    "country": "which capital it is",
    "tense": "whether it is “then” or “now”",
    "reflexive": "whether it is “man” or “woman”",
    "both": "whether “both”, “either” or “neither” came before",
    "language": "which country it is",
}


def carriers(fingerprint: str, guess: str) -> list[dict[str, Any]]:
    """What few heads of a model carry to a gap with this first guess: of what was tried, where it is an answer.

    Args:
        fingerprint: of the model's weights, as a `Source` has it.
        guess: the first guess of the run at its gap; "" without one.

    Returns:
        `{heads, tells, natural, share, count}` each, pairs that people wrote first: `heads` are
        `[layer, head, share]`, each alone, which carry `share` of the change in so many pairs together.
    """
    shipped = circuits_by_content(fingerprint)
    if shipped is None:
        return []
    answers = {WRITTEN: GAP_VERBS} | {
        what: {word.lower() for _, _, *both in entry.rows for word in both} for what, entry in phenomena().items()
    }
    return [
        {"heads": [[*head, circuit.each[head]] for head in circuit.heads], "tells": TELLS[what]}
        | {"natural": what == WRITTEN, "share": circuit.share, "count": circuit.pairs}
        for what, circuit in ((WRITTEN, shipped.natural), *shipped.constructed.items())
        if circuit.small and guess.lower() in answers[what]
    ]
