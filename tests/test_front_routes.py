"""The routes of the front: what they answer, to whom, how often a run is made for it, and what no request can do."""

import asyncio
import csv
import gzip
import io
import json
import random
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from front_requests import body, file_body, headers
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from starlette.types import Message

from encoder import TextEncoder
from encoder.packet.format import unpack
from encoder.packet.shipped import SENTENCES, shipped
from encoder.support.progress import pulse
from pages.front import packets, routes, visitors
from pages.front.headers import Headers, policy
from pages.front.packets import Packets, PinnedPacket
from pages.front.request_fields import FileRequest, RefusedError, RunRequest, read
from pages.front.served_files import File
from pages.ui import browser_scripts
from pages.ui.server import jobs

ROOT = Path(__file__).parents[1]
STOPS = re.findall(
    r"step: '([\w.]+)'.*own: (true|false)", (ROOT / "encoder/browser/steps_of_attention.js").read_text("utf-8")
)
RUN: dict[str, Any] = {
    "level": 1,
    "sentence": "The cat chased the mouse.",
    "second": "",
    "model": "small",
    "hidden": [],
    "edits": "",
}
SENTENCE = "The unbelievable cat [MASK] mice."
QUERY = {"sentence": SENTENCE, "model": "small", "layer": "1", "head": "2"}
STEP: dict[str, Any] = {"picture": "picture", "format": "csv", "query": QUERY | {"step": "attention.weights"}}
ARCS: dict[str, Any] = {"picture": "arcs", "format": "csv", "query": QUERY | {"word": "3"}}
TYPES = {
    "svg": ("image/svg+xml", b"<?xml"),
    "png": ("image/png", b"\x89PNG"),
    "pdf": ("application/pdf", b"%PDF"),
    "csv": ("text/csv; charset=utf-8", b""),
    "json": ("application/json", b"{"),
}


def served(made: Packets | None = None, make_file: Callable[[FileRequest], File] = routes.usual_maker) -> TestClient:
    """A browser on a server that has the routes and nothing else."""
    return TestClient(Starlette(routes=routes.routes(made, make_file), middleware=[Middleware(Headers)]))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with served() as found:
        yield found


def file_of(client: TestClient, base: dict[str, Any], format: str = "csv", picture: str = "", **query: str) -> Any:
    """The answer to a request with another format, another picture and other parameters."""
    asked = base | {"format": format, "query": base["query"] | query, "picture": picture or base["picture"]}
    return client.post("/api/picture", json=asked)


def numbers(text: str) -> np.ndarray:
    """The numbers of a table, which has the names of its rows before them."""
    return np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(io.StringIO(text)))[1:]])


def is_refused(answer: Any, *statuses: int, words: str = "") -> None:
    """An answer says in one sentence why there is no other."""
    message = answer.json()["message"]
    assert answer.status_code in statuses and words in message, (answer.status_code, message)
    assert message.endswith((".", "…")) and "\n" not in message
    assert "access-control-allow-origin" not in answer.headers


async def parts_of(
    app: Any,
    path: str,
    asked: object,
    seen: Callable[[bytes], object] = len,
    encodings: str = "gzip",
    left: asyncio.Event | None = None,
) -> list[bytes]:
    """The parts of an answer to a browser that says of each when it has it, and may leave before the end."""
    messages = iter([{"type": "http.request", "body": json.dumps(asked).encode(), "more_body": False}])
    parts, left = list[bytes](), left or asyncio.Event()

    async def receive() -> Message:
        if (message := next(messages, None)) is not None:
            return message
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        parts.append(message.get("body", b""))
        seen(parts[-1])

    named = {b"content-type": b"application/json", b"host": b"testserver", b"accept-encoding": encodings.encode()}
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": [*named.items()]}
    await app(scope | {"client": ("192.0.2.7", 9)}, receive, send)
    return parts


# What is answered


