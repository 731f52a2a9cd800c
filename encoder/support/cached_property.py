"""A property that is worked out when it is asked for first, and kept with its object."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801 - as functools calls it
    """As `functools.cached_property` is since Python 3.12: without a lock.

    Before, one lock holds for all objects of a class: whoever asks any of them waits until another one's is worked
    out. Two threads that ask the same object at once may work it out twice.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make, self.name, self.__doc__ = make, make.__name__, make.__doc__

    @overload
    def __get__(self, thing: None, kind: type) -> "cached_property[T]": ...
    @overload
    def __get__(self, thing: object, kind: type) -> T: ...
    def __get__(self, thing: object, kind: type) -> Any:
        """Work it out; from now on the object has it."""
        if thing is None:
            return self
        value = thing.__dict__[self.name] = self.make(thing)
        return value
