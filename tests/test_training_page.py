"""Training: recorded runs play, live ones train in a process of their own, and what was learned is opened."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import pytest
import torch
from page_tools import go, healthy, keys, maps, models_offered, open_app, page_shown, press, said, shown_view, words
from processes import family, until
from streamlit.testing.v1 import AppTest
from visits import link

from encoder.tasks.models import recorded
from encoder.tasks.settings import LearnSettings, read, usual
from encoder.tasks.task import TASKS
from pages.ui.server import engine, jobs, live_training, task_models
from pages.ui.server.live_training import LiveRuns

pytestmark = pytest.mark.slow

SMALL = "Small networks"
QUICK = LearnSettings("majority", width=16, steps=50, seed=3)
SLOW = LearnSettings("sort", steps=2500, seed=3)
THIS = {
    "training_part": SMALL,
    "training_task": "majority",
    "training_width": "16",
    "training_steps": "50",
    "training_seed": "3",
}  # its link


def player(app: AppTest) -> dict[str, Any]:
    return maps(app, "learning")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveRuns]:
    """A server's runs, which end with the test."""
    found = LiveRuns()
    for module in ("pages.training.task_section", "pages.ui.server.task_models"):
        monkeypatch.setattr(f"{module}.live", found)
    yield found
    for settings in list(found.runs):
        found.stop(settings)
    until(lambda: not any(run.goes_on for run in found.runs.values()))


def test_every_task_plays_at_once_and_where_it_fails_it_is_told_why() -> None:
    app = open_app("training", training_part=SMALL)
    for key, task in TASKS.items():
        healthy(app.pills(key="training_task").set_value(key).run())
        sent, text = player(app), words(app)
        assert not sent["live"] and sent["moments"][0]["step"] == 0 and sent["moments"][-1]["step"] == sent["last"]
        assert len(sent["signs"]) == task.length + 2 and len(sent["moments"][0]["right"]) == len(
            sent["lines"][1]["signs"]
        )
        assert sent["wanted"][1] == task.pattern and "of 256 inputs that it never saw" in text
        assert "train_now" not in keys(app) and len(json.dumps(sent)) < 150_000
    app = open_app("training", training_part=SMALL, training_positions="none")
    assert player(app)["moments"][-1]["exact"] == 0
    assert "answers 0 % of 256 inputs" in words(app) and "Without positions" in words(app)
    healthy(app.selectbox(key="training_positions").set_value("rotary").run())
    assert player(app)["moments"][-1]["exact"] < 0.5
    assert "not where it stands" in words(app) and "A second layer" not in words(app)


def test_a_rate_far_too_large_is_said(runs: LiveRuns) -> None:
    """What a run of that rate ends with: a loss about that of guessing."""
    settings = LearnSettings("shift", rate=1.0, steps=50)
    run = runs.runs[settings] = live_training.LiveRun(settings)
    first = recorded(usual("shift"))[0]
    run.moments += [first, replace(first, step=50, loss=2.05)]
    text = words(
        open_app("training", training_part=SMALL, training_task="shift", training_rate="1.0", training_steps="50")
    )
    assert "It learned nothing" in text and "The usual rate is 0.01, here it is 1." in text


def test_what_was_chosen_is_in_the_link_and_what_is_not_offered_is_told() -> None:
    app = open_app("training", training_part=SMALL)
    app.pills(key="training_task").set_value("sort").run()
    app.selectbox(key="training_seed").set_value(7).run()
    app.selectbox(key="training_norm").set_value(True).run()
    again = open_app("training", **link(app))
    assert again.pills(key="training_task").value == "sort" and again.selectbox(key="training_seed").value == 7
    assert again.selectbox(key="training_norm").value is True and again.selectbox(key="training_layers").value == 2
    app = open_app("training", training_part=SMALL, training_task="bake", training_rate="7", training_seed="-1")
    assert "not offered here" in said(app) and player(app)["last"] == 800


def test_the_trained_model_opens_at_its_head_with_inputs_of_the_task() -> None:
    app = open_app("training", training_part=SMALL, training_task="shift")
    press(app, "open_learned")
    shown = link(app)
    assert (page_shown(app), shown["layer"], shown["head"]) == ("attention", "0", "0")
    assert shown["model"] == "learned:task=shift" and len(shown["sentence"].split()) == 10
    assert "Shift: learned" in models_offered(app)
    assert shown_view(open_app("attention", **link(app))).model == "learned:task=shift"


