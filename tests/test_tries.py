"""What small models learned in several tries: the stored numbers are those of the training that is named."""

import pytest

from encoder.tasks.learning import learning_curve
from encoder.tasks.tries import HEADS, SEEDS, TRAINED, tries
from encoder.tasks.two_relations import pairs_right


def test_every_try_of_every_kind_is_there() -> None:
    found = tries()
    assert {int(layers): tuple(kinds) for layers, kinds in found.losses.items()} == TRAINED
    for layers, kinds in found.losses.items():
        for kind, losses in kinds.items():
            assert len(losses) == len(found.right[layers][kind]) == len(SEEDS) > 6
            assert {len(one) for one in losses} == {len(found.steps)}
            assert len({tuple(one) for one in losses}) == len(SEEDS), f"two tries of {kind} are one"
    assert {heads: len(told) for heads, told in found.pairs.items()} == {str(heads): len(SEEDS) for heads in HEADS}
    assert found.date in found.sentence and "python -m tests.shipped.tries" in found.sentence


@pytest.mark.nightly
@pytest.mark.slow
def test_what_is_stored_is_learned_again() -> None:
    """Another machine rounds otherwise, and a training strays from there: its first looks are the same."""
    for layers, kind, seed in ((2, "post-norm", 3), (2, "without norms", 1), (6, "pre-norm", 5)):
        again = learning_curve(kind, layers, seed=seed).loss.tolist()
        assert tries().losses[str(layers)][kind][seed][:4] == pytest.approx(again[:4], rel=0.02)
    assert tries().pairs["2"][1] == pytest.approx(pairs_right(2, 1), abs=0.05)
