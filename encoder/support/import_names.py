"""Names that load their modules only when they are asked for."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

EXTRAS = {  # by a module that is not always there, the extra of the package that brings it
    "conllu": "exam",
    "pyarrow": "exam",
    "plotly": "figures",
    "matplotlib": "figures",
}


def on_demand(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: each name of `places` is looked up in its module."""

    def look_up(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(places[name]), name)
        except ModuleNotFoundError as error:
            raise with_extra(error) from error

    return look_up


def with_extra(error: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error that a module is missing, with what brings it where an extra of the package does."""
    extra = EXTRAS.get((error.name or "").partition(".")[0])
    if extra is None:
        return error
    message = f"{error.name} is not installed; pip install 'encoder[{extra}]' brings it"
    return ModuleNotFoundError(message, name=error.name)


@contextmanager
def naming_extra() -> Iterator[None]:
    """Where a module of an extra of the package is missing, say which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise with_extra(error) from error