@pytest.mark.parametrize("name", ["mystery:4", "learned:task=reverse"])
def test_a_model_that_was_let_go_of_opens_again(name: str) -> None:
    """A server that needs the room takes the weights out of a model; whoever asks for it later gets another one."""
    first = task_models.make(name)
    before = first.trace(task_models.examples(name)[0])["layers.0.attention.weights"].clone()
    engine.model_cache.empty((name,), first)
    after = task_models.make(name).trace(task_models.examples(name)[0])
    assert torch.equal(after["layers.0.attention.weights"], before)


def test_opened_models_are_walked_like_any_other_and_missing_ones_are_told() -> None:
    for model, row in (("learned:task=reverse", "a b c d e f g h a b"), ("mystery:4", "1 2 3 4 5 6 7 8")):
        app = open_app(model=model, sentence=row, layer="0", head="0")
        for page in ("start", "output", "heads", "models", "what_if"):
            assert shown_view(go(app, page)).model == model and not said(app)
    missing = ["learned:task=bake", "learned:task=shift,seed=9", "learned:", "by-hand:reverse"]
    for model in missing + [f"mystery:{number}" for number in ("11", "0", "", "²", "1e9", "-1")]:
        assert "The link asks for model" in said(open_app("class", model=model)), model


@pytest.mark.nightly
def test_a_run_is_trained_in_a_process_of_its_own_and_opened(runs: LiveRuns) -> None:
    app = open_app("training", **THIS)
    assert "Nobody has trained this here yet" in words(app)
    press(app, "train_now")
    run = runs.runs[QUICK]
    until(lambda: runs.look(QUICK) and run.moments)
    assert run.process is not None and run.process.pid != os.getpid() and "stop_training" in keys(app)
    app = healthy(app.run())
    assert player(app)["live"]
    while run.goes_on:
        runs.look(QUICK)
        sleep(0.1)
    assert run.whole and not run.ended
    process = run.process.pid
    until(lambda: not family(process))
    healthy(app.run())
    assert not player(app)["live"] and player(app)["moments"][-1]["step"] == 50
    press(app, "open_learned")
    assert link(app)["model"] == "learned:task=majority,width=16,steps=50,seed=3"


def begun(runs: LiveRuns, settings: LearnSettings = QUICK) -> live_training.LiveRun:
    """A run whose process has started."""
    runs.begin(settings)
    until(lambda: runs.runs[settings].process)
    return runs.runs[settings]


def test_a_killed_process_is_said_and_can_be_begun_again(runs: LiveRuns) -> None:
    run = begun(runs)
    assert run.process is not None
    os.kill(run.process.pid, signal.SIGKILL)
    until(lambda: run.ended)
    app = open_app("training", **THIS)
    assert "The process was ended from outside." in said(app)
    assert "train_now" in keys(app)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("place", "bound", "value", "sentence"),
    [
        (jobs, "MOST_SECONDS", 0.5, "It took longer than it may here"),
        (jobs, "MOST_MB", 5.0, "It took more memory than it may"),
        (live_training, "GRACE", 0.5, "It ended when nobody looked at it any more."),
    ],
)
def test_time_memory_and_absence_are_bounded(
    runs: LiveRuns, monkeypatch: pytest.MonkeyPatch, place: Any, bound: str, value: float, sentence: str
) -> None:
    if place is jobs:
        monkeypatch.setattr(jobs, bound, value)
    run = begun(runs, QUICK if place is jobs else SLOW)
    monkeypatch.setattr(place, bound, value)
    until(lambda: run.ended)
    assert run.ended.startswith(sentence) and run.process is not None and not family(run.process.pid)


@pytest.mark.nightly
def test_a_second_run_waits_and_is_told_how_long_and_nothing_else_waits(
    runs: LiveRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "training", jobs.Turns(at_once=1))
    first = begun(runs, SLOW)
    app = open_app("training", **THIS | {"training_seed": "4"})
    press(app, "train_now")
    second = runs.runs[read("task=majority,width=16,steps=50,seed=4")]
    until(lambda: second.before and runs.look(first.settings) and runs.look(second.settings))
    until(lambda: runs.look(second.settings) and runs.look(first.settings) and first.left)
    healthy(app.run())
    assert "Waiting: 1 run is before this one" in words(app) and second.process is None
    assert "The one that trains now needs about" in words(app)
    with jobs.heavy.turn(lambda before: pytest.fail(f"{before} are before a long computation")):
        assert first.goes_on, "what others compute has slots of its own"
    runs.stop(first.settings)
    until(lambda: runs.look(second.settings) and second.process)
    assert first.ended == "It was stopped."


