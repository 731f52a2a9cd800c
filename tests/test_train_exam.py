"""A training that examines its own snapshots: the counts are those of the files it writes, and nothing else changes."""

from pathlib import Path

import pytest
from shared_models import treebanks

from encoder import TextEncoder
from encoder.exam import Treebank
from encoder.exam.moments import SHOWN, MomentCounter, moments_file, questions, read_moments, training_moments
from encoder.tasks import kept_moments
from encoder.train.__main__ import main

pytestmark = pytest.mark.slow

SETTINGS = [
    "--preset",
    "tiny",
    "--steps",
    "4",
    "--set",
    "evaluate_every=4",
    "checkpoint_every=2",
    "rows=4",
    "snapshots=0,2,4",
]
BANK = Treebank("some", treebanks()[0].trees[:120])


class KilledError(Exception):
    """The process is gone."""


def killed(*given: object) -> None:
    """Stand for the end of a process."""
    raise KilledError


def test_a_training_counts_at_its_snapshots_and_goes_on_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its weights are those of a training that counts nothing, its counts those of the snapshots it wrote."""
    monkeypatch.setattr("encoder.exam.moments.bundled_treebanks", lambda: [BANK])
    monkeypatch.setattr("encoder.exam.moments.DRAWS", 2)
    corpus, folder, plain = tmp_path / "text.txt", tmp_path / "examined", tmp_path / "plain"
    corpus.write_text("\n".join(" ".join(tree.words) for tree in treebanks()[0].trees[:400]), encoding="utf-8")
    command = ["--corpus", str(corpus), "--out", str(folder), "--exam", *SETTINGS]
    with monkeypatch.context() as patch:
        patch.setattr("encoder.train.loop.Watch.score", killed)
        with pytest.raises(KilledError):
            main(command)
    before = read_moments(moments_file(folder))
    assert list(before.right) == [0, 2]
    assert main([*command[:4], "--resume", *command[4:]]) == 0
    assert main(["--corpus", str(corpus), "--out", str(plain), *SETTINGS]) == 0
    weights, others = ((path / "model.safetensors").read_bytes() for path in (folder, plain))
    assert weights == others and not moments_file(plain).exists()
    moments = training_moments(TextEncoder.from_pretrained(folder))
    assert moments is not None and list(moments.right) == [0, 2, 4] and moments.model == "examined"
    assert {step: moments.right[step] for step in (0, 2)} == before.right
    encoder = kept_moments.at(folder, 4)
    counter = MomentCounter(encoder, BANK.name, questions(encoder, BANK, SHOWN))
    near, right, agreed = counter.count(encoder)
    assert (moments.near[4], moments.right[4], moments.agreement.right[4]) == (near, right, agreed)
    assert moments.links == counter.links and moments.rules == counter.rules and any(map(any, right["obj"]))
    none = [word.replace("snapshots=0,2,4", "snapshots=") for word in SETTINGS]
    assert main(["--corpus", str(corpus), "--out", str(tmp_path / "x"), "--exam", *none]) == 2
    assert "--exam examines snapshots, and this run keeps none; use --set snapshots=" in capsys.readouterr().err
