"""A link to hand on as a code for a camera: its squares are those of the standard, with a white rim around them."""

import re

import segno

from pages.ui.components.share import LONGEST_CODE, QUIET, code


def test_every_dark_square_is_drawn_and_no_other_and_a_link_that_is_too_long_has_no_code() -> None:
    for link in ("http://localhost:8501/lessons?lesson=who-is-it", "x" * LONGEST_CODE):
        is_drawn_as_the_standard_says(link)
    assert code("x" * (LONGEST_CODE + 1)) == (0, "")  # no camera would read it from afar


def is_drawn_as_the_standard_says(link: str) -> None:
    """A code has the finders, a rim of white, and the dark squares of another writer."""
    size, path = code(link)
    found = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path)}
    assert "".join(f"M{x} {y}h1v1h-1z" for x, y in sorted(found, key=lambda one: one[::-1])) == path
    inside = range(QUIET, size - QUIET)
    assert all(x in inside and y in inside for x, y in found)
    for corner in ((QUIET, QUIET), (size - QUIET - 7, QUIET), (QUIET, size - QUIET - 7)):  # the three finders
        ring = {(corner[0] + x, corner[1] + y) for x in range(7) for y in range(7) if x in (0, 6) or y in (0, 6)}
        assert ring <= found
    written = segno.make(link, error="l")
    assert size == written.symbol_size(border=QUIET)[0]
    assert len(found) == sum(map(sum, written.matrix))
