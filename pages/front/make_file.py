"""A file of a picture that is asked for, by the rules of this server. Imported when the libraries are there."""

import json
from collections.abc import Mapping

from encoder.pictures import figure_link
from encoder.pictures.ask import scene_of, text_of
from encoder.pictures.cell import IN_BROWSER
from encoder.pictures.figure_link import PictureAt
from encoder.pictures.files import file_of, fits
from encoder.pictures.link import from_query, to_query
from encoder.pictures.paper.panel import PanelError
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry import picture
from encoder.pictures.steps import KNOWN_STEPS
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from pages.front import make
from pages.front.asked import FORMATS, RUN, AskedFile
from pages.front.file import File
from pages.front.packets import compress
from pages.front.refused import RefusedError
from pages.ui.server import engine, job_queue
from pages.ui.server.pool import borrowing

PICTURES: Mapping[str, Picture] = {key: picture(key) for key in IN_BROWSER}  # others may take long
TYPES = {
    "about": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}


def file(asked: AskedFile) -> File:
    """Make it.

    Raises:
        RefusedError: there is no such picture, model or layer here, or the server has no room now.
    """
    if asked.picture == RUN:
        from pages.front import make_page, make_run

        return make_page.file(asked) if asked.format == "page" else make_run.file(asked)
    picture = PICTURES.get(asked.picture)
    if picture is None:
        raise RefusedError(404, "There is no such picture here. The app may have been renewed: load the page again.")
    with borrowing():
        view = view_of(picture, dict(asked.query))
        try:
            answer = answer_of(picture, view)
            data = about(answer).encode() if asked.format == "about" else file_of(answer, f".{asked.format}")
        except job_queue.FullError as error:
            raise RefusedError(503, f"{error}. Try again in a moment.", make.AGAIN) from None
        except PanelError as error:
            raise RefusedError(400, f"This picture is too large for paper: {error}.") from None
        except EncoderError as error:
            raise RefusedError(400, f"This picture cannot be made: {error}.") from None
        return File(f"{answer.file_name}.{asked.format}", TYPES[asked.format], compress(data))


def view_of(picture: Picture, query: Mapping[str, str]) -> View:
    """What is asked of the picture.

    Raises:
        RefusedError: the parameters say what no link to it says.
    """
    options = {option.key for option in picture.options}
    view, notes = from_query(query, lambda model: None, KNOWN_STEPS, options)
    if notes:
        raise RefusedError(400, notes[0])
    return view


def answer_of(picture: Picture, view: View) -> Answer:
    """The picture of that, with its model and run from this server.

    Raises:
        RefusedError: the model is not to be had, or has no such layer, head or position.
        EncoderError: the run cannot be made, or has no such step.
    """
    encoder = make.opened(view.model)
    inside, notes = view.within(encoder.config, len(encoder.tokenize(text_of(view)).ids))
    if notes:
        raise RefusedError(400, notes[0])
    return picture.of(scene_of(inside, picture.needs, engine.text_encoder, engine.run))


def about(answer: Answer) -> str:
    """What is said of a picture, the lines that make its numbers, its place in a figure, and which files it has.

    The place is empty where it is none for a figure, or too long for a link.
    """
    picture = answer.picture
    paper = [kind for kind in FORMATS[1:] if fits(answer, f".{kind}")]
    at: PictureAt = figure_link.at(picture.page, picture.key, to_query(answer.scene.view))
    return json.dumps(
        {
            "title": answer.title,
            "caption": answer.caption,
            "alt": answer.alt,
            "code": answer.code,
            "figure": figure_link.pack([at]) if "svg" in paper else "",
            "formats": paper,
        },
        ensure_ascii=False,
    )
