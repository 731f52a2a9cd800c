"""Lab bare words: a sentence without the tokens that the model adds, such as [CLS] and [SEP]."""

from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.metrics import cosine
from encoder.support.errors import EncoderError
from encoder.text_encoder import TextEncoder


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
