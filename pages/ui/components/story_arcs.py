"""The arcs of a head over a sentence, as the server draws them."""

from collections.abc import Sequence

from encoder.browser.arcs import pictures
from pages.ui.component import component

_arcs = component(__file__, "story_arcs", "<figure class='arcs'></figure>")


def draw(key: str, names: Sequence[str], asked: int, shares: Sequence[float], title: str, about: str) -> None:
    """Draw words with arcs from the asked one, each as thick as its share; `about` says it in words."""
    _arcs(key=key, data={"markup": str(pictures(names, asked, shares, title, about))})
