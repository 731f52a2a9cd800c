"""Which words are to be guessed, and what stands in their place (Devlin et al. 2019, section 3.1; whole words)."""

from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from encoder.support.errors import EncoderError
from encoder.train.vocabulary import SPECIAL

MASKED, RANDOM = 0.8, 0.1  # the rest stays as it is


@dataclass(frozen=True)
class Vocabulary:
    """What masking needs to know of a tokenizer: which ids are special, which go on a word, and some ids."""

    special: Tensor
    goes_on: Tensor
    pad: int
    cls: int
    sep: int
    mask: int

    @property
    def size(self) -> int:
        """How many pieces there are."""
        return len(self.special)


def vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    """Look the special ids up.

    Raises:
        EncoderError: the tokenizer lacks one of them.
    """
    found = {token: tokenizer.token_to_id(token) for token in SPECIAL}
    ids = {token: number for token, number in found.items() if number is not None}
    if lacking := [token for token in SPECIAL if token not in ids]:
        raise EncoderError(f"the tokenizer has no {', '.join(lacking)}; training needs {', '.join(SPECIAL)}")
    size = tokenizer.get_vocab_size()
    special = torch.zeros(size, dtype=torch.bool)
    special[[ids[token] for token in SPECIAL if token != "[UNK]"]] = True
    goes_on = torch.tensor([(tokenizer.id_to_token(i) or "").startswith("##") for i in range(size)])
    return Vocabulary(special, goes_on, ids["[PAD]"], ids["[CLS]"], ids["[SEP]"], ids["[MASK]"])


def choose(ids: Tensor, words: Vocabulary, share: float, draw: np.random.Generator) -> Tensor:
    """Where a token is to be guessed, [rows, n]: each word with probability `share`, all its pieces or none.

    At least one word is chosen where there is any.
    """
    ordinary = ~words.special[ids].flatten()
    word = (~words.goes_on[ids]).flatten().cumsum(0) - 1  # the number of each token's word
    drawn = torch.from_numpy(draw.random(int(word[-1]) + 1))
    least = drawn[word][ordinary].amin() if bool(ordinary.any()) else torch.zeros(())
    chosen = (drawn < share) | (drawn == least)
    return (chosen[word] & ordinary).view_as(ids)


def hide(ids: Tensor, chosen: Tensor, words: Vocabulary, draw: np.random.Generator) -> Tensor:
    """The ids with chosen tokens replaced: 80 % by [MASK], 10 % by any ordinary token, 10 % left as they are."""
    luck = torch.from_numpy(draw.random(ids.shape))
    ordinary = (~words.special).nonzero()[:, 0]
    other = ordinary[torch.from_numpy(draw.integers(len(ordinary), size=ids.shape))]
    ids = torch.where(chosen & (luck < MASKED), words.mask, ids)
    return torch.where(chosen & (luck >= MASKED) & (luck < MASKED + RANDOM), other, ids)
