"""The route of pictures: files that hold the run's own numbers, what is said of them, and what no request can do."""

import asyncio
import csv
import io
import json
import random
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from front_requests import MODELS, ODD
from front_requests import headers as made_up_headers
from nasty import EVERY
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from encoder import TextEncoder
from encoder.pictures.figure import figure_of
from pages.front import packets, routes
from pages.front.asked import FORMATS, AskedFile, RefusedError, read_file
from pages.front.files import File, Files
from pages.front.headers import Headers
from pages.ui.server import writing

ROOT = Path(__file__).parents[1]
STOPS = re.findall(r"step: '([\w.]+)'.*own: (true|false)", (ROOT / "encoder/browser/stops.js").read_text("utf-8"))
SENTENCE = "The unbelievable cat [MASK] mice."
QUERY = {"sentence": SENTENCE, "model": "small", "layer": "1", "head": "2"}
ASKED: dict[str, Any] = {"picture": "picture", "format": "csv", "query": QUERY | {"step": "attention.weights"}}
ARCS: dict[str, Any] = {"picture": "arcs", "format": "csv", "query": QUERY | {"word": "3"}}
LONG = "the cat sat on a mat and " * 80


def served(made: Files | None = None) -> TestClient:
    """A browser on a server that has the routes and nothing else."""
    return TestClient(Starlette(routes=routes.routes(files=made), middleware=[Middleware(Headers)]))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with served() as found:
        yield found


def asked_for(base: dict[str, Any], format: str = "csv", **query: str) -> dict[str, Any]:
    """A request with another format and other parameters."""
    return base | {"format": format, "query": base["query"] | query}


def numbers(text: str) -> np.ndarray:
    """The numbers of a table, which has the names of its rows before them."""
    return np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(io.StringIO(text)))[1:]])


@pytest.mark.parametrize(("step", "own"), STOPS)
def test_the_table_of_a_stop_holds_what_the_run_recorded(
    client: TestClient, small: TextEncoder, step: str, own: str
) -> None:
    answer = client.post("/api/picture", json=asked_for(ASKED, step=step, hidden="2"))
    recorded = small.trace(SENTENCE, hidden=(2,)).array(f"layers.1.{step}")
    np.testing.assert_allclose(numbers(answer.text), recorded[2] if own == "true" else recorded, rtol=1e-6)


def test_what_the_pages_of_a_layers_sums_and_units_keep_holds_what_the_run_recorded(
    client: TestClient, small: TextEncoder
) -> None:
    def kept(picture: str, **query: str) -> np.ndarray:
        """The numbers of the file, whichever way it has its rows."""
        answer = client.post("/api/picture", json=asked_for(ASKED, **query) | {"picture": picture})
        assert answer.status_code == 200, answer.text
        found = numbers(answer.text)
        return found if found.shape[0] > found.shape[1] else found.T

    trace = small.trace(SENTENCE)
    units = [trace.array(f"layers.1.feed_forward.{name}")[3] for name in ("hidden", "activation")]
    np.testing.assert_allclose(kept("units_on_curve", curve_token="3"), np.stack(units, 1), rtol=1e-6)
    for n, sublayer in ((1, "attention"), (2, "feed_forward")):
        steps = f"layers.1.add_norm_{n}.residual", f"layers.1.{sublayer}.output"
        lengths = np.stack([np.linalg.norm(trace.array(step), axis=-1) for step in steps], 1)
        np.testing.assert_allclose(kept("lengths", step=f"add_norm_{n}.sum"), lengths, rtol=1e-5)
        assert kept("norm_sides", step=f"add_norm_{n}.output")[:, :2].sum() == pytest.approx(2, abs=1e-4)


def test_the_stops_of_the_page_are_all_asked() -> None:
    assert len(STOPS) == 11


