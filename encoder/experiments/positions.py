"""Labs on positions: what the published table promises, and what is lost without positions (paper, section 3.5).

Two neighbouring columns of the table, sine and cosine, are read as one complex number cos + i sin: a point on a circle.
Without positions other order in means the same rows in other order out.
"""

from collections import defaultdict, deque
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.edits.editor import editor
from encoder.experiments.common import at_least
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Tokens

STEADY = 1e-3  # how far the turned pairs may miss where a table is one of waves


@dataclass(frozen=True)
class Turn:
    """The best rotation from position p to p + k, one angle for each pair of columns.

    `angles` [d_model / 2] are in radians. `missed` [d_model / 2] is the largest distance, over all p, between a pair at
    p + k and the turned pair at p: rounding, about 1e-7, where one rotation serves every p.
    """

    angles: Tensor
    missed: Tensor

    @property
    def largest(self) -> float:
        """The largest distance over all pairs."""
        return float(self.missed.max())


@dataclass(frozen=True)
class Profile:
    """How alike position vectors are by how far apart they stand; all [n], entry k for a distance of k.

    `mean` is the mean dot product PE(p) . PE(p + k) over all p; `spread` the difference between the largest and the
    smallest: 0 where only the distance counts.
    """

    mean: Tensor
    spread: Tensor


def turn(table: Tensor, k: int = 1) -> Turn:
    """Fit one rotation for each pair of columns of a table of positions [n, d_model], and see how far it misses.

    For sines and cosines sin(w (p + k)) = sin(wp) cos(wk) + cos(wp) sin(wk): a rotation by w k, whatever p is. With
    k = 1 the angles are the frequencies, in radians for each position.

    Raises:
        EncoderError: an odd d_model, or k outside 1 to n - 1.
    """
    points = on_circles(table)
    at_least(1, k=k)
    if k >= len(points):
        raise EncoderError(f"k is {k}; with {len(points)} positions it must be from 1 to {len(points) - 1}")
    before, after = points[:-k], points[k:]
    angles = (after * before.conj()).sum(0).angle()
    missed = (after - before * torch.polar(torch.ones_like(angles), angles)).abs().amax(0)
    return Turn(angles, missed)


def profile(table: Tensor) -> Profile:
    """Dot products of all positions with all others, sorted by how far apart they stand."""
    products = table.double() @ table.double().T
    rows = [products.diagonal(k) for k in range(len(table))]
    return Profile(torch.stack([row.mean() for row in rows]), torch.stack([row.max() - row.min() for row in rows]))


def wavelengths(table: Tensor) -> Tensor:
    """After how many positions each pair of columns [n, d_model / 2] comes round: 2 pi over its angle for one step.

    In the paper from 2 pi to 10000 * 2 pi. nan for a pair that no one rotation moves from position to position, as in a
    learned table.
    """
    result = turn(table)
    return torch.where(result.missed < STEADY, 2 * torch.pi / result.angles.abs(), torch.nan)


def on_circles(table: Tensor) -> Tensor:
    """Every pair of columns as a complex number: [n, d_model] -> [n, d_model / 2]."""
    if table.shape[1] % 2:
        raise EncoderError(f"d_model is {table.shape[1]}; columns come in pairs and need an even d_model")
    sine, cosine = table.double().view(len(table), -1, 2).unbind(-1)
    return torch.complex(cosine, sine)


WITHOUT_POSITIONS = Edit("embedding.positions", "zero")
BY_PLACE = ("q_rotated", "k_rotated", "total", "biased", "windowed")  # steps of attention that depend on the places


def without_positions(config: EncoderConfig) -> tuple[Edit, ...]:
    """The edits after which nothing of a model depends on where a token stands."""
    steps = [f"layers.{i}.attention.{name}" for i in range(config.n_layers) for name in BY_PLACE]
    there = by_name(config)
    return (WITHOUT_POSITIONS, *(Edit(step, "bypass") for step in steps if step in there))


