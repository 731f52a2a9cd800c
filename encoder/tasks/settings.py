"""How a small model is trained on a task, as data that fits into a link."""

import re
from dataclasses import dataclass, fields, replace
from typing import Any

from encoder.model.config import CHOICES, EncoderConfig, Positions
from encoder.support.errors import EncoderError, of_kind
from encoder.tasks.attention_task import AttentionTask
from encoder.tasks.data import vocab_size
from encoder.tasks.task import task_of
from encoder.train.recipe import Recipe

CHOOSABLE: dict[str, tuple[object, ...]] = {
    "layers": (1, 2, 3),
    "heads": (1, 2, 4),
    "width": (16, 32, 64),
    "positions": tuple(position for position in CHOICES["positions"] if position != "alibi"),
    "norm_first": (False, True),
    "rate": (0.001, 0.003, 0.005, 0.01, 0.03, 0.1, 1.0),
    "steps": (50, 200, 400, 800, 1200, 2500),
}
ROWS = 128  # inputs in one step
WARM_UP = 50
MOST_SEED = 99
PART = re.compile(r"([a-z_]{1,12})=([A-Za-z0-9._]{1,12})", re.ASCII)


@dataclass(frozen=True)
class LearnSettings:
    """What decides a run: the task, the shape of the model, the rate, the steps and the seed.

    Raises:
        EncoderError: a value that cannot be chosen; the message says which can.
    """

    task: str = "reverse"
    layers: int = 1
    heads: int = 1
    width: int = 32
    positions: Positions = "sinusoidal"
    norm_first: bool = False
    rate: float = 0.03
    steps: int = 400
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every field once, here."""
        task_of(self.task)
        for name, offered in CHOOSABLE.items():
            if (value := getattr(self, name)) not in offered or type(value) is not type(offered[0]):
                raise EncoderError(f"{name} is {value!r:.20}; it must be one of {', '.join(map(spell, offered))}")
        if type(self.seed) is not int or not 0 <= self.seed <= MOST_SEED:
            raise EncoderError(f"seed is {self.seed!r:.20}; it must be a whole number from 0 to {MOST_SEED}")

    @property
    def about(self) -> AttentionTask:
        """The task itself."""
        return task_of(self.task)

    @property
    def config(self) -> EncoderConfig:
        """The shape of the model."""
        task = self.about
        return EncoderConfig(
            vocab_size(task),
            self.width,
            self.heads,
            self.layers,
            2 * self.width,
            max_positions=32,
            positions=self.positions,
            norm_first=self.norm_first,
            final_norm=self.norm_first,
            mlm_head=True,
            trained_length=task.length + 2,
        )

    @property
    def recipe(self) -> Recipe:
        """The recipe of `encoder.train` that the run follows."""
        return Recipe(
            self.config,
            self.steps,
            ROWS,
            self.rate,
            min(WARM_UP, self.steps),
            row_length=self.about.length + 2,
            dropout=0.0,
            joined=0.0,
            seed=self.seed,
            rest_rate=self.about.rest_rate,
        )

    def __str__(self) -> str:
        """Return the settings as a name spells them: "task=shift,seed=3"; what is usual for the task is left out."""
        plain = usual(self.task)
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        named = {name: value for name, value in values.items() if name == "task" or value != getattr(plain, name)}
        return ",".join(f"{name}={spell(value)}" for name, value in named.items())


def usual(task: str) -> LearnSettings:
    """Return the settings that learn a task."""
    about = task_of(task)
    return LearnSettings(
        task, about.layers, about.heads, about.width, about.positions, about.norm_first, about.rate, about.steps
    )


def spell(value: object) -> str:
    """Return a value as a name and a link spell it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def read(text: str) -> LearnSettings:
    """Return the settings that a name spells.

    Raises:
        EncoderError: another form, or a value that cannot be chosen.
    """
    of_kind("settings", text, str, "a text such as task=reverse,heads=2,seed=3")
    values: dict[str, str] = {}
    for part in text[:300].split(","):
        match = PART.fullmatch(part)
        if not match or match[1] not in {field.name for field in fields(LearnSettings)}:
            raise EncoderError(f"{part[:40]!r} is not a setting; one is written as task=reverse,heads=2,seed=3")
        values[match[1]] = match[2]
    plain = usual(values.get("task", LearnSettings.task))
    changed: dict[str, Any] = {name: value for name, value in values.items() if name in ("task",)}
    for name, value in values.items():
        if name == "seed":
            changed[name] = int(value) if value.isdigit() else value
        elif name in CHOOSABLE:
            changed[name] = {spell(choice): choice for choice in CHOOSABLE[name]}.get(value, value)
    return replace(plain, **changed)
