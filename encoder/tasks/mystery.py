"""Mystery models: small networks that were trained on a task which their name does not tell, to be found out.

The answers are measured, not looked up: what a model computes is the task whose answers it gives on inputs that it
never saw, and the head that does it is the one without which it answers otherwise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.model.encoder import Encoder
from encoder.model.tap import NO_TAP, Recorder, Replacer
from encoder.support.errors import EncoderError, integer
from encoder.tasks.attention_task import AttentionTask, Integers
from encoder.tasks.data import FIRST, batch, held_out
from encoder.tasks.on_digits import ON_DIGITS
from encoder.tasks.settings import LearnSettings, read
from encoder.tasks.task_training import weighted

FOLDER = Path(__file__).with_name("mysteries")
SAME = 0.99  # of the inputs: then a model computes what a task asks for


@dataclass(frozen=True)
class Mystery:
    """A model to be found out: how it was trained, and hints, each of which says more than the one before."""

    trained: str
    hints: tuple[str, str, str]

    @property
    def settings(self) -> LearnSettings:
        """How it was trained."""
        return read(self.trained)


ROW = "Step into it and type a row in which no digit is there twice. Where does each digit come back?"
SAME_ANSWER = "All eight answers are the same digit. Change one digit of the row: when does the answer change?"
PLACES = "The position alone decides where its head looks: the map is the same for every row of digits."
DIGITS = "The digits alone decide where its head looks: change their order, and it follows them."
BUSY = "On Attention, go through the heads: some look at one position from each position, others spread over the row."
MYSTERIES = {
    number: Mystery(trained, hints)
    for number, (trained, hints) in enumerate(
        (
            ("task=backwards,heads=2,seed=1", (ROW, PLACES, "The first position looks at the last one.")),
            ("task=largest,heads=2,seed=2", (SAME_ANSWER, DIGITS, "Put a 9 into the row, then take it out again.")),
            ("task=after,layers=2,seed=2", (ROW, "Only one of the two layers is needed.", PLACES)),
            ("task=mirrored,heads=2,seed=1", (ROW, PLACES, "Positions 0 to 3 never look at positions 4 to 7.")),
            (
                "task=times,heads=2,positions=none,rate=0.01,steps=800,seed=1",
                (
                    "Its answers are not digits of the row. Type the same digit eight times.",
                    DIGITS,
                    "Both heads share it.",
                ),
            ),
            ("task=smallest,heads=2,seed=2", (SAME_ANSWER, DIGITS, "Put a 0 into the row, then take it out again.")),
            ("task=before,layers=2,heads=2,steps=200,seed=1", (ROW, BUSY, PLACES)),
            ("task=neighbours,heads=2,seed=1", (ROW, "One head alone cannot do it here.", PLACES)),
            ("task=halves,heads=4,seed=1", (ROW, BUSY, "Position 0 looks at position 4.")),
            ("task=first,heads=2,steps=200,seed=2", (SAME_ANSWER, PLACES, "Change the row from its end.")),
        ),
        1,
    )
}


def mystery_of(number: int) -> Mystery:
    """Return the mystery of that number.

    Raises:
        EncoderError: there is none.
    """
    return MYSTERIES[integer("mystery", number, 1, len(MYSTERIES))]


def place(number: int) -> Path:
    """Return the file with the weights of a mystery."""
    return FOLDER / f"{number}.safetensors"


def model_of(number: int) -> Encoder:
    """Return the network of a mystery, from the weights that come with the package."""
    return weighted(mystery_of(number).settings, place(number).read_bytes(), f"mystery {number}")


@dataclass(frozen=True)
class Examined:
    """What a network does on held-out inputs [count, length].

    `maps` [n_layers, n_heads, n, n] is where its heads look in the first of them, between [CLS] and [SEP]; `harm`
    [n_layers, n_heads] is the share of inputs that it answers otherwise when one head alone is set to zero.
    """

    inputs: Integers
    answers: Integers
    harm: NDArray[np.float64]
    maps: NDArray[np.float32]

    @property
    def needed(self) -> tuple[tuple[int, int], ...]:
        """Layer and number of the heads that do it: without each at least half as many answers change as at most."""
        most = max(float(self.harm.max()), 1 / len(self.inputs))
        return tuple((i, h) for i, heads in enumerate(self.harm) for h, harm in enumerate(heads) if harm >= most / 2)

    def agrees(self, key: str) -> float:
        """Return the share of inputs at which it answers all that a task on digits asks for."""
        return agreement(self.answers, held_out(key)[1])

    @property
    def computes(self) -> str:
        """The task whose answers it gave, or "" where it is none of those on digits."""
        best = max(ON_DIGITS, key=self.agrees)
        return best if self.agrees(best) >= SAME else ""


def reads_digits(model: Encoder) -> bool:
    """Return whether a network reads what the tasks on digits give it, and guesses words."""
    return model.config.vocab_size == read("task=own").config.vocab_size and model.config.mlm_head


@lru_cache(maxsize=16)
def examined(number: int) -> Examined:
    """Return what a mystery does, measured once."""
    return examine(model_of(number))


def examine(model: Encoder) -> Examined:
    """Return what a network does with the digits that were held out, measured now.

    Raises:
        EncoderError: it does not read digits.
    """
    if not reads_digits(model):
        raise EncoderError("this model does not read rows of digits; open a mystery model on the page Training")
    task = ON_DIGITS["own"]
    inputs = held_out(task.key)[0]
    return Examined(inputs, says(model, task, inputs), harm(model, task, inputs), maps(model, task, inputs))


@torch.inference_mode()
def maps(model: Encoder, task: AttentionTask, inputs: Integers) -> NDArray[np.float32]:
    """Return where every head looks in the first of some inputs: [n_layers, n_heads, n, n]."""
    values: dict[str, Tensor] = {}
    model(batch(task, inputs[:1], inputs[:1]).ids, tap=Recorder(values, {}))
    return np.stack([values[f"layers.{i}.attention.weights"][0].numpy() for i in range(model.config.n_layers)])


def silenced(head: int) -> Callable[[Tensor], Tensor]:
    """Return what puts zeros in the place of one head's output [B, H, n, d_head]."""

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
    answers: Integers = logits[:, 1:-1].argmax(-1).numpy() - FIRST
    return answers


def agreement(answers: Integers, wanted: Integers) -> float:
    """Return the share of inputs whose answers are all as wanted; negative numbers in `wanted` are not asked for."""
    return float(((answers == wanted) | (wanted < 0)).all(1).mean())


def harm(model: Encoder, task: AttentionTask, inputs: Integers) -> np.ndarray:
    """Return for every head [n_layers, n_heads] the share of inputs answered otherwise when that head alone is zero."""
    whole, config = says(model, task, inputs), model.config
    return np.array(
        [
            [1 - agreement(says(model, task, inputs, (layer, head)), whole) for head in range(config.n_heads)]
            for layer in range(config.n_layers)
        ]
    )
