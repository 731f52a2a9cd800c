"""Twenty visitors who begin something long and leave in the middle leave nothing behind on a real server of 2.6 GB."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "browser"), str(HERE / "benchmarks")]

from browser_tools import Server, free_port, started  # noqa: E402
from processes import family  # noqa: E402
from visitors import Visitor, visit  # noqa: E402
from watcher import Seen, back_to, watched  # noqa: E402

from encoder.pictures.figure_link import at, pack  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ROOT = HERE.parent
BOUND = 2600.0  # MB, the server and what it has started
VISITORS = 20
BACK, LEFT = 1.25, 60.0  # memory after all have left, over that before, and seconds until then
PICTURE = at("heads", "all_heads", {"sentence": "Keys on the table."})
FILM = {"figure": pack([PICTURE]), "figure_part": "Film", "figure_size": "1080p"}
UNIT = {"atlas_part": "Units", "atlas_off": "1"}


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server has its temporary files."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, temporary: Path) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("home")
    more = {"ENCODER_MEMORY_MB": f"{BOUND:.0f}", "OMP_NUM_THREADS": "1", "TMPDIR": str(temporary)}
    with started(ROOT / "app.py", home / "log", home, free_port(), more=more) as running:
        yield running


def children(server: Server) -> set[int]:
    """The processes that a server has started, and those that they have."""
    return set(family(server.process.pid)) - {server.process.pid}


async def until_quiet(server: Server, before: set[int], temporary: Path) -> None:
    """Wait until nothing runs and lies about that was not there before."""
    end = perf_counter() + LEFT
    while children(server) - before or list(temporary.glob("*/film.pickle")):
        assert perf_counter() < end, (children(server) - before, list(temporary.iterdir()))
        await asyncio.sleep(0.1)


async def leaves(server: Server, page: str, query: dict[str, str], seconds: float) -> tuple[bool, int]:
    """Begin what the page offers, and close the tab after some seconds.

    Returns whether it was still at work then, and how many processes the server had.
    """

    async def stays() -> None:
        async with visit(server.url, page, urlencode(query)) as visitor:
            await begin(visitor, page)

    work = asyncio.create_task(stays())
    done, _ = await asyncio.wait([work], timeout=seconds)
    processes = len(children(server))
    work.cancel()
    await asyncio.gather(work, return_exceptions=not done)
    return not done, processes


async def begin(visitor: Visitor, page: str) -> None:
    """Press what begins the long work; a page of an atlas has it begin with its first run."""
    offered = [key for key in visitor.widgets if key == "film_make" or key.startswith("ask_")]
    assert offered or page == "atlas"
    if offered:
        await visitor.run(press=offered[0])


LEFT_LATER = {"figure": 0.5, "atlas": 0.1}  # seconds, one visitor after the other; a film takes longer


@pytest.mark.parametrize(("page", "query"), [("figure", FILM | {"figure_seconds": "30"}), ("atlas", UNIT)])
def test_who_leaves_half_way_leaves_nothing(server: Server, temporary: Path, page: str, query: dict[str, str]) -> None:
    """Films and knock-outs over an atlas: no process, no file, no memory, and the next visitor is served at once."""

    async def all_of_them() -> tuple[Seen, set[int], float]:
        short = query | {"figure_seconds": "2", "figure_size": "360p"}
        async with visit(server.url, page, urlencode(short)) as warm:  # what the first of all costs is no leak
            await begin(warm, page)
        before, held = children(server), server.megabytes
        async with watched(server) as seen:
            queries = [query | {"layer": str(i % 6), "atlas_unit": str(i)} for i in range(VISITORS)]
            moments = [LEFT_LATER[page] * (2 + i) for i in range(VISITORS)]
            left = await asyncio.gather(*(leaves(server, page, *one) for one in zip(queries, moments, strict=True)))
            await until_quiet(server, before, temporary)
        async with visit(server.url, page, urlencode(short)) as after:
            await begin(after, page)
            assert after.broken == []
            assert page == "atlas" or "/api/file/" in after.said
        assert any(at_work and (page == "atlas" or processes) for at_work, processes in left), "nothing was begun"
        return seen, before, held

    seen, before, held = asyncio.run(all_of_them())
    assert server.process.poll() is None and seen.broken == []
    assert seen.peak < BOUND
    assert asyncio.run(back_to(server, BACK * held, LEFT)) <= BACK * held
    assert children(server) <= before
