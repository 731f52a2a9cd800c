"""More of Embedding & position."""

from encoder.pictures.lab import Part, Show
from encoder.pictures.more.checked import checked
from encoder.pictures.registry.model_parts import NEAR_WORDS, PLACES

MORE: dict[str, tuple[Part, ...]] = {
    "near": (Show(NEAR_WORDS),),
    "places": (PLACES,),
    "checks": checked("embedding"),
}
