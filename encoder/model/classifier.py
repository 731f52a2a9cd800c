"""The head that labels a sentence or each token (Devlin et al. 2019, section 4)."""

import torch
from torch import Tensor, nn

from encoder.model.activations import HEAD_ACTIVATIONS
from encoder.model.config import EncoderConfig
from encoder.model.linear import Linear
from encoder.model.normalization import norm_of
from encoder.model.pooling import between, mean
from encoder.model.tap import NO_TAP, Tap


class Classifier(nn.Module):
    """logits = activation(x W + b) W_labels + b_labels, of one vector for the sentence, or of each token's.

    The map with its activation, and a norm after it, are there where the configuration has them.

    Shapes: x [B, n, d_model] -> logits [B, labels] for a sentence, [B, n, labels] for each token; tokens that
    `key_padding_mask` [B, n] masks do not count in a mean.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        assert config.classifier is not None
        self.head = config.classifier
        dense = self.head.activation is not None
        self.transform = Linear(config.d_model, config.d_model, config.head_bias) if dense else None
        self.activation = HEAD_ACTIVATIONS[self.head.activation].function if self.head.activation else None
        self.norm = norm_of(config, config.d_model) if self.head.norm else None
        self.output = Linear(config.d_model, len(self.head.labels))

    def forward(self, x: Tensor, key_padding_mask: Tensor | None = None, tap: Tap = NO_TAP) -> Tensor:
        """Score every label."""
        masked = torch.zeros(x.shape[:2], dtype=torch.bool) if key_padding_mask is None else key_padding_mask
        counts = (~masked)[..., None].to(x.dtype)  # [B, n, 1]
        if self.head.pools:
            counted = between(counts) if self.head.reading == "words" else counts
            x = tap("pooled", x[:, :1] if self.head.reading == "first" else mean(x, counted))  # [B, 1, d_model]
        if self.transform is not None and self.activation is not None:
            x = tap("activation", self.activation(tap("transform", self.transform(x))))
        if self.norm is not None:
            x = self.norm(x, tap.inside("norm"))
        if self.head.labelled == "token":
            logits = tap("logits", self.output(x))  # [B, n, labels]
        elif self.head.pools:
            logits = tap("logits", self.output(x)[:, 0])  # [B, labels]
        else:
            logits = tap("logits", mean(tap("token_logits", self.output(x)), counts)[:, 0])  # [B, labels]
        if self.head.problem == "single_label":
            tap("probabilities", logits.softmax(-1))
        if self.head.problem == "multi_label":
            tap("probabilities", logits.sigmoid())
        return logits
