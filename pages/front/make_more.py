"""A section of what stands below a page, by the rules of this server. Imported when the libraries are there."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from plotly.utils import PlotlyJSONEncoder

from encoder.pictures.ask import scene_of, text_of
from encoder.pictures.export.caption import file_name
from encoder.pictures.lab import Ask, Long, Part, all_of, options_of
from encoder.pictures.link import FIELDS, from_query
from encoder.pictures.more.heads_page import EXAM
from encoder.pictures.more.sections import MORE
from encoder.pictures.part_items import Items
from encoder.pictures.picture import Picture
from encoder.pictures.scene import GivenText, Scene
from encoder.pictures.view import View
from encoder.support.progress import heard
from pages.front import make
from pages.front.packets import compress
from pages.front.request_fields import TABLES, MoreRequest, RefusedError
from pages.front.served_files import File
from pages.ui.server import engine, exams, jobs, memory, picture_results

LITTLE = 20e6  # bytes for which nobody is asked: a server keeps more than that for itself
UNKNOWN = "There is nothing of that name here. The app may have been renewed: load the page again."


def more(request: MoreRequest, hear: Callable[[float], None] = lambda share: None) -> bytes:
    """Return the items of a section as JSON; charts have their numbers as plotly.py writes them.

    `hear` is told which share is done of each work that takes long.

    Raises:
        RefusedError: there is no such section, model, layer, head or position, or the server has no room now.
    """
    with making(request, hear) as (items, parts):
        return json.dumps(items.explained(parts), cls=PlotlyJSONEncoder).encode()


def table_file(request: MoreRequest) -> File:
    """Return a table of a section as a file.

    Raises:
        RefusedError: as `more`, or there is no such table.
    """
    with making(request, lambda share: None) as (items, parts):
        content = items.file_of(parts, request.table, request.kind)
    if content is None:
        raise RefusedError(404, UNKNOWN)
    return File(f"{file_name(request.table)}.{request.kind}", TABLES[request.kind], compress(content))


@contextmanager
def making(request: MoreRequest, hear: Callable[[float], None]) -> Iterator[tuple[Items, tuple[Part, ...]]]:
    """For the block, give what makes the items of a section, and its parts; in turn, and what cannot be is refused."""
    parts = MORE.get(request.page, {}).get(request.section)
    if parts is None:
        raise RefusedError(404, UNKNOWN)
    with make.refusing("This cannot be shown"):
        view = view_of(parts, dict(request.query), dict(request.given))

        def ask(picture: Picture) -> Scene:
            return scene_of(view, picture.needs, engine.text_encoder, engine.run)

        with jobs.in_turn(math.inf if request.agreed else 0.0), heard(hear):
            yield Items(ask, picture_results.kept, request.theme, partial(offer, request.agreed)), parts


def offer(agreed: bool, long: Long, scene: Scene) -> str:
    """Return how long something takes in words, where that is to be asked for first; empty where it begins now.

    Raises:
        EncoderError: there is no room for it.
    """
    of = long.of and long.of(scene)
    if of is not None and picture_results.is_at_hand(scene, of):
        return ""
    seconds = exams.seconds(scene.view.model) if of == EXAM else long.flops(scene) / jobs.SPEED
    if not agreed and seconds > jobs.UNASKED:
        return jobs.spoken(seconds)
    if (needed := long.nbytes(scene)) > LITTLE:
        memory.check_room(needed, "to measure this", engine.budget.drop_one)
    return ""


def view_of(parts: tuple[Part, ...], query: dict[str, str], given: dict[str, str]) -> View:
    """Return what is asked of the parts: of a link's parameters those that say it, and what somebody gives to them.

    Raises:
        RefusedError: they say what no link says, or the model is not to be had, or has no such layer, head or position.
        EncoderError: the model cannot read the sentence.
    """
    options = options_of(parts)
    known = {name: text for name, text in query.items() if name in FIELDS | options}
    view, notes = from_query({"layer": "0", "head": "0"} | known, check, options)
    if not notes:
        encoder = make.opened(view.model)
        if view.other_model:
            make.opened(view.other_model)
        view, notes = view.within(encoder.config, len(encoder.tokenize(text_of(view)).ids))
    if notes:
        raise RefusedError(400, notes[0])
    asked = {part.option.key: part.most for part in all_of(parts, Ask) if part.widget == "given"}
    for name, text in given.items():
        if len(text) > asked.get(name, 0):
            raise RefusedError(413, f"This has {len(text):,} characters; {asked.get(name, 0):,} are the most.")
    own = [(name, GivenText(text)) for name, text in given.items()]
    return replace(view, choices=tuple(sorted((*view.choices, *own))))


def check(model: str) -> None:
    """Leave it to who opens a model to look whether it is there."""
