"""The library stands alone, modules build on each other in one direction, and pages go through the doors they have."""

import ast
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from pages.ui.state.session import Session
from pages.ui.state.site import KEYS

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in [ROOT / "app.py", *sorted((ROOT / "encoder").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]
}
LIBRARY = [module for module in MODULES if module.split(".")[0] == "encoder"]
PAGES = [module for module in MODULES if module not in LIBRARY]


@cache
def nodes(module: str) -> list[ast.AST]:
    """All that the file is made of."""
    return list(ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))))


@cache
def imported(module: str) -> set[str]:
    """Every module that the file names in an import, anywhere in it, in full."""
    names = set()
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (above, node.module)))
            parts = {f"{source}.{alias.name}" for alias in node.names}
            inside = {part for part in parts if part in MODULES}
            names |= inside if len(inside) == len(parts) else {source, *inside}
    return names


def attributes(module: str, *names: str) -> Iterator[ast.Attribute]:
    """Those of Streamlit, as `st.title`, that have one of these names."""
    for node in nodes(module):
        if isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) == "st":
            yield node


@pytest.mark.slow
def test_rooms_stand_on_each_other_as_the_contracts_say() -> None:
    """Those of `.importlinter`: what the library may know, and which room may import which."""
    heard = [each for each in logging.root.manager.loggerDict.values() if not getattr(each, "disabled", True)]
    assert lint_imports(str(ROOT / ".importlinter"), no_cache=True) == 0
    for logger in heard:  # it silences all that were there before
        logger.disabled = False


def test_there_are_no_circles() -> None:
    graph = {module: imported(module) & MODULES.keys() for module in MODULES}
    assert set(TopologicalSorter(graph).static_order()) == set(MODULES) and sum(map(len, graph.values())) > len(MODULES)


def test_the_front_door_is_for_those_outside() -> None:
    arrows = [(a, b) for a in LIBRARY for b in imported(a) if a != "encoder" and b.split(".")[0] == "encoder"]
    assert [(a, b) for a, b in arrows if b == "encoder"] == [], "import the module, not the front door"
    assert [(a, b) for a, b in arrows if b.endswith(".__main__")] == [], "a program may stand on all; nothing on it"


def test_one_name_is_one_class() -> None:
    """A reader who knows a class by its name knows which one it is."""
    classes = [node.name for module in LIBRARY for node in nodes(module) if isinstance(node, ast.ClassDef)]
    assert len(classes) > 80 and sorted({name for name in classes if classes.count(name) > 1}) == []


def test_a_page_imports_its_own_parts_and_no_other_page() -> None:
    of_pages = [name for name in PAGES if name.count(".") and name.split(".")[1] in KEYS]
    own = {name: ("pages.ui.", "encoder", ".".join(name.split(".")[:2])) for name in of_pages}
    inside = {name: imported(name) & MODULES.keys() for name in of_pages}
    assert [(a, b) for a in own for b in inside[a] if not b.startswith(own[a])] == []


def test_headings_are_drawn_in_one_place_and_the_session_is_reached_through_its_type() -> None:
    """A heading without an address costs a browser tens of milliseconds in every run; `text.heading` gives it one."""
    assert {name for name in PAGES if any(attributes(name, "header", "subheader", "title"))} == {"pages.ui.text"}
    assert [name for name in PAGES if any(attributes(name, "session_state")) and ".state." not in name] == []


def test_two_sessions_share_nothing() -> None:
    session, other = Session(), Session()
    session.notes.append("said")
    session.lesson.played["padding"] = 2
    assert other == Session() != session


def test_a_room_is_found_by_the_name_that_it_had_before() -> None:
    with pytest.warns(DeprecationWarning) as warned:
        before = import_module("encoder.export.archive")
    assert "encoder.export.archive is encoder.pictures.export.archive now" in [str(each.message) for each in warned]
    assert before is import_module("encoder.pictures.export.archive")
    with pytest.raises(ModuleNotFoundError):
        import_module("encoder.export.none")


@pytest.mark.slow
def test_a_program_runs_by_the_name_that_it_had_before() -> None:
    command = [sys.executable, "-m", "encoder.recount", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "encoder.exam.recount" in done.stdout


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
