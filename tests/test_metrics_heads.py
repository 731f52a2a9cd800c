"""Measures of heads: cases whose answer is known, the formula as a loop, and the heads of the bundled models."""

import math
from functools import partial
from itertools import pairwise

import pytest
import torch
from tiny import SENTENCE, TINY, tiny
from torch import Tensor

from encoder import TextEncoder
from encoder.metrics import (
    MARGIN,
    MOST,
    NO_ROLE,
    ROLES,
    SENTENCES,
    TOO_FEW,
    attention_weights,
    confidence,
    distance,
    entropy,
    given_and_received,
    head_roles,
    js_distance,
    largest_cell,
    normalized_entropy,
    offset,
    only_between,
    plane,
    role_mass,
    survey,
    together,
    uniform_distance,
)
from encoder.metrics.roles import label

N = 7
WORDS = ["[CLS]", "w1", ",", "w2", "w2", ".", "[SEP]"]
EVEN, OWN = torch.full((1, N, N), 1 / N), torch.eye(N)[None]
PREVIOUS, NEXT = OWN.roll(-1, 2), OWN.roll(1, 2)  # the edge looks round the corner: at the last, at the first


def on(column: int) -> Tensor:
    """A head that puts everything on one key."""
    weights = torch.zeros(1, N, N)
    weights[..., column] = 1
    return weights


def noise(*shape: int, seed: int = 0) -> Tensor:
    """Rows that sum to 1, some of them sharp."""
    return (3 * torch.randn(shape, generator=torch.Generator().manual_seed(seed))).softmax(-1)


# Against loops


def jensen_shannon(p: list[float], q: list[float]) -> float:
    """The divergence of two rows by its formula; what is never looked at adds nothing."""
    middle = [(v + w) / 2 for v, w in zip(p, q, strict=True)]
    return math.fsum(v * math.log(v / m) for row in (p, q) for v, m in zip(row, middle, strict=True) if v) / 2


def test_measures_are_their_loops() -> None:
    """Of even heads, of heads that look at one place, and of some drawn by chance."""
    weights, i = torch.cat((noise(4, N, N), EVEN, OWN, PREVIOUS, NEXT, *map(on, range(N)))), range(N)
    found, apart = role_mass(weights, WORDS), js_distance(weights)
    assert found.keys() == set(ROLES)
    for h, a in enumerate(weights.tolist()):
        spread = [-math.fsum(w * math.log(w) for w in a[q] if w) for q in i]  # 0 ln 0 is 0
        assert entropy(weights)[h].tolist() == pytest.approx(spread, rel=1e-5)
        assert normalized_entropy(weights)[h].tolist() == pytest.approx([s / math.log(N) for s in spread], rel=1e-5)
        far = math.fsum(a[q][k] * abs(q - k) for q in i for k in i) / N
        ahead = math.fsum(a[q][k] * (k - q) for q in i for k in i) / N
        assert float(distance(weights)[h]) == pytest.approx(far, rel=1e-5)
        assert float(offset(weights)[h]) == pytest.approx(ahead, rel=1e-4, abs=1e-6)
        assert float(confidence(weights)[h]) == pytest.approx(sum(max(row) for row in a) / N, rel=1e-5)
        expected = {
            "self": sum(a[q][q] for q in i) / N,
            "previous": sum(a[q][q - 1] for q in range(1, N)) / (N - 1),
            "next": sum(a[q][q + 1] for q in range(N - 1)) / (N - 1),
            "cls": sum(a[q][0] for q in i) / N,
            "sep": sum(a[q][6] for q in i) / N,
            "punctuation": sum(a[q][2] + a[q][5] for q in i) / N,
            "special": sum(a[q][0] + a[q][6] for q in i) / N,
        }
        assert {role: float(found[role][h]) for role in ROLES} == pytest.approx(expected, rel=1e-5)
        for other, b in enumerate(weights.tolist()):
            total = sum(jensen_shannon(p, q) for p, q in zip(a, b, strict=True))
            assert float(apart[h, other]) == pytest.approx(total / N, rel=1e-4, abs=1e-7)
    for n in (1, 2, 7, 40):
        assert float(distance(torch.full((1, n, n), 1 / n))) == pytest.approx(uniform_distance(n), rel=1e-5)
    near = torch.tensor([[[0.5, 0.5]], [[0.5001, 0.4999]]])
    assert float(js_distance(near)[0, 1]) == pytest.approx(0.0001**2 / 2, rel=0.01)


