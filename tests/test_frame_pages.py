"""What stands around every page: the sentence on top, where we are, and what leads on."""

import json

import pytest
from page_tools import LAB, at, bar, choose, go, happen, healthy, open_app, page_shown
from streamlit.testing.v1 import AppTest

from encoder.pictures.view import EXAMPLES
from pages.ui.lessons import library
from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow

OWN = "My dog chased the cat because it was hungry."


def sentence(app: AppTest) -> str:
    """The sentence on top of the page."""
    return str(bar(app)["sentence"])


def test_what_is_typed_runs_in_one_line_and_an_example_is_one_tap_away() -> None:
    app = open_app("models", sentence="One.\nTwo.")
    assert sentence(app) == "One. Two." and "\n" not in "".join(app.query_params["sentence"])
    choose(app, sentence="Three.\nFour.")
    assert sentence(app) == "Three. Four." and "\n" not in "".join(app.query_params["sentence"])
    choose(app, sentence=OWN)
    assert "".join(app.query_params["sentence"]) == OWN
    choose(app, sentence=EXAMPLES[2])
    assert sentence(app) == EXAMPLES[2]
    assert bar(app)["examples"][0] == OWN  # the own one is still offered


def test_a_second_sentence_is_typed_over_and_goes_when_it_is_emptied() -> None:
    app = open_app("models", sentence="The cat sleeps.", second="It purred.")
    healthy(app.text_input(key="second").set_value("It barked.").run())
    assert "".join(app.query_params["second"]) == "It barked."
    healthy(app.text_input(key="second").set_value("").run())
    assert "second" not in app.query_params and "second" not in [one.key for one in app.text_input]


def test_a_link_to_a_smaller_model_opens_at_a_layer_that_it_has_and_complains_only_of_what_it_asked_for() -> None:
    app = open_app("models", model="small")
    assert not app.warning and app.session_state["session"].view.layer == 2
    app = open_app("models", model="small", layer="4")
    assert ["no layer 4" in one.value for one in app.warning] == [True]


def test_ones_own_sentence_is_offered_again_after_a_lesson_and_so_is_one_typed_in_it() -> None:
    app = open_app("models", sentence=OWN, layer="2")
    app.query_params.clear()
    app.query_params.update({**library.bundled()["parameters"].steps[0].view, "lesson": "parameters", "at": "1"})
    healthy(app.run())
    assert page_shown(app) == "models" and sentence(app) != OWN and bar(app)["examples"][0] == OWN
    assert "".join(app.query_params["lesson"]) == "parameters"
    choose(app, sentence="The keys are mine.")
    assert sentence(app) == "The keys are mine." and "".join(app.query_params["lesson"]) == "parameters"
    choose(app, sentence=EXAMPLES[2])
    assert bar(app)["examples"][0] == "The keys are mine."


def test_layer_and_head_stand_beside_the_headline_where_they_mean_something() -> None:
    def places(app: AppTest) -> list[str]:
        return [one.proto.json for one in app.get("bidi_component") if one.proto.id.endswith("-place")]

    app = open_app("lessons", layer="2", head="3", **LAB)
    shown = json.loads(places(app)[0])
    assert [shown[name] for name in ("layers", "heads", "layer", "head")] == [6, 8, 2, 3]
    assert at(choose(app, head=7)) == (2, 7) and at(choose(app, layer=0)) == (0, 7)
    for key in ("embedding", "training", "models"):
        assert places(go(app, key)) == []
    assert at(app) == (0, 7)  # it is kept meanwhile


NO_PLACES: tuple[object, ...] = ({"layer": 6}, {"head": -1}, {"layer": "2"}, {"head": True}, {"step": "output"}, [1])
MEANT: tuple[object, ...] = (
    *({"model": "../../etc/passwd"}, {"model": 3}, {"sentence": ["a"]}, {"sentence": " \n "}),
    *({"edits": "head:0.0"}, [["sentence", "x"]]),
)


def test_what_the_bar_cannot_mean_changes_nothing() -> None:
    app = open_app("lessons", sentence=OWN, layer="2", head="3", **LAB)
    view = app.session_state["session"].view
    for said in NO_PLACES:
        assert at(happen(app, "place", "set", said)) == (2, 3), said
    for said in MEANT:
        assert happen(app, "around", "set", said).session_state["session"].view == view, said
        happen(app, "around", "go", said)
        assert page_shown(app) == "lessons" and not app.warning, said


def test_the_menu_of_the_bar_leads_to_every_page_with_what_is_chosen() -> None:
    app = open_app("lessons", sentence=OWN, layer="2", head="3", **LAB)
    listed = [one["key"] for one in bar(app)["pages"]]
    assert len(listed) == len(PAGES)
    for key in ("training", "models", "attention"):
        happen(app, "around", "go", {"key": key})
        assert page_shown(app) == key
        chosen = [app.query_params[name] for name in ("sentence", "layer", "head")]
        assert ["".join(one) for one in chosen] == [OWN, "2", "3"]


def test_an_address_that_was_opened_stays_until_something_is_chosen() -> None:
    """A run that says it anew may end after the next page is there: a lesson's strip stood still at its step then."""
    opened = {"lab": "Padding", "lesson": "padding", "at": "3"}
    app = healthy(open_app("lessons", **opened))
    for _ in range(2):
        assert {name: "".join(text) for name, text in app.query_params.items()} == opened
        healthy(app.run())
    choose(app, layer=3)
    assert {name: "".join(text) for name, text in app.query_params.items()} == opened | {"layer": "3", "v": "1"}
