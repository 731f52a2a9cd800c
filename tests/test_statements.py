"""Every statement of the five tutorials has one line, which judges it, shows it, or says why it cannot be shown."""

from collections import Counter
from typing import Any

import pytest
import torch
from page_tools import healthy, said
from shared_models import pretrained
from tiers import mostly_nightly
from visits import opened

from encoder.pictures.view import EXAMPLE
from encoder.teach.lessons.stored import by_content
from encoder.teach.trials.wiring import strip
from pages.ui.lessons import library
from pages.ui.server.engine import text_encoder

TUTORIALS = library.tutorials()
each = pytest.mark.parametrize("name", TUTORIALS)
# Counted in the tutorials themselves.
COUNTS = {"guide": 63, "block": 47, "stack": 43, "tutorial": 58, "workflow": 52}


@each
def test_every_statement_has_one_line(name: str) -> None:
    stated = Counter(text for step in TUTORIALS[name].steps for text in step.statements)
    assert stated.total() == COUNTS[name] and set(stated.values()) == {1}
    assert TUTORIALS[name].steps[0].statements  # a line without any goes on with the one before it


@each
def test_a_verdict_of_the_bundled_models_is_there_at_once(name: str) -> None:
    for model in ("base", "small"):
        shipped = by_content(pretrained(model).source.fingerprint)
        assert shipped is not None
        for step in TUTORIALS[name].steps:
            if step.trial and step.view.get("model", model) == model:
                assert shipped.finding(step.trial, step.asks(EXAMPLE)) is not None, (model, step.text)


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_nightly(TUTORIALS, daily=["guide"]))
def test_why_a_line_is_not_shown_stands_on_the_page(name: str) -> None:
    app = opened("lessons", {"lessons_part": "Tutorials", "tutorial": name})
    assert said(app) == ""
    captions = [one.value.replace("\\", "") for one in app.caption]
    for step in TUTORIALS[name].steps:
        assert not step.not_shown or f"Not shown here, {step.not_shown.rstrip('.')}." in captions


@pytest.mark.slow
def test_the_program_on_the_page_runs_by_itself_and_computes_what_the_model_does() -> None:
    app = opened("stack", {"model": "guide", "sentence": "I love transformers", "step": "output", "more": "1"})
    app.session_state["code"] = True
    source = next(one.value for one in healthy(app.run()).code if "class WholeEncoder" in one.value)
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
