"""The position-wise feed-forward network (paper, section 3.3)."""

from torch import Tensor, nn

from encoder.model.activations import ACTIVATIONS
from encoder.model.config import EncoderConfig
from encoder.model.linear import Linear
from encoder.model.tap import NO_TAP, Tap


class FeedForward(nn.Module):
    """output = activation(x W_1 + b_1) W_2 + b_2, the same for every token, each token alone.

    Gated (Shazeer 2020): output = (activation(x W_1 + b_1) * (x W_up + b_up)) W_2 + b_2.

    Shapes: x [B, n, d_model] -> hidden, activation, up and gated [B, n, d_ff] -> output [B, n, d_model].
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        widening, narrowing = config.feed_forward_bias == "both", config.feed_forward_bias != "none"
        self.w_1 = Linear(config.d_model, config.d_ff, widening)
        self.w_up = Linear(config.d_model, config.d_ff, widening) if config.gated else None
        self.w_2 = Linear(config.d_ff, config.d_model, narrowing)
        self.activation = ACTIVATIONS[config.activation].function

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Widen, bend, narrow."""
        hidden = tap("hidden", self.w_1(x))  # [B, n, d_ff]
        activation = tap("activation", self.activation(hidden))
        if self.w_up is not None:
            up = tap("up", self.w_up(x))  # [B, n, d_ff]
            activation = tap("gated", activation * up)
        return tap("output", self.w_2(activation))
