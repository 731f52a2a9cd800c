"""Links restore what was chosen on every page, and what cannot be restored is said; files that fail say why."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.downloads import button, run
from pages.ui.server.models import check
from pages.ui.state.site import PAGES
from pages.ui.state.view import CHOICES, LONGEST_IN_URL, VERSION, View, from_query
from pages.ui.state.walk import KNOWN_STEPS

APP = str(Path(__file__).parents[1] / "app.py")
MASKED = {"sentence": "The [MASK] sat on the mat.", "other": "The [MASK] stood on the mat."}
# What is chosen: page, tab or step to open, and for each widget the kind and value that a person chooses.
CHOSEN: list[tuple[str, dict[str, str], list[tuple[str, str, Any]]]] = [
    ("attention", {"step": "attention.heads"}, [("toggle", "lock", True), ("selectbox", "query", 3)]),
    ("attention", {}, [("toggle", "lock_four", True)]),
    ("stack", {}, [("pills", "move", "Length")]),
    ("what_if", {"edits": "output:zero"}, [("selectbox", "beside_step", "layers.4.attention.q")]),
    ("what_if", {}, [("text_input", "watched", "dog")]),
    ("compare", {}, [("selectbox", "follow", 3), ("selectbox", "beside_step", "embedding.output")]),
    ("compare", {"compare_part": "One word in many sentences"},
     [("text_area", "set", "A light bag.\nThe light is on."), ("select_slider", "set_layer", "layer 2")]),
    ("compare", {"compare_part": "One word in many sentences"}, [("text_input", "set_word", "is")]),
    ("compare", {"compare_part": "Patch"}, [("selectbox", "patch_step", "attention.heads")]),
    ("compare", {"compare_part": "Patch", "patch_step": "attention.heads"}, [("pills", "patch_heads", [1, 3])]),
    ("labs", {"lab": "Padding"}, [("text_input", "pad_short", "Dogs bark.")]),
    ("heads", {"heads_part": "Measures"}, [("pills", "measure", "offset"), ("pills", "over", "100 sentences")]),
    ("looks", {}, [("pills", "some_heads", [1, 5]), ("pills", "together", "Largest"), ("pills", "some_tokens", [2])]),
    ("looks", {}, [("toggle", "merge_words", True), ("pills", "some_words", [3])]),
    ("looks", {"second": "The dog ran."}, [("pills", "pair_part", "A->B")]),
    ("heads", {"second": "The dog ran.", "heads_part": "Between the sentences"}, [("pills", "pair_way", "B->A")]),
    ("flows", {}, [("select_slider", "rollout_layer", 2), ("selectbox", "flow_token", 4)]),
    ("lens", {}, [("selectbox", "lens_token", 4), ("select_slider", "alike_layer", "layer 1")]),
    ("vectors", {}, [("selectbox", "unit_token", 5)]),
]  # fmt: skip
BY_CLICK = {"compare_part", "heads_part", "lab", "loo_measure"}  # tabs are chosen in the browser tests


def opened(page: str, query: dict[str, str]) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60).run()
    app.switch_page(f"pages/steps/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def link(app: AppTest) -> dict[str, str]:
    return {name: "".join(value) for name, value in app.query_params.items()}


def pictures(app: AppTest) -> list[Any]:
    """All that is drawn: charts, maps, texts."""
    charts = [json.loads(chart.proto.spec)["data"] for chart in app.get("plotly_chart")]
    maps = [one.proto.json for one in app.get("bidi_component") if "maps" in one.proto.json]
    return [charts, maps, [m.value for m in app.markdown], [t.value for t in app.text]]


def value(app: AppTest, kind: str, key: str) -> Any:
    return getattr(app, kind)(key=key).value


@pytest.mark.parametrize(("page", "query", "chosen"), CHOSEN, ids=[f"{p}-{c[0][1]}" for p, _, c in CHOSEN])
def test_a_link_restores_every_choice(page: str, query: dict[str, str], chosen: list[tuple[str, str, Any]]) -> None:
    app = opened(page, MASKED | query)
    for kind, key, wanted in chosen:
        getattr(app, kind)(key=key).set_value(wanted).run()
        assert not app.exception
        assert key in link(app)
    other = opened(page, link(app))
    for kind, key, wanted in chosen:
        assert value(other, kind, key) == wanted
    assert pictures(other) == pictures(app)
    assert not other.warning
    for kind, key, _ in reversed(chosen):  # and back to what it was
        default = other.session_state["defaults"][key]
        getattr(other, kind)(key=key).set_value(default).run()
        assert key not in link(other)


def test_every_choice_is_tried() -> None:
    assert {key for _, _, chosen in CHOSEN for _, key, _ in chosen} | BY_CLICK == CHOICES


def test_a_choice_outlives_a_visit_to_another_page() -> None:
    app = opened("stack", {})
    app.pills(key="move").set_value("Length").run()
    app.switch_page("pages/steps/looks.py").run()
    app.switch_page("pages/steps/stack.py").run()
    assert app.pills(key="move").value == "Length"


@pytest.mark.parametrize(
    ("page", "name", "asked"),
    [
        ("stack", "move", "Width"),
        ("looks", "some_heads", "1,99"),
        ("lens", "lens_token", "999"),
        ("lens", "alike_layer", "x"),
        ("attention", "lock_four", "yes"),
        ("compare", "compare_part", "Three"),
        ("labs", "lab", "<b>"),
        ("heads", "heads_part", "$x$"),
    ],
)
def test_a_choice_that_is_not_offered_is_said_and_left_out(page: str, name: str, asked: str) -> None:
    app = opened(page, {name: asked})
    said = " ".join(w.value for w in app.warning).replace("\\", "")
    assert asked in said and name in said
    app.run()
    assert name not in link(app) and not app.warning


def test_a_link_of_another_version_opens_and_says_so() -> None:
    view, notes = from_query({"v": "2", "layer": "3", "magic": "1", "<b>": ""}, check, KNOWN_STEPS)
    assert view == View(layer=3)
    assert "version “2”" in notes[0] and "“magic”, “<b>”" in notes[1]
    assert from_query({"v": VERSION, "layer": "3"}, check, KNOWN_STEPS) == (View(layer=3), [])
    assert from_query({"layer": "3"}, check, KNOWN_STEPS) == (View(layer=3), [])  # from before there were versions


def test_a_link_carries_its_version_and_no_endless_choice() -> None:
    assert View(layer=3).to_query() == {"layer": "3", "v": VERSION}
    assert "set" not in View(choices=(("set", "x" * (LONGEST_IN_URL + 1)),)).to_query()
    view, notes = from_query({"set": "x" * (LONGEST_IN_URL + 1)}, check, KNOWN_STEPS)
    assert view == View() and "set" in notes[0]


def test_no_choice_is_called_like_a_part_of_the_view() -> None:
    assert not CHOICES & set(View().as_text())


def test_a_file_that_cannot_be_made_says_why() -> None:
    def fail() -> bytes:
        raise MemoryError("not enough memory")

    assert button.made(fail) == b"The file could not be made: not enough memory.\n"


SAID = ("Model base (sha256 ", "“Keys on the <b>table</b>”", "Hidden: 2 on", "Changed: layer 2, head 3")
SAID_OF_SMALL = ("Model small (sha256 ", "“Keys on the <b>table</b>”", "Layer 3, head 1")  # nothing hidden or changed


def cards(app: AppTest) -> dict[str, dict[str, str]]:
    """What the places under pictures know, by the picture."""
    found = [json.loads(c.proto.json) for c in app.get("bidi_component") if '"caption"' in c.proto.json]
    return {one["chart"]: one for one in found}


@pytest.mark.parametrize("page", [page.key for page in PAGES])
def test_every_picture_can_be_kept_with_its_caption(page: str) -> None:
    hidden = {"sentence": "Keys on the <b>table</b>", "hidden": "2", "edits": "layers.2.attention.heads:zero:h=3"}
    app = opened(page, hidden)
    drawn = [re.search(r"-(\w+)$", c.proto.id)[1] for c in app.get("plotly_chart")]
    assert set(drawn) <= set(cards(app))
    for one in cards(app).values():
        for part in SAID_OF_SMALL if page == "training" else SAID:
            assert part in one["caption"]
        assert one["alt"].rstrip(".") in one["caption"] and re.fullmatch(r"[\w.-]+", one["name"])


def test_a_run_that_is_too_large_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(run, "MOST_REPORT", 1_000_000)
    app = opened("attention", {"sentence": "I understand this"})
    app.session_state["keep_all"] = True
    app.run()
    said = [caption.value for caption in app.caption]
    assert any("Every step, for numpy: 2.4 MB, more than the 1.0 MB" in text for text in said)
    assert any("more than 1.0 MB: choose fewer layers" in text for text in said)


def test_a_link_too_long_for_its_sentence_says_so() -> None:
    app = opened("attention", {})
    app.text_area(key="sentence").set_value("word " * 400).run()
    app.session_state["keep_all"] = True
    app.run()
    assert any("too long to be part of the link" in caption.value for caption in app.caption)


def test_the_state_knows_the_presenter() -> None:
    assert from_query({"present": "1"}, check, KNOWN_STEPS)[0].present == "1"
    assert from_query({"present": "<b>"}, check, KNOWN_STEPS)[0].present == ""
