"""The whole encoder: embedding, a stack of layers, and the head that guesses masked words (paper, section 3.1)."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from encoder.model.activations import ACTIVATIONS
from encoder.model.block import Block
from encoder.model.classifier import Classifier
from encoder.model.config import EncoderConfig
from encoder.model.distance import Distances, position_bias
from encoder.model.embedding import Embedding
from encoder.model.linear import Linear, Prepacked
from encoder.model.normalization import norm_of
from encoder.model.pooling import SentencePooling
from encoder.model.tap import NO_TAP, Tap
from encoder.support.errors import EncoderError


@contextmanager
def meta_device() -> Iterator[None]:
    """Lay out the modules made in the block on the meta device, and draw nothing."""
    with torch.device("meta"), NoInit():
        yield


class NoInit(TorchFunctionMode):
    """Leaves out torch.nn.init: drawing weights that are replaced at once takes longer than all the rest of loading.

    On the meta device nothing is drawn either, but a first attempt loads 800 modules of torch's compiler for it.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Hand a tensor back as it is instead of filling it; do everything else as usual."""
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


class MLMHead(Prepacked):
    """logits = norm(activation(x W + b)) E^T + bias: a score for every word of the vocabulary (Devlin et al. 2019).

    The decoder is the token embedding itself. Shapes: x [B, n, d_model] -> logits [B, n, vocab].
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.transform = Linear(config.d_model, config.d_embedding, config.head_bias)
        self.norm = norm_of(config, config.d_embedding)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.activation = ACTIVATIONS[config.head_activation or config.activation].function

    def forward(self, x: Tensor, embedding: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Score every word at every position; `embedding` is the token table [vocab, d_embedding]."""
        transform = tap("transform", self.transform(x))  # [B, n, d_embedding]
        activation = tap("activation", self.activation(transform))
        x = self.norm(activation, tap.inside("norm"))
        logits = tap("logits", self.map(x, embedding, self.bias))  # [B, n, vocab]
        tap("probabilities", logits.softmax(-1))
        return logits


class Encoder(nn.Module):
    """Embedding, n_layers blocks, and a final norm where the model has one.

    Shapes: ids [B, n] -> output [B, n, d_model]. A new encoder has random weights from torch's global generator.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config)
        self.position_bias = position_bias(config)
        self.distances = Distances(config) if config.distance_parts else None
        blocks = (Block(config, i) for i in range(1 if config.shared_layers else config.n_layers))
        self.layers = nn.ModuleList(list(blocks) * (config.n_layers if config.shared_layers else 1))
        self.final_norm = norm_of(config, config.d_model) if config.final_norm else None
        self.mlm_head = MLMHead(config) if config.mlm_head else None
        self.pooling = SentencePooling(config) if config.pooling else None
        self.classifier = Classifier(config) if config.classifier else None

    def forward(
        self, ids: Tensor, key_padding_mask: Tensor | None = None, segments: Tensor | None = None, tap: Tap = NO_TAP
    ) -> Tensor:
        """Encode.

        Args:
            ids: token ids [B, n], n at most max_positions.
            key_padding_mask: true where a key may not be looked at, [B, n] for all queries alike or [B, n, n] for each
                query.
            segments: sentence A or B of each token [B, n]; all A without it.
            tap: what sees every step on its way.

        Raises:
            EncoderError: more tokens than the model has positions for.
        """
        if ids.shape[1] > self.config.max_positions:
            raise EncoderError(f"{ids.shape[1]} tokens; this model takes 1 to {self.config.max_positions}")
        return self.resume(self.embedding(ids, segments, tap.inside("embedding")), 0, key_padding_mask, tap)

    def resume(self, x: Tensor, start: int, key_padding_mask: Tensor | None = None, tap: Tap = NO_TAP) -> Tensor:
        """Go on from layer `start`, whose input is x [B, n, d_model]; from n_layers, with what follows the stack."""
        if key_padding_mask is not None:
            every = key_padding_mask.dim() == 2
            key_padding_mask = (
                key_padding_mask[:, None, None] if every else key_padding_mask[:, None]
            )  # [B, 1, 1 or n, n]
        bias = None if self.position_bias is None else self.position_bias(x.shape[1])
        distances = None if self.distances is None else self.distances(x, tap.inside("distances"))
        for i, layer in islice(enumerate(self.layers), start, None):
            x = layer(x, key_padding_mask, tap.inside(f"layers.{i}"), bias, distances)
        if self.final_norm is not None:
            x = self.final_norm(x, tap.inside("final_norm"))
        return tap("output", x)

    def predict(self, output: Tensor, tap: Tap = NO_TAP) -> Tensor | None:
        """Logits [B, n, vocab] of the masked-language-model head for an encoder output; None without a head."""
        if self.mlm_head is None:
            return None
        logits: Tensor = self.mlm_head(output, self.embedding.tokens.weight, tap.inside("mlm"))
        return logits

    def pool(self, output: Tensor, key_padding_mask: Tensor | None = None, tap: Tap = NO_TAP) -> Tensor | None:
        """The sentence's vector [B, 1, d_model] for an encoder output, without the tokens that are masked [B, n].

        None where the model makes none.
        """
        if self.pooling is None:
            return None
        vector: Tensor = self.pooling(output, key_padding_mask, tap.inside("pooling"))
        return vector

    def label(self, output: Tensor, key_padding_mask: Tensor | None = None, tap: Tap = NO_TAP) -> Tensor | None:
        """Scores of the labels for an encoder output: [B, labels] of a sentence, or [B, n, labels] of each token.

        Tokens that are masked [B, n] do not count. None where the model names no labels.
        """
        if self.classifier is None:
            return None
        logits: Tensor = self.classifier(output, key_padding_mask, tap.inside("classifier"))
        return logits

    def prepack(self) -> None:
        """Lay out every linear map for this processor; see `encoder.model.linear`."""
        for part in self.modules():
            if isinstance(part, Linear):
                part.prepack(part.weight)
        if self.mlm_head is not None:
            self.mlm_head.prepack(self.embedding.tokens.weight)
