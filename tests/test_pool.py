"""Large things that sessions share: made once, lent, bounded, let go of when nobody looks; and long work in turn."""

import gc
import logging
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from model_page_tools import SENTENCE, put
from page_tools import bar, choose, go, healthy, open_app, press, said, type_sentence
from tiny import TINY

from encoder import PRESETS, EncoderConfig, TextEncoder
from encoder.explain.cost import run_flops, step_costs
from encoder.metrics import SENTENCES, survey
from encoder.support.progress import listening
from pages.ui.server import engine, jobs, memory, offered_models, pool, visitor
from pages.ui.server.jobs import FullError, Ticket, Turns
from pages.ui.server.pool import Budget, Pool, Results, borrowing, nbytes
from pages.ui.server.visitor import working_for

pytestmark = pytest.mark.slow

STAYS = 7  # the number that goes last
MOST, OF_ALL = 100, 150  # bytes of a pool, and of both


class Leave(BaseException):
    """What Streamlit raises in a script that is to stop, or much like it."""


def leave(*_: object) -> None:
    raise Leave


def pool_of(gone: list[int], make: Callable[[int], int] = lambda n: n, **how: Any) -> Pool:
    """Numbers, each as large as it says."""
    return Pool(
        make,
        MOST,
        expected=lambda n: n,
        size=lambda n: n,
        let_go=lambda key, n: gone.append(n),
        stays=lambda key: key == (STAYS,),
        **how,
    )


NUMBERS = st.one_of(st.integers(1, 90), st.just(120))  # the last is too large to be kept


