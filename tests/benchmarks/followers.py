"""Screens of a class without a browser: each runs its fragments by the clock, as a browser does, while it is used."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from time import perf_counter

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from visitors import DRAWN_AROUND, REMEMBERED, TIMEOUT, connected, said_around


@dataclass(frozen=True)
class Widget:
    """A widget on the page: its id, its kind, and the fragment that it is part of."""

    id: str
    kind: str
    fragment: str


@dataclass
class Run:
    """What a run has brought so far."""

    widgets: dict[str, Widget] = field(default_factory=dict)
    clocks: dict[str, float] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


@dataclass
class Follower:
    """One open page of a class.

    `widgets` and `said` are those of the newest run of the whole page, `runs` counts these, and `ended` is when the
    last one did; `answered` is when the page last said what was answered. `received` is all that came, as it came.
    """

    socket: websockets.ClientConnection
    query: str = ""
    page: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    widgets: dict[str, Widget] = field(default_factory=dict)
    values: dict[str, WidgetState] = field(default_factory=dict)
    clocks: dict[str, float] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    said: str = ""
    seat: str = ""
    runs: int = 0
    ended: float = 0.0
    answered: float = 0.0
    received: list[bytes] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    now: Run = field(default_factory=Run)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    keeps: bool = False  # whether `received` grows

    @property
    def path(self) -> str:
        """The address of the page that is open."""
        return next((path for path, name in self.pages.items() if name == self.page), "")

    async def listen(self) -> None:
        """Take what comes until the page is closed."""
        async for raw in self.socket:
            assert isinstance(raw, bytes)
            if self.keeps:
                self.received.append(raw)
            message = ForwardMsg.FromString(raw)
            self.take(message)
            if message.WhichOneof("type") == "script_finished":
                async with self.news:
                    self.news.notify_all()

    async def tick(self) -> None:
        """Run each fragment when its time has come."""
        due: dict[str, float] = {}
        while True:
            now = perf_counter()
            await asyncio.sleep(max(0.0, min([0.1, *(when - now for when in due.values())])))
            now = perf_counter()
            due = {one: due.get(one, now + every) for one, every in self.clocks.items()}
            for one in [one for one, when in due.items() if when <= now]:
                due[one] = now + self.clocks[one]
                await self.send(fragment=one, clock=True)

    def take(self, message: ForwardMsg) -> None:
        """Remember what a message says."""
        kind = message.WhichOneof("type")
        if message.metadata.cacheable or kind == "ref_hash":
            self.seen[message.ref_hash or message.hash] = self.runs
        if kind == "navigation":
            self.page = message.navigation.page_script_hash
            self.pages = {one.url_pathname: one.page_script_hash for one in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            self.now.clocks[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "delta":
            self.element(message.delta)
        elif kind == "script_finished":
            self.finished(message.script_finished)

    def element(self, delta: Delta) -> None:
        """Remember what stands on the page."""
        if delta.WhichOneof("type") == "add_block" and delta.add_block.popover.id:
            self.widget(delta.add_block.popover.id, "popover", delta.fragment_id)
        if delta.WhichOneof("type") != "new_element":
            return
        kind = delta.new_element.WhichOneof("type") or ""
        proto = getattr(delta.new_element, kind) if kind else None
        self.now.texts += [str(getattr(proto, name)) for name in ("body", "text") if getattr(proto, name, "")]
        if kind == "exception":
            self.broken.append(f"{proto.type}: {proto.message}")
        if kind == "bidi_component" and proto.id.endswith("-arrival"):
            self.seat = json.loads(proto.json)["seat"]
        self.widget(str(getattr(proto, "id", "")), kind, delta.fragment_id)

    def widget(self, name: str, kind: str, fragment: str) -> None:
        """Remember a widget by its key: $$ID-<hash>-<key>."""
        if name.startswith("$$ID-"):
            self.now.widgets[name.split("-", 2)[2]] = Widget(name, kind, fragment)

    def finished(self, how: int) -> None:
        """Take a run over that has ended."""
        done, self.now = self.now, Run()
        said = "\n".join(done.texts)
        if "Your answer" in said:
            self.answered = perf_counter()
        if how == ForwardMsg.FINISHED_SUCCESSFULLY:
            self.widgets, self.clocks, self.said = done.widgets, done.clocks, said
            self.runs += 1
            self.ended = perf_counter()

    async def send(self, *more: WidgetState, fragment: str = "", clock: bool = False, page: str = "") -> None:
        """Ask for a run of the page, or of one fragment of it."""
        back = BackMsg()
        asked = back.rerun_script
        asked.query_string, asked.fragment_id, asked.is_auto_rerun = self.query, fragment, clock
        asked.page_script_hash = self.pages[page] if page else self.page
        asked.cached_message_hashes.extend(h for h, last in self.seen.items() if self.runs - last <= REMEMBERED)
        asked.widget_states.widgets.extend([*([] if page else self.values.values()), *more])
        await self.socket.send(back.SerializeToString())

    async def until(self, true: Callable[["Follower"], object]) -> None:
        """Wait for something that comes."""
        async with asyncio.timeout(TIMEOUT), self.news:
            await self.news.wait_for(lambda: true(self))

    async def rerun(self, *more: WidgetState, page: str = "") -> None:
        """Ask for a run of the page and wait for its end."""
        before = self.runs
        await self.send(*more, page=page)
        await self.until(lambda one: one.runs > before)

    async def press(self, key: str) -> None:
        """Press a button."""
        await self.rerun(WidgetState(id=self.widgets[key].id, trigger_value=True))

    async def go(self, page: str) -> None:
        """Choose a page."""
        await self.rerun(page=page)

    async def unfold(self, key: str) -> None:
        """Open what is folded."""
        await self.rerun(WidgetState(id=self.widgets[key].id, bool_value=True))

    async def choose(self, key: str, value: str) -> None:
        """Choose a layer or head, or type a sentence."""
        await self.rerun(said_around(self.widgets[DRAWN_AROUND[key]].id, key, value))

    async def answer(self, key: str, place: int) -> None:
        """Choose an answer in the class's question, which runs its fragment alone."""
        widget, before = self.widgets[key], self.answered
        state = WidgetState(id=widget.id)
        state.string_array_value.data.append(self.option(place))
        self.values[key] = state
        await self.send(fragment=widget.fragment)
        await self.until(lambda one: one.answered > before)

    def option(self, place: int) -> str:
        """One of the words of the example to choose."""
        names = ("0 \\[CLS\\]", "1 the", "2 animal", "4 cross", "6 street")
        return names[place % len(names)]


@contextlib.asynccontextmanager
async def follow(url: str, page: str = "", query: str = "", keeps: bool = False) -> AsyncIterator[Follower]:
    """Open a page of the app and wait for its first run."""
    async with connected(url) as socket:
        one = Follower(socket, query, keeps=keeps)
        work = [asyncio.create_task(one.listen()), asyncio.create_task(one.tick())]
        first = BackMsg()
        first.rerun_script.query_string, first.rerun_script.page_name = query, page
        await socket.send(first.SerializeToString())
        await one.until(lambda one: one.runs)
        try:
            yield one
        finally:
            for task in work:
                task.cancel()
