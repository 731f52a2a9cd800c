"""Every address that the app ever had, with what it asked for, opens the page that answers its question now."""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from model_page_tools import texts
from page_tools import APP, charts, healthy, turn_to
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from visits import link

from encoder.pictures.old_addresses import OLD
from pages.front import routes

ODD = "The keys & the <b>cat</b> slept — 50 % 😀 + ?"
SMALL = {"model": "small", "layer": "2", "head": "3"}
OFF = {"edits": "layers.2.attention.heads:zero:h=3"}
# An address that is another now (and one that is not), what it asked for, the address of today, its title (none where
# the browser draws it), what else its link says now, and what stands there
EVERY: list[tuple[str, dict[str, str], str, str, dict[str, str], str]] = [
    ("", {"several": "1", "some_heads": "1,5"}, "", "", {}, "links"),
    ("position", {}, "embedding", "", {"step": "embedding.positions"}, "torch.float32"),
    ("position", {"step": "embedding.output"}, "embedding", "", {}, "torch.float32"),
    ("labs", {"lab": "Padding", "lesson": "many-heads", "at": "2"}, "lessons", "Lessons",
     {"lessons_part": "Labs"}, "pads"),
    ("labs", {}, "lessons", "Lessons", {"lessons_part": "Labs", "lab": "Word order"}, "order"),
    ("tour", SMALL, "your_model", "Models", {}, "tour_0"),
    ("looks", {"some_heads": "1,5", "together": "Largest"}, "", "", {"several": "1"}, "links"),
    ("flows", {"flow_token": "3", "heads_part": "Measures"}, "heads", "",
     {"heads_part": "What really flows"}, "flows"),
    ("why", OFF, "what_if", "", {"why": "Which parts"}, "why_parts"),
    ("alike", {"other": "A dog was asleep.", "compare_part": "Patch"}, "compare", "",
     {"compare_part": "Alike?"}, "cosine_shares"),
    ("lens", {"lens_token": "3", "step": "attention.q"}, "stack", "", {"step": "output"}, "torch.float32"),
    ("vectors", {"unit_token": "2"}, "stack", "", {"step": "output", "sources_open": "1"}, "layer_shares"),
    ("training", SMALL | {"learn_part": "Mystery models"}, "learn", "Learning",
     {"learn_part": "Time-lapse"}, "add_moments"),
    ("model_cost", SMALL, "your_model", "Models", {"models_part": "Cost"}, "**Most parameters are in the embedding"),
    ("claims", {"lesson": "many-heads", "at": "2"}, "lessons", "Lessons",
     {"lessons_part": "Claims"}, "measure_claims"),
    ("glossary", {"find": "softmax"}, "lessons", "Lessons", {"lessons_part": "Glossary"}, "show_softmax"),
]  # fmt: skip


def answer(address: str) -> tuple[int, str]:
    """The status that the app's own routes answer an address with, and where they lead; 404 leaves it to Streamlit."""
    found = TestClient(Starlette(routes=routes.old_addresses()), follow_redirects=False).get(address)
    return found.status_code, found.headers.get("location", "")


def drawn(app: AppTest) -> set[str]:
    """The keys of the charts and of the components on the page."""
    return {one.proto.id.rpartition("-")[2] for one in (*charts(app), *app.get("bidi_component"))}


def keys(app: AppTest) -> set[str]:
    return {one.key for kind in ("button", "text_input") for one in app.main.get(kind)}


def expected(asked: Mapping[str, str], also: Mapping[str, str], old: str) -> dict[str, str]:
    left_out = ("lesson", "at") if old in ("labs", "claims", "glossary") else ()
    return {name: text for name, text in {**asked, **also}.items() if name not in left_out}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "asked", "now", "title", "also", "there"), EVERY, ids=[f"{i}-{row[0]}" for i, row in enumerate(EVERY)]
)
def test_an_address_leads_to_its_page_with_all_that_it_asked_for(
    old: str, asked: dict[str, str], now: str, title: str, also: dict[str, str], there: str
) -> None:
    asked = {"sentence": ODD} | asked
    said = expected(asked, also, old)
    status, to = answer(f"/{old}?{urlencode(asked)}")
    if old == now:
        assert (status, to) == (404, "")  # no route of ours: the page is where it was
        query = asked
    else:
        assert status == 307 and to.startswith(f"/{now}?") and to.isascii()
        query = dict(parse_qsl(urlsplit(to).query, strict_parsing=True))
        assert query == said
    app = AppTest.from_file(APP, default_timeout=60)
    if now:
        turn_to(app, now)
    for name, value in query.items():
        app.query_params[name] = value
    if not title:
        app.query_params["more"] = "1"  # what the picture shows of an address is asked in a browser
    healthy(app.run())
    assert [one.value for one in app.title] == [title] * bool(title)
    assert link(app).items() >= said.items()
    assert app.session_state["session"].view.sentence == ODD
    assert not [one.value for one in app.warning if "left out" in one.value or "not known" in one.value]
    assert there in drawn(app) | keys(app) or there in texts(app)


def test_every_address_that_leads_elsewhere_is_tried() -> None:
    assert {row[0] for row in EVERY if row[0] != row[2]} == OLD.keys()


def test_an_old_address_leads_on_under_the_path_that_the_app_is_served_under(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.get_option", {"server.baseUrlPath": "/teach/enc/"}.get)
    assert answer("/teach/enc/lens?layer=2") == (307, "/teach/enc/stack?layer=2&step=output")
    assert answer("/teach/enc/looks") == (307, "/teach/enc/?several=1")
    assert answer("/lens") == (404, "")


def test_an_old_address_never_leads_to_another_server() -> None:
    for odd in ("/lens?x=//evil.example", "/looks?next=https://evil.example%0d%0aX: y"):
        status, to = answer(odd)
        assert status == 307 and urlsplit(to).netloc == "" and not to.startswith("//") and "\r" not in to
