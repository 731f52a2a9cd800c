"""A minimal pair: two sentences that differ in one token, a gap, and two words that are held against each other there.

lead = logit(word of A) - logit(word of B) at the gap, which is ln p(word of A) - ln p(word of B).
flip = lead in A - lead in B, in nats: how much of the guess turns with the token that differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import LONGEST_SENTENCE, is_sentence
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Tokens
from encoder.trace.trace import Trace

NOISE = 0.5  # nats: a share of a smaller flip says nothing
LIKELY = 0.02  # share in B of a word that is held against a guess that stays


class PairError(EncoderError):
    """Two sentences that are no minimal pair, or to whose difference a model hardly reacts; `kind` is why, in short."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class MinimalPair:
    """Sentences A and B, each with a gap at the same place, and the answers: the word for A and the one for B.

    Without answers they are what the model guesses first in A and in B; where that is the same word, it is held against
    the one that gains most of those with a share of LIKELY or more in B, or else against B's next guess. `gap` is the
    position of the token that is guessed; None where each sentence has one gap.
    """

    a: str
    b: str
    answers: tuple[str, str] | None = None
    gap: int | None = None


@dataclass(frozen=True)
class PairRun:
    """A minimal pair as a model runs it.

    `a` and `b` are the runs, `gap` and `changed` the positions of the gap and of the token that differs, `answers` the
    ids of the two words, `words` how they are spelled, and `leads` those in A and in B, in nats.
    """

    pair: MinimalPair
    a: Trace
    b: Trace
    gap: int
    changed: int
    answers: tuple[int, int]
    words: tuple[str, str]
    leads: tuple[float, float]

    @property
    def flip(self) -> float:
        """How far the lead falls from A to B, in nats."""
        return self.leads[0] - self.leads[1]

    def lead(self, logits: Tensor) -> float:
        """The lead of A's word over B's in the logits [vocab] of a gap, in nats."""
        return lead(logits, self.answers)


def lead(logits: Tensor, answers: tuple[int, int]) -> float:
    """The difference of two words' logits [vocab], which is that of the logarithms of their shares, in nats."""
    return float(logits[answers[0]].double() - logits[answers[1]].double())


def run_pair(encoder: TextEncoder, pair: MinimalPair) -> PairRun:
    """Run both sentences of a minimal pair.

    Raises:
        PairError: the model guesses no words or has no mask, the sentences are no minimal pair, the answers are the
            same, or not each one word of the vocabulary. How far the lead falls is not judged: see `check_reacts`.
    """
    if encoder.model.mlm_head is None:
        raise PairError("no guesses", encoder.why_no_guesses)
    if encoder.mask_token is None:
        raise PairError("no mask", f"The vocabulary of {encoder.source.name} has no mask, so no word can be hidden.")
    for side, text in (("A", pair.a), ("B", pair.b)):
        if not is_sentence(text):
            raise PairError("no sentence", f"{side} must be a sentence of 1 to {LONGEST_SENTENCE:,} characters.")
    a, b = encoder.tokenize(pair.a), encoder.tokenize(pair.b)
    gap = gap_of(a, b, encoder.mask_token, pair.gap)
    changed = difference(a, b)
    runs = encoder.trace([pair.a, pair.b])
    answers, words = answers_of(encoder, pair, runs, gap)
    leads = lead(runs[0]["mlm.logits"][gap], answers), lead(runs[1]["mlm.logits"][gap], answers)
    return PairRun(pair, runs[0], runs[1], gap, changed, answers, words, leads)


def check_reacts(run: PairRun, least: float = NOISE) -> None:
    """Refuse a pair whose lead falls by less than `least` nats from A to B.

    Raises:
        PairError: it does; the message tells by how much.
    """
    first, second = run.words
    if run.flip <= -least:
        turned = f"From A to B the lead of “{first}” over “{second}” grows by {-run.flip:.1f} nats"
        raise PairError("the other way", f"{turned}: exchange the two answers, or the two sentences.")
    if not run.flip >= least:  # NaN too
        size = f"The model hardly reacts to this change ({run.flip:.2f} nats of the {least:g} that are needed)"
        raise PairError("hardly reacts", f"{size}: there is nothing to carry. Try a word that changes what fits.")


