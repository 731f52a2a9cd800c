"""The picture that a page of the browser shows, by the page's address."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from encoder.browser.page_table import LABELS, PAGES, VECTORS
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


def answered(model: str, pictures: Mapping[str, object]) -> str:
    """What a model answers, where a page has another main picture for that."""
    if LABELS not in pictures:
        return ""
    config = model_called(model).config
    return LABELS if config.classifier else "" if config.mlm_head else VECTORS


def shown_at(address: str, stated: Mapping[str, str] = {}) -> tuple[Picture, View]:
    """The main picture of the page at an address, and what it is asked of; `stated` is what the address leaves open.

    Where neither names a layer or head, they are those that the page opens on.

    Raises:
        EncoderError: no page of the browser has that address, or it asks for what there is not.
    """
    parts = urlsplit(address)
    page, query = parts.path.rpartition("/")[2] or "start", {**stated, **dict(parse_qsl(parts.query))}
    if page not in PAGES:
        raise EncoderError(f"the page {page[:40]!r} has no picture of a run; {', '.join(PAGES)} have one")
    pictures, usual = PAGES[page].pictures, View()
    named = query.get("view") or query.get("step") or answered(query.get("model", usual.model), pictures)
    key, takes_word = pictures.get(named) or pictures.get("*", pictures[""])
    shown = picture(key)
    options = {option.key for option in shown.options}
    word = {takes_word: query["word"]} if takes_word and "word" in query else {}
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
