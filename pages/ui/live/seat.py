"""How a screen takes its place in a class: by a link, by a code, or because its tab had one."""

import streamlit as st

from pages.ui.components import share
from pages.ui.live.classroom import ClassError, classroom
from pages.ui.live.store import StoreError
from pages.ui.state import seat as seats
from pages.ui.state import session_state as state
from pages.ui.state.seat import Seat
from pages.ui.state.site import PAGES

HERE = next(page for page in PAGES if page.key == "class")
CODE = "code"  # the parameter of the link for pupils


def take_asked() -> None:
    """Take the seat that the link asks for."""
    if CODE in st.query_params:
        code = st.query_params[CODE]
        del st.query_params[CODE]
        if state.session().seat is None:
            join(code)


def take_kept(said: object) -> None:
    """Take the seat that the browser kept. Whoever makes one up sits in no class, or as one pupil more."""
    found = seats.read(said)
    if found is not None:
        sit(found)


def sit(seat: Seat) -> None:
    """Have this seat; what the class shows is taken over in the next run."""
    here = state.session()
    here.seat, here.left = seat, False
    here.class_counts, here.class_view, here.class_heard = (0, 0), None, 0.0


def leave() -> None:
    """Give the seat up."""
    here = state.session()
    here.seat, here.left, here.class_view = None, True, None


def join(code: str) -> None:
    """Sit down in the class of a code, or say why not."""
    try:
        sit(classroom().join(code, who()))
    except (ClassError, StoreError) as error:
        state.note([f"No class was joined: {error}."])


def open_class() -> None:
    """Open a class and lead it, or say why not."""
    try:
        sit(classroom().open(who()))
    except (ClassError, StoreError) as error:
        state.note([f"No class was opened: {error}."])


def who() -> str:
    """The address that asks: behind a proxy the one that it names last."""
    named = st.context.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    return (named or st.context.ip_address or "")[:64]


def pupils_link(seat: Seat) -> str:
    """The address by which pupils join."""
    return f"{share.app_address()}/{HERE.key}?{CODE}={seat.code}"


def own_link(seat: Seat) -> str:
    """The address by which the teacher leads from another screen. What follows # is not sent to any server."""
    return f"{share.app_address()}/{HERE.key}#class={seat}"