@pytest.mark.nightly
def test_who_leaves_the_queue_leaves_nothing_there(runs: LiveRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "training", jobs.Turns(at_once=1, most_waiting=1))
    first = begun(runs, SLOW)
    waiting, refused = QUICK, replace(QUICK, seed=4)
    runs.begin(waiting)
    until(lambda: runs.look(first.settings) and runs.runs[waiting].before)
    runs.begin(refused)
    until(lambda: runs.look(first.settings) and runs.look(waiting) and runs.runs[refused].ended)
    assert "wait here already, and no more may" in runs.runs[refused].ended
    monkeypatch.setattr(live_training, "GRACE", 0.5)
    until(lambda: runs.look(first.settings) and runs.runs[waiting].ended)
    assert runs.runs[waiting].ended == live_training.LEFT + "." and runs.runs[waiting].process is None
    assert len(jobs.training.line) == 1 and first.goes_on


STARTS = """
import sys, time
from encoder.tasks.settings import read
from pages.ui.server.live_training import live
settings = read(sys.argv[1])
live.begin(settings)
while not live.runs[settings].process:
    time.sleep(0.05)
print(live.runs[settings].process.pid, flush=True)
time.sleep(300)
"""


@pytest.mark.nightly
def test_a_killed_server_leaves_no_process() -> None:
    """It has no chance to say goodbye to the one that trains."""
    with subprocess.Popen(
        [sys.executable, "-c", STARTS, str(SLOW)], cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        process = int(server.stdout.readline())
        assert family(process)
        server.kill()
    until(lambda: not family(process))


def test_a_server_may_train_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCODER_TRAINING", "off")
    app = open_app("training", training_part=SMALL, training_seed="8")
    assert "this server does not train" in words(app) and "train_now" not in keys(app)
    assert player(open_app("training", training_part=SMALL))["last"] == 800


def test_finished_runs_are_bounded(runs: LiveRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_training, "MOST_KEPT", 2)
    monkeypatch.setattr(live_training.LiveRun, "work", lambda run: setattr(run, "ended", "over"))
    for seed in range(6):
        runs.begin(LearnSettings(seed=seed))
        until(lambda: not any(run.goes_on for run in runs.runs.values()))
    assert [one.seed for one in runs.runs] == [4, 5]


MYSTERY = {"training_part": SMALL, "training_hidden": "1", "mystery": "4"}


def checked(task: str, head: str) -> str:
    """What the page says of a guess about mystery 4."""
    app = open_app("training", **MYSTERY)
    assert app.button(key="mystery_check").disabled
    app.selectbox(key="mystery_task").set_value(task).run()
    app.selectbox(key="mystery_head").set_value(head).run()
    return words(press(app, "mystery_check"))


def test_a_mystery_is_guessed_and_the_guess_is_measured() -> None:
    right = checked("mirrored", "0.1")
    assert "The task is right: “Each half backwards” fits 256 of 256 inputs that it never saw." in right
    assert "The head is right: head 1 of layer 0." in right
    assert "head 0 of layer 0: 0 %; head 1 of layer 0: 100 %" in right and "Now step into it" in right
    assert "Network 4 computes “Each half backwards”, and head 1 of layer 0 does it." in right
    wrong = checked("backwards", "several")
    assert "The task is wrong: “Backwards” fits 0 of 256 inputs" in wrong and "The head is wrong: several" in wrong
    near = checked("mirrored", "0.0")
    assert "Without your head 0 % of the answers change." in near and "head 1: 100 %" not in near
    assert "Now step into it" not in wrong and "Network 4: what does it compute" in wrong


def test_a_mystery_says_nothing_before_it_is_asked_and_one_hint_at_a_time() -> None:
    app = open_app("training", **MYSTERY)
    sent = player(app)
    assert (
        "Hint" not in words(app)
        and "Yes" not in words(app)
        and sent["harm"] is None
        and sent["wanted"] == ["", "hidden"]
    )
    for seen in range(1, 4):
        press(app, "mystery_hint")
        assert words(app).count("Hint") == seen
    assert "mystery_hint" not in keys(app)
    app.pills(key="mystery").set_value(7).run()
    assert "Hint" not in words(app)


def test_a_mystery_opens_in_every_page_and_its_name_tells_nothing() -> None:
    app = open_app("training", **MYSTERY)
    press(app, "open_mystery")
    shown = link(app)
    assert shown["model"] == "mystery:4" and len(shown["sentence"].split()) == 8 and page_shown(app) == "attention"
    assert "Mystery 4" in models_offered(app)
    assert not any("half" in title.lower() for title in models_offered(app))
    for page in ("start", "heads", "what_if", "training"):
        healthy(go(app, page))
