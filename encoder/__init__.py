"""A transformer encoder that shows every step: `TextEncoder.from_pretrained("base").trace("a sentence")`."""

from encoder.checkpoint import CheckpointError
from encoder.config import PRESETS, EncoderConfig, preset
from encoder.edits import Edit
from encoder.text_encoder import TextEncoder
from encoder.trace import Trace

__all__ = ["PRESETS", "CheckpointError", "Edit", "EncoderConfig", "TextEncoder", "Trace", "preset"]
