"""What Time-lapse looks at: the sentence, layer and head as a trained model has them, and its moments."""

from typing import NamedTuple

import numpy as np

from encoder.export.caption import About
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.server import task_models
from pages.ui.state import session_state as state


class Scene(NamedTuple):
    """The sentence in a model, a head of it, and the numbers of training steps after which the model was kept."""

    model: str
    text: str
    run: Trace  # its tokens are those of every moment
    layer: int
    head: int
    steps: list[int]

    @property
    def when(self) -> str:
        """At how many moments, in words."""
        return f"at {len(self.steps)} moments of training, from step {self.steps[0]:,} to step {self.steps[-1]:,}"

    @property
    def kept(self) -> str:
        """The expression that opens the model as it was after `step` steps."""
        trained_here = task_models.has_moments(self.model)
        return task_models.at_step(self.model) if trained_here else f"at({self.model!r}, step)"

    @property
    def about(self) -> About:
        """What a picture of the head on the sentence shows."""
        return About(self.run, layer=self.layer, head=self.head, scope=self.when)

    @property
    def axis(self) -> np.ndarray:
        """Where the moments stand on a logarithmic axis: step 0 has no logarithm, so one is added to all."""
        return np.array(self.steps) + 1


def scene() -> Scene:
    """What this session looks at, in its model where that was trained here, else in `small`; a pair is one text."""
    chosen = state.current().model
    model = chosen if task_models.has_moments(chosen) else "small"
    read, view = state.session().read, state.current()
    text = read if isinstance(read, str) else " ".join(read)
    run = session.run(model, text)
    layer, head = min(view.layer, run.config.n_layers - 1), min(view.head, run.config.n_heads - 1)
    return Scene(model, text, run, layer, head, list(session.snapshots(model)))
