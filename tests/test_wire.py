"""What reaches a server past its pages: paths, files, frames that are cut short or garbled, visitors who read nothing.

Each kind is sent many times to one real server, which goes on: it answers, nothing stays, its log has no traceback.
"""

import asyncio
import contextlib
import http.client
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "browser"), str(HERE / "benchmarks")]

from browser_tools import Server, free_port, started  # noqa: E402
from nasty import PATHS  # noqa: E402
from visitors import Visitor, sentence, visit  # noqa: E402
from watcher import back_to  # noqa: E402

pytestmark = pytest.mark.slow

ROOT = HERE.parent
SECRET = "nobody may read this"
UNDER = ("static", "component", "_stcore/bidi-components", "app/static", "media", "", "component/nothing")
OUTSIDE = (
    *PATHS, "../app.py", "../../app.py", "..%2f..%2fapp.py", "%2e%2e/app.py", "....//app.py", "..\\app.py", "/app.py",
    "%2fetc%2fpasswd", "//etc/passwd", "\\\\host\\share", "x" * 5000, "a/" * 900, "\u4f60.js", "%00", "%ff%fe", "?x#y",
    "../secret.txt", "../models/secret.txt", "%2e%2e%2f%2e%2e%2fsecret.txt", ".streamlit/config.toml", ".git/config",
)  # fmt: skip
FRAMES, DROPPED, SENT = 300, 30, 40
GROWN = 150  # MB that a server may hold more after all this


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wire")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Server]:
    (home / "models").mkdir()
    for place in (home / "secret.txt", home / "models" / "secret.txt"):
        place.write_text(SECRET)
    more = {"ENCODER_MEMORY_MB": "2000", "ENCODER_MODELS": str(home / "models"), "OMP_NUM_THREADS": "1"}
    with started(ROOT / "app.py", home / "log", home, free_port(), more=more) as running:
        asyncio.run(looked_at(running))
        yield running


async def looked_at(running: Server) -> str:
    """What somebody sees who comes now; an AssertionError where it is no whole page."""
    async with visit(running.url, "atlas") as visitor:
        assert visitor.broken == [] and "around" in visitor.widgets
        return visitor.said


def well(running: Server, home: Path) -> None:
    """The server lives, shows a page, and has logged no traceback."""
    assert running.process.poll() is None
    asyncio.run(looked_at(running))
    assert "Traceback" not in (home / "log").read_text(errors="replace")


