"""The tap that edits: what each action makes of the chosen numbers of one sentence, and where they go."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor

from encoder.edits.edit import Edit, Run, bypassed, check_run
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.model.steps.step import Step
from encoder.model.tap import NO_TAP, Replacer, Tap


@dataclass(frozen=True)
class Place:
    """Where an edit acts: the sentence in row `row` of the batch, with n tokens and padding after them.

    `other` names the step that a bypass takes its numbers from; `donor` is the sentence that a patch takes them from.
    """

    edit: Edit
    step: Step
    config: EncoderConfig
    row: int
    n: int
    other: str = ""
    donor: Tensor | None = None
    index: tuple[Tensor, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Find the chosen heads and positions, as an index into the sentence's tensor."""
        positions = torch.tensor(self.edit.positions or range(self.step.sizes(self.config, self.n)[self.axis]))
        heads = torch.tensor(self.edit.heads or range(self.config.n_heads))
        object.__setattr__(self, "index", (heads[:, None], positions) if self.axis else (positions,))

    @property
    def axis(self) -> int:
        """The axis of the tokens: 1 after heads, else 0. A step of the sentence has that of its row, or of labels."""
        return self.step.shape.index("n") if "n" in self.step.shape else 0

    def sentence(self, batch: Tensor, row: int) -> Tensor:
        """The tensor of one sentence of a batch, without its padding."""
        return batch[row][tuple(slice(self.n if d == "n" else None) for d in self.step.shape)]

    def change(self, batch: Tensor, seen: Mapping[str, Tensor | None]) -> None:
        """Write the edited numbers into a batch that belongs to nobody else."""
        sentence, other = self.sentence(batch, self.row), self.donor
        if self.other:
            bypassing = seen[self.other]
            assert bypassing is not None
            other = self.sentence(bypassing, self.row)
        x = sentence[self.index]  # [heads, positions, ...] or [positions, ...]
        new = ACTIONS[self.edit.action](self, x) if other is None else other[self.index]
        sentence[self.index] = new.to(x.dtype)

    @property
    def value(self) -> float:
        """The edit's value where it is a number."""
        assert isinstance(self.edit.value, int | float)
        return float(self.edit.value)

    @property
    def generator(self) -> torch.Generator:
        """Random numbers that the edit's seed pins."""
        return torch.Generator().manual_seed(int(self.value))


def mean(at: Place, x: Tensor) -> Tensor:
    """The mean over the chosen rows, in every one of them."""
    return x.mean(at.axis, keepdim=True).expand_as(x)


def scale(at: Place, x: Tensor) -> Tensor:
    """Times the value; infinite numbers stay as they are."""
    return torch.where(x.isinf(), x, x * at.value)


def noise(at: Place, x: Tensor) -> Tensor:
    """Normal numbers with the standard deviation of what they replace; infinite numbers stay as they are."""
    drawn = torch.randn(at.step.sizes(at.config, at.n), generator=at.generator)[at.index]
    axes = tuple(range(at.axis, x.dim()))
    finite = x.isfinite()
    count = finite.sum(axes, keepdim=True)
    centre = x.where(finite, 0).sum(axes, keepdim=True) / count
    deviation = ((x - centre).square().where(finite, 0).sum(axes, keepdim=True) / count).sqrt()
    return torch.where(finite, drawn * deviation, x)


def shuffle(at: Place, x: Tensor) -> Tensor:
    """The rows in a random order."""
    return x.index_select(at.axis, torch.randperm(x.shape[at.axis], generator=at.generator))


def causal(at: Place, x: Tensor) -> Tensor:
    """The model's mask value at keys after the query."""
    later = torch.arange(at.n) > at.index[-1][:, None]  # [positions, n]
    return x.masked_fill(later, at.config.mask_value)


ACTIONS: dict[str, Callable[[Place, Tensor], Tensor]] = {  # patch and bypass take what is elsewhere
    "zero": lambda at, x: torch.zeros_like(x),
    "mean": mean,
    "scale": scale,
    "noise": noise,
    "replace": lambda at, x: torch.full_like(x, at.value),
    "shuffle": shuffle,
    "shift": lambda at, x: x.roll(int(at.value), at.axis),
    "causal": causal,
}


class Editor(Replacer):
    """Changes the steps that edits name, each in its sentence of the batch, and hands every value on to another tap.

    What it changes is a copy, and what it hands on is what the computation goes on with. `places` maps a step name to
    the edits there, in their order. `seen` has an entry for every step that a bypass hands on, filled when it passes.
    """

    def __init__(self, places: Mapping[str, Sequence[Place]], seen: dict[str, Tensor | None], then: Tap) -> None:
        super().__init__({name: partial(self.edited, name) for name in places.keys() | seen.keys()}, then)
        self.places = places
        self.seen = seen

    def edited(self, name: str, value: Tensor) -> Tensor:
        """The value as edited; the very same tensor where it is only noted for a bypass."""
        if name in self.places:
            value = value.clone()
            for place in self.places[name]:
                place.change(value, self.seen)
        if name in self.seen:
            self.seen[name] = value
        return value


def editor(
    config: EncoderConfig, sentences: Sequence[tuple[int, Sequence[Edit]]], runs: Mapping[str, Run], then: Tap = NO_TAP
) -> Editor:
    """A tap that edits a batch.

    Args:
        config: the model's configuration.
        sentences: for each row of the batch, its number of tokens without padding, and its edits, already checked.
        runs: the runs of the sentences that edits patch from.
        then: the tap that sees every value after it was edited.

    Raises:
        EncoderError: a patch from a run that does not hold what it takes.
    """
    places: dict[str, list[Place]] = {}
    for row, (n, edits) in enumerate(sentences):
        for edit in edits:
            step = by_name(config)[edit.step]
            other, donor = "", None
            if edit.action == "bypass":
                other = bypassed(step, config)
            elif edit.action == "patch":
                run = runs[edit.value] if isinstance(edit.value, str) else edit.value
                assert isinstance(run, Run)
                check_run(edit, run, step, config, n)
                donor = run[edit.step]
            places.setdefault(edit.step, []).append(Place(edit, step, config, row, n, other, donor))
    seen = {place.other: None for of_step in places.values() for place in of_step if place.other}
    return Editor(places, dict(seen), then)
