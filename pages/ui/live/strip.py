"""What stands on every page of a class: where a screen is, the question, and what the teacher can do with it."""

from collections.abc import Callable

import streamlit as st

from pages.ui.live import answers, ask, follow, push
from pages.ui.live import seat as seats
from pages.ui.live.classroom import LONGEST_SENTENCE, Asked, Now, classroom
from pages.ui.live.question import STEPS
from pages.ui.state import session_state as state
from pages.ui.state.seat import Seat
from pages.ui.state.site import Page
from pages.ui.text import plain

UNREACHED = "The class cannot be reached just now; what is on your screen stays, and it is tried again by itself."
NOBODY = "Nobody leads it at the moment; it goes on by itself when the teacher is back."
VEIL = "<div class='veil'><p>The picture comes when the answers are shown.</p></div>"
PHASES = {
    "open": ("close", "compare", "reveal"),
    "closed": ("compare", "reveal", "again"),
    "answers": ("again", "reveal"),
    "shown": ("again",),
}
ACTS = {
    "close": "Close",
    "compare": "Show the answers",
    "reveal": "Show what is right",
    "again": "Ask again",
    "put_away": "Put away",
}


def veils(now: Now | None) -> bool:
    """Whether the page would show the answer to what the class is asked."""
    seat = state.session().seat
    asked = None if now is None else now.asked
    return seat is not None and asked is not None and asked.phase != "shown" and (seat.leads or seat.follows)


def veil() -> None:
    """What stands in place of the page meanwhile."""
    st.html(VEIL)


def draw(page: Page, now: Now | None) -> None:
    """The strip of a teacher or a pupil; nothing on a screen without a class."""
    seat = state.session().seat
    if seat is None:
        return
    with st.container(key="class_strip"):
        if now is None:
            st.warning(UNREACHED)
        else:
            (teachers(seat, page, now.asked) if seat.leads else pupils(seat, now))
        if not push.begin():
            follow.watch()


def pupils(seat: Seat, now: Now) -> None:
    """Where a pupil is, the way back, and the question."""
    asked = now.asked
    with st.container(horizontal=True, vertical_alignment="center", key="class_line"):
        where = "You see what the class sees." if seat.follows else "You are on your own."
        where += "" if now.counts.led else f" {NOBODY}"
        st.markdown(f"**Class {seat.code}** · {where}", width="content")
        if not seat.follows:
            st.button("Back to the class", key="class_back", type="primary", on_click=follow.back)
        fold = st.popover("Send a sentence", key="class_send", icon=":material/edit:", on_change="rerun")
        if fold.open:
            with fold:
                sentence(seat)
        st.button("Leave", key="class_leave", type="tertiary", on_click=seats.leave)
    if asked is not None:
        with st.container(border=True, key="class_question"):
            question(asked)


def sentence(seat: Seat) -> None:
    """The line for a sentence, and the one that was sent last."""
    st.text_input("A sentence for the class to try", key="class_sentence", max_chars=LONGEST_SENTENCE, on_change=send)
    with follow.reaching():
        sent = classroom().own_sentence(seat)
        said = f"Sent: {sent}" if sent else "The teacher sees it without a name."
        st.caption(plain(f"{said} Another one takes its place."))


def send() -> None:
    """Send the sentence that was typed."""
    seat = state.session().seat
    if seat is not None:
        with follow.reaching():
            classroom().send(seat, str(state.value("class_sentence")))


def question(asked: Asked) -> None:
    """The question as a pupil sees it: to answer, then closed, then with all answers."""
    if asked.phase == "open":
        to_answer(asked)
        return
    st.markdown(f"**{plain(asked.question.ask)}**")
    if asked.phase == "closed":
        st.caption("No more answers are taken. Wait for the teacher to show them.")
        return
    with follow.reaching():
        answers.draw(classroom().results(state.session().seat.code))  # type: ignore[union-attr]


@st.fragment
def to_answer(asked: Asked) -> None:
    """The widget for an answer. What is chosen runs this alone, so a whole class can answer in the same second."""
    seat, key, about = state.session().seat, f"class_answer_{asked.table.replace('.', '_')}", asked.question
    own = None
    if seat is None:
        return
    with follow.reaching():
        own = classroom().own_answer(seat, asked)
    if about.kind == "choice":
        if own is not None and not state.has(key):
            state.show(**{key: int(own)})
        st.pills(plain(about.ask), range(len(about.options)), key=key, on_change=answer, args=(asked, key),
                 format_func=lambda i: plain(about.options[i]))  # fmt: skip
    else:
        if not state.has(key):
            state.show(**{key: own if own is not None else (about.low + about.high) / 2})
        st.slider(plain(about.ask), about.low, about.high, step=(about.high - about.low) / STEPS, key=key,
                  on_change=answer, args=(asked, key))  # fmt: skip
    said = "Not answered yet." if own is None else f"Your answer: {about.said(own)}."
    st.caption(plain(f"{said} You may change it until the teacher closes."))


def answer(asked: Asked, key: str) -> None:
    """Take the answer that was chosen; a pupil who takes the choice back keeps the one before."""
    seat, said = state.session().seat, state.value(key)
    if seat is not None and said is not None:
        with follow.reaching():
            classroom().answer(seat, asked.question.number, asked.round, said)


def teachers(seat: Seat, page: Page, asked: Asked | None) -> None:
    """How many are there, what to ask, and what to do with the question."""
    with st.container(horizontal=True, vertical_alignment="center", key="class_line"):
        st.markdown(f"**Class {seat.code}**", width="content")
        counts(asked)
        if page != seats.HERE:
            st.button("The class", key="class_page", icon=":material/groups:", type="tertiary", on_click=to_class)
        if asked is None and page != seats.HERE:
            ask.offer(page)
    if asked is None:
        return
    with st.container(border=True, key="class_question"):
        st.markdown(f"**{plain(asked.question.ask)}**" + " (second vote)" * (asked.round > 1))
        with st.container(horizontal=True, key="class_acts"):
            done = [name for name in PHASES[asked.phase] if name != "again" or asked.round == 1]
            for i, name in enumerate((*done, "put_away")):
                st.button(ACTS[name], key=f"class_{name}", on_click=act, args=(name,),
                          type="tertiary" if name == "put_away" else "secondary" if i else "primary")  # fmt: skip
        if asked.phase in ("answers", "shown"):
            with follow.reaching():
                answers.draw(classroom().results(seat.code))


def act(name: str) -> None:
    """Do with the question what the teacher chose."""
    seat, room = state.session().seat, classroom()
    acts: dict[str, Callable[[Seat], None]] = {
        "close": room.close, "compare": room.compare, "reveal": room.reveal, "again": room.again,
        "put_away": room.put_away,
    }  # fmt: skip
    if seat is not None:
        with follow.reaching():
            acts[name](seat)


@st.fragment(run_every=follow.EVERY)
def counts(asked: Asked | None) -> None:
    """How many pupils are there, follow, and have answered."""
    seat = state.session().seat
    if seat is None:
        return
    with follow.reaching():
        here, follows = classroom().present(seat.code)
        said = f"{here} here, {follows} follow"
        if asked is not None:
            said += f", {classroom().answered(seat.code, asked)} answered"
        st.caption(said, width="content")


def to_class() -> None:
    """Go to the page of the class."""
    state.session().go_to = seats.HERE.script
