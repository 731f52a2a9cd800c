"""A class without a browser: what the teacher shows, pupils see; what they answer stays hidden until it is shown."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import page_tools
import pytest
from page_tools import at, bar, choose, said
from streamlit.testing.v1 import AppTest

from encoder.pictures.view import Cell
from pages.ui.live import classroom as rules
from pages.ui.live.classroom import Classroom
from pages.ui.live.memory_store import MemoryStore
from pages.ui.live.store import StoreError
from pages.ui.state.seat import Seat
from pages.ui.text import plain

pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=alert(1)> $x^2$ **a** :material/home: [b](javascript:alert(1))"


@pytest.fixture(autouse=True)
def room() -> Iterator[Classroom]:
    """Classes of this test alone."""
    rules.classroom.cache_clear()
    yield rules.classroom()
    rules.classroom.cache_clear()


def healthy(app: AppTest) -> AppTest:
    """The app after a run; as in a browser, the next run is of the page that this one has led to."""
    page_tools.healthy(app)
    return app.switch_page(f"steps/{app.session_state['session'].page}.py")


def open_app(page: str, **query: str) -> AppTest:
    return healthy(page_tools.open_app(page, **query))


def go(app: AppTest, key: str) -> AppTest:
    return healthy(page_tools.go(app, key))


def seat(app: AppTest) -> Seat:
    found: Seat = app.session_state["session"].seat
    return found


def page_of(app: AppTest) -> str:
    title: str = app.title[0].value
    return title


def teacher() -> AppTest:
    """A teacher who has opened a class and shows layer 2, head 3 of the atlas."""
    app = open_app("class")
    healthy(app.button(key="class_open_new").click().run())
    assert seat(app).leads
    go(app, "atlas")
    choose(app, layer=2)
    return choose(app, head=3)


def pupil(of: AppTest) -> AppTest:
    """A pupil who has followed the class's link."""
    return open_app("class", code=seat(of).code)


def look(app: AppTest) -> AppTest:
    """A look at the class, as each screen takes one every second."""
    return healthy(app.run())


def line(app: AppTest) -> str:
    """Where the strip says that a screen is."""
    return next((one.value for one in app.markdown if one.value.startswith("**Class ")), "")


def received(app: AppTest) -> str:
    """All that the browser gets of a page, as text."""
    return "\n".join(str(block.proto) for block in app._tree.children.values() for block in every(block))


def every(block: Any) -> Iterator[Any]:
    if getattr(block, "proto", None) is not None:
        yield block
    for child in getattr(block, "children", {}).values():
        yield from every(child)


def ask_where(app: AppTest) -> AppTest:
    """Have the teacher ask where word 8 looks."""
    app.session_state["class_ask"] = True
    healthy(app.run())
    app.selectbox(key="class_ask_word").set_value(8)
    return healthy(app.button(key="class_ask_now").click().run())


def answers(app: AppTest, choice: int, turn: int = 1) -> AppTest:
    return healthy(app.pills(key=f"class_answer_1_{turn}").set_value(choice).run())


def test_pupils_see_what_the_teacher_shows() -> None:
    leading = teacher()
    one = pupil(leading)
    assert page_of(one) == "Atlas" and at(one) == (2, 3) and "code" not in one.query_params
    assert "what the class sees" in line(one) and not said(one)
    choose(leading, sentence="Keys on the table belong to Sara.")
    look(one)
    assert bar(one)["sentence"] == "Keys on the table belong to Sara." and at(one) == (2, 3)
    go(leading, "atlas")
    look(one)
    assert page_of(one) == "Atlas" and "what the class sees" in line(one)
    healthy(leading.button(key="next").click().run())
    look(one)
    assert page_of(one) == page_of(leading)
    assert {n: v for n, v in one.query_params.items()} == {n: v for n, v in leading.query_params.items()}


def test_pupils_see_the_opened_number_the_asked_word_and_the_choices_of_the_page() -> None:
    leading = teacher()
    one = pupil(leading)
    healthy(leading.button(key="next").click().run())
    leading.session_state["session"].view = replace(
        leading.session_state["session"].view, cell=Cell("layers.2.attention.weights", (3, 8, 2))
    )
    teachers = leading.session_state["session"]
    teachers.view = replace(teachers.view, choices=(("learn_part", "Learn a task"),))
    leading.session_state["learn_part"] = "Learn a task"
    go(leading, "learn")
    assert "cell" in look(one).query_params and page_of(one) == "Learning"
    for task in ("maximum", "reverse"):
        healthy(leading.pills(key="learn_task").set_value(task).run())
        assert look(one).pills(key="learn_task").value == task
        assert one.query_params == leading.query_params and "what the class sees" in line(one)
    leading.session_state["session"].view = replace(leading.session_state["session"].view, choices=(("ask_word", "3"),))
    look(leading)
    assert "".join(look(one).query_params["ask_word"]) == "3"


