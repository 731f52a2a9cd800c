"""Every statement of the five tutorials stands in the search of Lessons, and its place opens with the numbers there."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from more_tools import section
from page_tools import page_shown, said, shown_view, step_numbers, words
from shared_models import pretrained
from visits import opened

from encoder import PRESETS
from encoder.model.steps.catalogue import by_name
from encoder.pictures.labs import CLAIMS, LABS, SOURCES
from encoder.pictures.labs.wiring_claims import strip
from encoder.pictures.link import from_query
from encoder.pictures.view import View
from encoder.teach.lessons.statements import STATEMENTS
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
@pytest.mark.parametrize("name", list(OF_VIEWS)[::12])
def test_every_page_and_lab_opens_with_what_the_statement_is_about(name: str) -> None:
    one = OF_VIEWS[name]
    place = {"lab": one.lab} if one.lab else {}
    app = opened(one.page or "lessons", place | dict(one.view))
    assert page_shown(app) == (one.page or "lessons") and said(app) == ""
    assert not one.lab or LABS[one.lab].question in words(app).replace("\\", "")
    if one.page in DRAWN and "step" in one.view:
        shown = recorded(shown_view(app))
        np.testing.assert_allclose(step_numbers(app).ravel(), shown.ravel(), rtol=1e-6)


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
    for hidden in ((), (1, 2)):
        trace = encoder.trace("I love transformers", hidden=hidden)
        seen = torch.tensor([i not in hidden for i in range(len(trace.ids))])
        output = whole(torch.tensor([trace.ids]), seen)[0]
        torch.testing.assert_close(output, trace["output"], rtol=1e-5, atol=2e-5)
    torch.testing.assert_close(whole(torch.tensor([trace.ids])), whole(torch.tensor([trace.ids]), torch.ones(1)))
