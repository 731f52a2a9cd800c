"""How many words of a text a model knows: whole, in pieces, or not at all."""

from dataclasses import dataclass

from encoder.checkpoint.tokenizer_files import KNOWN, UNKNOWN
from encoder.trace.tokens import Tokens
from encoder.trace.words import punctuation

FEW = 0.5  # of the words whole, or fewer: what a model does with them says little


@dataclass(frozen=True)
class WordsKnown:
    """How many words were typed, and of these how many are one token, several, or have an unknown piece."""

    whole: int
    pieces: int
    unknown: int

    @property
    def words(self) -> int:
        """All words."""
        return self.whole + self.pieces + self.unknown

    @property
    def sentence(self) -> str:
        """What a reader must know of it; empty where most words are known whole and none is unknown."""
        few = self.whole <= FEW * self.words
        if self.words == 0 or not (few or self.unknown):
            return ""
        these = f"these {self.words} words" if self.words > 1 else "this word"
        if self.words == 1:
            said = "The model does not know this word" + (" at all" if self.unknown else " whole, only in pieces")
        else:
            parts = [f"{self.pieces} it reads in pieces"] * bool(self.pieces)
            parts += [f"{self.unknown} {'is' if self.unknown == 1 else 'are'} unknown to it"] * bool(self.unknown)
            said = f"The model knows {self.whole or 'none'} of {these} whole; {' and '.join(parts)}"
        return f"{said}: what it does with {'them' if self.words > 1 else 'it'} says little." if few else f"{said}."


def words_known(text: Tokens) -> WordsKnown:
    """Count the words of a text, or a pair, by how the model knows them; marks, masks and added tokens are none."""
    found = [
        tuple(text.tokens[i] for i in word)
        for word in text.words
        if not text.special[word[0]]
        and not set(KNOWN["mask"]) & {text.tokens[i] for i in word}
        and not punctuation(text.spelled(word))
    ]
    unknown = sum(any(token in UNKNOWN for token in word) for word in found)
    whole = sum(len(word) == 1 and word[0] not in UNKNOWN for word in found)
    return WordsKnown(whole, len(found) - whole - unknown, unknown)
