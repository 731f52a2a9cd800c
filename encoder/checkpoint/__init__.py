"""Checkpoints on disk and models made of weights."""

from encoder.checkpoint.build import build, on_meta, random_weights, untrained
from encoder.checkpoint.folder import (
    BUNDLED,
    CONFIG,
    ON_DISK,
    Loaded,
    bundled_names,
    find,
    holds_model,
    load,
    own_names,
    read_config,
    save,
    told_of,
)
from encoder.checkpoint.from_object import from_object
from encoder.checkpoint.listing import folders, within
from encoder.checkpoint.snapshots import load_snapshot, snapshots
from encoder.checkpoint.tensor_files import CheckpointError

__all__ = [
    "BUNDLED", "CONFIG", "ON_DISK", "CheckpointError", "Loaded", "build", "bundled_names", "find", "folders",
    "from_object", "holds_model", "load", "load_snapshot",
    "on_meta", "own_names", "random_weights", "read_config", "save", "snapshots", "told_of", "untrained", "within",
]  # fmt: skip
