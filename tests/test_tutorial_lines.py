"""Five kinds of tutorial, line by line: no line without a live counterpart, no number without the number now."""

import json
import re
from dataclasses import dataclass

import numpy as np
import pytest
from drawn import drawn
from page_tools import healthy, page_shown, said, step_numbers
from shared_models import pretrained
from streamlit.testing.v1 import AppTest
from tiers import mostly_nightly
from visits import link, opened, widget

from encoder import PRESETS, TextEncoder
from encoder.packet.format import unpack
from encoder.pictures.view import EXAMPLE
from encoder.teach import trials
from encoder.teach.lessons.claims import SOURCES
from encoder.teach.lessons.lesson import LessonError, LessonStep, read
from encoder.teach.lessons.stored import by_content
from encoder.teach.trials import Verdict
from pages.front import below, make
from pages.front.request_fields import wanted
from pages.ui.lessons import library
from pages.ui.state.site import DRAWN

pytestmark = pytest.mark.slow

TUTORIALS = library.tutorials()
each = pytest.mark.parametrize("name", TUTORIALS)


def test_there_is_a_page_for_each_of_the_five_kinds() -> None:
    assert list(TUTORIALS) == ["guide", "block", "stack", "tutorial", "workflow"]
    assert set(TUTORIALS) <= set(SOURCES)
    for name, one in TUTORIALS.items():
        assert SOURCES[name].split(",")[0] in one.learn, "it says which tutorial it follows"
        assert len(one.steps) > 30 and len({step.part for step in one.steps}) > 5


@each
def test_every_line_has_a_heading_a_page_and_a_number_where_it_states_one(name: str) -> None:
    for step in TUTORIALS[name].steps:
        assert step.part and step.page in library.SHOWN
        if re.search(r"\d", step.text.replace("W_1", "").replace("W_2", "")):
            counted = re.match(r"\d+: ", step.text) and "heads, as many views" in step.text
            assert step.trial or step.not_shown or step.view.get("step") or counted, step.text
    parts = [step.part for step in TUTORIALS[name].steps]
    assert [p for i, p in enumerate(parts) if i == 0 or parts[i - 1] != p] == list(dict.fromkeys(parts))


def test_a_check_may_be_a_claim() -> None:
    lesson = 'title = "x"\n[[step]]\npage = "labs"\ntext = "y"\ncheck = {claim = "%s"}'
    (step,) = read(lesson % "softmax").steps
    assert step.trial == "softmax_is" and step.given["scores"] == [2.0, 1.0, 0.1]
    for wrong, told in (("nothing", "no claim 'nothing'"), ('softmax", width = 3, x = "', "no field")):
        with pytest.raises(LessonError, match=told):
            read(lesson % wrong)


@dataclass(frozen=True)
class Models:
    """The models that the lines of a tutorial name, each made once."""

    made: dict[str, TextEncoder]

    def of(self, step: LessonStep) -> TextEncoder:
        name = step.view.get("model", "base")
        if name not in self.made:
            untrained = name in PRESETS
            self.made[name] = TextEncoder.from_config(PRESETS[name]) if untrained else pretrained(name)
        return self.made[name]


@pytest.fixture
def models(base: TextEncoder) -> Models:
    return Models({"base": base})


PROBING = {name for name, trial in trials.TRIALS.items() if trial.probes or name == "names_told"}
OF_THE_CLOCK = {"time_constant", "recurrent_slower", "trained_faster"}  # another machine, or a busy one, says otherwise
CHEAP = 20  # runs of the model, and half a second besides
DEAR = {
    name for name, trial in trials.TRIALS.items() if (trial.runs or 0) > CHEAP or trial.seconds >= 0.5 or trial.own_cost
}


@pytest.mark.parametrize("dear", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["quick", "dear"])
@each
def test_what_every_line_states_is_measured_now(name: str, dear: bool, models: Models) -> None:
    """With the verdict that is stored; probes are measured in test_probes.py."""
    shipped = by_content(models.made["base"].source.fingerprint)
    assert shipped is not None
    for step in TUTORIALS[name].steps:
        if not step.trial or step.trial in PROBING or (step.trial in DEAR) != dear:
            continue
        found = trials.run(step.trial, models.of(step), step.asks(EXAMPLE))
        assert found.verdict is not Verdict.UNTRIED, (step.text, found.sentence)
        of_base = "model" not in step.view and step.trial not in OF_THE_CLOCK
        then = shipped.finding(step.trial, step.asks(EXAMPLE)) if of_base else None
        assert then is None or found.verdict is then.verdict, (step.text, found.sentence)


# What has numbers of random or typed ones, or of a model to be built, computed when it is opened, and not of the run
OF_NO_RUN = {
    "Another model",
    "Softmax",
    "Residuals and depth",
    "Two LayerNorms",
    "Layer collapse",
    "Trained without a part",
}

PARTS = ("lab", "heads_part", "compare_part", "models_part")


def part(step: LessonStep) -> str:
    """Return what OF_NO_RUN calls the place that a line leads to."""
    return step.view.get("lab", step.view.get("models_part", step.page))


