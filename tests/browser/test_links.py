"""What is chosen on a page that the browser draws stands in its address: another browser shows the same."""

import hashlib
import re
from urllib.parse import quote

import pytest
from browser_tools import open_page, problems, watch
from more_sections import reach
from playwright.sync_api import Browser, Page, expect
from tiers import mostly_nightly

from encoder.pictures.view import GAP
from pages.ui.state.site import DRAWN, page_of, path

OFF = "layers.3.attention.heads:zero:h=1"  # a switch
# What is chosen, by clicks, after a link has masked a word and switched a head off
CHOICES = {
    "start": {"word": "[data-word='4']", "head": "[data-head-row='1,2']"},
    "embedding": {"word": "button[data-word='4']", "part": "[aria-label=Beside] [role=radio] >> nth=2"},
    "attention": {
        "layer": "[aria-label=layer] [role=radio] >> nth=1",
        "head": "[aria-label=head] [role=radio] >> nth=1",
        "stop": "[aria-label=Stop] [role=radio] >> nth=4",
        "stop again": "[aria-label=Stop] [aria-label^='share, softmax']",
        "cell by keys": "[role=gridcell]",
        "temperature": ".at-heat input",
    },
    "add_norm": {
        "layer": "[aria-label=layer] [role=radio] >> nth=1",
        "step": "[aria-label='Which sum'] [role=radio] >> nth=1",
        "word": "button[data-word='4']",
    },
    "feed_forward": {"layer": "[aria-label=layer] [role=radio] >> nth=1", "word": "[role=option][data-word='4']"},
    "output": {"word": "button[data-word='4']", "step": "[role=columnheader][data-column='3']"},
    "what_if": {"switch": "[data-cell='1,2']"},
    "compare": {
        "cut": ".cc-name >> nth=0",
        "view": "[aria-label=show] [role=radio] >> nth=1",
        "word": "button[data-word='4']",
        "head": "[data-head-row='1,2']",
    },
    "heads": {"view": "[aria-label=show] [role=radio] >> nth=1", "head": ".hd-carriers button >> nth=1"},
}
# All that is to be seen: words, what is pressed and checked, what stands in fields, the pixels of pictures. What is
# said to who listens is said once, and what is off already only to who opens a link.
SEEN = """() => {
  const found = []
  const walk = node => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.parentElement?.checkVisibility() && node.textContent.trim()) found.push(node.textContent.trim())
      return
    }
    if (node instanceof Element) {
      if (node.matches('style, .chart, [role=status], [aria-live], output, .wi-reading')) return
      if (node instanceof HTMLCanvasElement && node.checkVisibility()) found.push(node.toDataURL())
      for (const name of ['aria-checked', 'aria-pressed', 'aria-expanded', 'aria-selected'])
        if (node.hasAttribute(name)) found.push(`${name} ${node.getAttribute(name)} ${node.ariaLabel ?? ''}`)
      if (node.matches('input, select')) found.push(`value ${node.value}`)
    }
    for (const child of [...node.shadowRoot?.childNodes ?? [], ...node.childNodes]) walk(child)
  }
  walk(document.querySelector('[data-testid=stMain]'))
  return found
}"""


def seen(page: Page) -> list[str]:
    """What a person sees, once it stays as it is; of a picture its hash."""
    page.mouse.move(1, 1)
    page.evaluate("document.activeElement?.blur()")
    expect(page.locator(".ff-contexts[aria-busy]")).to_have_count(0)
    before: list[str] = []
    for _ in range(60):
        now = page.evaluate(SEEN)
        if now == before:
            break
        before = now
        page.wait_for_timeout(250)
    return [hashlib.sha256(each.encode()).hexdigest() if each.startswith("data:") else each for each in before]


def opened(page: Page, url: str) -> None:
    """Open a page that the browser draws, with nothing that moves."""
    page.emulate_media(reduced_motion="reduce")
    open_page(page, url)
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile(r"\w"))


@pytest.mark.parametrize("key", mostly_nightly(DRAWN, ["compare"]))
def test_what_is_chosen_is_the_same_in_another_browser(page: Page, app_url: str, browser: Browser, key: str) -> None:
    """And the session hears of nothing."""
    sent: list[object] = []
    page.on("websocket", lambda line: line.on("framesent", lambda frame: sent.append(frame)))
    first = f"{app_url}/{path(key)}?model=small&sentence={quote(GAP)}&hidden=2&edits={quote(OFF)}"
    opened(page, first)
    before = seen(page)
    sent.clear()
    for name, place in CHOICES[key].items():
        one = page.locator(place).first
        if name == "temperature":
            one.fill("2.1")
        else:
            one.press("ArrowDown") if name.endswith("keys") else one.click()
        now = seen(page)
        assert now != before, f"{name} changes nothing that is seen"
        before = now
    reach(page, page_of(key).more[0][1]).click()
    expect(page.locator(".more-pieces > *").first).to_be_attached()
    expect(page.locator(".more-body[aria-busy]")).to_have_count(0)
    expect(page).to_have_url(re.compile(f"more={page_of(key).more[0][0]}"))
    before = seen(page)
    assert sent == []
    with browser.new_context(viewport=page.viewport_size) as context:
        other = context.new_page()
        other.set_default_timeout(60_000)
        watch(other)
        opened(other, page.url)
        expect(other.locator(".more-pieces > *").first).to_be_attached()
        expect(other.locator(".more-body[aria-busy]")).to_have_count(0)
        assert seen(other) == before
        assert problems(other) == []
