"""The routes of classes: to open and join one, to show, ask and answer, and a line that tells what goes on in it.

A seat stands in the body of a request, never in its address, which logs keep. Imported when somebody asks for a class.
"""

import asyncio
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any
from urllib.parse import urlsplit, urlunsplit

import streamlit as st
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from encoder.support.errors import EncoderError
from pages.front.class_streams import Streams
from pages.front.headers import PRIVATE
from pages.front.request_fields import NO_JSON, Query, RefusedError, Sent, Text, read
from pages.front.visitors import Makers, is_own, unless_left, visitor
from pages.ui.classroom import results
from pages.ui.classroom.classroom import SLOWED, Classroom, GoneError, OutError, classroom
from pages.ui.components.share import OWN, code
from pages.ui.server.jobs import FullError
from pages.ui.state import seat as seats
from pages.ui.state import site
from pages.ui.state.seat import Seat

Fields = dict[str, Any]
Short = Annotated[str, Field(strict=True, max_length=100)]
Count = Annotated[int, Field(strict=True, ge=1, le=1000)]
Answered = Callable[[Request, Callable[[bytes], Awaitable[Response]]], Awaitable[Response]]
LONGEST = 200  # characters of the first word of a screen that listens
SECONDS = 10.0  # for it to come
MOST_SLOWED = 16  # wrong codes of one address that wait at one time
MOST_ASKED = 4  # questions that are made for one address at one time
BUSY = "Many codes were just tried from your network. Try again in a moment."
MANY = "Many questions are being made just now. Try again in a moment."
NO_CODE = "Type the letters that your teacher shows."
OVER = "The class is over, or its server has restarted."
ELSEWHERE = ("192.0.2.1", 9)  # an address that nobody has: nothing is sent to it


@dataclass(frozen=True)
class ClassRequest(Sent):
    """What a screen says to its class; what each of it means, and which of it is needed, is for what it wants done."""

    seat: Any = None
    code: Short = ""
    page: Short = ""
    query: Query = ()
    kind: Short = ""
    word: Any = None
    to: Any = None
    claim: Any = None
    act: Short = ""
    number: Count = 0
    round: Count = 0
    answer: Any = None
    sentence: Text = ""
    name: Short = ""
    at: Annotated[str, Field(strict=True, max_length=300)] = ""

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the address that a teacher's screen shows."""
        return {name: value for name, value in self.query if name != seats.JOINS}


class Classes:
    """What is asked of the classes of this server."""

    def __init__(self, room: Callable[[], Classroom] = classroom) -> None:
        self.room = room
        self.streams = Streams(room)
        self.slowed: Counter[str] = Counter()  # requests that wait, by the address that sent them
        self.makers = Makers("questions", MOST_ASKED, MANY)

    async def answer(self, request: Request, answered: Answered) -> Response:
        """Answer a request; `answered` sees to it that a page of this app has sent it."""
        act, who = str(request.path_params["act"]), visitor(request)

        async def make(body: bytes) -> Response:
            if act not in ACTS:
                raise RefusedError(404, NO_JSON)
            fields = read(ClassRequest, body)
            try:
                return await self.do(request, act, fields, who)
            except GoneError:
                raise RefusedError(410, OVER) from None
            except EncoderError as error:
                raise RefusedError(409, sentence(error)) from None

        return await answered(request, make)

    async def do(self, request: Request, act: str, fields: ClassRequest, who: str) -> Response:
        """Do what is asked for."""
        room = self.room()
        if act == "open":
            return self.json({"seat": str(room.open(who))})
        if act == "join":
            if not fields.code.strip():
                raise RefusedError(409, NO_CODE)
            await self.slow(room, who)
            return self.json({"seat": str(room.join(fields.code, who))})
        seat = await self.seat(room, fields, who)
        if act in ("offer", "ask"):
            room.leading(seat)
            return self.json(await self.questions(request, act, room, seat, fields))
        if act == "keep":
            return answers_file(room, seat)
        done = DOES[act](room, seat, fields)
        self.streams.stir(seat.code)
        return self.json(done or {})

    async def listen(self, line: WebSocket) -> None:
        """Tell a screen what goes on in its class for as long as it listens; its first word is its seat."""
        if not is_own(line.headers):
            await line.close()
            return
        await line.accept()
        telling = None
        try:
            first_word = await asyncio.wait_for(line.receive_text(), SECONDS)
            fields = read(ClassRequest, first_word[:LONGEST].encode())
            seat = await self.seat(self.room(), fields, visitor(line))
            telling = asyncio.create_task(tell(line, self.streams.begin(seat, visitor(line))))
            await line.receive()  # nothing but that it leaves
        except GoneError:
            await tell(line, once({"over": True}))
        except OutError as error:
            await tell(line, once({"over": True, "why": sentence(error)}))
        except (EncoderError, RefusedError, UnicodeError, KeyError, TimeoutError):
            await tell(line, once({"away": True}))
        except WebSocketDisconnect:
            pass
        finally:
            if telling is not None:
                telling.cancel()

    async def seat(self, room: Classroom, fields: ClassRequest, who: str) -> Seat:
        """Return the seat that a request says it has, if its class has given it."""
        seat = seats.read(fields.seat)
        if seat is None:
            raise GoneError("the class is over")
        try:
            return room.sit_again(seat, who)
        except GoneError:
            await self.slow(room, who)
            raise

    async def slow(self, room: Classroom, who: str) -> None:
        """Have an address wait that has just tried many wrong codes."""
        if not room.is_slowed(who):
            return
        if self.slowed[who] >= MOST_SLOWED:
            raise RefusedError(429, BUSY, 2)
        self.slowed[who] += 1
        try:
            await asyncio.sleep(SLOWED)
        finally:
            self.slowed[who] -= 1
            self.slowed += Counter()

    async def questions(self, request: Request, act: str, room: Classroom, seat: Seat, fields: ClassRequest) -> Fields:
        """Say what can be asked of what is on the teacher's screen, or ask it; a teacher who leaves ends that."""
        try:
            coming = self.makers.begin(visitor(request), make_question, act, fields)
            answer = await unless_left(request, coming)
        except FullError as error:
            raise RefusedError(503, f"{error}. Try again in a moment.", 2) from None
        if act == "offer":
            return dict(answer)
        room.ask(seat, answer)
        self.streams.stir(seat.code)
        return {}

    @staticmethod
    def json(fields: Fields) -> Response:
        """Return an answer for this screen alone."""
        return JSONResponse(fields, headers={"Cache-Control": PRIVATE})


