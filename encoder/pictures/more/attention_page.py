"""More of Attention."""

from collections.abc import Mapping, Sequence
from typing import Any

from encoder.experiments import one_matrix
from encoder.pictures.lab import Note, Part, Show, Table, When
from encoder.pictures.more.checked import checked
from encoder.pictures.picture import Answer
from encoder.pictures.registry.steps import STEP
from encoder.pictures.registry.sublayer_pictures import (
    BIAS_TABLE,
    HEAD_LENGTHS,
    HEAD_SHARES,
)
from encoder.support.formatting import agreement, listed

ADDED = """Head h meets its own rows of W_O: the output is the sum of Z_h W_O^h over all heads, and b_O. Nothing of a \
head is left in place; it is spread over all dimensions and added to the others."""
SHARE = """A share is the head's vector along the direction of the sum; over the heads, shares add up to 1, and a \
negative one works against the sum."""
SLOPES = """These slopes are not learned: the paper fixed them, and all sentences and layers have the same. A head \
with a steep slope sees its neighbours, one with a flat slope the whole text."""
TABLE = """These {many} numbers are all that the position bias of this model adds; they {came}. A row is a head, and \
far distances share a number. The row of keys after the query that stand no place away is never read and left out."""
NAMES = {"q": "queries", "k": "keys", "v": "values"}


def of_bias(answer: Answer) -> str:
    """Where the numbers of a position bias come from."""
    encoder = answer.scene.encoder
    if encoder.config.positions == "alibi":
        return SLOPES
    came = "were learned" if encoder.source.seed is None else "were drawn at random, and training would change them"
    return TABLE.format(many=answer.numbers.array.size, came=came)


def of_one_matrix(answer: Answer) -> str:
    """What the sizes of the matrices of this model say."""
    config = answer.scene.config
    h, width, rows = config.n_heads, config.d_head, config.d_model
    return (
        f"One matrix of {rows} × {h * width} is {h} matrices of {rows} × {width} beside each other: columns 0 to "
        f"{width - 1} belong to head 0, the next {width} to head 1, and so on. The table has the largest difference "
        "between both ways."
    )


def ways_apart(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """How far the two ways are apart, by head."""
    ways = one_matrix(answer.scene.t, answer.scene.layer)
    heads = {"": [f"head {i}" for i in range(answer.scene.n_heads)]}
    return heads | {NAMES[way.name]: way.apart.tolist() for way in ways}


def ways_agree(answer: Answer) -> str:
    """How far both ways agree."""
    ways = one_matrix(answer.scene.t, answer.scene.layer)
    agreements = (f"{NAMES[way.name]} {agreement(float(way.apart.max()), way.size)}" for way in ways)
    return f"Made head by head and made by the one matrix they agree: {listed(list(agreements))}."


MORE: dict[str, tuple[Part, ...]] = {
    "chart": (STEP,),
    "heads": (ADDED, HEAD_LENGTHS, Show(HEAD_SHARES, more=SHARE)),
    "bias": (
        When(
            lambda answer: bool(answer.scene.config.position_bias),
            (Show(BIAS_TABLE, more=of_bias),),
            ("This model adds nothing to its scores for where tokens stand.",),
        ),
    ),
    "one_matrix": (
        Note("paragraph", of_one_matrix),
        Table("one_matrix", ways_apart),
        Note("finding", ways_agree),
    ),
    "checks": checked("attention"),
}
