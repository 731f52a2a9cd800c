"""A class on the pages that the browser draws, without a browser: what that would say is said here."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_tools import APP, happened, healthy, said
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.ui.live import classroom as rules
from pages.ui.live.classroom import Classroom
from pages.ui.state.seat import Seat
from pages.ui.state.site import DRAWN

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
GAP = "The keys to the cabinet [MASK] on the table."
SHOWN = {"sentence": GAP, "model": "base", "layer": "5", "head": "6", "word": "6"}
KEYS = {name: key for key, name in DRAWN.items()}


@pytest.fixture(autouse=True)
def room() -> Iterator[Classroom]:
    """Classes of this test alone."""
    rules.classroom.cache_clear()
    yield rules.classroom()
    rules.classroom.cache_clear()


class Screen:
    """A screen of a class. `chosen` is what its browser says it shows, as long as the page is drawn by it."""

    def __init__(self, **query: str) -> None:
        self.app = AppTest.from_file(APP, default_timeout=60)
        self.app.query_params.update(query)
        self.chosen: object = None
        healthy(self.app.run())

    @property
    def front(self) -> Any:
        """What the browser's component was sent; None where there is none."""
        return next((one.proto for one in self.app.get("bidi_component") if one.proto.id.endswith("-front")), None)

    @property
    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.front.json)
        return found

    @property
    def query(self) -> dict[str, str]:
        return {name: "".join(value) for name, value in self.app.query_params.items()}

    @property
    def seat(self) -> Seat:
        found: Seat = self.app.session_state["session"].seat
        return found

    @property
    def line(self) -> str:
        return next((one.value for one in self.app.markdown if one.value.startswith("**Class ")), "")

    def run(self, **events: object) -> "Screen":
        """Run as it is, or because of what the browser's component says."""
        states = self.app._tree.get_widget_states()
        if self.front is not None and self.chosen is not None:
            states.widgets.append(WidgetState(id=self.front.id, json_value=json.dumps({"chosen": self.chosen})))
        if events:
            states.widgets.append(happened(self.front.id, **events))
        healthy(self.app._run(states))
        self.app._page_hash = ""
        return self

    def shows(self, page: str, **query: str) -> "Screen":
        """Show this on a page that the browser draws, as somebody does who chooses it there."""
        if self.front is None or self.told["page"] != page:
            self.go(KEYS[page])
        self.chosen = {"key": page, "query": SHOWN | query}
        return self.run()

    def go(self, key: str) -> "Screen":
        """Open the page of that key by a menu."""
        self.chosen = None
        self.app.query_params.clear()
        pages = self.app.session_state["session"].scripts
        self.app._page_hash = next(script._script_hash for script, page in pages.items() if page.key == key)
        return self.run()

    def press(self, key: str) -> "Screen":
        self.app.button(key=key).click()
        return self.run()


def teacher() -> Screen:
    """A teacher who has opened a class and shows head 6 of layer 5 on the first page."""
    screen = Screen().go("class").press("class_open_new")
    assert screen.seat.leads
    return screen.shows("start")


def pupil(of: Screen) -> Screen:
    """A pupil who has opened the first page by a link to the class."""
    return Screen(code=of.seat.code)


def ask(screen: Screen) -> None:
    screen.app.session_state["class_ask"] = True
    screen.run()
    screen.press("class_ask_now")


def test_pupils_see_what_the_teacher_chooses_and_go_along_to_any_page() -> None:
    leading = teacher()
    one = pupil(leading)
    assert one.told["follow"]["query"] == SHOWN and "what the class sees" in one.line and "code" not in one.query
    before = one.told["follow"]["number"]
    leading.shows("start", layer="2", head="3")
    assert one.run().told["follow"]["query"] == SHOWN | {"layer": "2", "head": "3"}
    assert one.told["follow"]["number"] > before
    leading.shows("attention", step="attention.scores", cell="layers.5.attention.scores:6,6,2")
    one.run()
    assert one.told["page"] == "attention" and one.told["follow"]["query"]["step"] == "attention.scores"
    assert one.query == one.told["follow"]["query"]
    leading.go("atlas")
    assert one.run().app.title[0].value == "Atlas" and one.front is None and "what the class sees" in one.line
    leading.shows("start", sentence="Dogs bark.")
    assert one.run().told["page"] == "start" and one.query["sentence"] == "Dogs bark."
    assert "what the class sees" in one.run().line and not said(one.app)


