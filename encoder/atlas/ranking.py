"""Of many events the largest, a sample drawn evenly, and how the values are spread.

An event is one token's value of one unit or head. Every event has a place in a strict order (for the largest by value
and then by sentence, for the sample by a number drawn from sentence and position), so that what is kept does not depend
on which was seen first.

Numbers above zero are counted in fixed bins, of equal width within each doubling, so that counts add up.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

TOP, SAMPLE = 10, 30  # contexts kept of each unit
FAR = 1 << 62  # after every drawn number
LOW = (1 << 32) - 1
WORD = (1 << 62) - 1
ODD = (0x1D8E4E27C47D124F, 0x2545F4914F6CDD1D)
POSITIONS = 1 << 14
LOWEST, HIGHEST = -16, 8  # exponents of 2; smaller numbers are in the first bin, larger ones in the last
MANTISSA, BIAS = 23, 127  # of float32


def drawn(sentences: Tensor, positions: Tensor) -> Tensor:
    """Return a number for each token that looks random and is no other token's: both int64 [...], below 2^62."""
    x = sentences * POSITIONS + positions + 1
    for factor in ODD:  # each line maps the numbers below 2^62 one to one
        x = (x * factor) & WORD
        x = x ^ (x >> 31)
    return x


class Ranking:
    """The events of some layers and units.

    Args:
        layers: how many.
        units: of each layer.
        fields: what else is kept of an event, by name, and its type.
        bits: how finely values are counted, see `bins_of`.
    """

    def __init__(self, layers: int, units: int, fields: Mapping[str, torch.dtype], bits: int) -> None:
        self.fields = {"sentence": torch.int32, "position": torch.int16, "id": torch.int32, **fields}
        types = self.fields | {"value": torch.float32}
        self.order = {
            "top": torch.zeros(layers, TOP, units, dtype=torch.int64),
            "sample": torch.full((layers, SAMPLE, units), FAR),
        }
        self.events = {
            kind: {name: torch.zeros(order.shape, dtype=dtype) for name, dtype in types.items()}
            for kind, order in self.order.items()
        }
        self.counts = torch.zeros(layers, units, bins_of(bits), dtype=torch.int32)
        self.sums = torch.zeros(layers, units, dtype=torch.float64)
        self.smallest = torch.full((layers, units), torch.inf)

    def take(self, layer: int, values: Tensor, tokens: Mapping[str, Tensor], more: Mapping[str, Tensor]) -> None:
        """Take in the values [B, n, units] of a batch; those not above zero, and those outside the text, are none.

        `tokens` are the sentence, position and id of each token, what it drew, and whether it is of the text, [B, n];
        `more` are the other fields of each event, [B, n, units].
        """
        values = torch.where((values > 0) & tokens["text"][..., None], values, 0)
        b, n, units = values.shape
        flat, fired = values.flatten(0, 1), values.flatten(0, 1) > 0
        new = {"value": flat} | {name: field.flatten(0, 1) for name, field in more.items()}
        named = {name: tokens[name].flatten() for name in ("sentence", "position", "id")}
        best, at = values.max(1)  # [B, units]
        sentence = tokens["sentence"][:, :1]
        rank = torch.where(best > 0, (best.view(torch.int32).long() << 32) | (LOW - sentence), 0)
        rows = torch.arange(b, device=values.device)[:, None] * n + at  # of the best of each sentence, among all tokens
        self.keep("top", layer, rank, lambda i: rows.gather(0, i), new, named)
        lot = torch.where(fired, tokens["drawn"].flatten()[:, None], FAR)
        self.keep("sample", layer, lot, lambda i: i, new, named)
        row, column = fired.nonzero().unbind(1)
        bins = self.counts.shape[-1]
        where = column * bins + bin_of(flat[row, column], bins)
        self.counts[layer] += torch.bincount(where, minlength=units * bins).view(units, bins).int()
        self.sums[layer] += flat.sum(0).double()
        low = torch.where(fired, flat, torch.inf).amin(0)
        self.smallest[layer] = torch.minimum(self.smallest[layer], low)

    def keep(
        self,
        kind: str,
        layer: int,
        order: Tensor,
        row: Callable[[Tensor], Tensor],
        new: Mapping[str, Tensor],
        named: Mapping[str, Tensor],
    ) -> None:
        """Let new events [k, units] of a layer compete with those that are kept."""
        before = self.order[kind][layer]
        best, index = torch.cat([before, order]).topk(len(before), dim=0, largest=kind == "top")
        old, fresh = index < len(before), row((index - len(before)).clamp_min(0))
        for name, events in self.events[kind].items():
            fresh_values = named[name][fresh] if name in named else new[name].gather(0, fresh)
            stays = events[layer].gather(0, index.clamp_max(len(before) - 1))
            events[layer] = torch.where(old, stays, fresh_values.to(events.dtype))
        self.order[kind][layer] = best

    def merge(self, others: Sequence[Mapping[str, Tensor]]) -> None:
        """Take in the events that other processes kept, as `kept` gives them."""
        every = [self.kept(), *others]
        for kind, before in self.order.items():
            orders = torch.cat([each[f"order.{kind}"] for each in every], 1)
            self.order[kind], index = orders.topk(before.shape[1], dim=1, largest=kind == "top")
            for name in self.events[kind]:
                self.events[kind][name] = torch.cat([each[f"{kind}.{name}"] for each in every], 1).gather(1, index)

    def kept(self) -> dict[str, Tensor]:
        """The events, by name, and their places in the order."""
        tensors = {f"order.{kind}": order for kind, order in self.order.items()}
        return tensors | {f"{kind}.{name}": each for kind, some in self.events.items() for name, each in some.items()}

    def state(self) -> dict[str, Tensor]:
        """Everything, by name."""
        return self.kept() | {"counts": self.counts, "sums": self.sums, "smallest": self.smallest}

    def load(self, state: Mapping[str, Tensor]) -> None:
        """Take back what `state` gave."""
        for kind, events in self.events.items():
            self.order[kind] = state[f"order.{kind}"]
            self.events[kind] = {name: state[f"{kind}.{name}"] for name in events}
        self.counts, self.sums, self.smallest = state["counts"], state["sums"], state["smallest"]


