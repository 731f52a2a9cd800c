"""A class that is told "click now": python tests/benchmarks/bench_burst.py [--sessions 30 60] [--check].

So many visitors have the same page open, each with a sentence of its own, and all press at the same instant, or within
`--spread` seconds: another head, and then another sentence. The time is that from the last press that is due to the
end of the last run; beside it stands how long each waited and what the server's processor did. The client runs on the
same processors.
"""

import argparse
import asyncio
import contextlib
import random
import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "benchmarks")]

from bench_load import server, share  # noqa: E402
from browser_tools import Server  # noqa: E402
from figures import Figure, finish  # noqa: E402
from visitors import Visitor, sentence, visit  # noqa: E402

BARS = {30: 0.5, 60: 1.0}  # visitors -> seconds until the last is served
PAGE = "atlas"
ROUNDS = 5


async def press(visitor: Visitor, turn: int, what: str, draw: random.Random, spread: float) -> float:
    """One visitor's press, somewhere within `spread` seconds; returns when its run ended."""
    await asyncio.sleep(draw.uniform(0.0, spread))
    if what == "head":
        await visitor.choose("head", str(turn % 8))
    else:
        await visitor.choose("sentence", sentence(draw))
    return perf_counter()


async def burst(running: Server, sessions: int, spread: float, rounds: int = ROUNDS) -> list[Figure]:
    """All press at once, some rounds of it; the figures of each kind of press."""
    draw, found = random.Random(sessions), []
    async with contextlib.AsyncExitStack() as stack:
        visitors = []
        for _ in range(sessions):
            visitors.append(await stack.enter_async_context(visit(running.url, PAGE)))
            await visitors[-1].choose("sentence", sentence(draw))
        for what in ("head", "sentence"):
            lasts, waits, processor = [], [], []
            for turn in range(rounds):
                for visitor in visitors:
                    visitor.seconds.clear()
                before, start = running.processor_seconds, perf_counter()
                ends = await asyncio.gather(*(press(one, turn, what, draw, spread) for one in visitors))
                lasts.append(max(ends) - start - spread)
                waits += [one.seconds[-1] for one in visitors]
                processor.append((running.processor_seconds - before) / sessions)
                await asyncio.sleep(1.0)
            middle = sorted(lasts)[len(lasts) // 2]
            note = (
                f"each p50 {1e3 * share(waits, 0.5):.0f} ms, p95 {1e3 * share(waits, 0.95):.0f} ms; "
                f"{1e3 * sorted(processor)[len(processor) // 2]:.0f} ms of a processor each; median of {rounds}"
            )
            name = f"{sessions} choose another {what} within {spread:g} s: the last is served after"
            found.append(Figure(name, middle, BARS.get(sessions) if what == "head" else None, "s", note))
        broken = [line for one in visitors for line in one.broken]
    return [*found, Figure(f"{sessions} pressed: errors", len(broken), 0, note="; ".join(broken[:2]))]


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="A class that is told to click now.")
    parser.add_argument("--sessions", type=int, nargs="*", default=sorted(BARS))
    parser.add_argument("--spread", type=float, default=0.0, help="seconds over which the presses fall")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    with server() as running:
        found = [one for n in options.sessions for one in asyncio.run(burst(running, n, options.spread))]
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