def test_roles_need_their_tokens_and_a_mark_is_punctuation() -> None:
    found = role_mass(torch.full((2, 3, 3), 1 / 3), ["w1", "w2", "w3"])
    assert {role for role in ROLES if found[role].any()} == {"self", "previous", "next"}
    marks = {".": True, "?!": True, "“": True, "Ġ,": True, "#": True, "a.": False, "[CLS]": False, "": False}
    weights = torch.tensor([[[0.0, 1.0], [0.0, 1.0]]])
    assert {token: bool(role_mass(weights, ["w1", token])["punctuation"]) for token in marks} == marks


def test_a_role_needs_a_margin_above_what_even_attention_gives_it() -> None:
    mass, none, at = torch.zeros(len(ROLES)), torch.zeros(len(ROLES)), ROLES.index("self")
    mass[at] = 0.6
    for even, expected in ((0.4, NO_ROLE), (0.3, "self")):
        uniform = torch.where(mass > 0, even, none)
        assert label(mass, uniform, none, none, True).label == expected


def test_one_token_has_an_answer_for_all() -> None:
    one = torch.ones(2, 1, 1)
    assert entropy(one).tolist() == normalized_entropy(one).tolist() == [[0.0], [0.0]]
    assert distance(one).tolist() == offset(one).tolist() == [0.0, 0.0]
    assert confidence(one).tolist() == [1.0, 1.0]
    assert js_distance(one).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    mass = role_mass(one, ["w1"])
    assert {role: values.tolist() for role, values in mass.items() if values.any()} == {"self": [1.0, 1.0]}
    assert [role.label for role in head_roles([one], [["w1"]])] == [TOO_FEW] * 2


def test_leading_dimensions_are_kept() -> None:
    """Sums may run in another order with other dimensions: N terms up to N, each rounded once on each side."""
    weights = noise(2, 3, N, N).double()
    close = partial(torch.testing.assert_close, rtol=0, atol=2 * N * N * torch.finfo(torch.float64).eps)
    for measure in (entropy, normalized_entropy, distance, offset, confidence):
        close(measure(weights), torch.stack([measure(w) for w in weights]))
    one = role_mass(weights.float(), WORDS)["next"][1], role_mass(weights[1].float(), WORDS)["next"]
    torch.testing.assert_close(*one, rtol=0, atol=2 * N * torch.finfo(torch.float32).eps)


# Together and apart


def test_together() -> None:
    weights = noise(4, N, N)
    assert torch.allclose(together(weights, [1, 3]), (weights[1] + weights[3]) / 2)
    assert torch.equal(together(weights, [1, 3], "max"), torch.maximum(weights[1], weights[3]))
    assert torch.equal(together(weights, [2]), weights[2])
    with pytest.raises(ValueError, match="choose 1 or more from 0 to 3"):
        together(weights, [])
    with pytest.raises(ValueError, match=r"heads are \[4\]"):
        together(weights, [4])
    with pytest.raises(ValueError, match="'sum'; it must be mean or max"):
        together(weights, [1], "sum")


def test_a_map_with_all_its_dimensions_has_the_distances_it_was_made_from() -> None:
    distances = js_distance(noise(6, N, N))
    points, shares = plane(distances, 6)
    assert torch.allclose(torch.cdist(points, points).square(), distances, atol=1e-5)
    assert float(shares.sum()) == pytest.approx(1)
    assert all(a >= b >= 0 for a, b in pairwise(shares.tolist()))
    assert torch.equal(plane(distances)[0], points[:, :2])
    assert all(points[points[:, d].abs().argmax(), d] >= 0 for d in range(5))  # a sign of its own
    for equal in (torch.zeros(1, 1), torch.zeros(3, 3)):  # one head, or equal ones, are one point
        points, shares = plane(equal)
        assert points.shape == (len(equal), 2) and not points.any() and shares.tolist() == [0, 0]


# Roles


def test_clear_heads_get_their_role_and_even_ones_none() -> None:
    words = ["[CLS]", *[f"w{i}" for i in range(14)], ",", "[SEP]"]
    n = len(words)
    eye = torch.eye(n)
    weights = torch.stack([eye, eye.roll(-1, 1), eye.roll(1, 1), torch.full((n, n), 1 / n), 0.4 * eye + 0.6 / n])
    found = head_roles([weights], [words])
    assert [role.label for role in found] == ["self", "previous", "next", NO_ROLE, NO_ROLE]
    assert [role.n for role in found[:3]] == [n, n - 1, n - 1]
    assert [role.mass for role in found[:3]] == pytest.approx([1, 1, 1])
    assert [role.uniform for role in found] == pytest.approx([1 / n] * 5)
    assert all(1 / n < role.shuffled < 0.35 for role in found[:3])