@pytest.mark.parametrize("word", ["", "2"], ids=["a mask", "one of several pieces"])
def test_where_a_head_looks_is_added_up_over_pieces_and_averaged_from_them(
    client: TestClient, small: TextEncoder, word: str
) -> None:
    trace = small.trace(SENTENCE)
    mask = trace.tokens.index("[MASK]")
    answer = client.post("/api/picture", json=asked_for(ARCS, word=word or str(mask)))
    groups = [pieces for pieces in trace.tokenization.words if pieces[0] not in (0, len(trace.tokens) - 1)]
    assert max(map(len, groups)) > 1, "no word of several pieces"
    own = next(pieces for pieces in groups if int(word or mask) in pieces)
    weights = trace.array("layers.1.attention.weights")[2].astype(np.float64)
    shares = [sum(np.mean([weights[i, j] for i in own]) for j in pieces) for pieces in groups]
    np.testing.assert_allclose(numbers(answer.text)[:, 0], shares, rtol=1e-6)
    names = [row[0].split(" ", 1)[1] for row in list(csv.reader(io.StringIO(answer.text)))[1:]]
    assert names == ["The", "unbelievable", "cat", "[MASK]", "mice", "."]


@pytest.mark.slow
@pytest.mark.parametrize("asked", [ASKED, ARCS], ids=["step", "arcs"])
@pytest.mark.parametrize(
    ("format", "type", "begins"),
    [
        ("svg", "image/svg+xml", b"<?xml"),
        ("png", "image/png", b"\x89PNG"),
        ("pdf", "application/pdf", b"%PDF"),
        ("csv", "text/csv; charset=utf-8", b""),
        ("json", "application/json", b"{"),
    ],
)
def test_a_file_is_one_to_save_and_nobodys_to_keep(
    client: TestClient, asked: dict[str, Any], format: str, type: str, begins: bytes
) -> None:
    answer = client.post("/api/picture", json=asked_for(asked, format))
    assert answer.status_code == 200 and answer.content.startswith(begins) and answer.content
    assert answer.headers["Content-Type"] == type and answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "private, no-store" and "set-cookie" not in answer.headers
    said = answer.headers["Content-Disposition"]
    assert re.fullmatch(rf'attachment; filename="small-[a-z.]+-layer1-head2\.{format}"', said), said


@pytest.mark.parametrize("asked", [ASKED, ARCS], ids=["step", "arcs"])
def test_what_is_said_of_a_picture_leads_to_a_figure_of_it(client: TestClient, asked: dict[str, Any]) -> None:
    about = client.post("/api/picture", json=asked_for(asked, "about")).json()
    assert about["formats"] == ["svg", "png", "pdf", "csv", "json"]
    assert SENTENCE in about["caption"] and about["alt"] and "from encoder import TextEncoder" in about["code"]
    [panel] = figure_of(f"figure={about['figure']}").panels
    assert panel.title == about["title"].rstrip(".")
    saved = numbers(client.post("/api/picture", json=asked_for(asked, "csv")).text)
    drawn = np.array([row[-saved.shape[1] :] for row in list(csv.reader(io.StringIO(panel.csv())))[1:]])
    np.testing.assert_array_equal(drawn.astype(float), saved)


def test_a_picture_too_large_for_paper_is_offered_as_numbers_alone(client: TestClient) -> None:
    large = asked_for(ASKED, "about", sentence=LONG)
    about = client.post("/api/picture", json=large).json()
    assert about["formats"] == ["csv", "json"] and about["figure"] == ""
    answer = client.post("/api/picture", json=large | {"format": "svg"})
    assert answer.status_code == 400 and re.fullmatch(r"This picture is too large for paper: .*\.", message(answer))


