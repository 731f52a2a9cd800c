"""A class that is told "click now": python tests/benchmarks/bench_burst.py [--sessions 30 60] [--check].

So many visitors have the same page open, each with a sentence of its own, and all press at the same instant: another
head, and then another sentence. The time is that until the last of them is served. Then all open one link.

Then a class that follows a teacher. First nothing happens, and what the server's processor does is measured. Then the
teacher takes a step now and then: the time is that from the teacher's request until a pupil's screen is told. Then the
class is asked, and all pupils answer at the same instant: the time is that until an answer is taken. Then it goes
through a whole lesson: each step is shown, asked, answered, talked about and revealed, and the time is that from Reveal
to the last screen; what each screen is told is counted again. The client runs on the same processors.
"""

import asyncio
import contextlib
import json
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any
from urllib.parse import urlencode, urlsplit

import figures  # noqa: F401  (it says where the modules of the tests lie)
import websockets
from bench_load import packet, server
from figures import Figure, command_line, errors, finish, high
from servers import Server
from visitors import TIMEOUT, sentence, visit

from pages.ui.lessons import library

BARS = {30: 0.5, 60: 1.0}  # visitors -> seconds until the last is served
LINK = 500.0  # milliseconds until a link is open
STEP, ANSWER = 1.0, 0.5  # seconds until a pupil is told of a step; until an answer of the same instant is taken
REVEAL = 1.0  # seconds from Reveal to the last screen
LESSON = "what-is-attention"
IDLE = 0.1  # of a processor, for thirty that follow while nothing happens
QUERY = {"sentence": "The keys to the cabinet [MASK] on the table.", "model": "base", "layer": "5", "word": "6"}


async def burst(running: Server, sessions: int, rounds: int = 5) -> list[Figure]:
    """All press at once, some rounds of it; the figures of each kind of press, and of a link that all open."""
    draw, rows = random.Random(sessions), []
    async with contextlib.AsyncExitStack() as stack:
        visitors = []
        for _ in range(sessions):
            visitors.append(await stack.enter_async_context(visit(running.url)))
            await visitors[-1].choose("sentence", sentence(draw))
        for what in ("head", "sentence"):
            lasts, used = [], running.processor_seconds
            for turn in range(rounds):
                texts = [str(turn % 8) if what == "head" else sentence(draw) for _ in visitors]
                start = perf_counter()
                await asyncio.gather(*(one.choose(what, text) for one, text in zip(visitors, texts, strict=True)))
                lasts.append(perf_counter() - start)
                await asyncio.sleep(1.0)
            used = 1e3 * (running.processor_seconds - used) / rounds / sessions
            name = f"{sessions} choose another {what}: the last is served after"
            bar = BARS.get(sessions) if what == "head" else None
            rows.append(Figure(name, median(lasts), bar, "s", f"{used:.0f} ms of a processor each; of {rounds}"))
        broken = [line for visitor in visitors for line in visitor.broken]
    return [*rows, await link(running.url, sessions), errors(f"{sessions} pressed", broken)]


async def link(url: str, count: int) -> Figure:
    """So many open one link at once: the page, its first run over the websocket, and the packet that it draws."""
    text = "One link for a whole class."
    asked = {"model": "base", "sentence": text, "level": 1}
    await asyncio.to_thread(packet, url, **asked)  # a teacher has it open

    async def come() -> float:
        start = perf_counter()
        async with visit(url, "attention", urlencode({"sentence": text})):
            await asyncio.to_thread(packet, url, **asked)
            return 1e3 * (perf_counter() - start)

    return high(f"{count} open one link", await asyncio.gather(*(come() for _ in range(count))), LINK)


async def post(url: str, route: str, **body: Any) -> dict[str, Any]:
    """Return what the server answers to what a screen asks."""
    at, data = urlsplit(url), json.dumps(body).encode()
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    head = [f"POST /api/class/{route} HTTP/1.1", f"Host: {at.netloc}", f"Origin: {url}", "Connection: close"]
    head += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    writer.write("\r\n".join([*head, "", ""]).encode() + data)
    answer = await asyncio.wait_for(reader.read(), TIMEOUT)
    writer.close()
    status, _, text = answer.partition(b"\r\n\r\n")
    if b" 200 " not in status.split(b"\r\n")[0]:
        raise RuntimeError(f"{route}: {answer[:500]!r}")
    result: dict[str, Any] = json.loads(text)
    return result


