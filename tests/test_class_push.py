"""A class on a running server, seen from the wire: what comes to a pupil, and what a pupil may send."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_tools import Server
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState

sys.path.append(str(Path(__file__).parent / "benchmarks"))

import bench_load
from followers import Follower, follow

pytestmark = [pytest.mark.slow, pytest.mark.nightly]


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with bench_load.server() as found:
        yield found


async def lead(teacher: Follower) -> str:
    """Open a class and show the attention; returns its code."""
    await teacher.press("class_open_new")
    await teacher.go("attention")
    return teacher.seat.partition("-")[0]


async def ask(teacher: Follower) -> None:
    await teacher.unfold("class_ask")
    await teacher.press("class_ask_now")


def test_a_screen_that_is_run_keeps_what_its_browser_has_chosen(running: Server) -> None:
    async def visit() -> None:
        async with follow(running.url, "class") as teacher:
            code = await lead(teacher)
            async with follow(running.url, "class", f"code={code}") as pupil:
                await pupil.until(lambda one: one.path == "attention")
                await pupil.unfold("keep_all")
                assert "A link to what you see" in pupil.said and "You see what the class sees" in pupil.said
                before = pupil.runs
                await teacher.choose("head", "5")
                await pupil.until(lambda one: one.runs > before)
                assert "head=5" in pupil.query
                assert "A link to what you see" in pupil.said and "You see what the class sees" in pupil.said
                assert not pupil.clocks and not pupil.broken  # it does not look by itself

    asyncio.run(visit())


def test_no_answer_comes_to_a_pupil_before_it_is_shown_and_no_forged_press_shows_it(running: Server) -> None:
    async def visit() -> None:
        async with follow(running.url, "class") as teacher:
            code = await lead(teacher)
            query = f"code={code}"
            async with (
                follow(running.url, "class", query, keeps=True) as pupil,
                follow(running.url, "class", query) as other,
            ):
                for one in (pupil, other):
                    await one.until(lambda one: one.path == "attention")
                await ask(teacher)
                for one in (pupil, other):
                    await one.until(lambda one: "class_answer_1_1" in one.widgets)
                await other.answer("class_answer_1_1", 2)
                forged = [
                    WidgetState(id=widget.id, trigger_value=True)
                    for name, widget in teacher.widgets.items()
                    if name.startswith("class_") and widget.kind == "button"
                ]
                assert len(forged) > 3
                seat = next(one for name, one in pupil.widgets.items() if name.startswith("arrival"))
                for state in forged:
                    await pupil.rerun(state)
                assert "class_close" not in pupil.widgets and pupil.seat.startswith(code)
                said = json.dumps([{"event": "seat", "value": f"{code}-leads-{32 * '0'}"}])
                taken = WidgetState(id=_make_trigger_id(seat.id, "events"), json_trigger_value=said)
                await pupil.rerun(taken)
                assert "The class is over" in pupil.said  # so the seat was read, and was not believed
                assert "class_close" not in pupil.widgets
                assert not [line for line in pupil.said.splitlines() if "Most often" in line or "It is “" in line]
                got = b"".join(pupil.received)
                assert b"class_answers" not in got and b"Most often" not in got
                assert other.seat.rpartition("-")[2].encode() not in got
                assert teacher.seat.rpartition("-")[2].encode() not in got
                await other.rerun()
                assert "class_answer_1_1" in other.widgets
                await teacher.rerun()
                assert "class_close" in teacher.widgets and not teacher.broken + pupil.broken

    asyncio.run(visit())
