"""The plain page: its numbers are the run's, text in it stays text, and every address has a page for an answer."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import streamlit as st
from nasty import CANARY, EVERY
from plain_tools import Element, read
from shared_models import pretrained
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from encoder.edits.edit import Edit
from encoder.packet.format import unpack
from encoder.packet.reading import Reading
from encoder.packet.say import say
from encoder.packet.shipped import SENTENCES, shipped
from encoder.support import theme
from encoder.support.formatting import percent
from pages.front import packets, plain_page, routes
from pages.front.headers import Headers
from pages.front.packets import Packets, PinnedPacket
from pages.front.request_fields import RefusedError, RunRequest

ROOT = Path(__file__).parents[1]
RUNS: dict[str, dict[str, str]] = {
    "gap": {"sentence": "The keys to the cabinet [MASK] on the table."},
    "no gap": {"sentence": "The quokka didn't hide.", "layer": "1", "head": "3"},
    "pair": {"sentence": "The cat [MASK].", "second": "A dog barked.", "layer": "2", "head": "0"},
    "masked token": {"sentence": "The cat chased the [MASK].", "hidden": "2", "word": "3"},
}
TAGS = (
    "html head meta title link style body header main footer h1 h2 p b bdi a figure figcaption svg desc path text "
    "div ul li form label input select option button table caption thead tbody tr th td"
)


def served(kept: Packets | None = None) -> TestClient:
    """A browser on a server that has the routes and nothing else."""
    return TestClient(Starlette(routes=routes.routes(kept), middleware=[Middleware(Headers)]))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with served() as client:
        yield client


def opened(client: TestClient, query: dict[str, str], status: int = 200) -> Element:
    """The page of a query."""
    answer = client.get("/plain", params=query)
    assert answer.status_code == status, answer.text[-2000:]
    return read(answer.text)


def heading(page: Element) -> str:
    """What a page asks or says first."""
    (first,) = page.every("h1")
    return first.text


def cells(page: Element, caption: str) -> list[list[str]]:
    """The lines of the table whose caption begins so."""
    (table,) = [one for one in page.every("table") if one.every("caption")[0].text.startswith(caption)]
    return [[cell.text for cell in line.every("th") + line.every("td")] for line in table.every("tbody")[0].every("tr")]


def is_written(text: str, share: float, near: float) -> bool:
    """Whether a text is a share, or one as near as a packet keeps it."""
    near_it = np.clip(share + near * np.linspace(-1, 1, 101), 1e-9 if share else 0, None)
    return text in {percent(float(value)) for value in near_it}


def test_each_number_is_the_runs(client: TestClient) -> None:
    for model in ("small", "base"):
        for query in RUNS.values():
            numbers_are_those_of_the_run(client, query, model)


def numbers_are_those_of_the_run(client: TestClient, query: dict[str, str], model: str) -> None:
    """The shares and guesses on a page are those that the model gives."""
    page = opened(client, query | {"model": model})
    encoder = pretrained(model)
    hidden = tuple(int(place) for place in query.get("hidden", "").split(",") if place)
    text = (query["sentence"], query["second"]) if "second" in query else query["sentence"]
    trace = encoder.trace(text, hidden=hidden)
    head, layer, percents = re.search(r"Head (\d+) of layer (\d+) .* (\S+ %) of its", claim(page)).groups()  # type: ignore[union-attr]
    if "layer" in query:
        assert (layer, head) == (query["layer"], query["head"])

    pieces = [word for word in trace.tokenization.words if not trace.tokenization.special[word[0]]]
    words = [list(word) for word in pieces]
    (asked,) = [line for line in page.every("tr", **{"class": "asked"})]
    lines = cells(page, f"Where head {head} of layer {layer} looks")
    own = words[[line[0] for line in lines].index(asked.every("th")[0].text)]
    if "word" in query:
        assert int(query["word"]) in own
    elif "[MASK]" in query["sentence"]:
        assert trace.tokens[own[0]] == "[MASK]"
    shares = trace.array(f"layers.{layer}.attention.weights")[int(head), own].mean(0)
    assert len(lines) == len(words) + 1
    for line, word in zip(lines, words, strict=False):
        assert is_written(line[1], shares[word].sum(), len(word) / 131068), (line, shares[word])
    rest = np.delete(shares, np.concatenate(words)).sum()
    assert is_written(lines[-1][1], rest, 4 / 131068) and "[CLS]" in lines[-1][0]
    assert percents in [line[1] for line in lines] and float(percents[:-2]) == max(
        float(line[1][:-2]) for line in lines if "under" not in line[1]
    )

    if "[MASK]" not in query["sentence"]:
        assert len(page.every("table")) == 1
        return
    gap = trace.tokens.index("[MASK]")
    off = (Edit(f"layers.{layer}.attention.heads", "zero", heads=(int(head),)),)
    without = encoder.trace(text, hidden=hidden, edits=off)["mlm.probabilities"][gap]
    guesses = cells(page, "What the model guesses")
    best = trace["mlm.probabilities"][gap].topk(len(guesses))
    for line, share, i in zip(guesses, best.values.tolist(), best.indices.tolist(), strict=True):
        assert is_written(line[1], share, 1e-6) and is_written(line[2], float(without[i]), 1e-5), (
            line,
            share,
            without[i],
        )


def claim(page: Element) -> str:
    """What a page claims."""
    (line,) = page.every("p", **{"class": "claim"})
    return line.text


def test_numbers_of_the_picture_are_those_of_the_table(client: TestClient) -> None:
    page = opened(client, {})
    shares = [line[1] for line in cells(page, "Where head")][:-1]
    for kind in ("across", "down"):
        (svg,) = page.every("svg", **{"class": kind})
        drawn = [text.text for text in svg.every("text", **{"class": "share"})]
        assert drawn == [
            re.sub(r"(\d+\.\d+)", lambda found: f"{float(found[0]) + 1e-9:.0f}", one)
            for one in shares
            if not one.startswith("0.") or float(one[:-2]) >= 0.5
        ]
        assert len(svg.every("path")) == len(shares) - 1
        assert svg.every("title")[0].text and svg.every("desc")[0].text == claim(page)
        names = {one.attributes["id"] for one in svg.every("title") + svg.every("desc")}
        assert {svg.attributes["aria-labelledby"], svg.attributes["aria-describedby"]} == names


def test_it_asks_and_claims_what_start_does(client: TestClient) -> None:
    for sentence in SENTENCES:
        run = Reading(*unpack(shipped(sentence) or b"")[1:])
        choice = run.choice()
        assert choice is not None
        question, said = run.question(choice.word), run.claim(choice.place, choice.word)
        page = opened(client, {"sentence": sentence})
        assert (heading(page), claim(page)) == (say(question[0], **question[1]), say(said[0], **said[1]))


def test_links_lead_to_every_head_word_and_example_with_what_was_asked(client: TestClient) -> None:
    query = RUNS["pair"] | {"model": "small"}
    page = opened(client, query)
    to = [one.attributes["href"] or "" for one in page.every("a")]
    asked = [{name: values[0] for name, values in parse_qs(urlsplit(one).query).items()} for one in to]
    for layer in range(4):
        for head in range(4):
            assert query | {"layer": str(layer), "head": str(head)} in asked
    special = pretrained("small").trace((query["sentence"], query["second"])).tokenization.special
    words = {one["word"] for one in asked if one.get("word", "0") != "0"}
    assert {int(place) for place in words} <= {i for i, one in enumerate(special) if not one} and len(words) == 8
    assert all(query | {"word": place} in asked for place in words)
    assert all({"sentence": sentence} in asked for sentence in SENTENCES)
    (whole,) = [one for one in page.every("a") if one.text == "The page with everything"]
    assert urlsplit(whole.attributes["href"] or "").path == "/" and query | {"v": "1"} in asked
    (now,) = page.every("a", **{"aria-current": "true"})
    assert now.attributes["aria-label"] == "head 0 of layer 2"
    for address in {*to} - {whole.attributes["href"]}:
        assert client.get(address).status_code == 200


def test_a_form_asks_for_a_sentence_and_a_model(client: TestClient) -> None:
    page = opened(client, {"sentence": 'Say "hello" & <b>.', "model": "small"})
    (form,) = page.every("form")
    (field,), (chosen,) = form.every("input"), [one for one in form.every("option") if "selected" in one.attributes]
    assert (form.attributes["action"], form.attributes.get("method", "get")) == ("/plain", "get")
    assert (field.attributes["name"], field.attributes["value"]) == ("sentence", 'Say "hello" & <b>.')
    assert form.every("select")[0].attributes["name"] == "model" and chosen.attributes["value"] == "small"
    named = {one.attributes["for"] for one in form.every("label")}
    assert named == {one.attributes["id"] for one in form.every("input") + form.every("select")}


def test_the_preview_of_a_link_says_what_the_page_does(client: TestClient) -> None:
    page = opened(client, {})
    says = {
        str(one.attributes.get("property", one.attributes.get("name"))): one.attributes["content"] or ""
        for one in page.every("meta")[1:]
    }
    assert says["og:title"] == heading(page) and page.every("title")[0].text.startswith(heading(page))
    assert claim(page) in says["og:description"] == says["description"] and SENTENCES[0] in says["description"]
    assert page.every("html")[0].attributes["lang"] == "en"


def test_under_a_path_all_addresses_are_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "/lab/enc/" if name == "server.baseUrlPath" else usual(name))
    with served() as client:
        answer = client.get("/lab/enc/plain")
        assert answer.status_code == 200 and client.get("/plain").status_code == 404
        page = read(answer.text)
        addresses = [one.attributes["href"] or "" for one in page.every("a")] + [
            page.every("form")[0].attributes["action"] or ""
        ]
        assert len(addresses) > 50 and all(one.startswith("/lab/enc/") for one in addresses)


def test_an_answer_is_nobodys_to_keep_and_tells_nobody_of_its_address(client: TestClient) -> None:
    for query in ({}, {"model": "none"}):
        headers = client.get("/plain", params=query).headers
        assert headers["Cache-Control"] == "private, no-store" and headers["Referrer-Policy"] == "no-referrer"
        rules = headers["Content-Security-Policy"]
        assert "default-src 'none'" in rules and "script-src" not in rules
        assert headers["Content-Type"] == "text/html; charset=utf-8" and "set-cookie" not in headers
    assert "stands in the address" in opened(client, {}).every("footer")[0].text


def is_plain(page: Element) -> None:
    """Nothing in a page is anything but what its writers put there."""
    for element in page.every("*"):
        assert element.tag in TAGS.split() or element.tag == "", element.tag
        for name, value in element.attributes.items():
            assert not name.startswith("on") and name not in ("style", "srcdoc", "src", "formaction"), (
                element.tag,
                name,
            )
            if name in ("href", "action"):
                assert re.match(r"/(plain)?(\?|$)|data:,$", value or ""), value
    assert {one.text for one in page.every("style")} == {plain_page.style()}
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", page.text)


@pytest.mark.slow
def test_whatever_an_address_says_stays_text(client: TestClient) -> None:
    usual = {"sentence": "The cat.", "model": "small"}
    names = ("second", "model", "edits", "layer", "head", "word", "hidden")
    others = [(names[i % len(names)], said) for i, said in enumerate(EVERY)]
    for name, said in [("sentence", said) for said in EVERY] + others:
        address = "/plain?" + str(QueryParams(usual | {name: said.encode("utf-8", "replace").decode()[:6000]}))
        answer = client.get(address)
        assert answer.status_code in (200, 400, 404, 413), (answer.status_code, said[:80])
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        page = read(answer.text)
        is_plain(page)
        assert heading(page)
        if name == "sentence" and CANARY in said and answer.status_code == 200:
            assert said in page.every("p", **{"class": "sentence"})[0].text


def test_words_from_the_right_have_their_own_direction_and_their_first_stands_at_the_right(client: TestClient) -> None:
    page = opened(
        client,
        {"sentence": "\u05d4\u05d7\u05ea\u05d5\u05dc \u05d9\u05e9\u05df \u05e2\u05dc \u05d4\u05de\u05d9\u05d8\u05d4"},
    )
    assert page.every("p", **{"class": "sentence"})[0].attributes["dir"] == "auto"
    assert page.every("input", id="sentence")[0].attributes["dir"] == "auto"
    words = page.every("svg", **{"class": "across"})[0].every("text")
    places = [float(one.attributes["x"] or 0) for one in words if one.attributes.get("class") != "share"]
    assert places == sorted(places, reverse=True) and len(set(places)) == 4
    assert all(line.every("th")[0].every("bdi") for line in page.every("tbody")[0].every("tr")[:-1])


@pytest.mark.slow
def test_a_long_sentence_is_a_page_of_bounded_size(client: TestClient) -> None:
    for sentence in ("a " * 749 + "b", "\u4f60" * 1500, "\U0001f431" * 1500, "x" * 1500):
        answer = client.get("/plain", params={"sentence": sentence, "model": "small"})
        assert answer.status_code == 200 and len(answer.content) < 2_000_000
        page = read(answer.text)
        is_plain(page)
        if len(cells(page, "Where head")) > 20:
            assert "the table has all" in page.every("figcaption")[0].text


def test_what_cannot_be_shown_is_said_in_one_sentence(client: TestClient) -> None:
    for query, status, words in (
        ({"model": "folder:../../etc"}, 404, "not to be had"),
        ({"sentence": "x" * 1501}, 413, "1,500"),
        ({"second": "x" * 1501}, 413, "1,500"),
        ({"sentence": "x" * 60_001}, 413, "too long"),
        ({"hidden": "99", "model": "small"}, 400, "99"),
        ({"hidden": ",".join(map(str, range(600)))}, 400, "512"),
        ({"edits": "nonsense", "model": "small"}, 400, "cannot read this"),
    ):
        page = opened(client, query, status)
        assert words in claim(page) and claim(page).endswith((".", "…")) and heading(page) == "This cannot be shown"
        assert page.every("form") and len(page.every("a")) > len(SENTENCES)


def test_a_server_that_cannot_answer_says_so() -> None:
    errors: list[tuple[Exception, int, str | None]] = [
        (RefusedError(429, "Many.", 1), 429, "1"),
        (MemoryError(), 503, None),
    ]
    for error, status, after in errors:

        def make(asked: RunRequest, error: Exception = error) -> PinnedPacket:
            raise error

        with served(Packets(make, lambda name: None)) as client:
            answer = client.get("/plain", params={"sentence": "A dog."})
            assert (answer.status_code, answer.headers.get("Retry-After")) == (status, after)
            assert claim(read(answer.text)).endswith(".")
            assert client.get("/plain").status_code == 200  # the bundled ones need nobody


def test_a_run_is_made_once_for_this_page_and_the_front() -> None:
    calls: list[RunRequest] = []
    data = shipped("The cat chased the mouse.") or b""

    def make(asked: RunRequest) -> PinnedPacket:
        calls.append(asked)
        return PinnedPacket(packets.compress(data), "weights")

    with served(Packets(make, lambda name: "weights")) as client:
        sent = {"level": 1, "sentence": "A  dog.", "model": "small", "hidden": [1]}
        assert client.post("/api/run", json=sent).status_code == 200
        for head in ("1", "2"):
            opened(client, {"sentence": "A  dog.", "model": "small", "hidden": "1", "layer": "3", "head": head})
    assert len(calls) == 1


def test_a_link_opens_from_anywhere_and_no_page_has_it_as_a_part(client: TestClient) -> None:
    cases: list[tuple[dict[str, str], int]] = [
        ({}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Origin": "http://other.example"}, 403),
    ]
    for headers, status in cases:
        answer = client.get("/plain", headers=headers)
        assert answer.status_code == status and "access-control-allow-origin" not in answer.headers


def test_an_address_is_read_as_the_front_reads_it() -> None:
    cases: list[tuple[str, dict[str, str]]] = [
        ("", {}),
        ("sentence=+&model=&layer=&word=x", {}),
        ("layer=3&layer=4&head=-1&word=1e9&hidden=2,a", {"layer": "3"}),
        ("hidden=5,1&v=1&lesson=z&head=0000001&word=%D9%A3", {"hidden": "5,1"}),
        ("sentence=A+b%26c&second=d&edits=e", {"sentence": "A b&c", "second": "d", "edits": "e"}),
    ]
    for address, query in cases:
        assert plain_page.query_of(QueryParams(address)) == query


def test_a_run_without_a_word_says_so() -> None:
    run: dict[str, Any] = {
        "sentence": "",
        "second": "",
        "tokens": ["[CLS]"],
        "kinds": ["special"],
        "words": [],
        "names": [],
    }
    run |= {"model": {"layers": 1, "heads": 1}, "rows": [0], "gap": -1, "guesses": {}, "dropped": 0}
    weights = unpack(shipped(SENTENCES[0]) or b"")[2]["weights"]
    page = read(
        plain_page.page(
            Reading(run, {"weights": type(weights)(weights.values[:1, :1, :1, :1], weights.scale)}), None, {}
        )
    )
    assert heading(page) == "There is no word here to look from." and page.every("form")


def test_its_colours_are_the_apps() -> None:
    light, dark = plain_page.style().split("prefers-color-scheme: dark")[:2]
    for name, colours in {
        "page": theme.BACKGROUND,
        "ink": theme.INK,
        "muted": theme.MUTED,
        "accent": theme.ACCENT,
        "second": theme.SECOND,
    }.items():
        assert f"--{name}: {colours['light']};" in light and f"--{name}: {colours['dark']};" in dark
