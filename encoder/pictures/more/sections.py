"""All that stands below pages, by the page and the name of a section, in the order of the page."""

from collections.abc import Mapping

from encoder.pictures.lab import Part
from encoder.pictures.more import (
    compare_page,
    feed_forward_page,
    heads_page,
    output_page,
    start_page,
    step_pages,
    what_if_page,
)

MORE: Mapping[str, Mapping[str, tuple[Part, ...]]] = {
    "start": start_page.MORE,
    "embedding": step_pages.EMBEDDING,
    "attention": step_pages.ATTENTION,
    "add_norm": step_pages.ADD_NORM,
    "feed_forward": feed_forward_page.MORE,
    "output": output_page.MORE,
    "what_if": what_if_page.MORE,
    "compare": compare_page.MORE,
    "heads": heads_page.HEADS,
}