def test_a_run_is_the_trace(client: TestClient, small: TextEncoder) -> None:
    for changes in ({}, {"hidden": [2]}, {"second": "It ran."}, {"sentence": "The [MASK] ran."}):
        asked: dict[str, Any] = RUN | changes
        answer = client.post("/api/run", json=asked)
        assert answer.headers["Cache-Control"] == "private, no-store" and "set-cookie" not in answer.headers
        text = (asked["sentence"], asked["second"]) if asked["second"] else asked["sentence"]
        trace = small.trace(text, hidden=tuple(asked["hidden"]))
        level, about, arrays = unpack(answer.content)
        assert level == 1 and about["tokens"] == trace.tokens and about["hidden"] == asked["hidden"]
        weights = np.stack([trace.array(f"layers.{layer}.attention.weights") for layer in range(trace.config.n_layers)])
        assert np.abs(arrays["weights"].numbers - weights).max() <= 0.5000001 / 65534, changes
    level, about, arrays = unpack(client.post("/api/run", json=RUN | {"level": 2, "layer": 3}).content)
    assert level == 2 and about["layer"] == 3
    trace = small.trace(RUN["sentence"])
    for name in ("q", "k", "v"):
        error = np.abs(arrays[name].numbers - trace.array(f"layers.3.attention.{name}")).max()
        assert error <= arrays[name].scale / 1.99


