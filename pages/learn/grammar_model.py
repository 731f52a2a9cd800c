"""Whose training the film of grammar shows, and the way into one of its moments."""

from dataclasses import replace

from encoder.exam.rise import EXAMPLES
from encoder.experiments.timelapse import kept_steps
from encoder.explain.cost import size
from encoder.pictures.ask import in_examined
from encoder.pictures.models import MOMENT
from encoder.pictures.registry.grammar import RELATION, SENTENCE, is_marked, moments_of, place
from encoder.pictures.scene import Scene
from pages.ui import session
from pages.ui.frame import run
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of


def filmed() -> Scene:
    """What the pictures are asked of: the chosen model where its training was examined, else the bundled one."""
    model = in_examined(state.current().model, session.text_encoder)
    return Scene(replace(state.current(), model=model), session.text_encoder(model))


def model_shown(scene: Scene) -> str:
    """Which model it is, and why it is not the one in the bar."""
    name = moments_of(scene).model
    shown = f"This is {name}, {size(scene.encoder.config).parameters / 1e6:.1f} M parameters"
    model = state.current().model
    if model == scene.view.model:
        return f"{shown}."
    if model.startswith(MOMENT):
        return f"{shown}, at all its moments; the bar says {models.offer(model).label}."
    why = "examined" if kept_steps(session.text_encoder(model)) else "recorded"
    return f"{shown}, while the bar says {models.offer(model).label}, whose training was not {why}."


def walk(step: int) -> None:
    """Go to the attention of the model as it was at a step, on the sentence of the film."""
    scene = filmed()
    run.show_model(f"{MOMENT}{scene.view.model},{step}")
    layer, head = place(scene)
    state.change(
        sentence=EXAMPLES[scene[RELATION]].sentence if is_marked(scene) else scene[SENTENCE],
        second="",
        hidden=(),
        edits=(),
        layer=layer,
        head=head,
    )
    state.session().go_to = page_of("attention").script
