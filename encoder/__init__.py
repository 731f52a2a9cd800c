"""A transformer encoder that shows every step: `TextEncoder.from_pretrained("base").trace("a sentence")`."""

from typing import Any

from encoder.checkpoint.tensor_files import CheckpointError
from encoder.edits.edit import Edit
from encoder.model.config import PRESETS, EncoderConfig, preset
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

__all__ = ["PRESETS", "CheckpointError", "Edit", "EncoderConfig", "TextEncoder", "Trace", "preset"]

OF_TASKS = (
    "by_hand",
    "learned",
    "mystery",
)  # what trains is loaded when one is asked for


def __getattr__(name: str) -> Any:
    """The models of small tasks."""
    if name in OF_TASKS:
        from encoder.tasks import models

        return getattr(models, name)
    raise AttributeError(f"module 'encoder' has no attribute {name!r}")
