"""How a model is trained, as data: its shape, its rates, its batches, and the presets."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError

RANGES: dict[str, tuple[float, float]] = {  # the least and the most; of the kind that a value must be
    "steps": (1, 10_000_000),
    "rows": (1, 65_536),
    "row_length": (8, 512),
    "warm_up": (1, 1_000_000),
    "evaluate_every": (1, 10_000_000),
    "checkpoint_every": (1, 10_000_000),
    "seed": (0, 2**31 - 1),
    "peak_rate": (1e-7, 1.0),
    "rest_rate": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "clip": (1e-3, 1e3),
    "dropout": (0.0, 0.9),
    "masked": (0.01, 0.9),
    "joined": (0.0, 1.0),
    "score_penalty": (0.0, 1.0),
}


@dataclass(frozen=True)
class Recipe:
    """Everything that decides which weights come out of a corpus.

    Raises:
        EncoderError: a value is outside its range; the message names the value and the range.
    """

    config: EncoderConfig
    steps: int
    rows: int  # of row_length tokens each make one step, over all processes together
    peak_rate: float
    warm_up: int  # steps in which the rate rises from 0 to its peak; then it falls in a straight line to 0
    row_length: int = 128
    rest_rate: float = 1.0  # times the rate, for all weights that are not of attention
    weight_decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1
    masked: float = 0.15  # the share of words to guess
    joined: float = 0.5  # how often a line goes on in the segment of the line before it
    score_penalty: float = 0.0  # of the mean squared log-sum-exp of attention scores in the loss (z-loss)
    seed: int = 0
    evaluate_every: int = 1000
    checkpoint_every: int = 500
    snapshots: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check every field once, here."""
        for name, (least, most) in RANGES.items():
            value, kind = getattr(self, name), "whole number" if type(least) is int else "number"
            if type(value) is not type(least) or not least <= value <= most:
                raise EncoderError(f"{name} is {value!r}; it must be a {kind} from {least} to {most}")
        if self.row_length > self.config.max_positions:
            raise EncoderError(f"row_length is {self.row_length}; it must be at most {self.config.max_positions}")
        if not self.config.mlm_head:
            raise EncoderError("mlm_head is false; training guesses masked words and needs the head")

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0: up in a straight line, then down in one."""
        falling = max(1, self.steps - self.warm_up)
        return self.peak_rate * min((step + 1) / self.warm_up, (self.steps - step) / falling)

    def share(self, name: str) -> float:
        """Return what part of the rate the weight of that name takes."""
        return 1.0 if ".attention." in name else self.rest_rate

    def with_values(self, settings: Iterable[str]) -> "Recipe":
        """Return this recipe with settings such as "peak_rate=2e-3" or "d_model=64" changed.

        Raises:
            EncoderError: a setting that does not exist, or a value of the wrong kind or outside its range.
        """
        own, shape = vars(self).keys() - {"config"}, vars(self.config).keys()
        changes: dict[str, Any] = {}
        for setting in settings:
            name, _, text = setting.partition("=")
            if name not in own | shape:
                raise EncoderError(f"there is no setting {name!r}; there are {', '.join(sorted(own | shape))}")
            changes[name] = parsed(name, getattr(self if name in own else self.config, name), text)
        config = replace(self.config, **{name: value for name, value in changes.items() if name not in own})
        return replace(self, config=config, **{name: value for name, value in changes.items() if name in own})


def parsed(name: str, now: object, text: str) -> object:
    """Return a value typed on the command line, of the kind that the field holds now."""
    try:
        if isinstance(now, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(now, tuple):
            return tuple(int(part) for part in text.split(",") if part)
        return type(now)(text) if isinstance(now, (int, float, str)) else int(text)
    except (KeyError, ValueError) as error:
        raise EncoderError(f"{name} is {text!r}; it must be a value such as {now!r}") from error


def shape(vocab_size: int, d_model: int, n_heads: int, n_layers: int, d_ff: int) -> EncoderConfig:
    """Return the paper's encoder with a head that guesses words, at these sizes, trained on rows of 128 tokens."""
    return EncoderConfig(vocab_size, d_model, n_heads, n_layers, d_ff, mlm_head=True, trained_length=128)


# peak_rate x d_model is 0.26 in all of them: at 0.5 and more, attention scores ran apart (README.md beside).
RECIPES: dict[str, Recipe] = {
    "tiny": Recipe(
        shape(1000, 64, 2, 2, 128), steps=400, rows=16, peak_rate=4e-3, warm_up=40, evaluate_every=100,
        checkpoint_every=100, snapshots=(0, 10, 100, 400),
    ),
    "small": Recipe(
        shape(8192, 128, 4, 4, 512), steps=20_000, rows=512, peak_rate=2e-3, warm_up=500, score_penalty=1e-4,
        snapshots=(0, 10, 30, 100, 300, 1000, 3000, 10_000, 20_000),
    ),
    "base": Recipe(
        shape(16_384, 512, 8, 6, 2048), steps=55_658, rows=512, peak_rate=5e-4, warm_up=3000, score_penalty=1e-4,
        evaluate_every=2000, checkpoint_every=2000,
    ),
}  # fmt: skip