def test_what_is_shipped_has_an_address_that_is_kept_for_ever(client: TestClient) -> None:
    addresses, digest = dict(packets.shelf().addresses()), browser_scripts.digest()
    assert [*addresses] == [*SENTENCES]
    expected = {address: shipped(sentence) for sentence, address in addresses.items()}
    for name in browser_scripts.SCRIPTS:
        expected[f"/api/front/{digest}/{name}"] = (browser_scripts.BUILT / name).read_bytes()
    for address, content in expected.items():
        answer = client.get(address)
        assert answer.content == content
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Content-Encoding"] == "gzip" and "set-cookie" not in answer.headers
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.slow
def test_nothing_of_torch_is_read_to_answer_with_what_is_shipped() -> None:
    code = """
import sys
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import Message
from pages.front import packets, routes
from pages.ui import browser_scripts
client = TestClient(Starlette(routes=routes.routes()))
addresses = dict(packets.shelf().addresses())
for address in [*addresses.values(), f"/api/front/{browser_scripts.digest()}/front.js"]:
    assert client.get(address).status_code == 200
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_what_is_sent_is_packed_for_who_can_unpack_it(client: TestClient) -> None:
    address = dict(packets.shelf().addresses())[SENTENCES[0]]
    packs = ("gzip, deflate, br", "*", "gzip;q=0.5", "GZIP")
    for encodings in (*packs, "gzip;q=0", "br", "", "gzip;q=0, *"):
        for answer in (
            client.get(address, headers={"Accept-Encoding": encodings}),
            client.post("/api/run", json=RUN, headers={"Accept-Encoding": encodings}),
        ):
            assert (answer.headers.get("Content-Encoding") == "gzip") == (encodings in packs), encodings
            assert answer.headers["Vary"] == "Accept-Encoding" and answer.content.startswith(b"ENCP")


@pytest.mark.parametrize("encodings", ["gzip", "identity"])
def test_a_large_answer_is_handed_on_in_parts_so_that_who_does_not_read_it_holds_little(encodings: str) -> None:
    """Two hundred who asked for 7 MB and read none of it would have held a copy each."""
    content = random.Random(1).randbytes(1_500_000)
    app = served(make_file=lambda request: File("x.npz", "application/octet-stream", gzip.compress(content))).app
    parts = asyncio.run(parts_of(app, "/api/picture", STEP, encodings=encodings))
    whole = b"".join(parts)
    assert max(map(len, parts)) <= routes.PART and (gzip.decompress(whole) if encodings == "gzip" else whole) == content


def test_the_table_of_a_picture_holds_what_the_run_recorded(client: TestClient, small: TextEncoder) -> None:
    trace, hidden = small.trace(SENTENCE), small.trace(SENTENCE, hidden=(2,))
    assert len(STOPS) == 11  # all stops of the page of attention
    for step, own in STOPS:
        recorded = hidden.array(f"layers.1.{step}")
        saved = numbers(file_of(client, STEP, step=step, hidden="2").text)
        np.testing.assert_allclose(saved, recorded[2] if own == "true" else recorded, rtol=1e-6, err_msg=step)

    def kept(picture: str, **query: str) -> np.ndarray:
        """The numbers of the file, whichever way it has its rows."""
        table = numbers(file_of(client, STEP, picture=picture, **query).text)
        return table if table.shape[0] > table.shape[1] else table.T

    units = [trace.array(f"layers.1.feed_forward.{name}")[3] for name in ("hidden", "activation")]
    np.testing.assert_allclose(kept("units_on_curve", curve_token="3"), np.stack(units, 1), rtol=1e-6)
    for n, sublayer in ((1, "attention"), (2, "feed_forward")):
        steps = f"layers.1.add_norm_{n}.residual", f"layers.1.{sublayer}.output"
        lengths = np.stack([np.linalg.norm(trace.array(step), axis=-1) for step in steps], 1)
        np.testing.assert_allclose(kept("lengths", step=f"add_norm_{n}.sum"), lengths, rtol=1e-5)
        residual, added, total, after = (
            trace.array(f"layers.1.{name}")[3].astype(float)
            for name in (f"add_norm_{n}.residual", f"{sublayer}.output", f"add_norm_{n}.sum", f"add_norm_{n}.output")
        )
        gamma, beta = (
            small.model.get_parameter(f"layers.1.norm{n}.{name}").detach().numpy() for name in ("weight", "bias")
        )
        through = [
            (one - one.mean()) / np.sqrt(total.var() + small.config.norm_eps) * gamma for one in (residual, added)
        ]
        along = [
            (part @ whole) / np.linalg.norm(whole)
            for whole, parts in ((total, (residual, added, 0 * beta)), (after, (*through, beta)))
            for part in parts
        ]
        saved = kept("length_parts", step=f"add_norm_{n}.sum", sum_token="3")
        np.testing.assert_allclose(np.sort(saved, None), np.sort(along), rtol=1e-4, atol=1e-5)
        assert sum(along[3:]) == pytest.approx(np.linalg.norm(after), rel=1e-5)
        assert kept("norm_sides", step=f"add_norm_{n}.output")[:, :2].sum() == pytest.approx(2, abs=1e-4)


def test_where_a_head_looks_is_added_up_over_pieces_and_averaged_from_them(
    client: TestClient, small: TextEncoder
) -> None:
    trace = small.trace(SENTENCE)
    groups = [pieces for pieces in trace.tokenization.words if pieces[0] not in (0, len(trace.tokens) - 1)]
    assert max(map(len, groups)) > 1, "no word of several pieces"
    weights = trace.array("layers.1.attention.weights")[2].astype(np.float64)
    for word in (trace.tokens.index("[MASK]"), 2):  # a mask, and one of several pieces
        table = file_of(client, ARCS, word=f"{word}").text
        own = next(pieces for pieces in groups if word in pieces)
        shares = [sum(np.mean([weights[i, j] for i in own]) for j in pieces) for pieces in groups]
        np.testing.assert_allclose(numbers(table)[:, 0], shares, rtol=1e-6)
        names = [row[0].split(" ", 1)[1] for row in list(csv.reader(io.StringIO(table)))[1:]]
        assert names == ["The", "unbelievable", "cat", "[MASK]", "mice", "."]


@pytest.mark.slow
def test_a_file_is_one_to_save_and_is_said_in_words(client: TestClient) -> None:
    for asked in (STEP, ARCS):
        for format, (kind, begins) in TYPES.items():
            answer = file_of(client, asked, format)
            assert answer.status_code == 200 and answer.content.startswith(begins) and answer.content
            assert answer.headers["Content-Type"] == kind and answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Cache-Control"] == "private, no-store" and "set-cookie" not in answer.headers
            name = answer.headers["Content-Disposition"]
            assert re.fullmatch(rf'attachment; filename="small-[a-z.]+-layer1-head2\.{format}"', name), name
        about = file_of(client, asked, "about").json()
        assert about["formats"] == [*TYPES]
        assert SENTENCE in about["caption"] and about["alt"] and "from encoder import TextEncoder" in about["code"]


def test_a_table_without_end_is_refused_before_it_is_written(client: TestClient) -> None:
    """One of all heads over 500 words held both threads for minutes, and 3 GB."""
    long = "the cat sat on a mat and " * 40
    every = {"picture": "all_heads", "query": {"model": "small", "layer": "0", "head": "0"}}
    for format in ("csv", "json"):
        answer = file_of(client, every, format, sentence=long)
        is_refused(answer, 400, words="numbers, and 1,000,000 at most are written out here")
    assert file_of(client, every, "csv", sentence="The cat sat.").status_code == 200


def test_a_picture_too_large_for_paper_is_offered_as_numbers_alone(client: TestClient) -> None:
    large = "the cat sat on a mat and " * 80
    about = file_of(client, STEP, "about", sentence=large).json()
    assert about["formats"] == ["csv", "json"]
    is_refused(file_of(client, STEP, "svg", sentence=large), 400, words="too large for paper")


def test_a_whole_run_waits_for_its_turn(client: TestClient, small: TextEncoder) -> None:
    answers = list[Any]()
    asked = {"picture": "run", "format": "npz", "query": QUERY}
    with jobs.exporting.turn():  # another large file is being made
        waits = threading.Thread(target=lambda: answers.append(client.post("/api/picture", json=asked)))
        waits.start()
        waits.join(0.3)
        assert waits.is_alive() and answers == []
    waits.join(60)
    found = np.load(io.BytesIO(answers[0].content))["layers.1.attention.weights"]
    np.testing.assert_array_equal(found, small.trace(SENTENCE).array("layers.1.attention.weights"))


def test_a_page_of_its_own_holds_the_runs_on_the_screen(client: TestClient) -> None:
    cases: list[tuple[dict[str, str], int]] = [
        ({}, 1),
        ({"page": "compare", "other": "A dog.", "link": "javascript:alert(1)"}, 2),
        ({"page": "what_if", "edits": "layers.1.attention.heads:zero:h=1", "hidden": "2"}, 2),
        ({"link": "https://app.test/?a=1&b=2", "word": "9" * 400, "layer": "x", "off": "<b>"}, 1),
    ]
    for more, count in cases:
        answer = client.post("/api/picture", json={"picture": "run", "format": "page", "query": QUERY | more})
        assert answer.status_code == 200, answer.text[:300]
        held = re.search(r'<script id="packets" type="application/json">(.*?)</script>', answer.text)
        assert held is not None
        runs = json.loads(held[1])
        assert len(runs) == count and all("1" in run["packets"] for run in runs), more
        assert runs[0]["about"]["sentence"] == SENTENCE and runs[0]["about"]["edits"] == more.get("edits", "")
        assert ('href="https://app.test/?a=1&amp;b=2"' in answer.text) is more.get("link", "").startswith("https")
        assert "javascript:alert" not in answer.text and len(answer.content) <= 2_000_000
    for more in ({"page": "training"}, {"model": "nowhere"}, {"hidden": "99"}, {"edits": "nonsense"}):
        answer = client.post("/api/picture", json={"picture": "run", "format": "page", "query": QUERY | more})
        is_refused(answer, 400, 404)


# What is refused


LARGE = "built:n_layers=96,d_model=12288,n_heads=96"
NO_RUNS: list[tuple[dict[str, Any], int, str]] = [
    ({"model": "none"}, 404, "is not available"),
    ({"model": "folder:../../etc"}, 404, "is not available"),
    ({"model": LARGE}, 404, "is not available"),
    ({"level": 2, "layer": 4}, 404, "layers go from 0 to 3"),
    ({"level": 3}, 400, "layer"),
    ({"level": 15}, 400, "level"),
    ({"level": 13, "step": "x"}, 400, "heads, edges, cut"),
    ({"level": 8, "step": "output", "index": [0] * 9}, 400, "at most 8"),
    ({"level": 13, "step": "heads", "index": [0] * 66}, 400, "at most 65"),
    ({"level": 13, "step": "edges"}, 400, "B must be a sentence"),
    ({"level": 11, "step": "layers.0.feed_forward.output", "index": [1, 2]}, 400, "a unit is one of"),
    ({"level": 10, "step": "output", "index": [0]}, 400, "a sum over words is of mlm.logits"),
    ({"level": 8}, 400, "numbers cannot be shown"),
    ({"level": 9, "step": "output", "index": [0, 9999]}, 400, "has no number at"),
    ({"sentence": " \n"}, 400, "no sentence"),
    ({"sentence": "a" * 20_001}, 413, "20,000"),
    ({"hidden": [99]}, 400, "99"),
    ({"hidden": list(range(8))}, 400, "Every token"),
    ({"edits": "nonsense"}, 400, "cannot read this"),
    ({"more": 1}, 400, "load the page again"),
]
NO_FILES: list[tuple[dict[str, Any], int, str]] = [
    ({"picture": "rollout"}, 404, "no such picture"),
    ({"format": "zip"}, 400, "load the page again"),
    ({"more": 1}, 400, "load the page again"),
    ({"query": [["layer", "1"]]}, 400, "“query” must be a table"),
    ({"query": {f"a{'b' * i}": "" for i in range(90)}}, 400, "load the page again"),
    ({"query": {"\ud800": "x"}}, 400, "load the page again"),
    ({"query": {"layer": 1}}, 400, "must be text"),
    ({"query": {"layer": "99", "model": "small"}}, 400, "layers go from 0 to 3"),
    ({"query": {"step": "no.step"}}, 400, "step"),
    ({"query": {"hidden": "99", "model": "small", "layer": "0"}}, 400, "99"),
    ({"query": {"edits": "nonsense"}}, 400, "edits"),
    ({"query": {"folds": "open"}}, 400, "folds"),
    ({"query": {"sentence": "a" * 20_001}}, 413, "20,000"),
    ({"query": {"model": LARGE}}, 404, "is not available"),
]


def test_what_cannot_be_made_is_said_in_a_sentence(client: TestClient) -> None:
    for route, usual, cases in (("run", RUN, NO_RUNS), ("picture", STEP, NO_FILES)):
        for changes, status, words in cases:
            content, kind = json.dumps(usual | changes), {"Content-Type": "application/json"}
            is_refused(client.post(f"/api/{route}", content=content, headers=kind), status, words=words)
    slow = "built:n_layers=12,d_model=1024,n_heads=16,d_ff=4096"  # is not loaded for a request
    is_refused(client.post("/api/run", json=RUN | {"model": slow}), 403, 404, words="M")


def test_only_a_page_of_the_app_or_a_program_has_something_made(client: TestClient) -> None:
    for route, usual in (("run", RUN), ("picture", STEP)):
        for headers_ in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Sec-Fetch-Site": "none"},
            {"Origin": "null"},
            {"Origin": "http://testserver.example"},
            {"Origin": "http://[", "Host": "["},
            {"Origin": "http://testserver:81"},
            {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
        ):
            is_refused(client.post(f"/api/{route}", json=usual, headers=headers_), 403)
        for headers_ in ({"Sec-Fetch-Site": "same-origin", "Origin": "http://testserver"}, {}):
            assert client.post(f"/api/{route}", json=usual, headers=headers_).status_code == 200
        kind = {"Content-Type": "application/json"}
        parts = (b" " * 10_000 for _ in range(10_000))
        for content, more, status in (
            (json.dumps(usual).encode(), {"Content-Type": "text/plain"}, 400),
            (b"[" * 60_000, kind, 400),
            (b" " * 70_000, kind, 413),
            (parts, kind, 413),  # what is longer than it may be is not read on
        ):
            is_refused(client.post(f"/api/{route}", content=content, headers=more), status)


def test_what_is_not_there_is_said_to_be_so(client: TestClient) -> None:
    """Streamlit would answer with its page, and 200."""
    shelf, code = packets.shelf().digest, browser_scripts.digest()
    shipped_ = [f"shipped/{shelf}/{number}.packet" for number in ("8", "-1", "\u0663")]
    scripts = ["front/0/front.js", f"front/{code}/mount.js"]
    for place in ("", "none", "run", "picture", "shipped/0/0.packet", "shipped/../run", "a/b?d=e", *shipped_, *scripts):
        answer = client.get(f"/api/{place}")
        is_refused(answer, 404)
        assert "no-store" in answer.headers["Cache-Control"]
        assert client.put(f"/api/{place}").status_code == 404


def test_under_a_path_all_is_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "/lab/enc/" if name == "server.baseUrlPath" else usual(name))
    with served() as client:
        address = dict(packets.shelf().addresses())[SENTENCES[0]]
        assert address.startswith("/lab/enc/api/shipped/") and client.get(address).status_code == 200
        assert client.post("/lab/enc/api/run", json=RUN).status_code == 200
        assert client.post("/lab/enc/api/picture", json=STEP).status_code == 200
        is_refused(client.get("/lab/enc/api/none"), 404)
        assert client.get("/api/none").text == "Not Found"  # that one is not ours


def test_a_frame_of_another_origin_is_allowed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCODER_FRAMED_BY", "https://school.example  'unsafe; default-src *")
    assert policy.__wrapped__().endswith("; frame-ancestors 'self' https://school.example")
    monkeypatch.delenv("ENCODER_FRAMED_BY")
    assert policy.__wrapped__().endswith("; frame-ancestors 'self'")  # closed where nobody is named


# How often something is made, and for whom


class Slow:
    """Makes packets that only come when they may, and counts."""

    def __init__(self) -> None:
        self.asked: list[RunRequest] = []
        self.may = threading.Event()

    def __call__(self, asked: RunRequest) -> PinnedPacket:
        self.asked.append(asked)
        assert self.may.wait(30)
        return PinnedPacket(packets.compress(b"ENCP" + asked.sentence.encode()), "weights")


def wanted(sentence: str) -> RunRequest:
    """A run of a sentence."""
    return read(RunRequest, json.dumps(RUN | {"sentence": sentence}).encode())


def test_thirty_who_ask_for_one_run_at_once_have_it_made_once() -> None:
    slow = Slow()
    made = Packets(slow, lambda name: "weights")

    async def all_at_once() -> list[bytes | BaseException]:
        coming = [asyncio.create_task(made.get(wanted("One."), str(i))) for i in range(30)]
        await asyncio.sleep(0)
        coming[7].cancel()  # who leaves takes it from nobody
        slow.may.set()
        found = await asyncio.gather(*coming, return_exceptions=True)
        assert isinstance(found.pop(7), asyncio.CancelledError)
        return [*found, await made.get(wanted("One."), "late")]

    found = asyncio.run(all_at_once())
    assert len(found) == 30 and {gzip.decompress(packet) for packet in found} == {b"ENCPOne."}  # type: ignore[arg-type]
    assert len(slow.asked) == made.made_count == 1 and not made.coming and not made.makers.waiting


def test_what_nobody_waits_for_any_more_ends() -> None:
    """Who asked for the file of a whole run and left kept others waiting for as long as it took to make it."""
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def work(asked: object) -> Any:
        begun.release()
        try:
            while True:
                pulse()
        finally:
            ended.release()

    made = Packets(work, lambda name: None)

    async def leave() -> None:
        coming = [asyncio.create_task(made.get(wanted("One."), str(i))) for i in range(2)]
        assert await asyncio.to_thread(begun.acquire, timeout=30)
        coming[0].cancel()
        await asyncio.sleep(0.1)
        assert not ended.acquire(blocking=False)  # the other waits still
        coming[1].cancel()
        assert await asyncio.to_thread(ended.acquire, timeout=30)

    asyncio.run(leave())
    assert not made.coming and not made.makers.waiting

    async def close() -> None:
        closed, app = asyncio.Event(), Starlette(routes=routes.routes(make_file=work))
        asked = asyncio.create_task(parts_of(app, "/api/picture", STEP, left=closed))
        assert await asyncio.to_thread(begun.acquire, timeout=30)
        closed.set()
        assert await asyncio.to_thread(ended.acquire, timeout=30)
        await asked

    asyncio.run(close())


def test_other_weights_are_another_run_and_packets_used_last_are_kept_longest() -> None:
    pinned = ["first"]
    made = Packets(lambda asked: PinnedPacket(packets.compress(b"x"), pinned[0]), lambda name: pinned[0])

    async def ask() -> None:
        for weights in ("first", "first", "second"):
            pinned[0] = weights
            await made.get(wanted("One."), "")

    asyncio.run(ask())
    assert made.made_count == 2
    sizes = {"A.": 30, "B.": 30, "C.": 30, "D.": 30, "E.": 101}
    few = Packets(
        lambda asked: PinnedPacket(b" " * sizes[asked.sentence], "weights"), lambda name: "weights", most_bytes=100
    )

    async def ask_in_turn() -> list[int]:
        return [(len(await few.get(wanted(f"{letter}."), "")), few.made_count)[1] for letter in "ABCADEEACDB"]

    assert asyncio.run(ask_in_turn()) == [1, 2, 3, 3, 4, 5, 6, 6, 6, 6, 7]  # the second goes, the last is never kept


def test_one_visitor_takes_a_share_and_all_together_no_more_than_wait() -> None:
    may = threading.Event()

    def make_packet(asked: RunRequest) -> PinnedPacket:
        assert may.wait(30)
        return PinnedPacket(packets.compress(b"x"), None)

    made, files = Packets(make_packet, lambda name: None), visitors.Makers("files")

    async def crowd(get: Callable[[str, str], Awaitable[object]]) -> list[int]:
        async def ask(visitor: int, number: int) -> int:
            try:
                await get(f"{visitor} {number}.", str(visitor))
            except RefusedError as error:
                assert error.after > 0
                return error.status
            return 200

        may.clear()
        coming = [asyncio.create_task(ask(visitor, number)) for visitor in range(4) for number in range(40)]
        await asyncio.sleep(0)
        may.set()
        return await asyncio.gather(*coming)

    for get, waiting in (
        (lambda sentence, visitor: made.get(wanted(sentence), visitor), made.makers.waiting),
        (lambda sentence, visitor: files.begin(visitor, may.wait, 30), files.waiting),
    ):
        statuses = asyncio.run(crowd(get))
        assert statuses[:40] == [200] * visitors.MOST_OF_ONE + [429] * (40 - visitors.MOST_OF_ONE)
        assert statuses.count(200) == visitors.MOST_WAITING and statuses.count(503) > 0 and not waiting


def test_what_fails_is_one_sentence_and_a_server_without_room_says_when_to_ask_again() -> None:
    for route, asked in (("run", RUN), ("picture", STEP)):
        answers: list[Exception] = [RefusedError(503, "Full.", 2), ZeroDivisionError("secret")]

        def make(asked: Any, answers: list[Exception] = answers) -> Any:
            if answers:
                raise answers.pop(0)
            return (
                PinnedPacket(packets.compress(b"ENCP"), None)
                if isinstance(asked, RunRequest)
                else File("x", "text/csv", b"")
            )

        with served(Packets(make, lambda name: None), make) as client:
            full = client.post(f"/api/{route}", json=asked)
            assert (full.status_code, full.headers["Retry-After"], full.json()) == (503, "2", {"message": "Full."})
            broken = client.post(f"/api/{route}", json=asked)
            is_refused(broken, 503)
            assert "secret" not in broken.text
            if route == "run":  # it is told to all who waited, and to nobody after
                assert client.post("/api/run", json=asked).status_code == 200


@pytest.mark.slow
def test_nothing_that_a_browser_may_send_is_a_fault_of_the_server(client: TestClient) -> None:
    """Nor is anything answered but what was asked for or a sentence."""
    for route, made_up in (("run", body), ("picture", file_body)):
        draw, statuses = random.Random(0), set()
        for _ in range(80):
            content, headers_ = made_up(draw), headers(draw)
            answer = client.post(f"/api/{route}", content=content, headers=headers_)
            statuses.add(answer.status_code)
            if answer.status_code != 200:
                is_refused(answer, 400, 403, 404, 413, 429)
        assert {200, 400, 403, 404} <= statuses


MORE: dict[str, Any] = {"page": "what_if", "section": "loo", "query": QUERY | {"layer": "1", "head": "2"}}


def test_a_section_is_items_and_of_agreed_work_lines_that_say_how_far_it_is(client: TestClient) -> None:
    answer = client.post("/api/more", json=MORE)
    assert answer.headers["Content-Type"] == "application/json" and answer.headers["Cache-Control"] == routes.PRIVATE
    kinds = [item["kind"] for item in answer.json()]
    assert "ask" in kinds and "picture" in kinds
    answer = client.post("/api/more", json=MORE | {"agreed": True, "query": QUERY | {"sentence": "One [MASK] more."}})
    *shares, last = [json.loads(line) for line in answer.text.splitlines()]
    assert shares and all(0 <= one["share"] <= 1 for one in shares)
    assert [item["kind"] for item in last["items"]] == kinds


def test_how_far_long_work_is_comes_before_its_end_and_who_leaves_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    went_on, ended = threading.Event(), threading.Event()

    def slow(request: Any, hear: Callable[[float], None]) -> bytes:
        hear(0.25)
        try:
            while not went_on.wait(0.01):
                pulse()
        except BaseException:
            ended.set()
            raise
        return b"[]"

    monkeypatch.setattr(routes, "make_more", slow)
    monkeypatch.setattr(routes, "OFTEN", 0.01)

    async def visit(leaves: bool) -> list[bytes]:
        left = asyncio.Event()

        def hear(part: bytes) -> None:
            if b"0.250" in part:
                (left if leaves else went_on).set()

        asked = MORE | {"agreed": True}
        return await parts_of(served().app, "/api/more", asked, hear, encodings="", left=left)

    assert asyncio.run(visit(True)) and ended.wait(5)
    lines = b"".join(asyncio.run(visit(False))).splitlines()
    assert lines[-1] == b'{"items": []}' and b'{"share": 0.250}' in lines


@pytest.mark.parametrize(
    "wrong",
    [{"agreed": 1}, {"theme": "blue"}, {"query": []}, {"query": {"<b>": ""}}, {"page": 3}, {"more": "x"}],
    ids=str,
)
def test_a_section_is_asked_for_as_pages_do_or_not_at_all(client: TestClient, wrong: dict[str, Any]) -> None:
    is_refused(client.post("/api/more", json=MORE | wrong), 400)
    is_refused(client.post("/api/more", json=MORE | {"section": "none"}), 404)


def test_what_goes_wrong_after_long_work_has_begun_is_one_sentence(client: TestClient) -> None:
    answer = client.post("/api/more", json=MORE | {"agreed": True, "query": QUERY | {"layer": "99"}})
    assert json.loads(answer.text.splitlines()[-1])["message"].startswith("There is no layer 99")
