"""How a screen takes its place in a class: by a link, by a code, or because its tab had one."""

import streamlit as st

from encoder.errors import EncoderError
from pages.ui.components import share
from pages.ui.live.address import who
from pages.ui.live.classroom import ClassError, GoneError, classroom, tidy
from pages.ui.live.store import StoreError
from pages.ui.state import seat as seats
from pages.ui.state import session_state as state
from pages.ui.state.seat import Counts, Seat
from pages.ui.state.site import PAGES

HERE = next(page for page in PAGES if page.key == "class")
OVER = "The class is over, or where it was kept was started anew. What is on your screen stays."


def take_asked() -> None:
    """Take the seat that the link asks for."""
    if seats.JOINS in st.query_params:
        code = st.query_params[seats.JOINS]
        del st.query_params[seats.JOINS]
        if state.session().seat is None:
            join(code)


def take_kept(said: object) -> None:
    """Take the seat that the tab kept, if its class has given it."""
    found = seats.read(said)
    if found is None:
        return
    try:
        sit(classroom().sit_again(found, who()))
    except GoneError:
        leave()
        state.note([OVER])
    except StoreError:
        sit(found)  # it is asked again as soon as the store can be reached


def take_led(said: object) -> None:
    """Remember the class that somebody has led in this browser, in a tab that is closed: it can be led again."""
    found, here = seats.read(said), state.session()
    if found is None or not found.leads:
        return
    try:
        here.led = classroom().sit_again(found, who())
    except (ClassError, StoreError):
        here.forgotten = str(found)


def lead_again() -> None:
    """Lead the class that was led in this browser."""
    here = state.session()
    if here.led is not None:
        take_kept(str(here.led))


def sit(seat: Seat) -> None:
    """Have this seat; what the class shows is taken over in the next run."""
    here = state.session()
    here.seat, here.left = seat, False
    here.class_counts, here.class_view, here.class_heard = Counts(), None, 0.0


def leave() -> None:
    """Give the seat up."""
    here = state.session()
    here.seat, here.left, here.led, here.class_view = None, True, None, None


def join(code: str) -> None:
    """Sit down in the class of a code, or say why not."""
    led = state.session().led
    if led is not None and led.code == tidy(code):
        lead_again()
        return
    try:
        sit(classroom().join(code, who()))
    except EncoderError as error:
        state.note([f"No class was joined: {error}."])


def open_class() -> None:
    """Open a class and lead it, or say why not."""
    try:
        sit(classroom().open(who()))
    except EncoderError as error:
        state.note([f"No class was opened: {error}."])


def pupils_link(seat: Seat) -> str:
    """The address by which pupils join."""
    return f"{share.app_address()}/{HERE.key}?{seats.JOINS}={seat.code}"


def own_link(seat: Seat) -> str:
    """The address by which the teacher leads from another screen. What follows # is not sent to any server."""
    return f"{share.app_address()}/{HERE.key}#class={seat}"
