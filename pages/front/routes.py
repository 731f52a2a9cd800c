"""The routes of the front, under the app's path: shipped packets, the browser's code, runs and files of pictures."""

import asyncio
import gzip
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from functools import cache, partial
from io import BytesIO
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from pages.front import packets, page_html, request_fields
from pages.front.headers import PRIVATE
from pages.front.packets import Packets
from pages.front.request_fields import ClaimRequest, FileRequest, LessonRequest, MoreRequest, RefusedError, RunRequest
from pages.front.served_files import File, Links
from pages.front.visitors import Few, Makers, is_own, unless_left, visitor
from pages.ui.browser_scripts import BUILT, SCRIPTS, digest
from pages.ui.server.file_links import PATH
from pages.ui.state.site import PAGES, base

MOST_BODY = 64 * 1024  # bytes of a request
MOST_GIVEN = 3 * 1024 * 1024  # of one that holds a text of somebody's own
PART = 256 * 1024  # bytes of an answer that are sent at one time
SECONDS = 10.0  # for a request to come
OFTEN = 0.3  # seconds between two words on how far something is
PUBLIC = "public, max-age=31536000, immutable"
PACKET, SCRIPT = "application/octet-stream", "text/javascript; charset=utf-8"
JSON, LINES = "application/json", "application/x-ndjson"
UNKNOWN = "There is nothing at this address. The app may have been renewed: load the page again."
FOREIGN = "Only the pages of this app may ask for this."
FAILED = "This could not be made. Try another sentence, or load the page again."
SLOW = "The request came too slowly. Try again."
ENCODED = re.compile(r"(?:gzip|x-gzip|\*)(?:\s*;\s*q=([01](?:\.\d{0,3})?))?", re.IGNORECASE)
T = TypeVar("T")
log = logging.getLogger(__name__)


def usual_maker(request: FileRequest) -> File:
    """Wait until the libraries are there, and make the file."""
    from pages.ui.frame import cold_start

    cold_start.load()
    from pages.front.make_file import file

    return file(request)


def takes_gzip(encodings: str) -> bool:
    """Return whether a browser that says so of the encodings it takes can unpack gzip."""
    matches = [match for part in encodings.split(",") if (match := ENCODED.fullmatch(part.strip()))]
    return any(float(match[1] or 1) > 0 for match in matches[:1])