def bins_of(bits: int) -> int:
    """Return how many bins there are, with 2^bits to each doubling."""
    return (HIGHEST - LOWEST) << bits


def bits_of(bins: int) -> int:
    """Return the bits that make so many bins."""
    return (bins // (HIGHEST - LOWEST)).bit_length() - 1


def edges(bins: int) -> np.ndarray:
    """Return the lower edge of each bin, [bins]."""
    each = 1 << bits_of(bins)
    return np.ldexp(np.tile(1 + np.arange(each) / each, HIGHEST - LOWEST), np.repeat(np.arange(LOWEST, HIGHEST), each))


def bin_of(values: Tensor, bins: int) -> Tensor:
    """Return the bin of each number above zero, read off its own bits: float32 [...] -> int64 [...]."""
    bits = bits_of(bins)
    own = values.contiguous().view(torch.int32) >> (MANTISSA - bits)
    return (own - ((BIAS + LOWEST) << bits)).clamp(0, bins - 1).long()


def decile_bounds(counts: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Between which numbers each tenth of the counted ones lies: counts [units, bins] -> bounds [units, 11].

    The first is the smallest number `low`, the last the largest `high`; one between is the lower edge of the bin that
    holds the number of that rank. All are 0 where nothing was counted.
    """
    below = np.cumsum(counts, -1)  # [units, bins]
    total = below[:, -1:]
    wanted = np.arange(1, 10) * total / 10  # [units, 9]
    places = np.stack([(below <= rank[:, None]).sum(-1) for rank in wanted.T], -1).clip(max=counts.shape[-1] - 1)
    inner = np.clip(edges(counts.shape[-1])[places], low[:, None], high[:, None])
    bounds: np.ndarray = np.where(total > 0, np.concatenate([low[:, None], inner, high[:, None]], -1), 0)
    return bounds


def decile_of(counts: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """Return the decile, 0 to 9, of numbers by their bins [units, k]: ten times the share of numbers in lower bins."""
    below = np.cumsum(counts, -1)
    lower = np.take_along_axis(np.concatenate([np.zeros_like(below[:, :1]), below], -1), bins, -1)
    deciles: np.ndarray = np.minimum(10 * lower // np.maximum(below[:, -1:], 1), 9)
    return deciles
