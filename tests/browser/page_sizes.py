"""How much there is to click on each page, and how long it is: python tests/browser/page_sizes.py [TREE].

Opens every page of the app in TREE (this one by default) at 1440 x 900 and on a phone of 390 x 844, and prints what
can be clicked without scrolling (a group of radios counts once; words and cells of pictures do not), how many
screens the page is long, and where its first picture begins: on Atlas the sentences, on Lessons the first of them, on
A class the field for its code.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from browser_tools import open_page, watch  # noqa: E402
from chromium import find_chromium  # noqa: E402
from playwright.sync_api import ViewportSize, sync_playwright  # noqa: E402
from servers import serve  # noqa: E402

SIZES: tuple[ViewportSize, ...] = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})
CONTROLS = """() => {
  const seen = new Set()
  const below = one => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]
  const all = root => [...root.querySelectorAll('*')].flatMap(below)
  for (const one of all(document)) {
    if (!one.matches('a[href], button, input, select, textarea, summary, [role=tab], [role=button], [role=radio], ' +
      '[role=slider], [role=combobox], [role=menuitem], [role=switch], [tabindex="0"][role]')) continue
    if (one.matches('[data-word], [data-cell], [data-head-row], [data-head-map], .word, canvas')) continue
    if (one.matches('.heads button')) continue
    const box = one.getBoundingClientRect()
    const inside = box.bottom > 0 && box.top < innerHeight && box.left < innerWidth && box.right > 0
    if (!inside || !box.width || !box.height || one.disabled) continue
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    seen.add(one.closest('[role=radiogroup]') || one.closest('label') || one)
  }
  return seen.size
}"""
SCREENS = "() => document.querySelector('[data-testid=stMain]').scrollHeight / innerHeight"
PICTURE = """() => Math.min(9999, ...[...document.querySelectorAll(
    '[data-testid=stMain] :is(.main-svg, canvas, .tokens, [data-testid=stDataFrame], .st-key-ask, .st-key-learning), ' +
    '[data-testid=stMain] :is(.st-key-board, .st-key-flows, .st-key-grammar, .st-key-atlas_contexts, .true-size), ' +
    '[data-testid=stMain] .st-key-first_lessons'),
  ...[...document.querySelectorAll('[data-testid=stMain] *')]
    .flatMap(one => [...(one.shadowRoot?.querySelectorAll(
      '.picture-canvas, .enc-words, .hd-grid, .ou-bars, .em-near, .tl, .cv-canvas, .wi-bars, .wi-board, ' +
      '.enc-class-card') ?? [])])]
  .filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().top))"""
SIDEWAYS = """() => {
  const main = document.querySelector('[data-testid=stMain]'), { scrollWidth, clientWidth } = document.documentElement
  return Math.max(scrollWidth - clientWidth, main.scrollWidth - main.clientWidth)
}"""
STEADY = """() => {
  const now = `${document.querySelectorAll('*').length} ${document.querySelector('[data-testid=stMain]').scrollHeight}`
  globalThis.same = now === globalThis.last ? (globalThis.same ?? 0) + 1 : 0
  globalThis.last = now
  return globalThis.same > 4
}"""


def keys(tree: Path) -> list[str]:
    """Return the keys of the pages of the app in that tree, the first one's left out."""
    sys.path.insert(0, str(tree))
    from pages.ui.state.site import PAGES

    return ["", *[page.key for page in PAGES[1:]]]


def main(tree: Path) -> None:
    """Print a line for each page: controls, screens and top of the first picture, wide and on a phone."""
    print("page            | controls 1440 / 390 | screens 1440 / 390 | picture from px 1440 / 390")
    with (
        tempfile.TemporaryDirectory() as home,
        serve(tree / "app.py", Path(home) / "log", Path(home)) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        counts = []
        for key in keys(tree):
            found = []
            for size in SIZES:
                page = browser.new_context(viewport=size, reduced_motion="reduce").new_page()
                page.set_default_timeout(60_000)
                watch(page)
                open_page(page, f"{url}/{key}")
                page.wait_for_function(STEADY, polling=100)
                found.append([page.evaluate(script) for script in (CONTROLS, SCREENS, PICTURE)])
                page.context.close()
            (wide, screens, top), (narrow, screens_narrow, top_narrow) = found
            counts.append((wide, screens))
            print(
                f"{key or '/':15} | {wide:8} / {narrow:8} | {screens:7.1f} / {screens_narrow:7.1f} "
                f"| {top:8.0f} / {top_narrow:8.0f}",
                flush=True,
            )
        wide, screens = zip(*counts, strict=True)
        print(
            f"{len(counts)} pages: {min(wide)} to {max(wide)} controls, {sum(wide) / len(wide):.0f} on average; "
            f"{min(screens):.1f} to {max(screens):.1f} screens, {sum(one > 1.3 for one in screens)} longer than 1.3"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
