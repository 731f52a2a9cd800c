"""Every command: what it cannot read is one line and an exit code before any work, and -q hides bars."""

import ast
import io
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from in_turn import in_turn

from encoder import TextEncoder
from encoder.support import progress

ROOT = Path(__file__).parents[1]
CHILDREN = {"encoder.checkpoint.reading_process"}  # only we start these
FILE = "text.txt"
# Each command with arguments that name a place to write at, which is {}; None where it writes at none that is named.
COMMANDS: dict[str, list[str] | None] = {
    "encoder.atlas.__main__": ["--corpus", FILE, "--out", "{}"],
    "encoder.browser.__main__": ["A cat.", "--out", "{}"],
    "encoder.exam.__main__": ["--out", "{}.json"],
    "encoder.exam.moments": ["--out", "{}"],
    "encoder.exam.word_guides": None,
    "encoder.experiments.circuit.__main__": ["--constructed", "number", "--out", "{}"],
    "encoder.pictures.__main__": ["rollout", "--out", "{}.svg"],
    "encoder.pictures.lists": [FILE, "--out", "{}.csv"],
    "encoder.tasks.__main__": None,
    "encoder.train.__main__": ["--corpus", FILE, "--out", "{}"],
    "shipped.circuit_moments": ["--out", "{}"],
    "shipped.circuits": ["--out", "{}"],
    "shipped.head_examples": ["--out", "{}"],
    "shipped.labels": ["--out", "{}"],
    "shipped.pack_treebank": [FILE, "{}"],
    "shipped.packets": None,
    "shipped.recount": None,
    "shipped.task_runs": None,
    "shipped.thumbnails": None,
    "shipped.tries": ["--out", "{}"],
    "shipped.verdicts": ["--out", "{}"],
}
WRONG = {
    "shipped.head_examples": ["--model", "nothing", "--out", FILE],
    "encoder.exam.moments": ["--model", "nothing", "--out", FILE],
    "shipped.pack_treebank": ["nothing", FILE],
    "shipped.verdicts": ["--model", "no\nthing", "--out", FILE],
    "shipped.recount": ["nothing"],
    "shipped.thumbnails": ["nothing"],
    "encoder.experiments.circuit.__main__": ["--pairs", "nothing.csv", "--out", FILE],
    "encoder.pictures.lists": ["nothing.txt"],
    "encoder.tasks.__main__": ["task=nothing"],
    "encoder.browser.__main__": ["A cat.", "--model", "nothing", "--out", FILE],
    "encoder.pictures.__main__": ["nothing"],
}


def ends(module: str, given: list[str]) -> int:
    """The exit code of a command."""
    main: Callable[[list[str]], int] = import_module(module).main
    try:
        return main(given)
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code


def test_all_of_them_are_here() -> None:
    found = set()
    for path in [*(ROOT / "encoder").rglob("*.py"), *(ROOT / "tests" / "shipped").glob("*.py")]:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        if any(isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) for node in body):
            found.add(".".join(path.relative_to(ROOT).with_suffix("").parts).removeprefix("tests."))
    assert found == COMMANDS.keys() | CHILDREN


@in_turn("module", COMMANDS)
def test_what_it_cannot_read_is_one_line(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends(module, ["--what"]) == 2
    printed, complained = capsys.readouterr()
    assert (printed, complained.count("\n")) == ("", 1) and complained.startswith("error: ")
    assert "--help lists what there is" in complained


@in_turn("module", WRONG)
def test_what_is_not_there_is_one_line(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ends(module, WRONG[module]) == 2
    printed, complained = capsys.readouterr()
    assert (printed, complained.count("\n")) == ("", 1) and complained.startswith("error: ")
    assert list(tmp_path.iterdir()) == []


@in_turn("module", [name for name, given in COMMANDS.items() if given])
def test_the_place_to_write_at_is_tried_before_the_work(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE).write_text("The cat sat.\n" * 30)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(TextEncoder, "from_pretrained", lambda *given, **more: pytest.fail("the work has begun"))
    monkeypatch.setattr("encoder.train.vocabulary.Tokenizer", lambda *given: pytest.fail("the work has begun"))
    # a place within a file: no folder can be made there
    assert ends(module, [one.format(f"{FILE}/made") for one in COMMANDS[module] or []]) == 2
    printed, complained = capsys.readouterr()
    assert (printed, complained.count("\n")) == ("", 1) and complained.startswith("error: ") and FILE in complained


class Screen(io.StringIO):
    """An error output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def told(monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal sees of a work of three steps."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.progress("sums", "steps") as hear:
        for done in range(4):
            hear(done, 3)
    return screen.getvalue()


def test_a_long_work_has_a_bar_in_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "sums" in told(monkeypatch)
    monkeypatch.setattr(Screen, "isatty", lambda self: False)
    assert told(monkeypatch) == ""
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert "sums" in told(monkeypatch)


def test_nothing_is_shown_of_a_short_work_nor_from_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    screens = list[str]()
    work = Thread(target=lambda: screens.append(told(monkeypatch)))
    work.start()
    work.join()
    assert screens == [""]
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    monkeypatch.setattr(progress, "DELAY", 60)
    with progress.progress("sums", "steps") as hear:
        hear(1, 3)
    assert "sums" not in screen.getvalue()


@in_turn("given", [["-q"], []])
def test_a_command_is_quiet_where_that_is_asked(given: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[Any]()
    recount = import_module("shipped.recount")
    monkeypatch.setattr(TextEncoder, "from_pretrained", lambda name: seen.append(told(monkeypatch)))
    monkeypatch.setattr(recount, "figures", lambda encoder: [])
    monkeypatch.setattr(sys, "stderr", Screen())
    assert recount.main(["base", *given]) == 0
    assert (seen[0] == "") is bool(given)
    progress.quiet.set(False)
