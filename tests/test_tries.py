"""What small models learned in several tries: the stored numbers are those of the training that is named."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from shipped import tries as making
from shipped.tries import main

from encoder.tasks.learning import learning_curve
from encoder.tasks.tries import HEADS, SEEDS, SHIPPED, TRAINED, Tries, steps_until, tries
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


def test_the_first_look_at_a_loss_counts() -> None:
    assert steps_until([3.0, 1.0, 0.9, 1.2], [0, 10, 20, 30], 1.0) == 10
    assert steps_until([3.0, 1.01], [0, 10], 1.0) is None


def test_the_command_writes_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "train", lambda processes: tries())
    assert main(["--out", str(tmp_path / "again.json")]) == 0
    assert Tries(**json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))) == tries()
    assert asdict(tries()) == json.loads(SHIPPED.read_text(encoding="utf-8"))
