"""What really flows: weights against what they carry, what a token keeps of itself, and the way through all layers."""

from pages.parts.flows import mixing, rolled, to_one_token, weight_and_flow

weight_and_flow.draw()
mixing.draw()
rolled.draw()
to_one_token.draw()
