"""The first page, which the browser draws: python tests/benchmarks/bench_front.py [--check].

Time after time a server is started, a browser that never saw it opens its first page,
and the time until the question and its picture are there is taken; then the bytes that this visit took besides
Streamlit's own files, as they came over the line; then the time from choosing a head until it is painted. Last, in one
visit, many choices one after the other on Start and on Attention: each is painted before the next. The same in a cell
of a notebook, from a disk.
"""

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "benchmarks")]

from browser_tools import NEXT_FRAMES, free_port, started, watch  # noqa: E402
from chromium import find_chromium  # noqa: E402
from figures import Figure, finish  # noqa: E402
from playwright.sync_api import Browser, Page, WebSocket, sync_playwright  # noqa: E402

from encoder import TextEncoder  # noqa: E402

VIEWPORT = {"width": 1440, "height": 900}
STARTS, CHOICES = 5, 24
MANY = (150, 400)  # choices on a page, one after the other
FIRST = 2.5  # seconds from opening the page of a cold server until question, sentence and arcs are there
CHOICE = 50.0  # milliseconds until a chosen head is painted, 19 of 20 times
SENT = 150.0  # kilobytes of a first visit
OWN = ("/static/", "/_stcore/", "/favicon", "/vendor/")  # what Streamlit serves of its own
# Clicks a row and takes the time until the drawing of it is over: the second frame after the page has changed.
CLICK = """row => new Promise(done => {
  const page = row.getRootNode().querySelector('.enc-main'), before = page.innerText, start = performance.now();
  const look = () => page.innerText === before && performance.now() - start < 5000
    ? requestAnimationFrame(look) : requestAnimationFrame(() => done(performance.now() - start));
  row.click();
  look();
})"""

# Makes choices in turn, each once the one before is painted, and takes the time of each as above.
CHOOSE = """async (root, [groups, count]) => {
  const took = []
  const frame = () => new Promise(done => requestAnimationFrame(done))
  for (let i = 0; i < count; i++) {
    const all = root.querySelectorAll(groups[i % groups.length]), start = performance.now()
    all[(7 * i + 3) % all.length].click()
    await frame()
    await frame()
    took.push(performance.now() - start)
  }
  return took
}"""
CHOSEN = {  # on each page what is chosen in turn
    "start": ["[data-head-row]", "[data-word]"],
    "attention": [f"[aria-label={name}] [role=radio]" for name in ("head", "Stop", "layer")] + ["tr[data-line]"],
}


class Line:
    """What comes to a page over the line, besides Streamlit's own files."""

    def __init__(self, page: Page) -> None:
        self.files, self.frames = 0, 0
        self.addresses: dict[str, str] = {}
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.responseReceived", lambda said: self.answer(said["requestId"], said["response"]["url"]))
        session.on("Network.loadingFinished", lambda said: self.end(said["requestId"], said["encodedDataLength"]))
        page.on("websocket", self.opened)

    def opened(self, line: WebSocket) -> None:
        """Count what comes over a websocket."""
        line.on("framereceived", self.frame)

    def frame(self, frame: str | bytes) -> None:
        """Count one frame."""
        self.frames += len(frame)

    def answer(self, request: str, url: str) -> None:
        """Remember what is fetched."""
        self.addresses[request] = url

    def end(self, request: str, size: float) -> None:
        """Count a file that has come; the page itself is Streamlit's."""
        url = self.addresses.get(request, "")
        path = "/" + url.partition("//")[2].partition("/")[2]
        if path != "/" and not any(own in path for own in OWN) and url.startswith("http"):
            self.files += int(size)


def visit(browser: Browser, took: dict[str, list[float]]) -> None:
    """One first visit to a cold server, and some choices."""
    with tempfile.TemporaryDirectory() as home, browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        watch(page)
        line = Line(page)
        with started(ROOT / "app.py", Path(home) / "log", Path(home), free_port()) as server:
            start = perf_counter()
            page.goto(server.url)
            page.locator(".enc-main [data-head-row]").first.wait_for(timeout=60_000)
            page.evaluate(NEXT_FRAMES)
            took["first"].append(perf_counter() - start)
            page.wait_for_load_state("networkidle")
            took["files"].append(line.files / 1e3)
            took["frames"].append(line.frames / 1e3)
            took["choice"] += chosen(page)
            page.goto("about:blank")


