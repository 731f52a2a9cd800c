"""Files that browsers send: so many at one time, each for so long, and what was refused is told."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from pages.ui.server import sending
from pages.ui.server.sending import MOST_AT_ONCE, SendingBound

Message = dict[str, Any]
PUT: dict[str, Any] = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/b", "headers": []}


async def takes_a_file(scope: Any, receive: Any, send: Any) -> None:
    """Reads a body and says that it is there."""
    await Request(scope, receive).body()
    await PlainTextResponse("there")(scope, receive, send)


async def sent(
    bound: SendingBound, receive: Callable[[], Awaitable[Message]], method: str = "PUT", path: str = PUT["path"]
) -> int | None:
    """The status that a request is answered with; None where it is not answered."""
    answers: list[Message] = []

    async def send(message: Any) -> None:
        answers.append(message)

    await bound(PUT | {"method": method, "path": path}, receive, send)
    return next((one["status"] for one in answers if "status" in one), None)


async def at_once() -> Message:
    """A body that is there."""
    return {"type": "http.request", "body": b"x", "more_body": False}


def test_so_many_files_come_at_one_time_and_one_that_never_ends_or_whose_browser_left_gives_its_place_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def gone() -> Message:
        """A browser that has left."""
        return {"type": "http.disconnect"}

    async def never() -> Message:
        return await asyncio.Future()

    async def send_all() -> None:
        bound, there = SendingBound(takes_a_file, apart="/api/"), asyncio.Event()

        async def later() -> Message:
            await there.wait()
            return await at_once()

        waiting = [asyncio.create_task(sent(bound, later)) for _ in range(MOST_AT_ONCE)]
        while bound.coming < MOST_AT_ONCE:
            await asyncio.sleep(0)
        assert await sent(bound, at_once) == 503
        assert await sent(bound, at_once, "GET") == 200
        assert await sent(bound, at_once, "POST", "/api/run") == 200  # runs have bounds of their own
        there.set()
        assert await asyncio.gather(*waiting) == [200] * MOST_AT_ONCE
        assert await sent(bound, gone) is None and bound.coming == 0  # no error of the server
        monkeypatch.setattr(sending, "SECONDS", 0.01)
        assert await sent(bound, never) == 408 and bound.coming == 0

    asyncio.run(send_all())


class Kept:
    """Takes files and lets go of them, as Streamlit does; `status` is what it answers to one that is sent."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.status = 204

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = await Request(scope, receive).body()
        if scope["method"] == "DELETE":
            self.files.pop(scope["path"], None)
        elif self.status == 204:
            self.files[scope["path"]] = len(body)
        await PlainTextResponse("", self.status)(scope, receive, send)


async def put(bound: SendingBound, where: str, content: bytes, method: str = "PUT") -> None:
    """Send a file there."""

    async def receive() -> Message:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Any) -> None:
        pass

    await bound(PUT | {"path": f"/_stcore/upload_file/{where}", "method": method}, receive, send)


def test_of_each_session_the_newest_files_stay_and_of_all_no_more_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "MOST_BYTES", 100)

    async def tried() -> None:
        kept = Kept()
        bound = SendingBound(kept)

        def names() -> list[str]:
            assert kept.files.keys() == bound.kept.keys()
            return [path.removeprefix("/_stcore/upload_file/") for path in kept.files]

        for number in range(5):
            await put(bound, f"a/{number}", b"x" * 20)
        assert names() == ["a/3", "a/4"]
        await put(bound, "b/0", b"x" * 60)
        assert names() == ["a/3", "a/4", "b/0"]
        await put(bound, "c/0", b"x" * 30)
        assert names() == ["b/0", "c/0"]
        await put(bound, "b/0", b"", "DELETE")
        assert "b/0" not in names()
        kept.status = 413
        before = names()
        await put(bound, "d/0", b"x" * 90)
        assert names() == before

    asyncio.run(tried())
