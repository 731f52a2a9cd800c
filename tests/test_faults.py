"""What can go wrong around the app: no memory, no disk, a model that vanishes while people look at it."""

import errno
import gc
import math
import os
import shutil
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from model_page_tools import SENTENCE, page, put, texts
from page_tools import bar, go, healthy, open_app, said, type_sentence
from streamlit.runtime.state.common import TESTING_KEY

from encoder import EncoderConfig, Trace
from encoder.checkpoint import hub
from encoder.support.errors import EncoderError
from pages.ui.server import engine, memory, offered_models
from pages.ui.state.site import PAGES

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow

LARGE = offered_models.built(EncoderConfig(d_model=512, n_heads=8, n_layers=12, d_ff=2048), 0)


def test_a_model_that_vanishes_stays_on_the_screen_until_it_is_let_go(model_root: Path) -> None:
    put(model_root / "mine")
    app = open_app("models", model="folder:mine", sentence=SENTENCE, layer="0", head="0")
    shutil.rmtree(model_root / "mine")
    type_sentence(app, "w4 w3 w2")
    assert not said(app) and bar(app)["model"] == "folder:mine" and bar(app)["sentence"] == "w4 w3 w2"
    engine.model_cache.clear()
    engine.run_cache.clear()
    type_sentence(app, "w1 w2")
    assert "mine" in said(app) and str(model_root) not in said(app)
    assert bar(app)["model"] == "base"


