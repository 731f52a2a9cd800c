"""Every measure against its formula as a loop, and against cases whose answer is known."""

import math
from collections.abc import Sequence

import pytest
import torch
from in_turn import in_turn
from tiny import SENTENCE, VARIANTS, tiny
from torch import Tensor

from encoder import Trace
from encoder.metrics import cosine, cosine_matrix, length, most_active, silent_share, stream


def noise(*shape: int) -> Tensor:
    """Some numbers, off centre."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)) + 0.3


def norm(row: Sequence[float]) -> float:
    """Euclidean norm by its formula."""
    return math.sqrt(math.fsum(v * v for v in row))


def angle(x: Sequence[float], y: Sequence[float]) -> float:
    """Cosine by its formula."""
    return math.fsum(a * b for a, b in zip(x, y, strict=True)) / (norm(x) * norm(y))


@pytest.fixture(scope="module")
def trace() -> Trace:
    """A tiny run with two hidden tokens."""
    return tiny(VARIANTS["mlm-head"]).trace(SENTENCE, hidden=(1, 4))


# Cosine and length

DIRECTIONS = [
    ([1.0, 0.0], [5.0, 0.0], 1.0),
    ([1.0, 0.0], [0.0, 3.0], 0.0),
    ([1.0, 2.0], [-2.0, -4.0], -1.0),
    ([1.0, 0.0], [1.0, 1.0], math.sqrt(0.5)),
    ([1.0, 1.0, 0.0], [0.0, 1.0, 1.0], 0.5),
    ([0.0, 0.0], [1.0, 2.0], 0.0),
    ([0.0, 0.0], [0.0, 0.0], 0.0),
]
DIRECTION_IDS = ["same", "right-angle", "opposite", "45-degrees", "60-degrees", "one-zero", "both-zero"]


@in_turn(("x", "y", "expected"), DIRECTIONS)
def test_cosine_of_known_angles(x: list[float], y: list[float], expected: float) -> None:
    assert float(cosine(torch.tensor(x), torch.tensor(y))) == pytest.approx(expected, abs=1e-6)
    matrix = cosine_matrix(torch.tensor([x, y]))
    assert float(matrix[0, 1]) == pytest.approx(expected, abs=1e-6)
    assert float(matrix[1, 0]) == float(matrix[0, 1])


def test_cosine_is_the_loop_and_does_not_depend_on_length() -> None:
    x, y = noise(3, 4, 11), noise(2, 3, 4, 11)[1]
    found = cosine(x, y)
    assert found.shape == (3, 4)
    expected = [
        [angle(a, b) for a, b in zip(xs, ys, strict=True)] for xs, ys in zip(x.tolist(), y.tolist(), strict=True)
    ]
    assert found.numpy() == pytest.approx(torch.tensor(expected).numpy(), abs=1e-6)
    assert cosine(7 * x, y).numpy() == pytest.approx(found.numpy(), abs=1e-6)
    assert cosine(-x, y).numpy() == pytest.approx(-found.numpy(), abs=1e-6)


def test_cosine_matrix_is_the_loop() -> None:
    x = noise(5, 11)
    expected = torch.tensor([[angle(a, b) for b in x.tolist()] for a in x.tolist()])
    assert cosine_matrix(x).numpy() == pytest.approx(expected.numpy(), abs=1e-6)
    assert cosine_matrix(x).diagonal().numpy() == pytest.approx([1.0] * 5, abs=1e-6)


def test_a_row_of_zeros_has_cosine_zero_with_all() -> None:
    x = torch.cat((noise(2, 11), torch.zeros(1, 11)))
    assert cosine_matrix(x)[2].tolist() == [0.0, 0.0, 0.0]
    assert cosine_matrix(x)[:, 2].tolist() == [0.0, 0.0, 0.0]


def test_length() -> None:
    assert length(torch.tensor([[3.0, 4.0], [0.0, 0.0], [-5.0, 12.0]])).tolist() == [5.0, 0.0, 13.0]
    x = noise(2, 3, 11)
    expected = [[norm(row) for row in rows] for rows in x.tolist()]
    assert length(x).shape == (2, 3)
    assert length(x).numpy() == pytest.approx(torch.tensor(expected).numpy(), rel=1e-6)


# Activations


def test_silent_share_counts_exact_zeros() -> None:
    activation = torch.tensor([[0.0, 1.0, -0.0, 1e-30], [0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, -1.0]])
    assert silent_share(activation).tolist() == [0.5, 1.0, 0.0]


def test_silent_share_is_the_loop(trace: Trace) -> None:
    activation = trace["layers.1.feed_forward.activation"]
    expected = [sum(v == 0 for v in row) / 44 for row in activation.tolist()]
    assert silent_share(activation).tolist() == pytest.approx(expected, abs=1e-6)
    assert 0.1 < min(expected) <= max(expected) < 0.9


@in_turn("k", [1, 5, 44])
def test_most_active_is_the_loop(trace: Trace, k: int) -> None:
    activation = trace["layers.0.feed_forward.hidden"]
    values, units = most_active(activation, k)
    assert values.shape == units.shape == (7, k)
    for row, best, places in zip(activation.tolist(), values.tolist(), units.tolist(), strict=True):
        assert best == sorted(row, reverse=True)[:k]
        assert [row[place] for place in places] == best
        assert len(set(places)) == k


def test_most_active_gives_five_or_as_many_as_there_are() -> None:
    values, units = most_active(torch.tensor([[2.0, -1.0, 7.0]]))
    assert (values.tolist(), units.tolist()) == ([[7.0, 2.0, -1.0]], [[2, 0, 1]])
    assert most_active(noise(4, 11))[0].shape == (4, 5)


# Over the layers


@in_turn("name", ["post-norm", "pre-norm", "preset-bert-base"])
def test_stream_holds_what_enters_and_what_every_layer_leaves(name: str) -> None:
    config = VARIANTS[name]
    trace = tiny(config).trace(SENTENCE)
    found = stream(trace)
    assert found.shape == (config.n_layers + 1, 7, config.d_model)
    assert torch.equal(found[0], trace["embedding.output"])
    for i in range(config.n_layers):
        assert torch.equal(found[i + 1], trace[f"layers.{i}.output"])
    steps = cosine(found[1:], found[:-1])
    assert steps.shape == (config.n_layers, 7)
