"""The rooms of pages/ stand on each other in one direction, without a circle."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "pages").rglob("*.py"))
}
ROOMS = (  # each stands on those before it and on itself
    {"component", "text"},
    {"state"},
    {"server"},
    {"session"},
    {"downloads"},
    {"components"},
    {"step"},
    {"lessons"},
    {"frame"},
    {"pages"},
)


def imported(module: str) -> set[str]:
    """Every module of pages/ that the file names in an import, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {part if part in MODULES else node.module for part in parts}
    return {name for name in found if name in MODULES}


def room(module: str) -> int:
    """How high a module stands; the pages themselves stand highest."""
    parts = module.split(".")
    name = parts[2] if parts[1:2] == ["ui"] and len(parts) > 2 else "pages"
    return next(i for i, names in enumerate(ROOMS) if name in names)


@pytest.mark.parametrize("module", [name for name in MODULES if name not in ("pages", "pages.ui")])
def test_no_arrow_points_upwards(module: str) -> None:
    assert {name for name in imported(module) if room(name) > room(module)} == set()


def test_there_are_no_circles() -> None:
    order = list(TopologicalSorter({module: imported(module) for module in MODULES}).static_order())
    assert order.index("pages.ui.state.view") < order.index("pages.ui.session") < order.index("pages.ui.step.panel")


def test_pages_import_no_page() -> None:
    for module in MODULES:
        if module.startswith("pages.steps."):
            folder = module.rpartition(".")[0]
            assert all(name.startswith("pages.ui") or name.startswith(folder) for name in imported(module))
