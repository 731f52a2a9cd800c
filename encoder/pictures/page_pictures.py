"""The picture that a page of the browser shows, by the page's address."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from encoder.browser.page_table import PAGES
from encoder.packet.format import unpack
from encoder.packet.run import level_1, opening
from encoder.pictures.ask import model_called, text_of
from encoder.pictures.link import from_query
from encoder.pictures.picture import Picture
from encoder.pictures.registry import picture
from encoder.pictures.view import GAP, View
from encoder.support.errors import EncoderError


def is_address(text: str) -> bool:
    """Whether it is an address of the app, and no key of a picture."""
    return text.startswith(("http://", "https://", "/"))


def shown_at(address: str) -> tuple[Picture, View]:
    """The main picture of the page at an address, and what it is asked of.

    Where the address names no layer and head, they are those that the page opens on.

    Raises:
        EncoderError: no page of the browser has that address, or it asks for what there is not.
    """
    parts = urlsplit(address)
    page, query = parts.path.rpartition("/")[2] or "start", dict(parse_qsl(parts.query))
    if page not in PAGES:
        raise EncoderError(f"the page {page[:40]!r} has no picture of a run; {', '.join(PAGES)} have one")
    keys, named = dict(PAGES[page].pictures), query.get("view") or query.get("step", "")
    shown = picture(keys.get(named) or keys.get("*", keys[""]))
    options = {option.key for option in shown.options}
    word = {PAGES[page].word: query["word"]} if PAGES[page].word and "word" in query else {}
    fields = {name: text for name, text in query.items() if name in View.__dataclass_fields__}
    asked = {"sentence": GAP} | fields | {name: text for name, text in (query | word).items() if name in options}
    view, notes = from_query(asked, lambda model: None, options)
    if notes:
        raise EncoderError(notes[0])
    if PAGES[page].place and not {"layer", "head"} & query.keys():
        encoder = model_called(view.model)
        layer, head = opening(*unpack(level_1(encoder, encoder.trace(text_of(view), hidden=view.hidden)))[1:])
        view = replace(view, layer=layer, head=head)
    return shown, view
