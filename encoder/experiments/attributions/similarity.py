"""Why two sentences are alike: the cosine of their vectors as a sum over pairs of tokens.

A sentence's vector is a sum over its tokens, a = sum_i w_i * h_i: w_i is 1/n for the mean, 1 for [CLS] alone, and for
the largest of all tokens 1 in the dimensions where token i has it. So the cosine of two sentences is
sum_ij (w_i * h_i) . (u_j * g_j) / (|a| |b|): every cell is exact, and all cells add up to it. h_i is the vector at
position i, which has gathered from the whole sentence, and not the word alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.contributions import EMBEDDING, Stream, StreamPart
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows, tokens

BEFORE = StreamPart("earlier layers")  # what the last layer finds in the stream


@dataclass(frozen=True)
class Likeness:
    """What each pair of tokens adds to the cosine: `cells` [n, m] in float64; `cosine` is worked out without them."""

    cells: Tensor
    cosine: float

    def between_words(self, a: Trace, b: Trace) -> float:
        """What the pairs add that have no special token in them."""
        left, right = (~torch.tensor(run.tokenization.special[: len(tokens(run))]) for run in (a, b))
        return float(self.cells[left][:, right].sum())


@dataclass(frozen=True)
class Opened:
    """One cell as a sum over pairs of parts: `values` [k, l], a row for each part of h_i, a column for each of g_j."""

    left: tuple[StreamPart, ...]
    right: tuple[StreamPart, ...]
    values: Tensor

    def by_token(self) -> Tensor:
        """The same with the heads of the last layer added up: [n + r, m + s].

        Rows and columns are the tokens that they gathered from, then the parts that come from no token (`others`).
        """
        return belongs(self.left) @ self.values @ belongs(self.right).T


def others(parts: tuple[StreamPart, ...]) -> list[StreamPart]:
    """The parts that no head gathered from a token."""
    return [part for part in parts if part.token is None]


def belongs(parts: tuple[StreamPart, ...]) -> Tensor:
    """Which part belongs to which row of `Opened.by_token`: [n + r, k] of 0 and 1."""
    n, rest = 1 + max(part.token for part in parts if part.token is not None), others(parts)
    places = [n + rest.index(part) if part.token is None else part.token for part in parts]
    return torch.nn.functional.one_hot(torch.tensor(places), n + len(rest)).T.double()


def counts(trace: Trace) -> Tensor:
    """How much of each token's output vector goes into the sentence's, [n, 1] or [n, d_model] in float64.

    It is that of the model's own pooling, and of the mean where it has none. Masked tokens do not count.
    """
    x = rows(trace, "output")
    there = torch.tensor([float(i not in trace.hidden) for i in range(len(x))], dtype=torch.float64)[:, None]
    pooling = trace.config.pooling or "mean"
    if pooling == "cls":
        return torch.zeros_like(there).index_fill_(0, there.argmax(0), 1.0)
    if pooling == "max":
        best = x.masked_fill(there == 0, -torch.inf).argmax(0)
        return torch.nn.functional.one_hot(best, len(x)).T.double()
    return there / (there.sum() if pooling == "mean" else there.sum().sqrt())


def summands(trace: Trace) -> Tensor:
    """What each token puts into the sentence's vector: [n, d_model] in float64, whose rows add up to it."""
    return counts(trace) * rows(trace, "output").double()


def sentence_vector(trace: Trace) -> Tensor:
    """The sentence's vector as the model pools it, or the mean where it does not: [d_model] in float64."""
    if "pooling.vector" in trace:
        return trace["pooling.vector"][0].double()
    kept = [i for i in range(len(tokens(trace))) if i not in trace.hidden]
    return rows(trace, "output")[kept].double().mean(0)


def mean_vector(encoder: TextEncoder, texts: Sequence[str]) -> Tensor:
    """The mean of many sentences' vectors, each with the model's usual prefix: [d_model] in float64."""
    return torch.stack([sentence_vector(encoder.trace(encoder.prompted(text))) for text in texts]).mean(0)


def check_alike(a: Trace, b: Trace) -> None:
    """Refuse two runs whose vectors are not of one space.

    Raises:
        EncoderError: runs of two models, or one that ends in something else than finite numbers or in zeros.
    """
    if a.config != b.config or a.source != b.source:
        raise EncoderError(
            f"the runs are of two models ({a.source.name} and {b.source.name}), whose vectors do not compare"
        )
    for trace in (a, b):
        length = float(sentence_vector(trace).norm())
        if not 0 < length < float("inf"):
            raise EncoderError(f"the vector of “{trace.text[:40]}” has the length {length:g}, so it has no direction")