def test_one_sentence_does_not_tell_cls_from_any_token_but_many_do() -> None:
    one = head_roles([on(0)], [WORDS])[0]
    assert (one.label, one.nearest, one.mass, one.n) == (TOO_FEW, "cls", 1.0, N)
    many = head_roles([on(0), on(4), on(2)], [WORDS] * 3)[0]
    assert many.label == NO_ROLE  # a third each on [CLS], a word and a comma
    places = [0, 2, 4, 1, 3, 0, 2, 4]
    sentences = [[*WORDS[1 : place + 1], "[CLS]", *WORDS[place + 1 :]] for place in places]
    moved = head_roles([on(place) for place in places], sentences)[0]
    assert (moved.label, moved.mass, moved.n) == ("cls", 1.0, 8 * N)
    assert 1 / N < moved.shuffled < 1 - MARGIN


def test_the_shuffled_baseline_is_the_mass_that_one_shuffle_in_twenty_exceeds() -> None:
    role = head_roles([OWN], [WORDS])[0]
    generator = torch.Generator().manual_seed(5)
    tries = [int((torch.randperm(N, generator=generator) == torch.arange(N)).sum()) / N for _ in range(4000)]
    assert sum(t > role.shuffled + 1e-6 for t in tries) / 4000 < 0.05
    assert sum(t > role.shuffled - 1e-6 for t in tries) / 4000 > 0.05


def test_labels_do_not_depend_on_other_heads_global_randomness_or_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = noise(5, N, N)
    torch.manual_seed(1)
    found = head_roles([weights], [WORDS])
    assert found == head_roles([weights], [WORDS])
    assert found[3:] == head_roles([weights[3:]], [WORDS])
    assert [r.shuffled for r in found] != [r.shuffled for r in head_roles([weights], [WORDS], seed=1)]
    assert [r.label for r in head_roles([torch.cat((OWN, EVEN))[:, :3, :3]], [WORDS[:3]])] == [TOO_FEW, TOO_FEW]
    monkeypatch.setattr("encoder.metrics.roles.CELLS", 1000)  # many shuffles of a long sentence go in parts
    assert head_roles([weights], [WORDS]) == found


def test_weights_and_words_must_fit() -> None:
    with pytest.raises(ValueError, match=r"weights are \[1, 7, 7\] for 2 tokens; they must be \[H, 2, 2\]"):
        role_mass(OWN, ["a", "b"])
    with pytest.raises(ValueError, match="weights of 0 sentences"):
        head_roles([], [])
    with pytest.raises(ValueError, match="weights of 1 sentences and tokens of 2"):
        head_roles([OWN], [WORDS, WORDS])
    with pytest.raises(ValueError, match=r"weights are \[7, 7\]"):
        head_roles([OWN[0]], [WORDS])


# The bundled sentences and models


def test_a_hundred_different_sentences_of_5_to_16_words() -> None:
    assert len(SENTENCES) == len(set(SENTENCES)) == 100
    assert all(5 <= len(s.split()) <= 16 and s[0].isupper() and s[-1] in ".?!" for s in SENTENCES)
    assert sum(s.endswith("?") for s in SENTENCES) >= 8
    assert sum("," in s for s in SENTENCES) >= 10


CLEAR = {
    "base": {(1, 7): "next", (2, 2): "sep", (2, 3): "previous", (2, 4): "next", (3, 4): "next"},
    "small": {(0, 2): "previous", (0, 3): "next", (2, 1): "next", (2, 2): "self", (2, 3): "previous"},
}

PARKED = {  # on [CLS] and [SEP] together
    "base": {
        *((1, 4), (2, 0), (2, 5), (2, 6), (2, 7), (5, 3), (5, 5)),
        *((3, h) for h in range(8) if h != 4),
        *((4, h) for h in range(8)),
    },
    "small": {(3, 0), (3, 1), (3, 2), (3, 3)},
}


@pytest.mark.slow
def test_the_heads_that_the_model_cards_name_get_their_label(base: TextEncoder, small: TextEncoder) -> None:
    of_base = survey(base)
    for name, found in (("base", of_base), ("small", survey(small))):
        labels = {(i, h): r.label for i, row in enumerate(found.roles) for h, r in enumerate(row) if r.label != NO_ROLE}
        parked = {place for place, label in labels.items() if label == "special"}
        assert {place: label for place, label in labels.items() if place not in parked} == CLEAR[name]
        assert parked == PARKED[name]
        for (i, h), role in CLEAR[name].items():
            said = found.roles[i][h]
            assert said.mass == pytest.approx(float(found.measures[role][i, h]), abs=1e-5)
            assert said.mass > MOST
            assert said.mass > max(said.uniform, said.shuffled) + MARGIN
    for layer, head, role in ((2, 3, "previous"), (1, 7, "next"), (2, 4, "next")):
        assert of_base.roles[layer][head].mass > 0.8 < of_base.measures["confidence"][layer, head]
        assert (of_base.measures["offset"][layer, head] > 0) == (role == "next")


