"""Lab learning: the same small model trained with a part missing, or with its norms in the other place, now.

Xiong et al. 2020 train post-norm and pre-norm with and without a warm-up; here the models are small enough for seconds.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import SENTENCES
from encoder.model.block import Block
from encoder.model.encoder import Encoder
from encoder.model.normalization import NoNorm
from encoder.support.errors import EncoderError, integer
from encoder.support.progress import pulse
from encoder.tasks.data import batch, batches, guessing, held_out
from encoder.tasks.settings import usual
from encoder.train.masked_rows import Batch
from encoder.train.recipe import Recipe
from encoder.train.trainer import Score, Trainer, evaluate_text, new_model

TASK = "histogram"
LEFT_OUT = {  # the ends of the names of the steps that give zeros
    "without residuals": ("add_norm_1.residual", "add_norm_2.residual"),
    "without feed-forward": ("feed_forward.output",),
}
TAKEN_OUT = {  # the same of a model that was trained with all parts
    "whole": (),
    "without feed-forward": LEFT_OUT["without feed-forward"],
    "without attention": ("attention.output",),
}
NARROW = 4  # hidden numbers, an eighth of the model's width
CHANGED: dict[str, dict[str, Any]] = {  # what is another in the configuration
    "pre-norm": {"norm_first": True, "final_norm": True},
    "narrow feed-forward": {"d_ff": NARROW},
    "without the factor": {"scale_embeddings": False},
}
KINDS = (
    "post-norm",
    "pre-norm",
    "without norms",
    "without the division",
    *LEFT_OUT,
    "narrow feed-forward",
    "without ReLU",
    "without the factor",
)
MOST_LAYERS, MOST_WARM_UP, MOST_SEED = 6, 60, 99
STEPS, ROWS, RATE, EVERY = 120, 32, 0.003, 10
CHANCE = guessing(TASK)  # the loss of who only knows how frequent each answer is, in nats


@dataclass(frozen=True)
class LearningCurve:
    """How one kind of model learns: after each of `steps`, on inputs that it never saw.

    `loss` [looks] is in nats per answer, `right` [looks] the share of answers that are right.
    """

    kind: str
    steps: tuple[int, ...]
    loss: Tensor
    right: Tensor


@dataclass(frozen=True)
class LearningCurves:
    """The curves of several kinds, as far as they are trained; `total` is how many there will be."""

    curves: dict[str, LearningCurve]
    total: int

    @property
    def done(self) -> int:
        """How many are trained."""
        return len(self.curves)


def learning_curves(
    layers: int = 2, warm_up: int = 1, seed: int = 0, kinds: Sequence[str] = KINDS
) -> Generator[LearningCurves, None, None]:
    """Train one model of each kind, all on the same inputs in the same order; gives what there is after each.

    Raises:
        EncoderError: what `learning_curve` refuses.
    """
    curves: dict[str, LearningCurve] = {}
    for kind in kinds:
        curves[kind] = learning_curve(kind, layers, warm_up, seed)
        yield LearningCurves(dict(curves), len(kinds))


@lru_cache(maxsize=96)
def learning_curve(kind: str = "post-norm", layers: int = 2, warm_up: int = 1, seed: int = 0) -> LearningCurve:
    """Train one small model, 32 wide, for 120 steps on the task of counting like letters.

    All kinds but pre-norm are post-norm, as in the paper. The seed pins the weights to begin with and the inputs, so
    the same numbers come out again on the same machine.

    Args:
        kind: one of KINDS.
        layers: 1 to 6.
        warm_up: the steps in which the rate rises to its peak, 1 to 60; it falls from there on.
        seed: 0 to 99.

    Raises:
        EncoderError: a kind that is not there, or a number outside its range.
    """
    if kind not in KINDS:
        raise EncoderError(f"kind is {kind!r:.40}; it must be one of {', '.join(KINDS)}")
    ranges = {"layers": (layers, 1, MOST_LAYERS), "warm_up": (warm_up, 1, MOST_WARM_UP), "seed": (seed, 0, MOST_SEED)}
    for name, (value, least, most) in ranges.items():
        integer(name, value, least, most)
    with torch.inference_mode(False), torch.enable_grad():
        return trained(kind, recipe_of(layers, warm_up, seed, kind))


def recipe_of(layers: int, warm_up: int, seed: int, kind: str) -> Recipe:
    """Return the recipe of `encoder.train` that all kinds follow, each with its configuration."""
    usual_one = replace(usual(TASK), seed=seed)
    config = replace(usual_one.config, n_layers=layers, **CHANGED.get(kind, {}))
    return replace(
        usual_one.recipe,
        config=config,
        steps=STEPS,
        rows=ROWS,
        peak_rate=RATE,
        warm_up=warm_up,
        rest_rate=1.0,
    )


def trained(kind: str, recipe: Recipe) -> LearningCurve:
    """Train by that recipe, and look on the way."""
    task = usual(TASK).about
    model = without(kind, new_model(recipe))
    trainer = Trainer(recipe, start=model, left_out=LEFT_OUT.get(kind, ()))
    unseen = batch(task, *held_out(TASK))
    seen = {0: looked_at(trainer, unseen)}
    for step, _, _ in trainer.learn(batches(task, recipe.seed, ROWS, STEPS)):
        pulse()
        if step % EVERY == 0:
            seen[step] = looked_at(trainer, unseen)
    loss, right = zip(*seen.values(), strict=True)
    return LearningCurve(kind, tuple(seen), torch.stack(loss), torch.stack(right))


def without(kind: str, model: Encoder) -> Encoder:
    """Return the model with what that kind lacks taken out of its modules."""
    for block in model.layers:
        assert isinstance(block, Block)
        if kind == "without norms":
            block.norm1, block.norm2 = (NoNorm(model.config.d_model) for _ in range(2))
        elif kind == "without the division":
            block.attention.score_size = 1
        elif kind == "without ReLU":
            block.feed_forward.activation = as_it_is
    return model


def as_it_is(numbers: Tensor) -> Tensor:
    """No activation."""
    return numbers


@torch.no_grad()
def looked_at(trainer: Trainer, unseen: Batch) -> tuple[Tensor, Tensor]:
    """Return the loss on unseen inputs, and the share of right answers."""
    logits, _ = trainer.alone.logits(unseen)
    return functional.cross_entropy(logits, unseen.labels), (logits.argmax(-1) == unseen.labels).float().mean()


def scores_without_parts(encoder: TextEncoder) -> dict[str, Score]:
    """Return how well a trained model guesses hidden words of the bundled sentences, whole and with a part taken out.

    Raises:
        EncoderError: the model has no head that guesses words.
    """
    return {name: evaluate_text(encoder, SENTENCES, left_out=steps) for name, steps in TAKEN_OUT.items()}
