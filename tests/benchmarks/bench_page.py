"""What the pages cost: python tests/benchmarks/bench_page.py [--visits 3] [--check].

First visits: a server is started, a browser that never saw it opens its first page, and the time until the picture is
there is taken, from the start of the server and from the opening of the page, with the bytes that came besides
Streamlit's own files. Then, on a warm server, a new tab walks by the menu through all pages that the browser draws,
each from the click until its picture is painted: the first time in the tab, where most pages ask for a packet, and
again. Page by page, everything that can be chosen there is chosen in turn, each from the click to the second frame
after it, with what the tab sent meanwhile; then switches of What if, layers that are not loaded, and moments of a
film. Last, what the server works: a rerun of every page, and the packet of an opened number.

Every wait has an end, and its error names the page.
"""

import asyncio
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from urllib.parse import urlencode

import figures  # noqa: F401  (it says where the modules of the tests lie)
from bench_load import server
from browser_tools import NEXT_FRAMES, watch
from chromium import find_chromium
from figures import ROOT, Figure, command_line, finish, high, processor_seconds
from playwright.sync_api import Browser, Error, Page, sync_playwright
from playwright.sync_api import TimeoutError as TooLate
from servers import Server, free_port, started
from visitors import sentence, visit

from encoder.browser.page_table import CHART
from encoder.train.recipe import RECIPES
from pages.front import make
from pages.front.request_fields import RunRequest, wanted
from pages.ui.server import engine
from pages.ui.state.site import DRAWN, page_of, path

