"""A training that examines its own snapshots: the counts are those of the files it writes, and nothing else changes."""

from pathlib import Path

import pytest

from encoder import TextEncoder
from encoder.exam import bundled_treebanks
from encoder.exam.moments import SHOWN, MomentCounter, moments_file, questions, read_moments, training_moments
from encoder.experiments import timelapse
from encoder.train.__main__ import main

pytestmark = pytest.mark.slow

SETTINGS = ["--preset", "tiny", "--steps", "6", "--set", "evaluate_every=6", "checkpoint_every=3", "rows=4"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some lines of the bundled trees."""
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text("\n".join(" ".join(tree.words) for tree in bundled_treebanks()[0].trees[:400]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def examined(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a training that examined two snapshots."""
    folder = tmp_path_factory.mktemp("run") / "examined"
    assert main(["--corpus", str(corpus), "--out", str(folder), "--exam", *SETTINGS, "snapshots=0,3,6"]) == 0
    return folder


def test_the_counts_are_those_of_the_snapshots_that_were_written(examined: Path) -> None:
    found = training_moments(TextEncoder.from_pretrained(examined))
    assert found is not None and list(found.right) == [0, 3, 6] and found.model == "examined"
    bank = bundled_treebanks()[0]
    encoder = timelapse.at(examined, 6)
    counter = MomentCounter(encoder, bank.name, questions(encoder, bank, SHOWN))
    near, right, agreed = counter.count(encoder)
    assert (found.near[6], found.right[6], found.agreement.right[6]) == (near, right, agreed)
    assert found.links == counter.links and found.rules == counter.rules and any(map(any, right["obj"]))


def test_a_training_is_the_same_with_and_without_its_examination(corpus: Path, examined: Path, tmp_path: Path) -> None:
    assert main(["--corpus", str(corpus), "--out", str(tmp_path / "plain"), *SETTINGS, "snapshots=0,3,6"]) == 0
    one, other = ((folder / "model.safetensors").read_bytes() for folder in (examined, tmp_path / "plain"))
    assert one == other and not moments_file(tmp_path / "plain").exists()


def test_a_training_that_goes_on_keeps_what_it_counted(
    corpus: Path, examined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(Exception):
        """The process is gone."""

    def killed(*given: object) -> None:
        raise KilledError

    folder = tmp_path / "killed"
    command = ["--corpus", str(corpus), "--out", str(folder), "--exam", *SETTINGS, "snapshots=0,3,6"]
    with monkeypatch.context() as patch:
        patch.setattr("encoder.train.loop.Watch.score", killed)
        with pytest.raises(KilledError):
            main(command)
    assert list(read_moments(moments_file(folder)).right) == [0, 3]
    assert main([*command[:4], "--resume", *command[4:]]) == 0
    assert read_moments(moments_file(folder)).right == read_moments(moments_file(examined)).right


def test_without_snapshots_there_is_nothing_to_examine(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--corpus", str(corpus), "--out", str(tmp_path / "x"), "--exam", *SETTINGS, "snapshots="]) == 2
    assert "--exam examines snapshots, and this run keeps none; use --set snapshots=" in capsys.readouterr().err
