"""Every recorded number is what the catalogue says it is: each step re-derived alone, in float64.

The recorded inputs are taken as exact, so the only difference left is the rounding of one step in float32. Rounding to
nearest is 6e-8 of each term; sums of up to 2048 terms were seen to reach 5e-7 of their terms' size. The head's softmax
shares one total of 16,384 terms between all words, added up in fewer lanes, and was seen to reach 7e-6.
"""

import pytest
from oracle import REPLAY, roundings
from tiny import SENTENCE, VARIANTS, each_name, tiny

from encoder import TextEncoder
from encoder.model.steps.catalogue import catalogue

pytestmark = pytest.mark.slow

TOLERANCE = 2e-6
TOLERANCE_OF = {"mlm.probabilities": 2e-5}
HIDDEN = {"nothing-hidden": (), "two-hidden": (1, 4)}


def wrong_steps(encoder: TextEncoder, text: str, hidden: tuple[int, ...]) -> dict[str, float]:
    """The steps that are further off than rounding explains."""
    found = roundings(encoder, encoder.trace(text, hidden=hidden))
    return {name: off for name, off in found.items() if off > TOLERANCE_OF.get(name, TOLERANCE)}


@pytest.mark.parametrize("name", each_name())
def test_variant(name: str) -> None:
    assert wrong_steps(tiny(VARIANTS[name]), SENTENCE, (1, 4)) == {}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("model", ["base", "small"])
def test_bundled(model: str, hidden: tuple[int, ...], request: pytest.FixtureRequest) -> None:
    assert wrong_steps(request.getfixturevalue(model), "Keys on the table belong to Sara.", hidden) == {}


def test_padded_batch() -> None:
    encoder = tiny(VARIANTS["preset-bert-base"])
    trace = encoder.trace([SENTENCE, "w1 w2"])[1]
    assert trace.padding == 3
    assert max(roundings(encoder, trace).values()) <= TOLERANCE


def test_every_operation_has_a_replay_and_every_replay_an_operation() -> None:
    assert {step.operation for config in VARIANTS.values() for step in catalogue(config)} == set(REPLAY)
