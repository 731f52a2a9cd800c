"""Training on a task, moment by moment: the trainer and objective of `encoder.train`, and what is seen on the way."""

import base64
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load, save
from torch import Tensor
from torch.nn import functional

from encoder import checkpoint
from encoder.model.encoder import Encoder
from encoder.model.tap import Recorder
from encoder.tasks.attention_task import AttentionTask, Floats
from encoder.tasks.data import answers, batch, batches, held_out, sentence
from encoder.tasks.settings import ROWS, LearnSettings
from encoder.train.trainer import Trainer

LOOKS = 40  # moments that are looked at, besides the first steps
EARLY = (0, 1, 2, 5, 10)
KEPT = (0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)  # shares of the run after which the weights are kept
LEVELS = 254  # of a weight in a map


class DivergedError(RuntimeError):
    """The loss of a run is no number any more."""


@dataclass(frozen=True)
class LearningMoment:
    """What a model does after `step` steps: over all held-out inputs, and from `maps` to `right` on the first."""

    step: int
    loss: float  # in nats per answer
    exact: float  # the share of inputs with every answer right
    distance: tuple[tuple[float, ...], ...]  # [n_layers, n_heads], of each head to the known pattern (`distances`)
    maps: NDArray[np.uint8]  # attention weights in levels of 0 to 254, [n_layers, n_heads, n, n]
    said: tuple[str, ...]  # the answer at each place
    right: tuple[bool | None, ...]  # whether it is what was wanted; None where nothing was
    weights: bytes = b""  # at some moments those of the model, as safetensors of 16 bits

    @property
    def line(self) -> str:
        """The moment as one line of JSON, which `read_moment` reads."""
        packed = {"maps": packed_bytes(self.maps.tobytes()), "weights": packed_bytes(self.weights)}
        return json.dumps(asdict(self) | packed)

    @property
    def nearest(self) -> tuple[float, int, int]:
        """The distance of the head that is nearest to the known pattern, its layer and its number."""
        return min((far, i, h) for i, heads in enumerate(self.distance) for h, far in enumerate(heads))


def packed_bytes(content: bytes) -> str:
    """Return bytes as text."""
    return base64.b64encode(content).decode("ascii")


def read_moment(line: str) -> LearningMoment:
    """Return the moment that a line of JSON holds."""
    record = json.loads(line)
    record["distance"] = tuple(tuple(heads) for heads in record["distance"])
    n = len(record["said"]) + 2
    maps = np.frombuffer(base64.b64decode(record["maps"]), np.uint8)
    record["maps"] = maps.reshape(len(record["distance"]), len(record["distance"][0]), n, n)
    record |= {name: tuple(record[name]) for name in ("said", "right")} | {
        "weights": base64.b64decode(record["weights"])
    }
    return LearningMoment(**record)


def distances(weights: Tensor, pattern: Floats) -> tuple[float, ...]:
    """Return how far each head is from a known pattern: 0 where it is the pattern, 1 where it never looks there.

    Half the sum of the absolute differences in a row (total variation), in the mean over the rows that the pattern says
    something of. `weights` [B, H, n, n] begin with [CLS] and end with [SEP]; `pattern` is [B, n - 2, n - 1].
    """
    known = torch.from_numpy(np.pad(pattern, ((0, 0), (0, 0), (0, 1))))[:, None]  # [B, 1, n - 2, n]
    apart = (weights[:, :, 1:-1] - known).abs().sum(-1) / 2  # [B, H, n - 2]
    known_rows = (known.sum(-1) > 0).expand_as(apart)
    return tuple((apart * known_rows).sum((0, 2)).div(known_rows.sum((0, 2))).tolist())


@torch.inference_mode()
def look(model: Encoder, task: AttentionTask, step: int, keep: bool = False) -> LearningMoment:
    """Return what a model does on the held-out inputs of a task."""
    inputs, wanted = held_out(task.key)
    rows = batch(task, inputs, wanted)
    values: dict[str, Tensor] = {}
    output = model(rows.ids, tap=Recorder(values, {}))
    logits = model.predict(output)
    assert logits is not None, "LearnSettings sees to it that there is a head"
    at_answers = logits.flatten(0, 1)[rows.at]
    pattern = task.looks(inputs)
    heads = [values[f"layers.{i}.attention.weights"] for i in range(model.config.n_layers)]
    maps = torch.stack([head[0] for head in heads])
    first = logits[0, 1:-1].argmax(-1).tolist()
    guessed = tuple((*"?????", *task.vocabulary)[i] for i in first)
    goal = ["" if i < 0 else task.vocabulary[i] for i in wanted[0].tolist()]
    return LearningMoment(
        step,
        float(functional.cross_entropy(at_answers, rows.labels)),
        float(answers(rows, at_answers).float().mean()),
        tuple(distances(head, pattern) for head in heads),
        (maps * LEVELS).round().to(torch.uint8).numpy(),
        guessed,
        tuple(a == b if b else None for a, b in zip(guessed, goal, strict=True)),
        save({name: weight.detach().half().contiguous() for name, weight in model.named_parameters()}) if keep else b"",
    )


def looked_at(steps: int) -> tuple[list[int], set[int]]:
    """Return the steps after which a run is looked at, and those of them whose weights are kept."""
    looks = sorted({*(i for i in EARLY if i <= steps), *(round(steps * i / LOOKS) for i in range(LOOKS + 1))})
    return looks, {round(steps * share * LOOKS) // LOOKS for share in KEPT} & {*looks} | {0, steps}


def learn(settings: LearnSettings) -> Iterator[LearningMoment]:
    """Train, and give every moment that is looked at; on a CPU the same settings give the same moments.

    Raises:
        DivergedError: the loss is no finite number any more.
    """
    task = settings.about
    trainer = Trainer(settings.recipe)
    seen, kept = looked_at(settings.steps)
    yield look(trainer.model, task, 0, True)
    for step, _, nll in trainer.learn(batches(task, settings.seed, ROWS, settings.steps)):
        if not nll.isfinite():
            raise DivergedError(
                f"after step {step}, where the loss is no longer a number: the rate {settings.rate:g} is too large"
            )
        if step in seen:
            yield look(trainer.model, task, step, step in kept)


def weighted(settings: LearnSettings, weights: bytes, name: str) -> Encoder:
    """Return a model of these settings with weights that were kept."""
    tensors = {name: values.float() for name, values in load(weights).items()}
    return checkpoint.build(settings.config, tensors, name)


def model_of(settings: LearnSettings, moment: LearningMoment) -> Encoder:
    """Return the model of a moment whose weights are kept."""
    return weighted(settings, moment.weights, f"{settings} after {moment.step} steps")


def example(task: AttentionTask, number: int = 0) -> str:
    """Return a held-out input of a task, as it is typed; the first is the one that the maps are of."""
    return sentence(task, held_out(task.key)[0][number])
