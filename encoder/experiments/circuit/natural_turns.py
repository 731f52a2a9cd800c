"""Changes of one word that turn a guess into another one, in sentences that somebody would write.

The model itself says both: it gives the new word where the old one is masked, with either guess in the gap, and no
word of the new sentence is much less likely in its place than before (Salazar et al. 2020).
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit.minimal_pair import lead
from encoder.experiments.circuit.phenomena import phenomena
from encoder.experiments.circuit.word_fit import TOGETHER, WordFit
from encoder.experiments.circuit.word_forms import SHORTEST, akin, is_word
from encoder.metrics.answer import SENTENCE, answer_scores, name_of
from encoder.metrics.word_kinds import OF_GRAMMAR
from encoder.support.screening import is_fit
from encoder.trace.tokens import Tokens

MOST_WORDS, MOST_RUN = 40, 96  # of the likeliest words of a place, and of all, that are tried
MOST_READ = 6  # sentences that are read word by word
IN_A, IN_B = 0.0015, 0.05  # share of a new word in its place, with the guess of A in the gap and with that of B
GUESSED, AHEAD = 0.15, 2.0  # share of the guess of B at least, and how many times that of A's guess there
AS_LIKELY, EACH = -1.5, -2.0  # nats, by which B may be less likely than A, and each of its words


@dataclass(frozen=True)
class SmallChange:
    """A sentence B that differs from A in one token: `was` in A, `new` in B.

    `words` are the answers that compete, and `flip` how far their lead falls, in nats; None where nothing is asked.
    """

    b: str
    was: str
    new: str
    words: tuple[str, str] | None
    flip: float | None


class TurningChange(NamedTuple):
    """A change that turns the guess: where, the new token and its share there, and B with its guess filled in."""

    change: SmallChange
    position: int
    token: int
    share: float
    filled: list[int]


@torch.inference_mode()
def natural_turns(encoder: TextEncoder, tokens: Tokens, at: int) -> list[SmallChange]:
    """Return changes of a word of content that turn the guess at a place, the likeliest sentence first.

    Args:
        encoder: a model that guesses words and has a mask.
        tokens: of A.
        at: the place that is guessed.
    """
    ids, fit = list(tokens.ids), WordFit(encoder, tokens)
    ours = scores_at(encoder, torch.tensor([ids]), at)[0]
    in_a = with_token(ids, at, int(ours.argmax()))
    likely = likely_words(encoder, tokens, fit, in_a, at)
    if not likely:
        return []
    rows = torch.tensor([with_token(ids, position, token) for position, token, _ in likely])
    scores = torch.cat([scores_at(encoder, some, at) for some in torch.split(rows, TOGETHER)])
    tried = [turn_of(encoder, tokens, at, new, ours, theirs) for new, theirs in zip(likely, scores, strict=True)]
    turned = [turn for turn in tried if turn is not None]
    if not turned:
        return []
    in_place = fit.shares([(turn.filled, turn.position) for turn in turned])
    shares = {i: float(in_place[i, turn.token]) for i, turn in enumerate(turned)}
    natural = sorted((i for i in shares if shares[i] >= IN_B), key=lambda i: -shares[i] * turned[i].share)
    return natural_ones(fit, tokens, in_a, [turned[i] for i in natural[:MOST_READ]])


def natural_ones(fit: WordFit, tokens: Tokens, in_a: list[int], turned: list[TurningChange]) -> list[SmallChange]:
    """Return those of some changes whose sentence is about as likely as A, word by word, the likeliest first."""
    places = [i for i, special in enumerate(tokens.special) if not special and in_a[i] != fit.mask]
    texts = [in_a, *(turn.filled for turn in turned)]
    read = fit.shares([(text, i) for text in texts for i in places]).log()
    ours, *theirs = (
        torch.stack([read[n * len(places) + k, text[i]] for k, i in enumerate(places)]) for n, text in enumerate(texts)
    )
    gains = {turn.change: there - ours for turn, there in zip(turned, theirs, strict=True)}
    fine = [change for change, gain in gains.items() if gain.sum() >= AS_LIKELY and gain.min() >= EACH]
    return sorted(fine, key=lambda change: -float(gains[change].sum()))


def likely_words(
    encoder: TextEncoder, tokens: Tokens, fit: WordFit, in_a: list[int], at: int
) -> list[tuple[int, int, float]]:
    """Return words of content that are likely in the place of others, the likeliest first: where, which, its share."""
    typed = {tokens.typed(i).lower() for i in range(len(in_a))}
    whole = [word[0] for word in tokens.words if len(word) == 1 and word[0] != at and is_word(tokens, word[0])]
    places = [i for i in whole if tokens.typed(i).lower() not in OF_GRAMMAR]
    if not places:
        return []
    top = fit.shares([(in_a, i) for i in places]).topk(min(MOST_WORDS, encoder.config.vocab_size))
    likely = [
        (position, token, share)
        for position, shares, new in zip(places, top.values.tolist(), top.indices.tolist(), strict=True)
        for share, token in zip(shares, new, strict=True)
        if share >= IN_A and of_content(name_of(encoder, token), tokens.typed(position), typed)
    ]
    return sorted(likely, key=lambda word: -word[2])[:MOST_RUN]


def of_content(new: str, was: str, typed: set[str]) -> bool:
    """Whether a word may stand for another: of content, no form of it, no name in small letters, and not there yet."""
    little = new.lower() in OF_GRAMMAR | typed or (new.islower() and not was[:1].isupper() and new in names())
    return new.isalpha() and len(new) >= SHORTEST and not little and not akin(new, was)


@cache
def names() -> frozenset[str]:
    """The words of all phenomena that begin with a capital, in small letters."""
    words = (word for entry in phenomena().values() for row in entry.rows for word in row)
    return frozenset(word.lower() for word in words if word[:1].isupper())


def turn_of(
    encoder: TextEncoder, tokens: Tokens, at: int, new: tuple[int, int, float], ours: Tensor, theirs: Tensor
) -> TurningChange | None:
    """Return the change to a new word by the scores [count] of A and of B; None where it is no clear turn."""
    position, token, share = new
    first, second = int(ours.argmax()), int(theirs.argmax())
    guess, other, name = (name_of(encoder, i) for i in (first, second, token))
    was, others = tokens.typed(position), [tokens.typed(i) for i in range(len(tokens.ids)) if i != position]
    name = name.capitalize() if was[:1].isupper() else name
    b = tokens.replaced([position], name)
    ids = with_token(tokens.ids, position, token)
    own = not any(akin(other, word) for word in (guess, name, *others) if word) and not akin(name, guess)
    if not (
        turns(ours, theirs)
        and own
        and other[:1].isalpha()
        and is_fit(b, other)
        and list(encoder.tokenize(b).ids) == ids
    ):
        return None
    flip = lead(ours, (first, second)) - lead(theirs, (first, second))
    change = SmallChange(b, was, name, (guess, other), flip)
    return TurningChange(change, position, token, share, with_token(ids, at, second))


def turns(ours: Tensor, theirs: Tensor) -> bool:
    """Whether the first answer by some scores [count] is clearly another one by others."""
    in_b = theirs.softmax(-1)
    return bool(in_b.max() >= GUESSED and in_b.max() >= AHEAD * in_b[int(ours.argmax())])


def with_token(ids: list[int] | tuple[int, ...], position: int, token: int) -> list[int]:
    """A sentence with another token at a position."""
    return [*ids[:position], token, *ids[position + 1 :]]


def scores_at(encoder: TextEncoder, ids: Tensor, at: int) -> Tensor:
    """Return the scores at a place of sentences of one length [B, n]: [B, count]."""
    output = encoder.model(ids)  # [B, n, d_model]
    if at == SENTENCE:
        return answer_scores(encoder.model, output, None)
    return answer_scores(encoder.model, output[:, [at]], None)[:, 0]  # no other word is scored
