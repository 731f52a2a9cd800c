"""A lab: what every tutorial claims, tried on the spot with the numbers that come out."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from encoder.experiments.probes.layer_probes import MOODS, TAGS, labelled, read_sentence, read_words, words_of
from encoder.pictures.lab import Ask, Beside, Lab, Note, Own, Part, Show, Table, When, Words, pictures_of
from encoder.pictures.labs.padding_lab import BARE, without_added
from encoder.pictures.labs.training_lab import (
    DEPTHS,
    LAYERS,
    LEARNING_ONE,
    LEARNING_THREE,
    LEARNING_TWO,
    TASK,
    TOLD,
    WARM_UP,
    WARM_UPS,
    learning,
    probed,
)
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import layer_names
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, listed, percent, shown
from encoder.tasks.learning import CHANCE, KINDS, NARROW, ROWS, STEPS, LearningCurves, learning_curves
from pages.ui import picture_view as pictures
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.frame import page_run
from pages.ui.picture_view import answer_of, ask, tie
from pages.ui.state import session_state as state
from pages.ui.step import sweep
from pages.ui.text import NUMBER, heading, plain, say
from pages.ui.widgets import pick_token

LEARNED = 0.9 * CHANCE  # a loss that says that more than the answers' frequencies was learned


def draw(lab: Lab) -> None:
    """Draw the experiment that answers the question."""
    try:
        Drawer().draw(lab.parts)
    except EncoderError as error:
        text = str(error)
        st.markdown(plain(f"{text[:1].upper()}{text[1:]}."))


@dataclass
class Drawer:
    """Draws the parts of a lab; `known` are the calls that its pictures made already, with what they gave."""

    known: dict[Any, Any] = field(default_factory=dict)
    last: Picture | None = None

    def answer(self, parts: Sequence[Part]) -> Answer:
        """Return the answer of the picture that comes next, or of the last one."""
        picture = next(pictures_of(parts), self.last)
        assert picture is not None, "a lab whose words follow from numbers shows a picture"
        answer = answer_of(picture, known=self.known)
        self.known = answer.known
        return answer

    def words(self, words: Words, parts: Sequence[Part]) -> str:
        """Return words, or what they are of the picture that comes next."""
        return words if isinstance(words, str) else words(self.answer(parts))

    def draw(self, parts: Sequence[Part]) -> None:
        """Draw parts below each other."""
        for at, part in enumerate(parts):
            self.draw_part(part, parts[at:])

    def draw_part(self, part: Part, rest: Sequence[Part]) -> None:
        """Draw a part; `rest` are it and those that follow."""
        if isinstance(part, str):
            st.markdown(part)
        elif isinstance(part, Picture | Show):
            self.show(part if isinstance(part, Show) else Show(part))
        elif isinstance(part, Note):
            NOTES[part.kind](self.words(part.words, rest))
        elif isinstance(part, Ask):
            self.ask(part, rest)
        elif isinstance(part, Table):
            table = pd.DataFrame(dict(part.columns(self.answer(rest))))
            table = table.set_index(table.columns[0])
            numbers = [name for name in table if table[name].dtype.kind == "f"]
            downloads.shown_table(table, key=part.key, column_config=dict.fromkeys(numbers, NUMBER))
        elif isinstance(part, When):
            self.draw(part.parts if part.holds(self.answer(rest)) else part.otherwise)
        elif isinstance(part, Beside):
            self.beside(part, rest)
        else:
            assert isinstance(part, Own), "a lab changes nothing that is run"
            OWN[part.name](self)

    def beside(self, beside: Beside, rest: Sequence[Part]) -> None:
        """Draw parts in columns."""
        columns: Sequence[AbstractContextManager[Any]] = st.columns(len(beside.parts))
        for column, part in zip(columns, beside.parts, strict=True):
            with column:
                self.draw_part(part, rest)

    def show(self, show: Show) -> None:
        """Draw a picture, and say what else there is to say of it."""
        self.last = show.picture
        more = self.words(show.more, (show,))
        self.known = pictures.show(show.picture, known=self.known, more=more, numbers=show.table).known

    def ask(self, part: Ask, rest: Sequence[Part]) -> None:
        """Offer a choice."""
        scene, option, named = self.answer(rest).scene, part.option, part.named
        if part.widget == "token":
            pick_token(part.label, scene.t.tokens, option.key, option.usual(scene))
            return
        offered = list(option.offered(scene)) if option.offered else []
        called = {"format_func": lambda value: named(scene, value)} if named else {}
        tied = tie(option, scene) | called
        if part.widget == "text":
            st.text_input(part.label, max_chars=200, **tied)
        elif part.widget == "slider":
            st.slider(part.label, offered[0], offered[-1], **tied)
        elif part.widget == "marks":
            st.select_slider(part.label, offered, **tied)
        elif part.widget == "list":
            st.selectbox(part.label, offered, **tied)
        elif option.many:
            st.pills(part.label, offered, selection_mode="multi", **tied)
        else:
            st.pills(part.label, offered, required=True, **tied)


def offer(lacks: str, model: str = "modern") -> None:
    """Say what this model lacks, with a button that opens one that has it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{lacks} The model {model} has some.", width="content")
        st.button(f"Try it with {model}", key="lab_modern", on_click=page_run.show_model, args=(model,))


