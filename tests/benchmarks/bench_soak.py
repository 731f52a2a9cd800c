"""Whether memory stays bounded: python tests/benchmarks/bench_soak.py [--reruns 2000] [--crowds texts clear] [--check].

First so many reruns by so many sessions, one after the other without a pause, each a new sentence or another selector.
The memory of the server is read after a tenth of them and at the end; then all sessions close, and after the time for
which a closed session is kept it is read again, and as many new sessions come as there were. Runs that are kept fill
their share of memory first.

Then crowds, on a server of their own each, which is told what it may take: 16 visitors with texts of 600 words, 40 with
150 words on Heads, 14 tabs with models of BERT-base's shape, 20 messages a second that ask for all caches to be
cleared, and 200 tabs that stay open, each with a model that nobody else has built. Printed are the most memory that the
server held, what it holds some time after all have left, how long the slowest answer of /_stcore/health took, within
which time 95 % of the clicks of somebody else were answered, and how the memory went.
"""

import asyncio
import contextlib
import random
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote

import figures  # noqa: F401  (it says where the modules of the tests lie)
import visitors
from bench_load import server
from figures import Figure, command_line, errors, finish, share
from servers import Server
from streamlit.proto.BackMsg_pb2 import BackMsg
from visitors import LAB, Visitor, act, ask, sentence, visit
from watcher import back_to, watched

GROWTH = 1.2  # memory at the end over that after a tenth
AGAIN = 1.1  # memory with as many new sessions, over that with the old ones
KEPT = 30.0  # seconds; a closed session is let go of after 15
AT_ONCE = 8  # visitors that do something at the same time
BACK, LEFT = 1.2, 90.0  # memory after all have left, over that before; seconds until then
SLOWEST = 1000.0  # milliseconds of an answer
OVER = 1.1  # times its bound that a server may hold for a moment
BERT_BASE = "built:vocab_size=30522,d_model=768,n_heads=12,n_layers=12,d_ff=3072,activation=gelu,seed={}"


