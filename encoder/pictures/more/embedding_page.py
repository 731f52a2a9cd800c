"""More of Embedding & position."""

from encoder.pictures.lab import Part
from encoder.pictures.more.checked import checked
from encoder.pictures.registry.model_parts import PLACES

MORE: dict[str, tuple[Part, ...]] = {
    "places": (PLACES,),
    "checks": checked("embedding"),
}
