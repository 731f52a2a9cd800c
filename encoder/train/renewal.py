"""A new start for the attention of a layer that has switched itself off, in a model that otherwise stays as it is.

Such a layer adds the same vector to every word. So its attention is replaced by one that does exactly that and can
still learn: W_O is 0 and b_O is the vector that was added on average; queries, keys and values are drawn anew, and the
scores are scaled so that the softmax starts soft.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from encoder.metrics.sentences import SENTENCES
from encoder.model.attention import Attention
from encoder.support.errors import seeded
from encoder.text_encoder import TextEncoder

SPREAD = 1.0  # standard deviation of the scaled scores of a new head over the sentences


def renew(encoder: TextEncoder, layers: Sequence[int], seed: int, sentences: Sequence[str] = SENTENCES) -> None:
    """Start the attention of these layers anew, in place; the same for the same seed and sentences."""
    generator = seeded(seed)
    for i in sorted(layers):
        traces = [encoder.trace(sentence) for sentence in sentences]
        inputs = [trace.layers[i].attention.input for trace in traces]
        words = [~torch.tensor(trace.tokenization.special) for trace in traces]
        outputs = [trace.layers[i].attention.output[kept] for trace, kept in zip(traces, words, strict=True)]
        attention = encoder.model.layers[i].attention
        assert isinstance(attention, Attention)
        start_anew(attention, inputs, torch.cat(outputs).mean(0), generator)


@torch.no_grad()
def start_anew(attention: Attention, inputs: Sequence[Tensor], added: Tensor, generator: torch.Generator) -> None:
    """Draw an attention that adds `added` [d_model] whatever it looks at; inputs are [n, d_model] each."""
    attention.train()  # lets go of copies of the old weights
    for part in (attention.w_q, attention.w_k, attention.w_v, attention.w_o):
        part.weight.uniform_(-1, 1, generator=generator).mul_(math.sqrt(3 / part.in_features))
        part.bias.zero_()
    spread = torch.cat([scaled_scores(attention, x).flatten() for x in inputs]).std()
    for part in (attention.w_q, attention.w_k):
        part.weight.mul_((SPREAD / spread).sqrt())
    attention.w_o.weight.zero_()
    attention.w_o.bias.copy_(added)


def scaled_scores(attention: Attention, x: Tensor) -> Tensor:
    """Every head's scores of [n, d_model] vectors: [H, n, n]."""
    q, k = (attention.split(part(x)) for part in (attention.w_q, attention.w_k))
    return q @ k.mT / math.sqrt(attention.d_head)
