"""A figure of several pictures from its link, the same that the page Figure shows."""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from encoder.pictures.ask import ask
from encoder.pictures.figure_link import OWN, PictureAt, sheet_of, unpack
from encoder.pictures.link import from_query
from encoder.pictures.paper.files import PaperFigure
from encoder.pictures.paper.printed_panel import Panel
from encoder.pictures.picture import Answer
from encoder.pictures.registry import picture_at, pictures
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.support.theme import Theme


def parameters(link: str) -> dict[str, str]:
    """The parameters of a link, of an address or of what follows its question mark."""
    return dict(parse_qsl(urlsplit(link).query or link.removeprefix("?"), keep_blank_values=True))


def view_of(query: Mapping[str, str]) -> View:
    """The view that parameters ask for.

    Raises:
        EncoderError: they ask for something that is not to be had; the message says what.
    """
    view, notes = from_query(query, lambda model: None)
    if notes:
        raise EncoderError(notes[0].rstrip("."))
    return view


def answer_at(at: PictureAt) -> Answer:
    """The picture that stands there, asked by the view that its link says."""
    picture = picture_at(at.page, at.key)
    return picture.of(ask(picture, view_of(dict(at.query))))


def panel_at(at: PictureAt, theme: Theme) -> Panel:
    """The panel of the picture that stands there."""
    return answer_at(at).panel(theme)


def figure_of(link: str) -> PaperFigure:
    """The figure that a link to the page Figure shows, drawn without a page, a browser or a server.

    Raises:
        EncoderError: the link names no figure, or a picture of it cannot be drawn; the message says why.
    """
    query = parameters(link)
    pages = frozenset(picture.page for picture in pictures().values())
    every = unpack(query.get(OWN, ""), pages)
    if not every:
        raise EncoderError("the link names no figure")
    choices = {name: text for name, text in query.items() if name.startswith(f"{OWN}_")}
    sheet = sheet_of(choices)
    return PaperFigure(tuple(panel_at(at, sheet.theme) for at in every), sheet)
