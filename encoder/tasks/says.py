"""What a model of a task says to many inputs, whole or with a head switched off, and which task that would be."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from encoder.model.encoder import Encoder
from encoder.model.tap import NO_TAP, Replacer
from encoder.support.errors import EncoderError
from encoder.tasks.attention_task import AttentionTask, Integers
from encoder.tasks.data import FIRST, batch


def silenced(head: int) -> Callable[[Tensor], Tensor]:
    """What puts zeros in the place of one head's output [B, H, n, d_head]."""

    def change(heads: Tensor) -> Tensor:
        changed = heads.clone()
        changed[:, head] = 0.0
        return changed

    return change


@torch.inference_mode()
def says(model: Encoder, task: AttentionTask, inputs: Integers, off: tuple[int, int] | None = None) -> Integers:
    """What a model answers at every place [count, length], with the head `off` (layer, head) set to zero or none.

    The answers count through the task's vocabulary; what is no sign of it is negative.

    Raises:
        EncoderError: the model has no head that guesses words.
    """
    ids = batch(task, inputs, inputs).ids
    tap = Replacer({f"layers.{off[0]}.attention.heads": silenced(off[1])}, NO_TAP) if off else NO_TAP
    logits = model.predict(model(ids, tap=tap))
    if logits is None:
        raise EncoderError("this model has no head that guesses words")
    found: Integers = logits[:, 1:-1].argmax(-1).numpy() - FIRST
    return found


def agreement(said: Integers, wanted: Integers) -> float:
    """The share of inputs at which everything wanted was said; negative numbers in `wanted` are not asked for."""
    return float(((said == wanted) | (wanted < 0)).all(1).mean())


def harm(model: Encoder, task: AttentionTask, inputs: Integers) -> np.ndarray:
    """For every head [n_layers, n_heads] the share of inputs answered otherwise when that head alone is zero."""
    whole, config = says(model, task, inputs), model.config
    return np.array(
        [
            [1 - agreement(says(model, task, inputs, (layer, head)), whole) for head in range(config.n_heads)]
            for layer in range(config.n_layers)
        ]
    )
