"""The routes of the front: what they answer, to whom, how often a run is made for it, and what no request can do."""

import asyncio
import gzip
import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from front_requests import body, headers
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from encoder import TextEncoder
from encoder.packet.format import unpack
from encoder.packet.shipped import SENTENCES, shipped
from pages.front import packets, routes
from pages.front.asked import Asked, RefusedError, read
from pages.front.headers import Headers, policy
from pages.front.packets import Kept, Made, Packets
from pages.ui.server.sending import SendingBound

ROOT = Path(__file__).parents[1]
ASKED: dict[str, Any] = {
    "level": 1,
    "sentence": "The cat chased the mouse.",
    "second": "",
    "model": "small",
    "hidden": [],
    "edits": "",
}


def served(made: Packets | None = None) -> TestClient:
    """A browser on a server that has the routes and nothing else."""
    return TestClient(Starlette(routes=routes.routes(made), middleware=[Middleware(Headers)]))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with served() as found:
        yield found


@pytest.mark.parametrize(
    "changes", [{}, {"hidden": [2]}, {"second": "It ran."}, {"sentence": "The [MASK] ran."}], ids=str
)
def test_a_run_is_the_trace(client: TestClient, small: TextEncoder, changes: dict[str, Any]) -> None:
    asked = ASKED | changes
    answer = client.post("/api/run", json=asked)
    assert answer.status_code == 200, answer.text
    text = (asked["sentence"], asked["second"]) if asked["second"] else asked["sentence"]
    trace = small.trace(text, hidden=tuple(asked["hidden"]))
    level, about, arrays = unpack(answer.content)
    assert level == 1 and about["tokens"] == trace.tokens and about["hidden"] == asked["hidden"]
    weights = np.stack([trace.array(f"layers.{layer}.attention.weights") for layer in range(trace.config.n_layers)])
    assert np.abs(arrays["weights"].numbers - weights).max() <= 0.5000001 / 65534


def test_a_layer_is_the_traces(client: TestClient, small: TextEncoder) -> None:
    answer = client.post("/api/run", json=ASKED | {"level": 2, "layer": 3})
    level, about, arrays = unpack(answer.content)
    assert level == 2 and about["layer"] == 3
    trace = small.trace(ASKED["sentence"])
    for name in ("q", "k", "v"):
        assert (
            np.abs(arrays[name].numbers - trace.array(f"layers.3.attention.{name}")).max() <= arrays[name].scale / 1.99
        )


def test_every_bundled_sentence_has_an_address_that_is_kept_for_ever(client: TestClient) -> None:
    addresses = dict(packets.shelf().addresses())
    assert [*addresses] == [*SENTENCES]
    for sentence, address in addresses.items():
        answer = client.get(address)
        assert answer.content == shipped(sentence)
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Content-Encoding"] == "gzip" and "set-cookie" not in answer.headers
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", ["front.js", "pages.js"])
def test_the_browsers_code_lies_under_the_digest_of_its_content(client: TestClient, name: str) -> None:
    digest, packed = routes.bundle()
    answer = client.get(f"/api/front/{digest}/{name}")
    script = (routes.BUILT / name).read_text(encoding="utf-8")
    assert answer.text == script == gzip.decompress(packed[name]).decode()
    assert (
        answer.headers["Content-Type"].startswith("text/javascript") and "immutable" in answer.headers["Cache-Control"]
    )