def chosen(page: Page) -> list[float]:
    """Milliseconds until each of some heads is painted on Start."""
    rows = page.locator(".enc-main [data-head-row]")
    count = rows.count()
    found = []
    for i in range(CHOICES):
        found.append(float(rows.nth((7 * i + 3) % count).evaluate(CLICK)))
        page.wait_for_timeout(50)
    return found


def many(browser: Browser, took: dict[str, list[float]]) -> None:
    """Many choices on each page of one visit, with all layers loaded."""
    with tempfile.TemporaryDirectory() as home, browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        with started(ROOT / "app.py", Path(home) / "log", Path(home), free_port()) as server:
            page.goto(f"{server.url}/plain?sentence=Now+it+has+loaded.")
            for name, path in (("start", ""), ("attention", "/attention")):
                page.goto(server.url + path)
                page.locator(".enc-main h1:not(:empty)").wait_for(timeout=60_000)
                if name == "attention":
                    for layer in page.get_by_role("radiogroup", name="layer").get_by_role("radio").all():
                        layer.click()
                        page.get_by_role("gridcell").wait_for(timeout=60_000)
                        page.wait_for_load_state("networkidle")
                for count in MANY:
                    took[f"{name} {count}"] = page.locator(".front").evaluate(CHOOSE, [CHOSEN[name], count])
            page.goto("about:blank")


def in_cell(browser: Browser, took: dict[str, list[float]]) -> None:
    """Many choices in a cell of a notebook, with another one beside it."""
    trace = TextEncoder.from_pretrained("base").trace("The keys to the old cabinet [MASK] on the wooden table.")
    with tempfile.TemporaryDirectory() as home, browser.new_context(viewport=VIEWPORT, offline=True) as context:
        file, page = Path(home) / "notebook.html", context.new_page()
        cell = trace.show("attention", layer=5, head=6)._repr_html_()
        file.write_text(f"<!DOCTYPE html><meta charset='utf-8'><title>Notebook</title>{cell}{cell}", encoding="utf-8")
        page.goto(file.as_uri())
        frame = page.frame_locator("iframe").first
        frame.get_by_role("gridcell").wait_for(timeout=60_000)
        took["cell"] = frame.locator("#front").evaluate(CHOOSE, [CHOSEN["attention"], MANY[0]])


def usual(values: list[float]) -> str:
    """The median, in words."""
    return f"median {median(values):.0f}"


def main() -> int:
    """Print the figures; return the exit status."""
    parser = argparse.ArgumentParser(description="What the first page costs.")
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    took: dict[str, list[float]] = defaultdict(list)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        for _ in range(options.starts):
            visit(browser, took)
        many(browser, took)
        in_cell(browser, took)
        browser.close()
    first, files, frames, choices = (took[what] for what in ("first", "files", "frames", "choice"))
    every = ", ".join(f"{one:.2f}" for one in first)
    found = [
        Figure("first visit until the picture", median(first), FIRST, "s", every),
        Figure("files of it", median(files), SENT, "kB", f"{median(frames):.0f} kB more in frames"),
        Figure("a head chosen, p95", quantiles(choices, n=20)[-1], CHOICE, "ms", usual(choices)),
    ]
    for name in CHOSEN:
        for count in MANY:
            choices = took[f"{name} {count}"]
            title = f"{count} choices on {name.capitalize()}, p95"
            found.append(Figure(title, quantiles(choices, n=20)[-1], CHOICE, "ms", usual(choices)))
    cell = took["cell"]
    found.append(
        Figure(f"{MANY[0]} choices in a notebook's cell, p95", quantiles(cell, n=20)[-1], CHOICE, "ms", usual(cell))
    )
    return finish(found, options.check)


if __name__ == "__main__":
    sys.exit(main())
