"""A file that is asked for, by the rules of this server: of a picture, of a run, or a page that draws itself.

Imported when the libraries are there.
"""

from collections.abc import Mapping
from dataclasses import replace

from encoder import Trace
from encoder.browser.cell import drawn
from encoder.browser.held import Run, held
from encoder.browser.page_table import PAGES
from encoder.edits.edit_text import edits_to_text
from encoder.packet.heads_level import level_6
from encoder.pictures.ask import scene_of, text_of
from encoder.pictures.export import layer_size, run_size, to_csv_zip, to_npz
from encoder.pictures.export.caption import file_name
from encoder.pictures.lab import pictures_of
from encoder.pictures.link import from_query, is_count
from encoder.pictures.more.sections import MORE as SECTIONS
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.picture_files import IN_BROWSER, file_of
from encoder.pictures.printing import TooLargeError
from encoder.pictures.registry import picture
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.support.formatting import megabytes
from pages.front import make
from pages.front.packets import compress
from pages.front.request_fields import RUN, FileRequest, RefusedError, RunRequest, wanted
from pages.front.served_files import File
from pages.ui.downloads.keep import about
from pages.ui.server import engine, exams, picture_results
from pages.ui.server.slow_files import MOST_BYTES, check_table, written

BELOW = [picture for page in SECTIONS.values() for parts in page.values() for picture in pictures_of(parts)]
PICTURES: Mapping[str, Picture] = {key: picture(key) for key in IN_BROWSER} | {each.key: each for each in BELOW}
TYPES = {
    "about": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "npz": "application/octet-stream",
    "zip": "application/zip",
}
TABLES = ("csv", "json", "npz")  # that hold every number of a picture as text
LONGEST_LINK = 4_000  # characters
OF_VIEW = ("sentence", "second", "model", "hidden", "edits", "other", "other_model")
LEVELS = {6: lambda encoder, trace, layer: level_6(encoder, trace, exam=exams.made_here(encoder))}


def file(request: FileRequest) -> File:
    """Make it.

    Raises:
        RefusedError: there is no such picture, model or layer here, or the server has no room now.
    """
    if request.picture == RUN:
        return page_file(request) if request.format == "page" else run_file(request)
    picture = PICTURES.get(request.picture)
    if picture is None:
        raise RefusedError(404, "There is no such picture here. The app may have been renewed: load the page again.")
    with make.refusing("This picture cannot be made"):
        answer = answer_of(picture, view_of(picture, dict(request.query)))
        if request.format in TABLES:
            check_table(answer.numbers.array.size)
        try:
            data = (
                about(answer).encode()
                if request.format == "about"
                else file_of(answer, f".{request.format}", request.size)
            )
        except TooLargeError as error:
            raise RefusedError(400, f"This picture is too large for paper: {error}.") from None
        return File(f"{answer.file_name}.{request.format}", TYPES[request.format], compress(data))


def view_of(picture: Picture, query: Mapping[str, str]) -> View:
    """Return what is asked of the picture.

    Raises:
        RefusedError: the parameters say what no link to it says.
    """
    options = {option.key for option in picture.options}
    view, notes = from_query(query, lambda model: None, options)
    if notes:
        raise RefusedError(400, notes[0])
    return view


def answer_of(picture: Picture, view: View) -> Answer:
    """Return the picture of that, with its model and run from this server.

    Raises:
        RefusedError: the model is not to be had, or has no such layer, head or position.
        EncoderError: the run cannot be made, or has no such step.
    """
    encoder = make.opened(view.model)
    inside, notes = view.within(encoder.config, len(encoder.tokenize(text_of(view)).ids))
    if notes:
        raise RefusedError(400, notes[0])
    scene = scene_of(inside, picture.needs, engine.text_encoder, engine.run)
    return picture.of(scene, picture_results.kept(scene))


def run_file(request: FileRequest) -> File:
    """Make a file of a whole run: all its numbers for numpy, or a layer as tables, the one that the query names.

    Raises:
        RefusedError: there is no such model or layer here, the file is too large, or the server has no room now.
    """
    with make.refusing("This file cannot be made"):
        view, notes = from_query(dict(request.query), lambda model: None, ())
        encoder = make.opened(view.model)
        pieces = encoder.tokenize(text_of(view))
        view, more = view.within(encoder.config, len(pieces.ids))
        if notes or more:
            raise RefusedError(400, (notes + more)[0])
        trace = engine.run(view.model, pieces.inputs, view.hidden, edits_to_text(view.edits))
        data = bytes_of_run(request.format, trace, view.layer)
        part = {"npz": "run", "zip": f"layer{view.layer}"}[request.format]
        return File(f"{file_name(view.model, part)}.{request.format}", TYPES[request.format], compress(data))


def bytes_of_run(kind: str, trace: Trace, layer: int) -> bytes:
    """Return what stands in a file of a run.

    Raises:
        EncoderError: it is too large, or the server has no memory left for it.
    """
    size = run_size(trace) if kind == "npz" else layer_size(trace, layer)
    if size > MOST_BYTES:
        raise EncoderError(
            f"it takes {megabytes(size)}, more than the {megabytes(MOST_BYTES)} that are handed out here"
        )
    return written(size, lambda file: to_npz(trace, file) if kind == "npz" else to_csv_zip(trace, layer, file))


def page_file(request: FileRequest) -> File:
    """Make a page of its own, of the page and the link that the query names beside what is chosen.

    Raises:
        RefusedError: there is no such page or model here, or the server has no room now.
    """
    query = dict(request.query)
    page, link = query.pop("page", "start"), query.pop("link", "")
    if page not in PAGES:
        raise RefusedError(400, "This page cannot be kept as a file of its own.")
    view, notes = from_query({name: query[name] for name in OF_VIEW if name in query}, lambda model: None)
    if notes:
        raise RefusedError(400, notes[0])
    with make.refusing("This file cannot be made"):
        runs = runs_of(view, query, page)
        layer = int(query["layer"]) if is_count(query.get("layer", "")) else 0
        packets = held(runs, page=page, layer=layer, levels=LEVELS)
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
        views += [] if other in [each for each, _ in views] else [(other, "")]
    runs = []
    for each, changes in views:
        encoder = make.opened(each.model)
        fields = {name: getattr(each, name) for name in ("sentence", "second", "model")}
        asks = wanted(RunRequest, {"level": 1, **fields, "hidden": list(each.hidden), "edits": changes})
        runs.append((encoder, engine.run(each.model, make.fitting(encoder, asks), asks.hidden, changes)))
    return runs
