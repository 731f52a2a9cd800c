"""Links restore what was chosen on every page, and what cannot be restored is said; files that fail say why."""

import csv
import io
import re
import zipfile
from urllib.parse import parse_qs

import numpy as np
import pytest
from page_tools import LAB, charts, choose, files, go
from streamlit.testing.v1 import AppTest
from tiers import mostly_nightly
from visits import link, opened

from encoder import TextEncoder
from encoder.pictures.link import LONGEST_IN_URL, VERSION, from_query, to_query
from encoder.pictures.view import View
from pages.ui.downloads import keep
from pages.ui.server.offered_models import check
from pages.ui.state.choice_names import names
from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow
WEIGHTS = "layers.2.attention.weights"


def test_a_choice_outlives_a_visit_to_another_page() -> None:
    app = opened("lessons", {"lessons_part": "Labs", "lab": "Dropout"})
    app.pills(key="drop_at").set_value(["weights"]).run()
    go(app, "models")
    go(app, "lessons")
    assert app.pills(key="drop_at").value == ["weights"]


def test_a_choice_that_is_not_offered_is_said_and_left_out() -> None:
    for page, wrong in (
        ("lessons", {"lessons_part": "Labs", "lab": "Dropout", "drop_at": "1,99"}),
        ("lessons", {"lessons_part": "Labs", "lab": "<b>"}),
    ):
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
    assert from_query({"layer": "3"}, check, names()) == (
        View(layer=3),
        [],
    )


def test_a_link_carries_its_version_and_no_endless_choice() -> None:
    assert to_query(View(layer=3)) == {"layer": "3", "v": VERSION}
    assert "set" not in to_query(View(choices=(("set", "x" * (LONGEST_IN_URL + 1)),)))
    view, notes = from_query({"set": "x" * (LONGEST_IN_URL + 1)}, check, names())
    assert view == View() and "set" in notes[0]


def test_a_file_that_cannot_be_made_says_why() -> None:
    def fail() -> bytes:
        raise MemoryError("not enough memory")

    assert keep.file_or_reason(fail) == b"The file could not be made: not enough memory.\n"


def texts(app: AppTest) -> list[str]:
    """The captions, descriptions and lines of code that can be copied."""
    return [one.value for one in app.code]


@pytest.mark.parametrize("page", mostly_nightly([page.key for page in PAGES], ["output", "training"]))
def test_every_picture_can_be_kept_with_its_caption(page: str) -> None:
    hidden = {"sentence": "Keys on the <b>table</b>", "hidden": "2", "edits": "layers.2.attention.heads:zero:h=3"}
    app = opened(page, hidden)
    names = re.findall(r'download="([^"]+)"', " ".join(one.value for one in app.html))
    words = [one.value for one in app.code if one.language != "python"]
    assert len(words) // 2 == sum(name.endswith(".json") for name in names) >= len(charts(app))
    assert all(re.fullmatch(r"[\w.-]+", name) for name in names)
    for caption, alt in zip(words[::2], words[1::2], strict=True):
        assert re.search(r"\d[.,]\d|\d %|Values go from|Every value|number is -?\d", alt), f"no number: {alt}"
        assert alt.rstrip(".") in caption


@pytest.mark.usefixtures("keeps_closed")
def test_what_can_be_kept_is_drawn_once_its_fold_is_open() -> None:
    app = opened("lessons", {"lessons_part": "Labs", "lab": "Rollout"})
    assert len(charts(app)) > 0 and not texts(app) and not files(app)
    app.session_state["keep_rolled"] = True
    app.run()
    assert (len(files(app)), len(texts(app))) == (5, 3)
    for kind, start in {"SVG": b"<?xml", "PNG": b"\x89PNG", "PDF": b"%PDF"}.items():
        assert files(app)[f"Picture as {kind}"].make().startswith(start)
    before = texts(app)
    choose(app, sentence="Nobody likes cold soup.")  # it stays open, and is of what is seen now
    assert texts(app) != before and "“Nobody likes cold soup.”" in texts(app)[0]
    app.session_state["keep_rolled"] = False
    app.run()
    assert not texts(app) and not files(app)


def test_all_of_a_run_is_kept_as_arrays_and_tables_and_its_link_opens_it(base: TextEncoder) -> None:
    text = "The old man and <b>his dog were good friends."
    app = opened("lessons", LAB | {"sentence": text, "layer": "2", "head": "3"})
    app.session_state["keep_all"] = True
    app.run()
    trace, offered = base.trace(text), {offer.name.rpartition(".")[2]: offer for offer in files(app).values()}
    with np.load(io.BytesIO(offered["npz"].make())) as kept:
        assert set(kept.files) == {*trace, "about.json"}
        for name in trace:
            np.testing.assert_array_equal(kept[name], trace[name].numpy(), strict=True)
    with zipfile.ZipFile(io.BytesIO(offered["zip"].make())) as whole:
        rows = list(csv.reader(io.StringIO(whole.read("attention.weights.csv").decode("utf-8-sig"), newline="")))
    values = np.array([row[2:] for row in rows[1:]], dtype=np.float32)
    np.testing.assert_array_equal(values.reshape(8, len(trace.tokens), -1), trace.array(WEIGHTS))
    query = {name: value for name, (value,) in parse_qs(texts(app)[0].partition("?")[2]).items()}
    assert query == link(app) | {"v": VERSION} and link(opened("lessons", query)) == link(app) | {"v": VERSION}


def test_a_run_that_is_too_large_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keep, "MOST_BYTES", 1_000_000)
    app = opened("training", {"sentence": "I understand this"})
    app.session_state["keep_all"] = True
    app.run()
    said = [caption.value for caption in app.caption]
    assert any("Every step, for numpy: 2.4 MB, more than the 1.0 MB" in text for text in said)


def test_a_link_too_long_for_its_sentence_says_so() -> None:
    app = opened("training", {})
    choose(app, sentence="x" * 2000)  # long to write, and one token
    app.session_state["keep_all"] = True
    app.run()
    assert any("too long to be part of the link" in caption.value for caption in app.caption)


def test_the_state_knows_the_presenter() -> None:
    assert from_query({"present": "1"}, check, names())[0].present
    assert not from_query({"present": "<b>"}, check, names())[0].present
