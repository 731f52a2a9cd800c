"""What it takes to learn a task: python tests/benchmarks/bench_learn.py [--check] [--seeds 5] [--tasks reverse sort].

With --visitors 30, what so many on one server wait for while one of them has a model trained, beside the same without.

For every task with its usual settings, over several seeds: seconds until 99 % of the held-out inputs are all right,
with the processes and the core that a live run has, how many seeds never came there, and how far the nearest head is
from the known pattern at the end. The load of the machine is printed beside, since it makes the seconds longer.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(Path(__file__).parent)]

from bench_load import BARS as WAITING  # noqa: E402
from bench_load import RAMP, server, share, student  # noqa: E402
from figures import Figure, finish  # noqa: E402
from visitors import Visitor, visit  # noqa: E402

from encoder.tasks.learning import LearningMoment, read_moment  # noqa: E402
from encoder.tasks.settings import LearnSettings, usual  # noqa: E402
from encoder.tasks.task import TASKS  # noqa: E402

SOLVED = 0.99
BARS = {"reverse": 40.0, "shift": 60.0, "histogram": 60.0, "majority": 60.0, "brackets": 180.0}  # seconds, median
LIVE = "learn_task=sort&learn_steps=2500&learn_seed=5"  # a run that takes as long as one may
NEAR = {"reverse": 0.1}  # distance, median


def trained(settings: LearnSettings) -> tuple[float, LearningMoment]:
    """Seconds from the start of the process until the task is solved, endless where it is not, and the last moment."""
    command = [sys.executable, "-m", "encoder.tasks", str(settings)]
    quiet = dict(os.environ) | {"OMP_NUM_THREADS": "1"}
    begun, solved, last = perf_counter(), float("inf"), None
    with subprocess.Popen(command, cwd=ROOT, env=quiet, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "error" in json.loads(line):
                raise RuntimeError(line)
            last = read_moment(line)
            if last.exact >= SOLVED:
                solved = min(solved, perf_counter() - begun)
    assert last is not None
    return solved, last


def figures(tasks: list[str], seeds: int) -> list[Figure]:
    """Every figure with its bar."""
    found = []
    for task in tasks:
        runs = [trained(replace(usual(task), seed=seed)) for seed in range(seeds)]
        failed = sum(last.exact < SOLVED for _, last in runs)
        far = median(last.nearest[0] for _, last in runs)
        found += [
            Figure(
                f"{task}: until 99 % of held-out inputs, median of {seeds}",
                median(t for t, _ in runs),
                BARS.get(task),
                "s",
            ),
            Figure(f"{task}: seeds that do not end there", failed),
            Figure(f"{task}: distance of the nearest head, median", far, NEAR.get(task)),
        ]
        print(task, [f"{t:.0f} s, {last.exact:.3f}, {last.nearest[0]:.2f}" for t, last in runs], flush=True)
    return found


async def learner(url: str, until: float) -> float:
    """A visitor who has a model trained and looks every second, as the page does; the share of looks at a live run."""
    looks, trains = 0, 0
    async with visit(url, "learn", LIVE) as one:
        await one.run(press="train_now")
        while perf_counter() < until:
            await asyncio.sleep(1.0)
            await one.run()
            looks, trains = looks + 1, trains + ("stop_training" in one.widgets)
        if "stop_training" in one.widgets:
            await one.run(press="stop_training")
    return trains / looks


async def beside(url: str, visitors: int, seconds: float, live: bool) -> tuple[list[Visitor], float]:
    """So many visitors, one of them with a live run or not: the others, and the share of looks at which it trained."""
    until = perf_counter() + visitors * RAMP + seconds
    students = [student(url, i, 4.0, until) for i in range(visitors - live)]
    *stayed, trained = await asyncio.gather(*students, learner(url, until) if live else asyncio.sleep(0, 0.0))
    return stayed, trained


def crowd(visitors: int, seconds: float) -> list[Figure]:
    """What the others wait for, with and without a live run among them."""
    found = []
    for live in (False, True):
        with server() as running:
            stayed, trained = asyncio.run(beside(running.url, visitors, seconds, live))
        reruns = [second for one in stayed for second in one.seconds]
        name = f"{visitors} visitors, {'one with a live run' if live else 'none trains'}: 95 % of the others' reruns"
        note = f"p50 {1e3 * share(reruns, 0.5):.0f} ms, {len(reruns)} reruns, load {os.getloadavg()[0]:.1f}"
        note += f", it trained {trained:.0%} of the time" if live else ""
        found.append(Figure(name, 1e3 * share(reruns, 0.95), 1e3 * WAITING.get(visitors, 0.2), "ms", note))
    return found


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description="What it takes to learn a task.")
    parser.add_argument("--check", action="store_true", help="fail where a figure falls short")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--visitors", type=int, default=0, help="measure what so many wait for beside a live run")
    parser.add_argument("--seconds", type=float, default=40.0, help="for which the visitors stay")
    given = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    found = crowd(given.visitors, given.seconds) if given.visitors else figures(given.tasks, given.seeds)
    print(f"load after: {os.getloadavg()[0]:.1f}")
    return finish(found, given.check)


if __name__ == "__main__":
    raise SystemExit(main())
