"""Files that pages offer by links, and the lines of the browsers that they are offered to."""

import asyncio
import re
from typing import Any

import pytest
from page_tools import ask, files, go, open_app
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.front import routes
from pages.front import served_files as made_files
from pages.ui.server import file_links, visitor
from pages.ui.server.visitor import HEADER, Lines, is_here

PADDING = {"lab": "Padding", "model": "small"}  # offers a table


def test_a_line_has_a_name_that_no_browser_gives_it_for_as_long_as_it_is_open() -> None:
    seen: list[str] = []

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        (name,) = (text.decode() for header, text in scope["headers"] if header.decode() == HEADER)
        assert is_here(name)
        seen.append(name)

    lines = Lines(serve, lambda line: "somebody")
    for kind in (HEADER, HEADER.title()):
        scope = {"type": "websocket", "headers": [(kind.encode(), b"mine"), (b"host", b"x")]}
        asyncio.run(lines(scope, None, None))  # type: ignore[arg-type]
    assert len({*seen, "mine"}) == 3 and not any(map(is_here, seen))


def test_a_link_gives_what_its_page_shows_now_and_nothing_once_that_is_left() -> None:
    app = open_app("lessons", **PADDING)
    (link,) = [re.search(r"/api/file/([\w-]+)", one.value)[1] for one in app.html if ">CSV<" in one.value]  # type: ignore[index]
    with TestClient(Starlette(routes=routes.routes())) as client:
        first = client.get(f"{file_links.PATH}/{link}")
        assert first.headers["Content-Disposition"] == 'attachment; filename="batch.csv"'
        assert first.headers["Content-Type"].startswith("text/csv") and len(first.text.splitlines()) == 3
        ask(app, pad_short="I do")
        second = client.get(f"{file_links.PATH}/{link}")
        assert second.text == files(app)["CSV"].make().decode() != first.text
        go(app, "models")
        gone = client.get(f"{file_links.PATH}/{link}")
        assert gone.status_code == 404 and gone.text == made_files.GONE


def test_the_files_of_a_closed_page_are_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app("lessons", **PADDING)
    offer = files(app)["CSV"]
    assert offer.line == visitor.ALONE
    file_links.drop_unseen(lambda line: False)
    assert files(app), "its line may come back in a moment"
    monkeypatch.setattr(file_links, "GRACE", -1.0)
    file_links.drop_unseen(is_here)
    assert files(app)
    file_links.drop_unseen(lambda line: False)
    assert not files(app)


def test_so_many_bytes_are_on_their_way_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_files, "MOST_ON_THE_WAY", 100)
    offer = file_links.Offer("x.bin", "application/octet-stream", lambda: b"x" * 60, "", 0.0)
    monkeypatch.setattr(file_links, "find", lambda link: offer)
    served = made_files.Links()
    with TestClient(Starlette(routes=[Route("/{link}", served.answer)])) as client:
        served.on_the_way = 60  # to somebody who reads it slowly
        full = client.get("/x")
        assert full.status_code == 503 and full.text == made_files.MANY and full.headers["Retry-After"]
        served.on_the_way = 0
        assert client.get("/x").content == b"x" * 60 and served.on_the_way == 0