def likeness(a: Trace, b: Trace) -> Likeness:
    """The cosine of two sentences' vectors, shared out among their pairs of tokens.

    Raises:
        EncoderError: see `check_alike`.
    """
    check_alike(a, b)
    left, right = sentence_vector(a), sentence_vector(b)
    cells = summands(a) @ summands(b).T / (left.norm() * right.norm())
    return Likeness(cells, float(torch.nn.functional.cosine_similarity(left, right, dim=0)))


@dataclass(frozen=True)
class Centred(Likeness):
    """The cosine after a corpus's mean vector m was taken off both: another number, and a second view.

    `terms` are what it is made of, each over |a - m| |b - m|: a.b, less a.m, less m.b, and m.m.
    """

    terms: dict[str, float]


def centred(a: Trace, b: Trace, mean: Tensor) -> Centred:
    """The same for vectors from which the mean vector of a corpus [d_model] is taken.

    Raises:
        EncoderError: see `check_alike`; a mean of another width, or a sentence that is that mean.
    """
    check_alike(a, b)
    if mean.shape != (a.config.d_model,):
        raise EncoderError(f"the mean is {list(mean.shape)}; it must be [{a.config.d_model}]")
    m, of_a, of_b = mean.double(), sentence_vector(a), sentence_vector(b)
    lengths = (of_a - m).norm() * (of_b - m).norm()
    if not float(lengths) > 0:
        raise EncoderError("a sentence's vector is that mean itself, so nothing is left of it")
    left, right = (summands(run) - m * (count := counts(run)) / count.sum(0) for run in (a, b))
    terms = {"a · b": of_a @ of_b, "less a · m": -of_a @ m, "less m · b": -m @ of_b, "m · m": m @ m}
    return Centred(
        left @ right.T / lengths,
        float(torch.nn.functional.cosine_similarity(of_a - m, of_b - m, dim=0)),
        {name: float(term / lengths) for name, term in terms.items()},
    )


@torch.inference_mode()
def opened(encoder: TextEncoder, a: Trace, b: Trace, i: int, j: int) -> Opened:
    """What the last layer put into one cell: each head by the token it gathered from, its other parts, and before.

    Exact as the cells are: the norms divide by the spreads that they had in these runs.

    Raises:
        EncoderError: see `check_alike`; runs of another model; a position that is not there.
    """
    check_alike(a, b)
    result = []
    for trace, position in ((a, i), (b, j)):
        encoder.check_own(trace)
        n = len(rows(trace, "output"))
        if not 0 <= position < n:
            raise EncoderError(f"position is {position}; positions go from 0 to {n - 1}")
        parts, vectors = last_layer(encoder, trace, position)
        result.append((parts, vectors * counts(trace)[position] / sentence_vector(trace).norm()))
    (left, of_left), (right, of_right) = result
    return Opened(left, right, of_left @ of_right.T)


def last_layer(encoder: TextEncoder, trace: Trace, position: int) -> tuple[tuple[StreamPart, ...], Tensor]:
    """One token's output vector as the sum of what the last layer found, what its heads brought, and the rest of it.

    Returns:
        the parts, and their vectors [k, d_model] in float64.
    """
    i = trace.config.n_layers - 1
    start = f"layers.{i - 1}.output" if i else "embedding.output"
    stream = Stream(trace, position, BEFORE if i else EMBEDDING, trace[start][position])
    stream.through(encoder.model, first=i, opened=[(i, head) for head in range(trace.config.n_heads)])
    return tuple(stream.parts), stream.rows


MOST, LONGEST = 24, 300  # sentences, and characters of each


def lines(text: str) -> list[str]:
    """Return the sentences of a text, one in each line that is not empty, without the space around them.

    Raises:
        EncoderError: fewer than 2, more than MOST, or one that is longer than LONGEST characters.
    """
    sentences = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if not 2 <= len(sentences) <= MOST:
        raise EncoderError(f"the list has {len(sentences)} sentences; it takes 2 to {MOST}")
    long = next((sentence for sentence in sentences if len(sentence) > LONGEST), None)
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