def ask(running: Server, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """Status and content of an answer; the path is sent as it is."""
    place = urlsplit(running.url)
    with contextlib.closing(http.client.HTTPConnection(str(place.hostname), place.port, timeout=20)) as connection:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_no_path_leads_out_of_what_the_server_shows(server: Server, home: Path) -> None:
    statuses: Counter[int] = Counter()
    own = (ROOT / "app.py").read_bytes()[:60]
    for under in UNDER:
        for path in OUTSIDE:
            for method in ("GET", "HEAD", "POST"):
                status, content = ask(server, f"/{under}/{quote(path, safe='/%?#.')}".replace("#", "%23"), method)
                statuses[status] += 1
                assert status < 500, (method, under, path)
                assert SECRET.encode() not in content and own not in content and b"root:" not in content
                assert b"[server]" not in content
    assert statuses.total() == 3 * len(UNDER) * len(OUTSIDE)
    assert statuses[404] + statuses[400] + statuses[403] + statuses[405] > 0.6 * statuses.total()
    well(server, home)


async def session_of(visitor: Visitor) -> str:
    """The number of a session, as Streamlit tells the browser."""
    back = BackMsg()
    back.rerun_script.query_string = visitor.query
    await visitor.socket.send(back.SerializeToString())
    found = ""
    while True:
        message = ForwardMsg.FromString(await visitor.socket.recv())
        kind = message.WhichOneof("type")
        found = message.new_session.initialize.session_id or found if kind == "new_session" else found
        if kind == "script_finished":
            return found


def multipart(content: bytes, name: str = "x.toml", count: int = 1) -> tuple[bytes, str]:
    """A file as a form sends it, and what kind of content that is."""
    head = f'--b\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'
    return (head.encode() + content + b"\r\n") * count + b"--b--\r\n", "multipart/form-data; boundary=b"


def sign(running: Server) -> dict[str, str]:
    """What a browser shows to say that a page of the app sends the file."""
    place = urlsplit(running.url)
    with contextlib.closing(http.client.HTTPConnection(str(place.hostname), place.port, timeout=20)) as connection:
        connection.request("GET", "/_stcore/health")
        cookie = connection.getresponse().headers["Set-Cookie"].split(";")[0]
    return {"Cookie": cookie, "X_Xsrftoken": cookie.partition("=")[2].strip('"')}


def put(running: Server, where: str, body: bytes, kind: str, shown: dict[str, str]) -> int:
    """Send a file as a browser does."""
    return ask(running, f"/_stcore/upload_file/{where}", "PUT", body, Content_Type=kind, **shown)[0]


def test_files_that_are_sent_are_few_and_small_and_belong_to_somebody(server: Server, home: Path) -> None:
    megabyte = bytes(range(256)) * 4096

    async def sent() -> float:
        async with visit(server.url, "lessons") as visitor:
            mine, before = await session_of(visitor), server.megabytes
            assert mine
            body, kind = multipart(megabyte[:-1000])
            token = sign(server)
            for number in range(SENT):
                assert put(server, f"{mine}/{number}", body, kind, token) == 204
            assert put(server, f"{mine}/1", body, kind, {}) == 403  # another site's page has no such sign
            assert put(server, "nobody/1", body, kind, token) == 400
            assert put(server, f"{mine}/1", multipart(megabyte * 2)[0], kind, token) == 413
            for odd in (b"", b"--b", body[:500], multipart(b"x", count=0)[0], b"\xff" * 100):
                assert 400 <= put(server, f"{mine}/2", odd, kind, token) < 500
            assert 400 <= put(server, f"{mine}/2", body, "text/plain", token) < 500
            return server.megabytes - before

    assert asyncio.run(sent()) < SENT / 2  # of as many MB
    well(server, home)


@pytest.mark.nightly
def test_a_click_before_the_page_has_come_counts_and_so_does_going_back(server: Server) -> None:
    """Over a slow line a browser says with a click what its address was some clicks ago, or when it came."""

    async def heads() -> list[str]:
        async with visit(server.url, "atlas", "head=3&layer=2") as mine:
            came, first = mine.query, mine.shown["seen_atlas"]
            seen = []
            for head in ("0", "4", "5"):
                mine.query = came
                await mine.ask(mine.message(seen_atlas=first, head=head))
                seen.append(mine.query)
            mine.query = seen[0]  # a part of it has come meanwhile
            await mine.ask(mine.message(seen_atlas=first, head="6"))
            seen.append(mine.query)
            mine.query = seen[1]  # all of it has come, and somebody goes back
            await mine.ask(mine.message(seen_atlas=mine.shown["seen_atlas"]))
            await mine.ask(mine.message(seen_atlas=mine.shown["seen_atlas"], layer="1"))
            return [parse_qs(one)["head"][0] for one in [*seen, mine.query]]

    assert asyncio.run(heads()) == ["0", "4", "5", "6", "4"]


@pytest.mark.nightly
def test_a_click_on_a_page_that_was_left_does_not_lead_back(server: Server) -> None:
    """Over a slow line "Next" is pressed, and then a head on the page that the server has left by then."""

    async def pages() -> list[str]:
        async with visit(server.url, "atlas", "layer=2&head=3") as mine:
            page, came, widgets, first = mine.page, mine.query, mine.widgets, mine.shown["seen_atlas"]
            back = mine.message(seen_atlas=first)
            back.rerun_script.widget_states.widgets.add(id=widgets["next"][0], trigger_value=True)
            await mine.ask(back)
            seen = [mine.path]
            mine.page, mine.query, mine.widgets = page, came, widgets
            await mine.ask(mine.message(seen_atlas=first, head="5"))
            seen.append(mine.path)
            await mine.run("atlas")
            return [*seen, mine.path]

    assert asyncio.run(pages()) == ["learn", "learn", "atlas"]


@pytest.mark.nightly
def test_a_click_just_after_going_back_does_not_undo_it(server: Server, home: Path) -> None:
    """Over a slow line the widgets still show, and say, what they showed before."""

    async def views() -> list[tuple[str, ...]]:
        here = {"sentence": "Birds sing.", "layer": "2", "head": "3"}
        new = {"sentence": "Dogs bark.", "head": "5"}
        async with visit(server.url, "atlas", urlencode(here)) as mine:
            came, found = mine.query, []

            async def click(seen: str, **chosen: str) -> None:
                await mine.ask(mine.message(seen_atlas=seen, **chosen))
                view = parse_qs(mine.query)
                found.append(tuple(view[name][0] for name in here))

            for name, value in new.items():
                await click(mine.shown["seen_atlas"], **{name: value})
            before, mine.query = mine.shown["seen_atlas"], came
            await click(before)
            mine.query = came
            await click(before, layer="1")  # the browser has not heard yet what came back
            await click("9" * 5000, layer="0")  # no browser says that
            return found

    assert asyncio.run(views()) == [
        ("Dogs bark.", "2", "3"),
        ("Dogs bark.", "2", "5"),
        ("Birds sing.", "2", "3"),
        ("Birds sing.", "1", "3"),
        ("Birds sing.", "0", "3"),
    ]
    well(server, home)


def garbled(draw: random.Random) -> bytes | str:
    """A frame that no browser sends."""
    back = BackMsg()
    asked = back.rerun_script
    asked.query_string = draw.choice(["", "layer=9", "sentence=" + "x" * 500, "%ff%00=%"])
    asked.page_name = draw.choice(["", "attention", "../x", "\u4f60", "a" * 3000])
    for _ in range(draw.randint(0, 4)):
        name = draw.choice(["$$ID-0-sentence", "$$ID-1-layer", "", "sentence", "x" * 999, "$$ID-\n-None"])
        state = WidgetState(id=name)
        kind = draw.choice([field.name for field in WidgetState.DESCRIPTOR.fields][1:])
        values = {
            "trigger_value": True,
            "bool_value": True,
            "double_value": float("nan"),
            "int_value": -(2**63),
            "string_value": "\x00\ufffe",
            "bytes_value": b"\xff",
            "json_value": "{]",
        }
        if kind in values:
            setattr(state, kind, values[kind])
        asked.widget_states.widgets.append(state)
    asked.cached_message_hashes.extend(["x"] * draw.choice([0, 1, 5000]))
    whole = back.SerializeToString()
    act = draw.randrange(6)
    if act == 0:
        return whole[: draw.randint(0, len(whole))]
    if act == 1:
        return bytes(draw.randrange(256) for _ in range(draw.randint(0, 300)))
    if act == 2:
        return bytes(one ^ (draw.random() < 0.02) for one in whole)
    if act == 3:
        return draw.choice(["", "text", "{}", "\u4f60" * 900])
    if act == 4:
        other = BackMsg()
        for flag in draw.sample(
            [
                "clear_cache",
                "set_run_on_save",
                "stop_script",
                "load_git_info",
                "app_heartbeat",
                "debug_disconnect_websocket",
                "debug_shutdown_runtime",
            ],
            1,
        ):
            setattr(other, flag, True)
        return other.SerializeToString()
    return whole


def test_what_is_said_of_widgets_that_no_page_has_is_not_heard(server: Server, home: Path) -> None:
    """Names without Streamlit's own beginning, those of the app's own state among them."""

    async def forged() -> tuple[list[str], str]:
        async with visit(server.url, "atlas", "layer=2&head=3") as mine:
            for name in (
                "session",
                "front",
                "around",
                "seen_atlas",
                "sentence",
                "layer",
                "",
                "x" * 999,
                "$$ID-\n-None",
            ):
                for field, value in (("string_value", "x"), ("int_value", -(2**63)), ("json_value", "{]")):
                    back = mine.message()
                    state = WidgetState(id=name)
                    setattr(state, field, value)
                    back.rerun_script.widget_states.widgets.append(state)
                    await mine.ask(back)
            await mine.choose("layer", "1")
            return mine.broken, mine.query

    broken, query = asyncio.run(forged())
    assert broken == [] and "layer=1" in query and "head=3" in query
    well(server, home)


@pytest.mark.nightly
def test_frames_that_no_browser_sends_end_at_most_their_own_connection(server: Server, home: Path) -> None:
    draw, ended = random.Random(20), 0
    address = f"ws{server.url.removeprefix('http')}/_stcore/stream"

    async def all_of_them() -> int:
        cut = 0
        for _ in range(FRAMES // 10):
            options = {"max_size": None, "open_timeout": 30, "ping_interval": None, "close_timeout": 2}
            async with websockets.connect(
                address, subprotocols=[websockets.Subprotocol("streamlit")], **options
            ) as socket:
                try:
                    for _ in range(10):
                        await socket.send(garbled(draw))
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(socket.recv(), 0.05)
                except websockets.ConnectionClosed:
                    cut += 1
        return cut

    ended = asyncio.run(all_of_them())
    assert 0 < ended <= FRAMES // 10
    assert server.process.poll() is None
    asyncio.run(looked_at(server))
    assert of_ours(home) == []


def of_ours(home: Path) -> list[str]:
    """Lines of the log that name the app: what Streamlit itself says of a frame that it cannot read names none."""
    log = (home / "log").read_text(errors="replace").splitlines()
    named = [line for line in log if "/app.py" in line or "pages/" in line or "StreamlitAPIException" in line]
    return [line for line in named if " in __call__" not in line]  # a line that is passed on


@pytest.mark.nightly
def test_who_reads_nothing_or_goes_in_the_middle_leaves_nothing_behind(server: Server, home: Path) -> None:
    before = server.megabytes

    async def slow(number: int) -> None:
        """Asks ten times, and reads no answer."""
        address = f"ws{server.url.removeprefix('http')}/_stcore/stream"
        options = {"max_size": None, "open_timeout": 30, "ping_interval": None, "close_timeout": 1, "max_queue": 1}
        async with websockets.connect(address, subprotocols=[websockets.Subprotocol("streamlit")], **options) as socket:
            for turn in range(10):
                back = BackMsg()
                text = quote(sentence(random.Random(10 * number + turn), 40))
                back.rerun_script.query_string, back.rerun_script.page_name = f"sentence={text}", "attention"
                await socket.send(back.SerializeToString())
            socket.transport.abort()

    async def all_of_them() -> None:
        await asyncio.gather(*map(slow, range(DROPPED)))

    asyncio.run(all_of_them())
    assert asyncio.run(back_to(server, before + GROWN, 60.0)) <= before + GROWN
    assert server.process.poll() is None
    asyncio.run(looked_at(server))
    assert of_ours(home) == []
