"""Whether memory stays bounded: python tests/benchmarks/bench_soak.py [--reruns 2000] [--sessions 50] [--check].

So many reruns by so many sessions, one after the other without a pause, each a new sentence or another selector. The
memory of the server is read after a tenth of them and at the end; then all sessions close, and after the time
for which a closed session is kept it is read again, and as many new sessions come as there were. Runs that are
kept fill their share of memory first; with --check the exit status is 1 where the end is over 1.2 of the tenth, or
where the new sessions lift it by more than a tenth.
"""

import argparse
import asyncio
import contextlib
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench_load import server
from browser_tools import Server
from figures import Figure, finish
from visitors import Visitor, act, visit

GROWTH = 1.2  # memory at the end over that after a tenth
AGAIN = 1.1  # memory with as many new sessions, over that with the old ones
KEPT = 30.0  # seconds; a closed session is let go of after 15
AT_ONCE = 4  # visitors that click at the same time


async def rounds(visitors: list[Visitor], count: int, draw: random.Random) -> None:
    """So many reruns, shared out among the visitors."""
    together = min(AT_ONCE, len(visitors))
    for start in range(0, count, together):
        chosen = [visitors[i % len(visitors)] for i in range(start, min(start + together, count))]
        await asyncio.gather(*(act(visitor, draw) for visitor in chosen))


async def arrive(stack: contextlib.AsyncExitStack, url: str, count: int) -> list[Visitor]:
    """So many visitors, one after the other."""
    return [await stack.enter_async_context(visit(url)) for _ in range(count)]


async def soak(running: Server, sessions: int, reruns: int, kept: float) -> list[Figure]:
    """Memory at the stages of the run."""
    draw = random.Random(0)
    alone = running.megabytes
    async with contextlib.AsyncExitStack() as stack:
        visitors = await arrive(stack, running.url, sessions)
        opened = running.megabytes
        await rounds(visitors, reruns // 10, draw)
        tenth = running.megabytes
        await rounds(visitors, reruns - reruns // 10, draw)
        end = running.megabytes
        broken = [line for visitor in visitors for line in visitor.broken]
    await asyncio.sleep(kept)
    closed = running.megabytes
    async with contextlib.AsyncExitStack() as stack:
        await rounds(await arrive(stack, running.url, sessions), reruns // 10, draw)
        again = running.megabytes
    return [
        Figure("server after its first visitor", alone, unit="MB"),
        Figure(f"each of {sessions} open sessions", (opened - alone) / sessions, unit="MB"),
        Figure(f"after {reruns // 10} reruns", tenth, unit="MB"),
        Figure(f"after {reruns} reruns", end, unit="MB"),
        Figure("memory at the end, over that after a tenth", end / tenth, GROWTH),
        Figure("after all sessions closed", closed, unit="MB"),
        Figure("memory with as many new sessions, over that before", again / end, AGAIN),
        Figure("soak: errors", len(broken), 0, note="; ".join(broken[:2])),
    ]


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="Whether memory stays bounded.")
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--reruns", type=int, default=2000)
    parser.add_argument("--kept", type=float, default=KEPT, help="seconds until closed sessions are let go of")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    with server() as running:
        found = asyncio.run(soak(running, options.sessions, options.reruns, options.kept))
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
