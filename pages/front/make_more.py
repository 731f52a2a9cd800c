"""A section of what stands below a page, by the rules of this server. Imported when the libraries are there."""

import json
import math
from collections.abc import Callable

from plotly.utils import PlotlyJSONEncoder

from encoder.pictures.ask import scene_of, text_of
from encoder.pictures.lab import Part, options_of
from encoder.pictures.link import FIELDS, from_query
from encoder.pictures.more.sections import MORE
from encoder.pictures.part_items import Items
from encoder.pictures.picture import Picture
from encoder.pictures.scene import Scene
from encoder.pictures.view import View
from encoder.support.progress import heard
from pages.front import make
from pages.front.request_fields import MoreRequest, RefusedError
from pages.ui.server import engine, jobs, picture_results

UNKNOWN = "There is nothing of that name here. The app may have been renewed: load the page again."


def more(request: MoreRequest, hear: Callable[[float], None] = lambda share: None) -> bytes:
    """Return the items of a section as JSON; charts have their numbers as plotly.py writes them.

    `hear` is told which share is done of each work that takes long.

    Raises:
        RefusedError: there is no such section, model, layer, head or position, or the server has no room now.
    """
    parts = MORE.get(request.page, {}).get(request.section)
    if parts is None:
        raise RefusedError(404, UNKNOWN)
    with make.refusing("This cannot be shown"):
        view = view_of(parts, dict(request.query))

        def ask(picture: Picture) -> Scene:
            return scene_of(view, picture.needs, engine.text_encoder, engine.run)

        def offer(flops: float) -> str:
            seconds = flops / jobs.SPEED
            return "" if request.agreed or seconds <= jobs.UNASKED else jobs.spoken(seconds)

        with jobs.in_turn(math.inf if request.agreed else 0.0), heard(hear):
            items = Items(ask, picture_results.kept, request.theme, offer).explained(parts)
        return json.dumps(items, cls=PlotlyJSONEncoder).encode()


def view_of(parts: tuple[Part, ...], query: dict[str, str]) -> View:
    """Return what is asked of the parts: of a link's parameters those that say it.

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
    return view


def check(model: str) -> None:
    """Leave it to who opens a model to look whether it is there."""
