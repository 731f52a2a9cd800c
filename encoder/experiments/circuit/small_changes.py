"""Small changes of a sentence that turn what a model answers: the other sentence of a minimal pair."""

from functools import cache
from operator import ne
from typing import NamedTuple

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit.minimal_pair import NOISE, PairError, check_leads, competing, lead, place_of
from encoder.experiments.circuit.natural_turns import SmallChange, natural_turns, scores_at, turns
from encoder.experiments.circuit.phenomena import phenomena
from encoder.experiments.circuit.word_fit import TOGETHER, WordFit
from encoder.experiments.circuit.word_forms import SHORTEST, alike, is_word
from encoder.metrics.answer import SENTENCE, name_of
from encoder.metrics.neurons import nearest_words
from encoder.metrics.word_kinds import OF_GRAMMAR, OF_NUMBER
from encoder.trace.tokens import Tokens

PLURAL = "s"
ENDINGS = (PLURAL, "ed")  # that a neighbour shares
MOST_RUN = 160  # sentences
MOST_TRIED = 16  # of them, that are read word by word
MOST_CHANGES = 4
NEAR = 20  # words of the table among which a neighbour is looked for
OWN_KINDS = 2  # partner and other number, before neighbours
SUBJECTS = frozenset(["he", "she", "it", "they", "we", "you", "i"])  # before a verb that goes with them
FITS = -8.0  # nats, below which nobody would write it: "said that she" to "said those she"
FITS_WELL = -5.0  # the same where one of many neighbours is to be found
GOES_ON = "##"  # begins a piece that goes on with a word
CLEAR = 1.0  # nats, from which on a change of number, or to a partner, goes before any neighbour


class Candidate(NamedTuple):
    """A word, what is to stand in its place, the sentence that this gives, whether it is a neighbour, and where."""

    was: str
    new: str
    b: str
    near: bool
    position: int


class Moving(NamedTuple):
    """A change that moves an answer: whether this stays the first, gets surer, is hardly moved, or clearly turns."""

    stays: bool
    surer: bool
    weak: bool
    candidate: Candidate
    change: SmallChange
    clear: bool


def small_changes(encoder: TextEncoder, sentence: str, place: int | None = None) -> list[SmallChange]:
    """Find words of a sentence to change so that its answer moves, those that turn it into another one first.

    A word becomes its partner in a phenomenon or its other number (a plain -s); where neither of these clearly turns a
    guess, a word that is likely in its place and does (`natural_turns`); and where none does, its nearest neighbour in
    the table of embeddings, one of several for a label, and where nothing else moves a guess. What nobody would write
    there (`WordFit`) is left out. Nothing where no change that was tried moves it.

    Args:
        encoder: any model; one that has no such answer, or a sentence without a gap, gives what fits best.
        sentence: A.
        place: the position that is guessed or labelled; None where the sentence has one gap, or label.
    """
    tokens = encoder.tokenize(sentence)
    try:
        how = check_leads(encoder)
        at = place_of(how, tokens, tokens, place)
    except PairError:
        every = those_that_fit(encoder, tokens, candidates(encoder, tokens, 1))
        return [SmallChange(option.b, option.was, option.new, None, None) for option in every[:MOST_CHANGES]]
    if how.labels is None and (clear_ones := clear_turns(encoder, tokens, at)):
        return clear_ones[:MOST_CHANGES]
    for most in (1, NEAR) if how.labels is None else (NEAR,):
        moving = those_that_move(encoder, tokens, candidates(encoder, tokens, most, at), at)[:MOST_TRIED]
        fit = those_that_fit(encoder, tokens, [option.candidate for option in moving], FITS if most == 1 else FITS_WELL)
        some = [option for option in moving if option.candidate in fit]
        clear = [option for option in some if not option.weak]
        if some:
            best = {option.change.was: option for option in reversed(clear or some)}  # the nearest of each word
            order = sorted(best.values(), key=lambda option: (*option[:3], -(option.change.flip or 0.0)))
            return [option.change for option in order[:MOST_CHANGES]]
    return []


def clear_turns(encoder: TextEncoder, tokens: Tokens, at: int) -> list[SmallChange]:
    """Return changes that clearly turn a guess, one of a word: to a partner or other number, or natural ones."""
    own = those_that_move(encoder, tokens, candidates(encoder, tokens, 0, at), at)
    turning = [option for option in own if option.clear and not option.weak]
    fit = those_that_fit(encoder, tokens, [option.candidate for option in turning])
    first = sorted(
        (option.change for option in turning if option.candidate in fit), key=lambda change: -(change.flip or 0.0)
    )
    of_word = dict[str, SmallChange]()
    for change in first or natural_turns(encoder, tokens, at):
        of_word.setdefault(change.was, change)
    return list(of_word.values())


