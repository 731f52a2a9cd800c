"""Names that load their modules only when they are asked for, and those that rooms had before."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import Any
from warnings import warn

EXTRAS = {  # by a module that is not always there, the extra of the package that brings it
    "conllu": "exam",
    "pyarrow": "exam",
    "plotly": "figures",
    "matplotlib": "figures",
    "fontTools": "figures",
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


EARLIER = {
    "errors": "support.errors",
    "export": "pictures.export",
    "figures": "pictures.figures",
    "hub": "checkpoint.hub",
    "lessons": "teach.lessons",
    "paper": "pictures.paper",
    "recount": "exam.recount",
    "report": "pictures.report",
    "text_encoder": "checkpoint.text_encoder",
    "theme": "support.theme",
    "trials": "teach.trials",
}  # those that a README has named


class Renamed(Loader):
    """Loads a module by the name that it has now."""

    def __init__(self, name: str) -> None:
        self.name = name

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the place of an empty one."""
        warn(f"{module.__name__} is {self.name} now", DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(self.name)

    def get_code(self, _: str) -> CodeType | None:
        """Return what `python -m` runs."""
        loader = getattr(find_spec(self.name), "loader", None)
        code: CodeType | None = loader.get_code(self.name) if loader is not None else None
        return code


class EarlierNames(MetaPathFinder):
    """Finds modules by a name that they had before."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load the module that had this name; None for any other name."""
        package, _, rest = name.partition(".")
        room, _, inside = rest.partition(".")
        if package != "encoder" or room not in EARLIER:
            return None
        now = ".".join(filter(None, ("encoder", EARLIER[room], inside)))
        spec = find_spec(now)
        if spec is None:
            return None
        renamed = ModuleSpec(
            name, Renamed(now), origin=spec.origin, is_package=spec.submodule_search_locations is not None
        )
        renamed.has_location = spec.has_location
        return renamed


def know() -> None:
    """Have imports know the earlier names."""
    if not any(isinstance(finder, EarlierNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, EarlierNames())
