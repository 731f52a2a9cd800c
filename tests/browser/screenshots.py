"""A folder of screenshots of every page, in three widths, light and dark: python tests/browser/screenshots.py [folder].

The names are PAGE-WIDTH-SCHEME.png; each picture is as tall as its page. `--pages` takes only some pages. `--readme`
makes only the pictures that the README shows.
"""

import argparse
import io
import math
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from browser_tools import AS_ELSEWHERE, READY, open_page, watch  # noqa: E402
from chromium import find_chromium  # noqa: E402
from PIL import Image  # noqa: E402
from playwright.sync_api import Page, expect, sync_playwright  # noqa: E402
from servers import serve  # noqa: E402

from pages.ui.state.site import PAGES, path  # noqa: E402

# A page -> how its pictures are called; what the browser draws is opened with all that stands below it, too
VIEWS = {page.key: page.key for page in PAGES} | {
    f"{page.key}?more={','.join(name for name, _ in page.more)}&layer=4&head=1": f"{page.key}-more"
    for page in PAGES
    if page.more
}
WIDTHS = {390: 844, 1280: 800, 1920: 1080}  # width -> the least height
WINDOWS = ((1280, 1920), (390,))  # widths that a page can change between
SCHEMES = ("light", "dark")
IN_SCHEME = (
    f"scheme => ({READY})() && getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === scheme"
)
TALLEST = 12_000
README = ROOT / ".github"
README_PAGES = {  # what README shows -> where it is
    "start": "start",
    "attention": f"attention?{AS_ELSEWHERE}&word=8",
    "heads": "heads",
    "training": "training",
}
README_SIZE = (1280, 860)
FILM_SIZE = (1280, 700)
READS, ENDS = 2_400, 4_000  # ms that a frame of the film stands, and the last one
HEIGHT = "() => document.querySelector('[data-testid=stMain]').scrollHeight"
DRAWN = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .every(box => box.querySelector('.main-svg'))"""


def visit(page: Page, url: str, key: str, width: int) -> None:
    """Open a page in a window of that width."""
    page.emulate_media(color_scheme=SCHEMES[0], reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    name, _, query = key.partition("?")
    open_page(page, f"{url}/{path(name)}{'?' + query if query else ''}")
    page.get_by_role("heading", level=1).first.wait_for()


def shoot(page: Page, width: int, path: Path, height: int = 0) -> None:
    """Save the page that is open as a picture; as tall as the page is unless a height is given."""
    page.set_viewport_size({"width": width, "height": height or WIDTHS[width]})
    page.wait_for_function(DRAWN)
    if not height:
        whole = min(TALLEST, max(WIDTHS[width], math.ceil(page.evaluate(HEIGHT))))
        page.set_viewport_size({"width": width, "height": whole})
        page.wait_for_function(DRAWN)
    page.screenshot(path=path, animations="disabled")


def film(page: Page, url: str, path: Path) -> None:
    """Save how the arrows of the first pair of Compare are cut, the thickest first, as a picture that moves."""
    visit(page, url, "compare", README_SIZE[0])
    page.set_viewport_size({"width": FILM_SIZE[0], "height": FILM_SIZE[1]})
    arrows = page.locator(".cc-name")
    arrows.first.wait_for()
    frames = [page.screenshot(animations="disabled")]
    for edge in arrows.evaluate_all(
        "all => all.sort((a, b) => b.dataset.share - a.dataset.share).map(one => one.dataset.edge)"
    ):
        page.locator(f'.cc-name[data-edge="{edge}"]').click()
        expect(page.locator(f'.cc-name[data-edge="{edge}"]')).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".cc-box.cp-old")).to_have_count(0)
        page.wait_for_load_state("networkidle")
        frames.append(page.screenshot(animations="disabled"))
    first, *others = (Image.open(io.BytesIO(frame)).convert("RGB").quantize(64) for frame in frames)
    first.save(
        path, save_all=True, append_images=others, duration=[*[READS] * len(others), ENDS], loop=0, optimize=True
    )


def main() -> None:
    """Take what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".screenshots")
    parser.add_argument("--pages", nargs="+", choices=list(VIEWS), default=list(VIEWS))
    parser.add_argument("--widths", nargs="+", type=int, choices=list(WIDTHS), default=list(WIDTHS))
    parser.add_argument("--readme", action="store_true", help="refresh only the pictures of the README")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        serve(ROOT / "app.py", Path(home) / "log", Path(home)) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        )
        page = browser.new_context().new_page()
        page.set_default_timeout(60_000)
        watch(page)
        open_page(page, url)
        if asked.readme:
            for name, key in README_PAGES.items():
                visit(page, url, key, README_SIZE[0])
                page.wait_for_load_state("networkidle")
                shoot(page, README_SIZE[0], README / f"{name}.png", README_SIZE[1])
                print(README / f"{name}.png", flush=True)
            film(page, url, README / "cut.gif")
            return
        asked.folder.mkdir(parents=True, exist_ok=True)
        for widths in WINDOWS:
            wanted = [width for width in widths if width in asked.widths]
            for key in asked.pages if wanted else ():
                visit(page, url, key, wanted[0])
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    page.wait_for_function(IN_SCHEME, arg=scheme)
                    for width in wanted:
                        file = asked.folder / f"{VIEWS[key]}-{width}-{scheme}.png"
                        shoot(page, width, file)
                        print(file, flush=True)


if __name__ == "__main__":
    main()
