"""What the living map costs: python tests/benchmarks/bench_living_map.py [--check].

For 14, 32 and 64 tokens of `base`, and for 24 layers of 16 heads: the server's processor time, the bytes sent, and in
Chromium the time from the arrival of those bytes until the picture is painted (where a person changes the sentence of
an open page, and, without a bar, where Streamlit builds the first page), and the slowest frame while a pointer goes
over every word and while the picture is zoomed. The slowest frame is the least of three rounds, so that what else runs
on the machine does not count. With --check the exit status is 1 where a figure is over its bar.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import process_time
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser")]

from browser_tools import open_page, own_sentence, rerun, serve, watch, widget  # noqa: E402
from chromium import find_chromium  # noqa: E402
from figures import Figure, finish  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402

from encoder import PRESETS, TextEncoder  # noqa: E402
from encoder.pictures.figures import living_map  # noqa: E402

WORDS = (
    "the old man and the sea were friends and the boy who loved him said that he would come back to the house where "
)
OTHER = "A short one."
TEXTS = {n: " ".join((WORDS * 4).split()[: n - 2]) for n in (14, 32, 64)}
KILOBYTES = {14: 150.0, 64: 400.0}  # the folded picture and one layer of it
PAINTED = {14: 150.0, 32: 150.0, 64: 400.0}  # ms
FRAME = 25.0  # ms, at 32 tokens
ROUNDS = 3
WATCH = """
window.arrived = 0;  // when the last message with the picture's numbers came
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(...all) {
    super(...all);
    this.addEventListener('message', event => {
      if (new TextDecoder('latin1').decode(event.data).includes("scripts.get('living_map')")) {
        window.arrived = performance.now();
        window.painted = 0;
      }
    });
  }
};
const draw = CanvasRenderingContext2D.prototype.drawImage;
CanvasRenderingContext2D.prototype.drawImage = function (...all) {
  draw.apply(this, all);
  if (this.canvas.isConnected && window.arrived && !window.painted && this.canvas.closest('.map')) {
    window.painted = -1;
    requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now(); }));
  }
};
"""
SLOWEST = """async ([root, what]) => {
  const map = root.map, frame = () => new Promise(done => requestAnimationFrame(done));
  const box = map.canvas.getBoundingClientRect();
  await frame();
  await frame();
  let slowest = 0;
  for (let i = 0; i < 40; i++) {
    const before = await frame();
    const clientX = box.left + map.left + (i / 40) * (box.width - map.left);
    const clientY = box.top + map.top + ((i * 7) % 40) / 40 * map.tall;
    const moved = new PointerEvent('pointermove', { clientX, clientY, pointerId: 9 });
    if (what === 'hover') map.canvas.dispatchEvent(moved);
    else map.zoom(i < 20 ? 1.08 : 1 / 1.08, 300, 200);
    slowest = Math.max(slowest, await frame() - before);
  }
  return slowest;
}"""


def server(name: str, encoder: TextEncoder, text: str, bar: float | None) -> list[Figure]:
    """Processor time and bytes of the picture."""
    trace = encoder.trace(text)
    guesses = encoder.predict(trace, living_map.GUESSES)
    times: dict[str, list[float]] = {"folded": [], "one layer": []}
    for _ in range(9):
        start = process_time()
        whole = living_map.whole(trace, guesses)
        times["folded"].append(process_time() - start)
        start = process_time()
        layer = living_map.layer(trace, trace.config.n_layers - 1)
        times["one layer"].append(process_time() - start)
    sent = 4 / 3 / 1000  # base64, kilobytes
    return [
        *(Figure(f"{name}: {what}, processor", 1000 * median(taken), None, "ms") for what, taken in times.items()),
        Figure(f"{name}: another layer on the wire", sent * len(layer), 30.0 if "14" in name else None, "kB"),
        Figure(f"{name}: folded and one layer on the wire", sent * (len(whole) + len(layer)), bar, "kB"),
    ]


def browser(page: Page, name: str, url: str, query: dict[str, str], n: int) -> list[Figure]:
    """Painting after arrival, and the slowest frames."""
    page.set_viewport_size({"width": 1280, "height": 900})
    visits, changes = [], []
    for _ in range(ROUNDS):  # a visit of its own each time: what a browser has seen before is not sent again
        open_page(page, f"{url}/?{urlencode(query | {'sentence': OTHER, 'more': 1})}")
        visits.append(painted_after(page))
        with rerun(page):
            own_sentence(page, query["sentence"])
        changes.append(painted_after(page))
    root = widget(page, "living_map").locator(".map").element_handle()
    page.evaluate("() => new Promise(done => requestIdleCallback(done))")
    found = [
        Figure(f"{name}: painted after a sentence's numbers arrived", median(changes), PAINTED.get(n), "ms"),
        Figure(f"{name}: the same while the first page of a visit is built", median(visits), None, "ms"),
    ]
    for what in ("hover", "zoom"):
        slowest = min(page.evaluate(SLOWEST, [root, what]) for _ in range(ROUNDS))
        found.append(Figure(f"{name}: slowest frame, {what}", slowest, FRAME if n == 32 else None, "ms"))
    return found


def painted_after(page: Page) -> float:
    """Milliseconds from the arrival of the picture's last numbers until the picture is painted."""
    page.wait_for_function("window.painted > 0")
    return page.evaluate("window.painted - window.arrived")


def main() -> int:
    """Print the figures with their bars; return the exit status."""
    parser = argparse.ArgumentParser(description="What the living map costs.")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    check = parser.parse_args().check
    base = TextEncoder.from_pretrained("base")
    found = [one for n, text in TEXTS.items() for one in server(f"n={n}", base, text, KILOBYTES.get(n))]
    from dataclasses import replace

    large = TextEncoder.from_config(replace(PRESETS["paper"], n_layers=24, n_heads=16, d_model=256, d_ff=512))
    found += server("24 x 16 heads", large, TEXTS[14], None)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        with serve(ROOT / "app.py", Path(home) / "log", Path(home)) as url:
            page = chromium.new_page()
            page.add_init_script(WATCH)
            watch(page)
            for n, text in TEXTS.items():
                found += browser(page, f"n={n}", url, {"sentence": text}, n)
            built = "built:n_layers=24,n_heads=16,d_model=256,d_ff=512"
            found += browser(page, "24 x 16 heads", url, {"sentence": TEXTS[14], "model": built}, 0)
        chromium.close()
    return finish(found, check)


if __name__ == "__main__":
    sys.exit(main())
