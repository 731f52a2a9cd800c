"""Which words are words of content, and which two are one word in two forms."""

import re

from encoder.trace.tokens import Tokens

SHORTEST = 3  # letters of a word that is changed
LONG = 5  # from which on words with the same consonants are one, spelled in two ways
STEM, ENDING = 4, 3  # letters that two forms of a word share at least, and by which they end otherwise at most


def is_word(tokens: Tokens, position: int) -> bool:
    """Whether a word of letters was typed at a position, long enough to be changed."""
    typed = tokens.typed(position)
    return typed.isalpha() and len(typed) >= SHORTEST and tokens.tokens[position] != tokens.mask


def alike(word: str, other: str) -> bool:
    """Whether a word is the other one, begins with it, or is spelled another way: "neighbor", "centre", "realize"."""
    long = min(len(word), len(other)) >= LONG and sounds(word) == sounds(other)
    return long or word.startswith(other) or other.startswith(word)


def sounds(word: str) -> str:
    """The consonants of a word, each once where it is doubled."""
    return re.sub(r"(.)\1", r"\1", re.sub("[aeiou]", "", word.replace("z", "s")))


def akin(word: str, other: str) -> bool:
    """Whether two words are alike, or forms or parts of one: "lived" and "lives", "airplane" and "plane"."""
    short, long = sorted((word.lower(), other.lower()), key=len)
    stem = next((i for i, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    return (
        alike(short, long)
        or (stem >= STEM and len(long) - stem <= ENDING)
        or (len(short) > STEM and long.endswith(short))
    )