@dataclass(frozen=True)
class WordOrder:
    """A sentence, its words in another order, and how far each token's output vector differs between the two.

    Token i of the other sentence is token `order[i]` of the first. The differences [n, d_model] are output of the
    other sentence minus output of the first, in the first one's order: `off` with positions off, `on` with them.
    """

    tokens: tuple[str, ...]
    order: tuple[int, ...]
    off: Tensor
    on: Tensor

    @property
    def reordered(self) -> tuple[str, ...]:
        """The tokens in the other order."""
        return tuple(self.tokens[i] for i in self.order)

    @property
    def off_by_token(self) -> Tensor:
        """The largest absolute difference at each token with positions off: [n]."""
        return self.off.abs().amax(-1)

    @property
    def on_by_token(self) -> Tensor:
        """The largest absolute difference at each token with positions on: [n]."""
        return self.on.abs().amax(-1)

    @property
    def largest_off(self) -> float:
        """The largest absolute difference with positions off: rounding, about 1e-6."""
        return float(self.off.abs().max())

    @property
    def largest_on(self) -> float:
        """The largest absolute difference with positions on."""
        return float(self.on.abs().max())


def word_order(encoder: TextEncoder, text: str) -> WordOrder:
    """Run a sentence and the same words in reverse, with positions and without, as one batch.

    Attention is a sum over keys and all else acts on each token alone, so without positions f(P x) = P f(x) for every
    reordering P. Token ids are reordered, not letters: pieces of a word stay together, special tokens where they are.

    Raises:
        EncoderError: the tokens read the same both ways.
    """
    pieces = encoder.tokenize(text)
    order = reversed_words(pieces)
    if [pieces.ids[i] for i in order] == list(pieces.ids):
        raise EncoderError(f"{text!r} reads the same both ways; word order needs two different words or more")
    return compared(encoder, pieces, order)


def exchanged(encoder: TextEncoder, text: str, other: str) -> WordOrder:
    """The same for two sentences of the same words, such as "the cat chased the mouse" and its mirror image.

    A word that stands several times is matched in reading order.

    Raises:
        EncoderError: the sentences do not have the same tokens, or have them in the same order.
    """
    ours, theirs = encoder.tokenize(text), encoder.tokenize(other)
    if sorted(ours.ids) != sorted(theirs.ids) or ours.ids == theirs.ids:
        raise EncoderError(f"{text!r} and {other!r} must have the same words, in another order")
    places: dict[int, deque[int]] = defaultdict(deque)
    for i, token in enumerate(ours.ids):
        places[token].append(i)
    return compared(encoder, ours, tuple(places[token].popleft() for token in theirs.ids))


def swapped(encoder: TextEncoder, text: str, first: int, second: int) -> WordOrder:
    """The same for a sentence and itself with two words exchanged, all their pieces with them.

    `first` and `second` count the words as `Tokens.words` does, special tokens included.

    Raises:
        EncoderError: a word that is not there, or two words of the same pieces.
    """
    pieces = encoder.tokenize(text)
    words = list(pieces.words)
    for k in (first, second):
        if not 0 <= k < len(words):
            raise EncoderError(f"there is no word {k}; words go from 0 to {len(words) - 1}")
    ids = [[pieces.ids[i] for i in words[k]] for k in (first, second)]
    if ids[0] == ids[1]:
        raise EncoderError("both words are the same; exchange two different ones")
    words[first], words[second] = words[second], words[first]
    return compared(encoder, pieces, tuple(i for word in words for i in word))


@torch.inference_mode()
def compared(encoder: TextEncoder, pieces: Tokens, order: tuple[int, ...]) -> WordOrder:
    """Run tokens and the same tokens in another order, with positions and without, as one batch."""
    ids = torch.tensor([pieces.ids, [pieces.ids[i] for i in order]])
    n = len(order)
    tap = editor(encoder.config, [(n, ())] * 2 + [(n, without_positions(encoder.config))] * 2, {})
    output = encoder.model(ids.repeat(2, 1), tap=tap).view(2, 2, n, -1)  # [on and off, sentence, n, d_model]
    back = torch.tensor(order).argsort()
    on, off = output[:, 1, back] - output[:, 0]
    return WordOrder(pieces.tokens, order, off, on)


def reversed_words(pieces: Tokens) -> tuple[int, ...]:
    """The positions in another order: words from last to first, between the special tokens that the model added."""
    words = [word for word in pieces.words if not pieces.special[word[0]]]
    spoken = sorted(i for word in words for i in word)
    turned = [i for word in reversed(words) for i in word]
    order = list(range(len(pieces.tokens)))
    for i, j in zip(spoken, turned, strict=True):
        order[i] = j
    return tuple(order)
