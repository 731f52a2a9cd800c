"""Visitors of a running app without a browser: Streamlit's messages over its websocket, as a browser sends them."""

import asyncio
import contextlib
import json
import random
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from urllib.request import Request, urlopen

import websockets
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

TIMEOUT = 60.0  # seconds that a visitor waits for a run
SETTINGS = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
REMEMBERED = SETTINGS["global"]["maxCachedMessageAge"]  # runs for which a browser keeps a large message
DRAWN_AROUND = {"sentence": "around", "model": "around", "layer": "place", "head": "place"}  # what -> where
BROKEN = ("exception",)  # elements that no page should ever show
LAB = "lab=Padding"  # of what the server draws, one that has a sentence, a layer and a head
WORDS = ("the", "old", "sea", "keeps", "every", "small", "boat", "and", "no", "light", "warm", "bird", "sings", "under")


def ask(url: str, path: str, timeout: float = TIMEOUT, **asked: object) -> bytes:
    """Ask the app for what a page that the browser draws asks for."""
    headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
    with urlopen(Request(f"{url}/api/{path}", json.dumps(asked).encode(), headers), timeout=timeout) as answer:
        found: bytes = answer.read()
    return found


@dataclass
class Visitor:
    """One open page: what it shows, and what was measured of it.

    `seconds` are those of its reruns, from the click to the end of the run; `sent` the bytes of each run.
    """

    socket: websockets.ClientConnection
    url: str = ""
    query: str = ""
    page: str = ""
    session: str = ""
    pages: dict[str, str] = field(default_factory=dict)  # address -> hash
    widgets: dict[str, tuple[str, str, list[str]]] = field(default_factory=dict)  # key -> id, kind, options
    values: dict[str, WidgetState] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)  # key -> the text that a widget was told to show last
    seen: dict[str, int] = field(default_factory=dict)  # hash of a large message -> the run it was last part of
    kept: dict[str, ForwardMsg] = field(default_factory=dict)  # large messages, which later ones name by their hash
    seconds: list[float] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # of the newest run

    @property
    def said(self) -> str:
        """What the newest run has written on the page so far."""
        return "\n".join(self.texts)

    @property
    def path(self) -> str:
        """The address of the page that is open, below that of the app."""
        return next((path for path, name in self.pages.items() if name == self.page), "")

    async def run(self, page: str | None = None, press: str = "") -> float:
        """Ask for a run of this page, or of the one at another path, and wait for its end; returns the seconds."""
        back = self.message()
        asked = back.rerun_script
        if page is not None:
            asked.query_string, asked.page_script_hash = "", self.pages[page]  # the menu leads to a bare address
        turn = len(self.sent)
        asked.cached_message_hashes.extend(h for h, last in self.seen.items() if turn - last <= REMEMBERED)
        if page is None:
            asked.widget_states.widgets.extend(self.values.values())
        if press:
            asked.widget_states.widgets.append(WidgetState(id=self.widgets[press][0], trigger_value=True))
        return await self.ask(back)

    def message(self, **chosen: str) -> BackMsg:
        """A message that asks for a run of the open page, in which these widgets say so."""
        back = BackMsg()
        back.rerun_script.query_string, back.rerun_script.page_script_hash = self.query, self.page
        back.rerun_script.widget_states.widgets.extend(self.state(key, value) for key, value in chosen.items())
        return back

    def state(self, key: str, value: str) -> WidgetState:
        """How a browser says what a widget shows."""
        if key in DRAWN_AROUND:
            return said_around(
                self.widgets[DRAWN_AROUND[key]][0], "set", {key: int(value) if value.isdigit() else value}
            )
        name, kind, options = self.widgets[key]
        state = WidgetState(id=name)
        if kind in ("text_input", "text_area", "selectbox"):
            state.string_value = value
        elif kind == "button_group":
            state.string_array_value.data.append(value)
        else:
            raise TypeError(f"a visitor cannot use a {kind} ({key}, {options[:5]})")
        return state

    async def ask(self, back: BackMsg) -> float:
        """Send a message and wait for the end of the run that it starts."""
        start, received = perf_counter(), 0
        self.widgets, self.values, self.texts = {}, {}, []
        await self.socket.send(back.SerializeToString())
        while True:
            async with asyncio.timeout(TIMEOUT):  # wait_for of Python 3.11 may lose a cancellation
                raw = await self.socket.recv()
            assert isinstance(raw, bytes)
            received += len(raw)
            message = ForwardMsg.FromString(raw)
            if message.metadata.cacheable or message.WhichOneof("type") == "ref_hash":
                self.seen[message.ref_hash or message.hash] = len(self.sent)
            if message.metadata.cacheable:
                self.kept[message.hash] = message
            self.take(self.kept.get(message.ref_hash, message))
            ended = message.WhichOneof("type") == "script_finished"
            if ended and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                break
        self.seconds.append(perf_counter() - start)
        self.sent.append(received)
        return self.seconds[-1]

    def take(self, message: ForwardMsg) -> None:
        """Remember what a message says of the page, its widgets, and what went wrong."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
            self.pages = {one.url_pathname: one.page_script_hash for one in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            shape = element.WhichOneof("type") or ""
            proto = getattr(element, shape) if shape else None
            self.texts += [str(getattr(proto, name)) for name in ("body", "text") if getattr(proto, name, "")]
            if shape in BROKEN:
                self.broken.append(f"{proto.type}: {proto.message}")
            if str(getattr(proto, "id", "")).startswith("$$ID-"):  # $$ID-<hash>-<key>
                options = [getattr(one, "content", one) for one in getattr(proto, "options", ())]
                key = proto.id.split("-", 2)[2]
                self.widgets[key] = (proto.id, shape, options)
                if shape == "text_input":
                    self.shown[key] = proto.value if proto.set_value else proto.default

    async def choose(self, key: str, value: str) -> float:
        """Set a widget and wait for the run that follows."""
        self.values[key] = self.state(key, value)
        return await self.run()


def said_around(widget: str, event: str, said: object) -> WidgetState:
    """How a browser says what was chosen in what it draws around a page: a widget of that id."""
    name = _make_trigger_id(widget, "events")
    return WidgetState(id=name, json_trigger_value=json.dumps([{"event": event, "value": said}]))


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[websockets.ClientConnection]:
    """The connection of a page of the app at `url`, with the cookies that came with the page: a proxy may set one."""
    with await asyncio.to_thread(urlopen, url, timeout=TIMEOUT) as page:
        given = [text.partition(";")[0] for text in page.headers.get_all("Set-Cookie") or ()]
    address, headers = f"ws{url.removeprefix('http')}/_stcore/stream", {"Cookie": "; ".join(given)} if given else {}
    options = {"max_size": None, "open_timeout": TIMEOUT, "ping_interval": None, "additional_headers": headers}
    async with websockets.connect(address, subprotocols=[websockets.Subprotocol("streamlit")], **options) as socket:
        yield socket


@contextlib.asynccontextmanager
async def visit(url: str, page: str = "lessons", query: str = LAB) -> AsyncIterator[Visitor]:
    """Open a page of the app at `url` and wait for its first run, which is not among the visitor's reruns."""
    async with connected(url) as socket:
        visitor = Visitor(socket, url, query)
        first = BackMsg()
        first.rerun_script.query_string, first.rerun_script.page_name = query, page
        await visitor.ask(first)
        yield visitor


