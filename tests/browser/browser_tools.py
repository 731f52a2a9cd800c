"""Drive the app in a browser without races, and record what went wrong on the way."""

import contextlib
import dataclasses
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit
from weakref import WeakKeyDictionary

import numpy as np
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import ConsoleMessage, Dialog, Locator, Page, Route, WebSocket, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from encoder.pictures.view import EXAMPLE

ROOT = Path(__file__).resolve().parents[2]
# Of an address: a page that the browser draws shows what the other pages open with.
AS_ELSEWHERE = f"layer=4&head=1&sentence={quote_plus(EXAMPLE)}"
READY = """() => {
  const app = document.querySelector('[data-testid=stApp]')
  return app && app.dataset.testConnectionState === 'CONNECTED' && app.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')
}"""
STAYS = 20.0  # seconds after which nothing is pale any more
HEAP = 50e6  # bytes that pages which a tab has left may hold
NEXT_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
IN_DARK, IN_LIGHT = (
    f"() => ({READY})() && getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === '{scheme}'"
    for scheme in ("dark", "light")
)
SHOWN_ERRORS = """() => [...document.querySelectorAll('[data-testid=stException], [data-testid=stAlertContentError]')]
  .map(box => `${box.dataset.testid}: ${box.innerText}`)"""
# Whether what has the keys now had them before, or nothing has: the tab key has gone round
ROUND = """() => {
  let now = document.activeElement
  while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement
  const seen = window.seen ??= new Set()
  const round = now === document.body || seen.has(now)
  seen.add(now)
  return round
}"""
FULL_DATA = """plot => {
  const plain = value => {
    if (ArrayBuffer.isView(value)) return Array.from(value)
    if (Array.isArray(value)) return value.map(plain)
    if (value === null || typeof value !== 'object') return typeof value === 'function' ? null : value
    if (value.constructor !== Object) return null
    return Object.fromEntries(Object.entries(value).filter(([name]) => name[0] !== '_').map(([k, v]) => [k, plain(v)]))
  }
  return plot._fullData.map(plain)
}"""
# A rule has one weight for all it finds: the rules that could only find less than what is asked for are left out.
# `preload` would fetch style sheets and wait for films, for rules that are off and films that are not there.
AXE = """([part, all]) => {
  const left_out = axe._audit.rules.filter(rule => !all && ['minor', 'moderate'].includes(rule.impact))
  const rules = Object.fromEntries(left_out.map(rule => [rule.id, { enabled: false }]))
  return axe.run(part, { resultTypes: ['violations'], preload: false, rules }).then(found => found.violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.target} ${node.html.slice(0, 200)} ${node.failureSummary}`)))
}"""


