"""Which words of gold trees are parts of names, told from a model's vectors by a probe beside its control task."""

from collections import Counter
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.treebank import BUNDLED, FOLDER, Tree, read_treebank
from encoder.experiments.probes.layer_probes import Probe, Task, accuracy, folds, scored
from encoder.metrics import stream
from encoder.metrics.head_measures import runs
from encoder.model.encoder import Encoder
from encoder.support.errors import seeded
from encoder.trace.words import places

LONGEST = 14  # words of a sentence: those that are probed are short
NAME = "PROPN"
MEASURED: WeakKeyDictionary[Encoder, tuple[Probe, float]] = WeakKeyDictionary()


def with_names() -> list[Tree]:
    """Return the sentences that are probed, the short ones of the first bundled treebank that hold a name."""
    trees = read_treebank(FOLDER / f"{BUNDLED[0]}.conllu.xz").trees
    return [tree for tree in trees if len(tree.words) <= LONGEST and NAME in tree.tags]


def named(encoder: TextEncoder) -> tuple[Probe, float]:
    """Return how many words a probe tells right at the input and after the last layer, and how many a list does.

    Kept for as long as the model is. A word of several pieces is their mean; the control task draws a class for each
    word of the vocabulary.

    Raises:
        EncoderError: the tokenizer gives a word no piece.
    """
    if encoder.model not in MEASURED:
        MEASURED[encoder.model] = measured(encoder, with_names())
    return MEASURED[encoder.model]


def measured(encoder: TextEncoder, trees: list[Tree]) -> tuple[Probe, float]:
    """Return what `named` does, for these sentences."""
    texts = {" ".join(tree.words): i for i, tree in enumerate(trees)}
    vectors: list[Tensor] = [torch.empty(0)] * len(trees)
    for trace in runs(encoder, list(texts)):
        i, ends = texts[trace.text], stream(trace)[[0, -1]]
        pieces_of = places(trace.tokenization.spans, trees[i].words)
        vectors[i] = torch.stack([ends[:, pieces].mean(1) for pieces in pieces_of], 1)
    words = [word.lower() for tree in trees for word in tree.words]
    labels = torch.tensor([int(tag == NAME) for tree in trees for tag in tree.tags])
    task = Task(labels, drawn(words, labels), torch.tensor([i for i, tree in enumerate(trees) for _ in tree.words]), 2)
    both = [(accuracy(x, labels, task), accuracy(x, task.control, task)) for x in torch.cat(vectors, 1)]
    return scored(both, labels), looked_up(words, task)


def drawn(words: list[str], labels: Tensor) -> Tensor:
    """Return a class for each word, drawn among those that there are, the same wherever it stands."""
    draw = seeded(0)
    lot = {word: int(labels[torch.randint(len(labels), (), generator=draw)]) for word in dict.fromkeys(words)}
    return torch.tensor([lot[word] for word in words])


def looked_up(words: list[str], task: Task) -> float:
    """Return the share that a list of words tells: the class that each most often has in the other folds."""
    right, labels = 0, task.labels.tolist()
    for tested in folds(task.sentence_of):
        known: dict[str, Counter[int]] = {}
        for word, label, held_out in zip(words, labels, tested.tolist(), strict=True):
            if not held_out:
                known.setdefault(word, Counter())[label] += 1
        right += sum(
            known.get(word, Counter((0,))).most_common(1)[0][0] == label
            for word, label, held_out in zip(words, labels, tested.tolist(), strict=True)
            if held_out
        )
    return right / len(words)
