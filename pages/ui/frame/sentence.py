"""The sentence on top of every page: one line, a second one on demand, and examples to tap."""

import streamlit as st

from encoder.formatting import shown
from encoder.metrics.known import words_known
from encoder.pictures.link import one_line
from encoder.pictures.view import EXAMPLES
from encoder.trace.trace import Trace
from pages.ui.server import task_models
from pages.ui.state import session_state as state
from pages.ui.text import plain

LONGEST = 200_000  # characters that may be pasted
OF_A_CHIP = 60  # characters of a sentence on a chip


def draw() -> None:
    """The line for the sentence, and for the second one of a pair where it is wanted."""
    here, view = state.session(), state.current()
    st.text_input(
        "Sentence", max_chars=LONGEST, label_visibility="collapsed", placeholder="Type a sentence; Enter runs it",
        width="stretch", **state.widget("sentence") | {"on_change": typed},
    )  # fmt: skip
    here.pair = here.pair or bool(view.second)
    if here.pair:
        st.text_input(
            "Second sentence", max_chars=LONGEST, label_visibility="collapsed", placeholder="The second sentence",
            width="stretch", **state.widget("second") | {"on_change": typed},
        )  # fmt: skip
    label = "One sentence" if here.pair else "A second sentence"
    said = "Both are read as one input: A, a separator, B."
    st.button(label, key="pair", type="tertiary", on_click=pair, args=(not here.pair,), help=said)


def chips() -> None:
    """Other sentences to tap: the person's own while another one is on the screen, and the examples."""
    view = state.current()
    examples = task_models.examples(view.model) if task_models.is_one(view.model) else EXAMPLES
    if not view.lesson and view.sentence not in (*examples, *EXAMPLES):
        state.session().own = view.sentence
    own = state.session().own
    offered = [text for text in dict.fromkeys((own, *examples)) if text and text != view.sentence]
    state.show(example=None)
    st.pills("Examples", offered, key="example", on_change=take_example, label_visibility="collapsed",
             format_func=lambda text: plain(shown(text, OF_A_CHIP)))  # fmt: skip


def known(trace: Trace) -> None:
    """Say so where the model has hardly any words of the sentence."""
    if said := words_known(trace.tokenization).sentence:
        st.caption(plain(said))


def typed(name: str) -> None:
    """Take over what was typed into the line of the sentence, or of the second one."""
    text = one_line(state.value(name) or "")
    if text == getattr(state.current(), name):
        return
    state.change(**{name: text})
    if name == "sentence" and text:
        state.keep_own(text)


def take_example() -> None:
    """Take the sentence that was tapped."""
    if example := state.value("example"):
        state.change(sentence=example, hidden=(), cell=None)


def pair(wanted: bool) -> None:
    """Show the line for the second sentence, or read one sentence again."""
    state.session().pair = wanted
    if not wanted:
        state.change(second="")
