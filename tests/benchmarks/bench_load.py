"""What a class costs: python tests/benchmarks/bench_load.py [--sessions 30 60] [--beside sweep] [--check].

So many sessions on one server of this machine, without browsers: each types sentences of its own, chooses layers and
heads and opens other pages, with a pause before each that is drawn from half to one and a half of the think time. The
time is that from the click to the end of the run, over the websocket. The client runs on the same processors.

Then the smallest class again, each time with one more session that keeps the server busy: a model in the shape of
BERT-large with the longest sentence that the server takes, every part of it left out in turn (sweep); packets of other
layers as fast as they come (packets); a small task that is learned (training).
"""

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from time import perf_counter

import figures  # noqa: F401  (it says where the modules of the tests lie)
from figures import ROOT, Figure, command_line, errors, finish, high, share
from servers import Server, free_port, started
from visitors import Visitor, act, ask, sentence, visit

BARS = {30: 200.0, 60: 400.0}  # sessions -> milliseconds, 95th percentile of all reruns
LONGEST = 1000.0  # milliseconds that any other session waits while one computes
PACKET = 300.0  # milliseconds of a packet
LARGE = "built:d_model=1024,n_heads=16,n_layers=24,d_ff=4096,activation=gelu,seed=0"
LIVE = "training_part=Small+networks&training_task=sort&training_steps=2500&training_seed=5"  # as long as one may be
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
    """Be the first visitor, for whom the libraries and the model are loaded."""
    async with visit(url):
        pass


async def student(url: str, number: int, think: float, until: float) -> Visitor:
    """Be one session from its arrival to the end."""
    draw = random.Random(number)
    await asyncio.sleep(number * RAMP)
    async with visit(url) as visitor:
        visitor.seconds.clear()
        while True:
            await asyncio.sleep(think * draw.uniform(0.5, 1.5))
            if perf_counter() > until:
                return visitor
            await act(visitor, draw)


async def sweep(url: str, until: float) -> list[Figure]:
    """Have every part of the longest sentence left out in turn, in the largest model, again and again."""
    draw = random.Random(0)
    while perf_counter() < until:
        asked = {"page": "what_if", "section": "loo", "theme": "light", "agreed": True}
        query = {"model": LARGE, "sentence": sentence(draw, 600), "layer": "0", "head": "0"}
        left = max(until - perf_counter(), 0.1)
        with contextlib.suppress(OSError):  # a sweep takes longer than the others stay; then it is left
            await asyncio.to_thread(ask, url, "more", left, **asked, query=query)
    return []


async def training(url: str, until: float) -> list[Figure]:
    """Have a model trained and look every second, as the page does."""
    looks, trains = 0, 0
    async with visit(url, "training", LIVE) as visitor:
        await visitor.run(press="train_now")
        while perf_counter() < until:
            await asyncio.sleep(1.0)
            await visitor.run()
            looks, trains = looks + 1, trains + ("stop_training" in visitor.widgets)
        if "stop_training" in visitor.widgets:
            await visitor.run(press="stop_training")
    return [Figure("share of the time in which it trained", trains / max(looks, 1))]


def packet(url: str, **asked: object) -> float:
    """Ask for a packet as a page does; return the milliseconds until it is here."""
    start = perf_counter()
    ask(url, "run", **asked)
    return 1e3 * (perf_counter() - start)


async def packets(url: str, until: float) -> list[Figure]:
    """Ask for a whole run and for a layer of it, of one's own sentence, over and over."""
    draw, took = random.Random(1), list[float]()
    while perf_counter() < until:
        text = sentence(draw)
        for more in ({"level": 1}, {"level": 3, "layer": draw.randrange(6)}):
            took.append(await asyncio.to_thread(packet, url, model="base", sentence=text, **more))
    return [high("a packet that is asked for", took, PACKET)]


async def own_sentences(url: str, visitors: int = 30, rounds: int = 3) -> Figure:
    """Have as many visitors as a class has ask for the run of a masked sentence of their own, all at once."""
    draw, took = random.Random(7), list[float]()
    for _ in range(rounds):
        words = [sentence(draw).split() for _ in range(visitors)]
        texts = [" ".join([*some[: len(some) // 2], "[MASK]", *some[len(some) // 2 + 1 :]]) for some in words]
        took += await asyncio.gather(
            *(asyncio.to_thread(packet, url, level=1, model="base", sentence=text) for text in texts)
        )
    return high(f"{visitors} masked sentences of their own at once", took)


# what one more session does, and the bar for the longest rerun of the others, where it is not that of 19 of 20
BESIDE: dict[str, tuple[Callable[[str, float], Awaitable[list[Figure]]], float | None]] = {
    "sweep": (sweep, LONGEST),
    "packets": (packets, None),
    "training": (training, None),
}


def measure(running: Server, sessions: int, think: float, seconds: float, beside: str = "") -> list[Figure]:
    """Return the figures of one class, with somebody beside it who keeps the server busy."""

    async def busy() -> list[Visitor | list[Figure] | BaseException]:
        until = perf_counter() + sessions * RAMP + seconds
        students = [student(running.url, i, think, until) for i in range(sessions)]
        more = [BESIDE[beside][0](running.url, until)] if beside else []
        return await asyncio.gather(*students, *more, return_exceptions=True)

    before, start = running.processor_seconds, perf_counter()
    ended = asyncio.run(busy())
    took, wall = running.processor_seconds - before, perf_counter() - start
    stayed = [visitor for visitor in ended if isinstance(visitor, Visitor)]
    failed = [repr(error) for error in ended if isinstance(error, BaseException)]
    failed += [line for visitor in stayed for line in visitor.broken]
    reruns = [1e3 * second for visitor in stayed for second in visitor.seconds]
    name = f"{sessions} sessions" + f", {beside} beside" * bool(beside)
    rows = [figure for part in ended if isinstance(part, list) for figure in part]
    if reruns:
        note = f"{1e3 * took / len(reruns):.0f} ms of a processor each, the server had {took / wall:.0%} of one"
        longest = BESIDE[beside][1] if beside else None
        if longest is None:
            rows.append(high(f"{name}: reruns", reruns, BARS.get(sessions), note=note))
        else:
            note += f", p95 {share(reruns, 0.95):.0f} ms"
            rows.append(Figure(f"{name}: longest rerun of another", max(reruns), longest, "ms", note))
    return [*rows, errors(name, failed)]


def main() -> int:
    """Print the figures; return the exit status."""
    parser: argparse.ArgumentParser = command_line(__doc__)
    parser.add_argument("--sessions", type=int, nargs="+", default=sorted(BARS))
    parser.add_argument("--think", type=float, default=4.0, help="mean pause before an action, seconds")
    parser.add_argument("--seconds", type=float, default=40.0, help="after the last arrival")
    parser.add_argument("--beside", nargs="*", choices=BESIDE, default=list(BESIDE), help="who else is there")
    options = parser.parse_args()
    classes = [(sessions, "") for sessions in options.sessions]
    classes += [(min(options.sessions), beside) for beside in options.beside]
    rows = []
    with server() as running:
        rows.append(asyncio.run(own_sentences(running.url)))
    for sessions, beside in classes:
        with server() as running:
            rows += measure(running, sessions, options.think, options.seconds, beside)
    return finish(rows, options.check)


if __name__ == "__main__":
    sys.exit(main())
