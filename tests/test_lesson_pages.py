"""Lessons, claims and glossary in the app: every bundled lesson from start to end, and those of a server's own."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from page_tools import (
    APP,
    charts,
    choose,
    go,
    healthy,
    keys,
    numbers,
    open_app,
    page_shown,
    press,
    said,
    step_about,
    turn_to,
    words,
)
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element
from tiers import mostly_nightly
from visits import KINDS, link

from encoder import PRESETS, TextEncoder
from encoder.model.steps.glossary import PLACES, TERMS, beside
from encoder.pictures import labs
from encoder.pictures.lab import Ask, Beside, Part, When, pictures_of
from encoder.pictures.labs import CLAIMS, LABS
from encoder.pictures.labs.trial import Finding, Verdict
from encoder.pictures.view import EXAMPLE, View
from encoder.support.formatting import brief, percent
from encoder.teach.lessons.stored import by_content
from pages.ui import session_runs
from pages.ui.lessons import library
from pages.ui.server import measurements, offered_models
from pages.ui.server.engine import text_encoder

pytestmark = pytest.mark.slow

WORD_ORDER = "word-order"
LITTLE = replace(PRESETS["paper"], d_model=64, n_heads=2, d_ff=128, n_layers=2)
NOT_AT_ONCE = {"told", "gate_signs", "gate_units"}  # measured when it is asked for; not in this model
DEAR = {"from-2017-to-2025", "gradients-and-attention", "why-residuals"}  # many models, many runs
DAILY = [name for name in library.files() if name not in DEAR][::3]  # the others are nightly


def plain(text: str) -> str:
    return text.replace("\\", "")


def metric(app: AppTest) -> str:
    """The number of the step's check."""
    return app.metric[0].value


def judged(app: AppTest) -> Verdict:
    """The verdict on the screen."""
    (badge,) = [m.value for m in app.markdown if "-badge[" in m.value]
    return next(verdict for verdict in Verdict if badge.endswith(f": {verdict.value}]"))


def start(name: str, at: int = 1) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["lesson"] = name
    if at > 1:
        app.query_params["at"] = str(at)
    turn_to(app, "lessons")
    return healthy(app.run())


@pytest.mark.parametrize("name", mostly_nightly(library.files(), DAILY))
def test_every_bundled_lesson_is_played_from_start_to_end(name: str) -> None:
    lesson = library.bundled()[name]
    app = open_app("lessons", all_lessons="1")
    press(app, f"start_{name}")
    for at, step in enumerate(lesson.steps, 1):
        view = app.session_state["session"].view
        assert (view.lesson, view.at) == (name, at)
        assert plain(step.text) in words(app)
        assert f"Step {at} of {len(lesson.steps)}" in app.get("progress")[0].proto.text
        if step.question:
            assert not app.metric and not app.get("plotly_chart")  # nothing gives the answer away
            press(app, "reveal")
        if step.trial:
            given = dict(step.given)
            if "sentence" in labs.TRIALS[step.trial].needed:
                given.setdefault("sentence", view.sentence)
            found = session_runs.findings(
                view.model, step.trial, session_runs.spelled(given), agreed=True
            )  # measured once
            assert judged(app) is found.verdict is not Verdict.UNTRIED
            if step.trial != "time_constant":
                assert metric(app) == brief(found.value)
                assert plain(found.sentence) in words(app)
        assert app.button(key="open_view").label.endswith(f" {library.SHOWN[step.page].title}")
        if at < len(lesson.steps):
            press(app, "lesson_next")
    assert app.button(key="lesson_next").disabled
    assert "The end." in app.success[-1].value
    press(app, "lesson_previous")
    assert app.session_state["session"].view.at == len(lesson.steps) - 1


def veil(app: AppTest) -> str:
    """What stands where the picture will."""
    return next(str(one.proto.body) for one in app.get("html") if "veil" in one.proto.body)


