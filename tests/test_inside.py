"""The insides of other people's libraries are taken in one place each, from the version that is pinned."""

import ast
import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
import torch

from pages.ui.server import inside

ROOT = Path(__file__).parents[1]
PINNED = dict(line.split("==") for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line)
FILES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted((ROOT / "encoder").rglob("*.py"))]
PRIVATE = {"pages/ui/server/inside.py": "streamlit", "encoder/model/linear.py": "torch"}
OPEN = {"_asdict", "_replace"}  # of a named tuple
PUBLIC = {"streamlit.testing.v1"}  # what Streamlit documents


def insides(tree: ast.Module) -> list[str]:
    """Imports from Streamlit's own modules, and names with _ of anything but the object itself."""
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").startswith("streamlit.")
            and node.module not in PUBLIC
        ):
            found.append(str(node.module))
        if isinstance(node, ast.ImportFrom) and node.module == "streamlit":
            found += [alias.name for alias in node.names]
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            owner = ast.unparse(node.value)
            found += [f"{owner}.{node.attr}"] if owner not in ("self", "cls", "super()") else []
    return [name for name in found if name.rpartition(".")[2] not in OPEN]


def test_the_pinned_versions_are_those_that_were_looked_into() -> None:
    assert st.__version__ == PINNED["streamlit"] == inside.KNOWN
    assert torch.__version__.partition("+")[0] == PINNED["torch"]


@pytest.mark.slow
def test_insides_are_taken_in_one_place_each() -> None:
    found = {str(file.relative_to(ROOT)): insides(ast.parse(file.read_text(encoding="utf-8"))) for file in FILES}
    assert {name for name, taken in found.items() if taken} == set(PRIVATE)


def test_what_another_version_has_elsewhere_is_logged_once_and_the_app_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(inside, "get_script_run_ctx", lambda: SimpleNamespace(session_state=None))
    inside.missing.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert inside.widgets() == inside.widgets() == ({}, ())
    assert len(caplog.records) == 1
    assert f"Streamlit {st.__version__} has the callbacks of widgets in another place" in caplog.text
