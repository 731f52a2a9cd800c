"""A list of sentences: every one held against every other, and the odd pair found."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.experiments.attributions.similarity import check_alike, sentence_vector
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace

MOST, LONGEST = 24, 300  # sentences, and characters of each


def lines(text: str) -> list[str]:
    """Return the sentences of a text, one in each line that is not empty, without the space around them.

    Raises:
        EncoderError: fewer than 2, more than MOST, or one that is longer than LONGEST characters.
    """
    sentences = [" ".join(one.split()) for one in text.splitlines() if one.strip()]
    if not 2 <= len(sentences) <= MOST:
        raise EncoderError(f"the list has {len(sentences)} sentences; it takes 2 to {MOST}")
    long = next((one for one in sentences if len(one) > LONGEST), None)
    if long is not None:
        raise EncoderError(f"“{long[:40]}…” has {len(long)} characters; a sentence of a list has at most {LONGEST}")
    return sentences


@dataclass(frozen=True)
class Alike:
    """How alike the sentences of a list are: `cosines` [k, k] in float64."""

    cosines: Tensor

    @property
    def expected(self) -> Tensor:
        """What each pair would have by how alike its two sentences are to the others: mean of row plus mean of column.

        The mean of all pairs is taken off, and no sentence is counted with itself; [k, k].
        """
        k = len(self.cosines)
        apart = self.cosines - torch.diag(self.cosines.diagonal())
        mean = apart.sum(1) / (k - 1)
        return mean[:, None] + mean - mean.mean()

    def pair(self, values: Tensor) -> tuple[int, int]:
        """The pair i < j with the largest value of [k, k]."""
        above = torch.ones_like(values, dtype=torch.bool).triu(1)
        return divmod(int(values.masked_fill(~above, -torch.inf).argmax()), len(values))

    @property
    def odd(self) -> tuple[int, int]:
        """The pair whose cosine is farthest from what is expected of it; the most alike one where none differs."""
        off = (self.cosines - self.expected).abs()
        return self.pair(off) if float(off.triu(1).max()) > 1e-9 else self.most

    @property
    def most(self) -> tuple[int, int]:
        """The pair with the largest cosine."""
        return self.pair(self.cosines)

    @property
    def least(self) -> tuple[int, int]:
        """The pair with the smallest cosine."""
        return self.pair(-self.cosines)


def alike(traces: Sequence[Trace]) -> Alike:
    """The cosine of every two sentences' vectors.

    Raises:
        EncoderError: see `encoder.experiments.attributions.similarity.check_alike`.
    """
    for trace in traces:
        check_alike(traces[0], trace)
    vectors = torch.stack([sentence_vector(trace) for trace in traces])
    unit = vectors / vectors.norm(dim=-1, keepdim=True)
    return Alike(unit @ unit.T)
