"""An open page is heard as fast as a person clicks; what comes faster waits, and holds nobody else up."""

import asyncio
from time import monotonic

from starlette.types import Message, Receive, Scope, Send

from pages.ui.server import message_rate
from pages.ui.server.message_rate import MessageRate, Rate

LINE = {"type": "websocket", "headers": []}


def test_so_many_come_at_once_and_then_so_many_a_second() -> None:
    now = [100.0]
    rate = Rate(10.0, 5.0, lambda: now[0])
    assert [rate.wait() for _ in range(5)] == [0.0] * 5
    assert [round(rate.wait(), 6) for _ in range(3)] == [0.1, 0.2, 0.3]
    now[0] += 1.3  # the three have gone, and a second passed
    assert [rate.wait() for _ in range(5)] == [0.0] * 5 and rate.wait() > 0
    now[0] += 1000
    assert [rate.wait() for _ in range(6)][-2:] == [0.0, 0.1], "what was not sent is no credit without end"


def test_pages_of_one_visitor_share_his_rate_and_those_of_another_have_their_own() -> None:
    """Twenty pages that were run ten times a second kept a click of others waiting for fifteen seconds."""
    heard: dict[str, int] = {"many": 0, "one": 0}
    seconds = list[float]()

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "websocket.receive":
            heard[scope["who"]] += 1

    async def flood() -> Message:
        await asyncio.sleep(0)
        return {"type": "websocket.receive", "text": "again"}

    app = MessageRate(read, lambda line: str(line.scope["who"]))

    async def both() -> None:
        pages = [asyncio.create_task(app({**LINE, "who": "many"}, flood, None)) for _ in range(20)]  # type: ignore[arg-type]
        pages += [asyncio.create_task(app({**LINE, "who": "one"}, flood, None))]  # type: ignore[arg-type]
        begun = monotonic()
        await asyncio.sleep(0.2)
        seconds.append(monotonic() - begun)
        assert set(app.of_visitor) == {"many", "one"}
        for page in pages:
            page.cancel()
        await asyncio.gather(*pages, return_exceptions=True)

    asyncio.run(both())
    most = message_rate.OF_VISITOR[1] + seconds[0] * message_rate.OF_VISITOR[0] + 21
    assert heard["many"] <= most and message_rate.OF_PAGE[1] <= heard["one"] <= message_rate.OF_PAGE[1] + 20
    assert not app.of_visitor, "nothing is kept of who has left"


def test_what_is_no_line_passes_as_it_is() -> None:
    seen = list[object]()

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(receive)

    asyncio.run(MessageRate(answer, lambda line: "x")({"type": "http"}, flood_of_none, None))  # type: ignore[arg-type]
    assert seen == [flood_of_none]


async def flood_of_none() -> Message:
    return {"type": "http.request"}
