"""The weights that a folder keeps of steps of its training."""

import re
from pathlib import Path

from encoder.checkpoint.build import build
from encoder.checkpoint.folder import BUNDLED, CONFIG, Loaded, find, own_names, read_config, told_of
from encoder.checkpoint.tensor_files import described, fingerprint, read
from encoder.checkpoint.tokenizer_files import read_tokenizer
from encoder.support.errors import EncoderError

PACKAGED = "; the package has none, those of small are in a checkout of the project, in encoder/pretrained"
NAME = re.compile(r"step-(\d{6,9})\.safetensors")


def snapshots(name: str | Path) -> tuple[int, ...]:
    """Return the training steps whose weights a bundled model or a checkpoint folder keeps, in order; () for none.

    Raises:
        CheckpointError: there is no such model.
    """
    folder = find(name) / "snapshots"
    found = [NAME.fullmatch(path.name) for path in folder.iterdir()] if folder.is_dir() else []
    return tuple(sorted(int(match[1]) for match in found if match))


def load_snapshot(name: str | Path, step: int) -> Loaded:
    """Read the model as it was after so many steps of training.

    Raises:
        EncoderError: no weights are kept of that step; the message lists those that are.
        CheckpointError: there is no such model, or a file of it is damaged.
    """
    kept = snapshots(name)
    folder = find(name)
    if step not in kept:
        packaged = folder.parent == BUNDLED and not any(BUNDLED.glob("*/snapshots"))
        raise EncoderError(
            f"{str(name)!r} keeps no weights of step {step}; it has {', '.join(map(str, kept)) or 'none'}"
            + PACKAGED * packaged
        )
    path = folder / "snapshots" / f"step-{step:06d}.safetensors"
    there = described([path])
    with told_of(path):
        names = own_names(there)
    config = read_config(folder / CONFIG, names.mlm_head)
    tokenizer, special = read_tokenizer(folder, config.vocab_size)
    model = build(config, read({ours: there[theirs] for ours, theirs in names.ours.items()}), str(path))
    return Loaded(model, tokenizer, fingerprint([path]), special, ())