class Pools(RuleBasedStateMachine):
    """Two pools under one budget, whose visitors borrow, ask, and stay away."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = Budget(OF_ALL)
        self.pools = [pool_of([], budget=self.budget), pool_of([], budget=self.budget)]

    @rule(which=st.integers(0, 1), numbers=st.lists(NUMBERS, min_size=1, max_size=4))
    def visit(self, which: int, numbers: list[int]) -> None:
        """What a run of a script has borrowed stays until its end, however much it is and however long it takes."""
        with borrowing():
            for n in numbers:
                with borrowing():  # a block within another is part of that
                    assert self.pools[which].get(n) == n
            self.pools[which].drop_idle(-1.0)
            assert all((n,) in self.pools[which].kept for n in numbers)

    @rule(which=st.integers(0, 1), n=NUMBERS)
    def ask(self, which: int, n: int) -> None:
        """Who borrows nothing is handed it too; it is kept if it fits, and what was used longest ago goes for it."""
        before = [key for key in self.pools[which].kept if key not in ((n,), (STAYS,))]
        assert self.pools[which].get(n) == n
        after = [key for key in self.pools[which].kept if key not in ((n,), (STAYS,))]
        assert ((n,) in self.pools[which].kept) == (n <= MOST)
        assert after == before[len(before) - len(after) :]

    @rule(which=st.integers(0, 1))
    def stay_away(self, which: int) -> None:
        """What nobody has used for a while is let go of, but for what stays."""
        things = self.pools[which]
        before = set(things.kept)
        assert not things.drop_idle(1000.0) and set(things.kept) == before
        things.drop_idle(-1.0)
        assert set(things.kept) == before & {(STAYS,)}

    @invariant()
    def holds_no_more_than_it_may(self) -> None:
        """Each pool and both together are within their bounds, and count what they hold."""
        for things in self.pools:
            assert things.held == sum(entry.nbytes for entry in things.kept.values()) <= MOST and not things.making
        assert self.budget.held == sum(things.held for things in self.pools) <= OF_ALL


TestPools = Pools.TestCase
TestPools.settings = settings(max_examples=50, stateful_step_count=20, deadline=None, derandomize=True, database=None)


def start(work: Callable[..., object], *given: object) -> threading.Thread:
    """Do some work on a thread of its own."""
    thread = threading.Thread(target=work, args=given, daemon=True)
    thread.start()
    return thread


def test_nothing_goes_for_what_waits_for_another_to_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[int] = []
    asked, may_end, looked = [threading.Event(), threading.Event()], threading.Event(), threading.Semaphore(0)
    monkeypatch.setattr(pool, "pulse", looked.release)

    def make(n: int) -> int:
        if n > 50:
            asked[n - 61].set()
            may_end.wait(20)
        return n

    things = pool_of(gone, make=make, one_by_one=True)
    things.get(30)
    threads = [start(things.get, 61)]
    assert asked[0].wait(20)
    threads.append(start(things.get, 62))
    assert all(looked.acquire(timeout=20) for _ in range(2))  # the second has looked for room more than once
    assert gone == [] and not asked[1].is_set()
    may_end.set()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads) and (62,) in things.kept


def test_a_thing_that_is_made_of_another_does_not_wait_for_itself() -> None:
    pools = list[Pool]()
    for one_by_one in (True, False):
        things = pool_of([], make=lambda n: n if n < 50 else 2 * pools[-1].get(n - 50), one_by_one=one_by_one)
        pools.append(things)
        asks = start(things.get, 70)
        asks.join(10)
        assert not asks.is_alive() and things.get(70) == 40 and set(things.kept) == {(70,), (20,)}


def test_who_has_nothing_yet_waits_for_room_and_may_leave() -> None:
    things, started, let_end = pool_of([]), threading.Event(), threading.Event()

    def first() -> None:
        with borrowing():
            things.get(80)
            started.set()
            let_end.wait(10)

    thread = start(first)
    assert started.wait(10)
    with borrowing(), listening(leave), pytest.raises(Leave):
        things.get(70)
    assert (70,) not in things.kept and not things.making
    let_end.set()
    thread.join(10)
    with borrowing():
        assert things.get(70) == 70


def test_the_same_thing_is_made_once_for_all_who_ask() -> None:
    go_on = threading.Event()
    things = pool_of([], make=lambda n: n if go_on.wait(10) else 0)
    threads = [start(things.get, 1) for _ in range(4)]
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert things.made == 1


def test_what_the_system_cannot_give_is_let_go_of_first() -> None:
    gone: list[int] = []
    left = {"now": 100, "freed": 0}

    def give_back() -> None:
        left["now"] += left["freed"]
        left["freed"] = 0

    class Counted(list[int]):
        def append(self, n: int) -> None:
            gone.append(n)
            left["freed"] += n

    things = pool_of(Counted(), budget=Budget(1000, lambda: left["now"], give_back))
    things.most_bytes = 900
    things.get(60)
    things.get(20)
    left["now"] = 30  # somebody else took the rest
    things.get(80)
    assert gone == [60] and left == {"now": 90, "freed": 0}


def test_results_are_counted_in_bytes_and_made_once(small: TextEncoder) -> None:
    made = []

    def make(size: int) -> dict[str, np.ndarray]:
        made.append(size)
        return {"x": np.zeros(size, np.uint8)}

    results = Results(make, 1500)
    assert results.get(500) is results.get(500)
    for size in (600, 700, 500, 5000):  # there is no room for the first any more, and the last is never kept
        assert len(results.get(size)["x"]) == size
    assert len(results.get(5000)["x"]) == 5000
    assert made == [500, 600, 700, 500, 5000, 5000]
    assert results.held <= 1500 and results.has(500)  # what is too large drives nothing else out
    assert 4 * 1000 <= nbytes([torch.zeros(10), {"x": (np.zeros(990, np.float32),)}]) <= 4 * 1000 + 500
    assert nbytes("x" * 1000) >= 1000 and nbytes(replace(TINY)) < 5000
    found = survey(small, ["The cat."])
    assert nbytes(found) >= found.likeness.nbytes + found.layer_cka.nbytes


# Models and runs


def test_a_model_counts_its_prepacked_weights_frees_them_and_its_twin_is_drawn_without_it(base: TextEncoder) -> None:
    name = offered_models.built(EncoderConfig(d_model=64, n_heads=2, n_layers=2, d_ff=128), 3)
    encoder = engine.text_encoder(name)
    weights = sum(parameter.nbytes for parameter in encoder.model.parameters())
    assert weights < engine.model_cache.kept[(name,)].nbytes <= 2 * weights
    engine.model_cache.forget(name)
    assert sum(parameter.nbytes for parameter in encoder.model.parameters()) == 0
    assert not any(engine.has_packed(part) for part in encoder.model.modules())
    assert engine.run(name, "The cat.").tokens[1] == "the"  # and it is made again when it is asked for
    engine.model_cache.clear()
    drawn = engine.text_encoder("base-untrained")
    assert set(engine.model_cache.kept) == {("base-untrained",)}
    expected = TextEncoder.from_config(base.config, tokenizer=base.tokenizer)
    ours, theirs = drawn.model.state_dict(), expected.model.state_dict()
    assert drawn.config == base.config and drawn.tokenizer.to_str() == base.tokenizer.to_str()
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)
    engine.model_cache.clear()


def test_a_run_that_was_let_go_frees_its_numbers_and_makes_them_again(small: TextEncoder) -> None:
    trace, again = small.trace("The cat."), []

    def once_more() -> Any:
        again.append(1)
        return small.trace("The cat.")

    names, before = list(trace), trace["output"].clone()
    memory_of = weakref.ref(trace._values["output"])
    trace.let_go(once_more)
    assert memory_of() is None and trace.nbytes == 0 and not again
    assert list(trace) == names and "output" in trace and trace.tokens[1] == "the"
    assert torch.equal(trace["output"], before) and again
    assert trace.model is small.model and trace.array("layers.0.attention.weights").shape[0] == 4


def test_a_page_keeps_no_numbers_of_a_run_that_was_let_go() -> None:
    """Not even in what waits for a search for garbage."""
    gc.disable()
    try:
        type_sentence(go(open_app("models"), "class"), "Nobody has looked at this before.")
        kept = [
            weakref.ref(engine.run_cache.kept[name].value._values[step])
            for name in engine.run_cache.kept
            if name[1] == "Nobody has looked at this before."
            for step in ("layers.4.attention.weights", "layers.4.attention.scores", "output")
        ]
        assert kept
        engine.run_cache.clear()
        assert [numbers for numbers in kept if numbers() is not None] == []
    finally:
        gc.enable()


def test_a_model_stays_while_somebody_thinks_and_goes_when_all_have_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looked at a page for ten seconds had his own model loaded again."""
    name = offered_models.built(EncoderConfig(d_model=16, n_heads=2, n_layers=1, d_ff=16), 7)
    line, later = {"open"}, monotonic
    monkeypatch.setattr(visitor, "_open", line)
    engine.run(name, "The cat.")

    def after(seconds: float) -> tuple[bool, bool]:
        with monkeypatch.context() as patched:
            patched.setattr(pool, "monotonic", lambda: later() + seconds)
            engine.drop_idle()
        return engine.is_loaded(name), engine.is_kept(name, "The cat.")

    monkeypatch.setattr(memory, "left", lambda: memory.MOST_MB * 1e6)
    assert after(60) == (True, True)
    with monkeypatch.context() as scarce:
        scarce.setattr(memory, "left", lambda: 0.1 * memory.MOST_MB * 1e6)
        assert after(5) == (True, True)
    line.clear()
    assert after(5) == (True, True)  # a page that is loaded anew finds it
    assert after(60) == (False, False)
    engine.run(name, "The cat.")
    line.add("open")
    assert after(200) == (False, False)
    engine.run(name, "The cat.")
    monkeypatch.setattr(memory, "left", lambda: 0.1 * memory.MOST_MB * 1e6)
    assert after(60) == (False, False)


