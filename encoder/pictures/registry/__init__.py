"""All pictures, by their keys; a module for each page or two, and those of the labs."""

import importlib
import pkgutil
import sys
from difflib import get_close_matches
from functools import cache

from encoder.pictures.picture import Picture
from encoder.support.errors import EncoderError


@cache
def pictures() -> dict[str, Picture]:
    """Every picture by its key, page by page."""
    packages = (sys.modules[__name__], importlib.import_module("encoder.pictures.labs"))
    names = [(package.__name__, each.name) for package in packages for each in pkgutil.iter_modules(package.__path__)]
    modules = [importlib.import_module(f"{package}.{name}") for package, name in names]
    every = [value for module in modules for value in vars(module).values() if isinstance(value, Picture)]
    by_key = {picture.key: picture for picture in every}
    assert len(by_key) == len(set(every)), "two pictures have one key"
    return by_key


def picture(key: str) -> Picture:
    """The picture of a key.

    Raises:
        EncoderError: there is none.
    """
    if key not in pictures():
        alike = get_close_matches(key[:40], pictures(), 1, 0.8)
        meant = f"; did you mean {alike[0]!r}?" if alike else f"; there are {', '.join(sorted(pictures()))}"
        raise EncoderError(f"no picture is called {key[:40]!r}{meant}")
    return pictures()[key]
