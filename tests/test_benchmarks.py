"""The programs that measure work, in their smallest form, and a figure over its bar is one that fails."""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent / "benchmarks"))

import bench_burst
import bench_load
import bench_soak
import bench_trace
from figures import Figure, finish
from servers import Server
from visitors import LAB, visit

pytestmark = pytest.mark.slow


def test_a_figure_holds_up_to_its_bar(capsys: pytest.CaptureFixture[str]) -> None:
    holds, over, none = Figure("a", 1.0, 1.0), Figure("b", 1.1, 1.0, "ms"), Figure("c", float("nan"), 1.0)
    assert holds.holds and not over.holds and not none.holds and Figure("d", 9.0).holds
    assert [finish([holds], True), finish([holds, over], True), finish([holds, over], False)] == [0, 1, 0]
    assert "FAILS" in capsys.readouterr().out


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with bench_load.server() as server:
        yield server


@pytest.mark.nightly
def test_a_visitor_does_what_a_browser_does(running: Server) -> None:
    async def look() -> None:
        async with visit(running.url, "lessons", f"{LAB}&sentence=The+cat.") as visitor:
            assert visitor.path == "lessons" and "sentence=The+cat." in visitor.query
            await visitor.choose("layer", "2")
            assert "layer=2" in visitor.query and visitor.path == "lessons"
            await visitor.choose("sentence", "A dog.")
            assert "sentence=A+dog." in visitor.query and "layer=2" in visitor.query
            await visitor.run("heads")
            assert visitor.path == "heads" and "layer=2" in visitor.query
            await visitor.run()
            assert visitor.path == "heads" and visitor.sent[-1] < visitor.sent[0]
            assert not visitor.broken

    asyncio.run(look())


@pytest.mark.nightly
def test_every_program_of_a_running_app_measures(running: Server) -> None:
    rows = [row for name in ("", "packets") for row in bench_load.measure(running, 2, 0.05, 5.0, name)]
    rows += asyncio.run(bench_burst.burst(running, 2, rounds=1))
    rows += asyncio.run(bench_burst.follows(running, 2, seconds=0.1, steps=1, votes=1, pause=0.0))
    rows += asyncio.run(bench_soak.soak(running, sessions=2, reruns=20, kept=0.0))
    rows += asyncio.run(bench_soak.measure(running, "heads"))
    assert all(row.value == 0 for row in rows if row.name.endswith("errors")), [str(row) for row in rows]
    figures = [row for row in rows if not row.name.endswith("errors")]
    assert len(figures) >= 20 and all(row.value > 0 for row in figures if row.unit in ("ms", "s"))


@pytest.mark.nightly
def test_the_program_of_the_library_measures() -> None:
    small = replace(bench_trace.MODERN, d_model=48, n_layers=2, d_ff=64)
    rows = bench_trace.recording((8,), most=6, modern=small)
    ratios = [row.value for row in rows if row.name.startswith("record /")]
    assert len(ratios) >= 3 and all(0.1 < ratio < 10 for ratio in ratios)
    assert 0.05 < bench_trace.leaving_out(most=4).value < 10
    assert all(row.value > 0 for row in bench_trace.work(rounds=1, sentences=5) if row.unit != "MB")
