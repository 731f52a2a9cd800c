"""The word before a gap that would have another verb than the model's guess: "cabinet" before "are"."""

from encoder.exam.constructed_sentences import NOUNS

ONE, MANY = ("is", "was", "has"), ("are", "were", "have")  # verbs of one, and of many
PAIRS = [pair.split() for pair in (*NOUNS, "cabinet cabinets")]  # nouns that are known in both numbers
OTHER = dict.fromkeys((single for single, _ in PAIRS), MANY)  # the verbs that do not go with a noun
OTHER |= dict.fromkeys((several for _, several in PAIRS), ONE)


def tempts(before: str, guess: str) -> bool:
    """Return whether a word is known as a noun of the other number than the verb that is guessed behind it."""
    return guess.lower() in OTHER.get(before.lower(), ())
