"""The insides of other people's libraries stay theirs: what Streamlit promises to nobody is not read or changed."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted((ROOT / "encoder").rglob("*.py"))]
EXEMPT = {"encoder/model/linear.py", "encoder/checkpoint/reading_process.py"}  # of torch; how a fork ends
OPEN = {"_asdict", "_fields", "_replace", "_repr_html_"}  # of a named tuple, and what a notebook asks of a value


def insides(source: str) -> list[str]:
    """What a module takes of Streamlit's insides, or by a name with _ of anything else, and what it changes there."""
    found, tree = [], ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name.startswith("streamlit.")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "streamlit":
            found += [f"{node.module}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            is_inner = node.attr.startswith("_") and not node.attr.startswith("__") and node.attr not in OPEN
            is_changed = isinstance(node.ctx, ast.Store | ast.Del) and owner.split(".")[0] in ("st", "streamlit")
            if (is_inner and owner not in ("self", "cls", "super()")) or is_changed:
                found.append(f"{owner}.{node.attr}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "delattr", "exec", "eval"):
            found.append(ast.unparse(node.func))
    return found


def test_nothing_that_sessions_share_lies_where_a_browser_can_clear_it() -> None:
    files = [file for file in FILES if "encoder" not in file.parts]
    assert [file.name for file in files if re.search(r"st\.cache_|cache_resource|cache_data", file.read_text())] == []


def test_nothing_inside_streamlit_is_read_or_changed() -> None:
    found = {str(file.relative_to(ROOT)): insides(file.read_text(encoding="utf-8")) for file in FILES}
    assert {name: taken for name, taken in found.items() if taken and name not in EXEMPT} == {}