@pytest.mark.parametrize(
    "touch",
    [
        lambda app: choose(app, head=5),
        lambda app: app.button(key="next").click().run(),
        lambda app: go(app, "figure"),
        lambda app: choose(app, sentence="My own sentence."),
    ],
    ids=["head", "next", "page", "sentence"],
)
def test_a_pupil_who_touches_anything_is_on_their_own_until_they_go_back(touch: Any) -> None:
    leading = teacher()
    one = pupil(leading)
    healthy(touch(one))
    assert "on your own" in line(one)
    there = (page_of(one), at(one), bar(one)["sentence"])
    choose(leading, layer=0)
    look(one)
    assert (page_of(one), at(one), bar(one)["sentence"]) == there
    healthy(one.button(key="class_back").click().run())
    assert "what the class sees" in line(one) and page_of(one) == "Atlas" and at(one) == (0, 3)
    choose(leading, layer=1)
    assert at(look(one)) == (1, 3)


def test_the_page_of_the_class_is_the_teachers_alone() -> None:
    leading = teacher()
    one = pupil(leading)
    go(leading, "class")
    assert page_of(look(one)) == "Atlas" and "what the class sees" in line(one)


def test_what_was_answered_reaches_no_pupil_before_it_is_shown(room: Classroom) -> None:
    leading = teacher()
    one, two = pupil(leading), pupil(leading)
    ask_where(leading)
    asked = room.now(seat(leading).code).asked
    assert asked is not None and not [c for c in leading.get("plotly_chart")]
    answers(look(one), 2)
    answers(one, 3)
    answers(look(two), 3)
    assert room.answered(seat(leading).code, asked) == 2
    kept = json.loads((room.store.fields(seat(leading).code) or {})["answer:1"])
    secrets = [*(text for value in kept["values"] if len(text := f"{value:.4g}") > 5), "2 answered", "Most often"]
    assert len(secrets) > 5
    for close in (lambda: None, lambda: leading.button(key="class_close").click().run()):
        close()
        for app in (one, two):
            got = received(look(app))
            assert not [secret for secret in secrets if secret in got] and "plotly_chart" not in got
            assert seat(two if app is one else one).key not in got and seat(leading).key not in got
    healthy(leading.button(key="class_compare").click().run())
    got = received(look(one))
    assert "2 answered. Most often" in got and "It is “" not in got
    assert not [value for value in secrets[:-2] if value in got]
    healthy(leading.button(key="class_again").click().run())
    assert "Most often" not in received(look(one))
    answers(one, int(kept["truth"]), 2)
    healthy(leading.button(key="class_reveal").click().run())
    for app in (leading, look(one)):
        assert any("It is “" in m.value and "then 1 of 1" in m.value for m in app.markdown)
        assert [c for c in app.get("plotly_chart") if "class_answers" in c.proto.id]


def test_votes_stand_as_dots_on_the_true_row() -> None:
    leading = teacher()
    pupils = [pupil(leading) for _ in range(3)]
    ask_where(leading)
    for app, choice in zip(pupils, (2, 2, 5), strict=True):
        answers(look(app), choice)
    healthy(leading.button(key="class_reveal").click().run())
    chart = next(c for c in look(pupils[0]).get("plotly_chart") if "class_answers" in c.proto.id)
    row, dots = json.loads(chart.proto.spec)["data"]
    assert row["type"] == "heatmap" and dots["text"] == ["", "2", "1"]
    spec = json.loads(chart.proto.spec)
    assert spec["layout"]["shapes"][0]["type"] == "rect"
    kept = next(
        json.loads(c.proto.json) for c in pupils[0].get("bidi_component") if '"chart": "class_answers"' in c.proto.json
    )
    assert kept["name"] == "class_answers" and kept["caption"].startswith("What the class answered. It is “")
    assert not [one for one in pupils[0].code if "x = answers" in one.value], "nobody can make people's answers again"


def test_a_pupil_has_none_of_the_teachers_buttons_and_a_forged_seat_leads_nothing(room: Classroom) -> None:
    leading = teacher()
    one = pupil(leading)
    ask_where(leading)
    look(one)
    assert not {str(b.key) for b in one.button} & {"class_close", "class_compare", "class_reveal", "class_end_now",
                                                   "class_ask_now"}  # fmt: skip
    before = room.now(seat(leading).code)
    one.session_state["session"].seat = Seat(seat(leading).code, "0" * 32, leads=True)
    look(one)
    for key in ("class_reveal", "class_close", "class_put_away"):
        healthy(one.button(key=key).click().run())
    assert "only the teacher" in said(one)
    choose(one, layer=5)
    assert room.now(seat(leading).code) == before