def gap_of(a: Tokens, b: Tokens, mask: str, chosen: int | None) -> int:
    """Return the position of the gap of both sentences.

    Raises:
        PairError: there is none, there are several and none is chosen, or B's is elsewhere.
    """
    in_a, in_b = ([i for i, token in enumerate(text.tokens) if token == mask] for text in (a, b))
    if not in_a:
        raise PairError("no gap", f"A has no gap: write {mask} or ___ in the place of the word to be guessed.")
    if chosen is None and len(in_a) > 1:
        places = ", ".join(map(str, in_a))
        raise PairError("several gaps", f"A has {len(in_a)} gaps: choose one of the positions {places}, or leave one.")
    gap = in_a[0] if chosen is None else chosen
    if gap not in in_a:
        raise PairError("no gap", f"A has no gap at position {gap}: choose one of {', '.join(map(str, in_a))}.")
    if in_a != in_b and len(a.ids) == len(b.ids):
        raise PairError("gap elsewhere", "B needs its gap at the same word as A: put it there.")
    if not in_b:
        raise PairError("gap elsewhere", f"B has no gap: write {mask} where A has it.")
    return gap


def difference(a: Tokens, b: Tokens) -> int:
    """Return the position of the one token that differs.

    Raises:
        PairError: none does, more than one do, or one sentence has more tokens than the other.
    """
    if len(a.ids) != len(b.ids):
        raise PairError("number of tokens", f"{many_pieces(a, b)}: the places do not match. Try words of equal length.")
    places = [i for i, (ours, theirs) in enumerate(zip(a.ids, b.ids, strict=True)) if ours != theirs]
    if not places:
        raise PairError("nothing differs", "A and B are the same to the model: change one word in B.")
    if len(places) > 1:
        words = ", ".join(f"{a.tokens[i]} / {b.tokens[i]}" for i in places[:4])
        more = f"A and B differ in {len(places)} tokens ({words}{', ...' if len(places) > 4 else ''})"
        raise PairError("more than one differs", f"{more}: change one word only, and one that is a single token.")
    return places[0]


def many_pieces(a: Tokens, b: Tokens) -> str:
    """Return why two sentences have other numbers of tokens: the first words of other numbers of pieces, if any."""
    if len(a.words) == len(b.words):
        for ours, theirs in zip(a.words, b.words, strict=True):
            if len(ours) != len(theirs):
                sizes = f"{len(ours)} token{'s' * (len(ours) != 1)} and “{b.spelled(theirs)}” {len(theirs)}"
                return f"“{a.spelled(ours)}” is {sizes}"
    return f"A has {len(a.ids)} tokens and B {len(b.ids)}"


def answers_of(
    encoder: TextEncoder, pair: MinimalPair, runs: Sequence[Trace], gap: int
) -> tuple[tuple[int, int], tuple[str, str]]:
    """Return the ids of the two answers, and how they are spelled: those that are given, or see `MinimalPair`.

    Raises:
        PairError: those that are given are the same word, or one is not one word of the vocabulary.
    """
    if pair.answers is None:
        first, second = (int(run["mlm.logits"][gap].argmax()) for run in runs)
        if first == second:
            ours, theirs = (run["mlm.logits"][gap].softmax(-1) for run in runs)
            others = theirs.index_fill(0, torch.tensor([first]), 0.0)
            gains = (theirs.log() - ours.log()).masked_fill(others < min(LIKELY, float(others.max())), -torch.inf)
            second = int(gains.argmax())
        guesses = tuple(encoder.tokenizer.id_to_token(i) or f"#{i}" for i in (first, second))
        return (first, second), (guesses[0], guesses[1])
    try:
        first, second = (encoder.word_id(runs[0], gap, word) for word in pair.answers)
    except EncoderError as error:
        raise PairError("unknown answer", f"{error}: give two words that are.") from error
    if first == second:
        raise PairError("same answers", f"Both answers are “{pair.answers[0]}” to the model: give two different words.")
    return (first, second), (pair.answers[0], pair.answers[1])
