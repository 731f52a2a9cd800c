"""Pages of the front on a blank document: packets in memory answer what they ask, and nothing may fail there."""

import base64
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from browser_tools import NEXT_FRAMES, ROUND, from_here
from page_sizes import CONTROLS
from playwright.sync_api import Browser, Page, ViewportSize

DESK, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
# Each size and each scheme once: neither changes what the other does.
SIZES: list[tuple[ViewportSize, Literal["light", "dark"]]] = [(DESK, "light"), (PHONE, "dark")]
HTML = """<!DOCTYPE html><html lang="en"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root { color-scheme: light dark } body { margin: 0 }</style><div id="front"></div>"""
OF_LEVEL, OF_LAYER = "({ level }) => level", "({ level, layer }) => level === 1 ? 'run' : layer"
# Mounts the built file. `named` makes of what is asked the name of its packet: what is `held` comes when `free` is told
# that name, what is `lost` or has no packet does not come. `again` mounts with more options.
MOUNT = """async ([page, packets, named, first, held, lost, { keys, models, more }]) => {
  const { makeStore, mount } = await import('/encoder/browser/built/front.js')
  const name = (0, eval)(named), bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer
  Object.assign(window, { store: makeStore({ first }), packets, asked: [], requests: [], led: [], kept: [] })
  Object.assign(window, { unfolded: [], waiting: {}, held: new Set(held), lost: new Set(lost) })
  window.free = one => { window.held.delete(one); window.waiting[one]?.forEach(go => go()) }
  const load = async request => {
    const one = String(name(request))
    window.requests.push(request)
    window.asked.push(one)
    if (window.lost.has(one)) throw new Error('The line is cut: try again.')
    if (window.held.has(one)) await new Promise(go => (window.waiting[one] ??= []).push(go))
    const packet = window.packets[one] ?? await window.packet?.(request) ?? '!The line is cut: try again.'
    if (packet.startsWith('!')) throw new Error(packet.slice(1))
    return bytes(packet)
  }
  const listed = key => ({ key, title: key, address: `/${key}`, front: true, group: key })
  const options = {
    load, store: window.store, page, shipped: {}, models: models.map(name => ({ name, title: name })),
    pages: [...new Set([page, ...keys])].map(listed),
    goTo: (key, query) => { window.led.push([key, query]) },
    keep: async asked => { window.kept.push(asked); throw new Error('No file is made here.') },
    ...more ? { unfold: open => { window.unfolded.push(open) } } : {},
  }
  window.again = some => void mount(document.getElementById('front'), { ...options, ...some })
  window.again({})
}"""
Answer = Callable[[dict[str, Any]], bytes]
Mounted = Callable[..., Page]


def coded(packet: bytes) -> str:
    """Return a packet as `window.packets` has it."""
    return base64.b64encode(packet).decode("ascii")


@contextmanager
def mounting(browser: Browser) -> Iterator[Mounted]:
    """Give what mounts a page; at the end nothing may have failed in any."""
    with browser.new_context(viewport=DESK, reduced_motion="reduce") as context:
        errors: list[str] = []

        def mounted(
            name: str,
            packets: Mapping[Any, bytes] | Answer,
            *,
            first: Mapping[str, object],
            named: str = OF_LEVEL,
            held: Collection[object] = (),
            lost: Collection[object] = (),
            keys: Collection[str] = (),
            models: Collection[str] = ("base",),
            more: bool = False,
            ready: str = "h1:not(:empty)",
        ) -> Page:
            """Mount a page with a state, and wait until `ready` is there; a function makes packets as it is asked."""
            page = context.new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
            page.route("**/*", from_here(HTML))
            page.goto("http://front.test/")
            here: dict[str, str] = {}
            if callable(packets):
                page.expose_function("packet", lambda asked: answered(packets, asked))
            else:
                here = {str(one): coded(packet) for one, packet in packets.items()}
            some = {"keys": [*keys], "models": [*models], "more": more}
            page.evaluate(MOUNT, [name, here, named, dict(first), [*map(str, held)], [*map(str, lost)], some])
            page.locator(ready).first.wait_for()
            return page

        yield mounted
        assert errors == []


def answered(make: Answer, asked: dict[str, Any]) -> str:
    """Return the packet that is made for what is asked, or after an exclamation mark why there is none."""
    try:
        return coded(make(asked))
    except ValueError as error:
        return f"!{error}."


def seen(page: Page, size: ViewportSize, scheme: Literal["light", "dark"]) -> None:
    """Show the page in a window of that size and in these colours."""
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)


def tab_stops(page: Page) -> int:
    """Return how many stops the tab key makes until it has gone round."""
    stops = 0
    page.keyboard.press("Tab")
    while not page.evaluate(ROUND):
        stops += 1
        page.keyboard.press("Tab")
    return stops


def controls(page: Page) -> int:
    """Return how much there is to click without scrolling."""
    return int(page.evaluate(CONTROLS))


def overflows(page: Page) -> bool:
    """Return whether a page is wider than its window, once it is drawn for it."""
    page.evaluate(NEXT_FRAMES)
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
