"""Every measure against numpy's, and against cases whose answer is known."""

import numpy as np
import pytest
import torch
from in_turn import in_turn
from tiny import SENTENCE, VARIANTS, tiny
from torch import Tensor

from encoder import Trace
from encoder.metrics import cosine, cosine_matrix, length, most_active, stream


def noise(*shape: int) -> Tensor:
    """Some numbers, off centre."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)) + 0.3


@pytest.fixture(scope="module")
def trace() -> Trace:
    """A tiny run with two hidden tokens."""
    return tiny(VARIANTS["mlm-head"]).trace(SENTENCE, hidden=(1, 4))


def test_a_cosine_is_numpys_whatever_the_lengths_and_zero_beside_a_row_of_zeros() -> None:
    x, y = noise(3, 4, 11), noise(2, 3, 4, 11)[1]
    for a, b in ((x, y), (7 * x, y), (-x, y), (x, x), (x, -3 * x)):
        lengths = np.linalg.norm(a.numpy(), axis=-1) * np.linalg.norm(b.numpy(), axis=-1)
        expected = (a.numpy() * b.numpy()).sum(-1) / lengths
        np.testing.assert_allclose(cosine(a, b), expected, atol=1e-6)
        assert cosine(a, b).shape == (3, 4)
    rows = torch.cat((noise(4, 11), torch.zeros(1, 11)))
    every = cosine_matrix(rows)
    np.testing.assert_allclose(every, [[float(cosine(a, b)) for b in rows] for a in rows], atol=1e-6)
    assert every.diagonal().tolist() == pytest.approx([1.0] * 4 + [0.0], abs=1e-6)
    assert not every[4].any() and not every[:, 4].any()


def test_a_length_is_numpys() -> None:
    assert length(torch.tensor([[3.0, 4.0], [0.0, 0.0], [-5.0, 12.0]])).tolist() == [5.0, 0.0, 13.0]
    np.testing.assert_allclose(length(noise(2, 3, 11)), np.linalg.norm(noise(2, 3, 11).numpy(), axis=-1), rtol=1e-6)


# Activations


def test_the_most_active_units_are_the_first_when_all_are_sorted(trace: Trace) -> None:
    activation = trace["layers.0.feed_forward.hidden"]
    order = np.argsort(-activation.numpy(), axis=-1)
    for k in (1, 5, 44):
        values, units = most_active(activation, k)
        np.testing.assert_array_equal(units, order[:, :k])
        np.testing.assert_array_equal(values, np.take_along_axis(activation.numpy(), order[:, :k], -1))
    values, units = most_active(torch.tensor([[2.0, -1.0, 7.0]]))
    assert (values.tolist(), units.tolist()) == ([[7.0, 2.0, -1.0]], [[2, 0, 1]])  # as many as there are
    assert most_active(noise(4, 11))[0].shape == (4, 5)


# Over the layers


@in_turn("name", ["post-norm", "pre-norm", "preset-bert-base"])
def test_stream_holds_what_enters_and_what_every_layer_leaves(name: str) -> None:
    trace = tiny(VARIANTS[name]).trace(SENTENCE)
    steps = ["embedding.output", *(f"layers.{i}.output" for i in range(trace.config.n_layers))]
    assert torch.equal(stream(trace), torch.stack([trace[step] for step in steps]))
