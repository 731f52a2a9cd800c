"""Short work never waits behind long work: what waits gives its place to the next, and visitors take turns."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from encoder.support.cached_property import cached_property
from encoder.support.errors import EncoderError
from encoder.support.progress import pulse
from pages.ui.server.jobs import Turns
from pages.ui.server.lane import Lane, aside

SOON = 10.0  # seconds in which what may begin has ended, on any machine


def test_a_short_job_ends_while_one_long_job_works_and_others_wait_for_its_turn() -> None:
    """A sentence of nine words waited 89 seconds behind an examination and two sentences of fifty."""
    lane, heavy, may = Lane("test", 2, 20), Turns(1, long=True), threading.Event()

    def long() -> str:
        with heavy.turn():
            assert may.wait(SOON)
        return "long"

    coming = [lane.begin("one", long) for _ in range(5)]
    assert lane.begin("other", lambda: "short").result(SOON) == "short"
    assert not any(job.done() for job in coming)
    may.set()
    assert [job.result(SOON) for job in coming] == ["long"] * 5
    assert lane.begin("other", lambda: "short").result(SOON) == "short"


def test_long_work_that_waits_for_its_turn_keeps_nobody_out_of_short_work() -> None:
    """Long lists that gave way to each other kept the turns of short work meanwhile: a sentence waited 39 seconds."""
    heavy, short = Turns(1, long=True, slice_=0.01), Turns(1, small=True, slice_=0.01)
    lane, ends = Lane("test", 2, 20), threading.Event()

    def work() -> None:
        while not ends.wait(0.005):
            pulse()

    def measures() -> None:
        with heavy.turn(), short.turn():
            work()

    def runs() -> None:
        with short.turn(), heavy.turn():
            work()

    def sentence() -> str:
        with short.turn():
            return "short"

    coming = [lane.begin("one", each) for each in (measures, measures, runs, runs)]
    try:
        for _ in range(20):
            assert lane.begin("other", sentence).result(SOON) == "short"
    finally:
        ends.set()
    for each in coming:
        each.result(SOON)
    assert not heavy.line and not short.line


def test_a_job_that_need_not_wait_for_its_turn_keeps_its_place() -> None:
    """A turn that was free at once let the next job begin beside it, and that one the next."""
    lane, turns, asked = Lane("test", 1, 20), Turns(), threading.Event()

    def job() -> bool:
        assert asked.wait(SOON)
        with turns.turn():
            return second.running() or second.done()

    first = lane.begin("one", job)
    second = lane.begin("other", lambda: "second")
    asked.set()
    assert not first.result(SOON)
    assert second.result(SOON) == "second"


def test_the_next_job_is_that_of_who_waits_longest_for_one() -> None:
    lane, may, begun = Lane("test", 1, 20), threading.Event(), list[str]()

    def job(name: str) -> None:
        begun.append(name)
        assert may.wait(SOON)

    coming = [lane.begin("many", job, f"many {number}") for number in range(5)]
    coming += [lane.begin("few", job, "few"), lane.begin("two", job, "two 0"), lane.begin("two", job, "two 1")]
    may.set()
    for each in coming:
        each.result(SOON)
    assert begun == ["many 0", "many 1", "few", "two 0", "many 2", "two 1", "many 3", "many 4"]


def test_what_is_taken_back_before_it_begins_is_not_made_and_what_fails_frees_its_place() -> None:
    lane, may, made = Lane("test", 1, 20), threading.Event(), list[int]()
    first = lane.begin("a", lambda: may.wait(SOON))
    second, third = lane.begin("a", made.append, 2), lane.begin("a", lambda: 1 // 0)
    assert second.cancel()
    may.set()
    assert first.result(SOON)
    with pytest.raises(ZeroDivisionError):
        third.result(SOON)
    lane.begin("a", made.append, 4).result(SOON)
    assert made == [4] and lane.free == 1 and not lane.queues


def test_a_long_job_lets_others_go_first_after_its_slice_and_one_that_takes_too_long_ends() -> None:
    """A sentence of fifty words waited 59 seconds behind an examination."""
    turns, begun, done = Turns(1, long=True, slice_=0.0, most_seconds=SOON), threading.Event(), list[str]()
    told = list[int]()

    def examine() -> None:
        with turns.turn(told.append):
            begun.set()
            while "fifty words" not in done:
                pulse()
            done.append("examination")

    examination = threading.Thread(target=examine)
    examination.start()
    assert begun.wait(SOON)
    with turns.turn():
        for _ in range(3):  # each is a slice of its own
            pulse()
        done.append("fifty words")
    examination.join(SOON)
    assert done == ["fifty words", "examination"] and not turns.line
    assert told[-1] == 0 and 1 in told  # who waits anew is told so

    endless = Turns(slice_=0.0, most_seconds=0.05)
    with pytest.raises(EncoderError, match="longer than it may"), endless.turn():
        while True:
            pulse()
    assert not endless.line


def test_work_that_nobody_wants_any_more_ends() -> None:
    lane, begun = Lane("test", 1, 20), threading.Event()

    def work() -> None:
        begun.set()
        while True:
            pulse()

    coming = lane.begin("a", work)
    assert begun.wait(SOON)
    coming.cancel()
    with pytest.raises(CancelledError):
        coming.result(SOON)
    assert lane.begin("a", lambda: "next").result(SOON) == "next"


class OneJob:
    """A job that does what it is told to, step by step."""

    def __init__(self) -> None:
        self.told, self.did = threading.Semaphore(0), threading.Semaphore(0)
        self.next: str = ""
        self.working = self.aside = self.heard_of = False

    def __call__(self) -> None:
        self.working = True
        with ExitStack() as stack:
            while True:
                self.did.release()
                self.told.acquire()
                if self.next == "end":
                    break
                if self.next == "aside":
                    stack.enter_context(aside())
                    self.aside = True
                else:
                    stack.close()
                    self.aside = False
        self.working = self.aside = False

    def step(self, what: str) -> None:
        """Have it do that, and wait until it has."""
        self.next = what
        self.told.release()
        if what != "end":
            assert self.did.acquire(timeout=SOON)


class LaneMachine(RuleBasedStateMachine):
    """Jobs of three visitors begin, stand aside, come back, end and are taken back, in any order."""

    AT_ONCE = 2

    def __init__(self) -> None:
        super().__init__()
        self.lane = Lane("machine", self.AT_ONCE, 200)
        self.jobs: list[tuple[str, OneJob, Future[None]]] = []
        self.back = 0  # how many came back into places that were taken

    def chosen(self, fits: Callable[[OneJob, Future[None]], bool], number: int) -> tuple[OneJob, Future[None]] | None:
        fitting = [(job, coming) for _, job, coming in self.jobs if fits(job, coming)]
        return fitting[number % len(fitting)] if fitting else None

    @rule(visitor=st.sampled_from("abc"))
    def begins(self, visitor: str) -> None:
        job = OneJob()
        self.jobs.append((visitor, job, self.lane.begin(visitor, job)))
        self.settle()

    @rule(number=st.integers(0, 50))
    def stands_aside(self, number: int) -> None:
        if job_there := self.chosen(lambda job, _: job.working and not job.aside, number):
            job_there[0].step("aside")
            self.settle()

    @rule(number=st.integers(0, 50))
    def comes_back(self, number: int) -> None:
        if job_there := self.chosen(lambda job, _: job.aside, number):
            job_there[0].step("back")
            self.settle()

    @rule(number=st.integers(0, 50))
    def ends(self, number: int) -> None:
        if job_there := self.chosen(lambda job, _: job.working, number):
            job_there[0].step("end")
            job_there[1].result(SOON)
            self.settle()

    @rule(number=st.integers(0, 50))
    def is_taken_back(self, number: int) -> None:
        if job_there := self.chosen(lambda _, coming: not coming.running() and not coming.done(), number):
            assert job_there[1].cancel()
            self.settle()

    def settle(self) -> None:
        """Wait until every job that has begun says so."""
        for _, job, coming in self.jobs:
            if coming.running() and not job.heard_of:
                assert job.did.acquire(timeout=SOON)
                job.heard_of = True

    @invariant()
    def a_free_place_is_no_waiting_job(self) -> None:
        working = sum(job.working and not job.aside for _, job, _ in self.jobs)
        waiting = sum(not coming.running() and not coming.done() for _, _, coming in self.jobs)
        with self.lane.lock:
            free = self.lane.free
        assert free == self.AT_ONCE - working
        assert free <= 0 or waiting == 0, "a place is free, and somebody waits"

    def teardown(self) -> None:
        while job_there := self.chosen(lambda job, _: job.working, 0):
            job_there[0].step("end")
            job_there[1].result(SOON)
            self.settle()
        assert self.lane.free == self.AT_ONCE and not self.lane.queues
        self.lane.threads.shutdown()


TestLane = LaneMachine.TestCase
TestLane.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)


def test_what_is_worked_out_for_one_visitor_keeps_no_other_from_his_own() -> None:
    """A property of functools holds one lock for all objects, before Python 3.12: a chart waited for all lists."""
    lane, may = Lane("test", 2, 20), threading.Event()

    class Picture:
        def __init__(self, wait: bool) -> None:
            self.wait = wait

        @cached_property
        def numbers(self) -> list[int]:
            assert not self.wait or may.wait(SOON)
            return [1]

    long, short = Picture(wait=True), Picture(wait=False)
    coming = lane.begin("one", lambda: long.numbers)
    assert lane.begin("other", lambda: short.numbers).result(SOON) == [1] and not coming.done()
    may.set()
    assert coming.result(SOON) is long.numbers and short.numbers is short.numbers
