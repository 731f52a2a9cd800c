"""Mystery models: small networks that were trained on a task which their name does not tell, to be found out.

The answers are measured, not looked up: what a model computes is the task whose answers it gives on inputs that it
never saw, and the head that does it is the one without which it answers otherwise.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from encoder.model.encoder import Encoder
from encoder.tasks.attention_task import Integers
from encoder.tasks.data import held_out
from encoder.tasks.learning import LearningMoment, weighted
from encoder.tasks.on_digits import ON_DIGITS
from encoder.tasks.says import agreement, harm, says
from encoder.tasks.settings import LearnSettings, read

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


ROW = "Open it, type a row in which no digit is there twice, and follow one digit to where it is answered."
MAP = "Its attention is nearly the same for every row of digits: look at which place looks where."
MOVES = "The places alone decide where a head looks: it looks at the same place whatever stands there."
EVERYWHERE = "All eight answers are the same. Type rows that differ in one digit: which one decides?"
VALUES = "The digits alone decide where a head looks: change their order, and it follows them."
MYSTERIES = {
    number: Mystery(trained, hints)
    for number, (trained, hints) in enumerate(
        (
            ("task=backwards,heads=2,seed=1", (ROW, MOVES, "The first place looks at the last one.")),
        ),
        1,
    )
}  # fmt: skip


def mystery_of(number: int) -> Mystery:
    """The mystery of that number.

    Raises:
        ValueError: there is none.
    """
    if number not in MYSTERIES:
        raise ValueError(f"there is no mystery {number}; they are numbered from 1 to {len(MYSTERIES)}")
    return MYSTERIES[number]


def place(number: int) -> Path:
    """The file with the weights of a mystery."""
    return FOLDER / f"{number}.safetensors"


def hide(number: int, last: LearningMoment) -> None:
    """Write the weights of a trained mystery down."""
    FOLDER.mkdir(exist_ok=True)
    place(number).write_bytes(last.weights)


@lru_cache(maxsize=16)
def model_of(number: int) -> Encoder:
    """The network of a mystery, from the weights that come with the package."""
    return weighted(mystery_of(number).settings, place(number).read_bytes(), f"mystery {number}")


@dataclass(frozen=True)
class Examined:
    """What a network does on held-out inputs [count, length].

    `said` are its answers, `harm` [n_layers, n_heads] is the share of inputs that it answers otherwise when one head
    alone is set to zero.
    """

    inputs: Integers
    said: Integers
    harm: NDArray[np.float64]

    @property
    def layer_and_head(self) -> tuple[int, int]:
        """The head without which most answers change."""
        layer, head = divmod(int(self.harm.argmax()), self.harm.shape[1])
        return layer, head

    def agrees(self, key: str) -> float:
        """The share of inputs at which it said all that a task on digits asks for."""
        return agreement(self.said, held_out(key)[1])

    @property
    def computes(self) -> str:
        """The task whose answers it gave, or "" where it is none of those on digits."""
        best = max(ON_DIGITS, key=self.agrees)
        return best if self.agrees(best) >= SAME else ""


def reads_digits(model: Encoder) -> bool:
    """Whether a network reads what the tasks on digits give it, and guesses words."""
    return model.config.vocab_size == read("task=own").config.vocab_size and model.config.mlm_head


@lru_cache(maxsize=16)
def examined(number: int) -> Examined:
    """What a mystery does, measured once."""
    return examine(model_of(number))


def examine(model: Encoder) -> Examined:
    """What a network does with the digits that were held out, measured now.

    Raises:
        ValueError: it does not read digits.
    """
    if not reads_digits(model):
        raise ValueError("this model does not read rows of digits; open a mystery model on the page Watch it learn")
    task = ON_DIGITS["own"]
    inputs = held_out(task.key)[0]
    return Examined(inputs, says(model, task, inputs), harm(model, task, inputs))
