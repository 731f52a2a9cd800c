"""Small models trained without a part: the part is really gone, and what is said of it comes out."""

import numpy as np
import pytest
import torch

from encoder.experiments import boundary
from encoder.model.tap import Recorder
from encoder.tasks import two_relations
from encoder.tasks.data import batch, held_out
from encoder.tasks.learning import CHANCE, NARROW, TASK, learning_curve, recipe_of, without
from encoder.tasks.task import task_of
from encoder.train.trainer import new_model

IDS = batch(task_of(TASK), *held_out(TASK)).ids[:3]


def recorded(kind: str) -> dict[str, torch.Tensor]:
    """What an untrained model of a kind computes."""
    values: dict[str, torch.Tensor] = {}
    with torch.inference_mode():
        without(kind, new_model(recipe_of(1, 1, 0, kind)))(IDS, tap=Recorder(values, {}))
    return values


def test_a_part_is_gone_from_the_kind_without_it_and_from_no_other() -> None:
    whole, factor = recorded("post-norm"), 32**0.5
    torch.testing.assert_close(whole["embedding.scaled"], factor * whole["embedding.tokens"])
    bare = recorded("without the factor")
    torch.testing.assert_close(bare["embedding.output"], bare["embedding.tokens"])
    assert recorded("narrow feed-forward")["layers.0.feed_forward.hidden"].shape[-1] == NARROW
    for kind, gone in (("without norms", True), ("post-norm", False)):  # a sum is handed on as it is
        values = recorded(kind)
        for part, follows in (("add_norm_1", "add_norm_2.residual"), ("add_norm_2", "output")):
            same = torch.equal(values[f"layers.0.{part}.sum"], values[f"layers.0.{follows}"])
            assert same is gone, (kind, part)
    for kind, gone in (("without the division", True), ("post-norm", False)):  # softmax is of the scores themselves
        scores, weights = (recorded(kind)[f"layers.0.attention.{name}"] for name in ("scores", "weights"))
        assert torch.allclose(scores.softmax(-1), weights, atol=1e-6) is gone
    for kind, gone in (("without ReLU", True), ("post-norm", False)):  # what is hidden is handed on as it is
        hidden, activation = (recorded(kind)[f"layers.0.feed_forward.{name}"] for name in ("hidden", "activation"))
        assert torch.equal(hidden, activation) is gone


@pytest.mark.nightly
@pytest.mark.slow
def test_two_layers_learn_and_six_learn_in_pre_norm_alone_where_there_is_no_warm_up() -> None:
    post = learning_curve("post-norm")
    assert post.steps == tuple(range(0, 121, 10)) and post.loss.shape == post.right.shape == (13,)
    assert float(post.loss[0]) > CHANCE > 1.5 * float(post.loss[-1]) and float(post.right[-1]) > 0.7
    deep, pre = (learning_curve(kind, 6) for kind in ("post-norm", "pre-norm"))
    assert float(deep.loss[-1]) > 0.9 * CHANCE > 1.5 * float(pre.loss[-1])
    assert float(learning_curve("without the division").loss[-1]) > 1.2 * float(post.loss[-1])


def test_the_loss_of_who_knows_frequencies_alone_is_their_entropy() -> None:
    wanted = held_out(TASK)[1]
    share = np.bincount(wanted.ravel())[6:] / wanted.size
    assert pytest.approx(-sum(p * np.log(p) for p in share if p), abs=1e-9) == CHANCE


def test_a_pair_is_of_the_letter_before_and_the_one_that_mirrors() -> None:
    inputs, wanted = two_relations.draw(np.random.default_rng(3), 20)
    for letters, answers in zip(inputs.tolist(), wanted.tolist(), strict=True):
        said = [two_relations.TASK.vocabulary[answer] for answer in answers]
        assert said == ["abcd"[letters[i - 1]] + "abcd"[letters[5 - i]] for i in range(6)]


def test_what_cannot_be_trained_is_refused() -> None:
    for given, said in (
        ({"kind": "without heads"}, "must be one of post-norm"),
        ({"layers": 7}, "layers is 7"),
        ({"warm_up": 0}, "from 1 to 60"),
        ({"seed": 100}, "from 0 to 99"),
    ):
        with pytest.raises(ValueError, match=said):
            learning_curve(**given)  # type: ignore[arg-type]


def test_what_two_linear_layers_say_is_a_plane_and_misses_the_circle() -> None:
    straight, bent = boundary(False), boundary(True)
    corners = torch.column_stack([straight.points, torch.ones(len(straight.points))])
    for found, is_plane in ((straight, True), (bent, False)):
        logits = found.logits.ravel()[:, None]
        plane = corners @ torch.linalg.lstsq(corners, logits).solution
        assert torch.allclose(plane, logits, atol=1e-3) is is_plane
    assert straight.commonest < straight.right < 0.95 < bent.right
    assert 0 < int((straight.logits > 0).sum()) < straight.logits.numel(), "the line goes through the picture"
    x, y = bent.points.view(21, 21, 2)[10, 20].tolist()
    assert (x, y) == (1.0, pytest.approx(0, abs=1e-6)), "columns are x"
