"""What the first page does with what a browser says of the living map: it takes what fits, and nothing else."""

from typing import Any

import pytest
from page_tools import maps, open_app

from encoder.figures import living_map as figure
from pages.ui.components import living_map
from pages.ui.state.view import Cell

STEP = "layers.1.attention.q"


def sent(**query: str) -> dict[str, Any]:
    """What the first page sends of the unfolded layer."""
    return maps(open_app(model="small", sentence="The cat.", **query), "living_map_layer")


def test_a_link_unfolds_a_layer_and_marks_the_opened_number() -> None:
    assert sent()["open"] == -1 and sent()["cell"] is None
    found = sent(layer="2", head="1", unfolded="1", cell=f"{STEP}:3,2,9")
    assert (found["layer"], found["head"], found["open"]) == (2, 1, 2)
    assert found["cell"] == {"step": STEP, "head": 3, "row": 2, "cell": 9 // 2}


def test_a_number_that_is_not_drawn_has_no_mark() -> None:
    assert sent(cell="layers.1.add_norm_1.mean:2")["cell"] is None
    assert sent(cell="nothing:1,2")["cell"] is None
    assert sent(unfolded="7")["open"] == -1


@pytest.mark.parametrize(
    ("said", "fields", "opened"),
    [
        ({"open": 2, "layer": 2, "head": 3}, {"layer": 2, "head": 3, "unfolded": 1}, None),
        ({"open": -1, "layer": 1, "head": 0}, {"layer": 1, "head": 0, "unfolded": 0}, None),
        ({"step": STEP, "head": 2, "row": 1, "cell": 4}, {"head": 2}, (2, 1)),
        ({"step": STEP, "head": 2, "row": 99, "cell": 4}, {"head": 2}, None),
        ({"step": "nothing", "row": 0, "cell": 0}, {}, None),
        ({"open": 99, "layer": -1, "head": 1.5}, {}, None),
        ({"open": True, "layer": "1", "head": None, "step": 7, "go": ["output"]}, {}, None),
        (["open", 1], {}, None),
        (None, {}, None),
    ],
)
def test_what_a_browser_says_is_checked(
    said: Any, fields: dict[str, int], opened: tuple[int, int] | None, small_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed: dict[str, int] = {}
    numbers: list[Cell] = []
    monkeypatch.setattr(living_map.state, "picked", lambda key: said)
    monkeypatch.setattr(living_map.state, "change", lambda **more: changed.update(more))
    monkeypatch.setattr(living_map, "remember", lambda key, value, default: changed.update({key: value}))
    monkeypatch.setattr(living_map.session, "now", lambda: small_run)
    living_map.take(numbers.append, lambda step: pytest.fail(f"went to {step}"))
    assert changed == fields
    if opened is None:
        assert numbers == []
    else:
        head, row = opened
        assert numbers == [Cell(STEP, figure.index_at(small_run, STEP, head, row, 4))]


@pytest.fixture(scope="module")
def small_run(small: Any) -> Any:
    """A run of the small model."""
    return small.trace("The cat.")
