"""The names that the steps of any model can have within their layer."""

from encoder.model.config import PRESETS, EncoderConfig
from encoder.model.steps.catalogue import catalogue

EVERY_STEP = EncoderConfig(
    embedding_size=64,
    embedding_norm=True,
    n_segments=2,
    final_norm=True,
    mlm_head=True,
    pooling="mean",
    unit_length=True,
    position_buckets=32,
    distance_scores="both",
    distance_norm=True,
)
SHAPES = (*PRESETS.values(), EVERY_STEP, EncoderConfig(norm="rms_norm", embedding_norm=True, final_norm=True))
KNOWN_STEPS = frozenset(step.local for config in SHAPES for step in catalogue(config))
