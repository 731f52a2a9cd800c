"""Links restore what was chosen on every page, and what cannot be restored is said; files that fail say why."""

import json
import re

import pytest
from page_tools import charts, choose, go, saved
from visits import link, opened

from encoder.pictures.link import LONGEST_IN_URL, VERSION, from_query, to_query
from encoder.pictures.printing import SIZES
from encoder.pictures.view import View
from pages.ui.downloads import keep
from pages.ui.server.offered_models import check
from pages.ui.state.choice_names import names

pytestmark = pytest.mark.slow


def test_a_choice_outlives_a_visit_to_another_page() -> None:
    app = opened("lessons", {"lab": "Dropout"})
    app.pills(key="drop_at").set_value(["weights"]).run()
    go(app, "models")
    go(app, "lessons")
    assert app.pills(key="drop_at").value == ["weights"]


def test_a_choice_that_is_not_offered_is_said_and_left_out() -> None:
    for page, wrong in (("lessons", {"lab": "Dropout", "drop_at": "1,99"}), ("lessons", {"lab": "<b>"})):
        app = opened(page, wrong)
        said = " ".join(w.value for w in app.warning).replace("\\", "")
        asked = {name: text for name, text in wrong.items() if text not in ("Labs", "Dropout")}
        assert all(text in said and name in said for name, text in asked.items()), page
        app.run()
        assert not asked.keys() & link(app).keys() and not app.warning, page


def test_a_link_of_another_version_opens_and_says_so() -> None:
    view, notes = from_query({"v": "2", "layer": "3", "magic": "1", "<b>": ""}, check, names())
    assert view == View(layer=3)
    assert "version “2”" in notes[0] and "“magic”, “<b>”" in notes[1]
    assert from_query({"v": VERSION, "layer": "3"}, check, names()) == (View(layer=3), [])
    # from before there were versions
    assert from_query({"layer": "3"}, check, names()) == (View(layer=3), [])


def test_a_link_carries_its_version_and_no_endless_choice() -> None:
    assert to_query(View(layer=3)) == {"layer": "3", "v": VERSION}
    assert "set" not in to_query(View(choices=(("set", "x" * (LONGEST_IN_URL + 1)),)))
    view, notes = from_query({"set": "x" * (LONGEST_IN_URL + 1)}, check, names())
    assert view == View() and "set" in notes[0]


def test_a_file_that_cannot_be_made_says_why() -> None:
    def fail() -> bytes:
        raise MemoryError("not enough memory")

    assert keep.file_or_reason(fail) == b"The file could not be made: not enough memory.\n"


def test_every_picture_can_be_saved_with_its_caption() -> None:
    hidden = {"sentence": "Keys on the <b>table</b>", "hidden": "2", "edits": "layers.2.attention.heads:zero:h=3"}
    app = opened("training", hidden)
    pictures = saved(app)
    assert len(pictures) >= len(charts(app))
    for files_of in pictures.values():
        assert all(re.fullmatch(r"[\w.-]+", offer.name) for offer in files_of.values())
        about = json.loads(files_of["about"].make())
        assert re.search(r"\d[.,]\d|\d %|Values go from|Every value|number is -?\d", about["alt"]), about["alt"]
        assert about["alt"].rstrip(".") in about["caption"] and {"csv", "json"} <= {*about["formats"]} <= {*files_of}


def test_a_saved_picture_is_the_one_that_is_seen_now() -> None:
    app = opened("lessons", {"lab": "Rollout"})
    offered = saved(app)["rollout"]
    for kind, start in {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}.items():
        assert offered[kind].make().startswith(start)
    for size, (width, _) in SIZES.items():
        assert f'width="{width:.3f}mm"'.encode() in offered["svg" if size == "shown" else f"svg_{size}"].make()
    choose(app, sentence="Nobody likes cold soup.")
    assert "“Nobody likes cold soup.”" in json.loads(saved(app)["rollout"]["about"].make())["caption"]
    assert saved(go(app, "class")) == {}
