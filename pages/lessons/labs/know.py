"""What each layer's vectors tell, by probes beside their control tasks, and two readers tried on the sentence."""

import streamlit as st

from encoder.experiments.probes.labelled import labelled
from encoder.experiments.probes.layers import TASKS
from encoder.pictures.registry.labs import TASK, TOLD, probed
from pages.lessons.labs import readers
from pages.ui import session
from pages.ui.picture import ask, show, tie
from pages.ui.text import heading

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
    st.pills("Task", list(TASKS), required=True, **tie(TASK, ask(TOLD)))
    task = (scene := ask(TOLD))[TASK]
    show(
        TOLD,
        known={probed(scene): session.probe(task)},
        more=f"The control task: {CONTROLS.get(task, CONTROL)}. Who never looks says the most frequent class.",
    )