def test_predict_a_token_then_see_the_real_one_and_the_distance(base: TextEncoder) -> None:
    app = start("who-is-it")
    weights = base.trace(EXAMPLE)["layers.4.attention.weights"][1]
    assert "as soon as you guess" in veil(app)
    app.pills(key="lesson_guess").set_value(6).run()  # the guess brings what comes out
    assert "looks most at “animal” (2)" in words(app) and "4 tokens away" in words(app)
    assert f"it gets {percent(float(weights[8, 6]))}" in words(app)
    torch.testing.assert_close(torch.tensor(numbers(app)), weights)
    press(app, "again")
    app.pills(key="lesson_guess").set_value(2).run()
    assert "Right." in plain(app.success[0].value)


def test_guess_a_number_and_a_verdict_and_count_what_was_right() -> None:
    app = start("why-relu", 2)
    app.pills(key="lesson_guess").set_value("holds").run()
    assert "Right." in plain(app.success[0].value)
    press(app, "lesson_next")
    app.slider(key="lesson_guess").set_value(0.9).run()
    assert "pressed “Show what comes out”" in veil(app)
    press(app, "reveal")
    assert "You guessed 0.9" in words(app) and "0.409 away" in words(app)
    press(app, "lesson_next")
    press(app, "lesson_next")
    assert "You foresaw 1 of 3" in app.success[-1].value


def test_a_slider_that_nobody_moved_is_no_guess_and_the_end_stands_above_the_last_picture() -> None:
    app = start("many-meanings", 2)
    press(app, "reveal")
    assert "Measured: " in words(app) and "You guessed" not in words(app) and "Close" not in words(app)
    app = start("many-meanings", 6)
    drawn = [i for i, block in enumerate(flat(app)) if block.type == "plotly_chart"]
    ended = [i for i, block in enumerate(flat(app)) if block.type == "success" and "The end." in block.value]
    assert "both sentences" in words(app) and ended and drawn and ended[0] < drawn[0]


def flat(app: AppTest) -> list[Element]:
    """All that is on the page, in reading order."""
    return [one for one in app.main if isinstance(one, Element)]


def test_a_step_measures_its_own_sentence_or_ones_own(base: TextEncoder) -> None:
    app = start(WORD_ORDER, 3)
    press(app, "reveal")
    before = metric(app)
    choose(app, sentence="Something else")
    assert metric(app) == before and "You have changed what this step shows." in words(app)
    app = start(WORD_ORDER, 5)
    healthy(app.text_input(key="own_sentence").set_value("Keys on the table").run())
    found = labs.run("same_vectors", base, {"sentence": "Keys on the table", "positions": "off"})
    assert plain(found.sentence) in words(app)
    assert app.session_state["session"].view.sentence == "Keys on the table"
    healthy(app.text_input(key="own_sentence").set_value("no no").run())
    assert "reads the same both ways" in said(app)
    press(app, "reset_view")
    assert app.session_state["session"].view.sentence == "I love deep learning"


def test_a_link_to_a_step_shows_the_steps_own_view_and_keeps_a_changed_one() -> None:
    app = start("many-heads", 2)
    view = app.session_state["session"].view
    assert (view.sentence, view.layer, view.head) == ("Keys on the table belong to Sara.", 2, 3)
    app = open_app("lessons", lesson="many-heads", at="2", layer="5", sentence="Hello you")
    assert (app.session_state["session"].view.layer, app.session_state["session"].view.sentence) == (5, "Hello you")
    assert open_app("lessons", lesson="many-heads", at="99").session_state["session"].view.at == 6


def test_the_page_of_a_view_and_the_way_back() -> None:
    app = start("many-heads", 2)
    press(app, "reveal")
    press(app, "open_view")
    assert page_shown(app) == "attention" and link(app)["step"] == "attention.weights"
    turn_to(app, "attention")  # the harness itself does not follow
    app.query_params["layer"] = "0"  # as the picture says it
    view = go(healthy(app.run()), "lessons", lesson="many-heads", at="2").session_state["session"].view
    assert (view.lesson, view.at, view.layer) == ("many-heads", 2, 2)
    assert "again" in keys(app)  # what was revealed stays so
    press(app, "leave_lesson")
    assert "start_many-heads" in keys(app) and "lesson" not in app.query_params


