"""The list of lessons and each lab alone: what stands where, pictures of cards, and verdicts that are asked for."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from page_tools import charts, healthy, keys, open_app, press, said, step_about, turn_to, words
from shipped.thumbnails import every, thumbnail
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from visits import KINDS, link

from encoder.model.steps.glossary import TERMS, beside
from encoder.pictures.lab import Ask, Beside, Part, When, pictures_of
from encoder.pictures.labs import CLAIMS, LABS
from encoder.pictures.labs.trial import Verdict
from encoder.pictures.link import from_query
from encoder.pictures.view import View
from encoder.teach.lessons.lesson import SHELVES
from encoder.teach.lessons.statements import STATEMENTS
from encoder.teach.lessons.stored import by_content
from pages.front import routes
from pages.lessons import lesson_list
from pages.lessons.lesson_list import OWN, THUMBNAILS, of_lab
from pages.ui.lessons import library
from pages.ui.server import offered_models
from pages.ui.server.engine import text_encoder
from pages.ui.server.picture_results import RESULTS_BYTES, results
from pages.ui.state.choice_names import names

pytestmark = pytest.mark.slow

NOT_AT_ONCE = {"told", "gate_signs", "gate_units"}  # measured when it is asked for; not in this model
REDRAWN = ("the-story", "positions", "lab-softmax")
TINY = "built:n_layers=1,d_model=16,n_heads=2,d_ff=32,seed=0"


def listed(app: AppTest) -> dict[str, Any]:
    """What the list hands to the browser."""
    return json.loads(next(one.proto.json for one in app.get("bidi_component") if one.proto.id.endswith("-shelves")))


def cards(app: AppTest) -> list[dict[str, Any]]:
    return [card for shelf in listed(app)["shelves"] for card in shelf["cards"]]


def asked(href: str) -> tuple[str, dict[str, str]]:
    """The page and the parameters of an address."""
    parts = urlsplit(href)
    return parts.path.strip("/") or "start", dict(parse_qsl(parts.query))


def test_every_lesson_and_lab_stands_on_one_shelf_and_each_step_has_its_address() -> None:
    app = open_app("lessons")
    assert [shelf["title"] for shelf in listed(app)["shelves"]] == [*SHELVES]
    all_cards = cards(app)
    assert {card["name"] for card in all_cards if card["name"]} == set(library.bundled())
    assert Counter(card["title"] for card in all_cards if not card["name"]) == Counter(
        one.question for one in LABS.values()
    )
    for card in all_cards:
        assert ElementTree.fromstring(card["picture"]).tag.endswith("svg") and len(card["picture"]) < 16_000
        if not card["name"]:
            ((page, query),) = map(asked, card["steps"])
            assert page == "lessons" and LABS[query["lab"]].question == card["title"]
            continue
        lesson = library.bundled()[card["name"]]
        assert len(card["steps"]) == len(lesson.steps) and card["minutes"] == lesson.minutes > 0
        for at, (step, href) in enumerate(zip(lesson.steps, card["steps"], strict=True), 1):
            assert asked(href) == (step.page, dict(step.view) | {"lesson": card["name"], "at": str(at)})


def test_thumbnails_are_what_the_library_draws_and_none_is_left_over() -> None:
    assert {file.stem for file in THUMBNAILS.iterdir()} == set(every())
    for name in REDRAWN:
        kept, anew = (Counter(re.findall(r"[^\s\"<>]+", text)) for text in (lesson_list.picture(name), thumbnail(name)))
        assert (kept & anew).total() > 0.97 * max(kept.total(), anew.total()), name  # numbers are rounded


def test_the_picture_of_the_story_is_where_its_head_looks() -> None:
    """The widest arc is to the word with the largest share, and widths grow with shares."""
    step = library.bundled()["the-story"].steps[4]
    trace = text_encoder("base").trace(step.view["sentence"])
    row = trace["layers.5.attention.weights"][6, trace.tokens.index("[MASK]")].numpy()
    shares = [float(row[[*word]].sum()) for word in trace.tokenization.words if not trace.tokenization.special[word[0]]]
    arcs = ElementTree.fromstring(lesson_list.picture("the-story")).findall("{*}path")
    widths = sorted(float(arc.attrib["stroke-width"]) for arc in arcs)
    others = sorted(share for share in shares if share >= 0.01)
    np.testing.assert_allclose(widths, [0.8 + 5 * share for share in others[-len(widths) :]], atol=0.06)
    assert max(arcs, key=lambda arc: float(arc.attrib["stroke-width"])).attrib["class"] == "line"


def test_the_list_needs_no_run_and_gives_no_verdict_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the list ran the model")

    for place in ("pages.ui.session_runs.now", "pages.ui.server.measurements.findings", "encoder.TextEncoder.trace"):
        monkeypatch.setattr(place, never)
    app = open_app("lessons", sentence="A sentence that nobody has run yet.")
    shown = json.dumps({name: part for name, part in listed(app).items() if name != "statements"}, ensure_ascii=False)
    stored = by_content(text_encoder("base").source.fingerprint)
    assert stored is not None
    for one in CLAIMS:
        finding = stored.finding(one.trial, one.given)
        assert finding is not None and finding.measured not in shown


def verdict(client: TestClient, key: str, model: str) -> Any:
    return client.post("/api/claim", json={"claim": key, "model": model})


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=routes.routes())) as found:
        yield found


@pytest.mark.parametrize("model", ["base", "small"])
def test_a_verdict_is_the_one_that_was_shipped_with_the_weights(client: TestClient, model: str) -> None:
    stored = by_content(text_encoder(model).source.fingerprint)
    assert stored is not None
    for claim in CLAIMS:
        finding = stored.finding(claim.trial, claim.given)
        answer = verdict(client, claim.key, model).json()
        assert finding is not None and answer["is"] == finding.verdict and answer["measured"] == finding.measured
        assert (answer["condition"] != "") == (finding.verdict is Verdict.CONDITION)


def test_a_verdict_of_another_model_is_measured_now(client: TestClient) -> None:
    claim = next(claim for claim in CLAIMS if claim.key == "softmax")
    scores = np.exp(np.array(claim.given["scores"]))
    holds = np.allclose(scores / scores.sum(), claim.given["expected"], atol=5e-3)
    answer = verdict(client, "softmax", TINY)
    assert answer.json()["is"] == ("true" if holds else "false") and answer.headers["Cache-Control"].endswith(
        "no-store"
    )
    assert verdict(client, "feed-forward-size", "base").json()["is"] == "true"
    assert verdict(client, "feed-forward-size", TINY).json()["is"] == Verdict.UNTRIED  # it is said of another size


def test_what_no_page_asks_of_claims_is_refused(client: TestClient) -> None:
    for key, model, status in (("nothing", "base", 404), ("softmax", "none", 404), ("softmax", "x" * 3000, 413)):
        assert verdict(client, key, model).status_code == status
    for body in ({"claim": 1, "model": "base"}, {"claim": "softmax", "model": "base", "x": 1}, []):
        assert client.post("/api/claim", json=body).status_code == 400


def test_a_claim_leads_to_its_lab_or_to_what_was_measured_of_it() -> None:
    shown = {row["key"]: row for row in listed(open_app("lessons", sentence="Dogs bark.", model="small"))["claims"]}
    for claim in CLAIMS:
        assert shown[claim.key]["text"] == claim.text
        page, query = asked(shown[claim.key]["place"]["href"])
        assert (page, query.get("lab", ""), query.get("claim", "")) == (
            "lessons",
            claim.lab,
            "" if claim.lab else claim.key,
        )
        assert (query["sentence"], query["model"]) == ("Dogs bark.", "small")


def test_a_claim_alone_says_its_verdict_with_its_picture() -> None:
    app = open_app("lessons", claim="residuals")
    claim = next(claim for claim in CLAIMS if claim.key == "residuals")
    stored = by_content(text_encoder("base").source.fingerprint)
    assert stored is not None and (finding := stored.finding(claim.trial, claim.given)) is not None
    texts = " ".join(one.value for one in app.markdown).replace("\\", "")
    assert f"**{finding.verdict.value.capitalize()}.**" in texts and finding.measured[:60] in texts
    assert len(charts(app)) == 1
    press(app, "all_lessons")
    assert listed(app)["claims"]


def test_terms_and_statements_lead_to_places_that_are_there() -> None:
    shown = listed(open_app("lessons"))
    assert [term["title"] for term in shown["terms"]] == [term.title for term in TERMS]
    assert [row["text"] for row in shown["statements"]] == [one.text for one in STATEMENTS]
    for row in [*shown["terms"], *shown["statements"], *shown["claims"]]:
        if row["place"] is None:
            assert row.get("missing") or row in shown["terms"]
            continue
        page, query = asked(row["place"]["href"])
        assert page in library.SHOWN and query.get("lab", "Softmax") in LABS
        assert (
            from_query({k: v for k, v in query.items() if k not in ("lesson", "at")}, offered_models.check, names())[1]
            == []
        )


def drawn(app: AppTest) -> set[str]:
    """The keys of the charts on the page."""
    return {one.proto.id.rpartition("-")[2] for one in charts(app)}


def choices_of(parts: Sequence[Part]) -> Iterator[str]:
    """The choices that a lab offers, in models with a table of positions and without gates."""
    for part in parts:
        if isinstance(part, Ask):
            yield part.option.key
        elif isinstance(part, Beside | When):
            yield from choices_of(part.parts)


def test_each_lab_stands_alone_with_its_choices_and_pictures_and_a_way_back() -> None:
    """And only those of a head ask for one; what the pictures show is proven in test_pictures.py."""
    with_place = set()
    for name, lab in LABS.items():
        before = set(results.kept)
        app = open_app("lessons", lab=name)
        own = sum(results.kept[key].nbytes for key in results.kept.keys() - before if View().sentence in str(key))
        assert 30 * own <= RESULTS_BYTES, f"{name}: a class has no room"
        pictures = {picture.key for picture in pictures_of(lab.parts)} - NOT_AT_ONCE
        assert drawn(app) == pictures and lab.question in words(app).replace("\\", ""), name
        offered = {one.key for kind in (*KINDS, "slider") for one in app.get(kind)}
        assert set(choices_of(lab.parts)) <= offered and "lab" not in offered, name
        with_place |= {name} if any("-place" in one.proto.id for one in app.get("bidi_component")) else set()
    assert with_place == {name for name, lab in LABS.items() if lab.place} != set()
    app = press(open_app("lessons", lab="Padding"), "all_lessons")
    assert cards(app) and "lab" not in link(app)


def test_a_lab_or_a_lesson_that_is_not_there_is_told_and_the_list_shown() -> None:
    for query in ({"lab": "<b>"}, {"lesson": "../../etc/passwd"}, {"lesson": "a" * 41}, {"at": "-1"}):
        app = open_app("lessons", **query)
        assert cards(app) and ("no lab “<b>”" in said(app).replace("\\", "")) == ("lab" in query), query
        assert app.session_state["session"].view.lesson == "" and "lab" not in link(app)


def test_a_step_in_a_lab_shows_the_lab_once_it_was_answered() -> None:
    lesson = library.bundled()["why-residuals"]
    at = next(at for at, step in enumerate(lesson.steps, 1) if step.page == "lessons" and step.question)
    app = open_app("lessons", **lesson.steps[at - 1].view, lesson="why-residuals", at=str(at))
    assert not charts(app) and not words(app).count(LABS["Residuals and depth"].question)
    app.session_state["session"].answered.add(("why-residuals", at))
    turn_to(app, "lessons")
    assert charts(healthy(app.run())) and "all_lessons" in keys(app)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A server's own folder of lessons, which it reads anew."""
    monkeypatch.setenv(library.OWN, str(tmp_path))
    library.own.cache_clear()
    yield tmp_path
    library.own.cache_clear()


