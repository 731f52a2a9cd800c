"""What really flows: weights against what they carry, what a token keeps of itself, and the way through all layers."""

from pages.heads import mixing, rolled, to_one_token, weight_and_flow
from pages.ui.refusals import parts
from pages.ui.widgets import fold


def draw() -> None:
    """One head's weights against what they carry, the mixing ratio, and what may stay closed."""
    parts(weight_and_flow.draw, mixing.draw)
    fold(
        "Through all layers at once: how much of each input word is in each token (rollout and flow)",
        "through_layers",
        through,
        holds={"rollout_layer", "flow_token"},
    )


def through() -> None:
    """Two estimates of what reaches a token from the input, through every layer."""
    parts(rolled.draw, to_one_token.draw)
