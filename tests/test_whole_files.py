"""A file is there whole or not at all: killed at any moment, or with a disk that is full, the good one stays."""

import hashlib
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from tiny import TINY, tiny, tiny_model, tiny_tokenizer

from encoder import EncoderError, TextEncoder, checkpoint
from encoder.atlas import making
from encoder.atlas.__main__ import main as make_atlas
from encoder.atlas.collecting import KeptVectors
from encoder.atlas.corpus import AtlasCorpus
from encoder.atlas.making import AtlasPlan
from encoder.support import whole_file
from encoder.train.__main__ import main as train

pytestmark = pytest.mark.slow

LIBRARY = Path(whole_file.__file__).parents[1]
MOMENTS = 3  # places amid a file at which it ends
Saves = Callable[[Path, int], None]


def model(folder: Path, version: int) -> None:
    """Save one of two models of the same shape and tokenizer."""
    checkpoint.save(tiny_model(TINY, version), tiny_tokenizer(), folder)


def atlas(folder: Path, version: int) -> None:
    """Save a part of an atlas."""
    folder.mkdir(exist_ok=True)
    making.save(folder / "part.safetensors", {"sums": torch.full((30_000,), float(version))})


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.endswith(".part")}


def in_a_child(work: Callable[[], object]) -> int:
    """Begin work in a child process that says nothing; returns its number."""
    process = os.fork()
    if process:
        return process
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - the process ends with it
    try:
        work()
        os._exit(0)
    except BaseException:
        os._exit(1)


def killed(work: Callable[[], object], *, at: int | None = None, room: int | None = None) -> bool:
    """Work in a child process that is killed on its way; return False where it ended before.

    Killed when it opens, moves or removes its file number `at`, or amid a file that gets longer than `room` bytes.
    """

    def watched() -> None:
        left = iter(range(at)) if at is not None else itertools.count()

        def look(event: str, given: tuple[object, ...]) -> None:
            if event in ("open", "os.rename", "os.remove", "os.mkdir") and next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(look)
        if room is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        work()

    status = os.waitpid(in_a_child(watched), 0)[1]
    assert os.WIFSIGNALED(status) or status == 0
    return os.WIFSIGNALED(status)


def kills(work: Callable[[], object], largest: int, seed: int) -> Iterator[bool]:
    """Kill work amid a file, and at fewer and fewer of its files, until it ends."""
    draw = random.Random(seed)
    for _ in range(MOMENTS):
        assert killed(work, room=draw.randrange(largest))
        yield True
    at = 0
    while killed(work, at=at):
        yield True
        at += 1 + at // 2
    yield False


def both(saves: Saves, tmp_path: Path) -> Iterator[dict[str, bytes]]:
    for version in (1, 2):
        saves(tmp_path / str(version), version)
        yield contents(tmp_path / str(version))


@pytest.mark.parametrize("saves", [model, atlas])
def test_a_kill_at_any_moment_leaves_a_good_file(saves: Saves, tmp_path: Path) -> None:
    good = [*both(saves, tmp_path)]
    folder = tmp_path / "out"
    saves(folder, 1)
    smallest = max(map(len, good[1].values()))
    for ended_early in kills(lambda: saves(folder, 2), smallest, seed=1):
        there = contents(folder)
        assert there in good if ended_early else there == good[1]
        saves(folder, 1)
    assert list(folder.glob("*.part")), "none was killed amid its writing"
    if saves is model:
        checkpoint.load(folder)


@pytest.mark.parametrize("saves", [model, atlas])
def test_a_full_disk_leaves_the_good_file(saves: Saves, tmp_path: Path) -> None:
    good, _ = both(saves, tmp_path)
    folder, draw = tmp_path / "out", random.Random(2)
    saves(folder, 1)
    smallest = min(max(map(len, one.values())) for one in (good, contents(tmp_path / "2")))

    def full(room: int) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            saves(folder, 2)
        except (EncoderError, AssertionError):
            return
        raise RuntimeError("it was written all the same")

    for _ in range(MOMENTS):
        room = draw.randrange(smallest)
        process = in_a_child(lambda room=room: full(room))  # type: ignore[misc]
        assert os.waitpid(process, 0)[1] == 0
        assert contents(folder) == good
        assert not list(folder.glob("*.part"))


@pytest.fixture
def unwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AtlasPlan:
    """An atlas whose parts are all made, and whose files are not yet written."""
    monkeypatch.setattr(TextEncoder, "from_pretrained", lambda *given, **more: tiny(TINY))
    (tmp_path / "text").write_text("\n".join(f"w{i % 40} w{i % 7} w{i % 11}" for i in range(40)))
    plan = AtlasPlan("tiny", AtlasCorpus((tmp_path / "text",)), tmp_path / "out", KeptVectors((0, 2), (1,)), 10)
    making.begin(plan, tiny(TINY))
    making.work(plan, tiny(TINY))
    return plan