@torch.inference_mode()
def those_that_move(encoder: TextEncoder, tokens: Tokens, every: list[Candidate], at: int) -> list[Moving]:
    """Return the changes by which the lead of the answer at a place falls by NOISE or more, in their order.

    First come those that turn it into another one, then those that make it less sure, then the others.
    """
    texts = [encoder.tokenize(option.b).ids for option in every]
    differ = [len(ids) == len(tokens.ids) and sum(map(ne, ids, tokens.ids)) == 1 for ids in texts]
    run = [i for i, one_differs in enumerate(differ) if one_differs][:MOST_RUN]
    rows = torch.tensor([tokens.ids, *(texts[i] for i in run)])
    ours, *scores = torch.cat([scores_at(encoder, ids, at) for ids in torch.split(rows, TOGETHER)])
    result = list[Moving]()
    for i, theirs in zip(run, scores, strict=True):
        option, (first, second) = every[i], competing(ours, theirs)
        flip, name = lead(ours, (first, second)) - lead(theirs, (first, second)), name_of(encoder, second)
        if flip < NOISE or name.startswith(GOES_ON):
            continue  # the gap would end the word before it: "cook [MASK]" is "cooks" again
        change = SmallChange(option.b, option.was, option.new, (name_of(encoder, first), name), flip)
        stays, surer = bool(ours.argmax() == theirs.argmax()), bool(ours.argmax() != first)
        result.append(Moving(stays, surer, option.near or flip < CLEAR, option, change, turns(ours, theirs)))
    return sorted(result, key=lambda moving: moving[:3])


def those_that_fit(
    encoder: TextEncoder, tokens: Tokens, every: list[Candidate], least: float = FITS
) -> list[Candidate]:
    """Return the changes that somebody would write, as the model reads them, the likeliest first."""
    fit = WordFit(encoder, tokens)
    gains = {option: fit.gain(option.position, option.b) for option in every}
    return [option for option in sorted(every, key=lambda option: -gains[option]) if gains[option] >= least]


def candidates(encoder: TextEncoder, tokens: Tokens, most: int, at: int = SENTENCE) -> list[Candidate]:
    """Return what each word beside the one at a place could become.

    First come partners, then other numbers, then the nearest neighbours of all words, the second nearest, and so on.
    """
    words = [word[0] for word in tokens.words if len(word) == 1 and is_word(tokens, word[0]) and word[0] != at]
    there = {tokens.typed(i).lower() for i in words}
    result = dict[str, Candidate]()
    for kind, every in enumerate(zip(*(becoming(encoder, tokens, i, most) for i in words), strict=True)):
        for position, new in zip(words, every, strict=True):
            was = tokens.typed(position)
            new = new.capitalize() if was[:1].isupper() or new == "i" else new
            if new and new.lower() not in there and len(encoder.tokenize(new).ids) == len(encoder.tokenize(was).ids):
                b = tokens.replaced([position], new)
                result.setdefault(b, Candidate(was, new, b, kind >= OWN_KINDS, position))
    return list(result.values())


def becoming(encoder: TextEncoder, tokens: Tokens, position: int, most: int) -> list[str]:
    """Return the partner of a word, its other number, and so many neighbours; empty ones where there are none."""
    word = tokens.typed(position).lower()
    own = [partner(word), other_number(encoder, word)] if encoder.model.mlm_head is not None else ["", ""]
    agreeing = [new if agrees(tokens, position, i) else "" for i, new in enumerate(own)]
    near = [] if word in OF_GRAMMAR or not most else neighbours(encoder, word, tokens.ids[position])[:most]
    return [*agreeing, *near, *[""] * (most - len(near))]


def agrees(tokens: Tokens, position: int, kind: int) -> bool:
    """Whether a partner (kind 0), or another number (1), leaves "these keys" and "she drinks" as they are."""
    here, before, behind = (
        tokens.typed(i).lower() if 0 <= i < len(tokens.ids) else "" for i in (position, position - 1, position + 1)
    )
    bound = before in OF_NUMBER | SUBJECTS if kind else here in OF_NUMBER and behind.isalpha()
    return not bound


@cache
def partners() -> dict[str, str]:
    """The words of all phenomena, each with the first that it is paired with."""
    pairs = [(a, b) for phenomenon in phenomena().values() for a, b, *_ in phenomenon.rows]
    return {b.lower(): a for a, b in reversed(pairs)} | {a.lower(): b for a, b in reversed(pairs)}


def partner(word: str) -> str:
    """Return what a word is paired with in a phenomenon; empty without any."""
    return partners().get(word, "")


def other_number(encoder: TextEncoder, word: str) -> str:
    """Return a word with a plain -s or without it, where the vocabulary knows it; else empty."""
    new = word.removesuffix(PLURAL) if word.endswith(PLURAL) else word + PLURAL
    return new if encoder.tokenizer.token_to_id(new) is not None and len(new) >= SHORTEST else ""


def neighbours(encoder: TextEncoder, word: str, token: int) -> list[str]:
    """Return the nearest words of the table that are others, the nearest first."""
    near = [name.lower() for name, _ in nearest_words(encoder, token, NEAR)]
    others = [name for name in near if name.isalpha() and name not in OF_GRAMMAR and not alike(name, word)]
    return [name for name in others if all(name.endswith(end) == word.endswith(end) for end in ENDINGS)]
