"""What a session remembers is one typed object; only widgets have keys of text."""

import ast
from pathlib import Path

from pages.ui.state.session import Session

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
OUTSIDE = [file for file in FILES if "state" not in file.relative_to(ROOT).parts]


def test_the_session_is_reached_through_its_type_alone() -> None:
    assert [
        (str(file.relative_to(ROOT)), node.lineno)
        for file in OUTSIDE
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr == "session_state"
        and isinstance(node.value, ast.Name)
        and node.value.id == "st"
    ] == []


def test_two_sessions_share_nothing() -> None:
    one, other = Session(), Session()
    one.notes.append("said")
    one.seen["padding"] = 2
    assert other == Session() != one