def drawn(app: AppTest) -> set[str]:
    """The keys of the charts on the page."""
    return {one.proto.id.rpartition("-")[2] for one in charts(app)}


def test_an_experiment_is_opened_from_a_lesson_and_leads_back_to_its_step() -> None:
    app = start("padding", 3)
    press(app, "reveal")
    before = app.session_state["session"].lesson.before
    press(app, "open_view")
    assert link(app)["lab"] == "Padding" and "lesson" not in link(app) and drawn(app) >= {"pads", "leak"}
    healthy(app.pills(key="lab").set_value("Softmax").run())
    press(app, "back_to_lesson")
    view = app.session_state["session"].view
    assert (view.lesson, view.at, dict(view.choices)["lab"]) == ("padding", 3, "Padding") and "again" in keys(app)
    assert app.session_state["session"].lesson.before == before
    press(app, "leave_lesson")
    assert "start_padding" in keys(app) and "back_to_lesson" not in keys(app)


def asked_for(parts: Sequence[Part]) -> Iterator[str]:
    """The choices that a lab offers, in models with a table of positions and without gates."""
    for part in parts:
        if isinstance(part, Ask):
            yield part.option.key
        elif isinstance(part, Beside | When):
            yield from asked_for(part.parts)


def test_experiments_stand_in_groups_each_with_its_choices_and_pictures() -> None:
    """And only those of a head ask for one; what the pictures show is proven in test_pictures.py."""
    app = open_app("lessons", lessons_part="Labs")
    seen, with_place = [], set()
    for group in app.pills(key="lab_group").options:
        healthy(app.pills(key="lab_group").set_value(group).run())
        here = list(LABS)[len(seen) : len(seen) + len(app.pills(key="lab").options)]
        assert app.pills(key="lab").value == here[0]  # the first of a group is drawn at once
        assert (link(app).get("lab", "Word order") == here[0] and drawn(app)) or here[0] == "Dropout"
        for name in here:
            healthy(app.pills(key="lab").set_value(name).run())
            parts = LABS[name].parts
            expected = {picture.key for picture in pictures_of(parts)} - NOT_AT_ONCE
            assert drawn(app) == expected, name
            findings = [one.value for one in app.markdown if one.value.startswith("**") and re.search(r"\d", one.value)]
            assert len(findings) >= len(expected), name
            assert set(asked_for(parts)) <= {one.key for kind in (*KINDS, "slider") for one in app.get(kind)}, name
            with_place |= {name} if any("-place" in one.proto.id for one in app.get("bidi_component")) else set()
        seen += here
    assert seen == list(LABS)
    assert with_place == {"Padding", "Post-norm and pre-norm", "Why rotary", "Gate signs"}
    healthy(app.pills(key="lab_group").set_value("Order and position").run())
    assert app.pills(key="lab").value == "Word order" and "order" in drawn(app)  # also where it is the usual one
    assert not any("-place" in one.proto.id for one in open_app("lessons", lab="Padding").get("bidi_component"))


def test_a_lesson_that_is_not_there_is_told_and_the_list_shown() -> None:
    app = open_app("lessons", lesson="nope")
    assert app.error and "start_word-order" in keys(app) and app.session_state["session"].view.lesson == ""
    for query in ({"lesson": "../../etc/passwd"}, {"lesson": "a" * 41}, {"at": "-1"}):
        assert open_app("lessons", **query).session_state["session"].view == View(), query


HOSTILE = "<b>bold</b> $x^2$ **a** [b](javascript:alert(1)) `c` :red[d] # e"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A server's own folder of lessons, which it reads anew."""
    monkeypatch.setenv(library.OWN, str(tmp_path))
    library.own.cache_clear()
    yield tmp_path
    library.own.cache_clear()


