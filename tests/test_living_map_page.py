"""What the story does with what a browser says of the living map: it takes what fits, and nothing else."""

import base64
import gc
from typing import Any

import pytest
from drawn import unpacked
from in_turn import in_turn
from page_tools import ask, maps, open_app, press
from streamlit.testing.v1 import AppTest
from test_story_page import stops_of

from encoder import TextEncoder
from encoder.pictures.figures.living_map_cells import index_at
from encoder.pictures.view import Cell
from pages.ui.components import living_map_component

STEP = "layers.1.attention.q"


def sent(**query: str) -> dict[str, Any]:
    """What the story sends of the unfolded layer."""
    return maps(story(**query), "living_map_layer")


def story(**query: str) -> AppTest:
    """The stop of the story that shows the whole run, and what is asked for there."""
    stop = next(i for i, one in enumerate(stops_of("small", "The cat."), 1) if one.picture == "map")
    app = press(open_app("story", stop=str(stop), model="small", sentence="The cat."), "reveal")
    return ask(app, **query) if query else app


def test_a_link_unfolds_a_layer_which_is_sent_then_alone_and_marks_the_opened_number() -> None:
    folded = sent()
    assert (folded["open"], folded["cell"], folded["columns"]) == (-1, None, "")
    found = sent(layer="2", head="1", unfolded="1", cell=f"{STEP}:3,2,9")
    assert (found["layer"], found["head"], found["open"]) == (2, 1, 2) and found["columns"]
    assert found["cell"] == {"step": STEP, "head": 3, "row": 2, "cell": 9 // 2}


def test_a_number_that_is_not_drawn_has_no_mark() -> None:
    assert sent(cell="layers.1.add_norm_1.mean:2")["cell"] is None
    assert sent(cell="nothing:1,2")["cell"] is None
    assert sent(unfolded="7")["open"] == -1


@in_turn(
    ("said", "fields", "opened"),
    [
        ({"open": 2, "layer": 2, "head": 3}, {"layer": 2, "head": 3, "unfolded": 1}, None),
        ({"open": -1, "layer": 1, "head": 0}, {"layer": 1, "head": 0, "unfolded": 0}, None),
        ({"step": STEP, "head": 2, "row": 1, "cell": 4}, {"head": 2}, (2, 1)),
        ({"step": STEP, "head": 2, "row": 99, "cell": 4}, {"head": 2}, None),
        ({"step": "nothing", "row": 0, "cell": 0}, {}, None),
        ({"open": 99, "layer": -1, "head": 1.5}, {}, None),
        ({"open": True, "layer": "1", "head": None, "step": 7, "go": ["output"]}, {}, None),
        ({"difference": True, "follow": 2}, {"difference": 1, "walk_of": 2}, None),
        ({"difference": 1, "follow": 99}, {}, None),
        (["open", 1], {}, None),
        (None, {}, None),
    ],
)
def test_what_a_browser_says_is_checked(
    said: Any, fields: dict[str, int], opened: tuple[int, int] | None, small_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed: dict[str, int] = {}
    numbers: list[Cell] = []
    monkeypatch.setattr(living_map_component.state, "picked", lambda key: said)
    monkeypatch.setattr(living_map_component.state, "change", lambda **more: changed.update(more))
    monkeypatch.setattr(living_map_component, "remember", lambda key, value, default: changed.update({key: value}))
    monkeypatch.setattr(living_map_component.walk, "show_step", lambda step: pytest.fail(f"went to {step}"))
    living_map_component.take("living_map", small_run, numbers.append, None)
    assert changed == fields
    if opened is None:
        assert numbers == []
    else:
        head, row = opened
        assert numbers == [Cell(STEP, index_at(small_run, STEP, head, row, 4))]


@pytest.fixture(scope="module")
def small_run(small: Any) -> Any:
    """A run of the small model."""
    return small.trace("The cat.")


def test_a_difference_is_drawn_only_where_something_is_changed() -> None:
    def first(**query: str) -> dict[str, Any]:
        return maps(story(**query), "living_map")

    assert not first()["changed"] and not first(difference="1")["difference"]
    found = first(difference="1", hidden="1")
    assert found["changed"] and found["difference"]
    about, _ = unpacked(base64.b64decode(found["whole"]))
    assert about["difference"] and about["hidden"] == [1]


def test_the_way_that_is_told_is_that_of_the_word_asked_for() -> None:
    found = maps(story(walk_of="2"), "living_map")["walk"]
    assert found["row"] == 2 and "“cat”" in found["said"][0]


def test_a_difference_goes_with_the_run_that_it_was_drawn_against(small: TextEncoder) -> None:
    stays, goes = small.trace("The cat sleeps."), small.trace("The man sleeps.")
    for before in (None, goes):
        living_map_component.kept(stays, before, "whole", lambda: b"x")
    assert len(living_map_component.made_of(stays)) == 2
    del before, goes
    gc.collect()
    assert (
        len(living_map_component.made_of(stays)) == 1
    )  # else what stays holds a picture for each run of every visitor