NOTES: dict[str, Callable[[str], object]] = {
    "paragraph": st.markdown,
    "heading": heading,
    "finding": say,
    "line": st.text,
    "offer": offer,
}


# What labs draw by code of their own


def bare_output(drawer: Drawer) -> None:
    """The output without the tokens that the model adds, as a table."""
    bare = drawer.answer((BARE,)).value(without_added(ask(BARE)))
    table = downloads.frame(bare.alone.numpy(), [shown(token) for token in bare.tokens], "dimension")
    title = "The output without the added tokens"
    downloads.numbers("bare_output", "output_without_added_tokens", lambda: table, tuple(bare.alone.shape), title)


def probes(drawer: Drawer) -> None:
    """Probes of every layer, fitted when they are asked for, once for all sessions."""
    scene = ask(TOLD)
    drawer.known |= {probed(scene): session_runs.probe(scene[TASK])}


def train_all(drawer: Drawer) -> None:
    """Small models without a part each, trained on demand, and how the loss of each falls."""
    st.markdown(
        f"The same small model, trained {len(KINDS)} times on the same inputs: as in the paper, in pre-norm, without "
        f"one part each time, and with a feed-forward of {NARROW} numbers in place of 64. It learns to say how often "
        f"its letter stands in the row; {STEPS} steps of {ROWS} rows."
    )
    scene = ask(LEARNING_ONE)
    with st.container(horizontal=True):
        st.pills("Layers", DEPTHS, required=True, **tie(LAYERS, scene))
        st.pills("Warm-up", list(WARM_UPS), required=True, **tie(WARM_UP, scene))
    scene = ask(LEARNING_ONE)
    layers, steps = scene[LAYERS], WARM_UPS[scene[WARM_UP]]
    curves: LearningCurves | None = sweep.follow(
        "learning", (layers, steps), lambda: learning_curves(layers, steps), "Train all", unit="models"
    )
    if curves is None:
        return
    drawer.known |= {learning(scene, kind): curve for kind, curve in curves.curves.items()}
    drawer.draw((LEARNING_ONE, LEARNING_TWO, LEARNING_THREE))
    learned = [kind for kind in KINDS if float(curves.curves[kind].loss[-1]) < LEARNED]
    right = [f"{kind} {percent(float(curves.curves[kind].right[-1]))}" for kind in KINDS]
    say(
        f"Who only knows how frequent each answer is has a loss of {brief(CHANCE)}. Clearly below that "
        f"{f'come {listed(learned)}' if learned else 'comes none'}. Answers right in the end: {listed(right)}.",
        "One seed is one try: others can end in another order. Larger models are trained for longer, with their rate "
        "chosen for each kind; here all have the same.",
    )


def read_off(drawer: Drawer) -> None:
    """The mood of the sentence and the part of speech of each word, read off the vectors after a chosen layer."""
    trace = session_runs.now()
    heading("Used to sort sentences and to tag words")
    names = layer_names(trace.config, with_input=True)
    layer = st.select_slider("Read after", names, **state.choice("read_after", names, names[-1]))
    words = words_of(trace)
    if not words:
        st.markdown("This sentence has no word to tag.")
        return
    at = names.index(layer)
    trained = session_runs.readers(at)
    mood = read_sentence(trace, trained["good or bad"], at)
    shares = read_words(trace, trained["parts of speech"], at)
    best = int(mood.argmax())
    say(
        f"To a classifier trained just now, this sentence tells of something {[*MOODS.values()][best]}, with "
        f"{percent(float(mood[best]))}.",
        f"It and the tagger below saw {len(labelled())} other sentences; the encoder was not changed.",
    )
    kinds, sure = [*TAGS.values()], shares.max(-1)
    rows = {
        "word": [shown(trace.tokenization.spelled(word), 30) for word in words],
        "part of speech": [kinds[i] for i in sure.indices.tolist()],
        "probability": sure.values.numpy(),
    }
    downloads.shown_table(pd.DataFrame(rows), key="tagged", hide_index=True, column_config={"probability": NUMBER})
    st.caption(plain("Other words than those it was taught may be told wrong, and so may a sentence without feeling."))


OWN: dict[str, Callable[[Drawer], None]] = {
    "bare output": bare_output,
    "probes": probes,
    "learning": train_all,
    "readers": read_off,
}
