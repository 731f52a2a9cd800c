"""Files that are whole or not there at all: the checkpoint to resume from, the snapshots, the finished model."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from tokenizers import Tokenizer
from torch import Tensor

from encoder import checkpoint
from encoder.model.encoder import Encoder
from encoder.support import whole_file
from encoder.support.errors import EncoderError
from encoder.train.recipe import Recipe
from encoder.train.training_corpus import TrainingError

CHECKPOINT = "checkpoint.safetensors"
MOMENTS = ("exp_avg", "exp_avg_sq")  # what AdamW remembers of each weight


@dataclass(frozen=True)
class TrainingProgress:
    """Where a run is: steps and tokens behind it, seconds spent, nll and words since the last evaluation."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    nll: float = 0.0
    words: int = 0


def write(path: Path, content: bytes) -> None:
    """Put a file in place in one move, after all of it is on the disk.

    Raises:
        TrainingError: the disk is full or cannot be written; what was there before is still there, whole.
    """
    try:
        whole_file.write(path, content, parents=True)
    except whole_file.WriteError as error:
        whole = any((folder / CHECKPOINT).is_file() for folder in path.parents[:2])
        advice = f"; the last {CHECKPOINT} is whole, go on from it with --resume" if whole else ""
        raise TrainingError(f"{error} ({len(content) / 1e6:.1f} MB){advice}") from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a folder for one run: two that write to it would mix their checkpoints. It is free again however a run ends.

    Where the system knows no such locks (Windows), nothing is held.

    Raises:
        TrainingError: another run holds it.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise TrainingError(f"{folder} could not be written: {error.strerror}") from error
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TrainingError(
                f"another run writes to {folder}; wait for its end, or choose another folder"
            ) from error
        yield
    finally:
        os.close(held)
        with suppress(OSError):  # of a run that was refused nothing is left; in another's folder there is something
            for path in new:
                path.rmdir()


def identity(recipe: Recipe, corpus: str) -> dict[str, object]:
    """Return what must be the same for a run to go on as if it had never stopped."""
    loose = ("evaluate_every", "checkpoint_every", "snapshots")
    same = {name: value for name, value in recipe.plain().items() if name not in loose}
    return json.loads(json.dumps(same | {"corpus": corpus}))  # type: ignore[no-any-return]


def save_state(
    folder: Path, model: Encoder, optimizer: torch.optim.Optimizer, progress: TrainingProgress, same: dict[str, object]
) -> None:
    """Write the checkpoint: weights, AdamW's moments and the progress, in one safetensors file.

    There is no state of a random generator in it: every draw follows from the seed and the step.
    """
    tensors = {}
    for name, weight in model.named_parameters():
        tensors[f"model.{name}"] = weight.detach()
        for moment in MOMENTS:
            if weight in optimizer.state:
                tensors[f"{moment}.{name}"] = optimizer.state[weight][moment]
    about = {"progress": json.dumps(vars(progress)), "recipe": json.dumps(same)}
    write(folder / CHECKPOINT, save({n: t.contiguous().cpu() for n, t in tensors.items()}, about))


def read_state(folder: Path, same: dict[str, object]) -> tuple[dict[str, Tensor], TrainingProgress]:
    """Return the tensors of a checkpoint and its progress.

    Raises:
        TrainingError: there is none, it is damaged, or it belongs to another recipe; the message names what differs.
    """
    path = folder / CHECKPOINT
    if not path.is_file():
        raise TrainingError(f"{folder} has no {CHECKPOINT} to resume from; start without --resume")
    try:
        with safe_open(path, "pt") as file:
            about = file.metadata() or {}
            before: dict[str, Any] = fields_of(about, "recipe")
            counts = fields_of(about, "progress")
            progress = TrainingProgress(**counts)
            check_progress(progress)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, KeyError, ValueError, TypeError) as error:
        raise TrainingError(f"{path} is not a checkpoint of a training run: {error}") from error
    other = [name for name in {**before, **same} if before.get(name) != same.get(name)]
    if other:
        changes = "; ".join(f"{name} was {before.get(name)!r} and is now {same.get(name)!r}" for name in other[:5])
        raise TrainingError(
            f"{folder} was trained with another configuration: {changes}. "
            "Resume with the same one, or choose another folder with --out"
        )
    return tensors, progress


