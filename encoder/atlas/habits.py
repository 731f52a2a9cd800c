"""What an atlas says of all heads, in the shape of a survey over sentences."""

import numpy as np
import torch

from encoder.atlas.reading import Atlas
from encoder.metrics.head_measures import HEAD_MEASURES, HeadSurvey
from encoder.metrics.roles import Role


def head_survey(atlas: Atlas) -> HeadSurvey:
    """The measures and labels of all heads over the corpus, as `encoder.metrics.survey` makes them of its sentences.

    `tokens` are those of the text. Labels shuffle the keys of the first sentences of each shard, and not of all.
    """
    card, rows = atlas.card, atlas.heads
    shape = card.sizes["layers"], card.sizes["heads"]
    found = {name: rows[name].to_numpy().astype(np.float32).reshape(shape) for name in HEAD_MEASURES}
    names = ("label", "nearest", "nearest_mass", "nearest_uniform", "nearest_shuffled")
    roles = [Role(*(row[name] for name in (*names, f"{row['nearest']}_queries"))) for row in rows.to_pylist()]
    return HeadSurvey(
        card.sentences,
        card.tokens,
        {name: torch.from_numpy(values.copy()) for name, values in found.items()},
        [roles[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])],
    )
