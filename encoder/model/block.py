"""One encoder layer: attention and feed-forward, each added to what came in and normalized (paper, section 3.1)."""

from torch import Tensor, nn

from encoder.model.attention import Attention
from encoder.model.config import EncoderConfig
from encoder.model.feed_forward import FeedForward
from encoder.model.normalization import LayerNorm, NoNorm, norm_of
from encoder.model.tap import NO_TAP, Tap


class Block(nn.Module):
    """Post-norm, as in the paper: x = norm(x + sublayer(x)). Pre-norm (Xiong et al. 2020): x = x + sublayer(norm(x)).

    Shapes: x [B, n, d_model] -> output [B, n, d_model].
    """

    def __init__(self, config: EncoderConfig, layer: int = 0) -> None:
        super().__init__()
        normed = layer > 0 or not config.no_first_norm
        self.attention = Attention(config, layer)
        self.norm1: LayerNorm = norm_of(config, config.d_model) if normed else NoNorm(config.d_model)
        self.feed_forward = FeedForward(config)
        self.norm2 = norm_of(config, config.d_model)
        self.norm_first = config.norm_first

    def forward(
        self,
        x: Tensor,
        key_padding_mask: Tensor | None = None,
        tap: Tap = NO_TAP,
        position_bias: Tensor | None = None,
        distances: Tensor | None = None,
    ) -> Tensor:
        """Run both sublayers in the order that the configuration names."""
        run = self.pre_norm if self.norm_first else self.post_norm
        return tap("output", run(x, key_padding_mask, tap, position_bias, distances))

    def post_norm(
        self,
        x: Tensor,
        key_padding_mask: Tensor | None,
        tap: Tap,
        position_bias: Tensor | None = None,
        distances: Tensor | None = None,
    ) -> Tensor:
        """Attention, add, norm; feed-forward, add, norm."""
        add_norm_1, add_norm_2 = tap.inside("add_norm_1"), tap.inside("add_norm_2")
        residual = add_norm_1("residual", x)
        x = residual + self.attention(x, key_padding_mask, tap.inside("attention"), position_bias, distances)
        x = self.norm1(add_norm_1("sum", x), add_norm_1)
        residual = add_norm_2("residual", x)
        x = residual + self.feed_forward(x, tap.inside("feed_forward"))
        normed: Tensor = self.norm2(add_norm_2("sum", x), add_norm_2)
        return normed

    def pre_norm(
        self,
        x: Tensor,
        key_padding_mask: Tensor | None,
        tap: Tap,
        position_bias: Tensor | None = None,
        distances: Tensor | None = None,
    ) -> Tensor:
        """Norm, attention, add; norm, feed-forward, add."""
        add_norm_1, add_norm_2 = tap.inside("add_norm_1"), tap.inside("add_norm_2")
        residual = add_norm_1("residual", x)
        x = self.norm1(x, add_norm_1)
        added = self.attention(x, key_padding_mask, tap.inside("attention"), position_bias, distances)
        x = add_norm_1("sum", residual + added)
        residual = add_norm_2("residual", x)
        x = self.norm2(x, add_norm_2)
        return add_norm_2("sum", residual + self.feed_forward(x, tap.inside("feed_forward")))
