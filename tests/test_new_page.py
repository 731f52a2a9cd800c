"""A page is a file and a row, and a name for each choice in its links: nothing else has to be told of it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SCRIPT = '''"""Counting: how long the sentence is."""

import streamlit as st

from pages.ui import session_runs
from pages.ui.frame.page_header import page_header
from pages.ui.state import session_state as state

UNITS = ("tokens", "letters")


def draw() -> None:
    """Draw the page."""
    unit = st.pills("Counted in", UNITS, required=True, **state.choice("counted_in", UNITS, "tokens"))
    page_header(f"{len(session_runs.now().tokens if unit == 'tokens' else session_runs.now().text)} {unit}")
'''
ROW = 'Page("counting", "How long it is", ":material/123:", section="Look deeper")'
VISIT = """
from streamlit.testing.v1 import AppTest

def visit(**query):
    app = AppTest.from_file("pages/main.py", default_timeout=60).run()
    app.switch_page("counting.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception and not app.warning
    return app

app = visit(sentence="I understand this", model="small", layer="0", head="0")
assert app.title[0].value == "5 tokens"
app.pills(key="counted_in").set_value("letters").run()
link = {name: "".join(value) for name, value in app.query_params.items()}
assert link["counted_in"] == "letters"
assert visit(**link).title[0].value == "17 letters"
"""


@pytest.mark.nightly
def test_a_page_needs_a_file_and_a_row(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "pages", tmp_path / "pages", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "encoder").symlink_to(ROOT / "encoder")
    (tmp_path / "pages" / "counting.py").write_text(SCRIPT, encoding="utf-8")
    site = tmp_path / "pages" / "ui" / "state" / "site.py"
    before, rest = site.read_text(encoding="utf-8").split('    "heads": (\n')
    site.write_text(f'{before}    "heads": (\n        {ROW},\n{rest}', encoding="utf-8")
    names = tmp_path / "pages" / "ui" / "state" / "choice_names.py"
    names.write_text(names.read_text(encoding="utf-8").replace(" lab ", " lab counted_in "), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", VISIT], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
