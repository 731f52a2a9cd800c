"""Examples of what a head answers on gold trees, right and wrong ones, and two models' examinations side by side."""

from collections.abc import Sequence
from typing import NamedTuple

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.answers import DIRECTIONS, head_answers
from encoder.exam.examination import Exam, questions
from encoder.exam.passing import ExamRow
from encoder.exam.treebank import ExamError, Treebank
from encoder.support.errors import integer


class ExamExample(NamedTuple):
    """A word at `source` of a sentence, what a head answered there and the gold governor, as places of `words`."""

    words: tuple[str, ...]
    source: int
    answer: int
    gold: int
    sentence: int

    @property
    def right(self) -> bool:
        """Return whether the answer is the governor."""
        return self.answer == self.gold


def examples(
    encoder: TextEncoder, treebank: Treebank, relation: str, layer: int, head: int, direction: str = "row"
) -> list[ExamExample]:
    """Return what a head answers at every dependent of a relation, or every gap of a kind, in odd sentences.

    Raises:
        ExamError: no such relation in the treebank, or no such direction.
        EncoderError: a layer or head that is not there.
    """
    integer("layer", layer, 0, encoder.config.n_layers - 1)
    integer("head", head, 0, encoder.config.n_heads - 1)
    if direction not in DIRECTIONS:
        raise ExamError(f"direction is {direction!r:.80}; it must be {' or '.join(DIRECTIONS)}")
    every = [sentence for part in questions(encoder, treebank) for sentence in part]
    sentences = [
        sentence for sentence in every if sentence.odd and any(link.kind == relation for link in sentence.links)
    ]
    if not sentences:
        raise ExamError(f"{treebank.name} has no {relation!r:.80} in its odd sentences")
    return [
        ExamExample(sentence.words, link.source, answers[link.source], link.target, sentence.number)
        for sentence, answers in head_answers(encoder, sentences, layer, head, direction)
        for link in sentence.links
        if link.kind == relation
    ]


class SideBySide(NamedTuple):
    """A relation of one treebank in two models: the best head of each, and how much better the second one's is."""

    relation: str
    first: ExamRow
    second: ExamRow

    @property
    def gain(self) -> float:
        """Return the accuracy of the second model's head less that of the first's."""
        return self.second.accuracy - self.first.accuracy

    @property
    def apart(self) -> bool:
        """Return whether the intervals of 95 % of the two shares do not meet."""
        return self.first.low > self.second.high or self.second.low > self.first.high


def side_by_side(first: Exam, second: Exam, treebank: str | None = None) -> list[SideBySide]:
    """Match the heads of two models by what they do: the relations that both have rows of, the largest change first.

    Raises:
        ExamError: the models were not examined on the same links, so that their figures cannot be compared.
    """
    name = first.treebanks[0].name if treebank is None else treebank
    both: Sequence[str] = [relation for relation in first.relations(name) if relation in second.relations(name)]
    if not both:
        raise ExamError(f"the two models have no relation of {name} in common; examine both on it")
    pairs = [SideBySide(relation, first.row(relation, name), second.row(relation, name)) for relation in both]
    for pair in pairs:
        if pair.first.n != pair.second.n:
            raise ExamError(
                f"{pair.relation} was asked {pair.first.n} times of {first.model} and {pair.second.n} times of "
                f"{second.model}; examine both on the same sentences"
            )
    return sorted(pairs, key=lambda pair: (-abs(pair.gain), pair.relation))
