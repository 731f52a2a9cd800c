"""What the picture of all heads costs: python tests/benchmarks/bench_heads.py [--check].

6 x 8 heads of `base` at 64 tokens: the server's processor time for the picture itself and for the whole rerun of its
page, the bytes that go over the wire, and, in Chromium, the time from the arrival of those bytes until all maps are
painted. With --check the exit status is 1 where a figure is over its bar.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser")]

from browser_tools import follow_menu, open_page, serve, watch  # noqa: E402
from chromium import find_chromium  # noqa: E402
from playwright.sync_api import Browser, sync_playwright  # noqa: E402
from streamlit.testing.v1 import AppTest  # noqa: E402

from pages.ui.components import maps  # noqa: E402

SENTENCE = "The old man and the sea were friends. " * 6 + "The old man and the sea were friends"
BARS = {"picture, ms": 10, "page rerun, ms": 100, "wire, MB": 0.3, "painted, ms": 300}
ROUNDS = 15
WATCH = """
window.arrived = window.painted = window.drawn = 0;
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(...all) {
    super(...all);
    this.addEventListener('message', event => {
      const size = event.data.byteLength || event.data.size || 0;
      if (size > 100000) { window.arrived = performance.now(); window.drawn = 0; }
    });
  }
};
const put = CanvasRenderingContext2D.prototype.putImageData;
CanvasRenderingContext2D.prototype.putImageData = function (...all) {
  put.apply(this, all);
  if (this.canvas.height === 64 && ++window.drawn === 48) {
    requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now(); }));
  }
};
"""


def server() -> dict[str, float]:
    """Processor time of the picture and of the page, and the bytes sent."""
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    app.query_params["sentence"] = SENTENCE
    app.run()
    app.query_params.clear()
    app.switch_page("steps/heads.py").run()
    drawing: list[float] = []
    real = maps.draw

    def timed(*args: object, **options: object) -> None:
        start = process_time()
        real(*args, **options)  # type: ignore[arg-type]
        drawing.append(process_time() - start)

    reruns = []
    maps.draw = timed
    for _ in range(ROUNDS):
        start = process_time()
        app.run()
        reruns.append(process_time() - start)
    maps.draw = real
    assert not app.exception
    sent = next(c.proto.json for c in app.get("bidi_component") if "-all_heads" in c.proto.id)
    return {
        "picture, ms": 1000 * median(drawing),
        "page rerun, ms": 1000 * median(reruns),
        "wire, MB": len(sent) / 1e6,
    }


def painted(browser: Browser, url: str, rounds: int) -> float:
    """Milliseconds from the arrival of the picture in Chromium until all maps are on the screen."""
    times = []
    for _ in range(rounds):
        page = browser.new_page()
        page.add_init_script(WATCH)
        watch(page)
        open_page(page, f"{url}/embedding?sentence={SENTENCE}")
        page.evaluate("() => new Promise(done => requestIdleCallback(done))")
        page.evaluate("window.painted = 0")
        follow_menu(page, "All heads")
        page.wait_for_function("window.painted > 0")
        times.append(page.evaluate("window.painted - window.arrived"))
        page.close()
    return median(times)


def main() -> int:
    """Print the figures with their bars; return the exit status."""
    parser = argparse.ArgumentParser(description="What the picture of all heads costs.")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        with serve(ROOT / "app.py", Path(home) / "log", Path(home)) as url:
            figures = server() | {"painted, ms": painted(browser, url, 5)}
        browser.close()
    print("6 x 8 heads, 64 tokens; medians")
    for name, bar in BARS.items():
        print(f"{name:>16}: {figures[name]:8.3g}   bar {bar}")
    return int(check and any(figures[name] > bar for name, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
