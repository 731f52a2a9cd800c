"""Large things that sessions share: made once, lent, bounded in bytes, and let go of when nobody looks at them."""

import gc
import logging
import re
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from model_page_tools import SENTENCE, put
from page_tools import go, healthy, open_app, said, type_sentence

from encoder import EncoderConfig, TextEncoder
from encoder.metrics import SENTENCES, survey
from encoder.support.progress import listening
from pages.ui.server import cost_gate, engine, memory, models, pool
from pages.ui.server.pool import Budget, Pool, borrowing, waiting_for

pytestmark = pytest.mark.slow


class Leave(BaseException):
    """What Streamlit raises in a script that is to stop, or much like it."""


def pool_of(most: int, gone: list[int]) -> Pool:
    """Numbers, each as large as it says."""
    return Pool(
        lambda n: n,
        most,
        expected=lambda n: n,
        size=lambda n: n,
        let_go=lambda key, n: gone.append(n),
        stays=lambda key: key == (7,),
    )


def test_what_is_on_loan_stays_and_the_rest_goes_oldest_first() -> None:
    gone: list[int] = []
    things = pool_of(100, gone)
    with borrowing("page"):
        assert things.get(60) == 60
        with borrowing("page"):  # a block within another is part of that
            things.get(30)
        things.get(50)  # who has something does not wait
        assert gone == [] and things.held == 140
    assert gone == [60] and things.held == 80
    things.get(7)
    things.get(90)
    assert gone == [60, 30, 50] and things.made == 5


def test_what_stays_goes_last() -> None:
    gone: list[int] = []
    things = pool_of(100, gone)
    things.get(7)
    things.get(60)
    things.get(61)
    assert gone == [60] and (7,) in things.kept


def test_nothing_goes_for_what_waits_for_another_to_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[int] = []
    asked, may_end, looked = [threading.Event(), threading.Event()], threading.Event(), threading.Semaphore(0)
    monkeypatch.setattr(pool, "pulse", looked.release)

    def make(n: int) -> int:
        if n > 50:
            may_end.wait(20)
        return n

    def expected(n: int) -> int:
        if n > 50:
            asked[n - 61].set()
        return n

    things = Pool(make, 100, expected=expected, size=lambda n: n, let_go=lambda key, n: gone.append(n), one_by_one=True)
    things.get(30)
    threads = [threading.Thread(target=things.get, args=(n,)) for n in (61, 62)]
    for one, was_asked in zip(threads, asked, strict=True):
        one.start()
        assert was_asked.wait(20)
    assert all(looked.acquire(timeout=20) for _ in range(3))  # the second has looked for room more than once
    assert gone == []
    may_end.set()
    for one in threads:
        one.join(20)
    assert not any(one.is_alive() for one in threads) and (62,) in things.kept


@pytest.mark.parametrize("one_by_one", [True, False])
def test_a_thing_that_is_made_of_another_does_not_wait_for_itself(one_by_one: bool) -> None:
    def make(n: int) -> int:
        return n if n < 50 else 2 * things.get(n - 50)

    things = Pool(make, 100, expected=lambda n: n, size=lambda n: n, let_go=lambda key, n: None, one_by_one=one_by_one)
    asks = threading.Thread(target=things.get, args=(70,), daemon=True)
    asks.start()
    asks.join(10)
    assert not asks.is_alive() and things.get(70) == 40 and set(things.kept) == {(70,), (20,)}


def test_the_untrained_twin_of_a_model_is_drawn_without_it(base: TextEncoder) -> None:
    engine.model_cache.clear()
    drawn = engine.text_encoder("base-untrained")
    assert set(engine.model_cache.kept) == {("base-untrained",)}
    expected = TextEncoder.from_config(base.config, tokenizer=base.tokenizer)
    assert drawn.config == base.config and drawn.tokenizer.to_str() == base.tokenizer.to_str()
    ours, theirs = drawn.model.state_dict(), expected.model.state_dict()
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)
    engine.model_cache.clear()


def test_who_has_nothing_yet_waits_for_room_and_may_leave() -> None:
    things, started, ended = pool_of(100, []), threading.Event(), threading.Event()
    let_end = threading.Event()

    def first() -> None:
        with borrowing("one"):
            things.get(80)
            started.set()
            let_end.wait(10)
        ended.set()

    def leave() -> None:
        raise Leave

    thread = threading.Thread(target=first)
    thread.start()
    assert started.wait(10)
    with borrowing("two"), listening(leave), pytest.raises(Leave):
        things.get(70)
    assert (70,) not in things.kept and not things.making
    let_end.set()
    thread.join(10)
    with borrowing("two"):
        assert things.get(70) == 70


