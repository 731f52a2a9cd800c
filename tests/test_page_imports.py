"""The rooms of pages/ stand on each other in one direction, without a circle."""

import ast
import json
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from pages.ui.state.site import KEYS

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "pages").rglob("*.py"))
}


@cache
def imported(module: str) -> set[str]:
    """Every module of pages/ that the file names in an import, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {part if part in MODULES else node.module for part in parts}
    return {name for name in found if name in MODULES}


def test_there_are_no_circles() -> None:
    order = list(TopologicalSorter({module: imported(module) for module in MODULES}).static_order())
    assert (
        order.index("pages.ui.state.session_state")
        < order.index("pages.ui.session")
        < order.index("pages.ui.step.panel")
    )


def is_of_a_page(module: str) -> bool:
    """Return whether a module is a page or a part of one."""
    return module.count(".") > 0 and module.split(".")[1] in KEYS


def test_a_page_imports_its_own_parts_and_no_other_page() -> None:
    allowed = {name: ("pages.ui.", ".".join(name.split(".")[:2])) for name in MODULES if is_of_a_page(name)}
    assert [(a, b) for a in allowed for b in imported(a) if not b.startswith(allowed[a])] == []


@pytest.mark.slow
def test_writing_text_needs_no_session() -> None:
    script = "import pages.ui.text, json, sys; print(json.dumps([m for m in sys.modules if m.startswith('pages.')]))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert set(json.loads(done.stdout)) == {"pages.ui", "pages.ui.text"}


def test_headings_are_drawn_in_one_place() -> None:
    """A heading without an address costs a browser tens of milliseconds in every run; `text.heading` gives it one."""
    drawn = {
        name
        for name, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("header", "subheader", "title")
        and isinstance(node.value, ast.Name)
        and node.value.id == "st"
    }
    assert drawn == {"pages.ui.text"}
