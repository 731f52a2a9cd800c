"""A tutorial line by line: what it says, in our words, the number now, and the page that shows it."""

import json
from dataclasses import replace
from itertools import groupby
from typing import Any

import streamlit as st

from encoder.model.steps.catalogue import by_name
from encoder.pictures.link import FIELDS, from_query
from encoder.pictures.view import Cell, View
from encoder.support.errors import EncoderError
from encoder.teach.lessons.lesson import Lesson, LessonStep
from encoder.teach.lessons.stored import by_content, not_tried
from encoder.teach.trials import Finding, Verdict
from pages.ui import session_runs
from pages.ui.lessons import finding_view, library
from pages.ui.server import jobs, measurements, offered_models
from pages.ui.state import session_state as state
from pages.ui.state.choice_names import names
from pages.ui.text import heading, plain

Place = tuple[LessonStep, st.delta_generator.DeltaGenerator]


def draw() -> None:
    """One tutorial, chosen among all: its lines under its headings, then every number that they state."""
    every = library.tutorials()
    tie = state.choice("tutorial", every, next(iter(every)))
    name = st.pills("Tutorial", list(every), required=True, format_func=lambda key: plain(every[key].title), **tie)
    st.markdown(plain(every[name].learn))
    top = st.container()
    places = lines(every[name])
    key = f"tutorial_{name}_{state.current().model}"
    asked_for, again = state.session().asked_for, f"again_{key}"
    stored = {} if again in asked_for else {at: then(step) for at, (step, _) in enumerate(places)}
    known = {at: finding for at, finding in stored.items() if finding}
    asked_for.discard(again)
    for at, finding in known.items():
        tell(finding, places[at][1], finding_view.STORED)
    judged, counted = list(known.values()), top.empty()
    counted.markdown(counts(judged, len(places)))
    left = [(step, place) for at, (step, place) in enumerate(places) if step.trial and at not in known]
    with top:
        if known:
            label = f"Measure the {len(known)} lines with stored verdicts again"
            st.button(label, key=again, type="tertiary", on_click=asked_for.update, args=((key, again),))
        seconds = sum(measurements.trial_seconds(*question(step)) for step, _ in left)
        jobs.ask(key, seconds, f"Measure what {len(left)} lines state")
    for step, place in left:
        judged.append(measured(step))
        tell(judged[-1], place)
    counted.markdown(counts(judged, len(places)))


def counts(judged: list[Finding], lines: int) -> str:
    """How many lines have each verdict, and how many have none."""
    by_verdict = [[finding for finding in judged if finding.verdict is verdict] for verdict in Verdict]
    tags = [f"{finding_view.tag(ones[0])} {len(ones)}" for ones in by_verdict if ones]
    shown = f"{lines - len(judged)} without a verdict: they show a step, or say why it is not shown"
    return f"{lines} lines: {' · '.join((*tags, shown))}."


def then(step: LessonStep) -> Finding | None:
    """What is shipped of a line, where nothing was measured since."""
    if not step.trial or measurements.findings_kept.has(*question(step)):
        return None
    model, trial, given = question(step)
    stored = by_content(session_runs.text_encoder(model).source.fingerprint)
    return stored.finding(trial, json.loads(given)) if stored else None


def tell(finding: Finding, place: st.delta_generator.DeltaGenerator, stored: str = "") -> None:
    """The verdict and the sentence of a line, in its place."""
    place.markdown(" ".join(filter(None, (finding_view.tag(finding), stored, plain(finding.sentence)))))


def lines(tutorial: Lesson) -> list[Place]:
    """Every line with the way to its page; returns each with the place for what is measured."""
    places = []
    numbered = list(enumerate(tutorial.steps))
    for part, under in groupby(numbered, key=lambda at_step: at_step[1].part):
        heading(plain(part))
        for at, step in under:
            with st.container(key=f"line_{at}"):
                words, way = st.columns([4, 1], vertical_alignment="center")
                words = words.container(gap="xsmall")
                words.markdown(plain(step.text))
                if shape := shape_of(step):
                    words.caption(plain(shape))
                if step.not_shown:
                    words.caption(plain(f"Not shown here, {step.not_shown.rstrip('.')}."))
                places.append((step, words.container()))
                page = library.SHOWN[step.page]
                way.button(
                    page.title, key=f"open_line_{at}", icon=page.icon, type="tertiary", on_click=show, args=(step,)
                )
    return places


def view_of(step: LessonStep) -> View:
    """What a line shows: what it names, and all else as it is on the screen."""
    asked, _ = from_query(step.view, offered_models.check, names())
    named: dict[str, Any] = {name: getattr(asked, name) for name in FIELDS & step.view.keys()}
    if "model" in named:
        offer = offered_models.offer(asked.model)
        named = {"layer": offer.layer, "head": offer.head} | named
    if "index" in step.given:  # the number that is made by hand is the one that is open
        named["cell"] = Cell(step.given["step"], tuple(step.given["index"]))
    usual = replace(state.current(), cell=None, hidden=(), edits=(), second="", step="")
    return replace(usual, choices=asked.choices, **named)


def show(step: LessonStep) -> None:
    """Go to the page of a line."""
    state.session().view = view_of(step)
    if step.page == library.LABS.key:
        library.open_labs()
    state.session().go_to = library.SHOWN[step.page].script


def shape_of(step: LessonStep) -> str:
    """What the step of a line is called, with its shape in the model and for the sentence that the line shows."""
    view = view_of(step)
    if not view.step:
        return ""
    encoder = session_runs.text_encoder(view.model)
    every = by_name(encoder.config)
    place = every.get(view.step) or every.get(f"layers.{min(view.layer, encoder.config.n_layers - 1)}.{view.step}")
    if place is None:
        return ""
    sizes = place.sizes(encoder.config, len(encoder.tokenize(view.sentence).ids))
    return f"{place.title}: {' × '.join(place.shape)} = {' × '.join(map(str, sizes))}"


def question(step: LessonStep) -> tuple[str, str, str]:
    """What a line has measured: the model, the trial, and what it is given."""
    view = view_of(step)
    return view.model, step.trial, session_runs.spelled(step.asks(view.sentence))


def measured(step: LessonStep) -> Finding:
    """What is found now; where the model or the sentence does not fit, why not."""
    try:
        return measurements.findings(*question(step), agreed=True)
    except (EncoderError, KeyError) as error:
        return not_tried(error)
