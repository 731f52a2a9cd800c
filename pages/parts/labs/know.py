"""What each layer's vectors tell, by probes beside their control tasks, and two readers tried on the sentence."""

import numpy as np
import streamlit as st

from encoder.export.caption import UNCHANGED, About
from encoder.figures.charts import lines
from encoder.figures.drawn import numbers_of
from encoder.formatting import percent
from encoder.probes.labelled import labelled
from encoder.probes.layers import TASKS
from encoder.trials.probing import where_told
from pages.parts.labs import readers
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, layer_names, say, theme

ASKED = {
    "parts of speech": "Which part of speech is this word?",
    "good or bad": "Does this sentence tell of something good or bad?",
    "place": "At which place of its sentence does this word stand?",
}
CONTROLS = {
    "good or bad": "each word draws a number, and a sentence is of one class or the other by the mean of its words",
}
CONTROL = "a class drawn for each word, the same wherever it stands"


def draw() -> None:
    """Accuracy by layer with that of the control task; before it, the readers on the sentence of the page."""
    readers.draw()
    heading("How much each layer tells")
    st.markdown(
        f"A probe is a linear map with softmax, trained on the vectors of {len(labelled())} sentences that are never "
        "changed by it. A probe can learn much by heart, so a second one learns a control task from the same vectors: "
        "only what the first does better is in the vectors."
    )
    task = st.pills("Task", list(TASKS), required=True, **state.choice("know", TASKS, next(iter(TASKS))))
    found = session.probe(task)
    names = layer_names(session.now().config, with_input=True)
    series = {
        task: found.accuracy.numpy(),
        "control task": found.control.numpy(),
        "never looks": np.full(len(names), found.commonest),
    }
    drawn = lines(series, np.arange(len(names)), ("layers behind it", "share told right"), theme=theme())
    fact = (
        f"{ASKED[task]} Of {found.samples} it is {where_told(found)}; the control task "
        f"{percent(float(found.control[found.best]))}."
    )
    scope = f"{len(labelled())} labelled sentences, each told by a probe that has not seen it, {UNCHANGED}"
    chart(drawn, "told", fact, About(source=session.now().source, scope=scope), made=f'probe(enc, "{task}").accuracy')
    say(fact, f"The control task: {CONTROLS.get(task, CONTROL)}. Who never looks says the most frequent class.")
    downloads.of_figure("told", numbers_of(drawn))