def fields_of(about: dict[str, str], name: str) -> dict[str, Any]:
    """Return what a checkpoint says of itself under a name; ValueError where it is no object with fields."""
    values = json.loads(about[name])
    if not isinstance(values, dict):
        raise EncoderError(f"its {name} is a {type(values).__name__}, no object with named fields")
    return values


def check_progress(progress: TrainingProgress) -> None:
    """Refuse counts that no run can have."""
    for name, value in vars(progress).items():
        whole = name in ("step", "tokens", "words")
        if type(value) not in ((int,) if whole else (int, float)) or not 0 <= value < math.inf:
            raise EncoderError(f"its {name} is {value!r}; it must be a {'whole ' if whole else ''}number from 0")


def restore(model: Encoder, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor], step: int) -> None:
    """Put a checkpoint's weights and moments into a model and its optimizer.

    Raises:
        TrainingError: one is missing, or has another shape or type than the model's; nothing is changed then.
    """
    shapes = {f"model.{name}": weight.shape for name, weight in model.named_parameters()}
    for moment in MOMENTS:  # of each weight both are there, or none where it took no step
        names = [name for name, _ in model.named_parameters() if any(f"{kind}.{name}" in tensors for kind in MOMENTS)]
        shapes |= {f"{moment}.{name}": shapes[f"model.{name}"] for name in names}
    for name, shape in shapes.items():
        there = tensors.get(name)
        if there is None or there.shape != shape or not there.is_floating_point():
            problem = "is missing" if there is None else f"is {list(there.shape)} of {there.dtype}"
            raise TrainingError(
                f"{CHECKPOINT} is damaged: {name} {problem}; it must be {list(shape)} of floating-point numbers. "
                "Start again without --resume, in another folder"
            )
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(tensors[f"model.{name}"])
            if f"{MOMENTS[0]}.{name}" in tensors:
                moments = {moment: tensors[f"{moment}.{name}"].to(weight.device) for moment in MOMENTS}
                optimizer.state[weight] = {"step": torch.tensor(float(step), device=weight.device), **moments}


def half(model: Encoder) -> Encoder:
    """Return a copy on the CPU with weights in float16, as checkpoints hold them."""
    return deepcopy(model).cpu().half()


def as_kept(model: Encoder) -> Encoder:
    """The model that a snapshot of these weights is loaded as: they are rounded to float16, and nothing else is."""
    weights = {name: weight.detach().cpu().half().float() for name, weight in model.named_parameters()}
    return checkpoint.build(model.config, weights, "the snapshot")


def save_snapshot(folder: Path, model: Encoder, step: int) -> None:
    """Write the weights after so many steps under snapshots/, in float16."""
    names = {ours: theirs for theirs, ours in checkpoint.ON_DISK.items()}
    tensors = {names.get(n, n): t.detach().contiguous() for n, t in half(model).named_parameters()}
    write(folder / "snapshots" / f"step-{step:06d}.safetensors", save(tensors))


def save_model(folder: Path, model: Encoder, tokenizer: Tokenizer, row_length: int) -> None:
    """Write config.json, model.safetensors (float16) and tokenizer.json, which the app and the library open."""
    finished = half(model)
    finished.config = replace(finished.config, trained_length=row_length)
    try:
        checkpoint.save(finished, tokenizer, folder)
    except (OSError, SafetensorError) as error:
        raise TrainingError(
            f"the model could not be written to {folder}: {error}; its checkpoint is whole, go on with --resume"
        ) from error
