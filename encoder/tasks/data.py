"""Inputs of a task as the encoder reads them: a tokenizer of single signs, batches, and held-out inputs."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from tokenizers.processors import TemplateProcessing
from torch import Tensor

from encoder.tasks.attention_task import AttentionTask, Integers
from encoder.tasks.task import task_of
from encoder.train.masked_rows import Batch
from encoder.train.vocabulary import SPECIAL

HELD_OUT = 256  # inputs that training never sees
HELD_OUT_SEED = 1
FIRST = len(SPECIAL)  # the id of a task's first symbol


def tokenizer_of(task: AttentionTask) -> Tokenizer:
    """Return one token for each sign, spaces or not, between [CLS] and [SEP]."""
    signs = (*SPECIAL, *task.vocabulary[:-1])
    tokenizer = Tokenizer(WordLevel({sign: i for i, sign in enumerate(signs)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\S"), "removed", invert=True)
    tokenizer.add_special_tokens(list(SPECIAL))
    ends = [(token, SPECIAL.index(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return tokenizer


def vocab_size(task: AttentionTask) -> int:
    """Return how many tokens a model of the task knows."""
    return FIRST + len(task.vocabulary) - 1


def token_ids(task: AttentionTask, signs: Integers) -> Integers:
    """Return the ids of a task's signs; the last one is the mask."""
    return np.where(signs == len(task.vocabulary) - 1, SPECIAL.index("[MASK]"), signs + FIRST)


def sentence(task: AttentionTask, signs: Integers) -> str:
    """Return one input [length] as a person types it."""
    return " ".join(task.vocabulary[i] for i in signs.tolist())


def batch(task: AttentionTask, inputs: Integers, wanted: Integers) -> Batch:
    """Return inputs and wanted answers [count, length] as rows with [CLS] and [SEP] for the objective of training."""
    count, n = len(inputs), task.length + 2
    ids = np.empty((count, n), np.int64)
    ids[:, 0], ids[:, -1] = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
    ids[:, 1:-1] = token_ids(task, inputs)
    answered = np.zeros((count, n), bool)
    answered[:, 1:-1] = wanted >= 0
    labels = token_ids(task, wanted[wanted >= 0])
    places = torch.arange(n).expand(count, n)
    return Batch(
        torch.from_numpy(ids),
        torch.ones(count, n, dtype=torch.long),
        places,
        torch.from_numpy(answered.ravel().nonzero()[0]),
        torch.from_numpy(labels),
    )


def numbered(task: AttentionTask, inputs: Integers) -> Integers:
    """Return a whole number for each input [count, length], another one for another input."""
    return inputs @ (len(task.vocabulary) ** np.arange(task.length, dtype=np.int64))


@lru_cache(maxsize=32)
def held_out(key: str) -> tuple[Integers, Integers]:
    """Return the inputs that training never sees, no two of them alike, and their answers."""
    task = task_of(key)
    inputs, wanted = task.draw(np.random.default_rng((HELD_OUT_SEED, 7)), 4 * HELD_OUT)
    first = np.sort(np.unique(numbered(task, inputs), return_index=True)[1])[:HELD_OUT]
    return inputs[first], wanted[first]


def batches(task: AttentionTask, seed: int, rows: int, steps: int) -> Iterator[Batch]:
    """Yield a batch of fresh inputs for every step, none of them held out; all follows from the seed and the step."""
    kept_back = numbered(task, held_out(task.key)[0])
    for step in range(steps):
        draw = np.random.default_rng((seed, 11, step))
        inputs, wanted = task.draw(draw, 2 * rows)
        free = (~np.isin(numbered(task, inputs), kept_back)).nonzero()[0][:rows]
        yield batch(task, inputs[free], wanted[free])


def guessing(key: str) -> float:
    """Return the loss of who only knows how frequent each answer is, in nats: the entropy of the held-out answers."""
    wanted = held_out(key)[1]
    share = np.bincount(wanted[wanted >= 0]) / (wanted >= 0).sum()
    return float(-(share[share > 0] * np.log(share[share > 0])).sum())


def answers(batch_of: Batch, logits: Tensor) -> Tensor:
    """Return for every row of a batch whether all that was asked for is right, from logits [asked, vocab]."""
    wrong = logits.argmax(-1) != batch_of.labels
    row = batch_of.at // batch_of.ids.shape[1]
    return torch.zeros(len(batch_of.ids)).index_add(0, row, wrong.float()) == 0