def test_a_full_disk_is_said_and_the_model_stays(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(hub, "download", download)
    app = page(model="small", layer="0", head="0")
    app.text_input(key="hub_id").set_value("someone/large")
    healthy(app.button(key="fetch").click().run())
    assert "could not be saved: No space left on device" in texts(app) and "the model on the screen stays" in texts(app)
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


def test_what_pages_left_behind_makes_room_before_anything_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that were clicked through fast have left figures that only a search for garbage finds."""

    class Left:
        """What knows itself."""

        def __init__(self) -> None:
            self.own = self

    gone = weakref.ref(Left())
    monkeypatch.setattr(memory, "left", lambda: 0.0 if gone() else 100e6)
    memory.check_room(50e6, "to load it")
    with pytest.raises(EncoderError, match="it takes 200 MB of memory to load it; this server has 100 MB left"):
        memory.check_room(200e6, "to load it")


def system(root: Path, own: str, mount: str, files: dict[str, str]) -> None:
    """Make up what Linux says of the groups of a process: its own, one mounted hierarchy, and the files of groups."""
    kind, top = mount.split()
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(own)
    options = "rw,memory" if kind == "cgroup" else "rw"
    (root / "proc/self/mountinfo").write_text(
        f"24 1 0:1 / / rw - overlay overlay rw\n31 24 0:26 {top} /sys/fs/cgroup rw,nosuid - {kind} {kind} {options}\n"
    )
    (root / "sys/fs/cgroup").mkdir(parents=True)
    for name, text in files.items():
        file = root / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


V1 = "5:cpu,cpuacct:/a/b\n4:memory:/a/b\n0::/\n"
NONE = "9223372036854771712"


GROUPS: list[tuple[str, str, dict[str, str], float, float]] = [  # own, mounted, files, the limit, and what is left
    ("0::/", "cgroup2 /", {"memory.max": "max", "memory.current": "1000"}, math.inf, math.inf),
    # nested: the least of all levels, each with what it holds
    ("0::/a/b", "cgroup2 /", {"a/b/memory.max": "max", "a/memory.max": "260", "a/memory.current": "60"}, 260, 200),
    (
        "0::/a/b",
        "cgroup2 /",
        {
            "a/b/memory.max": "5000",
            "a/b/memory.current": "4900",
            "a/b/memory.stat": "inactive_file 40\n",
            "a/memory.max": "3000",
            "a/memory.current": "2000",
        },
        3000,
        140,
    ),
    ("0::/docker/x", "cgroup2 /docker/x", {"memory.max": "3000", "memory.current": "1"}, 3000, 2999),
    ("0::/../other", "cgroup2 /", {"memory.max": "3000", "memory.current": "1"}, 3000, 2999),
    (
        V1,
        "cgroup /",
        {
            "a/b/memory.limit_in_bytes": NONE,
            "a/b/memory.usage_in_bytes": "9",
            "a/memory.limit_in_bytes": "2600",
            "a/memory.usage_in_bytes": "700",
            "a/memory.stat": "total_inactive_file 100\n",
        },
        2600,
        2000,
    ),
    # as in a container: the group has another path on the host than where it is seen
    (V1, "cgroup /elsewhere", {"memory.limit_in_bytes": "2600", "memory.usage_in_bytes": "600"}, 2600, 2000),
    ("4:cpu:/\n", "cgroup /", {"memory.limit_in_bytes": "2600"}, math.inf, math.inf),
    ("nonsense\n::\n\n", "cgroup2 /", {"memory.max": "-7", "memory.current": "x"}, math.inf, math.inf),
    ("0::/", "cgroup2 /", {"memory.max": "300", "memory.current": "x", "memory.stat": "inactive_file\n"}, 300, 300),
]


def machine(monkeypatch: pytest.MonkeyPatch, total: float, available: float) -> None:
    """Have the machine say that it has so many bytes."""
    found = SimpleNamespace(total=total, available=available)
    monkeypatch.setattr(memory.psutil, "virtual_memory", lambda: found)


def test_the_least_limit_of_all_groups_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, math.inf, math.inf)
    monkeypatch.setattr(memory, "MOST_MB", math.inf)
    for number, (own, mount, files, limit, left) in enumerate(GROUPS):
        root = tmp_path / f"{number}"
        system(root, own, mount, files)
        monkeypatch.setattr(memory, "SYSTEM", root)
        assert (memory.limit_of_group(), memory.left()) == (limit, left), (own, files)


def test_a_servers_bound_is_most_of_its_container_or_half_of_its_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, bare = tmp_path / "sys/fs/cgroup/memory.max", tmp_path / "bare"
    machine(monkeypatch, 16_384e6, 4e6)
    monkeypatch.setattr(memory, "SYSTEM", bare)
    assert memory.usual_bound() == 8192
    system(tmp_path, "0::/", "cgroup2 /", {"memory.max": "4000000000\n"})
    monkeypatch.setattr(memory, "SYSTEM", tmp_path)
    assert memory.usual_bound() == 3600
    limit.write_text("max\n")
    assert memory.usual_bound() == 8192
    monkeypatch.setattr(memory, "MOST_MB", math.inf)
    assert memory.left() == 4e6
    machine(monkeypatch, 1_024e6, 4e6)
    assert memory.usual_bound() == 1500  # a server does not start with less
    monkeypatch.setattr(memory, "used", lambda: 1e6)
    monkeypatch.setattr(memory, "MOST_MB", 3.0)
    assert memory.left() == 2e6


def test_a_limit_of_the_address_space_counts_too() -> None:
    """In a process of its own, whose limit `ulimit -v` has set."""
    said = subprocess.run(
        [
            "bash",
            "-c",
            f"ulimit -v 2600000; exec {sys.executable} -c "
            "'from pages.ui.server import memory as m; print(m.MOST_MB, m.left(), m.address_space()[1])'",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "ENCODER_MEMORY_MB"},
    ).stdout.split()
    bound, left, taken = map(float, said)
    assert bound < 2400 and left <= 2_600_000 * 1024 - taken + 1e6


@pytest.mark.nightly
def test_a_session_holds_one_run_however_many_pages_it_saw() -> None:
    app = open_app(model="small", sentence="start", layer="0", head="0")
    shown = {page.key: f"{page.key} has its own sentence" for page in PAGES[1:]}
    for key, words in shown.items():
        type_sentence(app, words)
        go(app, key)
    engine.run_cache.clear()
    del app.session_state[TESTING_KEY]  # the test harness keeps what it was told of every widget, too
    gc.collect()
    held = {one.inputs for one in gc.get_objects() if type(one) is Trace}
    assert len(held & set(shown.values())) <= 1
