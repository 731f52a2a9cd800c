"""What a film costs the others: python tests/benchmarks/bench_film.py [--sessions 10] [--check].

Some visitors choose another head every second, first alone and then while one more has a film of 10 s at 720p made of
the maps of all heads of a layer. Beside how long they wait stands how long the film takes.
"""

import argparse
import asyncio
import contextlib
import random
import sys
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "benchmarks")]

from bench_load import server, share  # noqa: E402
from browser_tools import Server  # noqa: E402
from figures import Figure, finish  # noqa: E402
from visitors import Visitor, visit  # noqa: E402

from encoder.pictures.figure_link import PictureAt, pack  # noqa: E402

LONGEST_FILM, MOST_HARM = 20.0, 1.5  # seconds; times as long as without a film
ALONE = 10.0  # seconds without a film
PAUSE = 1.0
PICTURE = PictureAt("heads", "all_heads", ())


async def choose_heads(visitor: Visitor, ended: asyncio.Event, draw: random.Random) -> None:
    """Choose another head once, and again and again until the event."""
    await asyncio.sleep(draw.uniform(0, PAUSE))
    while True:
        await visitor.choose("head", str(draw.randrange(8)))
        if ended.is_set():
            return
        await asyncio.sleep(PAUSE)


async def waits(visitors: list[Visitor], ended: asyncio.Event) -> list[float]:
    """How long each choice took until the event."""
    for one in visitors:
        one.seconds.clear()
    await asyncio.gather(*(choose_heads(one, ended, random.Random(i)) for i, one in enumerate(visitors)))
    return [second for one in visitors for second in one.seconds]


async def after(seconds: float, ended: asyncio.Event) -> None:
    """Set the event after some seconds."""
    await asyncio.sleep(seconds)
    ended.set()


async def filmed(maker: Visitor, ended: asyncio.Event) -> float:
    """Make the film, and set the event; returns the seconds that took."""
    took = await maker.run(press="film_make")
    ended.set()
    return took


async def measured(
    running: Server, sessions: int, seconds: int = 10, size: str = "720p", without: float = ALONE
) -> list[Figure]:
    """The figures of one film."""
    film = {"figure": pack([PICTURE]), "figure_part": "Film", "figure_seconds": str(seconds), "figure_size": size}
    async with contextlib.AsyncExitStack() as stack:
        visitors = [await stack.enter_async_context(visit(running.url, "atlas")) for _ in range(sessions)]
        maker = await stack.enter_async_context(visit(running.url, "figure", urlencode(film)))
        ended = asyncio.Event()
        alone, _ = await asyncio.gather(waits(visitors, ended), after(without, ended))
        ended = asyncio.Event()
        beside, took = await asyncio.gather(waits(visitors, ended), filmed(maker, ended))
        saved = "/api/file/" in maker.said
        broken = [line for one in (*visitors, maker) for line in one.broken] + ["no film"] * (not saved)
    before, harmed = share(alone, 0.95), share(beside, 0.95)
    said = f"p95 {1e3 * before:.0f} ms alone, {1e3 * harmed:.0f} ms beside it"
    return [
        Figure(f"a film of {seconds} s at {size}", took, LONGEST_FILM, "s", f"beside {sessions} who choose heads"),
        Figure("a choice beside it takes so many times as long", harmed / before, MOST_HARM, "", said),
        Figure("errors", len(broken), 0, note="; ".join(broken[:2])),
    ]


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="What a film costs the others.")
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    with server() as running:
        found = asyncio.run(measured(running, options.sessions))
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