def message(answer: Any) -> str:
    """What a refusal says."""
    said: str = answer.json()["message"]
    return said


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"picture": "rollout"}, 404, "no such picture"),
        ({"picture": "../../etc"}, 404, "no such picture"),
        ({"picture": ["arcs"]}, 400, "is a text"),
        ({"format": "zip"}, 400, "load the page again"),
        ({"more": 1}, 400, "load the page again"),
        ({"query": None}, 400, "load the page again"),
        ({"query": [["layer", "1"]]}, 400, "load the page again"),
        ({"query": {f"a{'b' * i}": "" for i in range(90)}}, 400, "load the page again"),
        ({"query": {"\ud800": "x"}}, 400, "load the page again"),
        ({"query": {"layer": 1}}, 400, "is a text"),
        ({"query": {"layer": "99", "model": "small"}}, 400, "layers go from 0 to 3"),
        ({"query": {"layer": "-1"}}, 400, "layer"),
        ({"query": {"step": "no.step"}}, 400, "step"),
        ({"query": {"step": "mlm.logits.extra"}}, 400, "step"),
        ({"query": {"hidden": "99", "model": "small", "layer": "0"}}, 400, "99"),
        ({"query": {"edits": "nonsense"}}, 400, "edits"),
        ({"query": {"folds": "open"}}, 400, "folds"),
        ({"query": {"sentence": "a" * 20_001}}, 413, "20,000"),
        ({"query": {"model": "none"}}, 404, "not to be had"),
        ({"query": {"model": "folder:../../etc"}}, 404, "not to be had"),
        ({"query": {"model": "built:n_layers=96,d_model=12288,n_heads=96"}}, 404, "not to be had"),
    ],
    ids=str,
)
def test_what_cannot_be_made_is_said_in_a_sentence(
    client: TestClient, changes: dict[str, Any], status: int, words: str
) -> None:
    answer = client.post(
        "/api/picture", content=json.dumps(ASKED | changes), headers={"Content-Type": "application/json"}
    )
    said = message(answer)
    assert answer.status_code == status and words in said and said.endswith((".", "…")) and "\n" not in said


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, None, 403),
        ({"Origin": "http://testserver.example"}, None, 403),
        ({"Content-Type": "text/plain"}, None, 400),
        ({}, b" " * 70_000, 413),
        ({}, b"[" * 60_000, 400),
    ],
    ids=["cross-site", "another origin", "a form", "too long", "nested"],
)
def test_only_a_page_of_the_app_has_a_file_made(
    client: TestClient, headers: dict[str, str], content: bytes | None, status: int
) -> None:
    said = {"Content-Type": "application/json"} | headers
    answer = client.post("/api/picture", content=content or json.dumps(ASKED), headers=said)
    assert answer.status_code == status and message(answer).endswith(".")
    assert "access-control-allow-origin" not in answer.headers


def test_a_file_is_no_link_that_anybody_may_open(client: TestClient) -> None:
    answer = client.get("/api/picture")
    assert answer.status_code in (404, 405) and "attachment" not in answer.headers.get("Content-Disposition", "")


def test_under_a_path_the_route_is_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "/lab/enc/" if name == "server.baseUrlPath" else usual(name))
    with served() as client:
        assert client.post("/lab/enc/api/picture", json=ASKED).status_code == 200
        assert client.post("/api/picture", json=ASKED).text == "Not Found"


def test_one_visitor_takes_a_share_and_all_together_no_more_than_wait() -> None:
    may = threading.Event()

    def make(asked: AskedFile) -> File:
        assert may.wait(30)
        return File("x.csv", "text/csv", packets.compress(b"x"))

    made = Files(make)
    wanted = read_file(json.dumps(ASKED).encode())

    async def ask(visitor: int) -> int:
        try:
            await made.get(wanted, str(visitor))
        except RefusedError as error:
            assert error.after > 0
            return error.status
        return 200

    async def crowd() -> list[int]:
        coming = [asyncio.create_task(ask(visitor)) for visitor in range(4) for _ in range(40)]
        await asyncio.sleep(0)
        gone = coming[0]
        gone.cancel()  # who leaves waits for nothing any more
        may.set()
        found = await asyncio.gather(*coming, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError)
        return [one for one in found if isinstance(one, int)]

    found = asyncio.run(crowd())
    assert found[:39] == [200] * (packets.MOST_OF_ONE - 1) + [429] * (40 - packets.MOST_OF_ONE)
    assert found.count(200) == packets.MOST_WAITING - 1 and found.count(503) > 0 and not made.waiting


