"""The atlases of each model, read once for all sessions."""

from functools import lru_cache

import torch

from encoder.atlas.atlas_folders import Shelf, shelf
from encoder.atlas.habits import head_survey
from encoder.atlas.reading import Atlas
from encoder.atlas.searching import NearToken, nearest_outputs, nearest_tokens
from encoder.metrics.head_measures import HeadSurvey
from encoder.teach.story import tour
from pages.ui.server.engine import cpu_slots, text_encoder


def atlases(model: str) -> Shelf:
    """The atlases of a model, and of no other; looked for again when a card has come, gone or changed."""
    return shelf(text_encoder(model).source)


@lru_cache(maxsize=16)
def heads_of(atlas: Atlas) -> HeadSurvey:
    """The measures and labels of all heads over the corpus of an atlas."""
    return head_survey(atlas)


@lru_cache(maxsize=16)
def habits_in(atlas: Atlas) -> tour.Habits:
    """What the heads look at out of habit, over the corpus of an atlas."""
    return tour.habits_of(heads_of(atlas))


@lru_cache(maxsize=256)
def near_vector(atlas: Atlas, layer: int, vector: tuple[float, ...]) -> list[NearToken]:
    """The tokens of the corpus with the most alike vectors after a layer."""
    with cpu_slots:
        return nearest_tokens(atlas, layer, torch.tensor(vector))


@lru_cache(maxsize=256)
def near_output(atlas: Atlas, model: str, layer: int, head: int, z: tuple[float, ...]) -> list[NearToken]:
    """The tokens of the corpus to which a head of the model writes alike."""
    with cpu_slots:
        return nearest_outputs(atlas, text_encoder(model), layer, head, torch.tensor(z))
