"""What sees each value on its way through the forward pass: nothing, a recorder, or what puts others in their place."""

from collections.abc import Callable, Mapping
from time import perf_counter

from torch import Tensor


class Tap:
    """Sees every value of a forward pass under its full name and says what the computation goes on with.

    The model calls a tap with names within a part; `inside` is where the part's name is put before them. A kind of tap
    defines `see` alone.
    """

    def see(self, name: str, value: Tensor) -> Tensor:
        """Return what the rest of the computation goes on with: here, the very same tensor."""
        return value

    def __call__(self, name: str, value: Tensor) -> Tensor:
        """Hand over a value of the whole model."""
        return self.see(name, value)

    def inside(self, part: str) -> "Tap":
        """The tap for a part of the model, whose names are prefixed with that part's."""
        return Inside(self, f"{part}.")


class Inside(Tap):
    """A tap within a part of the model: it hands every value over under its full name."""

    def __init__(self, tap: Tap, prefix: str) -> None:
        self.tap = tap
        self.prefix = prefix

    def __call__(self, name: str, value: Tensor) -> Tensor:
        """Hand over a value of the part."""
        return self.tap.see(self.prefix + name, value)

    def inside(self, part: str) -> "Inside":
        """The same, one part further down."""
        return Inside(self.tap, f"{self.prefix}{part}.")


class NoTap(Tap):
    """Hands every value straight through; the forward pass runs on it when nobody looks."""

    def __call__(self, name: str, value: Tensor) -> Tensor:
        """Return the very same tensor."""
        return value

    def inside(self, part: str) -> "NoTap":
        """No name is needed where nobody looks."""
        return self


class Recorder(Tap):
    """Keeps a reference to every value under its full name, and the moment it was ready.

    `values` maps a step name to its tensor, in the order of computation; `ready` maps it to `perf_counter()` seconds.
    Values are references, never copies: nothing in the forward pass works in place.
    """

    def __init__(self, values: dict[str, Tensor], ready: dict[str, float]) -> None:
        self.values = values
        self.ready = ready

    def see(self, name: str, value: Tensor) -> Tensor:
        """Note the value and give it back untouched."""
        self.values[name] = value
        self.ready[name] = perf_counter()
        return value


class Replacer(Tap):
    """Puts what a function makes of a value in its place, and hands every value on to another tap.

    `changes` maps a step name to that function; of all other steps the very same tensors are handed on.
    """

    def __init__(self, changes: Mapping[str, Callable[[Tensor], Tensor]], then: Tap) -> None:
        self.changes = changes
        self.then = then

    def see(self, name: str, value: Tensor) -> Tensor:
        """The value as changed, where a change names it."""
        change = self.changes.get(name)
        return self.then.see(name, value if change is None else change(value))


NO_TAP = NoTap()
