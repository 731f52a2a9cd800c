"""What stands around every page: the sentence on top, where we are, and what leads on."""

import json

import pytest
from page_tools import at, go, healthy, open_app
from streamlit.testing.v1 import AppTest

from encoder.pictures.view import EXAMPLE, EXAMPLES
from pages.ui.state.site import PAGES, STEPS

pytestmark = pytest.mark.slow

OWN = "My dog chased the cat because it was hungry."


def sentence(app: AppTest) -> str:
    """The sentence on top of the page."""
    (field,) = [one for one in app.main.text_input if one.key == "sentence"]
    return str(field.value)


def press(app: AppTest, key: str) -> AppTest:
    return healthy(app.button(key=key).click().run())


def test_what_is_typed_runs_and_an_example_is_one_tap_away() -> None:
    app = open_app("embedding")
    healthy(app.text_input(key="sentence").set_value(OWN).run())
    assert "".join(app.query_params["sentence"]) == OWN
    healthy(app.pills(key="example").set_value(EXAMPLES[2]).run())
    assert sentence(app) == EXAMPLES[2] and app.pills(key="example").value is None
    healthy(app.pills(key="example").set_value(OWN).run())  # the own one is there again
    assert sentence(app) == OWN


def test_a_second_sentence_comes_and_goes_on_demand() -> None:
    app = open_app("embedding", sentence="The cat sleeps.")
    keys = [one.key for one in app.text_input]
    assert "second" not in keys
    press(app, "pair")
    healthy(app.text_input(key="second").set_value("It purred.").run())
    assert "".join(app.query_params["second"]) == "It purred."
    press(app, "pair")
    assert "second" not in app.query_params and "second" not in [one.key for one in app.text_input]


def test_no_line_break_gets_into_a_link() -> None:
    app = open_app("embedding", sentence="One.\nTwo.")
    assert sentence(app) == "One. Two." and "\n" not in "".join(app.query_params["sentence"])
    healthy(app.text_input(key="sentence").set_value("Three.\nFour.").run())
    assert sentence(app) == "Three. Four." and "\n" not in "".join(app.query_params["sentence"])


def test_ones_own_sentence_survives_a_lesson() -> None:
    app = open_app("embedding", sentence=OWN, layer="2")
    go(app, "lessons")
    press(app, "start_word-order")
    assert sentence(app) != OWN
    press(app, "leave_lesson")
    assert (sentence(app), at(app)[0]) == (OWN, 2)


def test_a_sentence_typed_in_a_lesson_is_the_persons_own_afterwards() -> None:
    app = open_app("lessons")
    press(app, "start_word-order")
    healthy(app.text_input(key="sentence").set_value(OWN).run())
    press(app, "leave_lesson")
    assert sentence(app) == OWN


def test_a_linked_lesson_leaves_what_is_on_the_screen() -> None:
    app = open_app("lessons", lesson="many-heads", at="2")
    shown = sentence(app)
    press(app, "leave_lesson")
    assert sentence(app) == shown != EXAMPLE


def test_previous_and_next_say_what_they_lead_to_and_stand_below_too() -> None:
    app = open_app("feed_forward", step="feed_forward.activation")
    for key in ("previous", "previous_below"):
        assert app.button(key=key).label == "Previous: Hidden units before activation"
    for key in ("next", "next_below"):
        assert app.button(key=key).label == "Next: Output of feed-forward"
    press(app, "previous_below")
    assert app.button(key="next").label == "Next: Activation"
    healthy(app.pills(key="step_feed_forward").set_value("feed_forward.output").run())
    assert app.button(key="next").label == "Next: Add & norm"


def test_a_tool_is_no_step_and_leads_to_its_neighbours() -> None:
    app = open_app("compare")
    assert (app.button(key="previous").label, app.button(key="next").label) == (
        "Previous: What if",
        "Next: Labs",
    )
    assert "Change and compare" in [one.value for one in app.caption]
    press(app, "next")
    assert app.title[0].value == "Labs"
    assert not [one for one in app.caption if one.value.startswith("Step ")]


def test_the_walk_says_where_it_is() -> None:
    app = open_app("add_norm", layer="3")
    assert "Step 18 of 41 · layer 3" in [one.value for one in app.caption]
    steps = [page for page in PAGES if page.section == STEPS]
    assert len(steps) < 10


def test_layer_and_head_stand_on_top_too_for_where_the_sidebar_is_put_away() -> None:
    app = open_app("add_norm", layer="2", head="3")
    lists = next(json.loads(one.proto.json) for one in app.get("bidi_component") if "-quick" in one.proto.id)
    assert lists == {"counts": [6, 8], "at": [2, 3]}
