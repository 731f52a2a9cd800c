"""What all pages share: the model, what it reads, what is changed, and the run of it."""

from contextlib import nullcontext

import streamlit as st

from encoder import TextEncoder
from encoder.edits import edit_text
from encoder.metrics import first_lost
from encoder.metrics.reading_notes import notes
from encoder.model.config import EncoderConfig
from encoder.pictures.link import LONGEST_IN_URL, one_line
from encoder.pictures.view import EXAMPLE, View
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Tokens
from encoder.trace.trace import Trace
from pages.ui import session_runs
from pages.ui.server import jobs, offered_models
from pages.ui.state import session_state as state
from pages.ui.state.site import Page
from pages.ui.text import plain

MOST_SAID = 8  # changes that are told


def say_changes(config: EncoderConfig) -> None:
    """Say what is changed in this run, with the way back, and whether the link holds all of it."""
    view = state.current()
    if view.edits:
        changes = " ".join(edit_text.sentence(edit, config) for edit in view.edits[:MOST_SAID])
        more = f" And {len(view.edits) - MOST_SAID} more." if len(view.edits) > MOST_SAID else ""
        with st.container(horizontal=True, vertical_alignment="center", key="changed"):
            st.markdown(f"**This run is changed** ({len(view.edits)}). {plain(changes + more)}", width="stretch")
            st.button("Remove all changes", key="remove_edits", on_click=state.change, kwargs={"edits": ()})
    if len(view.sentence) > LONGEST_IN_URL:
        st.caption("This sentence is too long to be part of the link.")


def read(page: Page) -> TextEncoder:
    """Take over what the URL asks for, and return the model; where that is nothing, a page may have a sentence."""
    bare = page.sentence and state.session().view is None and not state.address()
    state.read_url(page.key, offered_models.check, {"sentence": page.sentence} if bare else state.EMPTY)
    return loaded()


def fit(encoder: TextEncoder) -> Tokens:
    """Have the view fit the model and its sentence, whose tokens are returned; what was changed is said."""
    typed, second = state.current().sentence, state.current().second.strip()
    if not typed.strip():
        state.note(["The sentence is empty, so the example is shown."])
    typed = typed if typed.strip() else EXAMPLE
    try:
        pieces = encoder.tokenize((typed, second) if second else typed)
    except EncoderError as error:
        state.note([f"The model “{state.current().model[:60]}” cannot read this sentence: {error}."])
        show_model(View().model)
        encoder = session_runs.text_encoder(View().model)
        pieces = encoder.tokenize((typed, second) if second else typed)
    if "layer" not in state.address() and state.current().layer >= encoder.config.n_layers:
        offer = offered_models.offer(
            state.current().model
        )  # nobody asked for that layer: it is the usual one of another model
        state.change(layer=offer.layer, head=offer.head)
    view, notes = state.current().within(encoder.config, len(pieces.ids))
    state.note(notes)
    state.session().view = view
    state.session().read = pieces.inputs
    drop_patches_that_do_not_fit()
    return pieces


def run() -> Trace:
    """Return the run of the view; that it is made is said where it takes more than half a second."""
    with nullcontext() if session_runs.is_at_hand() else st.spinner("Running the model …", show_time=True):
        trace = session_runs.now()
    if first := first_lost(trace):
        state.note([lost_note(first)])
    return trace


def show_model(name: str) -> None:
    """Go on with another model, at the layer and head of it that are worth a first look."""
    offer = offered_models.offer(name)
    state.session().models_asked_for.add(name)
    state.session().offered = None
    state.change(model=name, layer=offer.layer, head=offer.head, cell=None)


def loaded() -> TextEncoder:
    """The model on the screen; one that cannot be had gives way, with a sentence, to the last that could."""
    asked = state.current().model
    try:
        refuse_what_takes_long(asked)
        with st.spinner("Loading the model …", show_time=True) if not session_runs.is_loaded(asked) else nullcontext():
            encoder = session_runs.text_encoder(asked)
    except EncoderError as error:
        last = state.session().last_model
        last = View.model if last in ("", asked) else last  # its folder may be gone
        label = offered_models.offer(last).label
        state.note([f"The model “{asked[:60]}” cannot be shown: {error}. Showing {label}."])
        offered = state.session().offered
        show_model(last)
        state.session().offered = offered
        return session_runs.text_encoder(last)
    offered_models.remember(asked)
    state.session().last_model = asked
    return encoder


def refuse_what_takes_long(name: str) -> None:
    """Raise EncoderError for a model that takes long to load and was not asked for by a click; it is offered then."""
    seconds = 0.0 if session_runs.is_loaded(name) else offered_models.seconds(name)
    if seconds > jobs.UNASKED and name not in state.session().models_asked_for:
        state.session().offered = state.current()
        raise EncoderError(f"it takes {jobs.spoken(seconds)} to load, and begins when you ask for it")


def offer_to_load() -> None:
    """The way to a model that a link asked for and that takes long to load, until another one is chosen."""
    view = state.session().offered
    if view is not None:
        words = f"Load {offered_models.offer(view.model).label} ({jobs.spoken(offered_models.seconds(view.model))})"
        st.button(plain(words), key="load_model", on_click=load, args=(view,))


def load(view: View) -> None:
    """Show a model that takes long to load, and what the link wanted to see of it."""
    show_model(view.model)
    state.change(layer=view.layer, head=view.head, step=view.step, cell=view.cell, edits=view.edits)


def drop_patches_that_do_not_fit() -> None:
    """Remove the view's edits where they patch from a run that has not what they take; its sentence tells."""
    view = state.current()
    if any(edit.action == "patch" for edit in view.edits):
        try:
            session_runs.now()
        except EncoderError as error:
            state.note([f"The edits do not fit this sentence and are removed: {error}."])
            state.change(edits=())


def lost_note(step: str) -> str:
    """What to say of a run that does not end in numbers."""
    return (
        f"From {step} on, some values of this run are not finite numbers: they outgrew what float32 holds, or a row "
        "has no key left to look at. Where a sentence says nan there is no number, and nothing follows from it."
    )


LONGEST = 200_000  # characters that may be pasted


def draw_second() -> None:
    """The line for the second sentence of a pair, where there is one."""
    if state.current().second:
        st.text_input(
            "Second sentence",
            max_chars=LONGEST,
            label_visibility="collapsed",
            placeholder="The second sentence",
            width="stretch",
            **state.widget("second") | {"on_change": take_second, "args": ()},
        )


def say_notes(encoder: TextEncoder, trace: Trace) -> None:
    """Say what a reader must know of the text, where there is such a thing."""
    if sentences := notes(encoder, trace.tokenization):
        st.caption(plain(" ".join(sentences)))


def take_second() -> None:
    """Take over what was typed into the line of the second sentence."""
    text = one_line(state.value("second") or "")
    if text != state.current().second:
        state.change(second=text)
