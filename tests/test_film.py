"""A film shows the numbers of the run at its moments, and fades between them."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import gettempdir
from typing import Any, TypeAlias

import numpy as np
import pytest
from answers import answer
from PIL import Image
from processes import family, until
from tiers import mostly_nightly

from encoder import TextEncoder, Trace
from encoder.pictures.paper.film import RATES, SIZES, Film, Kind, film, passage, pictures_of
from encoder.pictures.paper.printed_panel import Panel, heat_map, of_maps
from encoder.pictures.registry.grids import ALL_HEADS
from encoder.support.theme import Theme, palette
from pages.ui.server import jobs, memory, slow_files
from pages.ui.server.jobs import EndedError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
LONG: Kind = "webm"
Begun: TypeAlias = "list[subprocess.Popen[bytes]]"

CELLS = 20  # read back in each frame


@pytest.fixture(scope="module")
def run(small: TextEncoder) -> Trace:
    return small.trace("Keys on the table.")


@pytest.fixture(scope="module")
def layers(run: Trace) -> tuple[Panel, ...]:
    """One head of each layer."""
    maps = [
        heat_map(run[f"layers.{i}.attention.weights"][0].numpy(), run.tokens, run.tokens, "share", title=f"layer {i}")
        for i in range(4)
    ]
    return pictures_of([of_maps("Head 0", "One head in every layer.", maps)])


def box(frame: np.ndarray) -> tuple[int, int, int, int]:
    """Where the map stands: the rows and columns of the frame that are coloured longest."""
    inked = (frame != frame[0, 0]).any(-1)
    rows, columns = (np.flatnonzero(inked.sum(k) >= 0.9 * inked.sum(k).max()) for k in (1, 0))
    return int(rows[0]), int(rows[-1]), int(columns[0]), int(columns[-1])


def read(frame: np.ndarray, n: int, theme: Theme = "light") -> np.ndarray:
    """The numbers of a map [n, n], read back from its colours."""
    top, bottom, left, right = box(frame)
    at = [(k + 0.5) / n for k in range(n)]
    rows, columns = ([round(a + share * (b - a)) for share in at] for a, b in ((top, bottom), (left, right)))
    seen = frame[np.ix_(rows, columns)].astype(int)
    ramp = np.array(palette("share", theme))
    return np.abs(seen[..., None, :] - ramp).sum(-1).argmin(-1) / (len(ramp) - 1)


def cells(run: Trace, layer: int) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The weights of head 0, and some cells of them."""
    values = run[f"layers.{layer}.attention.weights"][0].numpy()
    rng = np.random.default_rng(layer)
    return values, tuple(rng.integers(0, len(values), (2, CELLS)))


def test_the_frames_of_a_gif_are_the_trace_at_its_moments(run: Trace, layers: tuple[Panel, ...]) -> None:
    made = Film(layers, 4.0, "720p")
    kept = Image.open(io.BytesIO(film(made, "gif")))
    assert kept.size == SIZES["720p"]
    spans, frames = [], []
    for at in range(kept.n_frames):
        kept.seek(at)
        spans.append(kept.info["duration"])
        frames.append(np.asarray(kept.convert("RGB")))
    assert abs(sum(spans) - 4000) <= 200
    moments = [i for i, span in enumerate(spans) if span > 2 * 1000 / RATES["gif"]]
    assert len(moments) == 4
    for layer, at in enumerate(moments):
        values, where = cells(run, layer)
        np.testing.assert_allclose(read(frames[at], len(values))[where], values[where], atol=1.5 / 254)


def test_between_two_moments_the_colours_are_between_theirs(layers: tuple[Panel, ...]) -> None:
    made = Film(layers[:2], 2.0, "360p")
    frames = [frame.astype(int) for frame, _ in made.frames(10)]
    low, high = np.minimum(frames[0], frames[-1]), np.maximum(frames[0], frames[-1])
    assert len(frames) > 3
    for frame in frames[1:-1]:
        assert (frame >= low).all() and (frame <= high).all() and (frame != frames[0]).any()