def test_lessons_of_ones_own_stand_in_front_or_on_the_shelf_that_they_name(own: Path) -> None:
    step = "[[step]]\npage = 'attention'\ntext = 'Look.'\n"
    (own / "mine.toml").write_text(f"title = 'Mine'\n{step}{step}", encoding="utf-8")
    (own / "other.toml").write_text(f"title = 'Other'\nshelf = 'Training'\n{step}", encoding="utf-8")
    (own / "bad.toml").write_text(f"title = 1\n{step}", encoding="utf-8")
    shown = listed(open_app("lessons"))
    assert [shelf["title"] for shelf in shown["shelves"]] == [OWN, *SHELVES]
    (mine,), training = shown["shelves"][0]["cards"], shown["shelves"][-1]["cards"]
    assert (mine["title"], len(mine["steps"]), mine["minutes"], mine["picture"]) == ("Mine", 2, 0, "")
    assert "Other" in [card["title"] for card in training]
    assert shown["refused"][0].startswith("bad.toml: title is 1; it must be text")


def test_the_terms_beside_a_step_are_those_of_the_glossary() -> None:
    terms = dict(step_about(open_app("attention"), "layers.4.attention.weights")["terms"])
    assert terms.keys() == {term.name for term in beside("attention.weights")}
    assert all(term.meaning in terms[term.name] for term in beside("attention.weights"))


def test_the_file_of_a_lab_s_thumbnail_is_one_for_each() -> None:
    assert len({of_lab(name) for name in LABS}) == len(LABS)
