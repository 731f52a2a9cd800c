"""A transformer encoder that shows every step: `TextEncoder.from_pretrained("base").trace("a sentence")`."""

from encoder.checkpoint.tensor_files import CheckpointError
from encoder.edits.edit import Edit
from encoder.model.config import PRESETS, EncoderConfig, preset
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

__all__ = ["PRESETS", "CheckpointError", "Edit", "EncoderConfig", "TextEncoder", "Trace", "preset"]
