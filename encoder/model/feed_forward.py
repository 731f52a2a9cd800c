"""The position-wise feed-forward network (paper, section 3.3)."""

from torch import Tensor, nn

from encoder.model.activations import ACTIVATIONS
from encoder.model.config import EncoderConfig
from encoder.model.linear import Linear
from encoder.model.tap import NO_TAP, Tap


class FeedForward(nn.Module):
    """output = activation(x W_1 + b_1) W_2 + b_2, the same for every token, each token alone.

    Shapes: x [B, n, d_model] -> hidden and activation [B, n, d_ff] -> output [B, n, d_model].
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.w_1 = Linear(config.d_model, config.d_ff)
        self.w_2 = Linear(config.d_ff, config.d_model)
        self.activation = ACTIVATIONS[config.activation].function

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Widen, bend, narrow."""
        hidden = tap("hidden", self.w_1(x))  # [B, n, d_ff]
        activation = tap("activation", self.activation(hidden))
        return tap("output", self.w_2(activation))
