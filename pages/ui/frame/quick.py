"""Layer and head once more, small, for where the sidebar is not on the screen: a phone, a class, a sidebar put away.

A component of its own, because two of Streamlit's boxes would cost every run of every page some milliseconds.
"""

from encoder.model.config import EncoderConfig
from pages.ui.component import component
from pages.ui.state import session_state as state

_component = component(__file__, "quick", "<label>Layer <select></select></label><label>Head <select></select></label>")


def draw(config: EncoderConfig) -> None:
    """Both lists; what is chosen there is the layer or head of the view."""
    view, counts = state.current(), [config.n_layers, config.n_heads]

    def picked() -> None:
        said = state.picked("quick")
        if isinstance(said, list) and len(said) == 2 and all(type(v) is int for v in said):
            which, value = said
            if which in (0, 1) and 0 <= value < counts[which]:
                state.change(**{("layer", "head")[which]: value})

    _component(key="quick", on_picked_change=picked, data={"counts": counts, "at": [view.layer, view.head]})
