"""Probes: the labelled sentences, the fit against scikit-learn, and never a probe without its control."""

from typing import Any

import numpy as np
import pytest
import torch
from in_turn import in_turn
from tiny import TINY, VARIANTS, tiny

from encoder import TextEncoder
from encoder.exam import named
from encoder.experiments.probes import layer_probes
from encoder.experiments.probes.layer_probes import (
    FOLDS,
    MOODS,
    TAGS,
    TASKS,
    Task,
    accuracy,
    folds,
    labelled,
    probe,
    readers,
    samples,
    words_of,
)
from encoder.experiments.probes.regression import STRENGTH, fit

pytestmark = pytest.mark.slow


def oracle(x: torch.Tensor, labels: torch.Tensor) -> tuple[Any, Any]:
    """The same fit by another hand; for two classes it has one row of weights, which halves the penalty."""
    from sklearn.linear_model import LogisticRegression  # 0.1 GB for the process that runs this file alone
    from sklearn.preprocessing import StandardScaler

    strength = STRENGTH * (2 if len(labels.unique()) == 2 else 1)
    scaler = StandardScaler().fit(x.double().numpy())
    model = LogisticRegression(C=strength, solver="newton-cg", tol=1e-9)
    return scaler, model.fit(scaler.transform(x.double().numpy()), labels.numpy())


def test_two_hundred_sentences_each_with_its_twin_and_its_tags() -> None:
    every = labelled()
    assert len(every) == len({one.text for one in every}) == 200
    assert [one.mood for one in every] == [0, 1] * 100 and len(MOODS) == 2
    for good, bad in zip(every[::2], every[1::2], strict=True):
        assert set(good.words) & set(bad.words), (good.text, bad.text)
    counts = np.bincount([tag for one in every for tag in one.tags], minlength=len(TAGS))
    assert counts.min() > 30 and counts.max() < counts.sum() / 3
    assert all(len(one.words) == len(one.tags) for one in every)


@in_turn("classes", [2, 5])
def test_the_fit_is_that_of_scikit_learn(classes: int) -> None:
    draw = torch.Generator().manual_seed(0)
    x, labels = torch.randn(60, 90, generator=draw), torch.randint(classes, (60,), generator=draw)
    x[:, 3] *= 100
    scaler, model = oracle(x, labels)
    ours, theirs = fit(x, labels, classes, near=1e-7), model.predict_proba(scaler.transform(x.double().numpy()))
    np.testing.assert_allclose(ours.shares(x).numpy(), theirs, atol=1e-5)
    if classes > 2:
        np.testing.assert_allclose(ours.weight.numpy(), model.coef_, atol=1e-5)


def test_a_fit_without_samples_is_refused() -> None:
    for x, labels in ((torch.zeros(0, 3), torch.zeros(0)), (torch.zeros(2, 3), torch.zeros(3))):
        with pytest.raises(ValueError, match="one or more"):
            fit(x, labels.long(), 2)


