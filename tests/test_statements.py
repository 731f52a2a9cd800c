"""Every statement of the five tutorials stands in the search of Lessons, and its place opens with the numbers there."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from more_tools import section
from page_tools import keys, open_app, page_shown, press, said, shown_view, step_numbers, words
from shared_models import pretrained
from tiers import mostly_nightly
from visits import link, opened

from encoder import PRESETS
from encoder.model.steps.catalogue import by_name
from encoder.pictures.labs import CLAIMS, LABS, SOURCES
from encoder.pictures.labs.wiring_claims import strip
from encoder.pictures.link import from_query
from encoder.pictures.view import View
from encoder.teach.lessons.statements import STATEMENTS
from pages.lessons import search_section
from pages.ui.lessons import library
from pages.ui.server import offered_models
from pages.ui.server.engine import text_encoder
from pages.ui.state.choice_names import names
from pages.ui.state.site import DRAWN

# Counted in the tutorials themselves.
COUNTS = {"guide": 63, "block": 47, "stack": 43, "tutorial": 58, "workflow": 52}
PLACES = list(
    {(one.page, one.lab, one.claim, *one.view.items()): one for one in STATEMENTS if not one.missing}.values()
)
OF_CLAIMS = [one for one in PLACES if one.claim]
OF_VIEWS = {f"{STATEMENTS.index(one)} {one.text}": one for one in PLACES if not one.claim}


def test_every_statement_of_the_tutorials_is_there_once() -> None:
    assert Counter(one.tutorial for one in STATEMENTS) == COUNTS and set(COUNTS) <= set(SOURCES)
    assert len({(one.tutorial, one.part, one.text) for one in STATEMENTS}) == len(STATEMENTS)


def test_every_place_is_there_and_only_what_no_model_here_has_is_nowhere() -> None:
    for one in STATEMENTS:
        assert sum(map(bool, (one.page, one.claim, one.lab, one.lesson, one.missing))) == 1, one
        assert not one.claim or one.claim in {claim.key for claim in CLAIMS}, one
        assert not one.lab or one.lab in LABS, one
        assert not one.lesson or one.lesson in library.bundled(), one
        assert not one.page or one.page in library.SHOWN, one
        view, notes = from_query(one.view, offered_models.check, names())
        assert notes == [] and (one.page or one.lab or not one.view), (one, notes)
        if view.step:
            config = PRESETS[view.model] if view.model in PRESETS else pretrained("base").config
            steps = by_name(config)
            assert view.step in steps or f"layers.{view.layer}.{view.step}" in steps, one
    assert Counter(one.tutorial for one in STATEMENTS if one.missing) == {
        "guide": 2,
        "block": 1,
        "tutorial": 3,
        "workflow": 2,
    }


def recorded(view: View) -> np.ndarray:
    """The numbers of the step that a view names, of a run of its own."""
    trace = text_encoder(view.model).trace(view.sentence)
    step = trace.step(view.step if view.step in trace else f"layers.{view.layer}.{view.step}")
    return trace[step.name].numpy()[view.head] if "H" in step.shape else trace[step.name].numpy()


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_nightly(OF_VIEWS, daily=list(OF_VIEWS)[::7]))
def test_every_page_and_lab_opens_with_what_the_statement_is_about(name: str) -> None:
    one = OF_VIEWS[name]
    place = {"lab": one.lab} if one.lab else {}
    app = opened(one.page or "lessons", place | dict(one.view))
    assert page_shown(app) == (one.page or "lessons") and said(app) == ""
    assert not one.lab or app.pills(key="lab").value == one.lab
    if one.page in DRAWN and "step" in one.view:
        shown = recorded(shown_view(app))
        np.testing.assert_allclose(step_numbers(app).ravel(), shown.ravel(), rtol=1e-6)


@pytest.mark.slow
def test_a_search_finds_every_kind_and_each_opens_its_place() -> None:
    app = open_app("lessons", find="positional")
    statements = [one for one in STATEMENTS if "positional" in f"{one.text} {one.part}".casefold()]
    assert {one.tutorial for one in statements} == {"guide", "stack", "tutorial", "workflow"}
    shown = {key for key in keys(app) if key.startswith("open_statement_")}
    assert shown == {f"open_statement_{STATEMENTS.index(one)}" for one in statements}
    assert "found_claim_range" in keys(app)
    sines = next(one for one in statements if one.text.startswith("Sines stand"))
    press(app, f"open_statement_{STATEMENTS.index(sines)}")
    assert page_shown(app) == "embedding" and link(app)["step"] == "embedding.positions"
    app = press(open_app("lessons", find="fingerprint"), f"open_statement_{at('Every position has a fingerprint')}")
    assert (link(app)["lab"], link(app)["model"]) == ("Positions", "guide") and "find" not in link(app)


def at(beginning: str) -> int:
    """The number of a statement."""
    return next(number for number, one in enumerate(STATEMENTS) if one.text.startswith(beginning))


@pytest.mark.slow
def test_what_is_found_of_lessons_labs_and_terms_opens_too() -> None:
    app = open_app("lessons", find="padding")
    assert {"start_padding", "found_lab_Padding"} <= set(keys(app))
    app = press(app, "found_lab_Padding")
    assert link(app)["lab"] == "Padding" and app.pills(key="lab").value == "Padding"
    app = press(open_app("lessons", find="hidden_size"), "show_d_model")
    assert page_shown(app) != "lessons"
    many = sum("layer" in f"{one.text} {one.part}".casefold() for one in STATEMENTS) - search_section.MOST
    assert many > 0 and f"{many} more: add a word" in words(open_app("lessons", find="layer"))
    assert "Nothing here has “no such thing”" in open_app("lessons", find="no such thing").info[0].value


@pytest.mark.slow
def test_every_claim_that_a_statement_leads_to_opens_unfolded_before_the_others() -> None:
    for one in OF_CLAIMS:
        app = open_app("lessons", find=one.text[:60])
        press(app, f"open_statement_{STATEMENTS.index(one)}")
        claim = next(claim for claim in CLAIMS if claim.key == one.claim)
        first = app.expander[0]
        assert first.label.replace("\\", "").endswith(claim.text) and first.proto.expanded, one


@pytest.mark.slow
def test_a_statement_without_a_place_says_why() -> None:
    app = open_app("lessons", find="decoder")
    assert "Not shown here, because no decoder is here" in words(app)
    assert not [key for key in keys(app) if key.startswith("open_statement")]


@pytest.mark.slow
def test_the_program_on_the_page_runs_by_itself_and_computes_what_the_model_does() -> None:
    shown = section("output", "checks", model="guide", sentence="I love transformers")
    source = next(each["words"] for each in shown if "class WholeEncoder" in each.get("words", ""))
    assert "encoder" not in [
        line.split()[1].partition(".")[0] for line in source.splitlines() if line.startswith("from")
    ]
    program: dict[str, Any] = {"__name__": "program"}
    exec(source, program)
    encoder = text_encoder("guide")
    whole = program["WholeEncoder"](30_000).eval()
    parts = ("embedding.", "attention.", "feed_forward.")
    whole.load_state_dict({strip(name, parts): weight for name, weight in encoder.model.named_parameters()})
    trace = encoder.trace("I love transformers")
    torch.testing.assert_close(whole(torch.tensor([trace.ids]))[0], trace["output"], rtol=1e-5, atol=2e-5)
