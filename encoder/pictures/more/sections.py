"""All that stands below pages, by the page and the name of a section."""

from collections.abc import Mapping
from importlib import import_module

from encoder.browser.page_table import PAGES
from encoder.pictures.lab import Part

MORE: Mapping[str, Mapping[str, tuple[Part, ...]]] = {
    page: import_module(f"encoder.pictures.more.{page}_page").MORE for page in PAGES
}
