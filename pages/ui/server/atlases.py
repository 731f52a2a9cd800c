"""The atlases of each model, read once for all sessions."""

from functools import lru_cache

from encoder.atlas.habits import head_survey
from encoder.atlas.reading import Atlas
from encoder.atlas.shelf import Shelf, Stamp, shelf, stamp
from encoder.metrics.habits import HeadSurvey
from encoder.trace.source import Source
from pages.ui.server.engine import text_encoder


def atlases(model: str) -> Shelf:
    """The atlases of a model, and of no other; looked for again when a card has come, gone or changed."""
    return opened(text_encoder(model).source, stamp())


@lru_cache(maxsize=16)
def opened(source: Source, there: Stamp) -> Shelf:
    """The atlases as they are now."""
    return shelf(source)


@lru_cache(maxsize=16)
def heads_of(atlas: Atlas) -> HeadSurvey:
    """The measures and labels of all heads over the corpus of an atlas."""
    return head_survey(atlas)
