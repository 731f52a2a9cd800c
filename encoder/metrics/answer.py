"""What a run answers: words of the vocabulary, or labels of the sentence or of each token, or nothing."""

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.lens import word
from encoder.model.classifier_config import ClassifierConfig
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.tap import NO_TAP, Tap
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream, tokens

SENTENCE = -1  # the place of an answer that is of the whole sentence
LONGEST = 40  # characters of an answer's name


@dataclass(frozen=True)
class Answers:
    """How models of a configuration answer: at which place, among what, and whether in shares.

    An answer is chosen among `count` words or labels, each of which has a score. `part` names the steps of the head
    that gives the scores, "" where there is none; `labels` is the head of labels where it is that.
    """

    config: EncoderConfig

    @property
    def labels(self) -> ClassifierConfig | None:
        """The head of labels, where it is what answers."""
        return None if self.config.mlm_head else self.config.classifier

    @property
    def part(self) -> str:
        """The part of the model that gives the scores."""
        return "mlm" if self.config.mlm_head else "classifier" if self.config.classifier else ""

    @property
    def count(self) -> int:
        """How many words or labels an answer is chosen among."""
        return self.config.vocab_size if self.config.mlm_head else self.config.n_labels

    @property
    def of_sentence(self) -> bool:
        """Whether it is of the whole sentence, so that its place is SENTENCE."""
        return self.labels is not None and self.labels.labelled == "sentence"

    @property
    def in_shares(self) -> bool:
        """Whether scores mean shares; numbers of a regression are what they are."""
        return self.labels is None or self.labels.problem != "regression"

    @property
    def competing(self) -> bool:
        """Whether what one gains the others lose; of several labels at once each is its own question."""
        return self.labels is None or self.labels.problem == "single_label"

    def check(self, position: int, n: int) -> None:
        """Refuse a place at which a model of this configuration gives no answer, of a text of n tokens.

        Raises:
            EncoderError: it answers nothing, or elsewhere.
        """
        if not self.part:
            raise EncoderError("this model has no MLM head and no head of labels, so it answers nothing")
        if self.of_sentence and position != SENTENCE:
            raise EncoderError(f"position is {position}; this model labels the sentence, whose place is {SENTENCE}")
        if not self.of_sentence and not 0 <= position < n:
            raise EncoderError(f"position is {position}; positions go from 0 to {n - 1}")

    def scores(self, trace: Trace, position: int) -> Tensor:
        """The scores of a run at a place: [count]."""
        return at_place(trace[f"{self.part}.logits"], position)

    def shares(self, scores: Tensor) -> Tensor:
        """What scores [..., count] mean: shares, or of a regression the scores themselves."""
        if not self.in_shares:
            return scores
        return scores.softmax(-1) if self.competing else scores.sigmoid()

    def read(self, trace: Trace, position: int) -> list[int]:
        """The tokens whose last vectors the head reads for its answer at a place, with equal weight."""
        if self.labels is None or self.labels.labelled == "token":
            return [position]
        counted = [i for i in range(len(tokens(trace))) if i not in trace.hidden]
        return {"first": [0], "words": counted[1:-1] or counted}.get(self.labels.reading, counted)

    def places(self, trace: Trace, gaps: list[int]) -> list[int]:
        """The places of a run's answers: its gaps, or SENTENCE, or the first piece of each word that gets a label."""
        if self.labels is None:
            return gaps
        text = trace.tokenization
        words = [pieces[0] for pieces in text.words if not text.special[pieces[0]]]
        return [SENTENCE] if self.of_sentence else words


@lru_cache(maxsize=64)
def answers(config: EncoderConfig) -> Answers:
    """How models of a configuration answer."""
    return Answers(config)


def at_place(scores: Tensor, position: int) -> Tensor:
    """The scores at a place, of all [..., n, count]; of the sentence they are the scores themselves [..., count]."""
    return scores if position == SENTENCE else scores[..., position, :]


def answer_scores(model: Encoder, output: Tensor, masked: Tensor | None, tap: Tap = NO_TAP) -> Tensor:
    """The scores of an output [B, n, d_model]: [B, n, count], of the sentence [B, count]; `masked` [B, n] don't count.

    Raises:
        EncoderError: the model answers nothing.
    """
    scores = model.predict(output, tap) if model.mlm_head is not None else model.label(output, masked, tap)
    if scores is None:
        raise EncoderError("this model has no MLM head and no head of labels, so it answers nothing")
    return scores


def label_names(encoder: TextEncoder) -> list[str]:
    """The labels as they are told: each another text, and none empty."""
    head = answers(encoder.config).labels
    result: list[str] = []
    for i, label in enumerate(() if head is None else head.labels):
        name = shown(label, LONGEST).strip() or f"label {i}"
        result.append(f"{name} ({i})" if name in result else name)
    return result


def name_of(encoder: TextEncoder, i: int) -> str:
    """A word or label as it is told."""
    return shown(word(encoder, i), LONGEST) if encoder.config.mlm_head else label_names(encoder)[i]


def answer_id(encoder: TextEncoder, trace: Trace, position: int, name: str) -> int:
    """Return the number of a word at a position as somebody types it, or of a label.

    Raises:
        EncoderError: the vocabulary, or the model's labels, have not got it.
    """
    if answers(encoder.config).labels is None:
        return encoder.word_id(trace, position, name)
    every = label_names(encoder)
    if name not in every:
        raise EncoderError(f"“{name}” is not a label of this model")
    return every.index(name)


@torch.inference_mode()
def answer_after_layers(encoder: TextEncoder, trace: Trace, position: int) -> Tensor:
    """The scores at a place that the head would give before the first layer and after each: [n_layers + 1, count].

    It was only ever trained on the last layer's output: what it says of earlier ones is a reading, not a belief.

    Raises:
        EncoderError: a trace of another model, or see `Answers.check`.
    """
    encoder.check_own(trace)
    how, n = answers(encoder.config), len(tokens(trace))
    how.check(position, n)
    x = stream(trace) if how.of_sentence else stream(trace)[:, [position]]
    if encoder.model.final_norm is not None:
        x = encoder.model.final_norm(x)
    masked = encoder.mask([n] * len(x), n, trace.hidden) if how.of_sentence else None
    return at_place(answer_scores(encoder.model, x, masked), SENTENCE if how.of_sentence else 0)
