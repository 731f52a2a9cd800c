"""How well a model guesses words it has never seen: on held-out lines, with masks that the seed alone decides."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.support.errors import EncoderError
from encoder.train.fill_ins import CAPITAL, FILL_INS
from encoder.train.objective import Batch, MaskedWords, vocabulary
from encoder.train.packing import encode, packed, plan
from encoder.train.training_corpus import Lines

SEED = 1
SHARE = 0.15
AT_ONCE = 32  # rows run together


@dataclass(frozen=True)
class Score:
    """Over `words` hidden tokens: mean negative log-likelihood in nats, and the shares guessed first and among five."""

    words: int
    loss: float
    top_1: float
    top_5: float

    @property
    def error(self) -> float:
        """The standard error of the share guessed first."""
        return math.sqrt(self.top_1 * (1 - self.top_1) / max(1, self.words))

    def __str__(self) -> str:
        return (
            f"loss {self.loss:.3f}, top-1 {100 * self.top_1:.1f} %, top-5 {100 * self.top_5:.1f} % "
            f"over {self.words} hidden tokens"
        )


def held_out_batches(lines: Sequence[str], tokenizer: Tokenizer, row_length: int, seed: int = SEED) -> list[Batch]:
    """Return the lines as batches with hidden words, the same for the same lines, tokenizer, row length and seed."""
    words = vocabulary(tokenizer)
    tokens = encode(Lines(list(lines), [False] * len(lines)), tokenizer, row_length)
    whole = plan(tokens, row_length, 0.0, seed, 0)
    draw = np.random.default_rng((seed, 2))
    batches = []
    for first in range(0, len(whole), AT_ONCE):
        count = min(AT_ONCE, len(whole) - first)
        whole_rows = packed(tokens, whole, first, count, row_length, (words.pad, words.cls, words.sep))
        batches.append(Batch.of(whole_rows, words, SHARE, draw))
    return batches


@torch.inference_mode()
def evaluate(model: MaskedWords, batches: Sequence[Batch], to: Callable[[Batch], Batch] = lambda batch: batch) -> Score:
    """Return the score over all batches; `to` brings a batch to the model's device."""
    training = model.training
    model.eval()
    sums = torch.zeros(3, dtype=torch.float64)
    for batch in map(to, batches):
        logits = model.logits(batch)[0].float()
        right = logits.topk(min(5, logits.shape[-1])).indices == batch.labels[:, None]
        nll = functional.cross_entropy(logits, batch.labels, reduction="sum")
        sums += torch.stack([nll, right[:, 0].sum(), right.sum()]).double().cpu()
    model.train(training)
    words = sum(len(batch.labels) for batch in batches)
    loss, first, five = (sums / max(1, words)).tolist()
    return Score(words, loss, first, five)


def evaluate_text(encoder: TextEncoder, lines: Sequence[str], left_out: tuple[str, ...] = ()) -> Score:
    """Return the score of a finished model on lines of text; steps whose names end as one of `left_out` give zeros.

    Raises:
        EncoderError: the model has no masked-language-model head, or there is no line of text.
    """
    if encoder.model.mlm_head is None:
        raise EncoderError(f"the model {encoder.source.name!r} has no head that guesses words, so it cannot be scored")
    length = min(encoder.config.trained_length or 128, encoder.max_tokens)
    model = MaskedWords(encoder.model, left_out=left_out)
    return evaluate(model.eval(), held_out_batches(lines, encoder.tokenizer, length))


def fill_in_ranks(encoder: TextEncoder) -> Iterator[tuple[str, int, str]]:
    """Yield for the capital and each fill-in: sentence, rank of a right answer (6: not among five), first guess."""
    for sentence, answers in (CAPITAL, *FILL_INS):
        trace = encoder.trace(sentence)
        predicted = encoder.predict(trace)
        assert predicted is not None, "evaluate_text has seen to it that there is a head"
        guesses = [word for word, _ in predicted[trace.tokens.index("[MASK]")]]
        yield sentence, next((i for i, word in enumerate(guesses, 1) if word in answers), 6), guesses[0]