@dataclass
class Screen:
    """A screen of a class without a browser: its seat, what it is told, and when the newest part of it came."""

    url: str
    seat: str
    parts: dict[str, Any] = field(default_factory=dict)
    came: float = 0.0
    broken: list[str] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def step(self) -> int:
        """The number of what the class shows."""
        return int(self.parts.get("class", {}).get("shown", {}).get("number", 0))

    @property
    def phase(self) -> str:
        """How far the question is; empty where none is asked."""
        return str((self.parts.get("class", {}).get("asked") or {}).get("phase", ""))

    async def ask(self, route: str, **body: Any) -> dict[str, Any]:
        """Return what the server answers to this screen."""
        return await post(self.url, route, seat=self.seat, **body)

    async def listen(self, line: websockets.ClientConnection) -> None:
        """Take what comes until the screen is closed."""
        async for text in line:
            part = json.loads(text)
            if part.get("away"):
                self.broken.append(str(part))
            async with self.news:
                self.parts |= part
                self.came = perf_counter() if "class" in part else self.came
                self.news.notify_all()


async def until(screens: list[Screen], true: Callable[[Screen], object]) -> None:
    """Wait until this is true of all of them."""
    async with asyncio.timeout(TIMEOUT):
        for screen in screens:
            async with screen.news:
                await screen.news.wait_for(lambda screen=screen: true(screen))


@contextlib.asynccontextmanager
async def follow(url: str, seat: str) -> AsyncIterator[Screen]:
    """A screen that has this seat."""
    address = f"{url.replace('http', 'ws', 1)}/api/class/events"
    async with websockets.connect(address, origin=url) as line:  # type: ignore[arg-type]
        await line.send(json.dumps({"seat": seat}))
        screen = Screen(url, seat)
        listening = asyncio.create_task(screen.listen(line))
        await until([screen], lambda screen: "class" in screen.parts)
        try:
            yield screen
        finally:
            listening.cancel()


async def follows(
    running: Server, pupils: int, seconds: float = 20.0, steps: int = 20, votes: int = 3, pause: float = 2.0
) -> list[Figure]:
    """One class from its opening to its end: the figures of a class that follows, and answers."""
    told, answers = list[float](), list[float]()
    async with contextlib.AsyncExitStack() as stack:
        seat = (await post(running.url, "open"))["seat"]
        teacher = await stack.enter_async_context(follow(running.url, seat))
        joined = [(await post(running.url, "join", code=seat[:6]))["seat"] for _ in range(pupils)]
        screens = [await stack.enter_async_context(follow(running.url, own)) for own in joined]
        before, start = running.processor_seconds, perf_counter()
        await asyncio.sleep(seconds)
        idle = (running.processor_seconds - before) / (perf_counter() - start)
        for turn in range(steps):
            last, start = teacher.step, perf_counter()
            await teacher.ask("show", page="start", query=QUERY | {"head": str(turn % 8)})
            await until([teacher, *screens], lambda screen, last=last: screen.step > last)
            told += [screen.came - start for screen in screens]
            await asyncio.sleep(pause)
        for turn in range(votes):
            answers += await vote(teacher, screens, turn + 1)
        await teacher.ask("act", act="end")
        broken = [line for screen in screens for line in screen.broken]
    return [
        Figure(f"{pupils} follow, nothing happens: processors", idle, IDLE if pupils <= 30 else None),
        high(f"{pupils} follow: told of a step", told, STEP, "s"),
        high(f"{pupils} answer at once: taken", answers, ANSWER, "s"),
        errors(f"{pupils} follow", broken),
    ]