def test_more_pictures_than_there_is_time_for_each_stand_for_some_of_it(layers: tuple[Panel, ...]) -> None:
    for seconds in (0.5, 1.0):
        spans = [span for _, span in Film(layers * 3, seconds, "360p").frames(10)]
        assert min(spans) > 0 and sum(spans) == pytest.approx(seconds) and len(spans) >= 12


def test_unlike_pictures_follow_without_a_frame_that_shows_both(run: Trace, layers: tuple[Panel, ...]) -> None:
    """The names of one lay over those of the other."""
    other = of_maps("Other", "Other.", [heat_map(np.eye(3), ["a", "b", "c"], ["a", "b", "c"], "share")])
    made = Film((layers[0], other, layers[1], layers[2]), 4.0, "360p")
    frames = list(made.frames(10))
    stills = [made.still(at) for at in range(4)]
    shown = [[at for at, still in enumerate(stills) if np.array_equal(frame, still)] for frame, _ in frames]
    assert [made.fades(at) for at in range(3)] == [False, False, True]
    assert shown[:3] == [[0], [1], [2]] and shown[-1] == [3] and len(frames) > 5 and [] in shown
    assert sum(seconds for _, seconds in frames) == pytest.approx(4.0)
    assert not Film(layers, 4.0, "360p", numbers=True).fades(0)
    assert "or the next follows without" in passage(made)
    assert passage(Film(layers, 4.0)) == "Between two of them only the colours and the title fade."
    assert passage(Film((layers[0], other), 4.0)).startswith("The next one follows without a passage")


def test_names_stay_where_they_are_while_colours_fade() -> None:
    """Where not all names have room, each picture alone would name others: those of its own strongest cell."""
    names = [f"word{i}" for i in range(60)]
    panels = []
    for strongest in (30, 31):
        values = np.full((60, 60), 0.001)
        values[strongest, strongest] = 0.9
        panels.append(of_maps(f"At {strongest}", "c", [heat_map(values, names, names, "share")]))
    first, second = (Film(tuple(panels), 2.0, "360p").still(at) for at in (0, 1))
    left = box(first)[2] - 5
    np.testing.assert_array_equal(first[40:, :left], second[40:, :left])


