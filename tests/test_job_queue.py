"""Heavy work waits in a queue: in order, with its place told, given up on the way, refused where too many wait."""

import threading
from dataclasses import replace

import numpy as np
import pytest
import torch
from page_tools import choose, go, healthy, open_app
from tiny import TINY

from encoder import PRESETS, TextEncoder
from encoder.explain.cost import run_flops, step_costs
from pages.ui.server import engine, job_queue, measurements
from pages.ui.server.job_queue import FullError, JobQueue
from pages.ui.server.pool import Results, nbytes

pytestmark = pytest.mark.slow


class Leave(BaseException):
    """What Streamlit raises in a script that is to stop, or much like it."""


def test_a_free_queue_is_passed_at_once() -> None:
    queue, told = JobQueue(at_once=2), []
    with queue.slot(told.append), queue.slot(told.append):
        assert len(queue.line) == 2
    assert (queue.line, told) == ([], [])


def test_jobs_start_in_the_order_they_came_and_hear_their_place() -> None:
    queue, started, told = JobQueue(at_once=1), [], {i: [] for i in range(3)}
    heard = threading.Semaphore(0)

    def work(i: int) -> None:
        def tell(before: int) -> None:
            told[i].append(before)
            heard.release()

        with queue.slot(tell):
            started.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    with queue.slot(lambda before: None):
        for thread in threads:
            thread.start()
            assert heard.acquire(timeout=10)
    for thread in threads:
        thread.join(10)
    assert started == [0, 1, 2]
    assert [places[0] for places in told.values()] == [1, 2, 3]
    assert all(places == sorted(places, reverse=True) for places in told.values())
    assert queue.line == []


def test_a_place_is_given_up_while_waiting_and_while_working() -> None:
    queue = JobQueue(at_once=1)

    def leave(before: int) -> None:
        raise Leave

    with queue.slot(leave):
        with pytest.raises(Leave), queue.slot(leave):
            raise AssertionError("it is not its turn")
        assert len(queue.line) == 1
    with pytest.raises(Leave), queue.slot(leave):
        raise Leave
    assert queue.line == []


def test_too_many_are_refused_with_a_sentence() -> None:
    queue = JobQueue(at_once=1, most_waiting=0)
    with queue.slot(print), pytest.raises(FullError, match="0 long computations wait already"), queue.slot(print):
        raise AssertionError("there is no room")
    with queue.slot(print):
        pass


def test_what_is_heavy() -> None:
    """A sentence of any length in `base` is not; a full one in the shape of BERT-base is."""
    base, bert = TextEncoder.from_pretrained("base").config, PRESETS["bert-base"]
    assert not job_queue.is_heavy(base, 512)
    assert job_queue.is_heavy(base, 512, runs=2)
    assert job_queue.is_heavy(bert, 512) and not job_queue.is_heavy(bert, 12)


def test_operations_of_a_run_are_those_of_its_steps(base: TextEncoder) -> None:
    trace = base.trace("I understand this")
    assert run_flops(base.config, len(trace.tokens)) == sum(cost.flops for cost in step_costs(trace))


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> JobQueue:
    """A queue in which one job works and none may wait."""
    queue = JobQueue(at_once=1, most_waiting=0)
    monkeypatch.setattr(job_queue, "queue", queue)
    queue.line.append("a job at work")
    return queue


def test_a_full_queue_is_said_on_the_page_and_tried_again(full: JobQueue) -> None:
    app = go(open_app(), "what_if")
    healthy(app.button(key="loo_go").click().run())
    assert "wait already" in app.warning[0].value
    full.line.clear()
    healthy(app.button(key="try_again").click().run())
    assert not app.warning
    healthy(app.button(key="loo_go").click().run())
    assert any("matters most" in m.value for m in app.markdown)


def test_short_runs_do_not_wait_behind_long_ones(full: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.run_cache.clear()
    app = open_app("figure", sentence="Nobody has typed this before.")
    assert not app.warning
    monkeypatch.setattr(job_queue, "HEAVY_FLOPS", 0)
    choose(app, sentence="Nor this.")
    assert "wait already" in healthy(app).warning[0].value


def test_results_are_counted_in_bytes_and_made_once() -> None:
    made = []

    def make(size: int) -> dict[str, np.ndarray]:
        made.append(size)
        return {"x": np.zeros(size, np.uint8)}

    results = Results(make, 1500)
    assert results.get(500) is results.get(500)
    results.get(600)
    results.get(700)  # there is no room for the first any more
    results.get(500)
    results.get(5000)  # too large to keep, and handed out all the same
    assert len(results.get(5000)["x"]) == 5000
    assert made == [500, 600, 700, 500, 5000, 5000]
    assert results.held <= 1500 and results.has(500)  # what is too large drives nothing else out
    results.forget(500)
    assert (500,) not in results.kept


def test_the_size_of_a_result_is_that_of_its_numbers(small: TextEncoder) -> None:
    assert 4 * 1000 <= nbytes([torch.zeros(10), {"x": (np.zeros(990, np.float32),)}]) <= 4 * 1000 + 500
    assert nbytes("x" * 1000) >= 1000
    found = measurements.surveyed("small", "The cat.")
    assert nbytes(found) >= found.likeness.nbytes + found.layer_cka.nbytes
    assert nbytes(replace(TINY)) < 5000
