"""Which few heads carry what turns a guess like that of a run, as it was tried on many pairs of sentences."""

from typing import Any

from encoder.exam.links import GAP_VERBS
from encoder.experiments.circuit.phenomena import phenomena
from encoder.experiments.circuit.shipped_circuits import circuits_by_content

WRITTEN = "written"  # of pairs that people wrote: they differ in the number of the subject
OF_NUMBER = "the subject's number does to the verb"
DOES = {  # what the words that differ in a phenomenon do at the gap, behind "of what"
    WRITTEN: OF_NUMBER,
    "number": OF_NUMBER,
    "gender": "“man” or “woman” does to “his” or “her”",
    "capital": "a country does to its capital",
    "country": "a capital does to its country",
    "tense": "“then” or “now” does to the verb",
    "reflexive": "“man” or “woman” does to “himself” or “herself”",
    "both": "“both”, “either” or “neither” does to “and”, “or” or “nor”",
    "language": "a country does to its language",
}
TELLS = {  # the same for who has never heard of it, behind "pass on"
    WRITTEN: "whether the subject is one or many",
    "number": "whether the subject is one or many",
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
        `{heads, does, tells, natural, share, count}` each, pairs that people wrote first: `heads` are
        `[layer, head, share]`, each alone, which carry `share` of the change in so many pairs together.
    """
    shipped = circuits_by_content(fingerprint)
    if shipped is None:
        return []
    answers = {WRITTEN: GAP_VERBS} | {
        what: {word.lower() for _, _, *both in entry.rows for word in both} for what, entry in phenomena().items()
    }
    return [
        {"heads": [[*head, circuit.each[head]] for head in circuit.heads], "does": DOES[what]}
        | {"tells": TELLS[what], "natural": what == WRITTEN, "share": circuit.share, "count": circuit.pairs}
        for what, circuit in ((WRITTEN, shipped.natural), *shipped.constructed.items())
        if circuit.small and what in DOES and guess.lower() in answers[what]
    ]
