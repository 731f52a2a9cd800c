"""A tab without a server, which all tests of a process share: packets in memory answer what the front asks in it."""

import base64
import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from browser_tools import NEXT_FRAMES, from_here, let_go
from playwright.sync_api import Browser, Page, Route, ViewportSize

from encoder import EncoderConfig, TextEncoder
from encoder.browser.living import described
from encoder.browser.page_table import PAGES
from encoder.packet.shipped import path_of

ROOT = Path(__file__).resolve().parents[2]
DESK, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
# Each size and each scheme once: neither changes what the other does.
SIZES: list[tuple[ViewportSize, Literal["light", "dark"]]] = [(DESK, "light"), (PHONE, "dark")]
HEAD = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root { color-scheme: light dark } body { margin: 0 }</style>"""
BLANK = f'{HEAD}<div id="front"></div>'
ORIGIN = "https://front.test"
KEYS, KEY = "The keys to the cabinet [MASK] on the table.", "The key to the cabinet [MASK] on the table."
CAT, FRANCE = "The cat chased the mouse.", "The capital of France is [MASK]."
OF_LEVEL, OF_LAYER = "({ level }) => level", "({ level, layer }) => level === 1 ? 'run' : layer"
MOST_SENT = 30_000_000  # letters of packets that the tab keeps for the tests that follow
# Mounts the built file, after what was mounted before is taken down. `named` makes of what is asked the name of its
# packet: what is `held` comes when `free` is told that name, what is `lost` or has no packet does not come. `again`
# mounts with more options. Where no function makes packets, the tab finds what a number was made of itself.
MOUNT = """async ([page, ids, sent, named, first, held, lost, { keys, models, more, made, listed: own }]) => {
  const { makeStore, mount } = await import('/encoder/browser/built/front.js')
  const { originOf } = await import('/encoder/browser/built/origin_of_number.js')
  window.leave?.()
  document.getElementById('front').outerHTML = '<div id="front"></div>'
  scrollTo(0, 0)
  delete window.seen
  Object.assign(window.sent ??= {}, sent)
  const name = (0, eval)(named), bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer
  const now = {
    store: makeStore({ first }), packets: Object.fromEntries(ids.map(([name, id]) => [name, window.sent[id]])),
    asked: [], requests: [], led: [], kept: [], waiting: {}, held: new Set(held), lost: new Set(lost),
  }
  Object.assign(window, now)
  window.free = one => { now.held.delete(one); now.waiting[one]?.forEach(go => go()) }
  const load = async request => {
    const one = String(name(request))
    now.requests.push(request)
    now.asked.push(one)
    if (now.lost.has(one)) throw new Error('The line is cut: try again.')
    if (now.held.has(one)) await new Promise(go => (now.waiting[one] ??= []).push(go))
    const packet = now.packets[one] ?? (made ? await window.packet(request) : '!The line is cut: try again.')
    if (packet.startsWith('!')) throw new Error(packet.slice(1))
    return bytes(packet)
  }
  const listed = key => ({ key, title: key, address: `/${key}`, front: true, group: key, ...key === page && own })
  const options = {
    load, store: now.store, page, shipped: {}, models: models.map(name => ({ name, title: name })),
    pages: [...new Set([page, ...keys])].map(listed),
    goTo: (key, query) => { now.led.push([key, query]) },
    ...made ? {} : { origin: originOf },
    keep: async asked => { now.kept.push(asked); throw new Error('No file is made here.') },
    ...more ? { more: async () => [] } : {},
  }
  window.again = some => { window.leave = mount(document.getElementById('front'), { ...options, ...some }) }
  window.again({})
}"""
# The front whose state is the address. What it asks waits in `asked` until the test answers it, or goes to the routes
# of the app where there is a `server`; what it leads to is in `led`.
WITH_ADDRESS = """<body><div id="root"></div><script type="module">
import { mount, windowStore } from '/encoder/browser/built/front.js'
const { shipped, server, pictures } = OPTIONS
Object.assign(window, { asked: [], led: [] })
const wait = (request, signal) => new Promise((answer, refuse) => {
  const send = address => fetch(address).then(found => found.arrayBuffer()).then(answer)
  const one = { request, answer: send, refuse, gone: false }
  signal?.addEventListener('abort', () => { one.gone = true; refuse(signal.reason) })
  asked.push(one)
})
const post = (address, asked) => fetch(address, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(asked),
}).then(async answer => { if (!answer.ok) throw new Error((await answer.json()).message); return answer })
const file = async answer => ({
  name: /"(.*)"/.exec(answer.headers.get('Content-Disposition'))[1], data: await answer.blob(),
})
window.options = {
  load: server ? asked => post('/api/run', asked).then(answer => answer.arrayBuffer()) : wait,
  ...server && { keep: asked => post('/api/picture', asked).then(file) },
  store: windowStore(), page: 'start', shipped, models: ['base', 'small'].map(name => ({ name, title: name })),
  pages: ['Start', 'Attention', 'Heads', 'Compare', 'Figure', 'Lessons'].map(title => {
    const key = title.toLowerCase()
    return { key, title, address: `/${key}`, pictures: pictures[key] }
  }),
  goTo: (key, query) => led.push([key, query]),
}
window.again = more => mount(document.getElementById('root'), Object.assign(options, more))
again()
</script>"""
Answer = Callable[[dict[str, Any]], bytes]
Mounted = Callable[..., Page]


def coded(packet: bytes) -> str:
    """Return a packet as `window.packets` has it."""
    return base64.b64encode(packet).decode("ascii")


def address(sentence: str) -> str:
    """Return where the tab finds the bundled run of a sentence."""
    return "/" + path_of(sentence).relative_to(ROOT).as_posix()


def random_model(layers: int, heads: int) -> TextEncoder:
    """A model of random weights, which nobody examined."""
    sizes = {"n_layers": layers, "n_heads": heads, "d_model": 4 * heads, "d_ff": 8}
    return TextEncoder.from_config(EncoderConfig(vocab_size=16384, max_positions=512, **sizes), 3, name="random")


def sends(packet: bytes) -> Callable[[Route], None]:
    """Answers with a packet."""
    return lambda route: route.fulfill(body=packet)


class Bench:
    """A tab, in which one page after the other is mounted or opened; nothing may fail in it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.errors: list[str] = []
        self.make: Answer | None = None
        self.apart: list[Page] = []
        self.sent: dict[str, int] = {}
        self.place = ""  # what the tab is at: nothing, "canvas", "mounted" or "address"
        self.tab = self.opened()

    def opened(self) -> Page:
        """Return a new tab, which shares nothing with others."""
        context = self.browser.new_context(viewport=DESK, reduced_motion="reduce", accept_downloads=True)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=ORIGIN)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        page.expose_function("packet", self.answer)
        return page

    def answer(self, asked: dict[str, Any]) -> str:
        """Return the packet that is made for what is asked, or after an exclamation mark why there is none."""
        assert self.make is not None
        try:
            return coded(self.make(asked))
        except ValueError as error:
            return f"!{error}."

    def clean(self) -> None:
        """Close what a test opened beside the tab, and forget how the tab looked and what went wrong in it."""
        for page in self.apart:
            page.context.close()
        self.apart.clear()
        self.errors.clear()
        let_go(self.tab)
        if self.tab.viewport_size != DESK:
            self.tab.set_viewport_size(DESK)
        self.tab.emulate_media(media="null", color_scheme="light", reduced_motion="reduce", forced_colors="none")
        self.tab.mouse.move(0, 0)

    def failures(self) -> list[str]:
        """Return what failed, but for what a server refused."""
        return [error for error in self.errors if not error.startswith("Failed to load resource")]

    def visit(
        self, shipped: Mapping[str, str], query: str = "", packets: Sequence[bytes] = (), *, server: bool = False
    ) -> Page:
        """Open the front at an address, with those bundled sentences, whose packets may stand at /packets/NUMBER."""
        pictures = {key: about.pictures for key, about in PAGES.items()}
        options = json.dumps({"shipped": dict(shipped), "server": server, "pictures": pictures})
        self.go("address", query, HEAD + WITH_ADDRESS.replace("OPTIONS", options), packets)
        self.tab.locator("[data-claim]:not(:empty)").wait_for()
        return self.tab

    def blank(self) -> Page:
        """Return the tab with a canvas and nothing else."""
        if self.place != "canvas":
            self.go("canvas", "canvas", f'{HEAD}<body><canvas width="60" height="60"></canvas>')
        return self.tab

    def go(self, place: str, path: str, html: str, packets: Sequence[bytes] = ()) -> None:
        """Open a document in the tab, with all scripts of the repository."""
        self.place = place
        self.sent.clear()
        self.tab.unroute_all(behavior="ignoreErrors")  # of requests that the page which is left still waits for
        self.tab.route("**/*", from_here(html))
        for i, packet in enumerate(packets):
            self.tab.route(f"**/packets/{i}", sends(packet))
        if self.tab.url.startswith(ORIGIN):
            self.tab.evaluate("() => { sessionStorage.clear(); localStorage.clear() }")
            self.tab.goto("about:blank")
        self.tab.goto(f"{ORIGIN}/{path}")

    def mount(
        self,
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
        apart: bool = False,
    ) -> Page:
        """Mount a page with a state, and wait until `ready` is there; a function makes packets as it is asked.

        `apart` is in a tab of its own: beside another one, or with a clock that the test moves.
        """
        page = self.tab
        if apart:
            page = self.opened()
            self.apart.append(page)
            page.route("**/*", from_here(BLANK))
            page.goto(f"{ORIGIN}/mounted")
        elif self.place != "mounted" or sum(self.sent.values()) > MOST_SENT:
            self.go("mounted", "mounted", BLANK)
        texts, ids = {}, []
        if callable(packets):
            self.make = packets
        else:
            for one, packet in packets.items():
                digest = hashlib.sha1(packet).hexdigest()
                ids.append((str(one), digest))
                if apart or digest not in self.sent:
                    texts[digest] = coded(packet)
            if not apart:
                self.sent |= {digest: len(text) for digest, text in texts.items()}
        some = {"keys": [*keys], "models": [*models], "more": more, "made": callable(packets)}
        some["listed"] = described(name)
        page.evaluate(MOUNT, [name, ids, texts, named, dict(first), [*map(str, held)], [*map(str, lost)], some])
        page.locator(ready).first.wait_for()
        return page


def seen(page: Page, size: ViewportSize, scheme: Literal["light", "dark"]) -> None:
    """Show the page in a window of that size and in these colours."""
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)


def overflows(page: Page) -> bool:
    """Return whether a page is wider than its window, once it is drawn for it."""
    page.evaluate(NEXT_FRAMES)
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
