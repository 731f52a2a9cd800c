"""Labs on tokens that nobody typed: padding with its mask and without, and a sentence without [CLS] and [SEP].

Padding: a sentence alone, in a batch with the mask, and in a batch whose mask was forgotten.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.build import untrained
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.common import at_least, normal
from encoder.metrics import cosine, open_scores
from encoder.model.config import EncoderConfig
from encoder.model.tap import Recorder
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class Padding:
    """The shorter of two sentences in their batch, against the same sentence alone.

    `tokens` are those in the batch, of which the first n are the sentence and the rest [PAD]. `scores` and `weights`
    [2, n_layers, H, tokens, tokens] are the masked scores and the weights of the short sentence in the batch, with the
    mask and with the mask forgotten. `masked` and `forgotten` [n] are the largest absolute difference of each token's
    output vector from the run alone, with the mask and without; `size` is the largest number of that run's output. The
    leaks [n_layers, H] are the share of its weight that a token gives to all [PAD] together, averaged over the n.
    """

    tokens: tuple[str, ...]
    n: int
    scores: Tensor
    weights: Tensor
    size: float
    masked: Tensor
    forgotten: Tensor
    masked_leak: Tensor
    forgotten_leak: Tensor


@torch.inference_mode()
def padding(encoder: TextEncoder, short: str, long: str) -> Padding:
    """Run the short sentence alone, and beside the long one with and without the mask that hides [PAD].

    Raises:
        EncoderError: the short sentence does not have fewer tokens than the long one.
    """
    alone, (masked, other) = encoder.trace(short), encoder.trace([short, long])
    n = len(alone.tokens)
    if not masked.padding:
        raise EncoderError(
            f"the short sentence has {n} tokens, the long one {len(other.tokens) - other.padding}; "
            "the short one must have fewer"
        )
    values: dict[str, Tensor] = {}
    encoder.model(torch.tensor([masked.ids, other.ids]), None, tap=Recorder(values, {}))
    forgotten = Trace(
        masked.tokenization, encoder.config, encoder.source, values, {}
    )  # none of its tokens counts as padding
    runs = (masked, forgotten)
    apart = [(run["output"][:n] - alone["output"]).abs().amax(-1) for run in runs]
    scores = stacked(runs, open_scores)
    weights = stacked(runs, lambda run, layer: run[f"layers.{layer}.attention.weights"])
    leaks = weights[..., :n, n:].sum(-1).mean(-1)
    return Padding(tuple(masked.tokens), n, scores, weights, float(alone["output"].abs().max()), *apart, *leaks)


def stacked(runs: Sequence[Trace], of_layer: Callable[[Trace, int], Tensor]) -> Tensor:
    """What there is of each layer of each run: [runs, n_layers, ...]."""
    return torch.stack([torch.stack([of_layer(run, i) for i in range(run.config.n_layers)]) for run in runs])


@dataclass(frozen=True)
class HiddenRow:
    """What becomes of a token for which every key is hidden: the last of n, in a random model of one head.

    `masked` and `weights` [n, n] are of layer 0. `lost` counts the tokens whose vector is not a number before the first
    layer and after each one.
    """

    masked: Tensor
    weights: Tensor
    lost: tuple[int, ...]


@torch.inference_mode()
def hidden_row(mask_value: float = -math.inf, *, n: int = 5, n_layers: int = 3, seed: int = 0) -> HiddenRow:
    """Hide every key from the last token, none from the others, and follow what softmax makes of its row.

    With minus infinity the row is 0/0 = nan, which the layers after it hand to every token; with a finite value all
    scores are equal, and softmax spreads the row evenly, 1/n each, over tokens it was told not to see.

    Raises:
        EncoderError: a mask value, n or number of layers outside its range.
    """
    at_least(2, n=n)
    config = EncoderConfig(
        vocab_size=5, d_model=16, n_heads=1, n_layers=n_layers, d_ff=32, max_positions=n, mask_value=mask_value
    )
    hidden = torch.zeros(1, n, n, dtype=torch.bool)
    hidden[:, -1] = True
    values: dict[str, Tensor] = {}
    x = normal(1, n, config.d_model, seed=seed, draw=1)
    untrained(config, seed).resume(x, 0, hidden, Recorder(values, {}))
    stream = (x, *(values[f"layers.{i}.output"] for i in range(n_layers)))
    lost = tuple(int(vectors[0].isnan().any(-1).sum()) for vectors in stream)
    masked, weights = (values[f"layers.0.attention.{name}"][0, 0] for name in ("masked", "weights"))
    return HiddenRow(masked, weights, lost)


@dataclass(frozen=True)
class Bare:
    """A sentence's own tokens, read with the added ones around them and alone; n counts its own.

    `with_added` and `alone` [n, d_model] are their output vectors; `added` are the tokens that were left out. Alone the
    first word stands at position 0, where the first added token stood.
    """

    tokens: tuple[str, ...]
    added: tuple[str, ...]
    with_added: Tensor
    alone: Tensor

    @property
    def alike(self) -> Tensor:
        """Cosine of each token's vector alone and with the added tokens: [n]."""
        return cosine(self.alone, self.with_added)


@torch.inference_mode()
def bare(encoder: TextEncoder, text: str) -> Bare:
    """Run a sentence as the tokenizer gives it, and again as its own tokens alone: (n, d_model), one row for a token.

    Raises:
        EncoderError: the tokenizer adds nothing, or the sentence has no token of its own.
    """
    pieces = encoder.tokenize(text)
    typed = [i for i, special in enumerate(pieces.special) if not special or pieces.typed(i).strip()]
    if not typed or len(typed) == len(pieces.ids):
        what = "has no word" if not typed else "gets no token from this tokenizer besides its own"
        raise EncoderError(f"{text!r} {what}; there is nothing to compare")
    ids = torch.tensor([pieces.ids])
    whole, alone = encoder.model(ids)[0], encoder.model(ids[:, typed])[0]
    added = tuple(token for i, token in enumerate(pieces.tokens) if i not in set(typed))
    return Bare(tuple(pieces.tokens[i] for i in typed), added, whole[typed], alone)
