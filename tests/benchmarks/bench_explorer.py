"""The pages that the browser draws: python tests/benchmarks/bench_explorer.py [--visits 3] [--pupils 30] [--check].

Visit after visit a new tab of a warm server walks by the menu through all of these pages, each taken from the click
until its picture is painted: the first time in the tab, where most pages ask for a packet, and again. Then, page by
page, everything that can be chosen there is chosen in turn, each from the click to the second frame after it, with what
the tab sent meanwhile. Then switches of What if, and layers that are not loaded. Last, thirty visitors without a
browser, each with a sentence of its own, change pages and choose what is not loaded, asking for all that the browser
was seen to ask for, while two tabs measure as before. All of it shares the processors of this machine.

Every wait has an end, and its error names the page.
"""

import argparse
import asyncio
import json
import random
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "benchmarks")]

from bench_load import server  # noqa: E402
from browser_tools import Server  # noqa: E402
from chromium import find_chromium  # noqa: E402
from figures import Figure, finish  # noqa: E402
from playwright.sync_api import Browser, Error, Page, WebSocket, sync_playwright  # noqa: E402
from playwright.sync_api import Request as Sent  # noqa: E402
from playwright.sync_api import TimeoutError as TooLate  # noqa: E402
from visitors import TIMEOUT, sentence, visit  # noqa: E402

from encoder.packet.shipped import SENTENCES  # noqa: E402
from pages.ui.state.site import DRAWN, page_of, path  # noqa: E402

NEXT_PAGE, SWITCH, LOADED, ASKED, LINK = 300.0, 300.0, 50.0, 300.0, 500.0  # milliseconds that are aimed at
CHOICES = 24  # of each kind on a page
SENT, SWITCHES = 2, 12  # requests of a switch; switches
WAIT = 15_000  # milliseconds until a page is given up
REST = 500  # milliseconds in which a page sends what it still has to send
THINK = 4.0  # seconds between two acts of a pupil, half to one and a half of it
LASTS = 40.0  # seconds that they act
WALK = tuple(DRAWN)
VIEWPORT = {"width": 1440, "height": 900}
PICTURES = {  # what is painted once the picture of a page is there
    "sentence": ".enc-strip [data-head-row]",
    "attention": ".at:not(.an):not(.ff) [data-cell]",
    "embedding": ".em-near li",
    "add_norm": ".an .vs-slider",
    "feed_forward": ".ff .cv-slider",
    "stack": ".ou-cell",
    "what_if": ".wi [data-guess][data-after]",
    "compare": ".cp [data-head-row], .cp .cp-offer",
    "heads": ".hd [data-head-map]",
}
LAYER, STOP = '[aria-label="layer"] [role=radio]', '[aria-label="Stop"] [role=radio]'
CHOSEN = {  # what can be chosen on a page and is loaded with it
    "sentence": {"head": "[data-head-row]", "word": "[data-word]:not([aria-disabled])"},
    "attention": {
        "layer": LAYER,
        "head": '[aria-label="head"] [role=radio]',
        "stop": STOP,
        "line": "tr[data-line]",
    },
    "embedding": {"word": ".em-words button:not([aria-disabled])", "stop": STOP},
    "add_norm": {"layer": LAYER, "sum": '[aria-label="Which sum"] [role=radio]', "stop": STOP, "word": "[data-word]"},
    "feed_forward": {"layer": LAYER, "word": "[data-word]", "unit": ".at-beside [role=option], .at-beside [data-cell]"},
    "stack": {"word": ".ou-word", "cell": ".ou-cell"},
    "compare": {"word": ".cp-word", "head": "[data-head-row]"},
    "heads": {"head": "[data-head-map]"},
}
# What all scripts below do: they begin something, and leave the milliseconds that it took in `window.took`.
FRAMES = """
const shown = picture => [...root.querySelectorAll(picture)].some(one => one.checkVisibility())
const frame = () => new Promise(done => requestAnimationFrame(done))
const painted = async () => { await frame(); await frame() }
const until = async true_ => { while (!true_()) await frame() }
window.took = null
const take = async work => { window.took = await work().catch(error => String(error)) }
"""
GO = f"""(root, [title, picture]) => {{{FRAMES}
  root.querySelector('[aria-label=Menu]').click()
  const link = [...root.querySelectorAll('[aria-label=Pages] a')].find(one => one.textContent === title)
  take(async () => {{
    const start = performance.now()
    link.click()
    await until(() => shown(picture))
    await painted()
    return [performance.now() - start]
  }})
}}"""
CHOOSE = f"""(root, [choice, count]) => {{{FRAMES}
  take(async () => {{
    const found = []
    for (let i = 0; i < count; i++) {{
      const all = [...root.querySelectorAll(choice)].filter(one => one.checkVisibility())
      if (!all.length) throw new Error(`nothing is ${{choice}}`)
      const start = performance.now()
      all[(7 * i + 3) % all.length].click()
      root.getBoundingClientRect()
      const worked = performance.now() - start
      await painted()
      found.push(performance.now() - start, worked)
    }}
    return found
  }})
}}"""
LOAD = f"""(root, [choice, at, picture]) => {{{FRAMES}
  take(async () => {{
    const start = performance.now()
    root.querySelectorAll(choice)[at].click()
    await until(() => shown(picture))
    await painted()
    return [performance.now() - start]
  }})
}}"""
SWITCHED = f"""(root, at) => {{{FRAMES}
  take(async () => {{
    const all = root.querySelectorAll('.wi-board [data-cell]'), start = performance.now()
    all[at % all.length].click()
    await painted()
    const pressed = performance.now() - start
    const differs = () => /[a-z]/.test(root.querySelector('.wi-first').textContent)
    await until(() => differs() && !shown('.wi [data-guess]:not([data-after])'))
    await painted()
    return [pressed, performance.now() - start]
  }})
}}"""


