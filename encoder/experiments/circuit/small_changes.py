"""Small changes of a sentence that turn what is guessed at its gap: the other sentence of a minimal pair."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit.minimal_pair import MinimalPair, PairError, run_pair
from encoder.experiments.circuit.phenomena import phenomena
from encoder.metrics.neurons import nearest_words
from encoder.trace.tokens import Tokens

PLURAL = "s"
ONE = ("a", "an")  # no word in the plural follows these
MOST_TRIED = 16  # sentences that are run
MOST_CHANGES = 4
NEAR = 20  # words of the table among which a neighbour is looked for
SHORTEST, TELLING = 3, 4  # letters of a word that is changed, and of one that becomes a neighbour before shorter ones
CLEAR = 1.0  # nats, from which on a change of number, or to a partner, goes before any neighbour


@dataclass(frozen=True)
class SmallChange:
    """A sentence B that differs from A in one token: `was` in A, `new` in B.

    `words` are what A and B guess, and `flip` how far their lead falls, in nats; None where there is no gap to ask.
    """

    b: str
    was: str
    new: str
    words: tuple[str, str] | None
    flip: float | None


def small_changes(encoder: TextEncoder, sentence: str, gap: int | None = None) -> list[SmallChange]:
    """Find words of a sentence to change: those that turn its guess into another first, and neighbours after others.

    A word becomes its partner in a phenomenon, its other number (a plain -s), or, where neither of these is clear, its
    nearest neighbour in the table of embeddings; of each kind those that turn the guess at the gap most come first.

    Args:
        encoder: any model; one that guesses no words, or a sentence without a gap, gives changes in reading order.
        sentence: A.
        gap: the position that is guessed; None where the sentence has one gap.
    """
    tokens = encoder.tokenize(sentence)
    every = list({b: (was, new, near) for was, new, b, near in reversed(list(candidates(encoder, tokens)))}.items())
    every = every[::-1][:MOST_TRIED]
    if encoder.model.mlm_head is None or encoder.mask_token not in tokens.tokens:
        return [SmallChange(b, was, new, None, None) for b, (was, new, _) in every[:MOST_CHANGES]]
    tried = list[tuple[tuple[bool, bool, bool, float], SmallChange]]()
    for b, (was, new, near) in every:
        try:
            run = run_pair(encoder, MinimalPair(sentence, b, None, gap))
        except PairError:
            continue
        stays = run.a["mlm.logits"][run.gap].argmax() == run.b["mlm.logits"][run.gap].argmax()
        rank = near and len(was) < TELLING, bool(stays), near or run.flip < CLEAR, -run.flip
        tried.append((rank, SmallChange(b, was, new, run.words, run.flip)))
    tried.sort(key=lambda item: item[0])
    clear = [change for (_, _, weak, _), change in tried if not weak]
    return (clear or [change for _, change in tried])[:MOST_CHANGES]


def candidates(encoder: TextEncoder, tokens: Tokens) -> Iterator[tuple[str, str, str, bool]]:
    """Yield words, what is to stand in their place, the sentence that this gives, and whether it is a neighbour."""
    words = [word for word in tokens.words if len(word) == 1 and is_word(tokens, word[0])]
    for kind in (partner, other_number, neighbour):
        for word in words:
            was = tokens.spelled(word)
            new = kind(encoder, was, tokens.ids[word[0]])
            new = new.capitalize() if was[:1].isupper() else new
            many_of_one = kind is other_number and new.endswith(PLURAL) and before(tokens, word[0]) in ONE
            if new and not many_of_one and len(encoder.tokenize(new).ids) == len(encoder.tokenize(was).ids):
                yield was, new, tokens.replaced(word, new), kind is neighbour


def before(tokens: Tokens, position: int) -> str:
    """The token before a position, as it was typed in small letters; empty before the first."""
    return tokens.spelled((position - 1,)).lower() if position else ""


def is_word(tokens: Tokens, position: int) -> bool:
    """Whether a word of letters was typed at a position, long enough to be changed."""
    typed = tokens.typed(position)
    return typed.isalpha() and len(typed) >= SHORTEST and tokens.tokens[position] != tokens.mask


@cache
def partners() -> dict[str, str]:
    """The words of all phenomena, each with the first that it is paired with."""
    pairs = [(a, b) for phenomenon in phenomena().values() for a, b, *_ in phenomenon.rows]
    return {b.lower(): a for a, b in reversed(pairs)} | {a.lower(): b for a, b in reversed(pairs)}


def partner(encoder: TextEncoder, word: str, token: int) -> str:
    """Return what a word is paired with in a phenomenon; empty without any."""
    return partners().get(word.lower(), "")


def other_number(encoder: TextEncoder, word: str, token: int) -> str:
    """Return a word with a plain -s or without it, where the vocabulary knows both; else empty."""
    new = word.removesuffix(PLURAL) if word.endswith(PLURAL) else word + PLURAL
    known = encoder.tokenizer.token_to_id(new.lower()) is not None or encoder.tokenizer.token_to_id(new) is not None
    return new if known and len(new) >= SHORTEST else ""


def neighbour(encoder: TextEncoder, word: str, token: int) -> str:
    """Return the nearest word of the table that is another one; empty where none is near."""
    near = (name for name, _ in nearest_words(encoder, token, NEAR))
    return next((name for name in near if name.isalpha() and not alike(name.lower(), word.lower())), "")


def alike(word: str, other: str) -> bool:
    """Whether a word is the other one, or begins with it."""
    return word.startswith(other) or other.startswith(word)
