"""A text as the model reads it."""

from dataclasses import dataclass

Text = str | tuple[str, str]  # a sentence, or a pair of them


@dataclass(frozen=True)
class Tokens:
    """A text, or a pair of them, as the model reads it.

    `spans` gives the stretch of the text behind each token, (0, 0) for tokens that the model adds. `dropped` counts the
    tokens that were left out because the input was too long; `kept_characters` tells where it was cut. `segments` is 0
    for the tokens of the first sentence and 1 for those of the second, whose text is `pair` and which has numbers of
    its own for what was cut; for one sentence all are 0.
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]
    dropped: int
    kept_characters: int
    segments: tuple[int, ...] = ()
    pair: str = ""
    pair_dropped: int = 0
    pair_kept_characters: int = 0

    def typed(self, position: int) -> str:
        """What the person typed for the token at a position; empty for tokens that the model added."""
        start, end = self.spans[position]
        return (self.pair if self.segments and self.segments[position] else self.text)[start:end]

    @property
    def asked(self) -> Text:
        """What to run again for the same tokens: the text, or the pair of texts."""
        return (self.text, self.pair) if any(self.segments) else self.text
