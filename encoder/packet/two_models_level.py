"""Level 14 of a packet: in which layer two models part that read the same text: a fine-tuned one and its base."""

from typing import Any

import torch

from encoder.experiments.compare import aligned_tokens, both, relative_difference
from encoder.packet.format import exact, pack
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream

EQUAL = 1e-5  # of a vector's length: less is rounding


@torch.inference_mode()
def level_14(a: Trace, b: Trace) -> bytes:
    """Return how far the vectors of the same words are apart in two models, before the first layer and after each.

    Args:
        a: a run.
        b: the run of the same text in another model.
    """
    about: dict[str, Any] = {"other": b.source.name}
    pairs = [pair for pair in aligned_tokens(a, b) if pair.same]
    if (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model) or not pairs:
        return pack(14, about | {"models": None}, {})
    of_a, of_b = both(pairs)
    apart = relative_difference(a, b, pairs).mean(-1)
    cosines = torch.nn.functional.cosine_similarity(stream(a)[:, of_a], stream(b)[:, of_b], dim=-1).mean(-1)
    first = next((i for i, share in enumerate(apart.tolist()) if not share <= EQUAL), None)
    return pack(
        14, about | {"models": {"first": first}}, {"apart": exact(apart.numpy()), "cosine": exact(cosines.numpy())}
    )