def sentence(draw: random.Random, words: int = 9) -> str:
    """A sentence that hardly anyone typed before."""
    return " ".join(draw.choices(WORDS, k=words)).capitalize() + "."


# What a student does and how often: types, looks at another layer or head, goes on, opens another page
ACTIONS: dict[str, tuple[int, Callable[[Visitor, random.Random], Awaitable[float]]]] = {
    "types": (3, lambda visitor, draw: visitor.choose("sentence", sentence(draw))),
    "layer": (3, lambda visitor, draw: visitor.choose("layer", str(draw.randrange(6)))),
    "head": (3, lambda visitor, draw: visitor.choose("head", str(draw.randrange(8)))),
    "page": (1, lambda visitor, draw: look_elsewhere(visitor)),
}


async def look_elsewhere(visitor: Visitor) -> float:
    """Open another page of the server's, and go back."""
    page, query = visitor.page, visitor.query
    seconds = await visitor.run("training")
    visitor.page, visitor.query = page, query
    return seconds + await visitor.run()


async def act(visitor: Visitor, draw: random.Random) -> float:
    """Do one of the things that students do."""
    weights = [weight for weight, _ in ACTIONS.values()]
    return await ACTIONS[draw.choices(list(ACTIONS), weights)[0]][1](visitor, draw)
