"""The page The story: twelve stops by Next, guesses, the way deeper and back, and what a link restores."""

import pytest
from page_tools import at, choose, go, healthy, open_app, page_shown, said, turn_to
from shared_models import pretrained
from streamlit.testing.v1 import AppTest
from visits import link, opened

from encoder import Edit
from encoder.edits.edit_text import edits_to_text
from encoder.pictures.view import EXAMPLE
from encoder.teach.story import StoryStop, story

pytestmark = pytest.mark.slow


def press(app: AppTest, key: str) -> AppTest:
    return healthy(app.button(key=key).click().run())


def texts(app: AppTest) -> str:
    return " ".join(one.value for one in [*app.markdown, *app.caption, *app.title]).replace("\\", "")


def stop_on(app: AppTest) -> int:
    return int(app.pills(key="story_stop").value)


def stops_of(model: str, text: str | tuple[str, str]) -> tuple[StoryStop, ...]:
    encoder = pretrained(model)
    return story(encoder, encoder.trace(text))


def test_it_begins_at_its_first_stop_and_next_leads_to_the_guess() -> None:
    app = opened("story", {"stop": "1"})
    for number, stop in enumerate(stops_of("base", EXAMPLE), 1):
        assert link(app)["stop"] == str(number) and stop_on(app) == number
        assert stop.question in texts(app) and stop.sentence not in texts(app)
        assert [app.button(key=f"option_{i}").label.replace("\\", "") for i in range(len(stop.options))] == [
            *stop.options
        ]
        press(app, "reveal")
        assert stop.sentence in texts(app)
        assert stop.layer is None or at(app)[0] == stop.layer
        if number < 12:
            press(app, "next")
    assert app.button(key="next").disabled
    assert app.success[0].value.startswith("The end. Type"), "what was only shown is no guess"


def test_a_guess_is_right_or_not_and_is_marked_until_the_sentence_changes() -> None:
    app, stops = opened("story", {"stop": "3"}), stops_of("base", EXAMPLE)
    wrong = (stops[2].answer + 1) % len(stops[2].options)
    press(app, f"option_{wrong}")
    assert f"Not quite. {stops[2].sentence}" in texts(app)
    press(app, "again")
    press(app, f"option_{stops[2].answer}")
    assert f"Right. {stops[2].sentence}" in texts(app)
    assert [one[0] for one in app.pills(key="story_stop").options] == ["1", "2", "✓"]
    choose(app, sentence="The cat chased the mouse.")
    assert app.button(key="reveal") and link(app)["stop"] == "3"
    assert stops_of("base", "The cat chased the mouse.")[2].question in texts(app)


def test_deeper_is_the_page_of_that_step_and_the_bar_leads_back_to_the_same_stop() -> None:
    app, stops = opened("story", {"stop": "8"}), stops_of("base", EXAMPLE)
    press(app, "reveal")
    press(app, "deeper")
    assert page_shown(app) == "feed_forward" and "".join(app.query_params["layer"]) == str(stops[7].layer)
    assert link(app)["step"] == "feed_forward.output"
    turn_to(app, "feed_forward")  # the harness itself does not follow
    app.query_params["layer"] = "0"  # as the picture says it
    go(healthy(app.run()), "story", stop="8", sentence=EXAMPLE)
    assert page_shown(app) == "story" and stop_on(app) == 8
    assert at(app)[0] == stops[7].layer and stops[7].sentence in texts(app)


def test_deeper_opens_the_part_of_a_page_that_a_stop_is_about() -> None:
    number = next(i for i, stop in enumerate(stops_of("base", EXAMPLE), 1) if stop.name == "What flows")
    for query, page, part in (
        ({"stop": "12", "model": "paper"}, "compare", ("more", "cosine")),
        ({"stop": str(number)}, "heads", ("more", "flow")),
    ):
        app = opened("story", query)
        press(app, "reveal")
        press(app, "deeper")
        assert page_shown(app) == page and link(app)[part[0]] == part[1]


def test_the_other_pages_know_nothing_of_a_story_that_was_not_begun() -> None:
    app = go(open_app(), "models")
    assert not [one for one in app.button if one.key == "back_to_story"]
    assert not [one for one in app.button if one.label.startswith(("Previous", "Next"))]


STRANGE = {"sentence": "<b>x</b> $x$ **a**", "hidden": "2", "edits": "layers.2.attention.heads:zero:h=3"}
RUNS = [
    STRANGE | {"second": "He was tired.", "model": "small", "layer": "0", "head": "0"},
    {"model": "paper", "layer": "0", "head": "0", "sentence": "I understand this"},
    {"sentence": "!!!"},
    {"model": "small", "layer": "0", "head": "0", "sentence": "Hello"},
    {"model": "small", "layer": "0", "head": "0", "sentence": "word " * 600},
]


@pytest.mark.parametrize("query", [RUNS[0], *(pytest.param(one, marks=pytest.mark.nightly) for one in RUNS[1:])])
def test_every_stop_of_any_run_is_drawn(query: dict[str, str]) -> None:
    app = opened("story", query)
    for number in range(1, 13):
        assert stop_on(app) == number
        press(app, "reveal")
        assert "not offered" not in said(app)
        if number < 12:
            press(app, "next")
    assert app.success


def test_a_stop_that_is_not_there_is_refused_and_a_run_without_numbers_has_no_story() -> None:
    edits = edits_to_text((Edit("embedding.output", "scale", value=1e30),) * 2)
    app = opened("story", {"stop": "99"})
    assert stop_on(app) == 1 and "not offered here" in said(app)
    app = opened("story", {"edits": edits})
    assert "it has no story" in texts(app) and "not finite numbers" in said(app)
