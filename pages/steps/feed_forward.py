"""Feed-forward: every token by itself is widened, bent and narrowed."""

from encoder.pictures.registry.feed_forward import UNITS
from pages.parts.feed_forward import silent
from pages.ui.picture import ask
from pages.ui.step import panel

step, scene = panel.pick("feed_forward"), ask(UNITS)
trace = scene.t
panel.show(trace, step, scene.head)
silent.draw()
panel.proof(trace, step)