def test_a_survey_ends_where_whoever_asked_for_it_leaves(small: TextEncoder) -> None:
    shares: list[float] = []

    def hear(share: float) -> None:
        shares.append(share)
        if share > 0.2:
            raise Leave

    with pytest.raises(Leave):
        survey(small, SENTENCES, hear)
    assert shares == sorted(shares) and shares[-1] < 0.4
    pulses: list[int] = []
    with listening(lambda: pulses.append(1)):
        survey(small, SENTENCES[:3])
    assert len(pulses) > 16  # runs, heads and shuffles


def test_a_model_that_takes_long_is_offered_with_its_time_and_loaded_on_a_click(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = offered_models.built(EncoderConfig(d_model=16, n_heads=2, n_layers=1, d_ff=16), 77)
    monkeypatch.setattr(offered_models, "seconds", lambda asked: 30.0 if asked == name else 0.0)
    app = open_app("class", model=name, layer="0", head="0")
    assert "about 30 seconds to load" in said(app) and not engine.is_loaded(name)
    healthy(app.button(key="load_model").click().run())
    assert app.session_state["session"].view.model == name and engine.is_loaded(name) and not said(app)
    spoken = {0.2: "about 1 second", 2.4: "about 3 seconds", 600: "about 10 minutes", 8000: "about 2 hours"}
    assert {seconds: jobs.spoken(seconds) for seconds in spoken} == spoken


def test_settings_that_say_nothing_are_logged_and_the_hub_is_off_in_any_spelling(
    model_root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for text, value in (("abc", 1500), ("", 1500), ("-5", 1500), ("1e3", 1500), ("\u00b2", 1500), (" 800 ", 800)):
        caplog.clear()
        monkeypatch.setenv("ENCODER_MOST_MB", text)
        with caplog.at_level(logging.WARNING):
            assert memory.setting("ENCODER_MOST_MB", 1500) == value
        assert ("ENCODER_MOST_MB" in caplog.text) == (value == 1500), text
    monkeypatch.setenv("ENCODER_HUB", "on")
    assert offered_models.hub_is_on()
    for text in ("", "OFF", " 0 ", "False", "no"):
        monkeypatch.setenv("ENCODER_HUB", text)
        assert not offered_models.hub_is_on()
        with pytest.raises(ValueError, match="fetches no models"):
            offered_models.fetch("prajjwal1/bert-tiny", lambda done, total: None)


def test_folders_are_bounded_and_the_hub_gives_only_so_many(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        put(model_root / name)
    monkeypatch.setattr(offered_models, "MOST_FETCHED", 2)
    with pytest.raises(ValueError, match="holds 2 of"):
        offered_models.fetch("someone/third", lambda done, whole: None)
    monkeypatch.setattr(offered_models, "MOST_MB", 0.01)
    assert "this server allows" in said(open_app(model="folder:one", sentence=SENTENCE))


# Long work in turn


def test_jobs_start_in_the_order_they_came_and_hear_their_place() -> None:
    queue, started, told = Turns(at_once=1), [], dict[int, list[int]]((i, []) for i in range(3))
    heard = threading.Semaphore(0)

    def work(i: int) -> None:
        def tell(before: int) -> None:
            told[i].append(before)
            heard.release()

        with queue.turn(tell):
            started.append(i)

    threads = []
    with queue.turn(leave):  # one that is free is passed without a word
        for i in range(3):
            threads.append(start(work, i))
            assert heard.acquire(timeout=10)
    for thread in threads:
        thread.join(10)
    assert started == [0, 1, 2] and queue.line == []
    assert [places[0] for places in told.values()] == [1, 2, 3]
    assert all(places == sorted(places, reverse=True) for places in told.values())


def test_a_place_is_given_up_while_waiting_and_while_working_and_too_many_are_refused() -> None:
    queue = Turns(at_once=1, most_waiting=1)
    queue.line.append(at_work := Ticket(""))
    with pytest.raises(Leave), queue.turn(leave):
        raise AssertionError("it is not its turn")
    with listening(leave), pytest.raises(Leave), queue.turn():
        raise AssertionError("it is not its turn")
    assert queue.line == [at_work]
    queue.line.append(Ticket(""))
    with pytest.raises(FullError, match="1 long computations wait already"), queue.turn(print):
        raise AssertionError("there is no room")
    queue.line.clear()
    with pytest.raises(Leave), queue.turn(leave), queue.turn(leave):  # work within work of the kind is part of it
        raise Leave
    assert queue.line == []


def test_visitors_take_turns_and_one_fills_no_line() -> None:
    """Thirty-four open pages of one visitor kept the line full for as long as they stood open."""
    queue, started, may = Turns(1, most_waiting=10, most_of_one=4), list[str](), threading.Event()

    def work(who: str, number: int) -> None:
        with working_for(who), queue.turn():
            started.append(f"{who}{number}")
            assert may.wait(10)

    threads = list[threading.Thread]()
    for who, number in (("a", 0), ("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 0), ("c", 0), ("b", 1)):
        threads.append(start(work, who, number))
        end = monotonic() + 10
        while len(queue.line) < len(threads) and monotonic() < end:
            sleep(0.01)
    with working_for("a"), pytest.raises(FullError, match="from your network"), queue.turn():
        raise AssertionError("he has as many as may wait")
    may.set()
    for thread in threads:
        thread.join(10)
    assert started == ["a0", "b0", "c0", "a1", "b1", "a2", "a3", "a4"] and queue.line == []


def test_what_is_heavy(base: TextEncoder) -> None:
    """A sentence of any length in `base` is not; a full one in the shape of BERT-base is."""
    bert, trace = PRESETS["bert-base"], base.trace("I understand this")
    assert jobs.seconds(base.config, 512) <= jobs.SHORT < jobs.seconds(base.config, 512, runs=2)
    assert jobs.seconds(bert, 12) <= jobs.SHORT < jobs.seconds(bert, 512)
    assert run_flops(base.config, len(trace.tokens)) == sum(cost.flops for cost in step_costs(trace))


def test_a_full_queue_is_said_on_the_page_and_tried_again_and_short_runs_do_not_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full = Turns(at_once=1, most_waiting=0)
    monkeypatch.setattr(jobs, "heavy", full)
    full.line.append(Ticket(""))
    app = open_app("models", sentence="Nobody has typed this before.")
    assert not app.warning
    monkeypatch.setattr(jobs, "SHORT", 0)
    choose(app, sentence="Nor this.")
    assert "wait already" in healthy(app).warning[0].value
    full.line.clear()
    press(app, "try_again")
    assert not app.warning and bar(app)["sentence"] == "Nor this."