@pytest.mark.parametrize("kind", mostly_nightly(["mp4", "webm"], daily=["mp4"]))
def test_a_video_shows_the_trace_at_its_moments(
    kind: str, run: Trace, layers: tuple[Panel, ...], tmp_path: Path
) -> None:
    import imageio_ffmpeg

    made, path = Film(layers[:2], 2.0, "720p"), tmp_path / f"film.{kind}"
    path.write_bytes(film(made, kind))
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(command, capture_output=True, timeout=60, check=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(-1, 720, 1280, 3)
    assert abs(len(frames) / RATES[kind] - 2.0) < 0.2
    for layer, frame in ((0, frames[5]), (1, frames[-2])):
        values, where = cells(run, layer)
        still = made.still(layer)
        top, bottom, left, right = box(still)
        side = [round(top + (k + 0.5) / len(values) * (bottom - top)) for k in range(len(values))]
        across = [round(left + (k + 0.5) / len(values) * (right - left)) for k in range(len(values))]
        ours, theirs = (one[np.ix_(side, across)].astype(int)[where] for one in (frame, still))
        assert np.abs(ours - theirs).max() <= 12  # a video keeps colours to a few steps of 256


def test_progress_rises_to_the_end_and_who_leaves_ends_it(layers: tuple[Panel, ...]) -> None:
    seen: list[float] = []
    film(Film(layers, 2.0, "360p"), "gif", seen.append)
    assert seen == sorted(seen) and abs(seen[-1] - 1) < 1e-6 and len(seen) > 6

    def leave(share: float) -> None:
        raise InterruptedError(f"{share}")

    for kind in ("gif", "mp4"):
        with pytest.raises(InterruptedError, match=r"0\.\d"):
            film(Film(layers, 2.0, "360p"), kind, leave)


def test_without_the_package_a_sentence_says_what_is_missing(
    layers: tuple[Panel, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("encoder.pictures.paper.film.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="pip install imageio-ffmpeg"):
        film(Film(layers, 2.0, "360p"), "mp4")
    assert film(Film(layers[:2], 1.0, "360p"), "gif")[:6] == b"GIF89a"


def test_a_film_outside_its_limits_is_refused(small: TextEncoder, run: Trace, layers: tuple[Panel, ...]) -> None:
    limits: list[tuple[dict[str, Any], str]] = [({"seconds": 61}, "61"), ({"size": "4k"}, "4k"), ({"seconds": 0}, "0")]
    for given, value in limits:
        with pytest.raises(ValueError, match=value):
            Film(layers, **given)
    with pytest.raises(ValueError, match="1 pictures"):
        Film(layers[:1])
    assert [one.title for one in layers] == [f"layer {i} · Head 0" for i in range(4)]
    assert len(pictures_of([answer(ALL_HEADS, small, run).panel()])) == 16


# In a process of its own, which nobody has to wait for, and which stays with nobody


def picture(seed: int) -> Panel:
    values = np.random.default_rng(seed).random((6, 6), dtype=np.float32)
    return of_maps(f"Picture {seed}", "Some numbers.", [heat_map(values, "abcdef", "abcdef", "share")])


@pytest.fixture(scope="module")
def short() -> Film:
    return Film((picture(0), picture(1)), 1.0, "360p")


@pytest.fixture(scope="module")
def long() -> Film:
    return Film(tuple(map(picture, range(16))), 60.0, "1080p")


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Begun:
    """The processes that a test starts."""
    found: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*arguments: object, **options: object) -> "subprocess.Popen[bytes]":
        found.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return found[-1]

    monkeypatch.setattr("pages.ui.server.jobs.subprocess.Popen", start)
    return found


def folders() -> set[Path]:
    return {one.parent for one in Path(gettempdir()).glob("*/film.pickle")}


def test_it_is_the_film_that_would_be_made_here(short: Film) -> None:
    seen: list[float] = []
    before = folders()
    assert slow_files.filmed(short, "gif", seen.append) == film(short, "gif")
    assert seen == sorted(seen) and seen[0] == 0 and folders() == before


@pytest.mark.nightly
def test_who_leaves_ends_it_and_all_it_has_started(long: Film, begun: Begun) -> None:
    before, found, nice = folders(), [], []

    def tell(done: float) -> None:
        if done > 0:
            found.extend(family(begun[-1].pid))
            nice.extend(os.getpriority(os.PRIO_PROCESS, one) for one in found)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        slow_files.filmed(long, LONG, tell)
    assert len(found) > 1, "the video encoder is a process, too"
    assert min(nice) >= min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19), "the others go first"
    until(lambda: not any(one in family(one) for one in found))
    assert folders() == before


def test_one_that_is_killed_is_said(long: Film, begun: Begun) -> None:
    def tell(done: float) -> None:
        os.kill(begun[-1].pid, signal.SIGKILL)

    with pytest.raises(EndedError, match="ended from outside"):
        slow_files.filmed(long, "gif", tell)


@pytest.mark.nightly
@pytest.mark.parametrize(("bound", "value", "why"), [("MOST_SECONDS", 0.2, "longer"), ("MOST_MB", 5.0, "memory")])
def test_time_and_memory_are_bounded(
    bound: str, value: float, why: str, long: Film, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, bound, value)
    with pytest.raises(EndedError, match=why):
        slow_files.filmed(long, "gif", lambda done: None)
    assert not family(begun[-1].pid)


def test_without_memory_none_is_begun(short: Film, begun: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "left", lambda: 1e6)
    with pytest.raises(ValueError, match="to make a film; this server has 1 MB left"):
        slow_files.filmed(short, "gif", lambda done: None)
    assert not begun


def test_its_process_loads_no_model_and_no_page() -> None:
    script = "import sys, encoder.pictures.paper.filming; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "'matplotlib'" in done.stdout
    assert not [
        one for one in ("torch", "tokenizers", "streamlit", "pandas", "fontTools.subset") if f"'{one}'" in done.stdout
    ]
