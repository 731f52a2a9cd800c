"""A page of its own: what is on the screen as one living file, which opens where it was kept."""

from collections.abc import Mapping
from dataclasses import replace

from encoder.browser.cell import drawn
from encoder.browser.held import Run, held
from encoder.browser.living import PAGES
from encoder.packet.heads import level_6
from encoder.packet.levels import MORE
from encoder.pictures.export.caption import file_name
from encoder.pictures.link import from_query, is_count
from encoder.pictures.steps import KNOWN_STEPS
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from pages.front import make
from pages.front.asked import AskedFile, wanted
from pages.front.file import File
from pages.front.packets import compress
from pages.front.refused import RefusedError
from pages.ui.server import engine, exams, job_queue
from pages.ui.server.pool import borrowing

LONGEST_LINK = 4_000  # characters
OF_VIEW = ("sentence", "second", "model", "hidden", "edits", "other", "other_model")
LEVELS = MORE | {6: lambda encoder, trace, layer: level_6(encoder, trace, exam=exams.made_here(encoder))}


def file(asked: AskedFile) -> File:
    """Make it, of the page and the link that the query names beside what is chosen.

    Raises:
        RefusedError: there is no such page or model here, or the server has no room now.
    """
    query = dict(asked.query)
    page, link = query.pop("page", "start"), query.pop("link", "")
    if page not in PAGES:
        raise RefusedError(400, "This page cannot be kept as a file of its own.")
    view, notes = from_query({name: query[name] for name in OF_VIEW if name in query}, lambda model: None, KNOWN_STEPS)
    if notes:
        raise RefusedError(400, notes[0])
    with borrowing():
        try:
            runs = runs_of(view, query, page)
            packets = held(runs, page=page, layer=int(chosen(query, "layer") or 0), levels=LEVELS)
        except job_queue.FullError as error:
            raise RefusedError(503, f"{error}. Try again in a moment.", make.AGAIN) from None
        except EncoderError as error:
            raise RefusedError(400, f"This file cannot be made: {error}.") from None
    if page == "compare" and view.other_model:
        query["other_model"] = runs[-1][1].source.name
    to = link if link.startswith(("http://", "https://")) and len(link) <= LONGEST_LINK else ""
    data = drawn(packets, page, query, kept=True, link=to).file.encode()
    return File(f"{file_name(view.model, page)}.html", "text/html; charset=utf-8", compress(data))


def runs_of(view: View, query: Mapping[str, str], page: str) -> list[Run]:
    """Return the run on the screen, and what its page sets beside it: the same without its changes, or another one.

    Raises:
        RefusedError: a model is not here, or a model cannot read its text.
        EncoderError: a run cannot be made.
    """
    edits = query.get("edits", "")
    views = [(replace(view, other="", other_model=""), edits)]
    if edits:
        views.append((replace(views[0][0], edits=()), ""))
    if page == "compare":
        other = View(sentence=view.sentence_b, model=view.other_model or view.model)
        views += [] if other in [one for one, _ in views] else [(other, "")]
    runs = []
    for one, changes in views:
        encoder = make.opened(one.model)
        asks = wanted(
            {
                "level": 1,
                "sentence": one.sentence,
                "second": one.second,
                "model": one.model,
                "hidden": list(one.hidden),
                "edits": changes,
            }
        )
        text = make.fitting(encoder, asks)
        runs.append((encoder, engine.run(one.model, text, asks.hidden, changes)))
    return runs


def chosen(query: Mapping[str, str], name: str) -> int | None:
    """Return a number that a query names; None where it names none."""
    text = query.get(name, "")
    return int(text) if is_count(text) else None
