"""Small changes of a sentence that turn what a model answers: the other sentence of a minimal pair."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit.minimal_pair import NOISE, MinimalPair, PairError, check_leads, place_of, run_pair
from encoder.experiments.circuit.phenomena import phenomena
from encoder.experiments.circuit.word_fit import WordFit
from encoder.metrics.answer import answer_scores, answers, at_place, name_of
from encoder.metrics.neurons import nearest_words
from encoder.trace.tokens import Tokens

Kind = Callable[[TextEncoder, str, int], str]  # what a word of this id could become; empty for nothing
PLURAL = "s"
MOST_TRIED = 16  # sentences that are run
MOST_CHANGES = 4
NEAR = 20  # words of the table among which a neighbour is looked for
MOST_LABELLED = 160  # sentences that are labelled
TOGETHER = 32  # of them in one forward
SHORTEST = 3  # letters of a word that is changed
BEFORE_NOUNS = "a an this that each every another one these those many several few both two three"
LITTLE = (
    "the and or but for with from into over under not he she it they we you him her his its their our your my them us "
    "who which some any all was were is are has have had does did will would can could"
)
SUBJECTS = frozenset(["he", "she", "it", "they", "we", "you", "i"])  # before a verb that goes with them
OF_NUMBER = frozenset(BEFORE_NOUNS.split())  # words that want the noun behind them in one number
OF_GRAMMAR = OF_NUMBER | frozenset(LITTLE.split())  # words that tell little: they become a neighbour after all others
FITS = -8.0  # nats, below which nobody would write it: "said that she" to "said those she"
GOES_ON = "##"  # begins a piece that goes on with a word
CLEAR = 1.0  # nats, from which on a change of number, or to a partner, goes before any neighbour


@dataclass(frozen=True)
class SmallChange:
    """A sentence B that differs from A in one token: `was` in A, `new` in B.

    `words` are what A and B are answered, and `flip` how far their lead falls, in nats; None where nothing is asked.
    """

    b: str
    was: str
    new: str
    words: tuple[str, str] | None
    flip: float | None


def small_changes(encoder: TextEncoder, sentence: str, place: int | None = None) -> list[SmallChange]:
    """Find words of a sentence to change: those that turn its answer into another first, and neighbours after others.

    For a label a word becomes one of several neighbours, see `labels_turned`. For a guess it becomes its partner
    in a phenomenon, its other number (a plain -s), or, where neither of these is clear, its nearest neighbour in the
    table of embeddings; of each kind those that turn the guess at the gap most come first. What nobody would write
    there (`WordFit`) is left out; one is given where nothing else is left.

    Args:
        encoder: any model; one that has no such answer, or a sentence without a gap, gives what fits best.
        sentence: A.
        place: the position that is guessed or labelled; None where the sentence has one gap, or label.
    """
    tokens = encoder.tokenize(sentence)
    if answers(encoder.config).labels is not None and (turning := labels_turned(encoder, tokens, place)):
        return turning
    guesses = encoder.model.mlm_head is not None and encoder.mask_token in tokens.tokens
    kinds = (neighbour,) if encoder.model.mlm_head is None else (partner, other_number, neighbour)
    every = dict[str, Candidate]()
    for candidate in candidates(encoder, tokens, kinds):
        every.setdefault(candidate.b, candidate)
    fitting = those_that_fit(encoder, tokens, list(every.values())[:MOST_TRIED])
    if not guesses:
        fitting.sort(key=lambda change: change.was.lower() in OF_GRAMMAR)
        return [SmallChange(change.b, change.was, change.new, None, None) for change in fitting[:MOST_CHANGES]]
    tried = list[tuple[tuple[bool, bool, bool, float], SmallChange]]()
    for was, new, b, near, _ in fitting:
        try:
            run = run_pair(encoder, MinimalPair(sentence, b, None, place))
        except PairError:
            continue
        if run.words[1].startswith(GOES_ON):
            continue  # the gap would end the word before it: "cook [MASK]" is "cooks" again
        stays = run.a["mlm.logits"][run.place].argmax() == run.b["mlm.logits"][run.place].argmax()
        rank = near and was.lower() in OF_GRAMMAR, bool(stays), near or run.flip < CLEAR, -run.flip
        tried.append((rank, SmallChange(b, was, new, run.words, run.flip)))
    tried.sort(key=lambda item: item[0])
    clear = [change for (_, _, weak, _), change in tried if not weak]
    return (clear or [change for _, change in tried])[:MOST_CHANGES]


@torch.inference_mode()
def labels_turned(encoder: TextEncoder, tokens: Tokens, place: int | None) -> list[SmallChange]:
    """Find words that turn a label, of each the nearest neighbour that does: most first, words that tell little last.

    Where one word is labelled it stays, and the others are changed. Nothing where no label leads another.
    """
    try:
        how = check_leads(encoder)
        at = place_of(how, tokens, tokens, place)
    except PairError:
        return []
    words = [word for word in tokens.words if len(word) == 1 and is_word(tokens, word[0]) and word[0] != at]
    tried = [
        (rank, tokens.spelled(word), new, tokens.replaced(word, new))
        for word in words
        for rank, new in enumerate(neighbours(encoder, tokens.spelled(word), tokens.ids[word[0]]))
    ]
    tried = sorted(tried, key=lambda one: one[0])[:MOST_LABELLED]
    texts = [encoder.tokenize(b) for *_, b in tried]
    kept = [i for i, text in enumerate(texts) if len(text.ids) == len(tokens.ids)]
    rows = [tokens.ids, *(texts[i].ids for i in kept)]
    chunks = [torch.tensor(rows[i : i + TOGETHER]) for i in range(0, len(rows), TOGETHER)]
    scores = torch.cat([at_place(answer_scores(encoder.model, encoder.model(ids), None), at) for ids in chunks])
    first = scores.argmax(-1).tolist()
    best = dict[str, SmallChange]()
    for i, of_b, label in zip(kept, scores[1:], first[1:], strict=True):
        _, was, new, b = tried[i]
        turns, had = label != first[0], best.get(was)
        over = label if turns else int(scores[0].topk(2).indices[1])
        flip = float((scores[0] - of_b)[first[0]] - (scores[0] - of_b)[over])
        names = (name_of(encoder, first[0]), name_of(encoder, over)) if turns else None
        if flip >= NOISE and (had is None or (had.words is None and (turns or flip > (had.flip or 0.0)))):
            best[was] = SmallChange(b, was, new, names, flip)
    order = sorted(best.values(), key=lambda change: -(change.flip or 0.0))
    return sorted(order, key=lambda change: (change.words is None, change.was.lower() in OF_GRAMMAR))[:MOST_CHANGES]


class Candidate(NamedTuple):
    """A word, what is to stand in its place, the sentence that this gives, whether it is a neighbour, and where."""

    was: str
    new: str
    b: str
    near: bool
    position: int


def those_that_fit(encoder: TextEncoder, tokens: Tokens, every: list[Candidate]) -> list[Candidate]:
    """Return the changes that somebody would write, as the model reads them, the likeliest first; one where none is."""
    fit = WordFit(encoder, tokens)
    gains = {change.b: fit.gain(change.position, change.b) for change in every}
    best = sorted(every, key=lambda change: -gains[change.b])
    return [change for change in best if gains[change.b] >= FITS] or best[:1]


def candidates(encoder: TextEncoder, tokens: Tokens, kinds: Iterable[Kind]) -> Iterator[Candidate]:
    """Yield what each word of a sentence could become."""
    words = [word for word in tokens.words if len(word) == 1 and is_word(tokens, word[0])]
    there = {tokens.spelled(word).lower() for word in words}
    for kind in kinds:
        for word in words:
            was = tokens.spelled(word)
            new = kind(encoder, was, tokens.ids[word[0]])
            new = new.capitalize() if was[:1].isupper() else new
            if not new or new.lower() in there or not agrees(tokens, word[0], kind):
                continue
            if len(encoder.tokenize(new).ids) == len(encoder.tokenize(was).ids):
                yield Candidate(was, new, tokens.replaced(word, new), kind is neighbour, word[0])


def agrees(tokens: Tokens, position: int, kind: Kind) -> bool:
    """Whether a change leaves "these keys" and "she drinks" as they are: no word changes its number alone."""
    here, before, behind = (
        tokens.typed(i).lower() if 0 <= i < len(tokens.ids) else "" for i in (position, position - 1, position + 1)
    )
    bound = kind is other_number and before in OF_NUMBER | SUBJECTS
    return not bound and not (kind is partner and here in OF_NUMBER and behind.isalpha())


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
    return next(iter(neighbours(encoder, word, token)), "")


def neighbours(encoder: TextEncoder, word: str, token: int) -> list[str]:
    """Return the nearest words of the table that are others, the nearest first, in letters like those of the word."""
    near = [name for name, _ in nearest_words(encoder, token, NEAR)]
    near = [name for name in near if name.isalpha() and not alike(name.lower(), word.lower())]
    return [name.capitalize() for name in near] if word[:1].isupper() else near


def alike(word: str, other: str) -> bool:
    """Whether a word is the other one, or begins with it."""
    return word.startswith(other) or other.startswith(word)