def test_a_lesson_of_ones_own_is_played_and_its_text_stays_text(own: Path) -> None:
    asked = f'question = {{kind = "token", ask = \'{HOSTILE}\', word = "x"}}'
    steps = f"[[step]]\npage = 'attention'\ntext = '{HOSTILE}'\nview = {{sentence = '{HOSTILE}'}}\n{asked}\n"
    steps += "[[step]]\npage = 'lessons'\ntext = 'Two.'\n"
    (own / "mine.toml").write_text(f"title = '{HOSTILE[:80]}'\n{steps}", encoding="utf-8")
    app = open_app("lessons")
    assert "2 steps" in [one.value for one in app.caption]  # neither a level nor minutes are said
    press(app, "start_mine")
    assert HOSTILE in words(app)
    assert not any(HOSTILE in m.value for m in app.markdown)  # it is escaped
    press(app, "reveal")
    press(app, "lesson_next")
    assert app.session_state["session"].view.at == 2


def test_what_is_wrong_with_a_lesson_of_ones_own_stands_above_the_others(own: Path) -> None:
    (own / "bad.toml").write_text("title = 1\n[[step]]\npage = 'attention'\ntext = 'x'\n", encoding="utf-8")
    app = open_app("lessons")
    (said,) = [plain(one.value) for one in app.warning]
    assert "bad.toml: title is '1'; it must be text" in said
    assert library.OWN in said and "start_what-is-attention" in keys(app) and "start_bad" not in keys(app)


def is_stored(row: Element) -> bool:
    return "stored]" in row.label


def test_claims_open_with_their_stored_verdicts_and_one_is_measured_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    measured = measurements.findings_kept.make

    def watched(model: str, trial: str, given: str) -> Finding:
        tried.append(trial)
        return measured(model, trial, given)

    monkeypatch.setattr(measurements.findings_kept, "make", watched)
    measurements.findings_kept.clear()
    app = open_app("lessons", lessons_part="Claims", model="small")
    shipped = by_content(text_encoder("small").source.fingerprint)
    assert not tried and shipped is not None and shipped.fingerprint in words(app)
    for claim, row in zip(CLAIMS, app.expander, strict=True):
        found = shipped.finding(claim.trial, claim.given)
        assert found is not None and is_stored(row) and f": {found.verdict.value}]" in row.label
        assert plain(found.sentence) in plain(" ".join(one.value for one in row.markdown))
    press(app, "measure_softmax")
    assert tried == ["softmax_is"] and "measure_softmax" not in keys(app)
    rows = dict(zip((claim.key for claim in CLAIMS), app.expander, strict=True))
    assert [key for key, row in rows.items() if not is_stored(row)] == ["softmax"]


def measured_claims(app: AppTest) -> dict[str, str]:
    """The claims of a model of which nothing is stored, and the label of each once they are measured, as is asked."""
    assert not app.expander and list(app.dataframe[0].value["claim"]) == [claim.text for claim in CLAIMS]
    (button,) = [button for button in app.button if str(button.key).startswith("ask_claims")]
    assert "about" in button.label
    rows = healthy(button.click().run()).expander
    assert not any(map(is_stored, rows))
    return {claim.key: row.label for claim, row in zip(CLAIMS, rows, strict=True)}


