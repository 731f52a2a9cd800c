"""All labs: by their groups, in the order in which they are offered, and by the names that stand in links."""

from encoder.pictures.lab import Lab
from encoder.pictures.registry import (
    labs_depth,
    labs_order,
    labs_padding,
    labs_rollout,
    labs_softmax,
    labs_training,
    labs_variants,
)

GROUPS: dict[str, dict[str, Lab]] = {
    "Order and position": labs_order.LABS,
    "Attention and softmax": labs_softmax.LABS | labs_padding.LABS | labs_rollout.LABS,
    "Residuals, norms, depth": labs_depth.LABS,
    "Training and knowledge": labs_training.LABS,
    "Today's variants": labs_variants.LABS,
}
LABS = {name: row for group in GROUPS.values() for name, row in group.items()}