def test_a_sentence_for_the_wall_is_text_and_one_is_run() -> None:
    leading = teacher()
    one = pupil(leading)
    one.session_state["class_send"] = True
    healthy(one.run())
    healthy(one.text_input(key="class_sentence").set_value(HOSTILE).run())
    assert any(caption.value.startswith(plain(f"Sent: {HOSTILE}")) for caption in one.caption)
    go(leading, "class")
    run = next(b for b in leading.button if str(b.key).startswith("class_run_"))
    assert plain(HOSTILE) in [m.value for m in leading.markdown]
    healthy(run.click().run())
    assert page_of(leading) == "Atlas" and bar(leading)["sentence"] == HOSTILE
    assert bar(look(one))["sentence"] == HOSTILE


def test_the_end_is_said_to_all_and_the_page_stays(room: Classroom) -> None:
    leading = teacher()
    one = pupil(leading)
    go(leading, "class")
    leading.toggle(key="class_end").set_value(True).run()
    healthy(leading.button(key="class_end_now").click().run())
    assert seat(leading) is None and room.store.classes == {}  # type: ignore[attr-defined]
    assert "class is over" in said(look(one)) and page_of(one) == "Atlas" and at(one) == (2, 3)
    assert not said(look(one)) and line(one) == ""


def test_pupils_are_told_when_nobody_leads(room: Classroom) -> None:
    leading = teacher()
    one = pupil(leading)
    assert "Nobody leads" not in line(one)
    clock = room.store.now
    room.store.now = lambda: clock() + 60
    assert "Nobody leads it at the moment" in line(look(one))
    room.here(seat(leading))
    assert "Nobody leads" not in line(look(one))


def test_a_wrong_code_is_said() -> None:
    app = open_app("class", code="WRONG!")
    assert "no class WRONG now" in said(app)
    app.text_input(key="class_code").set_value("xyz")
    healthy(app.button(key="class_join_in").click().run())
    assert "no class XYZ now" in said(app)


def test_a_code_can_be_typed() -> None:
    leading = teacher()
    app = open_app("class")
    code = seat(leading).code.lower()
    app.text_input(key="class_code").set_value(f" {code[:3]} {code[3:]}")
    healthy(app.button(key="class_join_in").click().run())
    assert page_of(app) == "Atlas" and at(app) == (2, 3)


def test_where_the_store_is_away_the_page_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    leading = teacher()
    one = pupil(leading)

    def away(*given: object) -> None:
        raise StoreError("away")

    with monkeypatch.context() as patch:
        for name in ("fields", "numbers", "write", "present", "seen"):
            patch.setattr(MemoryStore, name, away)
        for app in (look(one), look(leading)):
            assert "cannot be reached just now" in said(app) and page_of(app) == "Atlas"
        choose(leading, head=6)
    look(leading)
    assert at(look(one)) == (2, 6)


def test_a_seat_that_a_tab_kept_is_taken_again() -> None:
    leading = teacher()
    again = open_app("atlas")
    again.session_state["session"].seat = seat(leading)
    look(again)
    assert "Class" in line(again) and page_of(again) == "Atlas"


@pytest.mark.parametrize("kind", ["How much?", "Which word?", "Does it hold?"])
def test_other_questions_are_asked_answered_and_shown(kind: str) -> None:
    leading = teacher()
    one = pupil(leading)
    leading.session_state["class_ask"] = True
    healthy(leading.run())
    leading.selectbox(key="class_ask_kind").set_value(kind).run()
    if kind == "Does it hold?":
        leading.selectbox(key="class_ask_claim").select_index(1).run()
    healthy(leading.button(key="class_ask_now").click().run())
    assert not said(leading)
    look(one)
    if kind == "How much?":
        healthy(one.slider(key="class_answer_1_1").set_value(40.0).run())
    else:
        answers(one, 1)
    healthy(leading.button(key="class_reveal").click().run())
    assert any("It is “" in m.value and "of 1" in m.value for m in look(one).markdown)
    go(leading, "class")
    table = leading.dataframe[0].value
    assert list(table["count"]) == [1] and list(table["of"]) == [1]


def test_the_question_of_a_lesson_is_asked() -> None:
    leading = teacher()
    one = pupil(leading)
    for name in ("lesson", "at"):
        leading.query_params[name] = {"lesson": "what-is-attention", "at": "2"}[name]
    healthy(leading.switch_page("steps/lessons.py").run())
    for _ in range(5):
        leading.session_state["class_ask"] = True
        healthy(leading.run())
        if any(b.key == "class_ask_now" and not b.disabled for b in leading.button):
            break
        healthy(leading.button(key="lesson_next").click().run())
    healthy(leading.button(key="class_ask_now").click().run())
    assert any("class_answer_1_1" in str(p.key) for p in [*look(one).pills, *one.slider])
