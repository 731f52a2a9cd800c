"""The list of lessons: shelves of lessons and labs, claims to judge, and all that a search goes through."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from encoder.model.config import EncoderConfig
from encoder.model.steps.glossary import TERMS
from encoder.pictures.labs import CLAIMS, GROUPS, LABS, SOURCES
from encoder.pictures.labs.trial import Claim
from encoder.teach.lessons.lesson import ARITHMETIC, HEADS, SHELVES, TRAINING, Lesson
from encoder.teach.lessons.statements import STATEMENTS, Statement
from pages.ui import session_runs
from pages.ui.components import film_component
from pages.ui.lessons import library
from pages.ui.server import offered_models
from pages.ui.state import page_steps
from pages.ui.state import session_state as state
from pages.ui.state.site import base, page_of, path

PART = "shelves"
THUMBNAILS = Path(__file__).parent / "thumbnails"  # what tests/shipped/thumbnails.py draws
OWN = "Own lessons"  # the shelf of a server's own, where they name none
OF_GROUP = {"Training and knowledge": TRAINING}  # the shelf of its labs; of others it is that of the arithmetic
OF_LAB = {"Rollout": HEADS, "What layers know": HEADS}
Place = dict[str, str]  # a page's address, and what it is called


def draw() -> None:
    """Draw the list; a browser knows what was done."""
    asked = dict(state.current().choices).get("lab", "")
    if asked:
        state.note([f"There is no lab “{asked[:40]}” here. Choose one of those below."])
        library.show_list()
    view = state.current()
    here = {name: text for name, text in state.in_full(view).items() if name in ("sentence", "model", "layer", "head")}
    data = {
        "model": view.model,
        "claim": f"{base()}/api/claim",
        "refused": library.own().refused,
        "shelves": tuple(shelves(here)),
        "claims": tuple({"key": claim.key, "text": claim.text, "place": of_claim(claim, here)} for claim in CLAIMS),
        "terms": tuple(terms(session_runs.text_encoder(view.model).config, here)),
        "statements": tuple(stated(statement, here) for statement in STATEMENTS),
    }
    film_component.draw(PART, PART, data)


def place(page: str, query: Mapping[str, str], title: str = "") -> Place:
    """A page with what its address says."""
    return {"href": f"{base()}/{path(page)}?{urlencode(query)}", "title": title or page_of(page).title}


def of_lesson(name: str, at: int = 1) -> Place:
    """A step of a lesson."""
    lesson = library.offered()[name]
    return place(lesson.steps[at - 1].page, library.query_of(name, at), lesson.title)


def of_claim(claim: Claim, here: Mapping[str, str]) -> Place:
    """Where a claim is shown: its lab, whose knobs are free, or what was measured of it."""
    if claim.lab:
        return place(claim.page, {**here, "lab": claim.lab}, claim.lab)
    return place("lessons", {**here, "claim": claim.key}, "what was measured")


@cache
def picture(name: str) -> str:
    """The thumbnail of a lesson or lab; empty where none is shipped, as of a server's own."""
    file = THUMBNAILS / f"{name}.svg"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def of_lab(name: str) -> str:
    """What the thumbnail of a lab is called."""
    return "-".join(["lab", *re.findall(r"[a-z0-9]+", name.lower())])


def shelves(here: Mapping[str, str]) -> list[dict[str, Any]]:
    """The shelves that hold something, a server's own in front, each with its lessons and then its labs."""
    cards: dict[str, list[dict[str, Any]]] = {shelf: [] for shelf in (OWN, *SHELVES)}
    for name, lesson in library.offered().items():
        cards[lesson.shelf or (OWN if name in library.own().lessons else ARITHMETIC)].append(card(name, lesson))
    for group, labs in GROUPS.items():
        for name, lab in labs.items():
            way = place(library.HERE, {**here, "lab": name})
            shelf = OF_LAB.get(name, OF_GROUP.get(group, ARITHMETIC))
            cards[shelf].append({"name": "", "title": lab.question, "picture": picture(of_lab(name)), "says": name}
                                | {"minutes": 0, "learned": "", "steps": (way["href"],), "asks": ()})  # fmt: skip
    return [{"title": title, "cards": tuple(some)} for title, some in cards.items() if some]


def card(name: str, lesson: Lesson) -> dict[str, Any]:
    """A lesson: what it is called, how long it takes, where each of its steps is, and which of them ask."""
    return {
        "name": name,
        "title": lesson.title,
        "minutes": lesson.minutes,
        "learned": lesson.learned,
        "picture": picture(name) if name in library.bundled() else "",
        "steps": tuple(of_lesson(name, at)["href"] for at in range(1, len(lesson.steps) + 1)),
        "asks": tuple(step.question is not None for step in lesson.steps),
        "says": " ".join(step.text for step in lesson.steps),
    }


def terms(config: EncoderConfig, here: Mapping[str, str]) -> list[dict[str, Any]]:
    """The terms of the glossary, each with the place where a model of this kind shows it, or None."""
    result = []
    for term in TERMS:
        step = page_steps.first_of(term.steps, config, state.current().layer)
        way = place(page_steps.page_of(step).key, {**here, "step": step.local}) if step else None
        if term.lab:
            way = place(library.HERE, {**here, "lab": term.lab}, LABS[term.lab].question)
        known: dict[str, Any] = {"names": f"here: {term.name}; {term.elsewhere}", "says": f"{term.place} {term.symbol}"}
        result.append(known | {"title": term.title, "meaning": term.meaning, "place": way})
    return result


def stated(statement: Statement, here: Mapping[str, str]) -> dict[str, Any]:
    """What a tutorial states, who says it, and where it is live, or why it is not."""
    query = {**here, **statement.view}
    if "model" in statement.view:
        offer = offered_models.offer(statement.view["model"])
        query |= {"layer": str(offer.layer), "head": str(offer.head)} | dict(statement.view)
    if statement.lesson:
        way: Place | None = of_lesson(statement.lesson)
    elif statement.claim:
        way = of_claim(next(claim for claim in CLAIMS if claim.key == statement.claim), here)
    elif statement.lab:
        way = place(library.HERE, {**query, "lab": statement.lab}, LABS[statement.lab].question)
    else:
        way = place(statement.page, query) if statement.page else None
    return {
        "text": statement.text,
        "where": f"{SOURCES[statement.tutorial]}: {statement.part}",
        "place": way,
        "missing": statement.missing,
    }
