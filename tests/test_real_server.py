"""A real server of 2 GB from outside: a crowd at its start, hostile requests, long work, and visitors who leave.

One visit guards every change; the rest is nightly. Memory is read from outside while the server works.
"""

import asyncio
import contextlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest
from nasty import PATHS
from streamlit.proto.WidgetStates_pb2 import WidgetState
from tiny import TINY, tiny_model, tiny_tokenizer

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "browser"), str(HERE / "benchmarks")]

from processes import family  # noqa: E402
from servers import SERVER_MB, Server, free_port, started  # noqa: E402
from visitors import LAB, said_around, sentence, visit  # noqa: E402
from watcher import Seen, back_to, watched  # noqa: E402

from encoder import checkpoint  # noqa: E402

pytestmark = pytest.mark.slow

ROOT = HERE.parent
BOUND = 2000.0  # MB that the server may take
BACK, LEFT = 1.25, 60.0  # memory after all have left, over that before, and seconds until then
CROWD = 6
MEDIUM = "built:vocab_size=16384,d_model=512,n_heads=16,n_layers=12,d_ff=1024"  # its survey takes some seconds
WIDE = "built:n_layers=48,d_model=128,n_heads=32,d_ff=1"
SECRET = "nobody may read this"
UNDER = ("static", "component", "_stcore/bidi-components", "app/static", "media", "", "component/nothing")
OUTSIDE = (
    *PATHS, "../app.py", "..%2f..%2fapp.py", "%2e%2e/app.py", "....//app.py", "..\\app.py", "/app.py",
    "%2fetc%2fpasswd", "//etc/passwd", "\\\\host\\share", "x" * 5000, "a/" * 900, "\u4f60.js", "%00", "%ff%fe", "?x#y",
    "../models/secret.txt", "%2e%2e%2f%2e%2e%2fsecret.txt", ".streamlit/config.toml", ".git/config",
)  # fmt: skip
BACKTRACKS = {"type": "Split", "pattern": {"Regex": "(a+)+b"}, "behavior": "Removed", "invert": False}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Server]:
    """A new server, which a crowd visits while it loads its libraries."""
    folder = home / "models" / "backtracks"
    checkpoint.save(tiny_model(replace(TINY, mlm_head=True)), tiny_tokenizer(), folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer | {"pre_tokenizer": BACKTRACKS}))
    for place in (home / "secret.txt", home / "models" / "secret.txt"):
        place.write_text(SECRET)
    more = {"ENCODER_MEMORY_MB": f"{BOUND:.0f}", "ENCODER_MODELS": str(home / "models"), "OMP_NUM_THREADS": "1"}
    (home / "temporary").mkdir()
    more["TMPDIR"] = str(home / "temporary")
    with started(ROOT / "app.py", home / "log", home, free_port(), more=more) as running:
        assert asyncio.run(come(running.url)) == [[]] * CROWD
        yield running


async def come(url: str) -> list[list[str]]:
    """What went wrong for each of a crowd that comes at once."""

    async def comes(number: int) -> list[str]:
        async with visit(url, "lessons", f"{LAB}&sentence=Number+{number}.") as visitor:
            assert visitor.path == "lessons" and f"sentence=Number+{number}." in visitor.query
            return visitor.broken

    return await asyncio.gather(*map(comes, range(CROWD)))


def is_well(running: Server, home: Path) -> None:
    """The server lives, shows a whole page, and has logged no traceback."""

    async def look() -> None:
        async with visit(running.url) as visitor:
            assert visitor.broken == [] and "around" in visitor.widgets

    assert running.process.poll() is None
    asyncio.run(look())
    assert "Traceback" not in (home / "log").read_text(errors="replace")


