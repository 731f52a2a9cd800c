"""Examinations of heads on gold trees: those that are shipped, and those that visitors have made of other models."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from encoder import TextEncoder
from encoder.exam import Exam, Treebank, bundled_treebanks, examine
from encoder.exam.constructed_sentences import DRAWS, FRAMES, subjects
from encoder.exam.examination import SENTENCES, TOKENS, exam_by_content
from pages.ui.server import jobs, memory
from pages.ui.server.engine import budget, text_encoder
from pages.ui.server.pool import Results

EXAMS_BYTES = 10_000_000  # of examinations, some 50 kilobytes each
NEEDED = 400_000_000  # bytes while it goes on
MADE = 4 * len(FRAMES)  # constructed sentences of a draw
SENTENCE_SECONDS = 0.0005  # of each sentence, however small the model is: they pass in batches
HEAD_SECONDS = 4.5e-6  # of each sentence for each head: what it answers is counted
READING = 1.0  # seconds until the treebanks are read
LEAST = 0.2  # of the sentences: with fewer hardly a pass is certain


@dataclass(frozen=True)
class Examinee:
    """A model to be examined: what its weights are, by which its examination is kept, and its name."""

    content: str
    model: str = field(compare=False)


def examinee(model: str) -> Examinee:
    """Return what pins the weights and the shape of a model."""
    return Examinee(content(text_encoder(model)), model)


def content(encoder: TextEncoder) -> str:
    """Return what pins the weights and the shape of a model in words."""
    return f"{encoder.source.fingerprint} {encoder.source.maker} {encoder.config}"


def exam(model: str) -> Exam | None:
    """Return the examination of a model, shipped or made here; None where there is none."""
    encoder = text_encoder(model)
    return exam_by_content(encoder.source.fingerprint) or made_here(encoder)


def made_here(encoder: TextEncoder) -> Exam | None:
    """Return the examination that a visitor has made of a model; None where there is none, or it is kept no more."""
    made: Exam | None = exams_kept.peek(Examinee(content(encoder), encoder.source.name))
    return made


def examined(model: str) -> Exam:
    """Return the examination of a model, made now where there is none.

    Raises:
        EncoderError: no sentence of the treebanks can be asked of this model.
    """
    return exam(model) or exams_kept.get(examinee(model))


def seconds(model: str) -> float:
    """Return about how long it takes until the examination of a model is there; 0 where it is."""
    if exam(model) is not None:
        return 0.0
    whole = exam_seconds(text_encoder(model))
    return whole * share(whole)


def exam_seconds(encoder: TextEncoder, runs: float = SENTENCES + DRAWS * MADE) -> float:
    """Return about how long it takes to ask a model so many sentences, all of the bundled ones without a number."""
    config = encoder.config
    own = SENTENCE_SECONDS + HEAD_SECONDS * config.n_layers * config.n_heads
    return READING + jobs.seconds(config, TOKENS, runs, calls=0) + runs * own


def share(seconds: float) -> float:
    """Return which part of the sentences a page asks, so that it takes no longer than a page may; 1 below LEAST."""
    part = min(1.0, 0.95 * jobs.MOST / seconds)
    return part if part >= LEAST else 1.0


def examine_now(asked: Examinee) -> Exam:
    """Examine a model now, in turn; between two batches it ends where nobody waits for it any more."""
    encoder = text_encoder(asked.model)
    memory.check_room(NEEDED, "to examine its heads", budget.drop_one)
    part = share(exam_seconds(encoder))
    with jobs.in_turn():
        result = examine(encoder, first_part(bundled_treebanks(), part))
        if encoder.mask_token is not None:
            result = replace(result, frames=tuple(subjects(encoder, max(2, round(DRAWS * part)))))
    return result


def first_part(treebanks: Sequence[Treebank], part: float) -> list[Treebank]:
    """Return the first trees of each treebank."""
    return [Treebank(treebank.name, treebank.trees[: round(part * len(treebank.trees))]) for treebank in treebanks]


exams_kept = Results(examine_now, EXAMS_BYTES, budget=budget)
