"""Links restore what was chosen on every page, and what cannot be restored is said; files that fail say why."""

import json
import re

import pytest
from page_tools import charts, choose, files, go
from streamlit.testing.v1 import AppTest
from tiers import mostly_nightly
from visits import link, opened

from encoder.pictures.link import LONGEST_IN_URL, VERSION, from_query, to_query
from encoder.pictures.steps import KNOWN_STEPS
from encoder.pictures.view import View
from pages.ui.downloads import button, run
from pages.ui.server.models import check
from pages.ui.state.choice_names import names
from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow


def test_a_choice_outlives_a_visit_to_another_page() -> None:
    app = opened("stack", {"ways_open": "1"})
    app.pills(key="move").set_value("Length").run()
    go(app, "sentence")
    go(app, "stack")
    assert app.pills(key="move").value == "Length"


@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        ("stack", {"move": "Width", "lens_token": "999", "alike_layer": "x"}),
        ("sentence", {"some_heads": "1,99"}),
        ("attention", {"one_matrix": "yes"}),
        ("labs", {"lab": "<b>"}),
        ("heads", {"heads_part": "$x$"}),
    ],
)
def test_a_choice_that_is_not_offered_is_said_and_left_out(page: str, wrong: dict[str, str]) -> None:
    app = opened(page, wrong)
    said = " ".join(w.value for w in app.warning).replace("\\", "")
    assert all(asked in said and name in said for name, asked in wrong.items())
    app.run()
    assert not wrong.keys() & link(app).keys() and not app.warning


def test_a_link_of_another_version_opens_and_says_so() -> None:
    view, notes = from_query({"v": "2", "layer": "3", "magic": "1", "<b>": ""}, check, KNOWN_STEPS, names())
    assert view == View(layer=3)
    assert "version “2”" in notes[0] and "“magic”, “<b>”" in notes[1]
    assert from_query({"v": VERSION, "layer": "3"}, check, KNOWN_STEPS, names()) == (View(layer=3), [])
    # from before there were versions
    assert from_query({"layer": "3"}, check, KNOWN_STEPS, names()) == (
        View(layer=3),
        [],
    )


def test_a_link_carries_its_version_and_no_endless_choice() -> None:
    assert to_query(View(layer=3)) == {"layer": "3", "v": VERSION}
    assert "set" not in to_query(View(choices=(("set", "x" * (LONGEST_IN_URL + 1)),)))
    view, notes = from_query({"set": "x" * (LONGEST_IN_URL + 1)}, check, KNOWN_STEPS, names())
    assert view == View() and "set" in notes[0]


def test_a_file_that_cannot_be_made_says_why() -> None:
    def fail() -> bytes:
        raise MemoryError("not enough memory")

    assert button.made(fail) == b"The file could not be made: not enough memory.\n"


def cards(app: AppTest) -> dict[str, dict[str, str]]:
    """What the places under pictures know, by the picture."""
    found = [json.loads(c.proto.json) for c in app.get("bidi_component") if '"caption"' in c.proto.json]
    return {one["chart"]: one for one in found}


@pytest.mark.parametrize("page", mostly_nightly([page.key for page in PAGES], ["stack", "atlas", "learn"]))
def test_every_picture_can_be_kept_with_its_caption(page: str) -> None:
    hidden = {"sentence": "Keys on the <b>table</b>", "hidden": "2", "edits": "layers.2.attention.heads:zero:h=3"}
    app = opened(page, hidden)
    drawn = [re.search(r"-(\w+)$", c.proto.id)[1] for c in charts(app)]
    assert set(drawn) <= set(cards(app))
    for one in cards(app).values():
        number = re.search(r"\d[.,]\d|\d %|Values go from|Every value|number is -?\d", one["alt"])
        assert number, f"{one['chart']} says no number: {one['alt']}"
        assert one["alt"].rstrip(".") in one["caption"] and re.fullmatch(r"[\w.-]+", one["name"])


@pytest.mark.usefixtures("keeps_closed")
def test_what_can_be_kept_is_drawn_once_its_fold_is_open() -> None:
    app = opened("attention", {})
    assert len(charts(app)) > 0 and not cards(app) and not files(app)
    app.session_state["keep_head_lengths"] = True
    app.run()
    assert list(cards(app)) == ["head_lengths"] and (len(files(app)), len(app.code)) == (2, 1)
    app.query_params["layer"] = "2"  # chosen in the picture above
    app.run()  # it stays open, and is of what is seen now
    assert "layer 2" in cards(app)["head_lengths"]["caption"].lower()
    app.session_state["keep_head_lengths"] = False
    app.run()
    assert not cards(app) and not files(app)


def test_a_run_that_is_too_large_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_BYTES", 1_000_000)
    app = opened("atlas", {"sentence": "I understand this"})
    app.session_state["keep_all"] = True
    app.run()
    said = [caption.value for caption in app.caption]
    assert any("Every step, for numpy: 2.4 MB, more than the 1.0 MB" in text for text in said)


def test_a_link_too_long_for_its_sentence_says_so() -> None:
    app = opened("atlas", {})
    choose(app, sentence="x" * 2000)  # long to write, and one token
    app.session_state["keep_all"] = True
    app.run()
    assert any("too long to be part of the link" in caption.value for caption in app.caption)


def test_the_state_knows_the_presenter() -> None:
    assert from_query({"present": "1"}, check, KNOWN_STEPS, names())[0].present
    assert not from_query({"present": "<b>"}, check, KNOWN_STEPS, names())[0].present
