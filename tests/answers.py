"""A picture of a run, asked outside the app."""

from encoder import TextEncoder, Trace
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene
from encoder.pictures.view import View


def answer(
    picture: Picture,
    encoder: TextEncoder,
    run: Trace,
    layer: int = 0,
    head: int = 0,
    b: Trace | None = None,
    **more: str,
) -> Answer:
    """What a picture answers to a run, or to two, with these choices; `step` is the one that is looked at."""
    step = more.pop("step", "")
    view = View(layer=layer, head=head, step=step, hidden=run.hidden, edits=run.edits, choices=tuple(more.items()))
    return picture.of(Scene(view, encoder, run, b))
