"""Sentences constructed to a pattern with a gap for their verb: do heads find its subject where no simple rule does?

The idea is that of Marvin and Linzen 2018: nouns of both numbers around a verb that agrees with one of them. A single
pattern is too easy, since in it the subject always has the same place and the same distance from the gap. So there are
several, between which both vary. Beside the heads stand the rules of real sentences (`encoder.exam.simple_rules`).
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.exam.answers import DIRECTIONS, Report, Tally, WorkWatch, reporting, tally
from encoder.exam.links import HIDDEN, LinkedSentence, TreeLink
from encoder.exam.passing import ERROR, best_head, score, tests_of, wilson
from encoder.exam.simple_rules import Asked
from encoder.exam.treebank import ExamError
from encoder.experiments.ablation import ROWS, knock_outs, outcomes
from encoder.support.errors import EncoderError, integer

# A is the subject, B and C are other nouns, P and Q prepositions, J and K adjectives, E an ending, _ the gap.
FRAMES = {
    "plain": "The A P the B _ E .",
    "adjectives": "The J A P the K B _ E .",
    "two phrases": "The A P the B Q the C _ E .",
    "after a clause": "The C said that the A P the B _ E .",
    "after a sentence": "I saw the C . The A P the B _ E .",
    "after a phrase": "Behind the C the J A P the B _ E .",
    "next to the gap": "P the B Q the C the A _ E .",
}
NOUNS = (
    "boy boys", "girl girls", "teacher teachers", "doctor doctors", "farmer farmers", "student students", "king kings",
    "brother brothers", "sister sisters", "friend friends", "dog dogs", "horse horses", "bird birds", "cat cats",
    "book books", "key keys", "letter letters", "picture pictures", "car cars", "house houses", "tree trees",
    "boat boats", "table tables", "window windows",
)  # fmt: skip
PREPOSITIONS = ["near", "behind", "beside", "above", "below", "with", "for", "from"]
ADJECTIVES = ["old", "new", "young", "small", "large", "red", "black", "white", "little", "big"]
ENDINGS = {  # and the parts of speech of their words
    "here": "ADV",
    "very old": "ADV ADJ",
    "in the garden": "ADP DET NOUN",
    "not very far": "PART ADV ADV",
    "by the road": "ADP DET NOUN",
    "on the other side": "ADP DET ADJ NOUN",
}
TAGS = (  # the parts of speech of the other words
    dict.fromkeys("ABC", "NOUN")
    | dict.fromkeys("PQ", "ADP")
    | dict.fromkeys("JK", "ADJ")
    | {"_": HIDDEN, "The": "DET", "the": "DET", "said": "VERB", "that": "SCONJ"}
    | {"I": "PRON", "saw": "VERB", "Behind": "ADP", ".": "PUNCT"}
)
NUMBERS = ("one", "many")
FORMS = ("is", "are")  # of the masked verb, by the number of its subject
ALL = "all frames"
DRAWS = 40


@dataclass(frozen=True)
class ConstructedSentence:
    """A sentence with a gap; `subject` is a place of a word, `numbers` are those of A and B, from 0 for one."""

    frame: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    gap: int
    subject: int
    numbers: tuple[int, int]
    draw: int

    @property
    def called(self) -> str:
        """Return the numbers of A and B in words."""
        return ", ".join(NUMBERS[number] for number in self.numbers)

    def asked(self, *kinds: str) -> LinkedSentence:
        """Return it with the question for the subject of its gap, under these kinds of links."""
        links = tuple(TreeLink(kind, self.gap, self.subject) for kind in kinds)
        return LinkedSentence(self.words, self.tags, links, self.draw)


@dataclass(frozen=True)
class FrameRow:
    """The head that finds the subject best in even draws of a frame, scored on the odd ones, and the rules there.

    `distance` and `rule` are the best of all draws, which favours them. `passed` says that the head is MARGIN above
    the best rule of all, with the interval corrected for all that was tried above it too; `beyond_distance` says the
    same of the best fixed distance alone.
    """

    frame: str
    n: int
    layer: int
    head: int
    direction: str
    accuracy: float
    low: float
    high: float
    corrected_low: float
    distance: int
    distance_accuracy: float
    rule: str
    rule_accuracy: float
    beyond_distance: bool
    passed: bool


@dataclass(frozen=True)
class AgreementRow:
    """What one head does for the right form of the verb, over sentences whose A and B have these `numbers`.

    `right` and `lead` are with all heads: the share of sentences in which the form that agrees is likelier than the
    other, and the mean of ln p(right) - ln p(wrong) in nats. `right_without` and `lead_without` are the same with the
    head's output set to zero, `fall` is the difference of the leads.
    """

    numbers: str
    n: int
    layer: int
    head: int
    right: float
    right_without: float
    lead: float
    lead_without: float
    fall: float


def constructed_sentences(mask: str, draws: int = DRAWS, seed: int = 0) -> list[ConstructedSentence]:
    """Construct so many sentences of each frame in each of the four numbers of A and B, drawn by a seed."""
    draws = integer("draws", draws, 2, 10_000)
    return [
        filled(name, mask, numbers, draw, random.Random(f"{seed} {name} {draw}"))
        for name in FRAMES
        for draw in range(draws)
        for numbers in ((0, 0), (0, 1), (1, 0), (1, 1))
    ]


def filled(name: str, mask: str, numbers: tuple[int, int], draw: int, lot: random.Random) -> ConstructedSentence:
    """Fill one frame; the same lot gives the same words, whatever the numbers."""
    nouns = [noun.split() for noun in lot.sample(NOUNS, 3)]
    chosen = dict(zip("ABC", (nouns[0][numbers[0]], nouns[1][numbers[1]], nouns[2][lot.randrange(2)]), strict=True))
    chosen |= dict(zip("PQ", lot.sample(PREPOSITIONS, 2), strict=True))
    chosen |= dict(zip("JK", lot.sample(ADJECTIVES, 2), strict=True))
    chosen |= {"E": lot.choice(list(ENDINGS)), "_": mask}
    words, tags, places = list[str](), list[str](), dict[str, int]()
    for sign in FRAMES[name].split():
        places[sign] = len(words)
        words += chosen.get(sign, sign).split()
        tags += ENDINGS[chosen[sign]].split() if sign == "E" else [TAGS[sign]]
    words[0] = words[0].capitalize()
    return ConstructedSentence(name, tuple(words), tuple(tags), places["_"], places["A"], numbers, draw)


def subjects(encoder: TextEncoder, draws: int = DRAWS, seed: int = 0, report: Report | None = None) -> list[FrameRow]:
    """Examine every head on the subject of the gap in constructed sentences: a row for each frame, and for all.

    Raises:
        ExamError: the vocabulary has no mask, or the model cannot read such sentences.
    """
    sentences = constructed_sentences(mask_of(encoder), draws, seed)
    questions = [sentence.asked(sentence.frame, ALL) for sentence in sentences]
    with reporting("constructed sentences", report) as on_progress:
        rows = tally(encoder, questions, WorkWatch(sum(len(sentence.words) for sentence in questions), on_progress))
    if rows.left_out:
        raise ExamError(f"{encoder.source.name} cannot read constructed sentences: {rows.left_out}")
    return [frame_row(rows, kind) for kind in (*FRAMES, ALL)]


def frame_row(counts: Tally, kind: str) -> FrameRow:
    """Score the best head of a frame, and the rules beside it."""
    place = best_head(counts, kind)
    scored = score(counts, kind, place)
    assert scored is not None, "every frame has odd draws"
    corrected = wilson(scored.right, scored.n, ERROR / tests_of(counts))[0]
    return FrameRow(
        frame=kind,
        layer=place[1],
        head=place[2],
        direction=DIRECTIONS[place[0]],
        corrected_low=corrected,
        beyond_distance=not scored.lacks(scored.distance_accuracy, corrected),
        passed=not scored.lacks(scored.rule_accuracy, corrected),
        **scored.numbers,
    )


def agreement(
    encoder: TextEncoder,
    sentences: Sequence[ConstructedSentence] | None = None,
    draws: int = 2,
    seed: int = 0,
    report: Report | None = None,
) -> list[AgreementRow]:
    """Switch every head off in turn: how much likelier is the right form of the verb with it? The largest fall first.

    Args:
        encoder: a model that guesses words.
        sentences: what to fill in; `draws` of each frame and numbers by `seed` without it.
        draws: how many of each frame in each of the four numbers.
        seed: of the draws.
        report: is called after each sentence.

    Raises:
        ExamError: the model guesses no words, or has no mask.
    """
    mask = mask_of(encoder)
    if encoder.model.mlm_head is None:
        raise ExamError(encoder.why_no_guesses)
    edits = knock_outs(encoder.config, ("attention.heads",))
    leads: dict[str, list[list[float]]] = {}
    sentences = constructed_sentences(mask, draws, seed) if sentences is None else sentences
    with reporting("agreement", report) as on_progress:
        watch = WorkWatch(sum(len(sentence.words) for sentence in sentences), on_progress)
        for sentence in sentences:
            leads.setdefault(sentence.called, []).append(list(leads_of(encoder, sentence, edits)))
            watch.add(len(sentence.words))
    rows = list[AgreementRow]()
    for numbers, values in leads.items():
        table = torch.tensor(values, dtype=torch.float64)  # [sentences, 1 + heads]
        means, right = table.mean(0).tolist(), (table > 0).double().mean(0).tolist()
        for i in range(len(edits)):
            layer, head = divmod(i, encoder.config.n_heads)
            lead, without = means[0], means[i + 1]
            rows.append(
                AgreementRow(numbers, len(values), layer, head, right[0], right[i + 1], lead, without, lead - without)
            )
    return sorted(rows, key=lambda row: (row.numbers, -row.fall))


@torch.inference_mode()
def leads_of(encoder: TextEncoder, sentence: ConstructedSentence, edits: Sequence[Edit]) -> Iterator[float]:
    """Yield the lead of the right form over the wrong one in a sentence: with all heads, then with each edit alone."""
    trace = encoder.trace(" ".join(sentence.words))
    at = trace.tokens.index(mask_of(encoder))
    forms = [encoder.word_id(trace, at, form) for form in FORMS]
    right, wrong = forms if sentence.numbers[0] == 0 else reversed(forms)
    yield float(trace["mlm.logits"][at, right] - trace["mlm.logits"][at, wrong])
    for chunk in outcomes(encoder, trace, edits, None, ROWS):
        logits = encoder.model.predict(torch.stack([outcome.output[at] for outcome in chunk])[:, None])
        assert logits is not None
        yield from (logits[:, 0, right] - logits[:, 0, wrong]).tolist()


def knows_forms(encoder: TextEncoder) -> bool:
    """Return whether a model guesses words, and each of the two forms of the masked verb is one piece for it."""
    if encoder.model.mlm_head is None:
        return False
    try:
        next(leads_of(encoder, constructed_sentences(mask_of(encoder), 2)[0], ()))
    except EncoderError:
        return False
    return True


def agreeing(encoder: TextEncoder, sentences: Sequence[ConstructedSentence]) -> int:
    """Return in how many constructed sentences the form of the masked verb that agrees is likelier than the other."""
    return sum(next(leads_of(encoder, sentence, ())) > 0 for sentence in sentences)


def agreeing_by_rule(sentences: Sequence[ConstructedSentence]) -> dict[str, int]:
    """Return for each rule, in words, in how many constructed sentences its noun has the number of the subject.

    Where it finds no noun it is not right.
    """
    number = {noun: number for pair in NOUNS for number, noun in enumerate(pair.split())}
    asked = Asked([sentence.asked(ALL) for sentence in sentences])
    words = [word.lower() for sentence in sentences for word in sentence.words]
    wanted = [sentence.numbers[0] for sentence in sentences]
    return {
        str(rule): sum(
            at >= 0 and number.get(words[at]) == right for at, right in zip(answers.tolist(), wanted, strict=True)
        )
        for rule, answers in asked.answers()
    }


def mask_of(encoder: TextEncoder) -> str:
    """Return the token that stands for a gap.

    Raises:
        ExamError: there is none.
    """
    if encoder.mask_token is None:
        raise ExamError(f"the vocabulary of {encoder.source.name} has no mask, so no word can be hidden in it")
    return encoder.mask_token
