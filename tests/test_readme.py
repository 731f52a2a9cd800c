"""Every Python block of README runs, one after the other, as a reader would run them."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_the_blocks_run_in_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in BLOCKS:
        if "hub.download" in block:  # needs a network
            continue
        exec(compile(block, "README.md", "exec"), names)
    said = capsys.readouterr().out
    assert "('paris', 0." in said and "(8, 9, 9)" in said
    assert len(BLOCKS) == 7


def test_the_frame_line_names_a_page_and_hides_the_rest() -> None:
    assert re.search(r'<iframe src="http://localhost:8501/attention\?embed=true&', README)
