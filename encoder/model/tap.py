"""What sees each value on its way through the forward pass: nothing, or a recorder that keeps references."""

from time import perf_counter

from torch import Tensor


class Tap:
    """Hands every value straight through; the forward pass runs on it when nobody looks."""

    def __call__(self, name: str, value: Tensor) -> Tensor:
        """Return what the rest of the computation goes on with: here, the very same tensor."""
        return value

    def inside(self, part: str) -> "Tap":
        """The tap for a part of the model, whose names are prefixed with that part's."""
        return self


class Recorder(Tap):
    """Keeps a reference to every value under its full name, and the moment it was ready.

    `values` maps a step name to its tensor, in the order of computation; `ready` maps it to `perf_counter()` seconds.
    Values are references, never copies: nothing in the forward pass works in place.
    """

    def __init__(self, values: dict[str, Tensor], ready: dict[str, float], prefix: str = "") -> None:
        self.values = values
        self.ready = ready
        self.prefix = prefix

    def __call__(self, name: str, value: Tensor) -> Tensor:
        """Note the value and give it back untouched."""
        name = self.prefix + name
        self.values[name] = value
        self.ready[name] = perf_counter()
        return value

    def inside(self, part: str) -> "Recorder":
        """A recorder into the same store, one part further down."""
        return Recorder(self.values, self.ready, f"{self.prefix}{part}.")


NO_TAP = Tap()
