"""A transformer encoder that shows every step: `TextEncoder.from_pretrained("base").trace("a sentence")`."""

from typing import TYPE_CHECKING

from encoder.support.import_names import on_demand

if TYPE_CHECKING:
    from encoder.checkpoint.tensor_files import CheckpointError
    from encoder.checkpoint.text_encoder import TextEncoder
    from encoder.edits.edit import Edit
    from encoder.model.classifier_config import ClassifierConfig
    from encoder.model.config import PRESETS, EncoderConfig, preset
    from encoder.support.errors import EncoderError
    from encoder.trace.trace import Trace

__version__ = "1.0.0"
__all__ = [
    "PRESETS",
    "CheckpointError",
    "ClassifierConfig",
    "Edit",
    "EncoderConfig",
    "EncoderError",
    "TextEncoder",
    "Trace",
    "preset",
]

__getattr__ = on_demand(
    __name__,
    {
        "PRESETS": "encoder.model.config",
        "CheckpointError": "encoder.checkpoint.tensor_files",
        "ClassifierConfig": "encoder.model.classifier_config",
        "Edit": "encoder.edits.edit",
        "EncoderConfig": "encoder.model.config",
        "EncoderError": "encoder.support.errors",
        "TextEncoder": "encoder.checkpoint.text_encoder",
        "Trace": "encoder.trace.trace",
        "preset": "encoder.model.config",
        "learned": "encoder.tasks.models",
        "measure": "encoder.pictures.lists",
        "mystery": "encoder.tasks.models",
    },
)