def test_every_claim_has_its_number_and_the_verdict_that_follows_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a trial finds is proven elsewhere: here it is what was found of another model."""
    shipped = by_content(text_encoder("small").source.fingerprint)
    assert shipped is not None
    found = {claim.key: shipped.finding(claim.trial, claim.given) for claim in CLAIMS}
    asked = {(claim.trial, session_runs.spelled(claim.given)): found[claim.key] for claim in CLAIMS}
    monkeypatch.setattr(measurements.findings_kept, "make", lambda model, trial, given: asked[trial, given])
    app = open_app("lessons", lessons_part="Claims", model=offered_models.built(LITTLE, 1))
    for claim, label in zip(CLAIMS, measured_claims(app).values(), strict=True):
        assert f": {found[claim.key].verdict.value}]" in label and plain(label).endswith(claim.text), claim.key
    for result, row in zip(found.values(), app.expander, strict=True):
        assert plain(result.sentence) in plain(" ".join(block.value for block in row.markdown))
    app.pills(key="claim_verdicts").set_value([Verdict.FAILS]).run()
    shown = [row.label for row in healthy(app).expander]
    assert shown and all(f": {Verdict.FAILS.value}]" in label for label in shown)
    measurements.findings_kept.clear()


@pytest.mark.nightly
def test_the_claims_of_a_model_that_guesses_no_words_are_not_tried_in_vain() -> None:
    labels = measured_claims(
        open_app("lessons", lessons_part="Claims", model=offered_models.built(LITTLE, 0), layer="0", head="0")
    )
    assert any(Verdict.UNTRIED.value in label for label in labels.values())


def test_a_claim_leads_to_where_it_is_tried_and_ones_own_sentence_is_there_afterwards() -> None:
    own = "My dog chased the cat because it was hungry."
    app = press(
        open_app("lessons", lessons_part="Claims", sentence=own, model="small", layer="0", head="0"), "try_bert-ids"
    )
    assert not app.title and link(app)["sentence"] == own
    app = press(
        open_app("lessons", lessons_part="Claims", sentence=own, model="small", layer="0", head="0"), "try_softmax"
    )
    assert link(app)["lesson"] == "softmax-by-hand" and go(app, "lessons").session_state["session"].view.sentence != own
    assert press(app, "leave_lesson").session_state["session"].view.sentence == own


def test_the_terms_beside_a_step_are_those_of_the_glossary() -> None:
    told = dict(step_about(open_app("attention"), "layers.4.attention.weights")["terms"])
    assert told.keys() == {term.name for term in beside("attention.weights")}
    assert all(term.meaning in told[term.name] for term in beside("attention.weights"))


def test_three_lessons_are_in_sight_those_that_were_begun_first() -> None:
    app = open_app("lessons")
    shown = [name for name in library.bundled() if f"start_{name}" in keys(app)]
    assert shown == list(library.bundled())[:3]
    app = press(press(open_app("lessons", lesson="padding", at="2"), "lesson_next"), "leave_lesson")
    assert app.button(key="start_padding").label == "Go on"


ELSEWHERE = {
    "pooling",
    "rotary",
    "position_bias",
    "disentangled",
    "window",
    "gate",
    "label",
}  # parts that this model does not have


def test_every_term_leads_to_where_it_is_shown_and_is_found_by_any_of_its_names() -> None:
    app = open_app("lessons", lessons_part="Glossary")
    assert "lesson_next" not in keys(app) and [block.value for block in app.main.header] == list(PLACES)
    for term, title in zip(TERMS, app.main.subheader, strict=True):
        assert plain(title.value).startswith(term.title)
    assert "Width of the model &ensp; $d_{model} = 512$" in [block.value for block in app.main.subheader]
    assert "here **q** · paper **Q** · Hugging Face **query_layer** · TransformerLens **q**" in words(app)
    lead = {key.removeprefix("show_") for key in keys(app) if key.startswith("show_")}
    assert lead == {term.name for term in TERMS} - ELSEWHERE
    healthy(app.text_input(key="find").set_value("HIDDEN_size").run())
    assert [block.value.split(" &ensp;")[0] for block in app.main.subheader] == ["Width of the model"]
    healthy(app.text_input(key="find").set_value("").run())
    press(app, "show_k")
    assert page_shown(app) == "attention" and link(app)["step"] == "attention.k"
    app = press(open_app("lessons", lessons_part="Glossary"), "show_dropout")
    assert link(app)["lab"] == "Dropout" and drawn(app) == {"dropped"}
