"""Why two sentences are alike, whatever their vector is made of; lists of sentences; the mean of a corpus taken off."""

from dataclasses import replace

import pytest
import torch
from in_turn import in_turn
from tiny import TINY, tiny

from encoder import TextEncoder
from encoder.experiments.attributions.similarity import (
    LONGEST,
    MOST,
    Alike,
    alike,
    centred,
    likeness,
    lines,
    mean_vector,
    opened,
    others,
    sentence_vector,
)

POOLINGS = (None, "mean", "cls", "max", "mean_sqrt_len")
A, B = "w1 w2 w3 w2", "w4 w5 w1 w6 w7"


def cosine(a: torch.Tensor, b: torch.Tensor) -> float:
    return float(a @ b / (a.norm() * b.norm()))


@in_turn("hidden", [(), (0, 2)])
@in_turn("norm_first", [False, True])
@in_turn("pooling", POOLINGS)
def test_cells_and_their_parts_add_up_for_every_pooling(
    pooling: str | None, norm_first: bool, hidden: tuple[int, ...]
) -> None:
    config = replace(TINY, pooling=pooling, norm_first=norm_first, final_norm=norm_first, unit_length=pooling == "max")
    encoder = tiny(config)
    a, b = encoder.trace(A, hidden=hidden), encoder.trace(B)
    kept = [i for i in range(len(a.tokens)) if i not in hidden]
    one = a["pooling.vector"][0].double() if pooling else a["output"][kept].double().mean(0)
    two = b["pooling.vector"][0].double() if pooling else b["output"].double().mean(0)
    found = likeness(a, b)
    assert found.cells.shape == (6, 7)
    assert found.cosine == pytest.approx(cosine(one, two), abs=1e-12)
    assert float(found.cells.sum()) == pytest.approx(found.cosine, abs=1e-6)
    assert all(float(found.cells[i].abs().sum()) == 0 for i in hidden)
    i, j = divmod(int(found.cells.abs().argmax()), 7)
    parts = opened(encoder, a, b, i, j)
    assert float(parts.values.sum()) == pytest.approx(float(found.cells[i, j]), abs=1e-6)
    whole = parts.by_token()
    assert whole.shape == (6 + len(others(parts.left)), 7 + len(others(parts.right)))
    assert float(whole.sum()) == pytest.approx(float(found.cells[i, j]), abs=1e-6)
    of_token = [k for k, part in enumerate(parts.left) if part.token == 3]
    assert len(of_token) == 3  # heads
    assert float(whole[3].sum()) == pytest.approx(float(parts.values[of_token].sum()), abs=1e-9)


def test_where_one_token_stands_for_the_sentence_one_cell_is_all() -> None:
    encoder = tiny(replace(TINY, pooling="cls"))
    cells = likeness(encoder.trace(A), encoder.trace(B)).cells
    assert float(cells[0, 0]) == pytest.approx(float(cells.sum())) and int((cells != 0).sum()) == 1


@in_turn("pooling", POOLINGS)
def test_without_the_mean_it_is_another_number_with_four_terms(pooling: str | None) -> None:
    encoder = tiny(replace(TINY, pooling=pooling))
    a, b = encoder.trace(A), encoder.trace(B)
    mean = mean_vector(encoder, [A, B, "w9 w8", "w3"])
    wanted = torch.stack([sentence_vector(encoder.trace(text)) for text in (A, B, "w9 w8", "w3")]).mean(0)
    torch.testing.assert_close(mean, wanted)
    found = centred(a, b, mean)
    assert found.cosine == pytest.approx(cosine(sentence_vector(a) - mean, sentence_vector(b) - mean), abs=1e-12)
    assert float(found.cells.sum()) == pytest.approx(found.cosine, abs=1e-6)
    assert len(found.terms) == 4 and sum(found.terms.values()) == pytest.approx(found.cosine, abs=1e-9)
    assert centred(a, b, torch.zeros(30)).cosine == pytest.approx(likeness(a, b).cosine)
    with pytest.raises(ValueError, match="that mean itself"):
        centred(a, b, sentence_vector(a))
    with pytest.raises(ValueError, match=r"the mean is \[3\]; it must be \[30\]"):
        centred(a, b, torch.zeros(3))


def test_hostile_pairs_are_sentences(small: TextEncoder) -> None:
    encoder = tiny(replace(TINY, pooling="mean"))
    one = encoder.trace("w1")
    assert likeness(one, one).cosine == pytest.approx(1, abs=1e-12)
    short = tiny(replace(TINY, pooling="max"))
    short.tokenizer.post_processor = None
    alone = short.trace("w1")
    assert len(alone.tokens) == 1 and likeness(alone, alone).cells.shape == (1, 1)
    with pytest.raises(ValueError, match="two models"):
        likeness(one, small.trace("hi"))
    with torch.no_grad():
        encoder.model.layers[0].norm1.weight.fill_(torch.nan)
    lost = encoder.trace("w1 w2")
    with pytest.raises(ValueError, match="has the length nan, so it has no direction"):
        likeness(lost, lost)
    with pytest.raises(ValueError, match="has no direction"):
        alike([lost, lost])


def test_a_list_has_the_cosine_of_every_two_of_its_sentences() -> None:
    encoder = tiny(replace(TINY, pooling="mean", unit_length=True))
    runs = [encoder.trace(text) for text in (A, B, "w9 w8", "w3")]
    found = alike(runs)
    units = torch.stack([run["pooling.unit"][0].double() for run in runs])
    torch.testing.assert_close(found.cosines, units @ units.T, atol=1e-6, rtol=0)
    assert found.cosines[found.least] == found.cosines.min()


def test_the_odd_pair_is_the_one_that_its_sentences_do_not_explain() -> None:
    liked = torch.tensor([0.1, 0.4, 0.2, 0.3, 0.0])
    cosines = liked[:, None] + liked
    cosines[1, 3] = cosines[3, 1] = 0.2  # as alike as others, and yet less than these two would be
    found = Alike(cosines.fill_diagonal_(1.0).double())
    assert found.odd == (1, 3) and found.most == (1, 2)
    assert float(found.expected[1, 3]) > 0.2
    same = Alike(torch.ones(3, 3, dtype=torch.float64))
    assert same.odd == same.most == (0, 1)
    assert Alike(torch.eye(2, dtype=torch.float64)).odd == (0, 1)


def test_a_list_is_read_from_lines() -> None:
    assert lines("  One.\n\n Two  words. \r\nThree.") == ["One.", "Two words.", "Three."]


@in_turn(
    ("text", "said"),
    [
        ("", "the list has 0 sentences; it takes 2 to 24"),
        ("one\n", "the list has 1 sentences"),
        ("a\n" * (MOST + 1), "the list has 25 sentences"),
        ("a\n" + "b" * (LONGEST + 1), "has 301 characters"),
    ],
)
def test_what_is_no_list_is_said(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        lines(text)