@pytest.mark.parametrize(
    ("said", "packed"),
    [
        ("gzip, deflate, br", True),
        ("*", True),
        ("gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("br", False),
        ("", False),
        ("gzip;q=0, *", False),
        ("GZIP", True),
    ],
)
def test_what_is_sent_is_packed_for_who_can_unpack_it(client: TestClient, said: str, packed: bool) -> None:
    address = dict(packets.shelf().addresses())[SENTENCES[0]]
    for answer in (
        client.get(address, headers={"Accept-Encoding": said}),
        client.post("/api/run", json=ASKED, headers={"Accept-Encoding": said}),
    ):
        assert (answer.headers.get("Content-Encoding") == "gzip") == packed
        assert answer.headers["Vary"] == "Accept-Encoding" and answer.content.startswith(b"ENCP")


def test_a_run_is_nobodys_to_keep(client: TestClient) -> None:
    answer = client.post("/api/run", json=ASKED)
    assert answer.headers["Cache-Control"] == "private, no-store" and "set-cookie" not in answer.headers


@pytest.mark.slow
def test_nothing_of_torch_is_read_to_answer_with_what_is_shipped() -> None:
    code = """
import sys
from starlette.applications import Starlette
from starlette.testclient import TestClient
from pages.front import packets, routes
client = TestClient(Starlette(routes=routes.routes()))
for address in [*dict(packets.shelf().addresses()).values(), f"/api/front/{routes.bundle()[0]}/front.js"]:
    assert client.get(address).status_code == 200
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize(
    "address",
    [
        "/api/",
        "/api/none",
        "/api/run",
        "/api/shipped/0/0.packet",
        "/api/shipped/{}/8.packet",
        "/api/shipped/{}/-1.packet",
        "/api/shipped/{}/٣.packet",
        "/api/front/0/front.js",
        f"/api/front/{routes.bundle()[0]}/mount.js",
        "/api/shipped/../run",
        "/api/a/b/c?d=e",
    ],
)
def test_what_is_not_there_is_said_to_be_so(client: TestClient, address: str) -> None:
    """Streamlit would answer with its page, and 200."""
    answer = client.get(address.format(packets.shelf().digest))
    assert answer.status_code == 404 and answer.json()["message"].endswith(".")
    assert "no-store" in answer.headers["Cache-Control"]
    assert client.put(address).status_code == 404


def test_under_a_path_all_is_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "/lab/enc/" if name == "server.baseUrlPath" else usual(name))
    with served() as client:
        address = dict(packets.shelf().addresses())[SENTENCES[0]]
        assert address.startswith("/lab/enc/api/shipped/") and client.get(address).status_code == 200
        assert client.post("/lab/enc/api/run", json=ASKED).status_code == 200
        assert client.get("/lab/enc/api/none").json()["message"]
        assert client.get("/api/none").text == "Not Found"  # that one is not ours


@pytest.mark.parametrize(
    "said",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "null"},
        {"Origin": "http://testserver.example"},
        {"Origin": "http://[", "Host": "["},
        {"Origin": "http://testserver:81"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
    ],
    ids=str,
)
def test_a_page_of_another_origin_has_nothing_made(client: TestClient, said: dict[str, str]) -> None:
    answer = client.post("/api/run", json=ASKED, headers=said)
    assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("said", [{"Sec-Fetch-Site": "same-origin", "Origin": "http://testserver"}, {}], ids=str)
def test_a_page_of_the_app_and_a_program_have_a_run_made(client: TestClient, said: dict[str, str]) -> None:
    assert client.post("/api/run", json=ASKED, headers=said).status_code == 200


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"model": "none"}, 404, "not to be had"),
        ({"model": "folder:../../etc"}, 404, "not to be had"),
        ({"model": "built:n_layers=96,d_model=12288,n_heads=96"}, 404, "not to be had"),
        ({"level": 2, "layer": 4}, 404, "layers go from 0 to 3"),
        ({"level": 2}, 400, "layer"),
        ({"level": 3}, 400, "layer"),
        ({"level": 10}, 400, "level"),
        ({"level": 8}, 400, "numbers cannot be shown"),
        ({"level": 9, "step": "output", "index": [0, 9999]}, 400, "has no number at"),
        ({"level": 9, "step": "output", "index": "0"}, 400, "index"),
        ({"level": 9, "step": "output", "index": [-1, 0]}, 400, "index"),
        ({"level": 9, "step": "output", "index": [0] * 9}, 400, "index"),
        ({"level": 8, "step": ["output"]}, 400, "step"),
        ({"sentence": " \n"}, 400, "no sentence"),
        ({"sentence": "a" * 20_001}, 413, "20,000"),
        ({"hidden": [99]}, 400, "99"),
        ({"hidden": list(range(8))}, 400, "Every token"),
        ({"hidden": "1"}, 400, "hidden"),
        ({"edits": "nonsense"}, 400, "cannot read this"),
        ({"off": 1}, 400, "off"),
        ({"more": 1}, 400, "load the page again"),
    ],
    ids=str,
)
def test_what_cannot_be_run_is_said_in_a_sentence(
    client: TestClient, changes: dict[str, Any], status: int, words: str
) -> None:
    answer = client.post("/api/run", json=ASKED | changes)
    message = answer.json()["message"]
    assert answer.status_code == status and words in message and message.endswith(".") and "\n" not in message


def test_a_model_that_takes_long_to_load_is_not_loaded_for_a_request(client: TestClient) -> None:
    name = "built:n_layers=12,d_model=1024,n_heads=16,d_ff=4096"
    answer = client.post("/api/run", json=ASKED | {"model": name})
    assert answer.status_code in (403, 404) and (
        "Models" in answer.json()["message"] or "MB" in answer.json()["message"]
    )


def test_a_request_of_more_than_64_kilobytes_is_not_read_on(client: TestClient) -> None:
    given = 0

    def parts() -> Iterator[bytes]:
        nonlocal given
        for _ in range(10_000):
            given += 1
            yield b" " * 10_000

    head = {"Content-Type": "application/json"}
    assert client.post("/api/run", content=b" " * 70_000, headers=head).status_code == 413
    assert client.post("/api/run", content=parts(), headers=head).status_code == 413


class Slow:
    """Makes packets that only come when they may, and counts."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.may = threading.Event()

    def __call__(self, asked: Asked) -> Made:
        self.asked.append(asked)
        assert self.may.wait(30)
        return Made(packets.compress(b"ENCP" + asked.sentence.encode()), "weights")


def wanted(sentence: str) -> Asked:
    """A run of a sentence."""
    return read(json.dumps(ASKED | {"sentence": sentence}).encode())


def test_thirty_who_ask_for_one_run_at_once_have_it_made_once() -> None:
    slow = Slow()
    made = Packets(slow, lambda name: "weights")

    async def all_at_once() -> list[bytes]:
        coming = [asyncio.create_task(made.get(wanted("One."), str(i))) for i in range(30)]
        await asyncio.sleep(0)
        coming[7].cancel()  # who leaves takes it from nobody
        slow.may.set()
        found = await asyncio.gather(*coming, return_exceptions=True)
        assert isinstance(found.pop(7), asyncio.CancelledError)
        found.append(await made.get(wanted("One."), "late"))
        return found  # type: ignore[return-value]

    found = asyncio.run(all_at_once())
    assert len(found) == 30 and {gzip.decompress(one) for one in found} == {b"ENCPOne."}
    assert len(slow.asked) == made.made == 1 and not made.coming and not made.waiting


def test_other_weights_are_another_run() -> None:
    pinned = ["first"]
    made = Packets(lambda asked: Made(packets.compress(b"x"), pinned[0]), lambda name: pinned[0])

    async def twice() -> None:
        for weights in ("first", "first", "second"):
            pinned[0] = weights
            await made.get(wanted("One."), "")

    asyncio.run(twice())
    assert made.made == 2


def test_one_visitor_takes_a_share_and_all_together_no_more_than_wait() -> None:
    slow = Slow()
    made = Packets(slow, lambda name: None)

    async def crowd() -> list[int]:
        async def ask(visitor: int, number: int) -> int:
            try:
                await made.get(wanted(f"{visitor} {number}."), str(visitor))
            except RefusedError as error:
                assert error.after > 0
                return error.status
            return 200

        coming = [asyncio.create_task(ask(visitor, i)) for visitor in range(4) for i in range(40)]
        await asyncio.sleep(0)
        slow.may.set()
        return await asyncio.gather(*coming)

    found = asyncio.run(crowd())
    assert found[:40] == [200] * packets.MOST_OF_ONE + [429] * (40 - packets.MOST_OF_ONE)
    assert found.count(200) == packets.MOST_WAITING and found.count(503) > 0 and not made.waiting


def test_a_refusal_is_told_to_all_who_wait_and_to_nobody_after() -> None:
    answers = [RefusedError(503, "Full.", 2)]

    def make(asked: Asked) -> Made:
        if answers:
            raise answers.pop()
        return Made(packets.compress(b"ENCP"), None)

    with served(Packets(make, lambda name: None)) as client:
        first = client.post("/api/run", json=ASKED)
        assert (first.status_code, first.headers["Retry-After"], first.json()) == (503, "2", {"message": "Full."})
        assert client.post("/api/run", json=ASKED).status_code == 200


def test_packets_are_kept_within_bytes_those_used_last_longest() -> None:
    kept = Kept(100)
    for key in "abc":
        kept.put(key, b" " * 30)
    assert kept.get("a")
    kept.put("d", b" " * 30)
    kept.put("e", b" " * 101)
    kept.put("d", b" " * 40)
    assert [key for key in "abcde" if kept.get(key)] == ["a", "c", "d"] and kept.held == 100


def test_a_frame_of_another_origin_is_allowed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCODER_FRAMED_BY", "https://school.example  'unsafe; default-src *")
    assert policy.__wrapped__().endswith("; frame-ancestors 'self' https://school.example")


def test_runs_take_none_of_the_places_of_files_that_are_sent() -> None:
    async def done(scope: Any, receive: Any, send: Any) -> None: ...

    bound = SendingBound(done, apart="/api/")
    bound.coming = 10**6
    scope = {"type": "http", "method": "POST", "path": "/api/run"}
    assert asyncio.run(bound(scope, None, None)) is None  # type: ignore[arg-type]


def hostile(client: TestClient, count: int, seed: int) -> None:
    """Nothing that a browser may send has the server fail, or say anything but a sentence."""
    draw, statuses = random.Random(seed), set()
    for _ in range(count):
        sent, said = body(draw), headers(draw)
        answer = client.post("/api/run", content=sent, headers=said)
        statuses.add(answer.status_code)
        assert answer.status_code in (200, 400, 403, 404, 413, 429), (answer.status_code, answer.text, sent[:500], said)
        if answer.status_code == 200:
            assert answer.content.startswith(b"ENCP")
        else:
            assert answer.json()["message"].endswith((".", "…")), answer.text
    assert {200, 400, 403, 404, 413} <= statuses


@pytest.mark.slow
def test_nothing_that_a_browser_may_send_is_a_fault_of_the_server(client: TestClient) -> None:
    hostile(client, 300, 0)


@pytest.mark.nightly
def test_ten_thousand_made_up_requests(client: TestClient) -> None:
    hostile(client, 10_000, 1)
