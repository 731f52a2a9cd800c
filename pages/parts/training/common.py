"""What both tabs of Time-lapse look at: the sentence, layer and head as `small` has them, and its moments."""

from typing import NamedTuple

import numpy as np

from encoder.export.caption import About
from encoder.trace.trace import Trace
from pages.ui import session
from pages.ui.state import session_state as state


class Scene(NamedTuple):
    """The sentence in `small`, a head of it, and the numbers of training steps after which the model was kept."""

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
    def about(self) -> About:
        """What a picture of the head on the sentence shows."""
        return About(self.run, layer=self.layer, head=self.head, scope=self.when)

    @property
    def axis(self) -> np.ndarray:
        """Where the moments stand on a logarithmic axis: step 0 has no logarithm, so one is added to all."""
        return np.array(self.steps) + 1


def scene() -> Scene:
    """What this session looks at; a pair is read as one text, as `small` does."""
    read, view = state.session().read, state.current()
    text = read if isinstance(read, str) else " ".join(read)
    run = session.run("small", text)
    layer, head = min(view.layer, run.config.n_layers - 1), min(view.head, run.config.n_heads - 1)
    return Scene(text, run, layer, head, list(session.snapshots("small")))