def test_a_whole_run_waits_for_its_turn(client: TestClient, small: TextEncoder) -> None:
    answers = list[Any]()
    asked = {"picture": "run", "format": "npz", "query": QUERY}
    with writing.export_lock:  # another large file is being made
        waits = threading.Thread(target=lambda: answers.append(client.post("/api/picture", json=asked)))
        waits.start()
        waits.join(1)
        assert waits.is_alive() and answers == []
    waits.join(60)
    (answer,) = answers
    found = np.load(io.BytesIO(answer.content))["layers.1.attention.weights"]
    np.testing.assert_array_equal(found, small.trace(SENTENCE).array("layers.1.attention.weights"))


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ({}, 1),
        ({"page": "compare"}, 1),  # with a sentence that has no other beside it
        ({"page": "compare", "other": "A dog.", "link": "javascript:alert(1)"}, 2),
        ({"page": "what_if", "edits": "layers.1.attention.heads:zero:h=1", "hidden": "2"}, 2),
        ({"link": "https://app.test/?a=1&b=2", "word": "9" * 400, "layer": "x", "off": "<b>"}, 1),
    ],
)
def test_a_page_of_its_own_holds_the_runs_on_the_screen(client: TestClient, more: dict[str, str], count: int) -> None:
    answer = client.post("/api/picture", json={"picture": "run", "format": "page", "query": QUERY | more})
    assert answer.status_code == 200, answer.text[:300]
    packets = re.search(r'<script id="packets" type="application/json">(.*?)</script>', answer.text)
    assert packets is not None
    runs = json.loads(packets[1])
    assert len(runs) == count and all("1" in run["packets"] for run in runs)
    assert runs[0]["about"]["sentence"] == SENTENCE and runs[0]["about"]["edits"] == more.get("edits", "")
    assert ('href="https://app.test/?a=1&amp;b=2"' in answer.text) is more.get("link", "").startswith("https")
    assert "javascript:alert" not in answer.text and len(answer.content) <= 2_000_000


@pytest.mark.parametrize("more", [{"page": "atlas"}, {"model": "nowhere"}, {"hidden": "99"}, {"edits": "nonsense"}])
def test_a_page_of_its_own_that_cannot_be_made_says_why(client: TestClient, more: dict[str, str]) -> None:
    answer = client.post("/api/picture", json={"picture": "run", "format": "page", "query": QUERY | more})
    assert answer.status_code in (400, 404) and message(answer).endswith(".")


def test_what_fails_is_one_sentence_and_a_server_without_room_says_when_to_ask_again() -> None:
    answers: list[Exception] = [RefusedError(503, "Full.", 2), ZeroDivisionError("secret")]

    def make(asked: AskedFile) -> File:
        raise answers.pop(0)

    with served(Files(make)) as client:
        full = client.post("/api/picture", json=ASKED)
        assert (full.status_code, full.headers["Retry-After"], message(full)) == (503, "2", "Full.")
        broken = client.post("/api/picture", json=ASKED)
        assert broken.status_code == 503 and "secret" not in broken.text and message(broken).endswith(".")


NAMES = ("sentence", "second", "model", "layer", "head", "step", "word", "hidden", "edits", "cell", "v", "words_only")
TEXTS = (
    "",
    "0",
    "1",
    "3",
    "99",
    "-1",
    "x",
    "\x00",
    "\ud800",
    "attention.weights",
    "attention.input",
    "1,2",
    "x" * 3000,
)


@pytest.mark.slow
def test_nothing_that_a_browser_may_send_is_a_fault_of_the_server(client: TestClient) -> None:
    draw, statuses = random.Random(0), set()
    for _ in range(300):
        query: dict[str, Any] = {
            "sentence": draw.choice(EVERY),
            "model": draw.choice(MODELS),
            "layer": "1",
            "head": "1",
        }
        for _ in range(draw.choice((0, 0, 1, 2))):
            query[draw.choice(NAMES)] = draw.choice(TEXTS)
        said: dict[str, Any] = {
            "picture": draw.choice(("arcs", "picture")),
            "format": draw.choice(FORMATS),
            "query": query,
        }
        if draw.random() < 0.2:
            said[draw.choice(("picture", "format", "query", "more"))] = draw.choice(ODD)
        answer = client.post("/api/picture", content=json.dumps(said).encode(), headers=made_up_headers(draw))
        statuses.add(answer.status_code)
        assert answer.status_code in (200, 400, 403, 404, 413, 429), (answer.status_code, answer.text, said)
        if answer.status_code != 200:
            assert message(answer).endswith((".", "…")), (answer.text, said)
    assert {200, 400, 403, 404} <= statuses
