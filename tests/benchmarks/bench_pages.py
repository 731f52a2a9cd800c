"""What each page costs: python tests/benchmarks/bench_pages.py [--check].

One visitor without a browser opens every page of the app and has it run again ROUNDS times, the pages in turn; twice
with nothing changed and once with another sentence each time. Printed are the server's processor time of a rerun (it
does not count what else this machine does), the time until its end is here, and the bytes that are sent when nothing
changed and when the sentence did. Then the memory of the server, of a session and of runs, and, in Chromium, the time
from `streamlit run` to the first picture on the screen. With --check the exit status is 1 where one is over its bar.
"""

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "benchmarks")]

from bench_load import server  # noqa: E402
from browser_tools import NEXT_FRAMES, Server, free_port, started  # noqa: E402
from chromium import find_chromium  # noqa: E402
from figures import Figure, finish  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from visitors import sentence, visit  # noqa: E402

from encoder import EncoderConfig  # noqa: E402
from encoder.explain.cost import size  # noqa: E402

ROUNDS = 15
RERUN = 100  # milliseconds of a processor, any page, nothing changed or another sentence
WIRE = 0.5  # megabytes, any page, another sentence of a dozen tokens
FIRST_PICTURE = 4.0  # seconds from `streamlit run` on a warm disk
STARTS = 7  # one start differs from the next by a quarter of a second
SESSION = 5.0  # megabytes of an open session
SERVER = 900.0  # megabytes after the first visitor
RUNS = (12, 128, 512)  # tokens


async def reruns(running: Server, rounds: int) -> list[Figure]:
    """Processor time, time and bytes of every page."""
    used: dict[tuple[str, str], list[float]] = defaultdict(list)
    took: dict[str, list[float]] = defaultdict(list)
    sent: dict[tuple[str, str], list[float]] = defaultdict(list)
    draw = random.Random(0)
    async with visit(running.url) as visitor:
        pages = list(visitor.pages)
        for _ in range(rounds):
            for page in pages:
                await visitor.run(page)
                for kind in ("same", "other") if "around" in visitor.widgets else ("same",):
                    if kind == "same":
                        await visitor.run()  # what its first run left open
                    before = running.processor_seconds
                    for _ in range(2):  # the clock of the processor has steps of 10 ms
                        seconds = await (
                            visitor.run() if kind == "same" else visitor.choose("sentence", sentence(draw))
                        )
                        took[page].append(1e3 * seconds)
                        sent[page, kind].append(visitor.sent[-1] / 1e6)
                    used[page, kind].append(1e3 * (running.processor_seconds - before) / 2)
        assert not visitor.broken, visitor.broken[:3]
    found = []
    for page in pages:
        name = page or "sentence"
        note = (
            f"{sum(sent[page, 'same']) / len(sent[page, 'same']):.3f} MB sent, {median(took[page]):.0f} ms until here"
        )
        found.append(Figure(f"{name}: rerun, nothing changed", mean(used[page, "same"]), RERUN, "ms", note))
        if not used[page, "other"]:  # the browser asks for that, and draws it
            continue
        note = f"{median(sent[page, 'other']):.3f} MB sent"
        found.append(Figure(f"{name}: rerun, another sentence", mean(used[page, "other"]), RERUN, "ms", note))
    largest = max((page for page in pages if sent[page, "other"]), key=lambda page: median(sent[page, "other"]))
    most = median(sent[largest, "other"])
    return [*found, Figure("most bytes of a rerun", most, WIRE, "MB", largest or "sentence")]


def mean(values: list[float]) -> float:
    """The mean without the largest and smallest fifth."""
    ordered = sorted(values)
    cut = len(ordered) // 5
    inner = ordered[cut : len(ordered) - cut]
    return sum(inner) / len(inner)


async def memory(running: Server, sessions: int) -> list[Figure]:
    """Memory of the server and of each open session, and, by formula, of recorded runs."""
    alone = running.megabytes
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(sessions):
            await stack.enter_async_context(visit(running.url, "atlas"))
        each = (running.megabytes - alone) / sessions
    one = size(EncoderConfig(mlm_head=True))
    runs = [Figure(f"memory of a run of {n} tokens", one.bytes_of_a_run(n) / 1e6, unit="MB") for n in RUNS]
    return [
        Figure("memory of the server", alone, SERVER, "MB"),
        Figure("memory of a session", each, SESSION, "MB"),
        *runs,
    ]


def first_picture(starts: int) -> Figure:
    """Seconds from the start of the server until its first visitor sees the first picture."""
    took = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        for _ in range(starts):
            with tempfile.TemporaryDirectory() as home, browser.new_context() as context:
                page, port = context.new_page(), free_port()
                start = perf_counter()
                with started(ROOT / "app.py", Path(home) / "log", Path(home), port) as running:
                    up = perf_counter() - start
                    page.goto(running.url)
                    page.locator(".enc-main [data-head-row]").first.wait_for(timeout=60_000)
                    page.evaluate(NEXT_FRAMES)
                    took.append((perf_counter() - start, up))
        browser.close()
    note = f"server up after {median(up for _, up in took):.2f} s; {', '.join(f'{all_:.2f}' for all_, _ in took)}"
    return Figure(
        "from `streamlit run` to the first picture", median(all_ for all_, _ in took), FIRST_PICTURE, "s", note
    )


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="What each page costs.")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--sessions", type=int, default=20, help="open at once, to see what one takes")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    found = [first_picture(options.starts)] if options.starts else []
    with server() as running:
        found += asyncio.run(memory(running, options.sessions))
        found += asyncio.run(reruns(running, options.rounds)) if options.rounds else []
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