def show(room: Classroom, seat: Seat, fields: ClassRequest) -> None:
    """Have all who follow see a page."""
    page = site.named(fields.page)
    if page is None or page.key == "class":
        raise RefusedError(400, NO_JSON)
    room.show(seat, fields.page, fields.parameters)


def act(room: Classroom, seat: Seat, fields: ClassRequest) -> None:
    """Do with the question, or the class, what its teacher chose."""
    acts: dict[str, Callable[[Seat], None]] = {
        "close": room.close,
        "compare": room.compare,
        "reveal": room.reveal,
        "again": room.again,
        "put_away": room.put_away,
        "hide": partial(room.cover, hides=True),
        "unhide": partial(room.cover, hides=False),
        "shut_door": partial(room.lock, is_shut=True),
        "open_door": partial(room.lock, is_shut=False),
        "empty_wall": room.empty_wall,
        "end": room.end,
    }
    done = acts.get(fields.act)
    if done is None:
        raise RefusedError(400, NO_JSON)
    done(seat)


def answer(room: Classroom, seat: Seat, fields: ClassRequest) -> Fields:
    """Take a pupil's answer."""
    return {"taken": room.answer(seat, fields.number, fields.round, fields.answer)}


def send(room: Classroom, seat: Seat, fields: ClassRequest) -> Fields:
    """Put a pupil's sentence on the wall."""
    if seat.leads or not room.send(seat, fields.sentence):
        raise EncoderError("there is no sentence, or no room for more of them")
    return {"sentence": room.own(seat)["sentence"]}


def drop(room: Classroom, seat: Seat, fields: ClassRequest) -> None:
    """Take a sentence off the wall."""
    room.take_down(seat, fields.name)


def out(room: Classroom, seat: Seat, fields: ClassRequest) -> None:
    """Shut out who has sent a sentence of the wall."""
    room.shut_out(seat, fields.name)


def link_to_join(room: Classroom, seat: Seat, fields: ClassRequest) -> Fields:
    """Return the address by which pupils join, and its code for a camera."""
    room.leading(seat)
    return link_of(fields.at, seat.code)


def link_of(at: str, class_code: str) -> Fields:
    """Return the link to the class's page `at`, its code, and whether only this computer can open it.

    In place of the computer's own name for itself stands its address in the network, where that is known.

    Raises:
        EncoderError: `at` is no address of a page.
    """
    try:
        parts = urlsplit(at)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise EncoderError("there is no such page") from None
    if parts.scheme not in ("http", "https") or not host:
        raise EncoderError("there is no such page")
    local = host in (name.strip("[]") for name in OWN)
    near = address_in_network() if local else ""
    place = parts.netloc if not near else near if port is None else f"{near}:{port}"
    link = urlunsplit((parts.scheme, place, parts.path, f"{seats.JOINS}={class_code}", ""))
    size, path = code(link)
    return {"link": link, "size": size, "path": path, "local": local and not near, "near": bool(near)}


def address_in_network() -> str:
    """Return the address of this computer that others in its network see; empty where it has none, or does not listen.

    No packet leaves for it: the system is asked which of its addresses it would send from.
    """
    if str(st.get_option("server.address") or "") not in ("", "0.0.0.0"):
        return ""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.connect(ELSEWHERE)
            address = str(sender.getsockname()[0])
    except OSError:
        return ""
    return "" if address.startswith("127.") or address == "0.0.0.0" else address


DOES: dict[str, Callable[[Classroom, Seat, ClassRequest], Fields | None]] = {
    "show": show,
    "act": act,
    "answer": answer,
    "send": send,
    "drop": drop,
    "out": out,
    "link": link_to_join,
}
ACTS = ("open", "join", "offer", "ask", "keep", *DOES)


async def once(fields: Fields) -> AsyncIterator[str]:
    """One thing to say."""
    yield json.dumps(fields)


async def tell(line: WebSocket, news: AsyncIterator[str]) -> None:
    """Say all that is new to a screen, as long as it hears."""
    with suppress(WebSocketDisconnect, OSError, RuntimeError):
        async for text in news:
            await line.send_text(text)
        await line.close()


def make_question(act: str, fields: ClassRequest) -> Any:
    """Make what is asked for when the libraries are there."""
    from pages.ui.frame import cold_start

    cold_start.load()
    from pages.front import class_questions

    if act == "offer":
        return class_questions.offer(fields.parameters)
    return class_questions.question(fields.parameters, fields.kind, vars(fields))


def answers_file(room: Classroom, seat: Seat) -> Response:
    """Return what the class has answered as a file."""
    headers = {"Cache-Control": PRIVATE, "X-Content-Type-Options": "nosniff"}
    return Response(
        results.table(room.all_results(seat)).encode(), headers=headers, media_type="text/csv; charset=utf-8"
    )


def sentence(error: Exception) -> str:
    """Return what an error says, as a sentence."""
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


@cache
def classes() -> Classes:
    """Return those of this server."""
    return Classes()
