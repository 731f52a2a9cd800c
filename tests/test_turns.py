"""Scripts take turns: few at once, the short ones first, and nobody waits for one that waits itself."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep, thread_time

import pytest

from pages.ui.server.turns import Turn, Turns

pytestmark = pytest.mark.nightly

SOON = 10.0  # seconds in which a test's threads end


def work(seconds: float) -> None:
    """Keep a processor busy."""
    end = thread_time() + seconds
    while thread_time() < end:
        pass


def ended(threads: list[threading.Thread]) -> None:
    for one in threads:
        one.join(SOON)
    assert not any(one.is_alive() for one in threads)


@contextmanager
def at_work(turns: Turns, kind: str, begin: Callable[[], None] = lambda: None) -> Iterator[threading.Thread]:
    """For the block a script has its turn in another thread, which begins with `begin`."""
    ends, began = threading.Event(), threading.Event()

    def script() -> None:
        with turns.turn(kind):
            begin()
            began.set()
            ends.wait(SOON)

    thread = threading.Thread(target=script)
    thread.start()
    assert began.wait(SOON)
    yield thread
    ends.set()
    ended([thread])


def test_no_more_run_at_once_than_may() -> None:
    turns, count, most = Turns(at_once=2, longest=60.0), [0], [0]
    lock = threading.Lock()

    def script(kind: str) -> None:
        with turns.turn(kind):
            with lock:
                count[0] += 1
                most[0] = max(most[0], count[0])
            sleep(0.005)
            with lock:
                count[0] -= 1

    threads = [threading.Thread(target=script, args=(str(i % 7),)) for i in range(30)]
    for one in threads:
        one.start()
    ended(threads)
    assert most[0] == 2 and turns.begun == {} and turns.line == []


@pytest.mark.slow
def test_a_short_one_does_not_wait_behind_the_long_ones() -> None:
    turns, order = Turns(at_once=1, longest=60.0), []
    kinds = [*(f"long {number}" for number in range(5)), "short"]
    for kind in kinds:
        with turns.turn(kind):
            work(0.001 if kind == "short" else 0.1)

    def script(kind: str) -> None:
        with turns.turn(kind):
            order.append(kind)

    threads = []
    with at_work(turns, "holds"):
        for kind in kinds:
            threads.append(threading.Thread(target=script, args=(kind,)))
            threads[-1].start()
            while all(one.kind != kind for one in turns.line):
                sleep(0.001)
        sleep(0.5)  # then the short one has waited longer for what it needs, however soon after the others it came
    ended(threads)
    assert order[0] == "short" and sorted(order[1:]) == kinds[:-1]


@pytest.mark.parametrize(("at_once", "long_ones"), [(1, 1), (2, 1), (3, 2)])
def test_one_turn_is_never_that_of_a_long_script(at_once: int, long_ones: int) -> None:
    now = [0.0]
    turns = Turns(at_once=at_once, clock=lambda: now[0])
    for kind in "abc":
        turns.note(kind, 0.5)
    turns.note("short", 0.01)
    turns.line = [Turn(kind, 0.0) for kind in "abc"]
    now[0] = 0.5
    turns.call()
    assert len(turns.begun) == long_ones
    turns.line.append(Turn("short", 0.5))
    turns.call()
    assert ("short" in {one.kind for one in turns.begun}) == (at_once > 1)


def test_what_nobody_knows_counts_as_long() -> None:
    turns = Turns(at_once=2, longest=60.0)
    turns.line = [Turn("new", 0.0), Turn("newer", 0.0)]
    turns.call()
    assert len(turns.begun) == 1


def test_a_long_one_does_not_wait_for_ever() -> None:
    now = [0.0]
    turns = Turns(at_once=1, clock=lambda: now[0])
    turns.note("long", 0.5)
    turns.note("short", 0.05)
    for since, expected in ((39.5, "short"), (39.7, "long")):
        turns.line, turns.begun = [Turn("long", 0.0), Turn("short", since)], {}
        now[0] = 40.0
        turns.call()
        assert [one.kind for one in turns.begun] == [expected]


def test_of_many_kinds_the_oldest_are_forgotten() -> None:
    turns = Turns()
    for number in range(5000):
        turns.note(str(number), 1.0)
        turns.note("often", 1.0)
    assert len(turns.needed) <= 1000 and {"4999", "often"} <= turns.needed.keys() and "1" not in turns.needed


def test_one_that_takes_long_keeps_nobody_waiting() -> None:
    turns = Turns(at_once=1, longest=0.05)
    with at_work(turns, "long") as long, turns.turn("short"):
        assert long.is_alive()


def test_one_that_waits_for_something_else_keeps_nobody_waiting() -> None:
    turns = Turns(at_once=1, longest=60.0)
    with at_work(turns, "waits", turns.step_aside) as waits, turns.turn("short"):
        assert waits.is_alive()
    assert turns.begun == {}


def test_an_error_and_one_who_leaves_give_their_place_up() -> None:
    turns = Turns(at_once=1, longest=60.0)
    with pytest.raises(ZeroDivisionError), turns.turn("a"):
        1 / 0  # noqa: B018

    def left() -> None:
        raise ConnectionError("the page was closed")

    def leaves() -> None:
        with pytest.raises(ConnectionError), turns.turn("b", left):
            raise AssertionError("it was not its turn")

    with turns.turn("a"):
        other = threading.Thread(target=leaves)
        other.start()
        ended([other])
    assert turns.line == [] and turns.begun == {}
    with turns.turn("c"):
        pass
