"""A class that follows a teacher: python tests/benchmarks/bench_class.py [--check].

Thirty and sixty pupils on one server of this machine, without browsers. First nothing happens,
and what the server's processor does is measured. Then the teacher takes a step now and then: the time is that from the
teacher's request until a pupil's screen is told. Then the class is asked, and all pupils answer at the same instant:
the time is that until the last of them is answered. The client runs on the same processors. With --check the exit
status is 1 where a figure is over its bar.
"""

import argparse
import asyncio
import contextlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "benchmarks")]

from bench_load import server, share  # noqa: E402
from browser_tools import Server  # noqa: E402
from figures import Figure, finish  # noqa: E402
from followers import Follower, follow, post  # noqa: E402

STEP = 1.0  # seconds within which 95 % of the pupils are told of a step
ANSWER = 0.5  # seconds within which 95 % of the answers of the same instant are taken
IDLE = 0.1  # of a processor, for thirty that follow while nothing happens
QUERY = {"sentence": "The keys to the cabinet [MASK] on the table.", "model": "base", "layer": "5", "word": "6"}


@dataclass
class Seconds:
    """What was measured of a class."""

    idle: float = 0.0
    steps: list[float] = field(default_factory=list)
    processor: float = 0.0
    answers: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


async def lead(running: Server, pupils: int, seconds: float, steps: int, votes: int, pause: float) -> Seconds:
    """One class from its opening to its end."""
    found = Seconds()
    async with contextlib.AsyncExitStack() as stack:
        seat = (await post(running.url, "open"))["seat"]
        teacher = await stack.enter_async_context(follow(running.url, seat))
        joined = [(await post(running.url, "join", code=seat[:6]))["seat"] for _ in range(pupils)]
        ones = [await stack.enter_async_context(follow(running.url, pupil)) for pupil in joined]
        before, start = running.processor_seconds, perf_counter()
        await asyncio.sleep(seconds)
        found.idle = (running.processor_seconds - before) / (perf_counter() - start)
        before = running.processor_seconds
        for turn in range(steps):
            last, start = teacher.shown, perf_counter()
            await teacher.ask("show", page="start", query=QUERY | {"head": str(turn % 8)})
            await asyncio.gather(*(one.until(lambda one, last=last: one.shown > last) for one in (teacher, *ones)))
            found.steps += [one.came - start for one in ones]
            await asyncio.sleep(pause)
        found.processor = (running.processor_seconds - before - found.idle * steps * pause) / steps / pupils
        for turn in range(votes):
            await asked(teacher, ones, turn + 1, found)
        await teacher.ask("act", act="end")
        found.broken = [line for one in ones for line in one.broken if "over" not in line]
    return found


async def asked(teacher: Follower, ones: list[Follower], number: int, found: Seconds) -> None:
    """Ask where a word looks; when all have the question, all answer at once."""
    await teacher.ask("ask", query=QUERY | {"head": "6"}, kind="look", word=6)
    await asyncio.gather(*(one.until(lambda one: one.phase == "open") for one in ones))

    async def answer(place: int, one: Follower) -> float:
        start = perf_counter()
        taken = await one.ask("answer", number=number, round=1, answer=place % 5)
        if not taken["taken"]:
            one.broken.append("an answer was not taken")
        return perf_counter() - start

    found.answers += await asyncio.gather(*(answer(i, one) for i, one in enumerate(ones)))
    await teacher.ask("act", act="reveal")
    await asyncio.gather(*(one.until(lambda one: one.phase == "shown") for one in ones))
    await teacher.ask("act", act="put_away")
    await asyncio.gather(*(one.until(lambda one: not one.phase) for one in ones))


def figures(pupils: int, found: Seconds) -> list[Figure]:
    """What is printed of a class; the bars are for two processors, the one for an idle class and answers for thirty."""
    note = f"median {share(found.steps, 0.5):.2f} s, last {max(found.steps):.2f} s, "
    note += f"{1e3 * found.processor:.1f} ms of a processor for each pupil"
    return [
        Figure(f"{pupils} follow, nothing happens", found.idle, IDLE if pupils <= 30 else None, "of a processor"),
        Figure(f"{pupils} follow: 95 % are told of a step after", share(found.steps, 0.95), STEP, "s", note),
        Figure(
            f"{pupils} answer at once: 95 % are taken after",
            share(found.answers, 0.95),
            ANSWER,
            "s",
            f"last {max(found.answers):.2f} s",
        ),
        Figure(f"{pupils} follow: errors", len(found.broken), 0, note="; ".join(found.broken[:2])),
    ]


def main() -> int:
    """Print the figures; return the exit status."""
    parser: Any = argparse.ArgumentParser(description="What a class costs that follows.")
    parser.add_argument("--pupils", type=int, nargs="*", default=[30, 60])
    parser.add_argument("--seconds", type=float, default=20.0, help="for which nothing happens")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--votes", type=int, default=3)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two steps of the teacher")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    given = parser.parse_args()
    found = []
    for pupils in given.pupils:
        with server() as running:
            one = asyncio.run(lead(running, pupils, given.seconds, given.steps, given.votes, given.pause))
        found += figures(pupils, one)
    return finish(found, given.check)


if __name__ == "__main__":
    sys.exit(main())
