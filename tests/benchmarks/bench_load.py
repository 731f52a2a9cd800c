"""What a class costs: python tests/benchmarks/bench_load.py [--sessions 30 60] [--think 4] [--slow] [--check].

So many sessions on one server of this machine, without browsers: each types sentences of its own, chooses layers and
heads and opens other pages, with a pause before each that is drawn from half to one and a half of the think time. The
time is that from the click to the end of the run, over the websocket. The client runs on the same processors.

--slow adds one session that keeps the server busy all the time, in the shape of BERT-large: the longest sentence that
the server takes, then every part of it left out in turn; what the others wait for is what is printed. With --check the
exit status is 1 where a figure is over its bar.
"""

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
sys.path[:0] = [str(ROOT), str(TESTS), str(TESTS / "browser"), str(TESTS / "benchmarks")]

from browser_tools import Server, free_port, started  # noqa: E402
from figures import Figure, finish  # noqa: E402
from visitors import Visitor, act, sentence, visit  # noqa: E402

BARS = {30: 0.200, 60: 0.400}  # sessions -> seconds, 95th percentile of all reruns
LONGEST = 1.0  # seconds that any other session waits while one computes
LARGE = "built:d_model=1024,n_heads=16,n_layers=24,d_ff=4096,activation=gelu,seed=0"
RAMP = 0.1  # seconds between two arrivals


@contextlib.contextmanager
def server(more: dict[str, str] | None = None) -> Iterator[Server]:
    """The app on a free port, after its first visitor, with `more` in its environment."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with started(ROOT / "app.py", home / "log", home, free_port(), more=more) as running:
            asyncio.run(first(running.url))
            yield running


async def first(url: str) -> None:
    """The first visitor has the libraries and the model loaded."""
    async with visit(url):
        pass


async def student(url: str, number: int, think: float, until: float) -> Visitor:
    """One session from its arrival to the end."""
    draw = random.Random(number)
    await asyncio.sleep(number * RAMP)
    async with visit(url) as visitor:
        visitor.seconds.clear()
        while True:
            await asyncio.sleep(think * draw.uniform(0.5, 1.5))
            if perf_counter() > until:
                return visitor
            await act(visitor, draw)


async def slow(url: str, until: float) -> int:
    """One session with the largest model, the longest sentence and a sweep over all its parts; returns its runs."""
    draw, done = random.Random(0), 0
    while perf_counter() < until:
        with contextlib.suppress(TimeoutError):  # a sweep takes longer than the others stay; then it is left
            query = {"model": LARGE, "more": "1", "sentence": sentence(draw, 600)}
            async with visit(url, "what_if", urlencode(query)) as visitor:
                done += 1
                async with asyncio.timeout(max(until - perf_counter(), 0.1)):
                    await visitor.run(press="loo_go")
    return done


async def busy(
    url: str, sessions: int, think: float, seconds: float, with_slow: bool
) -> tuple[list[Visitor], list[str]]:
    """All sessions at once; returns those that stayed and what went wrong with the others."""
    until = perf_counter() + sessions * RAMP + seconds
    students = [student(url, i, think, until) for i in range(sessions)]
    heavy = [slow(url, until)] if with_slow else []
    ended = await asyncio.gather(*students, *heavy, return_exceptions=True)
    errors = [f"{type(one).__name__}: {one}" for one in ended if isinstance(one, BaseException)]
    stayed = [one for one in ended if isinstance(one, Visitor)]
    return stayed, errors + [line for one in stayed for line in one.broken]


def share(values: list[float], part: float) -> float:
    """The value below which that part of all lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def measure(running: Server, sessions: int, think: float, seconds: float, with_slow: bool = False) -> list[Figure]:
    """The figures of one class."""
    before, start = running.processor_seconds, perf_counter()
    stayed, errors = asyncio.run(busy(running.url, sessions, think, seconds, with_slow))
    took, wall = running.processor_seconds - before, perf_counter() - start
    reruns = [second for one in stayed for second in one.seconds]
    name = f"{sessions} sessions" + (", one of them computing" if with_slow else "")
    failed = Figure(f"{name}: errors", len(errors), 0, note="; ".join(errors[:2]))
    if not reruns:
        return [failed]
    said = [f"p50 {1e3 * share(reruns, 0.5):.0f} ms", f"longest {1e3 * max(reruns):.0f} ms", f"{len(reruns)} reruns"]
    note = ", ".join(
        [*said, f"{1e3 * took / len(reruns):.0f} ms of a processor each", f"it had {took / wall:.0%} of one"]
    )
    if with_slow:
        return [Figure(f"{name}: longest rerun of another", 1e3 * max(reruns), 1e3 * LONGEST, "ms", note), failed]
    bar = 1e3 * BARS[sessions] if sessions in BARS else None
    return [Figure(f"{name}: 95 % of reruns within", 1e3 * share(reruns, 0.95), bar, "ms", note), failed]


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="What a class costs.")
    parser.add_argument("--sessions", type=int, nargs="*", default=sorted(BARS))
    parser.add_argument("--think", type=float, default=4.0, help="mean pause before an action, seconds")
    parser.add_argument("--seconds", type=float, default=60.0, help="after the last arrival")
    parser.add_argument("--slow", action="store_true", help="with one session that computes all the time")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    with server() as running:
        found = [
            one
            for sessions in options.sessions
            for one in measure(running, sessions, options.think, options.seconds, options.slow)
        ]
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
