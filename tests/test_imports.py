"""The library stands alone, modules build on each other in one direction, and pages go through the doors they have."""

import json
import logging
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

from pages.ui.state.session import Session

ROOT = Path(__file__).parents[1]
GRAPH = grimp.build_graph("encoder", "pages", cache_dir=None)
IMPORTED = {module: GRAPH.find_modules_directly_imported_by(module) for module in GRAPH.modules}


@pytest.mark.slow
def test_rooms_stand_on_each_other_as_the_contracts_say() -> None:
    """Those of `.importlinter`: what the library may know, which room may import which, and no page another."""
    heard = [each for each in logging.root.manager.loggerDict.values() if not getattr(each, "disabled", True)]
    assert lint_imports(str(ROOT / ".importlinter"), no_cache=True) == 0
    for logger in heard:  # it silences all that were there before
        logger.disabled = False


def test_there_are_no_circles() -> None:
    assert set(TopologicalSorter(IMPORTED).static_order()) == set(IMPORTED)
    assert sum(map(len, IMPORTED.values())) > len(IMPORTED) > 300


def test_the_front_door_is_for_those_outside() -> None:
    inside = [(a, b) for a in IMPORTED if a.startswith("encoder.") for b in IMPORTED[a]]
    assert [(a, b) for a, b in inside if b == "encoder"] == [], "import the module, not the front door"
    assert [(a, b) for a, b in inside if b.endswith(".__main__")] == [], "a program may stand on all; nothing on it"


def test_one_name_is_one_class() -> None:
    """A reader who knows a class by its name knows which one it is."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "encoder").rglob("*.py"))
    classes = [name for source in sources for name in re.findall(r"^ *class (\w+)", source, re.M)]
    assert len(classes) > 80 and sorted({name for name in classes if classes.count(name) > 1}) == []


def test_two_sessions_share_nothing() -> None:
    session, other = Session(), Session()
    session.notes.append("said")
    session.answered.add(("padding", 2))
    assert other == Session() != session


# What is loaded after each line: torch's compiler has 800 modules, which take a second.
LOADED = """
import json, sys
from encoder import TextEncoder
after = [sorted(sys.modules)]
from encoder.pictures.export import to_npz
after.append(sorted(sys.modules))
from encoder.explain.proof import checks
encoder = TextEncoder.from_pretrained("small")
trace = encoder.trace("The cat.")
assert sum(len(checks(encoder.model, trace, trace.step(name))) for name in trace) > 20
after.append(sorted(sys.modules))
import pages.ui.text
print(json.dumps([*after, sorted(sys.modules)]))
"""


@pytest.mark.slow
def test_what_is_not_needed_is_not_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    library, files, proofs, text = (set(names) for names in json.loads(done.stdout))
    assert {"torch", "tokenizers", "safetensors"} <= library
    assert library & {"streamlit", "plotly", "pandas", "matplotlib", "transformers", "PIL"} == set()
    assert "plotly" not in files and "torch._dynamo" not in proofs
    assert {name for name in text if name.startswith("pages.")} == {"pages.ui", "pages.ui.text"}
