"""What every README says can be done: its Python runs in a new process, and its files, links and commands are there."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from in_turn import in_turn

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
READMES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for folder in (".docker", "encoder", "pages", "tests")
    for path in [*(ROOT / folder).rglob("README.md"), ROOT / "README.md", ROOT / "encoder/QUESTIONS.md"]
    if "node_modules" not in path.parts
}
PRINTED = {  # by README, some of what its Python prints
    "README.md": ("torch.Size([8, 9, 9]) [('paris', 0.", "'previous'"),
    "encoder/README.md": ("('paris', 0.", "'previous'", "(8, 9, 9)", "'[MASK]'", "((4, 1), (5, 6)) 0.8"),
    "encoder/QUESTIONS.md": ("55 % of the weight is parked", "no head that guesses words", "[('good', 0.99"),
    "encoder/exam/README.md": (
        "((4, 0), 'obj', 0.87559, 'the nearest verb before, else after', 0.95",
        "under 10 points above the best",
    ),
    "encoder/checkpoint/README.md": ("'[CLS]', 'how', 'tall'", "pooler.dense.weight"),
    "encoder/tasks/README.md": ("['b', 'a', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'a'] tensor(10)",),
    "pages/lessons/README.md": ("false softmax",),
}


def blocks(text: str) -> list[str]:
    """The Python of a README; what needs a network is left out."""
    found = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for block in found if "hub.download" not in block]


# Runs each program of a JSON list in a namespace and a folder of its own; answers what each has printed.
RUNNER = f"""
import contextlib, io, json, os, sys, tempfile
sys.path[0] = {str(ROOT)!r}
answers = []
for program in json.load(sys.stdin):
    os.chdir(tempfile.mkdtemp(dir={{folder!r}}))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "<README.md>", "exec"), {{{{"__name__": "__main__"}}}})
    assert not os.listdir(), f"{{{{os.listdir()}}}} would be left in the checkout"
    answers.append(printed.getvalue())
print(json.dumps(answers))
"""


def test_the_python_of_each_runs_in_order_in_a_new_process(tmp_path: Path) -> None:
    programs = {name: "\n".join(blocks(text)) for name, text in READMES.items() if blocks(text)}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER.format(folder=str(tmp_path))],
        input=json.dumps(list(programs.values())),
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    for name, printed in zip(programs, json.loads(done.stdout), strict=True):
        assert [part for part in PRINTED[name] if part not in printed] == [], name


def test_what_needs_a_network_is_one_block_that_compiles() -> None:
    own = READMES["encoder/checkpoint/README.md"]
    (block,) = re.findall(r"^```python\n((?:(?!```).)*hub\.download.*?)^```", own, re.DOTALL | re.MULTILINE)
    compile(block, "README.md", "exec")
    assert sum("hub.download" in text for text in READMES.values()) == 1


@in_turn("name", READMES)
def test_its_links_files_and_modules_are_there(name: str) -> None:
    text, folder = READMES[name], (ROOT / name).parent
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert link.startswith("https://") or (folder / link).exists(), link
    for path in re.findall(r"`((?:encoder|pages|tests)/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"(?:python|bash) ((?:tests|encoder)/[\w/.]+)", text):
        assert (ROOT / path).is_file(), path
    for module in re.findall(r"python -m (encoder[\w.]*)", text):
        assert find_spec(module)


def test_the_first_one_is_short_and_leads_to_all_others() -> None:
    first = READMES["README.md"]
    assert len(first.splitlines()) <= 120
    assert {name for name in READMES if name != "README.md"} <= set(re.findall(r"\]\(([^)]+\.md)\)", first))


def test_the_frame_line_names_a_page_and_hides_the_rest() -> None:
    assert re.search(r'<iframe src="http://localhost:8501/attention\?embed=true&', READMES[".docker/README.md"])