def ask(running: Server, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> tuple[int, bytes, str]:
    """Status and content of an answer, and the cookie that comes with it; the path is sent as it is."""
    place = urlsplit(running.url)
    with contextlib.closing(http.client.HTTPConnection(str(place.hostname), place.port, timeout=20)) as connection:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read(), (answer.headers["Set-Cookie"] or "").partition(";")[0]


def test_a_crowd_hostile_paths_files_and_forged_widgets_leave_a_new_server_well(server: Server, home: Path) -> None:
    statuses: Counter[int] = Counter()
    own = (ROOT / "app.py").read_bytes()[:60]
    for under in UNDER:
        for path in OUTSIDE:
            status, content, _ = ask(server, f"/{under}/{quote(path, safe='/%?#.')}".replace("#", "%23"))
            statuses[status] += 1
            assert status < 500, (under, path)
            assert not [text for text in (SECRET.encode(), own, b"root:", b"[server]") if text in content], path
    assert statuses[404] + statuses[400] + statuses[403] + statuses[405] > 0.6 * statuses.total()
    asyncio.run(send_files(server))
    asyncio.run(forge_widgets(server))
    is_well(server, home)


async def send_files(server: Server) -> None:
    """Files are small and belong to somebody who has a page open; what was sent before does not pile up."""
    kind, head = "multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n'
    cookie = ask(server, "/_stcore/health")[2]
    sign = {"Cookie": cookie, "X_Xsrftoken": cookie.partition("=")[2].strip('"')}

    def put(where: str, size: int, sent: dict[str, str]) -> int:
        body = head + b"\r\n" + bytes(size) + b"\r\n--b--\r\n"
        return ask(server, f"/_stcore/upload_file/{where}", "PUT", body, Content_Type=kind, **sent)[0]

    async with visit(server.url, "lessons") as visitor:
        before = server.megabytes
        assert [put(f"{visitor.session}/{number}", 1_000_000, sign) for number in range(40)] == [204] * 40
        assert server.megabytes - before < 20
        assert put(f"{visitor.session}/1", 10, {}) == 403  # another site's page has no such sign
        assert put("nobody/1", 10, sign) == 400
        assert put(f"{visitor.session}/1", 2_000_000, sign) == 413


async def forge_widgets(server: Server) -> None:
    """What is said of widgets that no page has, those of the app's own state among them, is not heard."""
    async with visit(server.url, "lessons", f"{LAB}&layer=2&head=3") as visitor:
        for name in ("session", "front", "around", "seen_lessons", "sentence", "", "x" * 999, "$$ID-\n-None"):
            for field, value in (("string_value", "x"), ("int_value", -(2**63)), ("json_value", "{]")):
                state = WidgetState(id=name)
                setattr(state, field, value)
                message = visitor.message()
                message.rerun_script.widget_states.widgets.append(state)
                await visitor.ask(message)
        await visitor.choose("layer", "1")
        assert visitor.broken == [] and "layer=1" in visitor.query and "head=3" in visitor.query


@pytest.mark.nightly
def test_a_server_that_is_stopped_while_it_loads_stops_quietly(tmp_path: Path) -> None:
    for moment in (0.0, 1.0):
        with started(ROOT / "app.py", tmp_path / "log", tmp_path, free_port()) as running:
            time.sleep(moment)
            running.process.terminate()
            running.process.wait(10)
        log = (tmp_path / "log").read_text(errors="replace")
        assert running.process.returncode in (0, -signal.SIGTERM) and "Traceback" not in log and "Fatal" not in log, log


@pytest.mark.nightly
def test_clicks_over_a_slow_line_count_and_do_not_undo_going_back(server: Server, home: Path) -> None:
    """A browser says with a click what its address and its widgets were some clicks ago, or when the page came."""

    async def click_before_it_comes() -> list[str]:
        async with visit(server.url, "lessons", f"{LAB}&head=3&layer=2") as mine:
            came, first, heads = mine.query, mine.shown["seen_lessons"], []
            for head in ("0", "4", "5"):
                mine.query = came
                await mine.ask(mine.message(seen_lessons=first, head=head))
                heads.append(mine.query)
            mine.query = heads[1]  # all of it has come, and somebody goes back
            await mine.ask(mine.message(seen_lessons=mine.shown["seen_lessons"]))
            await mine.ask(mine.message(seen_lessons=mine.shown["seen_lessons"], layer="1"))
            return [parse_qs(query)["head"][0] for query in (*heads, mine.query)]

    async def click_on_a_page_that_was_left() -> list[str]:
        async with visit(server.url, "training", "layer=2&head=3") as mine:
            page, came, widgets, first = mine.page, mine.query, mine.widgets, mine.shown["seen_training"]
            message = mine.message(seen_training=first)
            leads = said_around(widgets["around"][0], "go", {"key": "models"})
            message.rerun_script.widget_states.widgets.append(leads)
            await mine.ask(message)
            paths = [mine.path]
            mine.page, mine.query, mine.widgets = page, came, widgets
            await mine.ask(mine.message(seen_training=first, sentence="Dogs bark."))
            return [*paths, mine.path]

    async def click_just_after_going_back() -> list[tuple[str, ...]]:
        here, views, before = {"sentence": "Birds sing.", "layer": "2", "head": "3"}, list[tuple[str, ...]](), ""
        async with visit(server.url, "lessons", f"{LAB}&{urlencode(here)}") as mine:
            came = mine.query
            for seen, back, chosen in (
                ("", False, {"sentence": "Dogs bark."}),
                ("", True, {}),
                ("before", True, {"layer": "1"}),  # the browser has not heard yet what came back
                ("9" * 5000, False, {"layer": "0"}),  # no browser says that
            ):
                before = before if seen == "before" else mine.shown["seen_lessons"]
                mine.query = came if back else mine.query
                await mine.ask(mine.message(seen_lessons=seen if seen.isdigit() else before, **chosen))
                views.append(tuple(parse_qs(mine.query)[name][0] for name in here))
        return views

    assert asyncio.run(click_before_it_comes()) == ["0", "4", "5", "4"]
    assert asyncio.run(click_on_a_page_that_was_left()) == ["models", "models"]
    assert asyncio.run(click_just_after_going_back()) == [
        ("Dogs bark.", "2", "3"),
        ("Birds sing.", "2", "3"),
        ("Birds sing.", "1", "3"),
        ("Birds sing.", "0", "3"),
    ]
    is_well(server, home)


def spared(running: Server, seen: Seen, bound: float = BOUND) -> None:
    """Whoever else was there noticed nothing, and the server took no more memory than it may."""
    assert running.process.poll() is None
    assert seen.broken == []
    assert seen.peak < bound


def asks(page: str, section: str, query: dict[str, str], agreed: bool) -> bytes:
    """What a browser asks of what stands below a page."""
    asked = {"page": page, "section": section, "query": {"sentence": "I understand this."} | query, "agreed": agreed}
    return json.dumps(asked).encode()


def below(url: str, page: str, section: str, query: dict[str, str]) -> str:
    """What stands below a page, or the sentence that says why not."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", urlsplit(url).port, timeout=60)) as line:
        line.request("POST", "/api/more", asks(page, section, query, False), {"Content-Type": "application/json"})
        return line.getresponse().read().decode()


@pytest.mark.nightly
def test_no_model_or_text_of_somebody_else_takes_the_server_down(server: Server) -> None:
    thousand = "\n".join(sentence(random.Random(i), 600) for i in range(1_000))  # 3 MB

    async def open_all() -> Seen:
        async with watched(server) as seen:
            async with visit(server.url, "training", urlencode({"model": "folder:backtracks"})) as visitor:
                assert "cannot be shown" in visitor.said and "tokenizer" in visitor.said
            for page, section, query, expected in (
                ("output", "layers", {"model": WIDE, "layer": "0", "head": "0"}, '"wait"'),  # it takes a minute
                ("compare", "word", {"set": thousand}, "20,000 are the most that are read here"),
                ("compare", "list", {"alike_list": thousand[:9000]}, "is too long and is left out"),
            ):
                assert expected in await asyncio.to_thread(below, server.url, page, section, query)
        return seen

    spared(server, asyncio.run(open_all()))


@pytest.mark.nightly
def test_visitors_with_long_texts_take_turns_and_leave_nothing_behind(server: Server) -> None:
    async def type_long_text(number: int) -> None:
        async with visit(server.url, "models", "") as visitor:
            await visitor.choose("sentence", sentence(random.Random(number), 600))
            assert visitor.broken == []

    async def type_all() -> Seen:
        async with watched(server) as seen:
            await asyncio.gather(*map(type_long_text, range(10)))
        return seen

    before = server.megabytes
    spared(server, asyncio.run(type_all()))
    assert asyncio.run(back_to(server, BACK * before, LEFT)) <= max(BACK * before, 0.75 * BOUND)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("page", "query", "offer"),
    [
        ("output", {"model": MEDIUM}, "layers"),  # a section below the picture
        ("what_if", {}, "board"),
    ],
)
def test_long_work_ends_when_its_visitors_leave(
    server: Server, home: Path, page: str, query: dict[str, str], offer: str
) -> None:
    """No process, no file and no computation goes on, and the next visitor is served."""

    def children() -> set[int]:
        return set(family(server.process.pid)) - {server.process.pid}

    def is_at_rest() -> bool:
        used = server.processor_seconds
        time.sleep(1.0)
        return not children() - before and server.processor_seconds - used < 0.3

    async def leave(number: int) -> bool:
        async def stay() -> None:
            more = {"layer": str(number), "head": "0"}
            reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(server.url).port)
            body = asks(page, offer, query | more, True)
            about = ("Host: x", "Content-Type: application/json", f"Content-Length: {len(body)}")
            writer.write("\r\n".join(("POST /api/more HTTP/1.1", *about, "", "")).encode() + body)
            try:
                while b'"items"' not in await reader.readline():
                    pass
            finally:
                writer.close()

        work = asyncio.create_task(stay())
        done, _ = await asyncio.wait([work], timeout=0.5 * (2 + number))
        work.cancel()
        await asyncio.gather(work, return_exceptions=not done)
        return not done

    async def leave_all() -> list[bool]:
        return await asyncio.gather(*map(leave, range(5)))

    before = children()
    assert any(asyncio.run(leave_all())), "nothing was begun"
    end = time.monotonic() + LEFT
    while not is_at_rest():
        assert time.monotonic() < end, (children() - before, list((home / "temporary").iterdir()))
    is_well(server, home)
    assert server.megabytes < BOUND


def test_a_server_whose_hosts_are_named_answers_under_no_other_name(tmp_path: Path) -> None:
    """A page of somebody else may have its own name point to this server, and would be of the same origin then."""
    named = {"ENCODER_MEMORY_MB": SERVER_MB, "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost 127.0.0.1 *.school.example"}
    known = ("localhost", "encoder.school.example")
    # However it is started: of `python app.py` Streamlit itself would not look at the environment.
    with started(ROOT / "app.py", tmp_path / "log", tmp_path, free_port(), more=named, start=()) as running:
        statuses = {}
        for host in (*known, "rebound.example", "school.example.net"):
            for method, path in (("GET", "/"), ("POST", "/api/class/open"), ("GET", "/_stcore/health")):
                line = http.client.HTTPConnection("127.0.0.1", urlsplit(running.url).port, timeout=30)
                line.request(method, path, b"{}", {"Host": host, "Content-Type": "application/json"})
                statuses[host, method, path] = line.getresponse().status
                line.close()
    assert {status for (host, *_), status in statuses.items() if host in known} == {200}
    assert {status for (host, *_), status in statuses.items() if host not in known} == {400}


def test_the_app_starts_by_itself(tmp_path: Path) -> None:
    """`python app.py` serves the pages, with their rules; it takes the first free port that it says."""
    log, env = tmp_path / "log", os.environ | {"HOME": str(tmp_path), "ENCODER_MEMORY_MB": SERVER_MB}
    with log.open("wb") as output:
        running = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=env, stdout=output, stderr=output)
    try:
        end = time.monotonic() + LEFT
        while (url := re.search(r"http://localhost:\d+", log.read_text())) is None:
            assert time.monotonic() < end and running.poll() is None, log.read_text()
            time.sleep(0.05)
        for path in ("/", "/training"):
            with urlopen(f"{url[0]}{path}", timeout=30) as answer:
                assert b'<div id="root">' in answer.read()
                assert answer.headers["Content-Security-Policy"].endswith("; frame-ancestors 'self'")
    finally:
        running.kill()
        running.wait()


@pytest.mark.nightly
def test_it_ends_in_time_though_something_is_in_the_making(tmp_path: Path) -> None:
    """It waited for all that was asked for, once for more than ten minutes."""

    def ask(url: str, number: int) -> None:
        long = {"level": 1, "sentence": sentence(random.Random(number), 150), "model": MEDIUM}
        with contextlib.suppress(OSError):
            asks = Request(f"{url}/api/run", json.dumps(long).encode(), {"Content-Type": "application/json"})
            urlopen(asks, timeout=120).close()

    bound = {"ENCODER_MEMORY_MB": SERVER_MB}
    with started(ROOT / "app.py", tmp_path / "log", tmp_path, free_port(), more=bound) as running:
        asking = [Thread(target=ask, args=(running.url, number)) for number in range(12)]
        for each in asking:
            each.start()
        while all(each.is_alive() for each in asking):
            time.sleep(0.05)
        limits = Path(f"/proc/{running.process.pid}/limits").read_text()
        soft, hard = re.search(r"Max open files +(\d+) +(\d+)", limits).groups()
        assert int(soft) == min(int(hard), 65_536), "an open line takes a descriptor"
        assert sum(each.is_alive() for each in asking) > 6, "little is in the making"
        begun = time.monotonic()
        running.process.terminate()
        running.process.wait(60)
        assert time.monotonic() - begun < 6
        for each in asking:
            each.join()