@dataclass
class Tab:
    """An open page, and what it sent: the bodies of its requests by the page that was shown, and a count of all."""

    page: Page
    url: str
    sent: int = 0
    now: str = ""
    bodies: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.page.on("request", self.request)
        self.page.on("websocket", self.opened)

    def opened(self, line: WebSocket) -> None:
        """Count what goes over a websocket."""
        line.on("framesent", lambda _: self.count())

    def request(self, request: Sent) -> None:
        """Count a request, and keep what it asks for."""
        self.count()
        if request.method == "POST" and request.post_data:
            self.bodies[self.now].append({"path": urlsplit(request.url).path, "asked": json.loads(request.post_data)})

    def count(self) -> None:
        """One more was sent."""
        self.sent += 1

    def open(self, key: str, **query: str) -> None:
        """Open a page by its address and wait for its picture."""
        self.now = key
        self.page.goto(f"{self.url}/{path(key)}?{urlencode(query)}", timeout=WAIT)
        self.page.locator(f".enc-main {PICTURES[key]}").first.wait_for(timeout=4 * WAIT)
        self.rest()

    def rest(self) -> None:
        """Wait until nothing is on its way."""
        self.page.wait_for_load_state("networkidle", timeout=WAIT)
        self.page.wait_for_timeout(REST)

    def take(self, script: str, given: object, what: str) -> list[float]:
        """Begin what a script does, and return the milliseconds that it took.

        Raises:
            RuntimeError: it did not come to its end; the sentence says what did not.
        """
        self.page.locator(".front").evaluate(script, given, timeout=WAIT)
        try:
            self.page.wait_for_function("() => window.took !== null", polling=20, timeout=WAIT)
        except TooLate:
            raise RuntimeError(f"{what}: nothing came within {WAIT / 1000:g} s at {self.page.url}") from None
        found = self.page.evaluate("window.took")
        if isinstance(found, str):
            raise RuntimeError(f"{what}: {found} at {self.page.url}")
        return [float(one) for one in found]

    def go(self, key: str) -> float:
        """Milliseconds from the click on a page in the menu until its picture is painted."""
        self.now = key
        return self.take(GO, [page_of(key).title, PICTURES[key]], f"{page_of(key).title}, by the menu")[0]

    def choose(self, key: str, what: str, count: int) -> tuple[list[float], list[float]]:
        """Milliseconds of so many choices of a kind on the page that is shown, and of them until it is laid out."""
        took = self.take(CHOOSE, [CHOSEN[key][what], count], f"a {what} on {page_of(key).title}")
        return took[::2], took[1::2]


@contextmanager
def tab(browser: Browser, url: str) -> Iterator[Tab]:
    """A tab that nobody used."""
    with browser.new_context(viewport=VIEWPORT) as context:
        yield Tab(context.new_page(), url)


