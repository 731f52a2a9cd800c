"""Opens made-up links on every page: `python tests/fuzz_links.py --links 20000 --seed 7`; fails where one breaks.

Each link is opened in a session of its own. A page must come without an exception, and the log without a traceback.
"""

import io
import logging
import os
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import scanned_once  # noqa: F401
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from link_grammar import links, make_models
from page_tools import APP, turn_to
from streamlit.testing.v1 import AppTest

from pages.ui.server import engine
from pages.ui.state.site import PAGES

MOST_KEPT = 40  # models between two times that all are let go


@contextmanager
def log() -> Iterator[io.StringIO]:
    """What is logged in the block."""
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    watched = [logging.getLogger(), logging.getLogger("streamlit")]
    for one in watched:
        one.addHandler(handler)
    try:
        yield lines
    finally:
        for one in watched:
            one.removeHandler(handler)


def opened(page: str, query: dict[str, str]) -> AppTest:
    """The page that a link opens in a fresh session; an AssertionError with the link where it breaks."""
    if len(engine.model_cache.kept) > MOST_KEPT:
        engine.run_cache.clear()
        engine.model_cache.clear()
    app = AppTest.from_file(APP, default_timeout=120)
    for name, text in query.items():
        app.query_params[name] = text
    with log() as lines:
        turn_to(app, page)
        app.run()
    assert not app.exception, (page, query, [(one.message, one.stack_trace) for one in app.exception])
    assert "Traceback" not in lines.getvalue(), (page, query, lines.getvalue())
    return app


def fuzz(count: int, start: int, check: Callable[[str, dict[str, str]], Any] = opened) -> None:
    """Open so many links, the same for the same seed; the smallest one that breaks is reported."""

    @seed(start)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(links())
    def tried(link: tuple[str, dict[str, str]]) -> None:
        note(f"seed {start}")
        check(*link)

    tried()


def main(given: list[str] | None = None) -> int:
    """Do what the command line says."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=20_000, help="how many are opened")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3)), help="without it, another each time")
    asked = parser.parse_args(given)
    print(f"{asked.links} links, seed {asked.seed}", flush=True)
    logging.getLogger("streamlit.runtime.scriptrunner_utils").setLevel(logging.ERROR)  # that no browser is there
    with tempfile.TemporaryDirectory() as root:
        os.environ["ENCODER_MODELS"] = root
        make_models(Path(root))
        fuzz(asked.links, asked.seed)
    print(f"all {len(PAGES)} pages came, without an exception and without a traceback in the log")
    return 0


if __name__ == "__main__":
    sys.exit(main())
