"""The page of a class: to open or join one, and for its teacher the code, the wall, and what was answered."""

import streamlit as st

from pages.ui.components import share
from pages.ui.downloads import table as downloads
from pages.ui.downloads.button import save
from pages.ui.live import follow, results
from pages.ui.live import seat as seats
from pages.ui.live.classroom import LENGTH, classroom
from pages.ui.state import session_state as state
from pages.ui.state.seat import Seat
from pages.ui.text import plain, subheading

WALL_EVERY = 2.0  # seconds between two looks for new sentences


def outside() -> None:
    """Join a class, or open one."""
    led = state.session().led
    if led is not None:
        with st.container(border=True, key="class_led"):
            subheading(f"Class {led.code} goes on")
            st.markdown("You have led it in this browser, in a page that is closed.")
            st.button(f"Lead class {led.code} again", key="class_lead_again", type="primary", on_click=seats.lead_again)
    with st.container(border=True, key="class_join"):
        subheading("Join a class")
        st.markdown(f"Type the {LENGTH} letters that your teacher shows. Nothing else is asked, and no name.")
        with st.form("class_join_form", border=False):
            st.text_input("Code", key="class_code", max_chars=20, placeholder="ABCDEF")
            st.form_submit_button("Join", key="class_join_in", type="primary", on_click=join)
    with st.container(border=True, key="class_open"):
        subheading("Open a class")
        st.markdown(
            "Your screen leads: who joins by your code sees the page, sentence, layer, head and number that you see. "
            "Ask the class, and show its answers on the picture. A class ends after four hours, or half an hour after "
            "its last screen was closed; nothing of it stays."
        )
        st.button("Open a class", key="class_open_new", on_click=seats.open_class)


def join() -> None:
    """Join the class of the code that was typed."""
    if code := str(state.value("class_code")).strip():
        seats.join(code)


def pupils(seat: Seat) -> None:
    """What a pupil finds here."""
    st.markdown(f"You are in the class **{seat.code}**. What the teacher shows comes to this screen by itself.")


def teachers(seat: Seat) -> None:
    """Code, link, wall, answers and end."""
    told, seen = st.columns([3, 2], gap="large")
    with told:
        st.html(f"<p class='class-code'>{seat.code}</p>")
        st.markdown(
            "Show this code or the square. Then go to any page: the class sees what you see there, and on every page "
            "**Ask the class** stands on top. This page stays yours alone."
        )
        wall()
        answered(seat)
    with seen:
        share.draw("class_share", seats.pupils_link(seat))
        if st.toggle("Lead from another screen too", key="class_own"):
            st.caption("This link is yours alone: whoever has it leads the class.")
            st.code(seats.own_link(seat), language=None, wrap_lines=True)
        if st.toggle("End the class", key="class_end"):
            st.caption("All screens leave the class, and nothing of it stays. Keep the answers before.")
            st.button("End it now", key="class_end_now", type="primary", on_click=end)


def end() -> None:
    """End the class."""
    seat = state.session().seat
    if seat is not None:
        with follow.reaching():
            classroom().end(seat)
            seats.leave()


@st.fragment(run_every=WALL_EVERY)
def wall() -> None:
    """The sentences that pupils sent; one of them can be run."""
    seat = state.session().seat
    found: dict[str, str] = {}
    if seat is None:
        return
    subheading("Sentences of the class")
    with follow.reaching():
        found = classroom().wall(seat)
    if not found:
        st.caption("None yet. Pupils send one from their own screen.")
    for name, sentence in reversed(found.items()):
        with st.container(horizontal=True, vertical_alignment="center", border=True, key=f"class_wall_{name}"):
            st.markdown(plain(sentence), width="stretch")
            st.button("Run", key=f"class_run_{name}", on_click=run, args=(sentence,))
            if st.button("Remove", key=f"class_drop_{name}", type="tertiary", on_click=drop, args=(name,)):
                st.rerun(scope="fragment")
    if state.session().go_to:
        st.rerun()


def run(sentence: str) -> None:
    """Show a sentence to the class, on the page that it saw last."""
    here = state.session()
    state.change(sentence=sentence, second="", hidden=(), cell=None)
    page = here.class_view[0] if here.class_view else ""
    here.go_to = follow.SHOWN.get(page, follow.SHOWN["sentence"]).script


def drop(name: str) -> None:
    """Take a sentence off the wall."""
    seat = state.session().seat
    if seat is not None:
        with follow.reaching():
            classroom().take_down(seat, name)


def answered(seat: Seat) -> None:
    """What the class has answered so far, and the ways to keep it."""
    subheading("Answers")
    found = []
    with follow.reaching():
        found = classroom().all_results(seat)
    if not found:
        st.caption("What the class answers stands here once it was shown.")
        return
    table = results.table(found)
    st.dataframe(table, hide_index=True, key="class_results")
    with st.container(horizontal=True):
        downloads.save("class_csv", f"class {seat.code}", table)
        page = results.page(found, f"Class {seat.code}")
        save("A page to keep", "class_page_kept", f"class_{seat.code}.html", page.encode, "text/html")