def test_a_survey_is_the_mean_over_all_rows() -> None:
    encoder = tiny(TINY)
    sentences = ["w1", "w2 w3 w4 w5", SENTENCE, "w7 w7", "w9 w8 w7 w6"]
    found = survey(encoder, sentences)
    traces = [encoder.trace(sentence) for sentence in sentences]
    every = [trace.layers[1].attention.weights[2] for trace in traces]
    rows = sum(len(w) for w in every)
    assert (found.sentences, found.tokens) == (5, rows)
    spread = sum(float(entropy(w).sum()) for w in every) / rows
    share = sum(float(normalized_entropy(w).sum()) for w in every) / rows
    far = sum(float((w * (torch.arange(len(w)) - torch.arange(len(w))[:, None]).abs()).sum()) for w in every) / rows
    back = sum(float(w.diagonal(-1).sum()) for w in every) / (rows - 5)
    measures = {name: float(measure[1, 2]) for name, measure in found.measures.items()}
    assert measures["entropy"] == pytest.approx(spread, rel=1e-5)
    assert measures["normalized_entropy"] == pytest.approx(share, rel=1e-5)
    assert measures["distance"] == pytest.approx(far, rel=1e-5)
    assert measures["previous"] == pytest.approx(back, rel=1e-5)
    assert measures["punctuation"] == 0
    both = [torch.stack((t.layers[0].attention.weights[1], t.layers[1].attention.weights[2])) for t in traces]
    unlike = sum(float(js_distance(pair)[0, 1]) * pair.shape[1] for pair in both) / rows
    assert float(found.likeness[1, 5]) == pytest.approx(unlike, rel=1e-4)
    assert found.likeness.shape == (6, 6)
    assert found.measures["entropy"].shape == (2, 3)
    assert [len(row) for row in found.roles] == [3, 3]
    assert found.least_neighbours == min(float(found.layer_cosine[i, i + 1]) for i in range(2))
    assert found.layer_cosine.shape == found.layer_cka.shape == (3, 3)
    for alike in (found.layer_cka, found.layer_cosine):
        assert alike.diagonal().tolist() == pytest.approx([1] * 3)
    first, last = (torch.cat([t[name] for t in traces]) for name in ("embedding.output", "layers.1.output"))
    alike = float(torch.nn.functional.cosine_similarity(first, last).mean())
    assert float(found.layer_cosine[0, 2]) == pytest.approx(alike, abs=1e-6)
    with pytest.raises(ValueError, match="0 sentences"):
        survey(encoder, [])


def test_padding_is_left_out() -> None:
    encoder = tiny(TINY)
    alone, padded = encoder.trace("w1 w2"), encoder.trace(["w1 w2", SENTENCE])[0]
    assert padded.padding == 3
    assert attention_weights(padded, 1).shape == (3, 4, 4)
    assert torch.allclose(attention_weights(padded), attention_weights(alone), atol=1e-6)
    assert torch.allclose(attention_weights(padded).sum(-1), torch.ones(2, 3, 4), atol=1e-6)


# Cells of a matrix


def test_the_largest_cell_where_tokens_look_and_who_looks_at_them() -> None:
    values = torch.tensor([[0.1, 0.2, 0.3], [0.3, 0.9, 0.0]])
    assert largest_cell(values) == largest_cell(values.numpy()) == (1, 1)
    assert largest_cell(-values) == (1, 2)
    weights = torch.tensor([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.125, 0.125, 0.75]])
    given, received = given_and_received(weights, [0, 2])
    assert given.tolist() == [0.3125, 0.1875, 0.5]  # the mean of two rows is a row again
    assert received.tolist() == [0.75, 0.0, 0.875]
    assert [v.tolist() for v in given_and_received(weights, [1])] == [[0.0, 1.0, 0.0], [0.25, 1.0, 0.125]]
    for wrong in ([], [3], [-1]):
        with pytest.raises(ValueError, match="choose 1 or more from 0 to 2"):
            given_and_received(weights, wrong)


def test_one_way_between_sentences_and_its_share() -> None:
    weights = torch.tensor([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.125, 0.125, 0.75]])
    alone, share = only_between(weights, [0, 0, 1], "A->B")
    assert alone.tolist() == [[0.0, 0.0, 0.25], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert share == 0.125  # of the weight of two queries
    assert only_between(weights, [0, 0, 1], "B->A")[1] == 0.25