STARTED, FIRST, FILES = 4.0, 2.5, 150.0  # seconds from the start; from opening the page of a cold server; kilobytes
NEXT_PAGE, SWITCH, LOADED, ASKED = 300.0, 300.0, 50.0, 300.0  # milliseconds
UNFOLDED, FOLLOWS = 1000.0, 300.0  # milliseconds
RERUN, WIRE, NUMBER = 100.0, 0.5, 100.0  # milliseconds, megabytes, milliseconds
HEADS, ARROWS = 2.0, 4.0  # seconds
PAIRED = ("boy", "dog", "teacher", "bird", "horse", "girl")
CHOICES, MANY = 24, 400  # of each kind on a page; of a head, one after the other
SENT, SWITCHES = 2, 12  # requests of a switch; switches
WAIT = 15_000  # milliseconds until a page is given up
REST = 500  # milliseconds in which a page sends what it still has to send
WALK = tuple(DRAWN)
VIEWPORT = {"width": 1440, "height": 900}
STREAMLITS = ["/static/", "/_stcore/", "/favicon", "/vendor/"]
LONG = "The old man and the sea were friends. " * 6 + "The old man and the sea were friends"
PICTURES = {  # what is painted once the picture of a page is there
    "start": ".enc-strip [data-head-row]",
    "attention": ".at:not(.an):not(.ff) [data-cell]",
    "embedding": ".em .bars li",
    "add_norm": ".an .an-bar i",
    "feed_forward": ".ff .cv-slider",
    "output": ".ou-cell",
    "what_if": ".wi [data-guess][data-after]",
    "compare": ".cp .bars li",
    "heads": ".hd [data-head-map]",
}
LAYER, STOP = '[aria-label="layer"] [role=radio]', '[aria-label="Stop"] [role=radio]'
CHOSEN = {  # what can be chosen on a page and is loaded with it
    "start": {"head": "[data-head-row]", "word": "[data-word]:not([aria-disabled])"},
    "attention": {
        "layer": LAYER,
        "head": '[aria-label="head"] [role=radio]',
        "stop": STOP,
    },
    "embedding": {"word": ".word-row button:not([aria-disabled])", "part": '[aria-label="Beside"] [role=radio]'},
    "add_norm": {"layer": LAYER, "sum": '[aria-label="Which sum"] [role=radio]', "word": "[data-word]"},
    "feed_forward": {"layer": LAYER, "word": "[data-word]", "unit": ".at-beside [role=option], .at-beside [data-cell]"},
    "output": {"word": ".word-row button", "cell": ".ou-cell"},
    "compare": {"word": ".cp-word", "head": "[data-head-row]"},
    "heads": {"head": "[data-head-map]"},
}
OPENED = {"compare": {"view": "look"}}  # what an address says of a page beside the sentence
NUMBERS: dict[str, dict[str, object]] = {  # that are opened
    "a weight": {"level": 9, "step": "layers.4.attention.weights", "index": [1, 20, 7]},
    "a query": {"level": 9, "step": "layers.4.attention.q", "index": [1, 20, 7]},
    "a probability": {"level": 9, "step": "mlm.probabilities", "index": [20, 2657]},
    "all numbers of a step": {"level": 8, "step": "layers.4.feed_forward.activation", "index": [0]},
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
    const times = []
    for (let i = 0; i < count; i++) {{
      const all = [...root.querySelectorAll(choice)].filter(one => one.checkVisibility())
      if (!all.length) throw new Error(`nothing is ${{choice}}`)
      const start = performance.now()
      all[(7 * i + 3) % all.length].click()
      await painted()
      times.push(performance.now() - start)
    }}
    return times
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
    const all = root.querySelectorAll('.board [data-cell]'), start = performance.now()
    all[at % all.length].click()
    await painted()
    const pressed = performance.now() - start
    const differs = () => /[a-z]/.test(root.querySelector('.wi-first').textContent)
    await until(() => differs() && !shown('.wi [data-guess]:not([data-after])'))
    await painted()
    return [pressed, performance.now() - start]
  }})
}}"""
CUT = f"""(root, at) => {{{FRAMES}
  take(async () => {{
    const all = root.querySelectorAll('.cc-name'), title = root.querySelector('h1'), before = title.textContent
    const start = performance.now()
    all[at % all.length].click()
    await until(() => title.textContent !== before)
    await painted()
    return [performance.now() - start]
  }})
}}"""
PAIR = f"""(root, text) => {{{FRAMES}
  take(async () => {{
    const field = root.querySelector('[aria-label="Sentence B"]'), start = performance.now(), came = []
    field.value = text
    field.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true }}))
    await until(() => !shown('.cc-stage'))
    for (const picture of ['.cc-stage', '.cc-stage .cc-name']) {{
      await until(() => shown(picture))
      await painted()
      came.push(performance.now() - start)
    }}
    return came
  }})
}}"""
UNFOLD = f"""(root, title) => {{{FRAMES}
  take(async () => {{
    const button = [...root.querySelectorAll('.more-title')].find(one => one.textContent === title)
    const start = performance.now()
    button.click()
    await until(() => shown('.more .main-svg'))
    await painted()
    return [performance.now() - start]
  }})
}}"""
FOLLOW = f"""(root, [choice, count]) => {{{FRAMES}
  take(async () => {{
    const times = []
    for (let i = 0; i < count; i++) {{
      const all = [...root.querySelectorAll(choice)], next = all[(3 * i + 1) % all.length]
      if (next.getAttribute('aria-checked') === 'true') continue
      const start = performance.now(), says = () => root.querySelector('.more-picture h4').textContent
      next.click()
      await painted()
      times.push(performance.now() - start)
      await until(() => says().includes(`head ${{next.textContent}} `))
      await painted()
      times.push(performance.now() - start)
      await new Promise(done => setTimeout(done, 100))
    }}
    return times
  }})
}}"""
OWN = """others => performance.getEntriesByType('resource')
  .filter(file => !others.some(other => file.name.includes(other))).reduce((sum, file) => sum + file.transferSize, 0)"""
PRESS = """(chart, key) => new Promise(done => {
  const start = performance.now()
  chart.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
})"""


@dataclass
class Tab:
    """An open page, and a count of what it sent."""

    page: Page
    url: str
    sent: int = 0

    def __post_init__(self) -> None:
        self.page.on("request", self.count)
        self.page.on("websocket", lambda line: line.on("framesent", self.count))

    def count(self, sent: object) -> None:
        """Count a request or a frame."""
        self.sent += 1

    def open(self, key: str, **query: str) -> None:
        """Open a page by its address and wait for its picture."""
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
            self.page.wait_for_function("() => window.took !== null", polling=20, timeout=2 * WAIT)
        except TooLate:
            raise RuntimeError(f"{what}: nothing came within {2 * WAIT / 1000:g} s at {self.page.url}") from None
        took = self.page.evaluate("window.took")
        if isinstance(took, str):
            raise RuntimeError(f"{what}: {took} at {self.page.url}")
        return [float(time) for time in took]

    def go(self, key: str) -> float:
        """Return the milliseconds from the click on a page in the menu until its picture is painted."""
        return self.take(GO, [page_of(key).title, PICTURES[key]], f"{page_of(key).title}, by the menu")[0]

    def choose(self, key: str, what: str, count: int) -> list[float]:
        """Return the milliseconds of so many choices of a kind on the page that is shown."""
        return self.take(CHOOSE, [CHOSEN[key][what], count], f"a {what} on {page_of(key).title}")


@contextmanager
def tab(browser: Browser, url: str) -> Iterator[Tab]:
    """A tab that nobody used."""
    with browser.new_context(viewport=VIEWPORT) as context:
        yield Tab(context.new_page(), url)


def first_visits(browser: Browser, starts: int) -> list[Figure]:
    """Return what the first visit to a server that was just started takes."""
    from_start, from_opening, files = list[float](), list[float](), list[float]()
    for _ in range(starts):
        with tempfile.TemporaryDirectory() as home, browser.new_context(viewport=VIEWPORT) as context:
            page = context.new_page()
            watch(page)
            start = perf_counter()
            with started(ROOT / "app.py", Path(home) / "log", Path(home), free_port()) as running:
                opened = perf_counter()
                page.goto(running.url)
                page.locator(".enc-main [data-head-row]").first.wait_for(timeout=60_000)
                page.evaluate(NEXT_FRAMES)
                from_start.append(perf_counter() - start)
                from_opening.append(perf_counter() - opened)
                page.wait_for_load_state("networkidle")
                files.append(page.evaluate(OWN, STREAMLITS) / 1e3)
                page.goto("about:blank")
    return [
        Figure("from `streamlit run` to the first picture", median(from_start), STARTED, "s", f"{starts} starts"),
        Figure("first visit to a cold server until the picture", median(from_opening), FIRST, "s"),
        Figure("files of it", median(files), FILES, "kB"),
    ]


def walk(browser: Browser, url: str, visits: int) -> list[Figure]:
    """Return the figures of next pages."""
    first, again = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for visit_ in range(1 + visits):  # the first one warms the server
        with tab(browser, url) as one:
            one.open(WALK[0])
            for took in (first, again, again):
                for key in (*WALK[1:], WALK[0]):
                    milliseconds = one.go(key)
                    if visit_:
                        took[key].append(milliseconds)
                    one.rest()
    return [
        Figure(f"{page_of(key).title}: {name}", median(took[key]), NEXT_PAGE, "ms", f"largest {max(took[key]):.0f}")
        for key in WALK
        for name, took in (("next page, first time in a tab", first), ("next page, again", again))
    ]


def choices(browser: Browser, url: str) -> list[Figure]:
    """Return the figures of choices that are loaded; of heads of Start and Attention very many."""
    rows = []
    for key, kinds in CHOSEN.items():
        with tab(browser, url) as one:
            one.open(key, **OPENED.get(key, {}))
            for _ in range(2):  # what is chosen first is loaded with it; at an earlier stop there are other lines
                for what in kinds:
                    one.choose(key, what, CHOICES)
                    one.rest()
            for what in kinds:
                before = one.sent
                count = MANY if what == "head" and key in ("start", "attention") else CHOICES
                took = one.choose(key, what, count)
                one.page.wait_for_timeout(REST)
                name = f"{page_of(key).title}: a {what} chosen"
                rows += [high(name, took, LOADED), Figure(f"{name}, sent", one.sent - before, 0)]
    return rows


def switches(browser: Browser, url: str) -> list[Figure]:
    """Return the figures of switches: until the press is painted, and until what it changes is there."""
    with tab(browser, url) as one:
        one.open("what_if")
        took, sent = [], []
        for i in range(SWITCHES):
            before = one.sent
            took.append(one.take(SWITCHED, 7 * i + 3, f"switch {7 * i + 3} of What if"))
            one.rest()
            sent.append(one.sent - before)
    pressed, changed = ([pair[i] for pair in took] for i in range(2))
    return [
        high("What if: a switch, the press is painted", pressed, LOADED),
        high("What if: a switch, what it changes", changed, SWITCH),
        Figure("What if: a switch, sent at most", max(sent), SENT, note="the changed run, and what differs in it"),
    ]


def carried(browser: Browser, url: str) -> list[Figure]:
    """Return the figures of what is carried: an own pair until its heads and its arrows, and an arrow that is cut."""
    shown, arrows, cuts = list[float](), list[float](), list[float]()
    with tab(browser, url) as one:
        for noun in PAIRED:
            a = f"The {noun}s behind the old house of the king [MASK] very happy today."
            one.open("compare", sentence=a, other=a.replace("house", "houses"))
            pair = one.take(PAIR, a.replace("s ", " ", 1), f"a {noun}")
            shown.append(pair[0])
            arrows.append(pair[1])
            one.rest()
            for at in range(2):
                cuts += one.take(CUT, at, f"arrow {at} of {noun}")
                one.rest()
    return [
        high("Compare: an own pair, its heads", shown, 1e3 * HEADS),
        high("Compare: an own pair, its arrows", arrows, 1e3 * ARROWS),
        high("Compare: an arrow is cut", cuts, SWITCH),
    ]


def loads(browser: Browser, url: str, visits: int) -> list[Figure]:
    """Return the figures of a layer that is not loaded, on pages that need more of it than the whole run has."""
    rows = []
    for key in ("add_norm", "feed_forward"):
        took: list[float] = []
        for _ in range(visits):
            with tab(browser, url) as one:
                one.open(key, layer="5")
                for at in (2, 0):  # far enough that it was not fetched beforehand
                    took += one.take(LOAD, [LAYER, at, PICTURES[key]], f"layer {at} of {page_of(key).title}")
                    one.rest()
        rows.append(high(f"{page_of(key).title}: a layer not loaded", took, ASKED))
    return rows


def sections(browser: Browser, url: str, visits: int) -> list[Figure]:
    """Return the figures of a chart below Attention: unfolded with Plotly's bundle, and heads chosen with it open."""
    first, again, painted, follows = list[float](), list[float](), list[float](), list[float]()
    for _ in range(visits):
        with tab(browser, url) as one:
            one.open("attention", layer="5", head="6")
            for took in (first, again, again):
                took += one.take(UNFOLD, CHART[1], "a chart unfolded")
                one.page.get_by_role("button", name=CHART[1], exact=True).click()
            one.take(UNFOLD, CHART[1], "a chart unfolded")
            took = one.take(FOLLOW, ['[aria-label="head"] [role=radio]', MANY // 8], "a head chosen with a chart open")
            painted += took[::2]
            follows += took[1::2]
    return [
        high("Attention: its chart, first of a browser", first, UNFOLDED),
        high("Attention: its chart, unfolded again", again, FOLLOWS),
        high("Attention: a head chosen with its chart open", painted, LOADED),
        high("Attention: its chart follows a head", follows, FOLLOWS),
    ]


def moments(browser: Browser, url: str, rounds: int = 4) -> list[Figure]:
    """Return the time of a moment of the film of a training."""
    with tab(browser, url) as one:
        one.page.goto(f"{url}/training")
        chart = one.page.get_by_role("radiogroup", name="Moment of training")
        one.page.get_by_text("and it guesses").wait_for()
        chart.wait_for()
        keys = ["Home", *["ArrowRight"] * (len(RECIPES["small"].snapshots) - 1)] * rounds
        took = [float(chart.evaluate(PRESS, key)) for key in keys]
    return [Figure("a moment of the film of a training", median(took), LOADED, "ms", f"largest {max(took):.0f}")]


async def reruns(running: Server, rounds: int = 6) -> list[Figure]:
    """Return the server's processor time and the bytes of a rerun of every page; where it draws, another sentence."""
    used, sent = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    draw = random.Random(0)
    async with visit(running.url) as visitor:
        pages = list(visitor.pages)
        for page in pages * rounds:
            await visitor.run(page)
            await visitor.run()  # what its first run left open
            before = running.processor_seconds
            for _ in range(4):  # the clock of the processor has steps of 10 ms
                await (visitor.choose("sentence", sentence(draw)) if "around" in visitor.widgets else visitor.run())
                sent[page].append(visitor.sent[-1] / 1e6)
            used[page].append(1e3 * (running.processor_seconds - before) / 4)
        assert not visitor.broken, visitor.broken[:3]
    rows = [
        Figure(f"{page or 'start'}: rerun", median(used[page]), RERUN, "ms", f"{median(sent[page]):.3f} MB sent")
        for page in pages
    ]
    return [*rows, Figure("most bytes of a rerun", max(median(sizes) for sizes in sent.values()), WIRE, "MB")]


def numbers(rounds: int = 15) -> list[Figure]:
    """Return what opening a number costs the server, in a sentence of 64 tokens, and how often the model runs."""
    packets = {name: wanted(RunRequest, {"sentence": LONG, **number}) for name, number in NUMBERS.items()}
    for packet in packets.values():
        make.packet(packet)
    runs = engine.run_cache.made
    rows = [
        Figure(
            f"{name} opened", 1e3 * processor_seconds(lambda packet=packet: make.packet(packet), rounds), NUMBER, "ms"
        )
        for name, packet in packets.items()
    ]
    return [*rows, Figure("runs of the model meanwhile", engine.run_cache.made - runs, 0)]


def come_to_an_end(work: Callable[[], list[Figure]]) -> list[Figure]:
    """Return the figures of a part, printed as soon as they are there; one that says why where it did not end."""
    try:
        rows = work()
    except (RuntimeError, Error) as error:
        rows = [Figure("was not measured to its end", float("nan"), 0, note=str(error).partition("\n")[0])]
    print(*rows, sep="\n", flush=True)
    return rows


def main() -> int:
    """Print the figures; return the exit status."""
    parser = command_line(__doc__)
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--starts", type=int, default=5)
    options = parser.parse_args()
    with server() as running:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
            )
            parts: tuple[Callable[[], list[Figure]], ...] = (
                lambda: first_visits(browser, options.starts),
                lambda: walk(browser, running.url, options.visits),
                lambda: choices(browser, running.url),
                lambda: switches(browser, running.url),
                lambda: carried(browser, running.url),
                lambda: loads(browser, running.url, options.visits),
                lambda: sections(browser, running.url, options.visits),
                lambda: moments(browser, running.url),
            )
            rows = [row for part in parts for row in come_to_an_end(part)]
            browser.close()
        rows += asyncio.run(reruns(running))
    print()
    return finish([*rows, *numbers()], options.check)


if __name__ == "__main__":
    sys.exit(main())