def finish(plan: AtlasPlan) -> int:
    """Write the files of an atlas by its command, from the parts that are there."""
    kept = ["--vectors", "0", "2", "--head-vectors", "1", "--part", "10"]
    return make_atlas(["--model", "tiny", "--corpus", str(plan.corpus.files[0]), "--out", str(plan.out), *kept])


def files_of(folder: Path) -> dict[str, bytes]:
    """The card and what it lists, which must be there as it says."""
    card = json.loads((folder / "card.json").read_text())
    found = {name: (folder / name).read_bytes() for name in card["files"]}
    assert {name: hashlib.sha256(data).hexdigest() for name, data in found.items()} == {
        name: one["sha256"] for name, one in card["files"].items()
    }
    return found


def test_an_atlas_killed_while_it_is_written_is_none_or_whole(unwritten: AtlasPlan, tmp_path: Path) -> None:
    """Its card comes last: without one the same command ends as if nothing had happened."""
    made, outcomes = tmp_path / "made", set()
    shutil.copytree(unwritten.out, made)
    assert finish(unwritten) == 0
    good = files_of(unwritten.out)

    def begin_again() -> None:
        shutil.rmtree(unwritten.out)
        shutil.copytree(made, unwritten.out)

    begin_again()
    for _ in kills(lambda: finish(unwritten), max(map(len, good.values())), seed=3):
        whole = (unwritten.out / "card.json").exists()
        assert whole or finish(unwritten) == 0
        assert files_of(unwritten.out) == good
        outcomes.add(whole)
        begin_again()
    assert outcomes == {False, True}


def test_a_full_disk_while_an_atlas_is_written_is_said(unwritten: AtlasPlan, tmp_path: Path) -> None:
    made, draw = tmp_path / "made", random.Random(4)
    shutil.copytree(unwritten.out, made)
    assert finish(unwritten) == 0
    good = files_of(unwritten.out)
    largest = max(map(len, good.values()))

    def full(room: int) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        assert finish(unwritten) == 2

    for _ in range(MOMENTS):
        shutil.rmtree(unwritten.out)
        shutil.copytree(made, unwritten.out)
        room = draw.randrange(largest)
        process = in_a_child(lambda room=room: full(room))  # type: ignore[misc]
        assert os.waitpid(process, 0)[1] == 0
        assert not (unwritten.out / "card.json").exists()
        assert finish(unwritten) == 0
        assert files_of(unwritten.out) == good


def test_every_command_writes_its_files_so() -> None:
    """Pages, pictures, lists and examinations too: nothing else in the library opens a file to write into it."""
    writes = re.compile(r"\.write_(text|bytes)\(|open\([^)]*[\"'][wax]")
    found = {path.name for path in LIBRARY.rglob("*.py") if writes.search(path.read_text(encoding="utf-8"))}
    assert found == {"whole_file.py", "folder_reader.py", "reading_process.py"}  # these write what is thrown away


def test_what_is_no_plain_file_is_not_replaced(tmp_path: Path) -> None:
    """A command that was given a pipe, a link or a device as its output made a file of it."""
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "mine.txt")
    (tmp_path / "nowhere").symlink_to(tmp_path / "not there")
    os.mkfifo(tmp_path / "pipe")
    for name, kind in (("link", "link"), ("nowhere", "link"), ("pipe", "device or pipe")):
        for put in (whole_file.check, lambda path: whole_file.write(path, b"theirs")):
            with pytest.raises(whole_file.WriteError, match=f"{name} is a {kind}"):
                put(tmp_path / name)
    assert (tmp_path / "link").is_symlink() and (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "mine.txt").read_text() == "mine" and not (tmp_path / "not there").exists()
    with pytest.raises(whole_file.WriteError, match="could not be written"):
        whole_file.check(tmp_path / ("x" * 300))


def test_what_cannot_be_written_is_said_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(whole_file.WriteError, match="file/inside could not be written"):
        whole_file.write(tmp_path / "file" / "inside", b"")


def test_a_model_is_not_saved_over_another(tmp_path: Path) -> None:
    model(tmp_path / "own", 1)
    before = contents(tmp_path / "own")
    with pytest.raises(EncoderError, match="holds another model"):
        checkpoint.save(tiny_model(TINY.__class__(**{**vars(TINY), "n_layers": 1})), tiny_tokenizer(), tmp_path / "own")
    assert contents(tmp_path / "own") == before


def test_training_refuses_a_folder_that_holds_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before it reads a corpus, and nothing of the folder is changed."""
    model(tmp_path / "own", 1)
    before = contents(tmp_path / "own")
    assert train(["--corpus", str(tmp_path / "none"), "--out", str(tmp_path / "own")]) != 0
    assert "holds a model" in capsys.readouterr().err
    assert contents(tmp_path / "own") == before