@dataclasses.dataclass
class Record:
    """What a watched page did: runs finished on its newest connection, and all that went wrong."""

    host: str | None = None
    connection: WebSocket | None = None
    runs: int = 0
    problems: dict[str, None] = dataclasses.field(default_factory=dict)  # an ordered set

    def add(self, problem: str) -> None:
        self.problems[problem] = None

    def request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss"):
            self.host = self.host or parts.netloc  # the first page opened is the app
            if parts.netloc != self.host:
                self.add(f"request outside the app: {url}")

    def console(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        self.add(f"console error: {message.text} ({message.location['url']})")

    def dialog(self, dialog: Dialog) -> None:
        self.add(f"a script asks: {dialog.message}")
        dialog.dismiss()

    def connect(self, connection: WebSocket) -> None:
        self.request(connection.url)
        if "/_stcore/stream" in connection.url:
            self.connection, self.runs = connection, 0
            connection.on("framereceived", lambda frame: self.receive(connection, frame))

    def receive(self, connection: WebSocket, frame: str | bytes) -> None:
        message = ForwardMsg()
        message.ParseFromString(frame if isinstance(frame, bytes) else frame.encode())
        if connection is self.connection and message.WhichOneof("type") == "script_finished":
            self.runs += message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN


_records: WeakKeyDictionary[Page, Record] = WeakKeyDictionary()


def watch(page: Page) -> None:
    """Record the script runs and the problems of `page` from now on; call it before the app is opened."""
    record = _records[page] = Record()
    page.on("websocket", record.connect)
    page.on("console", record.console)
    page.on("dialog", record.dialog)
    page.on("pageerror", lambda error: record.add(f"page error: {error}"))
    page.on("request", lambda request: record.request(request.url))


def save(page: Page, entry: str, picture: str = "") -> tuple[str, bytes]:
    """Save a file by the menu in the bar, of the first picture or the one of a name; return its name and content."""
    page.locator(".enc-keep").click()
    if picture:
        page.get_by_role("menuitemradio", name=picture, exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=entry, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def watched_anew(page: Page) -> None:
    """The next page opened in it is the app; what went wrong before, and late frames of it, count no more."""
    record = _records[page]
    record.host, record.connection, record.runs = None, None, 0
    record.problems.clear()


def let_go(page: Page) -> None:
    """Look for garbage in a tab that holds much: a busy browser does it late by itself."""
    session = page.context.new_cdp_session(page)
    usage = session.send("Runtime.getHeapUsage")
    if usage["usedSize"] + usage.get("backingStorageSize", 0) > HEAP:
        session.send("HeapProfiler.collectGarbage")
    session.detach()


def problems(page: Page) -> list[str]:
    """Return what went wrong on `page` since it was watched, or since the last call of this function."""
    record = _records[page]
    _record_shown_errors(page)
    found = list(record.problems)
    record.problems.clear()
    return found


def _record_shown_errors(page: Page) -> None:
    for error in page.evaluate(SHOWN_ERRORS):
        _records[page].add(error)


@contextlib.contextmanager
def rerun(page: Page, timeout: float = 60.0) -> Iterator[None]:
    """Wait, at the end of the block, until a script run that finished after its start is on the screen."""
    record = _records[page]
    connection, runs = record.connection, record.runs
    yield
    deadline = time.monotonic() + timeout
    while record.runs <= (runs if record.connection is connection else 0):
        if time.monotonic() > deadline:
            raise TimeoutError(f"no script run finished within {timeout:g} s")
        page.wait_for_timeout(25)
    page.evaluate(NEXT_FRAMES)  # the frame is seen here a moment before the page acts on it
    page.wait_for_function(READY)
    _record_shown_errors(page)


def press(page: Page, x: float, y: float, *, tap: bool = False) -> None:
    """Click or tap there, and wait for the run that follows; where none comes for long, again, as a person does.

    Three times in some 1,500 clicks beside a busy neighbour none came; of two of them the cause is not known.
    """
    for patience in (20.0, 20.0, 60.0):
        try:
            with rerun(page, patience):
                page.touchscreen.tap(x, y) if tap else page.mouse.click(x, y)
            return
        except TimeoutError:
            if patience == 60.0:
                raise
            print(f"no run came after a click at {x:.0f}, {y:.0f} of {page.url}")


def valued(text: str) -> float:
    """Return the number that a picture writes, whose minus is a true one."""
    return float(text.replace("\N{MINUS SIGN}", "-"))


def number(page: Page) -> Locator:
    """Return the headline of the drawer of an opened number."""
    return page.locator(".enc-number h2")


def opened_number(page: Page, title: str, value: float) -> None:
    """The drawer comes to be of a number whose title ends so, and its headline says this value, up to a thousandth."""
    texts = {re.escape(f"{value * (1 + part / 10_000):.4g}") for part in range(-10, 11)}
    said = "|".join(texts).replace("\\-", "[-\N{MINUS SIGN}]")
    expect(number(page)).to_have_text(re.compile(f"{re.escape(title)} = ({said})$"))


def runs(page: Page) -> int:
    """How many script runs the server has finished for what the page shows now."""
    return _records[page].runs


def open_page(page: Page, url: str, timeout: float = 60.0) -> None:
    """Open `url` in a watched page and wait until its first script run is on the screen."""
    record = _records[page]
    record.connection, record.runs = None, 0  # a late frame of the page that is left does not count
    with rerun(page, timeout):
        page.goto(url, timeout=timeout * 1000)


def from_here(html: str) -> Callable[[Route], None]:
    """Answers requests without a server: by files as they lie in the repository, and at other addresses by `html`."""

    def answer(route: Route) -> None:
        file = ROOT / urlsplit(route.request.url).path.lstrip("/")
        if file.is_file():
            kind = "text/javascript" if file.suffix == ".js" else "application/octet-stream"
            route.fulfill(path=file, content_type=kind)
        else:
            route.fulfill(body=html, content_type="text/html; charset=utf-8")

    return answer


def widget(page: Page, key: str) -> Locator:
    """Return the element whose Streamlit key is `key`."""
    return page.locator(".st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip()))


def follow_menu(page: Page, title: str) -> None:
    """Choose a page in the menu of the bar."""
    page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=title, exact=True).click()


def chart(page: Page, key: str) -> list[dict[str, Any]]:
    """Return the traces of the Plotly chart with the Streamlit key `key`, as drawn, arrays decoded to lists."""
    plot = widget(page, key).locator(".js-plotly-plot")
    plot.locator(".main-svg").first.wait_for()
    return plot.evaluate(FULL_DATA)


def drawn(page: Page, key: str = "picture") -> np.ndarray:
    """Return the numbers of the matrix that a chart draws."""
    return np.array(chart(page, key)[0]["z"], dtype=np.float32)


def choose(page: Page, name: str, value: int) -> None:
    """Choose a layer or head, where the server draws something with it."""
    with rerun(page):
        places(page, name).get_by_role("radio", name=f"{name} {value}", exact=True).click()


def places(page: Page, name: str) -> Locator:
    """Return the row of layers, or of heads."""
    return page.get_by_role("radiogroup", name=name, exact=True)


def chosen_place(page: Page) -> list[str]:
    """Return the layer and head that are shown."""
    return [places(page, name).get_by_role("radio", checked=True).inner_text() for name in ("layer", "head")]


def type_sentence(page: Page, text: str) -> None:
    """Write a sentence into the line on top of the page and have it run."""
    box = sentence_line(page)
    box.fill(text)
    with rerun(page):
        box.press("Enter")


def sentence_line(page: Page) -> Locator:
    """Return the line of the sentence in the bar."""
    return page.get_by_role("textbox", name="Sentence", exact=True)


def own_sentence(page: Page, text: str) -> None:
    """Type a sentence of one's own on the page Start."""
    page.get_by_role("button", name="Type your own sentence").click()
    field = page.get_by_role("textbox", name="sentence")
    field.fill(text)
    field.press("Enter")


def barriers(page: Page, part: str = "html", *, every: bool = False) -> list[str]:
    """What axe-core finds in a part of the page that keeps people out, or `every` one of its findings; one a line.

    It is what stays: what a page has of its run before is pale for a moment.
    """
    if page.evaluate("() => !window.axe"):
        page.evaluate(AXE_SCRIPT)
    deadline = time.monotonic() + STAYS
    while (lines := list(page.evaluate(AXE, [part, every]))) and time.monotonic() < deadline:
        page.wait_for_timeout(250)
    return lines


def tab_stops(page: Page) -> int:
    """Return how many stops the tab key makes until it has gone round."""
    stops = 0
    page.keyboard.press("Tab")
    while not page.evaluate(ROUND):
        stops += 1
        page.keyboard.press("Tab")
    return stops


def dark(page: Page) -> None:
    """Switch the page that is open to dark colours."""
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(IN_DARK)


def light(page: Page) -> None:
    """Switch the page that is open back to light colours; it is drawn anew for them."""
    with rerun(page):
        page.emulate_media(color_scheme="light")
    page.wait_for_function(IN_LIGHT)


@contextlib.contextmanager
def late(page: Page, asked: str) -> Iterator[list[Route]]:
    """For the block, the first request of a kind is held; those that follow pass at once."""
    held = list[Route]()

    def hold(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route(f"**/api/{asked}", hold)
    yield held
    held[0].continue_()


def arrived(page: Page, waiting: list[Route], number: int) -> Route:
    """The request of that number, from 1, once it is there: what a page says comes before what it asks for."""
    for _ in range(1000):
        if len(waiting) >= number:
            return waiting[number - 1]
        page.wait_for_timeout(10)
    raise AssertionError(f"{len(waiting)} requests came, not {number}")
