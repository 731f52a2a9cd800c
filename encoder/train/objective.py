"""Which words are hidden (Devlin et al. 2019, section 3.1; whole words), and what training makes small.

That is the negative log-likelihood (nll) of each hidden word; the forward pass is the encoder's own, seen by a tap.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from encoder.model.encoder import Encoder
from encoder.model.tap import Tap
from encoder.support.errors import EncoderError
from encoder.train.packing import Rows
from encoder.train.vocabulary import SPECIAL

DROPPED = ("embedding.output", "attention.weights", "attention.output", "feed_forward.output")
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
        """The number of pieces."""
        return len(self.special)


def vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    """Look the special ids up.

    Raises:
        EncoderError: the tokenizer lacks one of them.
    """
    every = {token: tokenizer.token_to_id(token) for token in SPECIAL}
    ids = {token: number for token, number in every.items() if number is not None}
    if lacking := [token for token in SPECIAL if token not in ids]:
        raise EncoderError(f"the tokenizer has no {', '.join(lacking)}; training needs {', '.join(SPECIAL)}")
    size = tokenizer.get_vocab_size()
    special = torch.zeros(size, dtype=torch.bool)
    special[[ids[token] for token in SPECIAL if token != "[UNK]"]] = True
    goes_on = torch.tensor([(tokenizer.id_to_token(i) or "").startswith("##") for i in range(size)])
    return Vocabulary(special, goes_on, ids["[PAD]"], ids["[CLS]"], ids["[SEP]"], ids["[MASK]"])


def choose(ids: Tensor, words: Vocabulary, share: float, draw: np.random.Generator) -> Tensor:
    """Return where a token is to be guessed, [rows, n]: each word with probability `share`, all its pieces or none.

    At least one word is chosen where there is any.
    """
    ordinary = ~words.special[ids].flatten()
    word = (~words.goes_on[ids]).flatten().cumsum(0) - 1  # the number of each token's word
    drawn = torch.from_numpy(draw.random(int(word[-1]) + 1))
    least = drawn[word][ordinary].amin() if bool(ordinary.any()) else torch.zeros(())
    chosen = (drawn < share) | (drawn == least)
    return (chosen[word] & ordinary).view_as(ids)


def hide(ids: Tensor, chosen: Tensor, words: Vocabulary, draw: np.random.Generator) -> Tensor:
    """Return the ids with chosen tokens replaced: 80 % by [MASK], 10 % by any ordinary token, 10 % left as they are."""
    luck = torch.from_numpy(draw.random(ids.shape))
    ordinary = (~words.special).nonzero()[:, 0]
    other = ordinary[torch.from_numpy(draw.integers(len(ordinary), size=ids.shape))]
    ids = torch.where(chosen & (luck < MASKED), words.mask, ids)
    return torch.where(chosen & (luck >= MASKED) & (luck < MASKED + RANDOM), other, ids)


@dataclass(frozen=True)
class Batch:
    """Rows with hidden words: ids, segments and places are [rows, n].

    `at` [hidden] says where the hidden words are, counted through all rows, and `labels` [hidden] which they are.
    """

    ids: Tensor
    segments: Tensor
    places: Tensor
    at: Tensor
    labels: Tensor

    @classmethod
    def of(cls, rows: Rows, words: Vocabulary, share: float, draw: np.random.Generator) -> "Batch":
        """Return rows with a share of their words hidden."""
        chosen = choose(rows.ids, words, share, draw)
        hidden = hide(rows.ids, chosen, words, draw)
        return cls(hidden, rows.segments, rows.places, chosen.flatten().nonzero()[:, 0], rows.ids[chosen])

    def cut(self, index: int, count: int) -> "Batch":
        """Return one of `count` pieces, by rows."""
        size, n = self.ids.shape
        part = slice(index * size // count, (index + 1) * size // count)
        inside = (self.at >= part.start * n) & (self.at < part.stop * n)
        ids, segments, places = (x[part] for x in (self.ids, self.segments, self.places))
        return Batch(ids, segments, places, self.at[inside] - part.start * n, self.labels[inside])

    def each(self, function: Callable[[Tensor], Tensor]) -> "Batch":
        """Return the same with every tensor handed through a function."""
        parts = {field.name: function(getattr(self, field.name)) for field in fields(self)}
        return Batch(**parts)


class TrainingTap(Tap):
    """What training does on the way: positions from 0 in each segment, dropout, and a penalty on large scores.

    Dropout acts where the paper has it (section 5.4), on the embedding and on what each sublayer gives, and on the
    attention weights. `penalties` collects, layer by layer, the mean square of the scores' log-sum-exp. Steps whose
    names end as one of `left_out` give zeros.
    """

    def __init__(
        self,
        positions: Tensor,
        places: Tensor,
        dropout: float,
        penalties: list[Tensor] | None = None,
        left_out: tuple[str, ...] = (),
    ) -> None:
        self.positions = positions
        self.places = places
        self.dropout = dropout
        self.penalties = penalties
        self.left_out = left_out

    def see(self, name: str, value: Tensor) -> Tensor:
        """Exchange the positions, drop out, or hand on."""
        if name == "embedding.positions":
            return self.positions[self.places]
        if name.endswith(self.left_out):
            return torch.zeros_like(value)
        if name.endswith("attention.masked") and self.penalties is not None:
            self.penalties.append(value.float().logsumexp(-1).square().mean())
        if self.dropout and name.endswith(DROPPED):
            return functional.dropout(value, self.dropout)
        return value


class MaskedWords(nn.Module):
    """The encoder and its loss in one module, so that DistributedDataParallel sees one forward pass.

    `compiled` lets torch.compile make one kernel of many, where the device has it. `left_out` are the ends of the names
    of steps that give zeros.
    """

    def __init__(
        self,
        encoder: Encoder,
        dropout: float = 0.0,
        score_penalty: float = 0.0,
        compiled: bool = False,
        left_out: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.left_out = left_out
        self.dropout = dropout
        self.score_penalty = score_penalty
        self.run = torch.compile(self.encode) if compiled else self.encode

    def encode(self, ids: Tensor, segments: Tensor, places: Tensor, dropout: float) -> tuple[Tensor, Tensor]:
        """Output [rows, n, d_model] of segments that cannot see each other, and the mean penalty of the layers."""
        hidden = segments[:, :, None] != segments[:, None]  # [rows, n, n]
        penalties: list[Tensor] | None = [] if self.score_penalty and self.training else None
        tap = TrainingTap(self.encoder.embedding.positions.weight, places, dropout, penalties, self.left_out)
        output = self.encoder(ids, hidden, tap=tap)
        return output, torch.stack(penalties).mean() if penalties else output.new_zeros(())

    def logits(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Scores of every word where a word is hidden, [hidden, vocab], and the penalty."""
        output, penalty = self.run(batch.ids, batch.segments, batch.places, self.dropout if self.training else 0.0)
        scores = self.encoder.predict(output.flatten(0, 1)[batch.at])
        assert scores is not None, "Recipe sees to it that there is a head"
        return scores, penalty

    def forward(self, batch: Batch, total: int, parts: int) -> tuple[Tensor, Tensor]:
        """Return the batch's share of the loss, to go backward from, and the summed nll in nats, to report.

        `total` counts the hidden words of the whole step, of which this batch is one of so many `parts`.
        """
        scores, penalty = self.logits(batch)
        nll = functional.cross_entropy(scores.float(), batch.labels, reduction="sum")
        return nll / total + self.score_penalty * penalty / parts, nll.detach()
