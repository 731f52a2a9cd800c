"""More of Add & norm."""

from collections.abc import Mapping, Sequence
from typing import Any

from encoder.metrics import norm_moments
from encoder.model.config import EncoderConfig
from encoder.pictures.lab import Note, Part, Show, Table, When
from encoder.pictures.more.checked import checked
from encoder.pictures.picture import Answer
from encoder.pictures.registry.sublayer_pictures import (
    LEARNED,
    LENGTHS,
    NORM_SIDES,
    learned,
    part,
)
from encoder.support.formatting import shown

LEDGER = """Before the norm every token has its own mean and variance. {normalized}; after {learned}, the same for \
every token, each has a mean and a variance of its own again."""


def moments(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """Every token's mean and variance on the way through the norm."""
    scene = answer.scene
    ledger = norm_moments(scene.t, scene.layer, part(scene))
    tokens = {"token": [f"{i} {shown(token)}" for i, token in enumerate(scene.t.tokens)]}
    return tokens | {name: values.tolist() for name, values in ledger.items()}


def of_moments(answer: Answer) -> str:
    """What the table of means and variances shows."""
    config: EncoderConfig = answer.scene.config
    rms = "Normalized, the mean of the squares is 1 and the mean stays what it is, made smaller"
    layer_norm = "Normalized, the mean is 0 and the variance 1"
    return LEDGER.format(
        normalized=rms if config.norm == "rms_norm" else layer_norm,
        learned="gamma and beta" if config.norm_bias else "gamma",
    )


MORE: dict[str, tuple[Part, ...]] = {
    "chart": (LENGTHS,),
    "sides": (
        Show(
            NORM_SIDES,
            more="To see the same weights with their norms in the other place, open their order in Lessons, Labs.",
        ),
    ),
    "moments": (Note("paragraph", of_moments), Table("moments", moments)),
    "learned": (
        When(
            lambda answer: bool(learned(answer.scene)),
            (Show(LEARNED, more=lambda answer: "" if len(learned(answer.scene)) > 1 else "This norm has no beta."),),
            ("Layer 0 of this model has no norm before attention: there is nothing to learn.",),
        ),
    ),
    "checks": checked("add_norm"),
}
