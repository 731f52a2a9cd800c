"""The page's own part of the app.

Streamlit would run it as a script apart, whose elements all go before the next page's come: for some frames the page is
empty. Run as part of the app, what has the same key on both pages stays and takes the new numbers.
"""

from functools import cache
from pathlib import Path
from types import CodeType

from pages.ui.state.site import Page

ROOT = Path(__file__).parents[2]


@cache
def code(script: str) -> CodeType:
    """A page's script, compiled once in the life of a server."""
    path = ROOT / script
    return compile(path.read_text(encoding="utf-8"), str(path), "exec")


def draw(page: Page) -> None:
    """Run a page's script."""
    exec(code(page.script), {"__name__": "__main__", "__file__": str(ROOT / page.script)})
