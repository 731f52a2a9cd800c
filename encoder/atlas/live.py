"""What an atlas holds of a context, against a run of the model made now."""

from dataclasses import dataclass

from encoder.atlas.corpus import AtlasError
from encoder.atlas.reading import Firing
from encoder.metrics.flows import norm_weighted
from encoder.support.formatting import brief
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights

CLOSE = 1e-5  # of the larger of 1 and the value


@dataclass(frozen=True)
class Compared:
    """A number as it is stored and as it is now."""

    name: str
    stored: float
    live: float

    @property
    def equal(self) -> bool:
        """Whether they differ by rounding alone."""
        return abs(self.stored - self.live) <= CLOSE * max(1.0, abs(self.live))

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        apart = brief(abs(self.stored - self.live))
        if self.equal:
            return f"{self.name}: stored {self.stored:.6g}, live {self.live:.6g}. They are the same, {apart} apart."
        return f"{self.name}: stored {self.stored:.6g}, live {self.live:.6g}. They differ by {apart}: do not trust it."


def of_head(trace: Trace, layer: int, head: int, firing: Firing) -> list[Compared]:
    """A head's weight and what it writes, from the query of a context to the token that it looks at.

    Raises:
        AtlasError: the run has no such token.
    """
    key = firing.looks_at or 0
    check(trace, firing.position, key)
    weight = float(attention_weights(trace, layer)[head, firing.position, key])
    written = float(norm_weighted(trace, layer, slice(head, head + 1))[0, firing.position, key])
    return [Compared("Weight", firing.weight, weight), Compared("Written", firing.written, written)]


def of_unit(trace: Trace, layer: int, unit: int, firing: Firing) -> list[Compared]:
    """A unit's activation at the token of a context.

    Raises:
        AtlasError: the run has no such token.
    """
    check(trace, firing.position)
    return [
        Compared(
            "Activation", firing.value, float(trace[f"layers.{layer}.feed_forward.activation"][firing.position, unit])
        )
    ]


def check(trace: Trace, *positions: int) -> None:
    """Refuse positions that a run does not have."""
    n = len(trace.tokens) - trace.padding
    if outside := [position for position in positions if not 0 <= position < n]:
        raise AtlasError(f"this run has {n} tokens, and the context is at number {outside[0]}: the text was cut here")
