"""What was found of many pairs: the heads, what they carry, and what stands beside them; also as JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from encoder.experiments.circuit.patching import ENOUGH, Head
from encoder.support.errors import EncoderError

DIGITS = 4  # of a share in a file


@dataclass(frozen=True)
class PairShare:
    """A pair that counts: its flip in nats, and the shares of it that the set and the next heads carry."""

    a: str
    b: str
    words: tuple[str, str]
    flip: float
    share: float
    control: float


@dataclass(frozen=True)
class EdgeShare:
    """What a head takes from some words to others, over many pairs, and the share of the flips that it carries alone.

    `source` and `target` are "changed", the word that differs, "gap", and "others", all other words together.
    """

    head: Head
    source: str
    target: str
    share: float


@dataclass(frozen=True)
class Circuit:
    """What carries the flips of many pairs to their gaps in a model.

    `pairs` is how many count, `of_pairs` each of them (none where a file has left them out), `flip` their mean flip in
    nats; `left_out` counts those that do not, by why. `turned` is the share of pairs in which A's word leads in A and
    B's in B. `heads` is the smallest set of the largest heads that carries ENOUGH together, `share` what it carries,
    `halves` the same in even and odd pairs (none of one pair), `median` that of single pairs, `over_half` the share of
    pairs of which it carries more than half; `control` are the heads that come next, with `control_share`.

    On `sample` pairs: `each` is what every head carries alone, `random` what sets of as many other heads carry, `all`
    and `none` are all heads at once and A's own values, `edges` those of some size, and `together` all of them.
    """

    model: str
    fingerprint: str
    pairs: int
    of_pairs: tuple[PairShare, ...]
    left_out: dict[str, int]
    sample: int
    flip: float
    heads: tuple[Head, ...]
    share: float
    each: dict[Head, float]
    random: tuple[float, ...]
    control: tuple[Head, ...]
    control_share: float
    all: float
    none: float
    halves: tuple[float, ...]
    median: float
    over_half: float
    turned: float
    edges: tuple[EdgeShare, ...]
    together: float

    @property
    def small(self) -> bool:
        """Whether so few heads carry ENOUGH."""
        return self.share >= ENOUGH

    @property
    def content(self) -> dict[str, Any]:
        """All of it but the single pairs as JSON has it: flips in nats, shares of them, heads as layer and head."""
        return {
            "model": self.model,
            "fingerprint": self.fingerprint,
            "pairs": self.pairs,
            "left_out": self.left_out,
            "turned": round(self.turned, DIGITS),
            "sample": self.sample,
            "flip": round(self.flip, DIGITS),
            "heads": self.heads,
            "share": round(self.share, DIGITS),
            "small": self.small,
            "halves": rounded(self.halves),
            "median": round(self.median, DIGITS),
            "over_half": round(self.over_half, DIGITS),
            "each": {named(head): round(share, DIGITS) for head, share in self.each.items()},
            "random": rounded(self.random),
            "control": self.control,
            "control_share": round(self.control_share, DIGITS),
            "all": round(self.all, DIGITS),
            "none": round(self.none, DIGITS),
            "edges": [
                {"head": edge.head, "from": edge.source, "to": edge.target, "share": round(edge.share, DIGITS)}
                for edge in self.edges
            ],
            "together": round(self.together, DIGITS),
        }

    def to_json(self) -> str:
        """All of it but the single pairs, as JSON."""
        return json.dumps(self.content)


def circuit_of(content: dict[str, Any], of_pairs: Sequence[PairShare] = ()) -> Circuit:
    """Return what was found from what JSON has of it, and from its single pairs.

    Raises:
        EncoderError: something is missing, or is of another kind.
    """
    try:
        fields = {name: value for name, value in content.items() if name not in ("small", "edges")}
        for name in ("random", "halves"):
            fields[name] = tuple(fields[name])
        for name in ("heads", "control"):
            fields[name] = tuple(head_of(*head) for head in fields[name])
        each = {head_of(*map(int, name.split("."))): share for name, share in fields.pop("each").items()}
        edges = tuple(
            EdgeShare(head_of(*edge["head"]), edge["from"], edge["to"], edge["share"]) for edge in content["edges"]
        )
        return Circuit(of_pairs=tuple(of_pairs), each=each, edges=edges, **fields)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EncoderError("this is not a circuit of heads, as Circuit.to_json writes it") from error


def head_of(layer: int, head: int) -> Head:
    """Return a head from its two numbers."""
    return layer, head


def named(head: Head) -> str:
    """Return a head as "4.1": head 1 of layer 4."""
    return f"{head[0]}.{head[1]}"


def rounded(shares: Sequence[float]) -> list[float]:
    """Return shares as a file has them."""
    return [round(share, DIGITS) for share in shares]