def shown_numbers(app: AppTest) -> set[str]:
    """Every decimal number and share in the words and tables of a page, and what its pictures draw."""
    page = app.main
    texts = [one.value for kind in (page.markdown, page.text, page.caption, page.metric) for one in kind]
    texts += [one.value.to_csv() for one in page.dataframe]
    found = {number for text in texts for number in re.findall(r"\d[\d,]*\.\d+|[\d.,]+ ?%|\d{1,3}(?:,\d{3})+", text)}
    return found | {np.round(values, 4).tobytes().hex() for values, _ in drawn(app)}


def sent_numbers(app: AppTest) -> set[str]:
    """What the picture of a page that the browser draws is made of, as its packet holds it."""
    view, page = app.session_state["session"].view, page_shown(app)
    level = {"embedding": 4, "add_norm": 3, "feed_forward": 3, "stack": 5}.get(page, 1)
    asked = {"level": level, "sentence": view.sentence, "model": view.model, "off": False}
    _, _, arrays = unpack(make.packet(wanted(asked | ({"layer": view.layer} if level == 3 else {}))))
    return {np.round(one.numbers, 4).tobytes().hex() for one in arrays.values()}


def recorded(app: AppTest, models: Models) -> np.ndarray | None:
    """The numbers of the step that a page shows, recorded by a run of its own; None where it shows no step."""
    view = app.session_state["session"].view
    if not view.step or view.model not in models.made:
        return None
    trace = models.made[view.model].trace(view.sentence)
    step = trace.step(view.step if view.step in trace else f"layers.{view.layer}.{view.step}")
    return trace[step.name].numpy()[view.head] if "H" in step.shape else trace[step.name].numpy()


def in_sight(app: AppTest, page: str) -> bool:
    """Whether the picture that the browser draws shows the step of the address, or its numbers are unfolded."""
    local = app.session_state["session"].view.step
    front = next(json.loads(one.proto.json) for one in app.get("bidi_component") if '"numbers"' in one.proto.json)
    unfolded = front["numbers"][0].removeprefix("layers.*.")
    return page == "attention" or local in below.STEPS.get(page, ()) or unfolded == local


@pytest.mark.parametrize("name", mostly_nightly(TUTORIALS, daily=["block"]))
def test_every_line_leads_to_a_page_that_shows_it(name: str, models: Models) -> None:
    for step in {(step.page, *sorted(step.view.items())): step for step in TUTORIALS[name].steps}.values():
        models.of(step)
        app = opened(step.page, dict(step.view))
        assert page_shown(app) == step.page, step.text
        assert said(app) == "", step.text
        for key in step.view.keys() & {"know", "own_scores", "drop_at", "missing_layers"}:
            assert widget(app, key) is not None, step.text
        expected = recorded(app, models) if "step" in step.view else None
        if expected is not None and step.page in DRAWN:
            np.testing.assert_allclose(step_numbers(app).ravel(), expected.ravel(), rtol=1e-6, err_msg=step.text)
            assert in_sight(app, step.page), step.text
        elif expected is not None:
            assert any(
                values.size == expected.size and np.allclose(values, expected.ravel(), rtol=1e-4, atol=fine)
                for values, fine in drawn(app)
            ), step.text
        elif part(step) in OF_NO_RUN:
            assert shown_numbers(app) or any(one.key.endswith("_go") for one in app.button), step.text


@pytest.mark.nightly
def test_what_a_line_leads_to_shows_numbers_of_this_run() -> None:
    """Another model and sentence, and other numbers stand there: what is shown is computed and no text."""
    every = [step for one in TUTORIALS.values() for step in one.steps if "step" not in step.view]
    places = {
        (step.page, *(step.view.get(key, "") for key in PARTS)): step for step in every if part(step) not in OF_NO_RUN
    }
    for step in places.values():
        query = dict(step.view)
        runs = {"model": "base"}, {"model": "eight-blocks", "sentence": "A small dog ran home."}
        one, other = (
            shown_numbers(app) or sent_numbers(app) for app in (opened(step.page, query | run) for run in runs)
        )
        assert one - other and other - one, (step.page, step.text)


def test_a_tutorial_is_a_page_with_the_numbers_now() -> None:
    app = opened("lessons", {"lessons_part": "Tutorials", "tutorial": "stack", "model": "base"})
    steps = TUTORIALS["stack"].steps
    texts = [one.value.replace("\\", "") for one in app.markdown]
    assert all(step.text in texts for step in steps)
    assert {button.key for button in app.button} >= {f"open_line_{at}" for at in range(len(steps))}
    shapes = [one.value for one in app.caption if one.value.startswith("Queries")]
    assert any(r"8 × 5 × 64" in one for one in shapes)
    if asks := [button.key for button in app.button if button.key.startswith("ask_tutorial")]:
        healthy(app.button(key=asks[0]).click().run())
    counted, *badges = [one.value for one in app.markdown if "-badge[" in one.value]
    figures = [int(one) for one in re.findall(r"(?<!\w)\d+", counted)]
    assert figures[0] == len(steps) == sum(figures[1:])
    assert len(badges) == sum(bool(step.trial) for step in steps)
    assert any("comes out as 3 × 512" in one for one in badges)
    at = next(i for i, step in enumerate(steps) if step.view.get("step") == "attention.q")
    healthy(app.button(key=f"open_line_{at}").click().run())
    shown = link(app)
    assert page_shown(app) == "attention"
    assert (shown["model"], shown["step"], shown["sentence"]) == ("eight-blocks", "attention.q", "I understand this")
