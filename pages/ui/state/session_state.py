"""The one state of the app: the view, the choices of single pages, and their way into the link and back."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from encoder.pictures.link import FIELDS, from_query, spell, to_query
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.support.typed_fields import NAME
from pages.ui.state.choice_names import names
from pages.ui.state.seat import JOINS
from pages.ui.state.session import OF_BROWSER, seen
from pages.ui.state.session import Session as Session
from pages.ui.state.session import has as has
from pages.ui.state.session import picked as picked
from pages.ui.state.session import session as session
from pages.ui.state.session import show as show
from pages.ui.state.session import value as value

EMPTY: Mapping[str, str] = {}
MOST_WRITTEN = 40  # URLs of a session that are known as its own


def current() -> View:
    """The view of this session."""
    view = session().view
    assert view is not None, "read_url comes first"
    return view


def change(**fields_of_view: object) -> None:
    """Move the session to another view."""
    session().view = replace(current(), **fields_of_view)  # type: ignore[arg-type]


def widget(name: str) -> dict[str, Any]:
    """What ties a widget to a field of the view: its key, which shows the view, and what takes over its changes.

    The view is no widget's value, because Streamlit forgets the values of widgets when the page changes.
    """
    wanted = getattr(current(), name)
    show(**{name: list(wanted) if isinstance(wanted, tuple) else wanted})
    return {"key": name, "on_change": take, "args": (name,)}


def take(name: str) -> None:
    """Take over what a person chose in a widget; a browser that is just being told what it shows has no value."""
    chosen = value(name)
    if chosen is None:
        return
    change(**{name: tuple(sorted(chosen)) if isinstance(chosen, list) else chosen})


def keep_own(sentence: str) -> None:
    """Remember a sentence as the person's own: it is there again after examples and lessons."""
    session().own = sentence


def choice(key: str, options: Collection[Any] | None, default: Any, many: bool = False) -> dict[str, Any]:
    """What ties a page's own widget to the link: its key, which shows what was chosen, and what remembers a choice.

    The key is the parameter's name in the link, one of `choice_names`. `options` are
    what may be chosen, None for any text; with `many` several of them. A choice that is not offered any more, or never
    was, gives way to `default`. The widget itself must have no default.

    Raises:
        EncoderError: the key is no name for a parameter, that of a part of the view, or none that links know.
    """
    if not NAME.fullmatch(key) or key in FIELDS or key == "v":
        raise EncoderError(f"key is {key!r}; it must be 1 to 20 small letters and _, and no field of the view")
    if key not in names():
        raise EncoderError(f"key is {key!r}; a choice of a page's own must stand in pages/ui/state/choice_names.py")
    asked = dict(current().choices).get(key)
    before = session().defaults
    wanted = st.session_state.get(key, default) if before.get(key, default) == default else default
    before[key] = default
    if asked is not None:
        offered = {spell(option): option for option in options or ()}
        parts = [part for part in asked.split(",") if part] if many else [asked]
        if options is None or all(part in offered for part in parts):
            values = [offered.get(part, part) for part in parts]
            wanted = values if many else values[0]
        else:
            wanted = default
            remember(key, default, default)
            if session().linked:
                note([f"The link asks for “{asked[:40]}” ({key}), which is not offered here."])
    show(**{key: wanted})
    return {"key": key, "on_change": lambda: remember(key, value(key), default)}


def remember(key: str, chosen: Any, default: Any) -> None:
    """Make a choice part of the view; the default needs no words."""
    choices = dict(current().choices)
    choices.pop(key, None)
    if chosen != default:
        choices[key] = spell(chosen)
    change(choices=tuple(sorted(choices.items())))


def note(sentences: list[str]) -> None:
    """Say these sentences on top of the page in this run; an address that led to them is mended."""
    session().notes += sentences
    if sentences:
        session().address = None


def read_url(page: str, check_model: Callable[[str], None], usual: Mapping[str, str] = EMPTY) -> None:
    """Take over what the URL asks for, if it is not what this session had there itself. Before any widget.

    A page that is opened without parameters asks for nothing, and the view stays, unless it was shown so before and
    somebody goes back to it. `usual` is what a URL means on this page where it does not say it.
    """
    here, query = session(), {**usual, **address()}
    asks = (address() or page in here.bare) and not is_known(page)
    if here.view is None or asks:
        before, (here.view, notes) = here.view, from_query(query, check_model, names())
        here.linked, here.address = True, query
        note(notes)
        here.written = [(0, page, address())]
        gone = dict(before.choices).keys() - dict(here.view.choices) if before is not None else ()
        show(**{name: here.defaults[name] for name in gone if name in here.defaults and has(name)})


def write_url() -> None:
    """Let the URL say what is on the screen. After all widgets.

    An address that was opened, or gone back to, stays where it leads here as it is, until something is chosen: one more
    entry in the browser's history would show the same, and take a press of Back that does nothing; and it may come when
    the browser has another page. Over a slow line the browser says one from before others that are on their way to it.
    """
    here, query, now = session(), written(), address()
    leads_here = now == here.address and now.items() <= query.items()
    here.linked, here.address = False, None
    if leads_here:
        here.led = now, query
    coming = next((sent for _, page, sent in reversed(here.written) if page == here.page), now)
    if not (leads_here or (now == coming and (now == query or here.led == (now, query)))):
        st.query_params.from_dict(query)
    had(here.page, address())


def address() -> dict[str, str]:
    """Return the parameters of the URL, without those that the browser alone reads."""
    return {name: text for name, text in st.query_params.to_dict().items() if name not in (*OF_BROWSER, JOINS)}


def written() -> dict[str, str]:
    """The parameters of the current view."""
    return to_query(current())


def in_full(view: View) -> dict[str, str]:
    """Return the parameters of a view with its sentence, model and place, also where they are the usual ones.

    A page that the browser draws means others where its address leaves them out.
    """
    place = {"sentence": view.sentence, "model": view.model, "layer": str(view.layer), "head": str(view.head)}
    return place | to_query(view)


def had(page: str, query: dict[str, str]) -> None:
    """Remember that from this run on the browser is to have this page with these parameters."""
    here = session()
    here.written.append((here.runs, page, query))
    del here.written[:-MOST_WRITTEN]
    if not query:
        here.bare.add(page)


def is_known(page: str) -> bool:
    """Return whether the address is one that this session gave the browser, and that it may still have.

    Over a slow line a click comes with the address of some clicks ago, which asks for nothing. An address from before
    the newest one that the browser has had is one that somebody went back to.
    """
    here, newest = session(), seen(-1)
    passed = [i for i, (run, _, _) in enumerate(here.written) if run <= newest]
    del here.written[: passed[-1] if passed else 0]
    return (page, address()) in [(key, query) for _, key, query in here.written]
