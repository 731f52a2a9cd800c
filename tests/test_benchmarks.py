"""Benchmarks of servers, runs and films work, in their smallest form, and a figure over its bar is one that fails."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "benchmarks"))

import bench_burst  # noqa: E402
import bench_class  # noqa: E402
import bench_explorer  # noqa: E402
import bench_film  # noqa: E402
import bench_load  # noqa: E402
import bench_pages  # noqa: E402
import bench_soak  # noqa: E402
import bench_trace  # noqa: E402
import bench_why  # noqa: E402
from browser_tools import Server  # noqa: E402
from figures import Figure, finish  # noqa: E402
from visitors import visit  # noqa: E402

pytestmark = pytest.mark.slow


def test_a_figure_holds_up_to_its_bar(capsys: pytest.CaptureFixture[str]) -> None:
    holds, over, none = Figure("a", 1.0, 1.0), Figure("b", 1.1, 1.0, "ms"), Figure("c", float("nan"), 1.0)
    assert holds.holds and not over.holds and not none.holds and Figure("d", 9.0).holds
    assert finish([holds], check=True) == 0
    assert finish([holds, over], check=True) == 1
    assert finish([holds, over], check=False) == 0
    assert "FAILS" in capsys.readouterr().out


@pytest.fixture(scope="module")
def running():
    with bench_load.server() as server:
        yield server


def test_a_visitor_does_what_a_browser_does(running: Server) -> None:
    async def look() -> None:
        async with visit(running.url, "atlas", "sentence=The+cat.") as visitor:
            assert visitor.path == "atlas" and "sentence=The+cat." in visitor.query
            await visitor.choose("layer", "2")
            assert "layer=2" in visitor.query and visitor.path == "atlas"
            await visitor.choose("sentence", "A dog.")
            assert "sentence=A+dog." in visitor.query and "layer=2" in visitor.query
            await visitor.run("heads")
            assert visitor.path == "heads" and "layer=2" in visitor.query
            await visitor.run()
            assert visitor.path == "heads" and visitor.sent[-1] < visitor.sent[0]
            assert not visitor.broken

    asyncio.run(look())


@pytest.mark.nightly
def test_the_benchmarks_of_a_running_app(running: Server) -> None:
    found = bench_load.measure(running, sessions=2, think=0.05, seconds=1.0)
    assert found[-1].value == 0 and found[0].value > 0
    found = asyncio.run(bench_film.measured(running, sessions=1, seconds=2, size="360p", without=1.0))
    assert found[-1].value == 0 and found[0].value > 0
    found = asyncio.run(bench_burst.burst(running, sessions=2, spread=0.0, rounds=1))
    assert found[-1].value == 0 and all(one.value > 0 for one in found[:-1])
    told = asyncio.run(bench_class.lead(running, pupils=2, seconds=0.1, steps=1, votes=1, pause=0.0))
    assert told.broken == [] and told.idle >= 0 and told.steps[0] > 0 and told.answers[0] > 0
    found = asyncio.run(bench_soak.soak(running, sessions=2, reruns=20, kept=0.0))
    assert found[-1].value == 0
    assert len(asyncio.run(bench_pages.memory(running, sessions=2))) == 5
    asked = {"level": 3, "layer": 1, "second": "", "model": "base", "hidden": [], "edits": ""}
    told, asks = bench_explorer.Class(), {"feed_forward": [{"path": "/api/run", "asked": asked}]}
    asyncio.run(bench_explorer.pupil(running.url, 1, asks, perf_counter() + 2 * bench_explorer.THINK, told))
    assert told.broken == [] and all(one > 0 for one in told.packets) and told.packets


@pytest.mark.nightly
def test_the_benchmark_of_saying_why() -> None:
    found = bench_why.figures(rounds=1)
    assert len(found) == 4 and all(0 < figure.value < 20 for figure in found)


@pytest.mark.nightly
def test_the_benchmark_of_recording() -> None:
    found = {figure.name: figure.value for figure in bench_trace.figures((8,), most=4)}
    assert all(0.1 < found[f"record / {other}, n = 8"] < 10 for other in ("plain", "torch", "bert"))
    small = replace(bench_trace.MODERN, d_model=48, n_layers=2, d_ff=64)
    assert 0.1 < bench_trace.modern((8,), 4, small)[0].value < 10
