"""Claims about a part of the engine, held to a fault in that part: it must turn, or report what it sees.

That every trial can fail: see test_trials.py.
"""

import math
import re
from collections.abc import Iterator

import pytest
from engine_faults import FAULTS, plant
from shared_models import pretrained

from encoder import TextEncoder
from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS
from encoder.pictures.labs.trial import Finding, Verdict
from encoder.pictures.view import EXAMPLE as WIDE

BY_KEY = {claim.key: (claim.trial, dict(claim.given)) for claim in CLAIMS}
CAT = "The cat chased the mouse."
# What each fault spoils: claims by their keys, and what lessons ask, with what they give
SUBJECT: dict[str, list[str | tuple[str, dict[str, object]]]] = {
    "no residual around attention": ["added"],
    "no residual around feed-forward": ["added"],
    "no division by the root of d_head": ["scaling"],
    "softmax down the columns": ["row-sums", "masks"],
    "no b_V": [("by_hand", {"sentence": CAT, "step": "layers.2.attention.v", "index": [3, 2, 0]})],
    "no gamma": ["few-lines"],
    "no positions": [("same_vectors", {"sentence": CAT, "other": "The mouse chased the cat.", "positions": "on"})],
}
TURNED = {"same_vectors": Verdict.HOLDS, "residuals_add": Verdict.CONDITION}  # all others no longer hold
CASES = [(fault, one) for fault, them in SUBJECT.items() for one in them]


@pytest.fixture(scope="module")
def small() -> TextEncoder:
    return pretrained("small")


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as context:
        yield context


def found(encoder: TextEncoder, asked: str | tuple[str, dict[str, object]]) -> Finding:
    trial, given = BY_KEY[asked] if isinstance(asked, str) else asked
    return labs.run(trial, encoder, given)


def test_every_fault_is_the_subject_of_a_claim() -> None:
    assert set(SUBJECT) | {"no eps"} == set(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "asked"), CASES, ids=str)
def test_a_claim_turns_where_its_part_is_at_fault(
    fault: str, asked: str | tuple[str, dict[str, object]], small: TextEncoder, patch: pytest.MonkeyPatch
) -> None:
    sound = found(small, asked)
    plant(patch, fault)
    broken = found(small, asked)
    trial = BY_KEY[asked][0] if isinstance(asked, str) else asked[0]
    assert broken.verdict is TURNED.get(trial, Verdict.FAILS) and sound.verdict is not broken.verdict, broken.sentence


def times_as_long(sentence: str) -> float:
    """How long the variant's output is beside LayerNorm's where numbers are small, as the sentence says."""
    told = re.search(r"output is ([\d.]+) times as long", sentence)
    assert told
    return float(told[1])


def test_where_eps_counts_is_measured(small: TextEncoder, patch: pytest.MonkeyPatch) -> None:
    """By hand: numbers of deviation 0.001 over the root of 1e-6 + 1e-5, and over 0.001 + 1e-5."""
    by_hand = (0.001 / (0.001 + 1e-5)) / (0.001 / math.sqrt(1e-6 + 1e-5))
    assert times_as_long(found(small, "std-norm").sentence) == pytest.approx(by_hand, rel=0.01)
    plant(patch, "no eps")
    assert times_as_long(found(small, "std-norm").sentence) == pytest.approx(1, rel=0.02)


def test_a_run_without_positions_says_that_order_does_not_matter(small: TextEncoder, patch: pytest.MonkeyPatch) -> None:
    sound = found(small, "reversed").sentence
    plant(patch, "no positions")
    assert "nothing here depends on the order of the words" in found(small, "reversed").sentence
    assert "depends on the order" not in sound


@pytest.mark.slow
def test_which_residual_is_missing_is_said(small: TextEncoder) -> None:
    for fault, left in (("around attention", "feed-forward"), ("around feed-forward", "attention")):
        with pytest.MonkeyPatch.context() as context:
            plant(context, f"no residual {fault}")
            result = labs.run("residuals_add", small, {"sentence": WIDE})
        assert f"{left} in 4 of 4 layers" in result.sentence and "in 0 of 4 layers" in result.sentence