async def lesson(running: Server, pupils: int) -> list[Figure]:
    """One class through a whole lesson: the figures of its steps, and of what each screen was told wrongly."""
    steps = [at for at, step in enumerate(library.bundled()[LESSON].steps, 1) if step.question is not None]
    lasts, asks, used, wrong = list[float](), list[float](), running.processor_seconds, list[str]()
    async with contextlib.AsyncExitStack() as stack:
        seat = (await post(running.url, "open"))["seat"]
        teacher = await stack.enter_async_context(follow(running.url, seat))
        joined = [(await post(running.url, "join", code=seat[:6]))["seat"] for _ in range(pupils)]
        screens = [await stack.enter_async_context(follow(running.url, own)) for own in joined]
        for number, at in enumerate(steps, 1):
            query, page = library.query_of(LESSON, at), library.bundled()[LESSON].steps[at - 1].page
            last, start = teacher.step, perf_counter()
            await teacher.ask("show", page=page, query=query)
            await until(screens, lambda screen, last=last: screen.step > last)
            await teacher.ask("ask", query=query, page=page, kind="lesson")
            await until([teacher, *screens], lambda screen: screen.phase == "open")
            asks.append(perf_counter() - start)
            about = teacher.parts["class"]["asked"]
            given = [place % len(about["options"]) if about["options"] else about["low"] for place in range(pupils)]
            pairs, about = zip(screens, given, strict=True), {"number": number, "round": 1}
            await asyncio.gather(*(screen.ask("answer", answer=answer, **about) for screen, answer in pairs))
            await teacher.ask("act", act="compare")
            await until([teacher, *screens], lambda screen: screen.phase == "answers")
            start = perf_counter()
            await teacher.ask("act", act="reveal")
            await until([teacher, *screens], lambda screen: screen.phase == "shown")
            lasts.append(max(screen.came for screen in [teacher, *screens]) - start)
            wrong += [f"step {at}: {told}" for told in map(miscounted, screens, [given] * pupils) if told]
            await teacher.ask("act", act="put_away")
        await teacher.ask("act", act="end")
        wrong += [line for screen in screens for line in screen.broken]
    used = 1e3 * (running.processor_seconds - used) / len(steps)
    note = f"of {len(steps)} steps; {used:.0f} ms of a processor a step"
    return [
        Figure(f"{pupils} in a lesson: Reveal is on the last screen after", max(lasts), REVEAL, "s", note),
        high(f"{pupils} in a lesson: a step is shown and asked", asks, STEP, "s"),
        errors(f"{pupils} in a lesson", wrong),
    ]


def miscounted(screen: Screen, given: list[float]) -> str:
    """What a screen is told of these answers that is not so; empty where all is."""
    results = screen.parts["class"]["results"]
    votes = Counter(given)
    told = results["scale"]["votes"] if results["scale"] else [line["votes"] for line in results["lines"]]
    meant = [sorted(given)] if results["scale"] else [[votes[i]] for i in range(len(told))]
    return "" if told == meant and results["of"] == [len(given)] else f"{told} and not {meant}"


async def vote(teacher: Screen, screens: list[Screen], number: int) -> list[float]:
    """Ask where a word looks; when all have the question, all answer at once. Returns the seconds of each."""

    async def answer(place: int, screen: Screen) -> float:
        start = perf_counter()
        taken = await screen.ask("answer", number=number, round=1, answer=place % 5)
        if not taken["taken"]:
            screen.broken.append("an answer was not taken")
        return perf_counter() - start

    await teacher.ask("ask", query=QUERY | {"head": "6"}, kind="look", word=6)
    await until(screens, lambda screen: screen.phase == "open")
    seconds = await asyncio.gather(*(answer(i, screen) for i, screen in enumerate(screens)))
    for act, phase in (("reveal", "shown"), ("put_away", "")):
        await teacher.ask("act", act=act)
        await until(screens, lambda screen, phase=phase: screen.phase == phase)
    return seconds


def main() -> int:
    """Print the figures; return the exit status."""
    parser = command_line(__doc__)
    parser.add_argument("--sessions", type=int, nargs="*", default=sorted(BARS))
    options = parser.parse_args()
    rows = []
    for sessions in options.sessions:
        for kind in (burst, follows, lesson):
            with server() as running:
                rows += asyncio.run(kind(running, sessions))
    return finish(rows, options.check)


if __name__ == "__main__":
    sys.exit(main())