async def rounds(clients: list[Visitor], count: int, draw: random.Random) -> None:
    """So many reruns, shared out among the visitors."""
    together = min(AT_ONCE // 2, len(clients))
    for start in range(0, count, together):
        chosen = [clients[i % len(clients)] for i in range(start, min(start + together, count))]
        await asyncio.gather(*(act(visitor, draw) for visitor in chosen))


async def arrive(stack: contextlib.AsyncExitStack, url: str, count: int) -> list[Visitor]:
    """So many visitors, one after the other."""
    return [await stack.enter_async_context(visit(url)) for _ in range(count)]


async def soak(running: Server, sessions: int, reruns: int, kept: float = KEPT) -> list[Figure]:
    """Return the memory at the stages of the run."""
    draw = random.Random(0)
    alone = running.megabytes
    async with contextlib.AsyncExitStack() as stack:
        clients = await arrive(stack, running.url, sessions)
        opened = running.megabytes
        await rounds(clients, reruns // 10, draw)
        tenth = running.megabytes
        await rounds(clients, reruns - reruns // 10, draw)
        end = running.megabytes
        broken = [line for visitor in clients for line in visitor.broken]
    await asyncio.sleep(kept)
    closed = running.megabytes
    async with contextlib.AsyncExitStack() as stack:
        await rounds(await arrive(stack, running.url, sessions), reruns // 10, draw)
        again = running.megabytes
    return [
        Figure("server after its first visitor", alone, 900.0, "MB"),
        Figure(f"each of {sessions} open sessions", (opened - alone) / sessions, 5.0, "MB"),
        Figure(f"after {reruns // 10} reruns", tenth, unit="MB"),
        Figure(f"after {reruns} reruns", end, unit="MB"),
        Figure("memory at the end, over that after a tenth", end / tenth, GROWTH),
        Figure("after all sessions closed", closed, unit="MB"),
        Figure("memory with as many new sessions, over that before", again / end, AGAIN),
        errors("soak", broken),
    ]


@dataclass(frozen=True)
class Crowd:
    """What a crowd shares: all have come; a place among the few that open a page at the same time."""

    all: asyncio.Barrier
    few: asyncio.Semaphore


async def texts(url: str, number: int, crowd: Crowd) -> None:
    """Be a visitor with two texts of 600 words of one's own."""
    async with visit(url) as visitor:
        for turn in range(2):
            await visitor.choose("sentence", sentence(random.Random(number + 100 * turn), 600))
            await visitor.choose("head", str(number % 8))


async def heads(url: str, number: int, crowd: Crowd) -> None:
    """Be a visitor with 150 words on Heads."""
    text, layer = sentence(random.Random(number), 150), str(number % 6)
    await asyncio.to_thread(ask, url, "run", level=6, sentence=text)
    query = {"sentence": text, "layer": layer, "head": "0"}
    await asyncio.to_thread(ask, url, "more", page="heads", section="measures", theme="light", agreed=True, query=query)


async def models(url: str, number: int, crowd: Crowd) -> None:
    """Be a tab that stays open, with a large model of its own."""
    await tab(url, BERT_BASE.format(number), f"seed={number}", crowd)


async def clear(url: str, number: int, crowd: Crowd) -> None:
    """Ask for all caches to be cleared, 20 times a second, for ten seconds."""
    message = BackMsg()
    message.clear_cache = True
    async with visit(url) as visitor:
        for _ in range(200):
            await visitor.socket.send(message.SerializeToString())
            await asyncio.sleep(0.05)


async def builders(url: str, number: int, crowd: Crowd) -> None:
    """Be a tab that stays open, with a model that nobody else builds: 20 to 120 MB, and as much again prepacked."""
    draw = random.Random(number)
    count = draw.choice([2, 4, 8])
    sizes = {"vocab_size": 16384, "d_model": 64 * draw.randint(4, 8), "n_heads": count, "n_layers": draw.randint(2, 8)}
    shape = ",".join(f"{name}={size}" for name, size in (sizes | {"d_ff": 1024, "seed": number}).items())
    await tab(url, f"built:{shape}", f"seed={number}", crowd)


async def tab(url: str, model: str, seed: str, crowd: Crowd) -> None:
    """Open a page with a model of one's own, and stay until all others have theirs."""
    async with contextlib.AsyncExitStack() as stack:
        async with crowd.few:
            visitor = await stack.enter_async_context(visit(url, "lessons", f"{LAB}&model={model}"))
            if "load_model" in visitor.widgets:
                await visitor.run(press="load_model")
            await visitor.choose("head", "1")
            assert visitor.broken == [] and "cannot be shown" not in visitor.said, visitor.said[:500]
            assert seed in unquote(visitor.query), visitor.query[:300]
        await crowd.all.wait()


# how many come, what each does, and the megabytes that the server is told it may take: more where people build models
CROWDS: dict[str, tuple[int, Callable[[str, int, Crowd], Awaitable[None]], float]] = {
    "texts": (16, texts, 2000.0),
    "heads": (40, heads, 2000.0),
    "models": (14, models, 4500.0),
    "clear": (1, clear, 2000.0),
    "builders": (200, builders, 2000.0),
}


async def measure(running: Server, name: str) -> list[Figure]:
    """Return the figures of one crowd."""
    count, visitor, bound = CROWDS[name]
    crowd = Crowd(asyncio.Barrier(count), asyncio.Semaphore(AT_ONCE))
    async with watched(running) as seen, asyncio.timeout(1200), asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(visitor(running.url, number, crowd))
    step = max(1, len(seen.curve) // 24)
    parts = [seen.curve[at : at + step] for at in range(0, len(seen.curve), step)]
    curve = ", ".join(f"{part[-1][0]:.0f} s {max(held for _, held in part):.0f}" for part in parts)
    print(f"{name}: MB over the seconds, of {bound:.0f}: {curve}", flush=True)
    after = await back_to(running, BACK * seen.before, LEFT)
    clicks = f"{len(seen.clicks)} clicks"
    return [
        Figure(f"{name}: most memory", seen.peak, OVER * bound, "MB", f"{seen.before:.0f} MB before"),
        Figure(f"{name}: after all have left, over before", after / seen.before, BACK, note=f"{after:.0f} MB"),
        Figure(f"{name}: slowest answer of /health", 1e3 * max(seen.health), SLOWEST, "ms"),
        Figure(f"{name}: 95 % of another's clicks within", 1e3 * share(seen.clicks, 0.95), SLOWEST, "ms", clicks),
        errors(name, seen.broken),
    ]


def main() -> int:
    """Print the figures; return the exit status."""
    parser = command_line(__doc__)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--reruns", type=int, default=2000)
    parser.add_argument("--crowds", nargs="*", choices=CROWDS, default=list(CROWDS))
    options = parser.parse_args()
    rows = []
    if options.reruns:
        with server() as running:
            rows += asyncio.run(soak(running, options.sessions, options.reruns))
    visitors.TIMEOUT = 500.0  # they wait for each other
    for name in options.crowds:
        with server({"ENCODER_MEMORY_MB": f"{CROWDS[name][2]:.0f}"}) as running:
            try:
                rows += asyncio.run(measure(running, name))
            except Exception as error:
                rows.append(errors(name, [f"{error!r}, the server ended with {running.process.poll()}"]))
    return finish(rows, options.check)


if __name__ == "__main__":
    sys.exit(main())
