"""A text as the model reads it."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from encoder.support.errors import EncoderError, integer
from encoder.trace.gaps import TYPED

Text = str | tuple[str, str]  # a sentence, or a pair of them
Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Tokens:
    """A text, or a pair of them, as the model reads it.

    `spans` gives the stretch of the text behind each token, (0, 0) for tokens that the model adds. `dropped` counts the
    tokens that were left out because the input was too long; `kept_characters` tells where it was cut; characters that
    nobody counted tokens of, because there were so many, are `unread`. `inputs` is what was asked for, uncut: run
    again it gives the same tokens. `mask` is the model's mask, which a typed gap is read as. `segments` is 0
    for the tokens of the first sentence and 1 for those of the second, whose text is `pair` and which has numbers of
    its own for what was cut; for one sentence all are 0. `words` are the positions of each word's pieces, in reading
    order, see `encoder.trace.words`; every position is in one word.
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]
    dropped: int
    kept_characters: int
    words: Groups
    segments: tuple[int, ...] = ()
    pair: str = ""
    pair_dropped: int = 0
    pair_kept_characters: int = 0
    inputs: Text = ""
    mask: str | None = None
    unread: int = 0

    @property
    def second(self) -> int:
        """The position of the first token of the second sentence; 0 where there is one sentence."""
        return self.segments.index(1) if any(self.segments) else 0

    def typed(self, position: int) -> str:
        """What the person typed for the token at a position; empty for tokens that the model added."""
        start, end = self.spans[position]
        return self.sentence(position)[start:end]

    def sentence(self, position: int) -> str:
        """The sentence that a token belongs to, of a pair."""
        return self.pair if self.segments and self.segments[position] else self.text

    def spelled(self, word: Sequence[int]) -> str:
        """What was typed for a word, from its first piece to its last; for a gap, or nothing, the token itself."""
        first, last = word[0], word[-1]
        bare = self.special[first] or self.tokens[first] == self.mask
        typed = "" if bare else self.sentence(first)[self.spans[first][0] : self.spans[last][1]]
        return typed.strip() or self.tokens[first]

    def word_of(self, position: int) -> tuple[int, ...]:
        """The positions of the word that a token belongs to.

        Raises:
            EncoderError: a position outside the sentence.
        """
        position = integer("position", position, 0, len(self.ids) - 1)
        return next(word for word in self.words if position in word)

    def find(self, word: str) -> tuple[int, ...]:
        """The positions of the pieces of a word where it first stands.

        It is looked for as typed, then whatever its case, then whatever its accents; a gap under any of its names.

        Raises:
            EncoderError: it does not stand there; the message lists the words that do.
        """
        word = self.mask if self.mask and TYPED.fullmatch(word.strip()) else word.strip()
        for reading in READINGS:
            for pieces in self.words:
                if reading(self.spelled(pieces)) == reading(word):
                    return pieces
        text = f"{self.text} {self.pair}".strip()
        raise EncoderError(
            f"“{word}” is not a word of “{text}”; its words are {', '.join(map(self.spelled, self.words))}"
        )

    def replaced(self, word: Sequence[int], new: str) -> str:
        """The sentence of a word with something else typed in its place; as it is where nothing was typed for it."""
        start, end = self.spans[word[0]][0], self.spans[word[-1]][1]
        text = self.sentence(word[0])
        return text if start == end else f"{text[:start]}{new}{text[end:]}"


def without_accents(text: str) -> str:
    """The letters of a text in one case and without marks."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


READINGS: tuple[Callable[[str], str], ...] = (str, str.casefold, without_accents)  # when two spellings are one word
