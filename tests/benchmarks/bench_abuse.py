"""What a crowd takes: python tests/benchmarks/bench_abuse.py [--only texts heads models clear builders] [--check].

Five crowds on a server of their own each: 16 visitors with texts of 600 words, 40 with 150 words on All heads, 14 tabs
with models of BERT-base's shape, 20 messages a second that ask for all caches to be cleared, and 200 tabs that stay
open, each with a model that nobody else has built. Printed are the most memory that the server held, what it holds some
time after all have left, how long the slowest answer of /_stcore/health took, within which time 95 % of the clicks of
somebody else were answered, and how the memory went. With --check the exit status is 1 where a figure is over its bar.
"""

import argparse
import asyncio
import contextlib
import random
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import unquote, urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent))

import visitors
from bench_load import server
from browser_tools import Server
from figures import Figure, finish
from streamlit.proto.BackMsg_pb2 import BackMsg
from visitors import sentence, visit
from watcher import back_to, watched

SERVER_MB = 2000.0  # what README plans for a server
MODELS_MB = 2500.0  # and so much more where people build models
OVER = 1.1  # times its bound that a server may hold for a moment
BUILDERS, AT_ONCE = 200, 8  # tabs that stay open, and of them those that open at the same time
BACK = 1.2  # memory after all have left, over that before
LEFT = 90.0  # seconds until then
SLOWEST = 1.0  # seconds of an answer
BERT_BASE = "built:vocab_size=30522,d_model=768,n_heads=12,n_layers=12,d_ff=3072,activation=gelu,seed={}"


async def texts(url: str) -> None:
    """16 visitors, each with a text of 600 words of its own."""

    async def one(number: int) -> None:
        async with visit(url, "atlas") as visitor:
            for turn in range(2):
                await visitor.choose("sentence", sentence(random.Random(number + 100 * turn), 600))
                await visitor.choose("head", str(number % 8))

    await asyncio.gather(*map(one, range(16)))


async def heads(url: str) -> None:
    """40 visitors with 150 words on All heads."""

    async def one(number: int) -> None:
        query = {"more": "1", "sentence": sentence(random.Random(number), 150), "layer": str(number % 6)}
        async with visit(url, "heads", urlencode(query)) as visitor:
            await visitor.run()

    await asyncio.gather(*map(one, range(40)))


async def models(url: str) -> None:
    """14 tabs that stay open, each with a model of its own."""
    async with asyncio.TaskGroup() as group:
        gone = asyncio.Event()
        here = asyncio.Semaphore(0)

        async def tab(number: int) -> None:
            async with visit(url, "atlas", f"model={BERT_BASE.format(number)}") as visitor:
                if "load_model" in visitor.widgets:
                    await visitor.run(press="load_model")
                await visitor.choose("head", "1")
                here.release()
                await gone.wait()

        for number in range(14):
            group.create_task(tab(number))
        for _ in range(14):
            await here.acquire()
        gone.set()


async def clear(url: str) -> None:
    """20 messages a second, for ten seconds."""
    asked = BackMsg()
    asked.clear_cache = True
    async with visit(url) as visitor:
        for _ in range(200):
            await visitor.socket.send(asked.SerializeToString())
            await asyncio.sleep(0.05)


def shape(number: int) -> str:
    """A model that nobody else builds: 20 to 120 MB of weights, and as much again prepacked."""
    draw = random.Random(number)
    heads = draw.choice([2, 4, 8])
    sizes = {"vocab_size": 16384, "d_model": 64 * draw.randint(4, 8), "n_heads": heads, "n_layers": draw.randint(2, 8)}
    return "built:" + ",".join(f"{name}={size}" for name, size in (sizes | {"d_ff": 1024, "seed": number}).items())


async def builders(url: str) -> None:
    """200 tabs that stay open, each with a model of its own; every one of them gets its page."""
    gone, few, got = asyncio.Event(), asyncio.Semaphore(AT_ONCE), [0]

    async def tab(number: int) -> None:
        async with contextlib.AsyncExitStack() as stack:
            async with few:
                visitor = await stack.enter_async_context(visit(url, "atlas", f"model={shape(number)}"))
                if "load_model" in visitor.widgets:
                    await visitor.run(press="load_model")
                await visitor.choose("head", "1")
                assert visitor.broken == [] and "cannot be shown" not in visitor.said, visitor.said[:500]
                assert f"seed={number}" in unquote(visitor.query), visitor.query[:300]
                got[0] += 1
            if got[0] == BUILDERS:
                gone.set()
            await gone.wait()

    async with asyncio.TaskGroup() as group:
        for number in range(BUILDERS):
            group.create_task(tab(number))


CROWDS: dict[str, Callable[[str], Awaitable[None]]] = {
    one.__name__: one for one in (texts, heads, models, clear, builders)
}


def bound_of(name: str) -> float:
    """What a server is told that it may take, for a crowd."""
    return SERVER_MB + (MODELS_MB if name == "models" else 0)


def drawn(curve: list[tuple[float, float]], points: int = 24) -> str:
    """A curve in so many words: the highest value of each stretch, and when it ended."""
    size = max(1, len(curve) // points)
    parts = [curve[at : at + size] for at in range(0, len(curve), size)]
    return ", ".join(f"{part[-1][0]:.0f} s {max(held for _, held in part):.0f}" for part in parts)


async def measure(running: Server, name: str) -> list[Figure]:
    """The figures of one crowd."""
    async with watched(running) as seen:
        await asyncio.wait_for(CROWDS[name](running.url), 1200)
    bound = OVER * bound_of(name)
    print(f"{name}: MB over the seconds, of {bound_of(name):.0f}: {drawn(seen.curve)}", flush=True)
    after = await back_to(running, BACK * seen.before, LEFT)
    return [
        Figure(f"{name}: most memory", seen.peak, bound, "MB", f"{seen.before:.0f} MB before"),
        Figure(f"{name}: after all have left, over before", after / seen.before, BACK, note=f"{after:.0f} MB"),
        Figure(f"{name}: slowest answer of /health", 1e3 * max(seen.health), 1e3 * SLOWEST, "ms"),
        Figure(
            f"{name}: 95 % of another's clicks within",
            1e3 * seen.p95,
            1e3 * SLOWEST,
            "ms",
            f"{len(seen.clicks)} clicks",
        ),
        Figure(f"{name}: errors", len(seen.broken), 0, note="; ".join(seen.broken[:2])),
    ]


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="What a crowd takes.")
    parser.add_argument("--only", nargs="*", choices=CROWDS, default=list(CROWDS))
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    visitors.TIMEOUT = 500.0  # they wait for each other
    found: list[Figure] = []
    for name in options.only:
        with server({"ENCODER_MEMORY_MB": f"{bound_of(name):.0f}"}) as running:
            try:
                found += asyncio.run(measure(running, name))
            except Exception as error:
                print(f"{name}: {error!r}, {running.process.poll()}", flush=True)
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