def high(values: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def said(values: list[float]) -> str:
    """The median and the worst, in words."""
    return f"median {median(values):.0f}, worst {max(values):.0f} of {len(values)}"


def walk(browser: Browser, url: str, visits: int, asks: dict[str, list[dict[str, Any]]]) -> list[Figure]:
    """Figures of next pages; what a tab was seen to ask for on each page the first time goes into `asks`."""
    first, again = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for _ in range(1 + visits):  # the first one warms the server
        with tab(browser, url) as one:
            one.open(WALK[0])
            one.bodies.clear()
            for took in (first, again, again):
                for key in (*WALK[1:], WALK[0]):
                    took[key].append(one.go(key))
                    one.rest()
                if not asks:
                    asks.update({key: list(bodies) for key, bodies in one.bodies.items()})
    return [
        Figure(f"{page_of(key).title}: {name}", median(took[key][skipped:]), NEXT_PAGE, "ms", said(took[key][skipped:]))
        for key in WALK
        for name, took, skipped in (("next page, first time in a tab", first, 1), ("next page, again", again, 2))
    ]


def choices(browser: Browser, url: str) -> list[Figure]:
    """Figures of choices that are loaded."""
    found = []
    for key, kinds in CHOSEN.items():
        with tab(browser, url) as one:
            one.open(key)
            for _ in range(2):  # what is chosen first is loaded with it; at an earlier stop there are other lines
                for what in kinds:
                    one.choose(key, what, CHOICES)
                    one.rest()
            for what in kinds:
                before = one.sent
                took, worked = one.choose(key, what, CHOICES)
                one.page.wait_for_timeout(REST)
                name = f"{page_of(key).title}: a {what} chosen"
                found += [
                    Figure(
                        f"{name}, p95", high(took), LOADED, "ms", f"{said(took)}; laid out after {median(worked):.0f}"
                    ),
                    Figure(f"{name}, sent", one.sent - before, 0),
                ]
    return found


def switches(browser: Browser, running: Server) -> list[Figure]:
    """Figures of switches: until the press is painted, and until what it changes is there."""
    with tab(browser, running.url) as one:
        one.open("what_if")
        took, sent, used = [], [], running.processor_seconds
        for i in range(SWITCHES):
            before = one.sent
            took.append(one.take(SWITCHED, 7 * i + 3, f"switch {7 * i + 3} of What if"))
            one.rest()
            sent.append(one.sent - before)
        used = 1e3 * (running.processor_seconds - used) / SWITCHES
    pressed, changed = ([pair[i] for pair in took] for i in range(2))
    return [
        Figure("What if: a switch, the press is painted, p95", high(pressed), LOADED, "ms", said(pressed)),
        Figure("What if: a switch, what it changes, p95", high(changed), SWITCH, "ms", said(changed)),
        Figure("What if: a switch, sent at most", max(sent), SENT, note="the changed run, and what differs in it"),
        Figure(
            "What if: a switch, processor of the server", used, unit="ms", note="does not count what else runs here"
        ),
    ]


def loads(browser: Browser, url: str, visits: int) -> list[Figure]:
    """Figures of a layer that is not loaded, on a page that needs more of it than the whole run has."""
    found = []
    for key in ("add_norm", "feed_forward"):
        took: list[float] = []
        for _ in range(visits):
            with tab(browser, url) as one:
                one.open(key, layer="5")
                for at in (2, 0):  # far enough that it was not fetched beforehand
                    given = [LAYER, at, PICTURES[key]]
                    took += one.take(LOAD, given, f"layer {at} of {page_of(key).title}")
                    one.rest()
        found.append(Figure(f"{page_of(key).title}: a layer not loaded, p95", high(took), ASKED, "ms", said(took)))
    return found


@dataclass
class Class:
    """What pupils without a browser waited for, in milliseconds, and what went wrong."""

    opened: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    packets: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def post(url: str, body: dict[str, Any], own: str, layer: int) -> float:
    """Ask for a packet as a page does, of a sentence of one's own; returns the milliseconds until it is here."""
    asked = body["asked"] | {"sentence": own}
    if "layer" in asked:
        asked["layer"] = layer
    address = urlsplit(url)
    request = Request(
        f"{address.scheme}://{address.netloc}{body['path']}",
        json.dumps(asked).encode(),
        {"Content-Type": "application/json", "Accept-Encoding": "gzip"},
    )
    start = perf_counter()
    with urlopen(request, timeout=TIMEOUT) as answer:
        answer.read()
    return 1e3 * (perf_counter() - start)


async def asked_for(url: str, bodies: list[dict[str, Any]], own: str, draw: random.Random, told: Class) -> None:
    """Ask for all of these at once."""
    layer = draw.randrange(6)
    took = await asyncio.gather(
        *(asyncio.to_thread(post, url, body, own, layer) for body in bodies), return_exceptions=True
    )
    for one in took:
        if isinstance(one, BaseException):
            told.broken.append(repr(one))
        else:
            told.packets.append(one)


async def pupil(url: str, number: int, asks: dict[str, list[dict[str, Any]]], until: float, told: Class) -> None:
    """One of the class: goes to pages and chooses. A choice that is loaded asks for nothing, so none is made here."""
    draw = random.Random(number)
    own = sentence(draw)
    pages = [key for key in WALK if asks.get(key)]
    layered = [body for bodies in asks.values() for body in bodies if "layer" in body["asked"]]
    async with visit(url, pages[number % len(pages)], urlencode({"sentence": own})) as visitor:
        while True:
            await asyncio.sleep(THINK * draw.uniform(0.5, 1.5))
            if perf_counter() > until:
                break
            if draw.random() < 0.5:
                await asked_for(url, [draw.choice(layered)], own, draw, told)
                continue
            key = draw.choice(pages)
            come, _ = await asyncio.gather(visitor.run(path(key)), asked_for(url, asks[key], own, draw, told))
            told.runs.append(1e3 * come)
        told.broken += visitor.broken


async def link(url: str, count: int, body: dict[str, Any], told: Class) -> None:
    """So many open one link at once: the page, its first run over the websocket, and the packet that it draws."""
    own = "One link for a whole class."
    await asyncio.to_thread(post, url, body, own, 0)  # a teacher has it open

    async def come() -> None:
        start = perf_counter()
        async with visit(url, "attention", urlencode({"sentence": own})):
            await asyncio.to_thread(post, url, body, own, 0)
            told.opened.append(1e3 * (perf_counter() - start))

    await asyncio.gather(*(come() for _ in range(count)))


def beside(work: Coroutine[Any, Any, None]) -> threading.Thread:
    """Begin work on a thread of its own: this one drives the browser."""
    thread = threading.Thread(target=asyncio.run, args=(work,))
    thread.start()
    return thread


def together(browser: Browser, running: Server, asks: dict[str, list[dict[str, Any]]], pupils: int) -> list[Figure]:
    """Figures of two tabs while so many others change pages and choose."""
    url, told = running.url, Class()
    first = next(one for bodies in asks.values() for one in bodies)
    body = {"path": first["path"], "asked": {key: value for key, value in first["asked"].items() if key != "layer"}}
    body["asked"] |= {"level": 1, "off": True, "second": "", "hidden": [], "edits": ""}
    beside(link(url, pupils, body, told)).join()
    until = perf_counter() + LASTS

    async def come() -> None:
        await asyncio.gather(*(pupil(url, number, asks, until, told) for number in range(pupils)))

    pages, chosen = list[float](), list[float]()
    with tab(browser, url) as one, tab(browser, url) as other:
        for each, query in ((one, {}), (other, {"sentence": SENTENCES[1]})):
            each.open(WALK[0], **query)
            for key in (*WALK[1:], WALK[0]):
                each.go(key)
        others, used = beside(come()), running.processor_seconds
        turn = 0
        while perf_counter() < until:
            turn += 1
            key = WALK[turn % len(WALK)]
            for each in (one, other):
                pages.append(each.go(key))
                each.page.wait_for_timeout(300)
                for what in CHOSEN.get(key, {}):
                    if what != "layer":
                        chosen += each.choose(key, what, 3)[0]
        others.join()
        used = (running.processor_seconds - used) / LASTS
    rows = (
        (f"{pupils} open one link at once: the last packet, p95", told.opened, LINK),
        (f"{pupils} act: next page in a browser, p95", pages, NEXT_PAGE),
        (f"{pupils} act: a choice in a browser, p95", chosen, LOADED),
        (f"{pupils} act: a packet that is asked for, p95", told.packets, ASKED),
        (f"{pupils} act: the server hears of a page, p95", told.runs, None),
    )
    return [
        *(Figure(name, high(took), bar, "ms", said(took)) for name, took, bar in rows),
        Figure(f"{pupils} act: processors that the server uses", used, note="does not count what else runs here"),
        Figure(f"{pupils} act: errors", len(told.broken), 0, note="; ".join(told.broken[:2])),
    ]


def come_to_an_end(work: Callable[[], list[Figure]]) -> list[Figure]:
    """The figures of a part, printed as soon as they are there; one that fails and says why where it did not end."""
    try:
        found = work()
    except (RuntimeError, Error) as error:
        found = [Figure("was not measured to its end", float("nan"), 0, note=str(error).partition("\n")[0])]
    print(*found, sep="\n", flush=True)
    return found


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="What the pages cost that the browser draws.")
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--pupils", type=int, default=30)
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    asks: dict[str, list[dict[str, Any]]] = {}
    with server() as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        parts = (
            lambda: walk(browser, running.url, options.visits, asks),
            lambda: choices(browser, running.url),
            lambda: switches(browser, running),
            lambda: loads(browser, running.url, options.visits),
            lambda: together(browser, running, asks, options.pupils),
        )
        found = [one for part in parts for one in come_to_an_end(part)]
        browser.close()
    print()
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
