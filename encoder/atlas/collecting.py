"""Text through the encoder's own forward pass, reduced on its way so that no run is kept."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, distributed

from encoder.atlas.pairs import pairs_of
from encoder.atlas.ranking import Ranking, drawn
from encoder.atlas.running_sums import Sums
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.roles import ROLES
from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.model.tap import Tap
from encoder.support.progress import pulse
from encoder.trace.tokens import Text, Tokens

CELLS = 1_000_000  # numbers of the widest step that are held at once: d_ff or H x n for each token
CONTROLLED = 32  # sentences of a part whose keys are also shuffled
PAIR = {"key": torch.int16, "key_id": torch.int32, "other": torch.float32}
FINE, COARSE = 10, 4  # bits of the bins: heads are few and their weights crowd below 1, units are many


@dataclass(frozen=True)
class KeptVectors:
    """Which vectors are kept for search: of the stream after so many layers, of the heads of some layers.

    Both are of all tokens of the text of one sentence in `every`.
    """

    stream: tuple[int, ...] = ()
    heads: tuple[int, ...] = ()
    every: int = 1


NO_VECTORS = KeptVectors()


@dataclass(frozen=True)
class SameLength:
    """Sentences of the same number of tokens, which run together: nothing is ever padded."""

    numbers: list[int]
    pieces: list[Tokens]
    ids: Tensor  # [B, n]
    text: Tensor  # [B, n], whether a token is of the text
    froms: Tensor  # [B, FROM, n], what each query is
    keys: Tensor  # [B, TO, n, n], what each key is to it
    segments: Tensor | None  # [B, n], as TextEncoder.segments gives them
    first: int  # the number of the part's first sentence

    def to(self, device: torch.device) -> "SameLength":
        """Return the same on a device."""
        moved = {name: getattr(self, name).to(device) for name in ("ids", "text", "froms", "keys")}
        return replace(self, **moved, segments=None if self.segments is None else self.segments.to(device))

    @property
    def tokens(self) -> dict[str, Tensor]:
        """What a ranking asks of each token, [B, n]."""
        device = self.ids.device
        sentence = torch.tensor(self.numbers).to(device)[:, None].expand_as(self.ids)
        position = torch.arange(self.ids.shape[1], device=device).expand_as(self.ids)
        fields = {"sentence": sentence, "position": position, "id": self.ids, "text": self.text}
        return fields | {"drawn": drawn(sentence, position)}


class RunningCounts:
    """What was found so far in the text: running sums, the largest values, and the vectors of the part at hand."""

    def __init__(self, encoder: TextEncoder, kept: KeptVectors = NO_VECTORS, pairs: bool = False) -> None:
        config = encoder.config
        self.every = kept.every
        with encoder.model.embedding.tokens.weight.device:
            self.sums = Sums(config, pairs)
            self.rankings = {
                "weight": Ranking(config.n_layers, config.n_heads, PAIR, FINE),
                "written": Ranking(config.n_layers, config.n_heads, PAIR, FINE),
                "unit": Ranking(config.n_layers, config.d_ff, {}, COARSE),
            }
        self.vectors: dict[int, list[Tensor]] = {layer: [] for layer in kept.stream}
        self.heads: dict[int, list[Tensor]] = {layer: [] for layer in kept.heads}
        self.places: list[Tensor] = []  # of the vectors: sentence, position, id

    def state(self) -> dict[str, Tensor]:
        """All but the vectors, by name."""
        tensors = {f"sums.{name}": value for name, value in self.sums.values.items()}
        for kind, ranking in self.rankings.items():
            tensors |= {f"{kind}.{name}": value for name, value in ranking.state().items()}
        return tensors

    def load(self, state: Mapping[str, Tensor], device: str = "cpu") -> None:
        """Take back what `state` gave, onto a device; KeyError or RuntimeError where it is of another shape."""
        here = {name: state[name].to(device).view_as(value) for name, value in self.state().items()}
        self.sums.values = under(here, "sums")
        for kind, ranking in self.rankings.items():
            ranking.load(under(here, kind))

    def of_part(self) -> dict[str, Tensor]:
        """Give away the vectors of the part, in the order of the text."""
        if not self.places:
            return {}
        places = torch.cat(self.places)  # [tokens, 3]
        order = (places[:, 0] * (1 << 14) + places[:, 1]).argsort()
        tensors = {"places": places[order].int()}
        tensors |= {f"vectors.{i}": torch.cat(some)[order] for i, some in self.vectors.items()}
        tensors |= {f"heads.{i}": torch.cat(some, 1)[:, order] for i, some in self.heads.items()}
        for some in (self.places, *self.vectors.values(), *self.heads.values()):
            some.clear()
        return {name: value.cpu() for name, value in tensors.items()}

    def gather(self) -> None:
        """Bring to the first process what all of them found: sums by all_reduce, the largest by one gather."""
        rankings, several = self.rankings, distributed.is_initialized()
        if several:
            for value in (*self.sums.values.values(), *(v for r in rankings.values() for v in (r.counts, r.sums))):
                distributed.all_reduce(value)
            for ranking in rankings.values():
                distributed.all_reduce(ranking.smallest, distributed.ReduceOp.MIN)
        self.load(self.state())  # into the computer's own memory
        if several:
            kept = {kind: ranking.kept() for kind, ranking in rankings.items()}
            of_all = [kept] * distributed.get_world_size()
            distributed.gather_object(kept, None if distributed.get_rank() else of_all)
            for kind, ranking in rankings.items():
                ranking.merge([other[kind] for other in of_all[1:]])


def under(state: Mapping[str, Tensor], part: str) -> dict[str, Tensor]:
    """Return the values of one part."""
    return {name.removeprefix(f"{part}."): value for name, value in state.items() if name.startswith(f"{part}.")}


Take = Callable[["Collector", int, Tensor], None]  # no bound method: what refers to itself is freed late


class Collector(Tap):
    """Sees each step of a batch and takes from it what the atlas keeps."""

    def __init__(
        self, encoder: TextEncoder, running: RunningCounts, batch: SameLength, narrow: Sequence[Tensor]
    ) -> None:
        self.running, self.batch, self.tokens = running, batch, batch.tokens
        self.lengths = torch.empty(0)
        self.kept = batch.text & (self.tokens["sentence"] % running.every == 0)
        self.narrowed = narrow
        self.takes: dict[str, tuple[Take, int]] = {"embedding.output": (Collector.stream, 0)}
        for i in range(encoder.config.n_layers):
            at = f"layers.{i}."
            self.takes |= {
                at + "attention.v": (Collector.values, i),
                at + "attention.weights": (Collector.weights, i),
                at + "attention.heads": (Collector.heads, i),
                at + "feed_forward.activation": (Collector.units, i),
                at + "output": (Collector.stream, i + 1),
            }

    def see(self, name: str, value: Tensor) -> Tensor:
        """Take what is kept of a value, and give it back untouched."""
        if name in self.takes:
            take, layer = self.takes[name]
            take(self, layer, value)
        return value

    def values(self, layer: int, v: Tensor) -> None:
        """The length of what each token offers through W_O, ||v W_O^h||, [B, H, n]: from QR, W_O^h has many columns."""
        self.lengths = torch.linalg.vector_norm(v @ self.narrowed[layer], dim=-1)

    def weights(self, layer: int, weights: Tensor) -> None:
        """Weights [B, H, n, n] and what is written with them, alpha ||v W_O||."""
        batch, sums = self.batch, self.running.sums
        sums.weights(layer, weights, batch.froms, batch.keys, batch.text)
        for row, number in enumerate(batch.numbers):
            if number - batch.first < CONTROLLED:
                sums.control(layer, weights[row], batch.keys[row, : len(ROLES)], number)
        written = weights * self.lengths[:, :, None]
        for kind, ranked, other in (("weight", weights, written), ("written", written, weights)):
            value, key = ranked.max(-1)  # [B, H, n]
            beside = other.gather(-1, key[..., None])[..., 0]
            ids = batch.ids[:, None].expand_as(key).gather(-1, key)
            more = {"key": key, "key_id": ids, "other": beside}
            of_token = {name: field.transpose(1, 2) for name, field in more.items()}
            self.running.rankings[kind].take(layer, value.transpose(1, 2), self.tokens, of_token)

    def heads(self, layer: int, z: Tensor) -> None:
        """What each head takes from all tokens, [B, H, n, d_head], kept as [H, tokens, d_head]."""
        if layer in self.running.heads:
            self.running.heads[layer].append(z.transpose(1, 2)[self.kept].transpose(0, 1).half())

    def units(self, layer: int, activation: Tensor) -> None:
        """Activations [B, n, d_ff]."""
        self.running.rankings["unit"].take(layer, activation, self.tokens, {})

    def stream(self, place: int, x: Tensor) -> None:
        """Vectors [B, n, d_model] after so many layers."""
        if place in self.running.vectors:
            self.running.vectors[place].append(x[self.kept].half())
        if place == 0 and (self.running.vectors or self.running.heads):
            places = [self.tokens[name][self.kept] for name in ("sentence", "position", "id")]
            self.running.places.append(torch.stack(places, -1))


def narrowed(attention: Attention) -> Tensor:
    """Return for each head a square matrix [d_head, d_head] that makes vectors as long as W_O^h does."""
    by_head = attention.w_o_by_head  # [H, d_head, d_model]
    square: Tensor = torch.linalg.qr(by_head.mT, mode="r").R.mT
    return square


@torch.inference_mode()
def collect(
    running: RunningCounts,
    encoder: TextEncoder,
    first: int,
    texts: Sequence[Text],
    progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Run the encoder over the sentences of a part, whose first one has that number, and add what an atlas needs.

    A text without a token that the model knows is left out. `progress` is called with the sentences done so far. All
    is computed, ranked and summed on the device that the model is on. Either no text is a pair of sentences, or all.
    """
    device, done = encoder.model.embedding.tokens.weight.device, 0
    narrow = [narrowed(block.attention) for block in encoder.model.layers if isinstance(block, Block)]
    for batch in batches(encoder, first, texts):
        pulse()
        batch = batch.to(device)
        running.sums.text(batch.froms, batch.keys, batch.text)
        running.sums.values["cut"] += sum(pieces.dropped + pieces.pair_dropped > 0 for pieces in batch.pieces)
        encoder.model(batch.ids, None, batch.segments, Collector(encoder, running, batch, narrow))
        done += len(batch.numbers)
        progress(done)


def batches(encoder: TextEncoder, first: int, texts: Sequence[Text]) -> Iterator[SameLength]:
    """Yield the sentences of a part, those of the same length together and no more at once than CELLS allows."""
    by_length = defaultdict(list)
    for number, text in enumerate(texts, first):
        pieces = encoder.tokenize(text)
        if not all(pieces.special):
            by_length[len(pieces.ids)].append((number, pieces))
    for n in sorted(by_length):
        same, config = by_length[n], encoder.config
        size = max(1, CELLS // (n * max(config.d_ff, config.n_heads * n)))
        for start in range(0, len(same), size):
            some = same[start : start + size]
            these = [tokens for _, tokens in some]
            froms, keys = zip(*map(pairs_of, these), strict=True)
            yield SameLength(
                [number for number, _ in some],
                these,
                torch.tensor([tokens.ids for tokens in these]),
                torch.tensor([[not special for special in tokens.special] for tokens in these]),
                torch.stack(froms),
                torch.stack(keys),
                encoder.segments(these),
                first,
            )
