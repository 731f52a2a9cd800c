"""A minimal pair: two sentences that differ in one token, and two answers that are held against each other.

The answers are words at a gap, or labels of the sentence or of one of its tokens.
lead = logit(answer of A) - logit(answer of B), which is ln p(answer of A) - ln p(answer of B).
flip = lead in A - lead in B, in nats: how much of the answer turns with the token that differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import LONGEST_SENTENCE, is_sentence
from encoder.metrics.answer import SENTENCE, Answers, answer_id, answers, name_of
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
    """Sentences A and B, for words each with a gap at the same place, and the answers: that of A and that of B.

    Without answers they are what the model says first in A and in B; where that is the same, it is held against the one
    that gains most of those with a share of LIKELY or more in B, or else against B's next one: the one that gains is
    the answer of B. `place` is the position
    of the token that is guessed, or labelled; None where each sentence has one gap, for the first word that has a label
    of its own, and for labels of the sentence.
    """

    a: str
    b: str
    answers: tuple[str, str] | None = None
    place: int | None = None


@dataclass(frozen=True)
class PairRun:
    """A minimal pair as a model runs it.

    `a` and `b` are the runs, `place` is that of the answers, as `Answers` counts it, `reads` are the positions whose
    last vectors they are read from, and `changed` is that of the token that differs. `answers` are the ids of the two
    words or labels, `words` how they are spelled, and `leads` those in A and in B, in nats.
    """

    pair: MinimalPair
    a: Trace
    b: Trace
    place: int
    reads: tuple[int, ...]
    changed: int
    answers: tuple[int, int]
    words: tuple[str, str]
    leads: tuple[float, float]

    @property
    def flip(self) -> float:
        """How far the lead falls from A to B, in nats."""
        return self.leads[0] - self.leads[1]

    def lead(self, logits: Tensor) -> float:
        """The lead of A's answer over B's in the scores [count] at their place, in nats."""
        return lead(logits, self.answers)


def lead(logits: Tensor, answers: tuple[int, int]) -> float:
    """The difference of two answers' scores [count], which is that of the logarithms of their shares, in nats."""
    return float(logits[answers[0]].double() - logits[answers[1]].double())


def run_pair(encoder: TextEncoder, pair: MinimalPair) -> PairRun:
    """Run both sentences of a minimal pair.

    Raises:
        PairError: no answer of the model leads another, it guesses words and has no mask, the sentences are no minimal
            pair, the answers are the same, or the model has not got one. How far the lead falls is not judged: see
            `check_reacts`.
    """
    how = check_leads(encoder)
    for side, text in (("A", pair.a), ("B", pair.b)):
        if not is_sentence(text):
            raise PairError("no sentence", f"{side} must be a sentence of 1 to {LONGEST_SENTENCE:,} characters.")
    a, b = encoder.tokenize(pair.a), encoder.tokenize(pair.b)
    place = place_of(how, a, b, pair.place)
    changed = difference(a, b)
    runs = encoder.trace([pair.a, pair.b])
    pair_ids, words = answers_of(encoder, pair, runs, place)
    leads = lead(how.scores(runs[0], place), pair_ids), lead(how.scores(runs[1], place), pair_ids)
    return PairRun(pair, runs[0], runs[1], place, tuple(how.read(runs[0], place)), changed, pair_ids, words, leads)


def check_leads(encoder: TextEncoder) -> Answers:
    """Return how a model answers, one of whose answers can lead another.

    Raises:
        PairError: none can, or it guesses words and has no mask.
    """
    how = answers(encoder.config)
    if not how.part:
        raise PairError("no guesses", encoder.why_no_guesses)
    if not how.in_shares:
        raise PairError("a number", "This model gives numbers, not labels: none of them leads another.")
    if not how.competing:
        raise PairError("several labels", "Several labels of this model may hold at once: none of them leads another.")
    if how.count < 2:
        raise PairError("one label", "This model has one label only: there is none that it could lead.")
    if how.labels is None and encoder.mask_token is None:
        raise PairError("no mask", f"The vocabulary of {encoder.source.name} has no mask, so no word can be hidden.")
    return how


def place_of(how: Answers, a: Tokens, b: Tokens, chosen: int | None) -> int:
    """Return the place of the answers of both sentences: that of the gap, of a word with a label, or SENTENCE.

    Raises:
        PairError: there is none, or see `gap_of`.
    """
    if how.of_sentence:
        return SENTENCE
    if how.labels is None:
        return gap_of(a, b, str(a.mask), chosen)
    words = [i for word in a.words for i in word if not a.special[i]]
    if not words or not (chosen is None or chosen in words):
        raise PairError("no word", "A has no word there that could be labelled: choose one.")
    return words[0] if chosen is None else chosen


def check_reacts(run: PairRun, least: float = NOISE) -> None:
    """Refuse a pair whose lead falls by less than `least` nats from A to B.

    Raises:
        PairError: it does; the message tells by how much.
    """
    first, second = run.words
    if run.flip <= -least:
        turned = f"From A to B the odds of “{first}” against “{second}” become {exp(-run.flip):.3g} times as high"
        raise PairError("the other way", f"{turned}: exchange the two answers, or the two sentences.")
    if not run.flip >= least:  # NaN too
        odds = f"the odds of “{first}” against “{second}” fall by a factor of {exp(run.flip):.2f}"
        raise PairError("hardly reacts", f"The model hardly reacts to this change: {odds}, {exp(least):.2f} is needed.")


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


def competing(ours: Tensor, theirs: Tensor) -> tuple[int, int]:
    """Return the answers that compete by their scores [count] in A and in B, as `MinimalPair` has them."""
    first, second = int(ours.argmax()), int(theirs.argmax())
    if first != second:
        return first, second
    in_a, in_b = ours.softmax(-1), theirs.softmax(-1)
    others = in_b.index_fill(0, torch.tensor([first]), 0.0)
    gains = (in_b.log() - in_a.log()).masked_fill(others < min(LIKELY, float(others.max())), -torch.inf)
    second = int(gains.argmax())
    surer = not float(gains[second]) > float((in_b.log() - in_a.log())[first])
    return (second, first) if surer else (first, second)  # what is said becomes surer: the other one loses


def answers_of(
    encoder: TextEncoder, pair: MinimalPair, runs: Sequence[Trace], place: int
) -> tuple[tuple[int, int], tuple[str, str]]:
    """Return the ids of the two answers, and how they are spelled: those that are given, or see `MinimalPair`.

    Raises:
        PairError: those that are given are the same, or the model has not got one.
    """
    if pair.answers is None:
        how = answers(encoder.config)
        scores = [how.scores(run, place) for run in runs]
        first, second = competing(*scores)
        names = (
            [encoder.tokenizer.id_to_token(i) or f"#{i}" for i in (first, second)]
            if how.labels is None
            else [name_of(encoder, i) for i in (first, second)]
        )
        return (first, second), (names[0], names[1])
    try:
        first, second = (answer_id(encoder, runs[0], place, word) for word in pair.answers)
    except EncoderError as error:
        raise PairError("unknown answer", f"{error}: give two that are.") from error
    if first == second:
        raise PairError("same answers", f"Both answers are “{pair.answers[0]}” to the model: give two different ones.")
    return (first, second), (pair.answers[0], pair.answers[1])