def test_no_sentence_and_no_twin_is_told_by_a_probe_that_has_seen_it() -> None:
    sentence_of = torch.arange(200).repeat_interleave(2)
    tested = folds(sentence_of)
    assert torch.stack(tested).sum(0).tolist() == [1] * 400 and len(tested) == FOLDS
    for one in tested:
        inside, outside = set((sentence_of[one] // 2).tolist()), set((sentence_of[~one] // 2).tolist())
        assert not inside & outside


def told_by_another(x: torch.Tensor, labels: torch.Tensor, sentence_of: torch.Tensor) -> float:
    """The share told right, fold by fold with scikit-learn."""
    right = 0
    for fold in range(FOLDS):
        tested = (sentence_of // 2) % FOLDS == fold
        scaler, model = oracle(x[~tested], labels[~tested])
        right += int((model.predict(scaler.transform(x[tested].double().numpy())) == labels[tested].numpy()).sum())
    return right / len(labels)


@pytest.mark.slow
def test_accuracy_by_layer_is_that_of_an_independent_run(small: TextEncoder) -> None:
    read, found = samples(small), probe(small, "good or bad")
    asked = TASKS["good or bad"](read)
    for layer, labels, ours in (
        (0, asked.control, found.control),
        (small.config.n_layers, asked.labels, found.accuracy),
    ):
        theirs = told_by_another(read.vectors("good or bad", layer), labels, asked.sentence_of)
        assert float(ours[layer]) == pytest.approx(theirs, abs=1.5 / len(labels)), layer
    for name in ("parts of speech", "place"):  # some of the words, which takes long enough
        asked = TASKS[name](read)
        some = asked.sentence_of < 16
        x = read.vectors(name, 2)[some]
        for labels in (asked.labels[some], asked.control[some]):
            ours = accuracy(x, labels, Task(labels, labels, asked.sentence_of[some], asked.classes))
            theirs = told_by_another(x, labels, asked.sentence_of[some])
            assert ours == pytest.approx(theirs, abs=1.5 / len(labels)), name


def test_a_control_task_gives_a_word_one_class_wherever_it_stands() -> None:
    lots = dict[str, set[int]]()
    words = [word.lower() for one in labelled() for word in one.words]
    for word, lot in zip(words, layer_probes.drawn(torch.arange(len(words)) % 8).tolist(), strict=True):
        lots.setdefault(word, set()).add(lot)
    assert all(len(lot) == 1 for lot in lots.values()) and len(set().union(*lots.values())) == 8


def test_the_control_of_sentences_follows_from_their_words() -> None:
    """A number for each word makes the classes of all sentences: words learned by heart tell it, and nothing else."""
    words = [[word.lower() for word in one.words] for one in labelled()]
    vocabulary = sorted({word for one in words for word in one})
    counted = torch.tensor([[one.count(word) / len(one) for word in vocabulary] for one in words])
    task = layer_probes.moods(samples(tiny(TINY)))
    by_heart = fit(counted, task.control, 2, strength=100.0).shares(counted).argmax(-1)
    assert float((by_heart == task.control).double().mean()) > 0.97
    assert int(task.control.sum()) == 100 and 60 < int((task.control == task.labels).sum()) < 140
    both = sum(a == b for a, b in zip(task.control[::2].tolist(), task.control[1::2].tolist(), strict=True))
    assert both > 60, "two sentences of nearly the same words are of one class more often than not"
    known = fit(counted[:100], task.control[:100], 2).shares(counted[100:]).argmax(-1)
    assert int((known == task.control[100:]).sum()) > 50


def test_every_probe_comes_with_its_control(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder, every = tiny(TINY), labelled()
    monkeypatch.setattr(layer_probes, "labelled", lambda: every[:16])
    for name in TASKS:
        one = probe(encoder, name)
        assert one.accuracy.shape == one.control.shape == (encoder.config.n_layers + 1,), name
        assert 0 < one.commonest < 1
    with pytest.raises(ValueError, match="the tasks are parts of speech"):
        probe(encoder, "colour")


def test_a_word_is_the_mean_of_its_pieces_in_each_layer(small: TextEncoder) -> None:
    read, every = samples(small), labelled()
    at = 0
    for i in (0, 37, 199):
        trace = small.trace(every[i].text)
        at = sum(len(one.words) for one in every[:i])
        for k, word in enumerate(every[i].words):
            pieces = trace.tokenization.find(word)
            if every[i].words.index(word) == k:
                for layer, name in ((0, "embedding.output"), (3, "layers.2.output")):
                    mean = trace[name][list(pieces)].mean(0)
                    assert torch.allclose(read.words[layer, at + k], mean, atol=1e-4)
    after, width = small.config.n_layers + 1, small.config.d_model
    assert read.words.shape == (after, sum(len(one.words) for one in every), width)
    assert read.sentences.shape == (after, 200, width)


@pytest.mark.parametrize("name", ["learned-positions"])
def test_a_reader_reads_another_sentence(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace("w1 w2 w3")
    shares = layer_probes.read_words(trace, readers(encoder, 1)["parts of speech"], 1)
    assert shares.shape == (len(words_of(trace)), len(TAGS))
    assert torch.allclose(shares.sum(-1), torch.ones(len(shares), dtype=torch.float64))
    assert layer_probes.read_sentence(trace, readers(encoder, 0)["good or bad"], 0).shape == (2,)
    with pytest.raises(ValueError, match="no 9 layers"):
        readers(encoder, 9)


@in_turn(
    ("tags", "labels"),
    [("DANVRAN", "bggobgg"), ("PVDN", "bobg"), ("DRANVA", "bgggoo"), ("NNVRAC", "bgoooo"), ("IDNIN", "obgob")],
)
def test_a_phrase_is_its_nouns_with_what_stands_before_them(tags: str, labels: str) -> None:
    assert "".join(layer_probes.CHUNKS[label][0] for label in layer_probes.chunked(list(tags))) == labels


@pytest.mark.slow
def test_names_are_those_that_people_marked() -> None:
    trees = named.with_names()
    assert len(trees) > 50 and all("PROPN" in tree.tags and len(tree.words) <= 14 for tree in trees)
    tags = [tag for tree in trees[:12] for tag in tree.tags]
    found, from_list = named.measured(TextEncoder.from_pretrained("small"), trees[:12])
    assert found.samples == len(tags) and len(found.accuracy) == 2
    assert found.commonest == pytest.approx(1 - tags.count("PROPN") / len(tags))
    assert 0.5 < from_list < 1
