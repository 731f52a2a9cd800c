"""A circuit over a training: what the same heads carry of the same pairs at each moment whose weights are kept.

When grammar is born in masked language models: Chen et al. 2023, arXiv 2309.07311, of where heads look; here it is what
heads carry. A share of a mean flip below NOISE is none: NaN.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit.found_circuit import DIGITS, head_of
from encoder.experiments.circuit.minimal_pair import NOISE, MinimalPair, run_pair
from encoder.experiments.circuit.patching import Head, falls, writing
from encoder.experiments.circuit.shipped_circuits import SHIPPED
from encoder.support.errors import EncoderError

FORMAT, VERSION = "encoder-circuit-moments", 1


@dataclass(frozen=True)
class CarriedMoments:
    """What heads carry of the flips of some `pairs`, by the step of training.

    `flips` are means in nats; `shares` are those of all heads together and then of each head alone, NaN where the flip
    is below NOISE.
    """

    pairs: int
    flips: dict[int, float]
    shares: dict[int, tuple[float, ...]]

    @property
    def steps(self) -> list[int]:
        """The moments."""
        return list(self.flips)

    @property
    def drawn(self) -> list[int]:
        """Those at which the model reacts."""
        return [step for step, flip in self.flips.items() if flip >= NOISE]

    @property
    def hands(self) -> tuple[int, int, int]:
        """The last moment at which another head carries most than at the end, that head, and the one at the end.

        Where there is none it is the first moment that is drawn.
        """
        leaders = {step: int(np.argmax(self.shares[step][1:])) for step in self.drawn}
        last = leaders[self.drawn[-1]]
        step = max((step for step, head in leaders.items() if head != last), default=self.drawn[0])
        return step, leaders[step], last

    @property
    def lines(self) -> NDArray[np.float64]:
        """The shares of each head by the step, and below them those of all together: [heads + 1, moments]."""
        return np.roll(np.array(list(self.shares.values())).T, -1, axis=0)

    @property
    def content(self) -> dict[str, Any]:
        """It as JSON has it, with none for no share."""
        rows = {
            step: [round(flip, DIGITS), *(None if math.isnan(x) else round(x, DIGITS) for x in self.shares[step])]
            for step, flip in self.flips.items()
        }
        return {"pairs": self.pairs, "moments": rows}


@dataclass(frozen=True)
class TrainingCircuit:
    """The heads that carry the number of the subject to the verb at some moment of a training, and what they carry.

    `constructed` are the pairs of the phenomenon "number", `natural` those of the bundled treebanks: those that react
    at the end, the same at each moment.
    """

    model: str
    fingerprint: str
    heads: tuple[Head, ...]
    constructed: CarriedMoments
    natural: CarriedMoments

    def to_json(self) -> str:
        """All of it as JSON."""
        every = {
            **{"format": FORMAT, "version": VERSION, "model": self.model, "fingerprint": self.fingerprint},
            **{"heads": self.heads, "constructed": self.constructed.content, "natural": self.natural.content},
        }
        lines = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in every.items())
        return "{\n" + ",\n".join(lines) + "\n}\n"


def carried(moments: Mapping[int, TextEncoder], pairs: Sequence[MinimalPair], heads: Sequence[Head]) -> CarriedMoments:
    """Measure what heads carry of the flips of pairs at each moment, as sums over sums.

    Raises:
        EncoderError: there is no pair, or one is none.
    """
    if not pairs:
        raise EncoderError("got 0 pairs; it takes 1 or more")
    sets = [tuple(heads), *((head,) for head in heads)]
    flips, shares = dict[int, float](), dict[int, tuple[float, ...]]()
    for step, encoder in moments.items():
        runs = [run_pair(encoder, pair) for pair in pairs]
        flips[step] = sum(run.flip for run in runs) / len(runs)
        shares[step] = (math.nan,) * len(sets)
        if flips[step] >= NOISE:
            fallen = [falls(encoder, run, [writing(run.b, some, run.reads) for some in sets]) for run in runs]
            shares[step] = tuple(sum(column) / len(runs) / flips[step] for column in zip(*fallen, strict=True))
    return CarriedMoments(len(pairs), flips, shares)


def carried_of(content: Mapping[str, Any]) -> CarriedMoments:
    """Return what `CarriedMoments.content` was made of."""
    rows = {int(step): row for step, row in content["moments"].items()}
    shares = {step: tuple(math.nan if x is None else x for x in row[1:]) for step, row in rows.items()}
    return CarriedMoments(content["pairs"], {step: row[0] for step, row in rows.items()}, shares)


@cache
def shipped_trainings() -> dict[str, TrainingCircuit]:
    """Return what is shipped of the trainings of bundled models, by what pins their weights at the end."""
    trainings = dict[str, TrainingCircuit]()
    for path in sorted((SHIPPED / "moments").glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        if (raw["format"], raw["version"]) != (FORMAT, VERSION):
            raise EncoderError(f"{path} holds no circuit of a training of version {VERSION}")
        heads = tuple(head_of(*head) for head in raw["heads"])
        constructed, natural = (carried_of(raw[name]) for name in ("constructed", "natural"))
        trainings[raw["fingerprint"]] = TrainingCircuit(raw["model"], raw["fingerprint"], heads, constructed, natural)
    return trainings


def training_circuit(encoder: TextEncoder) -> TrainingCircuit:
    """Return what heads carry over the training of a model, as shipped.

    Raises:
        EncoderError: nothing is shipped of it.
    """
    if encoder.source.fingerprint not in shipped_trainings():
        raise EncoderError(f"what heads carry was not measured over the training of {encoder.source.name}")
    return shipped_trainings()[encoder.source.fingerprint]
