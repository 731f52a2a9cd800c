"""The front mounted on a blank page without Streamlit; a test answers its requests itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_tools import from_here
from playwright.sync_api import Browser, Page

from encoder.packet.shipped import path_of

ROOT = Path(__file__).resolve().parents[2]
KEYS, KEY = "The keys to the cabinet [MASK] on the table.", "The key to the cabinet [MASK] on the table."
CAT, FRANCE = "The cat chased the mouse.", "The capital of France is [MASK]."
# What `load` is asked waits in `asked` until the test answers it.
PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Front</title><body style="margin: 0">
<div id="root"></div><script type="module">
import { mount, windowStore } from '/encoder/browser/built/front.js'
window.asked = []
window.led = []
const load = (request, signal) => new Promise((answer, refuse) => {
  const send = address => fetch(address).then(found => found.arrayBuffer()).then(answer)
  const one = { request, answer: send, refuse, gone: false }
  signal?.addEventListener('abort', () => { one.gone = true; refuse(signal.reason) })
  asked.push(one)
})
const pages = [['start', 'Start'], ['attention', 'Attention'], ['story', 'The story']]
  .map(([key, title]) => ({ key, title, address: `/${key}` }))
window.options = {
  load, store: windowStore(), pages, page: 'start', shipped: SHIPPED,
  models: ['base', 'small'].map(name => ({ name, title: name })),
  goTo: (key, query) => led.push([key, query]),
}
window.again = more => mount(document.getElementById('root'), Object.assign(options, more))
again()
</script>"""


def address(sentence: str) -> str:
    return "/" + path_of(sentence).relative_to(ROOT).as_posix()


@pytest.fixture
def front(browser: Browser) -> Iterator[Page]:
    """A page with the front, whose requests the test answers itself; no script fails in it."""
    shipped = str({one: address(one) for one in (KEYS, KEY)})
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.route("**/*", from_here(PAGE.replace("SHIPPED", shipped)))
        page.goto("http://front.test/")
        page.locator("[data-claim]:not(:empty)").wait_for()
        yield page
        assert errors == []