def stored(request: Request, packed: bytes, kind: str, control: str) -> Response:
    """Return an answer of bytes that are kept compressed, unpacked for who asks for that."""
    headers = {"Cache-Control": control, "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    if not takes_gzip(request.headers.get("Accept-Encoding", "")):
        return StreamingResponse(unpacked(packed), headers=headers, media_type=kind)
    headers |= {"Content-Encoding": "gzip", "Content-Length": str(len(packed))}
    return StreamingResponse(in_parts(packed), headers=headers, media_type=kind)


async def in_parts(packed: bytes) -> AsyncIterator[bytes]:
    """Return parts, the next when the one before was read: who does not read has no second copy of it made."""
    for start in range(0, len(packed), PART):
        yield packed[start : start + PART]


async def unpacked(packed: bytes) -> AsyncIterator[bytes]:
    """Return parts, unpacked; of 7 MB it takes as long as others would notice, and so it is done beside them."""
    with gzip.open(BytesIO(packed)) as file:
        while part := await asyncio.to_thread(file.read, PART):
            yield part


def refusal(error: RefusedError) -> Response:
    """Return an answer that says in one plain sentence why there is no other."""
    after = {"Retry-After": str(error.after)} if error.after else {}
    headers = {"Cache-Control": PRIVATE, "X-Content-Type-Options": "nosniff"} | after
    return JSONResponse({"message": error.message}, error.status, headers)


@cache
def packed_script(name: str) -> bytes:
    """Return a file of the browser's code, compressed."""
    return gzip.compress((BUILT / name).read_bytes(), 9, mtime=0)


async def script(request: Request) -> Response:
    """Return a file of the browser's code, under the digest of its content; another digest is of another version."""
    name = str(request.path_params["name"])
    if request.path_params["digest"] != digest() or name not in SCRIPTS:
        return refusal(RefusedError(404, UNKNOWN))
    return stored(request, await asyncio.to_thread(packed_script, name), SCRIPT, PUBLIC)


async def packet(request: Request) -> Response:
    """Return the packet of a bundled sentence."""
    number, shelf = str(request.path_params["number"]), packets.shelf()
    known = number.isascii() and number.isdigit() and len(number) < 4 and int(number) < len(shelf.packed)
    if request.path_params["digest"] != shelf.digest or not known:
        return refusal(RefusedError(404, UNKNOWN))
    return stored(request, shelf.packed[int(number)], PACKET, PUBLIC)


async def body_of(request: Request, most: int = MOST_BODY) -> bytes:
    """Return what a request sends, if it is JSON, of at most so many bytes, and comes in time.

    Raises:
        RefusedError: it is not.
    """
    if request.headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(400, request_fields.NO_JSON)
    length = request.headers.get("Content-Length", "0")
    too_large = RefusedError(413, f"The request is larger than {most // 1024:,} kB.")
    if length.isascii() and length.isdigit() and int(length[:20]) > most:
        raise too_large

    async def come() -> bytes:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise too_large
        return bytes(body)

    try:
        return await asyncio.wait_for(come(), SECONDS)
    except TimeoutError:
        raise RefusedError(400, SLOW) from None


async def answered(request: Request, make: Callable[[bytes], Awaitable[Response]], most: int = MOST_BODY) -> Response:
    """Return what `make` answers to what a page of this app sends, or one sentence that says why it does not."""
    try:
        if not is_own(request.headers):
            raise RefusedError(403, FOREIGN)
        return await make(await body_of(request, most))
    except RefusedError as error:
        return refusal(error)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody is there to read it
    except Exception:
        log.exception("What was asked for could not be made")
        return refusal(RefusedError(503, FAILED))


def of_runs(packets: Packets) -> Callable[[Request], Awaitable[Response]]:
    """Return the route of runs: the packet of the one that is asked for."""

    async def answer(request: Request) -> Response:
        async def make(body: bytes) -> Response:
            coming = packets.get(request_fields.read(RunRequest, body), visitor(request))
            return stored(request, await unless_left(request, coming), PACKET, PRIVATE)

        return await answered(request, make)

    return answer


def saved(request: Request, file: File) -> Response:
    """Return a file, to be saved under its name."""
    response = stored(request, file.packed, file.type, PRIVATE)
    response.headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


def is_short(request: Request) -> bool:
    """Return whether a request says that it is no larger than those that hold no text of somebody's own."""
    length = request.headers.get("Content-Length", "")
    return length.isascii() and length.isdigit() and int(length[:20]) <= MOST_BODY


def of_files(make_file: Callable[[FileRequest], File]) -> Callable[[Request], Awaitable[Response]]:
    """Return the route of the files of pictures and runs: the one that is asked for, to be saved under its name."""
    makers = Makers("files")

    async def answer(request: Request) -> Response:
        async def make(body: bytes) -> Response:
            coming = makers.begin(visitor(request), make_file, request_fields.read(FileRequest, body))
            return saved(request, await unless_left(request, coming))

        return await answered(request, make)

    return answer


def make_more(request: MoreRequest, hear: Callable[[float], None]) -> bytes:
    """Wait until the libraries are there, and make a section of what stands below a page."""
    from pages.ui.frame import cold_start

    cold_start.load()
    from pages.front.make_more import more

    return more(request, hear)


def make_table(request: MoreRequest) -> File:
    """Wait until the libraries are there, and make a table of what stands below a page as a file."""
    from pages.ui.frame import cold_start

    cold_start.load()
    from pages.front.make_more import table_file

    return table_file(request)


def of_more() -> Callable[[Request], Awaitable[Response]]:
    """Return the route of what stands below pages: the section that is asked for, and of long work how far it is.

    What somebody agreed to wait for comes in lines, each an object as JSON: the share that is done, and at last the
    items, or the sentence that says why there are none. Texts that somebody gives are large: few of these requests may
    be here at one time, and fewer of one visitor.
    """
    makers, given = Makers("more"), Few()

    async def answer(request: Request) -> Response:
        async def make(body: bytes) -> Response:
            asked, share = request_fields.read(MoreRequest, body), [0.0]
            if asked.table:
                return saved(request, await unless_left(request, makers.begin(visitor(request), make_table, asked)))
            coming = makers.begin(visitor(request), make_more, asked, partial(share.__setitem__, 0))
            if asked.agreed:
                held = place.pop_all()
                coming.add_done_callback(lambda done: held.close())
                return StreamingResponse(lines(coming, share), headers={"Cache-Control": PRIVATE}, media_type=LINES)
            items = await unless_left(request, coming)
            packed = await asyncio.to_thread(gzip.compress, items, mtime=0)
            return stored(request, packed, JSON, PRIVATE)

        short = is_short(request)
        try:
            place = ExitStack() if short else given.take(visitor(request))
        except RefusedError as error:
            return refusal(error)
        with place:
            return await answered(request, make, MOST_BODY if short else MOST_GIVEN)

    return answer


def make_step(request: LessonRequest) -> bytes:
    """Wait until the libraries are there, and make what a screen shows of a step of a lesson."""
    from pages.ui.frame import cold_start

    cold_start.load()
    from pages.front.lesson_steps import shown_step

    return json.dumps(shown_step(request)).encode()


def make_verdict(request: ClaimRequest) -> bytes:
    """Wait until the libraries are there, and make what a model says to a claim."""
    from pages.ui.frame import cold_start

    cold_start.load()
    from pages.front.claim_verdicts import verdict

    return json.dumps(verdict(request)).encode()


def of_small(name: str, kind: type[T], make_it: Callable[[T], bytes]) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that answers with a little JSON: a step of a lesson, or the verdict of a claim."""
    makers = Makers(name)

    async def answer(request: Request) -> Response:
        async def make(body: bytes) -> Response:
            coming = makers.begin(visitor(request), make_it, request_fields.read(kind, body))
            return Response(await unless_left(request, coming), headers={"Cache-Control": PRIVATE}, media_type=JSON)

        return await answered(request, make)

    return answer


async def lines(coming: "asyncio.Future[bytes]", share: list[float]) -> AsyncIterator[bytes]:
    """Return how far it is as often as that changes, and then what comes; who leaves ends it."""
    last = -1.0
    try:
        while not coming.done():
            if share[0] != last:
                last = share[0]
                yield b'{"share": %.3f}\n' % last
            await asyncio.wait({coming}, timeout=OFTEN)
        yield b'{"items": %s}\n' % coming.result()
    except RefusedError as error:
        yield json.dumps({"message": error.message}).encode() + b"\n"
    except Exception:
        log.exception("What was asked for could not be made")
        yield json.dumps({"message": FAILED}).encode() + b"\n"
    finally:
        coming.cancel()


async def of_class(request: Request) -> Response:
    """Return what is asked of a class; without one nothing of them is loaded."""
    from pages.front import class_routes

    return await class_routes.classes().answer(request, answered)


async def to_class(socket: WebSocket) -> None:
    """Tell a screen what goes on in its class."""
    from pages.front import class_routes

    await class_routes.classes().listen(socket)


async def unknown(scope: Scope, receive: Receive, send: Send) -> None:
    """Anything else below the routes' own path: Streamlit would answer it with its page."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000, "reason": ""})
        return
    await refusal(RefusedError(404, UNKNOWN))(scope, receive, send)


def routes(packets: Packets | None = None, make_file: Callable[[FileRequest], File] = usual_maker) -> list[BaseRoute]:
    """Return all routes of the front, and those of the pages, under the path that the app is served under."""
    api, runs = f"{base()}/api", packets or Packets()
    return [
        Route(f"{api}/shipped/{{digest}}/{{number}}.packet", packet),
        Route(f"{api}/front/{{digest}}/{{name}}", script),
        Route(f"{api}/run", of_runs(runs), methods=["POST"]),
        Route(f"{api}/picture", of_files(make_file), methods=["POST"]),
        Route(f"{api}/more", of_more(), methods=["POST"]),
        Route(f"{base()}{PATH}/{{link}}", Links().answer),
        Route(f"{api}/lesson", of_small("lessons", LessonRequest, make_step), methods=["POST"]),
        Route(f"{api}/claim", of_small("claims", ClaimRequest, make_verdict), methods=["POST"]),
        WebSocketRoute(f"{api}/class/events", to_class),
        Route(f"{api}/class/{{act}}", of_class, methods=["POST"]),
        Mount(api, unknown),
        *(Route(f"{base()}/{page.key}", page_html.answer) for page in PAGES[1:]),
    ]