def test_the_same_thing_is_made_once_for_all_who_ask() -> None:
    go_on = threading.Event()

    def make(n: int) -> int:
        go_on.wait(10)
        return n

    things = Pool(make, 10, expected=lambda n: n, size=lambda n: n, let_go=lambda key, n: None)
    threads = [threading.Thread(target=things.get, args=(1,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert things.made == 1


def test_what_no_open_page_shows_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[int] = []
    things = pool_of(1000, gone)
    for visitor, n in (("here", 1), ("left", 2), ("here", 3)):
        with borrowing(visitor):
            things.get(n)
    things.get(7)
    assert not things.drop_unseen(lambda visitor: visitor == "here")  # a page that is loaded anew finds it
    monkeypatch.setattr(pool, "GRACE", -1.0)
    assert things.drop_unseen(lambda visitor: visitor == "here")
    assert gone == [1, 2] and set(things.kept) == {(3,), (7,)}


def test_a_lock_is_not_waited_for_by_who_has_left() -> None:
    lock = threading.Lock()

    def leave() -> None:
        raise Leave

    with lock, listening(leave), pytest.raises(Leave), waiting_for(lock):
        raise AssertionError("somebody else has it")
    assert not lock.locked()


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
    app = open_app("embedding")
    for key in ("attention", "heads", "stack"):
        gc.disable()
        try:
            type_sentence(go(app, key), "Nobody has looked at this before.")
            kept = [
                weakref.ref(engine.run_cache.kept[name].value._values[step])
                for name in engine.run_cache.kept
                if name[1] == "Nobody has looked at this before."
                for step in ("layers.4.attention.weights", "layers.4.attention.scores", "output")
            ]
            assert kept
            engine.run_cache.clear()
            assert [one for one in kept if one() is not None] == [], key
        finally:
            gc.enable()


def test_a_survey_ends_where_whoever_asked_for_it_leaves(small: TextEncoder) -> None:
    seen: list[float] = []

    def leave(share: float) -> None:
        seen.append(share)
        if share > 0.2:
            raise Leave

    with pytest.raises(Leave):
        survey(small, SENTENCES, leave)
    assert seen == sorted(seen) and seen[-1] < 0.4
    pulses = []
    with listening(lambda: pulses.append(1)):
        survey(small, SENTENCES[:3])
    assert len(pulses) > 16  # runs, heads and shuffles


def test_a_model_that_takes_long_is_offered_with_its_time_and_loaded_on_a_click(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = models.built(EncoderConfig(d_model=16, n_heads=2, n_layers=1, d_ff=16), 77)
    monkeypatch.setattr(models, "seconds", lambda asked: 30.0 if asked == name else 0.0)
    app = open_app("atlas", model=name, layer="0", head="0")
    assert "about 30 seconds to load" in said(app) and not engine.is_loaded(name)
    healthy(app.button(key="load_model").click().run())
    assert app.session_state["session"].view.model == name and engine.is_loaded(name) and not said(app)


def test_times_in_words() -> None:
    assert [cost_gate.spoken(s) for s in (0.2, 2.4, 89, 600, 8000)] == [
        "about 1 second",
        "about 3 seconds",
        "about 89 seconds",
        "about 10 minutes",
        "about 2 hours",
    ]


@pytest.mark.parametrize("text", ["abc", "", "-5", "0", "1e3", "²"])
def test_a_setting_that_is_no_number_is_logged_and_the_usual_one_counts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    monkeypatch.setenv("ENCODER_MOST_MB", text)
    with caplog.at_level(logging.WARNING):
        assert memory.setting("ENCODER_MOST_MB", 1500) == 1500
    assert "ENCODER_MOST_MB" in caplog.text and "1500" in caplog.text
    monkeypatch.setenv("ENCODER_MOST_MB", " 800 ")
    assert memory.setting("ENCODER_MOST_MB", 1500) == 800


@pytest.mark.parametrize("text", ["", "off", "OFF", " 0 ", "false", "False", "no"])
def test_nothing_is_fetched_where_a_server_says_so_in_any_spelling(
    model_root: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("ENCODER_HUB", "on")
    assert models.hub_is_on()
    monkeypatch.setenv("ENCODER_HUB", text)
    assert not models.hub_is_on()
    with pytest.raises(ValueError, match="fetches no models"):
        models.fetch("prajjwal1/bert-tiny", lambda done, total: None)


def test_a_folder_is_bounded_like_any_model(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(model_root / "mine")
    monkeypatch.setattr(models, "MOST_MB", 0.01)
    assert "this server allows" in said(open_app(model="folder:mine", sentence=SENTENCE))


def test_the_hub_gives_only_so_many_models(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        put(model_root / name)
    monkeypatch.setattr(models, "MOST_FETCHED", 2)
    with pytest.raises(ValueError, match="holds 2 of"):
        models.fetch("someone/third", lambda done, whole: None)


def test_a_kept_model_counts_its_prepacked_weights_and_frees_them(small: TextEncoder) -> None:
    name = models.built(EncoderConfig(d_model=64, n_heads=2, n_layers=2, d_ff=128), 3)
    encoder = engine.text_encoder(name)
    weights = sum(one.nbytes for one in encoder.model.parameters())
    assert weights < engine.model_cache.kept[(name,)].nbytes <= 2 * weights
    engine.model_cache.forget(name)
    assert sum(one.nbytes for one in encoder.model.parameters()) == 0
    assert not any(engine.has_packed(part) for part in encoder.model.modules())
    assert engine.run(name, "The cat.").tokens[1] == "the"  # and it is made again when it is asked for


def test_pools_that_share_a_budget_let_go_of_the_oldest_in_any_of_them() -> None:
    gone: list[tuple[str, int]] = []
    shared = Budget(100)

    def kind(name: str) -> Pool:
        return Pool(
            lambda n: n,
            90,
            expected=lambda n: n,
            size=lambda n: n,
            let_go=lambda key, n: gone.append((name, n)),
            budget=shared,
        )

    large, little = kind("large"), kind("little")
    large.get(50)
    little.get(20)
    little.get(25)
    large.get(50)  # used again just now
    large.get(30)
    assert gone == [("little", 20), ("little", 25)] or gone == [("little", 20)]
    assert shared.held == large.held + little.held <= 100
    little.get(60)
    assert ("large", 50) in gone and ("large", 30) not in gone[: gone.index(("large", 50))]
    assert shared.held <= 100


def test_what_is_held_can_be_read_while_others_come_and_go() -> None:
    """The page Models shows it, whatever other visitors do in that moment."""
    things, found, done = pool_of(10**6, []), list[object](), threading.Event()
    for n in range(300):
        things.get(n)

    def read() -> None:
        try:
            while not done.is_set():
                assert things.held == things.budget.held == 44_850
        except BaseException as error:
            found.append(error)

    before = sys.getswitchinterval()
    readers = [threading.Thread(target=read) for _ in range(2)]
    try:
        sys.setswitchinterval(1e-6)
        for reader in readers:
            reader.start()
        for n in 20 * list(range(300)):
            things.get(n)  # moves it behind all others
    finally:
        sys.setswitchinterval(before)
        done.set()
        for reader in readers:
            reader.join()
    assert found == []


def test_what_the_system_cannot_give_is_let_go_of_first() -> None:
    gone: list[int] = []
    real = {"left": 100, "freed": 0}

    def let_go(key: pool.Key, n: int) -> None:
        gone.append(n)
        real["freed"] += n

    def give_back() -> None:
        real["left"] += real.pop("freed")
        real["freed"] = 0

    shared = Budget(1000, lambda: real["left"], give_back)
    things = Pool(lambda n: n, 900, expected=lambda n: n, size=lambda n: n, let_go=let_go, budget=shared)
    things.get(60)
    things.get(20)
    real["left"] = 30  # somebody else took the rest
    things.get(80)
    assert gone == [60] and real == {"left": 90, "freed": 0}


def test_the_page_of_costs_says_what_the_server_holds() -> None:
    app = open_app("model_cost")
    kept = engine.held_by(engine.text_encoder("base")) / 1e6
    (words,) = [one.value for one in app.caption if one.value.startswith("Models ")]
    models_mb, runs_mb, results_mb, rest = (float(one.replace(",", "")) for one in re.findall(r"([\d,]+) MB", words))
    assert models_mb >= round(kept) - 1 and runs_mb > 0
    assert models_mb + runs_mb + results_mb == pytest.approx(engine.budget.held / 1e6, abs=2)
    assert rest > 100 and models_mb + runs_mb + results_mb + rest == pytest.approx(memory.used() / 1e6, rel=0.1)
