"""What can go wrong around the app: no memory, no disk, a model that vanishes while people look at it."""

import errno
import gc
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from model_page_tools import SENTENCE, page, put, texts
from page_tools import go, healthy, numbers, open_app, said
from streamlit.runtime.state.common import TESTING_KEY

from encoder import EncoderConfig, Trace, hub
from pages.ui.server import engine, memory, models
from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow

LARGE = models.built(EncoderConfig(d_model=512, n_heads=8, n_layers=12, d_ff=2048), 0)


def test_a_model_that_vanishes_stays_on_the_screen_until_it_is_let_go(model_root: Path) -> None:
    put(model_root / "mine")
    app = go(open_app(model="folder:mine", sentence=SENTENCE, layer="0", head="0"), "attention")
    shutil.rmtree(model_root / "mine")
    healthy(app.text_input(key="sentence").set_value("w4 w3 w2").run())
    assert len(numbers(app)) == 5 and not said(app)
    engine.model_cache.clear()
    engine.run_cache.clear()
    healthy(app.text_input(key="sentence").set_value("w1 w2").run())
    assert "mine" in said(app) and str(model_root) not in said(app)
    assert len(numbers(app)) > 0


def test_a_full_disk_is_said_and_the_model_stays(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(hub, "download", download)
    app = page("From the hub", model="small", layer="0", head="0")
    app.text_input(key="hub_id").set_value("someone/large")
    healthy(app.button(key="fetch").click().run())
    assert "No space left on device" in texts(app) and "The model on the screen stays" in texts(app)
    assert app.session_state["session"].view.model == "small"


def test_a_model_that_does_not_fit_into_memory_is_refused_before_it_is_built(
    model_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(model_root / "mine")
    monkeypatch.setattr(memory, "left", lambda: 100e6 - engine.budget.held)  # and what others hold could be let go of
    app = open_app(model=LARGE)
    assert "this server has 100 MB left" in said(app)
    assert app.session_state["session"].view.model == "base"
    monkeypatch.setattr(memory, "left", lambda: 10_000.0)
    assert "this server has 0 MB left" in said(open_app(model="folder:mine"))
    monkeypatch.setattr(memory, "left", lambda: math.inf)
    assert not said(open_app(model="folder:mine", layer="0", head="0"))


def test_memory_is_that_of_the_container_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MACHINE", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "MOST_MB", math.inf)
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert memory.left() == math.inf
    (tmp_path / "meminfo").write_text("MemTotal:  9000 kB\nMemAvailable:   4000 kB\n")
    assert memory.left() == 4000 * 1024
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    assert memory.left() == 2_000_000
    (tmp_path / "memory.stat").write_text("active_file 7\ninactive_file 500000\n")
    assert memory.left() == 2_500_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.left() == 4000 * 1024
    monkeypatch.setattr(memory, "OWN", tmp_path / "statm")
    (tmp_path / "statm").write_text("9000 500 100 1 0 400 0\n")
    monkeypatch.setattr(memory, "MOST_MB", 3.0)
    assert memory.left() == 3e6 - 500 * os.sysconf("SC_PAGE_SIZE")


def test_a_session_holds_one_run_however_many_pages_it_saw() -> None:
    """The callbacks of a page hold the run that it showed."""
    app = open_app(model="small", sentence="start", layer="0", head="0")
    shown = {page.key: f"{page.key} has its own sentence" for page in PAGES[1:]}
    for key, words in shown.items():
        app.text_input(key="sentence").set_value(words).run()
        go(app, key)
    engine.run_cache.clear()
    del app.session_state[TESTING_KEY]  # the test harness keeps what it was told of every widget, too
    gc.collect()
    held = {one.inputs for one in gc.get_objects() if type(one) is Trace}
    assert held & set(shown.values()) <= {words}
