"""Which atlas is shown, and contexts of a head or unit: each in its sentence, and run again at a click."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from encoder.atlas.atlas_folders import FOLDER
from encoder.atlas.atlas_reader import Atlas, Firing
from encoder.atlas.reruns import Absence, AtlasPart, Compared, summed_up
from encoder.pictures.more.contexts import BETWEEN, pieces
from encoder.pictures.picture import Picture
from encoder.support.formatting import brief, percent, shown
from encoder.trace.tokens import Text, Tokens
from encoder.trace.trace import Trace
from pages.ui import session_runs
from pages.ui.picture_view import answer_of
from pages.ui.server.measurements import atlases
from pages.ui.state import session_state as state
from pages.ui.step.sections import pick_atlas
from pages.ui.text import plain, say


def choose_atlas() -> Atlas | None:
    """Return the atlas that is shown; where there is none it is said how to make one."""
    encoder = session_runs.text_encoder(state.current().model)
    shelf = atlases(state.current().model)
    for sentence in shelf.refused:
        st.warning(plain(f"An atlas is left out: {sentence}."))
    atlas = pick_atlas()
    if atlas is None:
        name = plain(encoder.source.name)
        st.info(f"There is no atlas of {name} here, and that of another model is not shown in its place.")
        st.markdown(f"Make one of a text of yours, and start the app with `{FOLDER}` set to the folder:")
        st.code("python -m encoder.atlas --model FOLDER --corpus text.txt --out my-atlas", language=None)
        return None
    licence = f" Text: {atlas.card.licence}." if atlas.card.licence else ""
    st.caption(plain(f"On {atlas.card.scope}.{licence}"))
    return atlas


def open_atlas() -> Atlas:
    """Return the atlas that a page reads, once there is one."""
    atlas = session_runs.atlas()
    assert atlas is not None, "the page asks for one first"
    return atlas


def share_of(hits: int, drawn: int) -> str:
    """A part of the firings of a unit, as it is said: of those that are kept, which were drawn evenly from all."""
    return f"{percent(hits / max(1, drawn))} of its firings ({hits} of {drawn} drawn evenly from all)"


LARGEST = "largest"
LISTS = (LARGEST, *(str(tenth) for tenth in range(10, 0, -1)))


def draw_contexts(
    atlas: Atlas,
    top: list[Firing],
    sample: list[Firing],
    deciles: Picture,
    compare: Callable[[Trace, Firing], list[Compared]],
    described: Callable[[Firing], str],
    part: AtlasPart,
    reading: str,
    choose: Callable[[], Any],
) -> None:
    """Show a list and how to read it; below it choose another, leave the part out, and run one again.

    `deciles` is the picture of how the values are spread; `choose` draws what is chosen of a head or a unit alone.
    """
    page, below = st.container(key="atlas_contexts"), st.container(horizontal=True, vertical_alignment="bottom")
    named = {LARGEST: "The largest"} | {tenth: f"Tenth {tenth}" for tenth in LISTS[1:]}
    with below:
        choose()
        which = st.selectbox(
            "Contexts", LISTS, format_func=named.__getitem__, width=150, **state.choice("atlas_list", LISTS, LARGEST)
        )
    firings = top if which == LARGEST else [firing for firing in sample if firing.decile == int(which) - 1]
    places = range(len(firings))
    with below:
        at = st.selectbox(
            "Run one again, live",
            places,
            index=None,
            placeholder="Which one?",
            width=200,
            format_func=lambda i: f"{i + 1} {shown(firings[i].token)}",
            **state.choice("atlas_run", places, None),
        )
        off = st.toggle(f"Knock this {part.kind} out here", **state.choice("atlas_off", (False, True), False))
    with page:
        if which != LARGEST:
            bounds = answer_of(deciles).numbers.array
            low, high = bounds[int(which) - 1], bounds[int(which)]
            st.caption(
                plain(
                    f"Tenth {which} of all values, from {brief(low)} to {brief(high)}: {len(firings)} of the "
                    f"{len(sample)} that were drawn evenly from all are in it."
                )
            )
        if not firings:
            st.markdown("There is no context in this list.")
            return
        texts = atlas.texts(sorted({firing.sentence for firing in firings}))
        list_contexts(firings, texts, described, moves(part, firings, texts) if off else [""] * len(firings))
        st.caption(plain(f"{reading} On {atlas.card.scope}."))
    if at is not None and at in places:
        draw_rerun(texts[firings[at].sentence], firings[at], compare, part)


COLOURS = {"at": "blue", "key": "orange", "both": "violet"}


def list_contexts(
    some: Sequence[Firing], texts: Mapping[int, Text], described: Callable[[Firing], str], absences: Sequence[str]
) -> None:
    """Each context in its sentence, with its numbers."""
    encoder = session_runs.text_encoder(state.current().model)
    lines = [
        f"{i + 1}. {marked_sentence(encoder.tokenize(texts[firing.sentence]), firing.position, firing.looks_at)} "
        f"&ensp;:gray[{plain(described(firing))}{plain(absence)}]"
        for i, (firing, absence) in enumerate(zip(some, absences, strict=True))
    ]
    st.markdown("\n".join(lines))


def marked_sentence(tokens: Tokens, position: int, looks_at: int | None = None) -> str:
    """Markdown: the token on blue, what it looks at on orange (itself: violet), special ones behind the sentence."""
    marked = (
        f":{COLOURS[mark]}-background[{plain(text)}]" if mark else plain(text)
        for text, mark in pieces(tokens, position, looks_at)
    )
    return " ".join("".join(marked).split())


def one_line(text: Text) -> str:
    """Return a text, or both of a pair."""
    return text if isinstance(text, str) else BETWEEN.join(text)


def draw_rerun(text: Text, firing: Firing, compare: Callable[[Trace, Firing], list[Compared]], part: AtlasPart) -> None:
    """The verdict, number by number, and the token without the head or unit."""
    run = session_runs.run(state.current().model, text)
    with st.container(border=True, key="atlas_live"):
        for verdict in compare(run, firing):
            icon = ":material/check:" if verdict.equal else ":material/error:"
            st.markdown(f"{icon} {plain(verdict.sentence)}")
        (absence,) = session_runs.knocked_out(part, ((text, firing.position),))
        st.markdown(plain(without(shown(run.tokens[firing.position]), part, absence)))
        label = "Open this sentence" if isinstance(text, str) else "Open this pair"
        st.button(label, key="atlas_open", icon=":material/short_text:", on_click=take_sentence, args=(text,))


def without(token: str, part: AtlasPart, absence: Absence) -> str:
    """Return what the run without the part makes of the token."""
    sentence = f"With this {part.kind} off the last vector of “{token}” moves by {percent(absence.moved)} of its length"
    if absence.before and absence.after:
        (was, p), (now, q) = absence.before, absence.after
        sentence += (
            f", and the guess there turns from “{was}” ({percent(p)}) into “{now}” ({percent(q)})" * absence.turned
        )
        sentence += f", and the guess there stays “{now}”, {percent(p)} with it and {percent(q)} without" * (was == now)
    return f"{sentence}."


def take_sentence(text: Text) -> None:
    """Make it the sentence of every page, or the pair."""
    sentence, second = (text, "") if isinstance(text, str) else text
    state.change(sentence=sentence, second=second, hidden=(), edits=(), cell=None)


def moves(part: AtlasPart, some: Sequence[Firing], texts: Mapping[int, Text]) -> list[str]:
    """Return what knocking the part out does at each context, and said of all of them."""
    absences = session_runs.knocked_out(part, tuple((texts[firing.sentence], firing.position) for firing in some))
    say(summed_up(absences))
    return [moved(absence) for absence in absences]


def moved(absence: Absence) -> str:
    """Return what one context's token does without the part."""
    if absence.turned and absence.before and absence.after:
        return f"; moves by {percent(absence.moved)}, “{absence.before[0]}” turns into “{absence.after[0]}”"
    return f"; moves by {percent(absence.moved)}"
