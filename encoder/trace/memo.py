"""What is worked out once for a run and kept as long as the run is."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from encoder.trace.trace import Trace

P = ParamSpec("P")
R = TypeVar("R")


def once(measure: Callable[Concatenate[Trace, P], R]) -> Callable[Concatenate[Trace, P], R]:
    """A measure of a run whose results are kept with it: for small results, whose other arguments can be hashed."""
    kept: WeakKeyDictionary[Trace, dict[object, R]] = WeakKeyDictionary()

    @wraps(measure)
    def known(trace: Trace, /, *args: P.args, **options: P.kwargs) -> R:
        found = kept.setdefault(trace, {})
        key = (args, tuple(sorted(options.items())))
        try:
            hash(key)
        except TypeError:
            return measure(trace, *args, **options)  # which refuses them
        if key not in found:
            found[key] = measure(trace, *args, **options)
        return found[key]

    return known
