"""The top level holds exactly what it should, and README gives the commands that work."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = {"requirements.txt", "README.md", "LICENSE", "app.py", "encoder", "pages", "tests"}
RUN = "python -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt && streamlit run app.py"
TEST = "bash tests/run.sh"


def top_level() -> set[str]:
    """Return the names git tracks at the top; where there is no git, those in the folder."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
        files = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        return {path.split("/")[0] for path in files.split("\0") if path}
    return {path.name for path in ROOT.iterdir() if path.name != "__pycache__"}


def test_the_top_level_holds_exactly_these_and_dotfiles():
    assert {name for name in top_level() if not name.startswith(".")} == ALLOWED


def test_the_first_start_asks_nothing_and_reports_nothing():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["browser"]["gatherUsageStats"] is False
    assert config["server"]["showEmailPrompt"] is False


def test_a_class_is_served_safely():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["enableXsrfProtection"] is True and config["server"]["enableCORS"] is True
    assert config["server"]["maxUploadSize"] == 1
    assert config["client"]["showErrorDetails"] in ("type", "none")
    assert config["runner"]["postScriptGC"] is False  # it would take half of the processor as soon as many are there
    assert config["runner"]["magicEnabled"] is False  # two first visitors at once would compile the same page at once


def test_readme_gives_the_run_and_the_test_command():
    readme = (ROOT / "README.md").read_text()
    assert RUN in readme
    assert TEST in readme


def test_the_app_names_what_it_needs_as_the_requirements_do():
    """`uv run app.py` reads it there (PEP 723)."""
    block = re.search(r"^# /// script\n((?:#.*\n)+?)# ///$", (ROOT / "app.py").read_text(), re.MULTILINE)
    named = tomllib.loads(re.sub(r"^# ?", "", block[1], flags=re.MULTILINE))["dependencies"]
    needed = (ROOT / "requirements.txt").read_text().splitlines()
    assert named == [line for line in needed if not line.startswith("pytest")]


def test_no_test_file_takes_from_another():
    """What several of them need stands in a module beside them."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        assert not re.search(r"^\s*(from|import) test_", path.read_text(), re.MULTILINE), path.name
