"""Lab two relations: one layer with one head or several, trained on a task that asks for two other places at once."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch

from encoder.support.progress import pulse
from encoder.tasks.attention_task import LETTERS, AttentionTask, Draw, Integers, moved
from encoder.tasks.data import batch, vocab_size
from encoder.tasks.learning import looked_at
from encoder.tasks.settings import usual
from encoder.train.trainer import Trainer

LENGTH, KINDS, STEPS, ROWS, RATE, UNSEEN = 6, 4, 600, 32, 0.01, 256
BEFORE = [(i - 1) % LENGTH for i in range(LENGTH)]
MIRRORED = [LENGTH - 1 - i for i in range(LENGTH)]


def draw(generator: Draw, count: int) -> tuple[Integers, Integers]:
    """Letters, and for each place the pair of the letter before it and the one that mirrors it."""
    inputs = generator.integers(KINDS, size=(count, LENGTH))
    return inputs, KINDS + KINDS * inputs[:, BEFORE] + inputs[:, MIRRORED]


TASK = AttentionTask(
    "two relations",
    "Two relations",
    "Say the letter before you and the one that mirrors you.",
    "each position looks at the one before and at the one that mirrors it",
    LENGTH,
    LETTERS[:KINDS],
    draw,
    moved(LENGTH, lambda i: BEFORE[i]),
    tuple(a + b for a in LETTERS[:KINDS] for b in LETTERS[:KINDS]),
)


@lru_cache(maxsize=16)
def pairs_right(heads: int, seed: int = 0) -> float:
    """Return the share of pairs that a model of one layer, 32 wide, tells right after 600 steps of training.

    Args:
        heads: 1, 2, 4, 8, 16 or 32, over which the 32 numbers are shared out.
        seed: of the weights to begin with and of the inputs.

    Raises:
        EncoderError: a number of heads that does not divide the width.
    """
    usual_one = usual("shift")
    config = replace(usual_one.config, vocab_size=vocab_size(TASK), n_heads=heads, trained_length=LENGTH + 2)
    recipe = replace(
        usual_one.recipe,
        config=config,
        steps=STEPS,
        rows=ROWS,
        peak_rate=RATE,
        row_length=LENGTH + 2,
        seed=seed,
        rest_rate=1.0,
    )
    with torch.inference_mode(False), torch.enable_grad():
        trainer = Trainer(recipe)
        draws = (np.random.default_rng((seed, 11, step)) for step in range(STEPS))
        for _ in trainer.learn(batch(TASK, *TASK.draw(generator, ROWS)) for generator in draws):
            pulse()
        unseen = batch(TASK, *TASK.draw(np.random.default_rng((seed, 7)), UNSEEN))
        return float(looked_at(trainer, unseen)[1])
