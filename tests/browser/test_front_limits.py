"""Many choices in a browser that limits what a page writes into its address: each is drawn, and the last one is kept.

Playwright starts Chromium without these limits; here they are on.
"""

from collections.abc import Iterator

import pytest
from browser_tools import from_here
from chromium import find_chromium
from made_once import level_1
from playwright.sync_api import Browser, Page, Route, expect

from encoder import TextEncoder
from encoder.packet.run import level_2

KEYS = "The keys to the cabinet [MASK] on the table."
LIMITS = "--disable-ipc-flooding-protection"
LAYERS = 6
AT_ONCE, AT_EASE = 400, 60
PAUSE = 200  # milliseconds of the page's own clock: longer than the address waits for rest
PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Front</title><body style="margin: 0">
<div id="root"></div><script type="module">
import { mount, windowStore } from '/encoder/browser/built/front.js'
import { originOf } from '/encoder/browser/built/origin_of_number.js'
const file = ({ level, layer }) => (level === 1 ? '/run.packet' : `/${layer}.packet`)
const load = asked => fetch(file(asked)).then(one => one.arrayBuffer())
const page = location.pathname === '/attention' ? 'attention' : 'start'
window.store = windowStore()
const root = document.getElementById('root'), models = [{ name: 'base', title: 'base' }]
mount(root, { load, origin: originOf, store, pages: [], page, shipped: {}, models, goTo() {} })
const all = selector => [...document.querySelectorAll(selector)]
const key = name => all('[role=gridcell]')[0].dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }))
const radios = label => all(`[aria-label="${label}"] [role=radio]`)
const radio = (label, i) => radios(label)[i % radios(label).length].click()
const turn = (i, on, back) => (i % 18 < 9 ? on : back)
const kinds = {
  start: [i => all('[data-head-row]')[(7 * i) % 48].click(), i => all('[data-word]')[i % 10].click()],
  attention: [
    i => radio('layer', i), i => radio('head', 3 * i), i => radio('Stop', 5 * i),
    i => key(turn(i, 'ArrowDown', 'ArrowUp')), i => key(turn(i, 'ArrowRight', 'ArrowLeft')),
  ],
}[page]
window.choosable = ['layer', 'head', ...(page === 'start' ? ['word'] : ['step', 'cell'])]
window.choose = i => kinds[i % kinds.length](Math.floor(i / kinds.length))
const text = selector => all(selector)[0]?.textContent
window.drawn = {
  start: () => [
    all('[data-head-row][aria-selected=true]')[0]?.dataset.headRow,
    all('[data-word][aria-pressed=true]')[0]?.dataset.word,
  ],
  attention: () => [
    ...['layer', 'head', 'Stop'].map(label => radios(label).findIndex(one => one.ariaChecked === 'true')),
    all('[role=gridcell]')[0].dataset.cell,
  ],
}[page]
window.wanted = {
  start: ({ layer, head, word }) => [`${layer},${head}`, String(word)],
  attention: ({ layer, head, step, cell }) => [layer, head, STEPS.indexOf(step), cell.split(/[:,]/).slice(-2).join()],
}[page]
window.shown = () => [text('h1'), text('[data-claim]'), all('canvas').map(one => one.toDataURL()), text('.op-sum')]
window.ready = () => all('[data-head-row], [role=gridcell]').length > 0
</script>"""
STEPS = [
    f"attention.{step}"
    for step in ("input", "q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output")
]
# Whether the address says all that was chosen.
WRITTEN = """() => {
  const said = new URLSearchParams(location.search), query = store.query()
  return choosable.every(name => said.get(name) === query[name])
}"""
COUNT = """() => {
  window.written = 0
  for (const name of ['pushState', 'replaceState']) {
    const own = history[name].bind(history)
    history[name] = (...given) => { window.written++; own(...given) }
  }
}"""
# Makes choices, and returns those after which something else was drawn than what is chosen.
CHOOSE = """([from, to]) => {
  const wrong = []
  for (let i = from; i < to; i++) {
    choose(i)
    const [found, asked] = [drawn(), wanted(store.get())].map(one => JSON.stringify(one))
    if (found !== asked) wrong.push([i, found, asked])
  }
  return wrong
}"""


@pytest.fixture(scope="module")
def limited(browser: Browser) -> Iterator[Browser]:
    """Chromium as people have it."""
    arguments = ["--no-sandbox", "--disable-gpu"]
    real = browser.browser_type.launch(executable_path=find_chromium(), args=arguments, ignore_default_args=[LIMITS])
    yield real
    real.close()


@pytest.fixture(scope="module")
def packets(base: TextEncoder) -> dict[str, bytes]:
    trace = base.trace(KEYS)
    layers = {f"/{layer}.packet": level_2(trace, layer) for layer in range(LAYERS)}
    return {"/run.packet": level_1(base, trace), **layers}


@pytest.fixture
def front(limited: Browser, packets: dict[str, bytes]) -> Iterator[Page]:
    """A page with the front; nothing is said on its console."""
    with limited.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce") as context:
        page = context.new_page()
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: said.append(line.text) if line.type in ("error", "warning") else None)
        others = from_here(PAGE.replace("STEPS", str(STEPS)))

        def answer(route: Route) -> None:
            packet = packets.get("/" + route.request.url.rpartition("/")[2])
            route.fulfill(body=packet) if packet else others(route)

        page.route("**/*", answer)
        yield page
        assert said == []


def opened(page: Page, name: str) -> list[str]:
    """Open a page, have all of it loaded, and return the list of what it asks for from then on."""
    page.goto(f"http://front.test/{name}")
    page.wait_for_function("() => window.ready && ready()")
    if name == "attention":
        for layer in range(LAYERS):
            page.get_by_role("radio", name="query, Q:").click()
            page.get_by_role("radio", name=f"layer {layer}", exact=True).click()
            expect(page.get_by_role("gridcell")).to_be_visible()
        page.get_by_role("gridcell").press("ArrowLeft")  # from now on a cell is kept
        page.wait_for_function(WRITTEN)
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def kept(page: Page, asked: list[str]) -> None:
    """The address is that of the last choice, nothing was asked for, and a reload shows the same picture."""
    page.wait_for_function(WRITTEN)
    assert asked == []
    page.mouse.move(0, 0)
    before = page.evaluate("shown()")
    page.reload()
    page.wait_for_function("() => window.ready && ready()")
    page.wait_for_function("before => JSON.stringify(shown()) === before", arg=page.evaluate("JSON.stringify", before))


def test_hundreds_of_choices_at_once_are_all_drawn_and_the_last_is_kept(front: Page) -> None:
    asked = opened(front, "attention")
    front.clock.install(time=0)
    front.clock.pause_at(1)  # however slow the machine is, these choices come at once
    front.evaluate(COUNT)
    assert front.evaluate(CHOOSE, [0, AT_ONCE]) == []
    assert front.evaluate("window.written") == 0
    front.clock.run_for(PAUSE)
    assert front.evaluate("window.written") == 1
    front.clock.resume()
    kept(front, asked)


def test_choices_at_a_persons_pace_are_all_drawn_and_each_is_written(front: Page) -> None:
    asked = opened(front, "start")
    front.clock.install(time=0)
    front.clock.pause_at(1)
    addresses = set()
    for i in range(AT_EASE):
        assert front.evaluate(CHOOSE, [i, i + 1]) == []
        front.clock.run_for(PAUSE)
        addresses.add(front.evaluate("location.search"))
    assert len(addresses) > AT_EASE / 3
    front.clock.resume()
    kept(front, asked)
