"""What a class costs that follows: python tests/benchmarks/bench_class.py [--pupils 30 60] [--replicas] [--check].

A teacher and so many pupils on one server of this machine, without browsers. First nothing happens, and what the
server's processor does is measured. Then the teacher takes a step now and then: the time is that from the click to the
end of the last pupil's run. Then the class is asked, and all pupils answer at the same instant: the time is that until
the last of them is served. The client runs on the same processors. With --check the exit status is 1 where a figure is
over its bar.
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

from bench_load import replicas, server, share  # noqa: E402
from browser_tools import Server  # noqa: E402
from figures import Figure, finish  # noqa: E402
from followers import Follower, follow  # noqa: E402
from school import School  # noqa: E402

STEP = 2.0  # seconds, 95th percentile from the click to the last pupil's screen
ANSWER = 1.0  # seconds until the last of thirty answers is served
IDLE = 0.1  # of a processor, for thirty that follow while nothing happens


@dataclass
class Seconds:
    """What was measured of a class."""

    idle: float = 0.0
    steps: list[float] = field(default_factory=list)
    processor: float = 0.0
    answers: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


async def lead(running: Server | School, pupils: int, seconds: float, steps: int, votes: int, pause: float) -> Seconds:
    """One class from its opening to its end."""
    found = Seconds()
    async with contextlib.AsyncExitStack() as stack:
        teacher = await stack.enter_async_context(follow(running.url, "class"))
        await teacher.press("class_open_new")
        code = teacher.seat.partition("-")[0]
        await teacher.go("atlas")
        ones = [await stack.enter_async_context(follow(running.url, "class", f"code={code}")) for _ in range(pupils)]
        await asyncio.gather(
            *(one.until(lambda one: "You see what" in one.said and one.path == "atlas") for one in ones)
        )
        await asyncio.sleep(3.0)
        before, start = running.processor_seconds, perf_counter()
        await asyncio.sleep(seconds)
        found.idle = (running.processor_seconds - before) / (perf_counter() - start)
        before = running.processor_seconds
        for turn in range(steps):
            runs, start = {id(one): one.runs for one in ones}, perf_counter()
            await teacher.choose("head", str((turn + 2) % 8))
            await asyncio.gather(*(one.until(lambda one, runs=runs: one.runs > runs[id(one)]) for one in ones))
            found.steps.append(max(one.ended for one in ones) - start)
            await asyncio.sleep(pause)
        found.processor = (running.processor_seconds - before - found.idle * steps * pause) / steps / pupils
        for turn in range(votes):
            await asked(teacher, ones, turn, found)
        found.broken = [line for one in (teacher, *ones) for line in one.broken]
    return found


async def asked(teacher: Follower, ones: list[Follower], turn: int, found: Seconds) -> None:
    """Ask where a word looks; when all have the question, all answer at once."""
    await teacher.unfold("class_ask")
    await teacher.press("class_ask_now")
    key = f"class_answer_{turn + 1}_1"
    await asyncio.gather(*(one.until(lambda one: key in one.widgets) for one in ones))
    await asyncio.sleep(1.0)
    start = perf_counter()
    await asyncio.gather(*(one.answer(key, i) for i, one in enumerate(ones)))
    found.answers.append(max(one.answered for one in ones) - start)
    await asyncio.sleep(1.5)
    await teacher.press("class_reveal")
    await asyncio.gather(*(one.until(lambda one: "It is “" in one.said) for one in ones))
    await teacher.press("class_put_away")
    await asyncio.gather(*(one.until(lambda one: key not in one.widgets and "It is “" not in one.said) for one in ones))


def figures(pupils: int, found: Seconds) -> list[Figure]:
    """What is printed of a class; the bars are for two processors, the one for an idle class and answers for thirty."""
    some = pupils <= 30
    note = f"median {share(found.steps, 0.5):.2f} s of {len(found.steps)} steps, "
    note += f"{1e3 * found.processor:.0f} ms of a processor for each pupil"
    return [
        Figure(f"{pupils} follow, nothing happens", found.idle, IDLE if some else None, "of a processor"),
        Figure(f"{pupils} follow: 95 % of steps are with the last after", share(found.steps, 0.95), STEP, "s", note),
        Figure(f"{pupils} answer at once: the last is served after", max(found.answers), ANSWER if some else None, "s"),
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
    parser.add_argument("--replicas", action="store_true", help="two servers behind nginx, with a Redis")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    given = parser.parse_args()
    found = []
    for pupils in given.pupils:
        with replicas() if given.replicas else server() as running:
            one = asyncio.run(lead(running, pupils, given.seconds, given.steps, given.votes, given.pause))
        found += figures(pupils, one)
    return finish(found, given.check)


if __name__ == "__main__":
    sys.exit(main())