@pytest.mark.parametrize("own", [{"alone": True}, {"go": {"key": "attention", "query": SHOWN}}])
def test_a_pupil_who_chooses_something_is_on_their_own_until_they_go_back(own: dict[str, object]) -> None:
    leading = teacher()
    one = pupil(leading)
    one.run(**own)
    assert "on your own" in one.line and one.told["follow"] is None
    page = one.told["page"]
    leading.shows("start", head="1")
    assert one.run().told["page"] == page and one.told["follow"] is None and "-alone-" in one.told["seat"]
    one.press("class_back")
    assert "what the class sees" in one.line and one.told["page"] == "start" and "-follows-" in one.told["seat"]
    assert one.told["follow"]["query"]["head"] == "1"


def test_what_is_unfolded_below_a_picture_comes_along_and_is_veiled_with_it() -> None:
    leading = teacher()
    one = pupil(leading)
    leading.shows("attention", more="1")
    leading.app.query_params["more"] = "1"  # as the browser writes it
    for screen in (leading.run(), one.run()):
        assert screen.told["page"] == "attention" and screen.app.get("plotly_chart") and screen.line
    assert "what the class sees" in one.run().line and "-follows-" in one.told["seat"]
    ask(leading)
    assert "layer 5, head 6" in one.run().app.pills[0].label
    for screen in (leading, one):
        assert screen.front is None and not screen.app.get("plotly_chart")
    leading.press("class_put_away")
    for screen in (leading, one.run()):
        assert screen.told["page"] == "attention" and screen.app.get("plotly_chart")


def test_a_picture_is_veiled_while_the_class_is_asked_about_it() -> None:
    leading = teacher()
    one, alone = pupil(leading), pupil(leading)
    alone.run(alone=True)
    leading.shows("attention", word="5")
    ask(leading)
    assert leading.front is None and one.run().front is None
    assert "class_answer_1_1" in str(one.app.pills[0].key) and "layer 5, head 6" in one.app.pills[0].label
    assert "cabinet" in one.app.pills[0].label.split(" look")[0]
    assert alone.run().told["page"] == "start"
    one.app.pills(key="class_answer_1_1").set_value(2)
    one.run()
    leading.press("class_reveal")
    for screen in (leading, one.run()):
        assert screen.told["page"] == "attention" and any("It is “" in text.value for text in screen.app.markdown)
    assert one.told["follow"]["query"]["word"] == "5"
    leading.press("class_put_away")
    assert not one.run().app.pills and "what the class sees" in one.line


@pytest.mark.parametrize(
    "chosen",
    [
        3, {}, {"key": "start"}, {"key": "heads", "query": SHOWN}, {"key": "start", "query": 3},
        {"key": "start", "query": {"lesson": "z:x", "code": "ABCDEF", "sentence": ["x"], "model": "../../etc"}},
        {"key": "start", "query": {"sentence": "\ud800", "cell": "x" * 2000, "hidden": "9" * 1500, "edits": "<b>"}},
    ],
)  # fmt: skip
def test_what_a_teachers_browser_says_may_be_anything(chosen: object, room: Classroom) -> None:
    leading = teacher()
    one = pupil(leading)
    leading.chosen = chosen
    leading.app.session_state["class_ask"] = True
    leading.run()
    shown = room.now(leading.seat.code).shown
    assert shown["page"] == KEYS["start"] and not shown.keys() & {"q:lesson", "q:code", "q:cell"}
    assert all(isinstance(text, str) and len(text) <= 1500 for text in shown.values())
    assert one.run().told["page"] == "start"


def test_what_a_pupils_browser_says_is_shown_to_nobody(room: Classroom) -> None:
    leading = teacher()
    one = pupil(leading)
    before = room.now(leading.seat.code).shown
    one.shows("start", head="7")
    assert room.now(leading.seat.code).shown == before


def test_a_tab_that_is_loaded_anew_has_its_seat_again(room: Classroom) -> None:
    leading = teacher()
    one = pupil(leading)
    again = Screen(**leading.query)
    assert again.line == "" and again.told["seat"] == ""
    again.run(seat=str(leading.seat))
    assert again.seat.leads and "Class" in again.line
    again.shows("start", head="2")
    assert one.run().told["follow"]["query"]["head"] == "2"
    forged = Screen()
    forged.run(seat=f"{leading.seat.code}-leads-{32 * '0'}")
    assert forged.seat is None and "class is over" in said(forged.app)


def test_a_wrong_code_is_said_and_who_leaves_has_the_page_as_it_was() -> None:
    assert "no class WRONG now" in said(Screen(code="WRONG!").app)
    one = pupil(teacher())
    one.press("class_leave")
    assert one.line == "" and one.told["page"] == "start" and one.told["follow"] is None and one.told["left"]


def test_to_draw_the_first_page_outside_of_a_class_loads_nothing_of_one_and_no_torch() -> None:
    script = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        "app = AppTest.from_file('pages/main.py', default_timeout=60).run();"
        "assert not app.exception and app.get('bidi_component');"
        "print([name for name in ('torch', 'pages.ui.live.classroom', 'pages.front.classes')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
