"""More of Output: the ranks, the nearest words, how vectors change, where they come from, and units."""

from collections.abc import Mapping, Sequence
from typing import Any

from encoder.metrics import BUNDLED, most_active, stream, survey, unit_words
from encoder.metrics.answer import answers
from encoder.pictures.expression import ENC, call
from encoder.pictures.lab import Ask, Beside, Note, Part, Show, Table, When
from encoder.pictures.labs.rollout_lab import ROLLED
from encoder.pictures.more.checked import WHOLE, checked, program
from encoder.pictures.more.surveys import over_many
from encoder.pictures.picture import Answer
from encoder.pictures.registry.output_pictures import (
    AFTER,
    ALIKE_COSINE,
    ALIKE_LINEAR,
    ALIKE_TOKENS,
    LAYER_SHARES,
    LENS_TOKEN,
    MEANING,
    MOVE,
    MOVES,
    NEAREST,
    PATHS,
    RACE,
    mean_shares,
)
from encoder.support.formatting import brief, shown

UNITS, NEAR = 5, 6
COSINE = "Cosine with the rows of the embedding table; no head and no bias is asked, as a guess of a word would."
DIRECTIONS = """All tokens after all layers stand in these (principal components of all of them together). The large \
dot is the input; the name stands at the end, where it lies on no other; point at a dot to read it."""
SHARES = """A layer takes a token's vector and adds two others to it: what attention brings from all tokens, and what \
feed-forward makes of the token itself. Each square is one token in one layer: how much of the outcome is from there."""
KORNBLITH = "Linear CKA (Kornblith et al. 2019) does not mind rotations."
ROLLOUT = """Rollout multiplies the attention of all layers (Abnar & Zuidema 2020) and is often read as "which words \
made the guess". It knows where heads look, not what they hand over, nor whether that speaks for the guess or against \
it. Here it stands beside what the loss of each word really costs; the sum above the table does better."""
NO_NUMBERS = "Some vectors of this run are not numbers, so there is nothing to draw."


def is_finite(answer: Answer) -> bool:
    """Whether all vectors of the run are numbers."""
    return bool(stream(answer.scene.t).isfinite().all())


def has_head(answer: Answer) -> bool:
    """Whether the model guesses words, or gives labels."""
    how = answers(answer.scene.config)
    return bool(how.part) and how.in_shares


def of_shares(answer: Answer) -> str:
    """What a share is."""
    rest = f" The rest, {mean_shares(answer)['rest']}, is the beta of the norm between."
    return (
        "A share is a part's vector along the direction of the layer's last sum; the parts of one token and layer add "
        f"up to 1, and a negative one points against the sum.{'' if answer.scene.config.norm_first else rest}"
    )


def of_survey(answer: Answer) -> str:
    """What both measures were taken over, and the least alike neighbours."""
    every = answer.value(call(survey, ENC))
    return (
        f"Over {every.sentences} sentences and {every.tokens} tokens: the least alike neighbours among the layers have "
        f"cosine {brief(every.least_neighbours)}. {KORNBLITH}"
    )


def units(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """The most active units of the chosen token in the chosen layer, and the words that they point to."""
    scene = answer.scene
    read = scene.t.step(f"layers.{scene.layer}.feed_forward.output").inputs[0]
    values, indices = most_active(scene.t[read][scene[LENS_TOKEN]], UNITS)
    words = [unit_words(scene.encoder, scene.layer, unit, NEAR) for unit in indices.tolist()]
    return {
        "unit": [str(unit) for unit in indices.tolist()],
        "activation": values.tolist(),
        "its output points to": [", ".join(f"“{shown(word)}”" for word, _ in near) for near in words],
    }


def of_units(answer: Answer) -> str:
    """What the table of units shows."""
    scene = answer.scene
    return (
        f"The units of the feed-forward of layer {scene.layer} that are most active at {scene.token(scene[LENS_TOKEN])}"
        ", and the words whose embedding has the largest cosine with what each writes; later layers still act on it."
    )


MORE: dict[str, tuple[Part, ...]] = {
    "chart": (When(has_head, (RACE,), ("This model gives no words or labels, so none has a rank.",)),),
    "words": (When(is_finite, (Show(NEAREST, more=COSINE),), (NO_NUMBERS,)),),
    "ways": (
        Note("heading", "How each vector moves"),
        Ask("Shown", MOVE, "pills"),
        Show(MOVES, more=lambda answer: MEANING[answer.scene[MOVE]]),
        Note("heading", "How alike the tokens are"),
        Ask("After", AFTER, "marks"),
        ALIKE_TOKENS,
        Note("heading", "The paths of the tokens"),
        When(is_finite, (Show(PATHS, more=DIRECTIONS),), (NO_NUMBERS,)),
    ),
    "layers": (
        f"How alike the vectors of every two layers are, over {BUNDLED}.",
        over_many(Beside((ALIKE_COSINE, ALIKE_LINEAR)), Note("paragraph", of_survey)),
    ),
    "sources": (Show(LAYER_SHARES, more=SHARES), Note("paragraph", of_shares)),
    "rollout": (Note("paragraph", ROLLOUT), Show(ROLLED)),
    "units": (Note("paragraph", of_units), Table("unit_words", units)),
    "checks": (
        *checked("output"),
        When(lambda answer: bool(program(answer)), (WHOLE, Note("code", program))),
    ),
}
