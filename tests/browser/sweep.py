"""Looks at the nine pages that the browser draws in windows of many sizes, with sentences of many lengths.

As a program, `python tests/browser/sweep.py --url http://localhost:8501 --out FOLDER` writes what it finds, and a
contact sheet of each page.
"""

import argparse
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from chromium import find_chromium
from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

from encoder.browser.page_table import PAGES

SIZES: Mapping[str, tuple[ViewportSize, float]] = {  # a window, and how many of its pixels one of the page takes
    "phone": ({"width": 390, "height": 844}, 1),
    "tablet": ({"width": 1024, "height": 768}, 1),
    "projector": ({"width": 1280, "height": 720}, 1),
    "notebook": ({"width": 1366, "height": 768}, 1),
    "desk": ({"width": 1440, "height": 900}, 1),
    "large": ({"width": 911, "height": 512}, 1.5),  # 1366 x 768 at 150 %
}
WIDE = 480  # pixels of a window on a contact sheet
SENTENCES = {
    1: "keys",
    12: "The keys to the cabinet [MASK] on the table.",
    40: "The keys to the old cabinet that the teachers in the small school near the river bought [MASK] still on the "
    "table where the children who came late had left them before the long winter.",
    120: "The keys to the cabinet [MASK] on the table, and the teachers who came late said that " * 6
    + "they were old.",
}
WAITING = ".enc-skeleton:not([hidden]), .at-waiting, .ou-waiting"
# What a person would see wrong, as sentences. Lines that only who listens hears do not count.
FAULTS = """() => {
  const inside = one => one.shadowRoot?.querySelector('.enc-main')
  const main = document.querySelector('.enc-main') ?? [...document.querySelectorAll('*')].map(inside).find(Boolean)
  if (!main) return ['there is no page']
  const found = [], seen = one => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const spoken = one => one.closest('.enc-spoken, [aria-hidden="true"] canvas')
  const said = one => `${one.tagName.toLowerCase()}.${one.className} “${one.textContent.trim().slice(0, 40)}”`
  const wide = one => one instanceof HTMLElement && one.getBoundingClientRect().width > 0
  const all = [...main.querySelectorAll('*')].filter(one => wide(one) && seen(one) && !spoken(one))
  const words = one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())
  const scroller = document.querySelector('[data-testid=stMain]') ?? document.documentElement
  for (const one of [scroller, document.documentElement]) {
    const over = one.scrollWidth - one.clientWidth
    if (over > 1) found.push(`the page is ${over} px wider than its window`)
  }
  for (const one of all) {
    const style = getComputedStyle(one), across = ['auto', 'scroll'].includes(style.overflowX)
    const goesOn = one.scrollWidth > one.clientWidth + 1, deep = one.scrollHeight > one.clientHeight + 2
    const dots = style.textOverflow === 'ellipsis' && (one.title || one.closest('[title], [aria-label]'))
    if (words(one) && goesOn && style.overflowX === 'hidden' && !dots) found.push(`cut: ${said(one)}`)
    const faded = style.maskImage !== 'none', formula = one.matches('pre, code, .nu-formula, .on-formula')
    if (goesOn && across && !faded && !formula) found.push(`scrolls across unseen: ${said(one)}`)
    const down = ['auto', 'scroll'].includes(style.overflowY) && style.overflowX !== 'auto'
    if (deep && down && !faded) found.push(`scrolls down unseen: ${said(one)}`)
    const bare = !one.children.length && !one.textContent.trim() && !one.ariaLabel && !one.title
    const mark = bare && getComputedStyle(one, '::before').content === 'none' && one.offsetHeight > 12
    if (mark && one.matches('p, h1, h2, h3, li, button, label')) found.push(`nothing in it: ${said(one)}`)
  }
  const fixed = one => getComputedStyle(one).position !== 'static' || one.closest('svg')
  const leaves = all.filter(one => words(one) && !fixed(one))
  const boxes = leaves.map(one => {
    const range = document.createRange()
    range.selectNodeContents(one)
    return [one, [...range.getClientRects()]]
  })
  const SCROLLS = '.picture, .enc-map-box, .word-row, .tr, .ou-scroll, .cp-words, .enc-words, .wi-scroll'
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6
  boxes.forEach(([one, mine], i) => boxes.slice(i + 1).forEach(([other, theirs]) => {
    if (one.contains(other) || other.contains(one) || one.closest(SCROLLS) || other.closest(SCROLLS)) return
    if (mine.some(a => theirs.some(b => meet(a, b)))) found.push(`overlap: ${said(one)} and ${said(other)}`)
  }))
  return [...new Set(found)]
}"""


def looked(page: Page, url: str, key: str, tokens: int) -> list[str]:
    """Open a page with a sentence of about so many tokens, and return what is wrong with how it looks."""
    query = urlencode({"sentence": SENTENCES[tokens]})
    page.goto(f"{url}/{'' if key == 'start' else key}?{query}")
    page.locator("h1:not(:empty)").first.wait_for()
    page.wait_for_function(f"() => !document.querySelector('{WAITING}')")
    page.evaluate("() => new Promise(done => setTimeout(done, 400))")
    found: list[str] = page.evaluate(FAULTS)
    return found


def main() -> None:
    """Write what is found, and a contact sheet of each page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://localhost:8501")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pages", nargs="*", default=list(PAGES))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    shots: dict[str, list[Image.Image]] = {}
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=find_chromium()) as browser:
        for name, (size, scale) in SIZES.items():
            with browser.new_context(viewport=size, device_scale_factor=scale, reduced_motion="reduce") as context:
                page = context.new_page()
                for key, count in product(given.pages, SENTENCES):
                    for line in looked(page, given.url, key, count):
                        print(f"{key}, {count} tokens, {name}: {line}", flush=True)
                    path = given.out / "shot.png"
                    page.screenshot(path=path)
                    with Image.open(path) as image:
                        small = image.convert("RGB").resize((WIDE, round(WIDE * image.height / image.width)))
                        shots.setdefault(key, []).append(small)
    for key, images in shots.items():
        rows = [images[i : i + len(SENTENCES)] for i in range(0, len(images), len(SENTENCES))]
        sheet = Image.new("RGB", (len(SENTENCES) * (WIDE + 10), sum(row[0].height + 10 for row in rows)), "grey")
        top = 0
        for row in rows:
            for i, image in enumerate(row):
                sheet.paste(image, (i * (WIDE + 10), top))
            top += row[0].height + 10
        sheet.save(given.out / f"{key}.png")


if __name__ == "__main__":
    main()
