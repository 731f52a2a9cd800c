"""Five kinds of tutorial, line by line: no line without a live counterpart, no number without the number now."""

import re
from dataclasses import dataclass

import pytest
from page_tools import healthy, said
from visits import opened, widget

from encoder import PRESETS, TextEncoder, trials
from encoder.lessons.claims import SOURCES
from encoder.lessons.lesson import LessonError, LessonStep, read
from encoder.lessons.text import write
from encoder.trials import Verdict
from encoder.trials.cost import PROBES
from pages.ui.lessons import library
from pages.ui.state.site import PAGES
from pages.ui.state.view import EXAMPLE

TUTORIALS = library.tutorials()
each = pytest.mark.parametrize("name", TUTORIALS)
TITLES = {page.key: page.title for page in PAGES}


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
            assert step.trial or step.view.get("step") or counted, step.text
    parts = [step.part for step in TUTORIALS[name].steps]
    assert [p for i, p in enumerate(parts) if i == 0 or parts[i - 1] != p] == list(dict.fromkeys(parts))
    assert read(write(TUTORIALS[name])) == TUTORIALS[name]


def test_a_check_may_be_a_claim() -> None:
    lesson = 'title = "x"\n[[step]]\npage = "labs"\ntext = "y"\ncheck = {claim = "%s"}'
    (step,) = read(lesson % "softmax").steps
    assert step.trial == "softmax_is" and step.given["scores"] == [2.0, 1.0, 0.1]
    for wrong, told in (("nothing", "no claim 'nothing'"), ('softmax", width = 3, x = "', "no field")):
        with pytest.raises(LessonError, match=told):
            read(lesson % wrong)


@dataclass(frozen=True)
class Models:
    """The models that lines name, each made once."""

    made: dict[str, TextEncoder]

    def of(self, step: LessonStep) -> TextEncoder:
        name = step.view.get("model", "base")
        if name not in self.made:
            untrained = name in PRESETS
            self.made[name] = TextEncoder.from_config(PRESETS[name]) if untrained else TextEncoder.from_pretrained(name)
        return self.made[name]


@pytest.fixture(scope="module")
def models(base: TextEncoder) -> Models:
    return Models({"base": base})


@pytest.mark.slow
@each
def test_what_every_line_states_is_measured_now(name: str, models: Models) -> None:
    """Probes are measured in test_probes.py."""
    for step in TUTORIALS[name].steps:
        if not step.trial or step.trial in PROBES:
            continue
        given = dict(step.given)
        if "sentence" in trials.takes(step.trial):
            given.setdefault("sentence", step.view.get("sentence", EXAMPLE))
        found = trials.run(step.trial, models.of(step), given)
        assert (found.verdict is Verdict.UNTRIED) == (step.trial == "ids_say"), (step.text, found.sentence)


@pytest.mark.slow
@each
def test_every_line_leads_to_a_page_that_shows_it(name: str) -> None:
    for query in {(step.page, *sorted(step.view.items())): step for step in TUTORIALS[name].steps}.values():
        app = opened(query.page, dict(query.view))
        assert app.title[0].value == TITLES[query.page], query.text
        assert said(app) == "", query.text
        for key in query.view.keys() & {"know", "own_scores", "drop_at"}:
            assert widget(app, key) is not None, query.text


@pytest.mark.slow
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
    badges = [one.value for one in app.markdown if "-badge[" in one.value]
    assert len(badges) == sum(bool(step.trial) for step in steps)
    assert any("comes out as 3 × 512" in one for one in badges)
    at = next(i for i, step in enumerate(steps) if step.view.get("step") == "attention.q")
    healthy(app.button(key=f"open_line_{at}").click().run())
    view = app.session_state["session"].view
    assert app.title[0].value == "Attention" and (view.model, view.step) == ("eight-blocks", "attention.q")
    assert view.sentence == "I understand this"
