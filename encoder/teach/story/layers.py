"""Again, layer after layer: where most is added to the word, and how alike all tokens become."""

import numpy as np
from torch import Tensor

from encoder.metrics import cosine_matrix, length, stream
from encoder.metrics.sublayers import added_ratios
from encoder.support.formatting import brief
from encoder.teach.story.stop import StoryStop, Values, band, best_first, called, options
from encoder.teach.story.strong_look import Subject
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

SAME = 0.05  # cosines, or shares of a length, that differ by less are about the same


def most_added(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """In which layer attention adds most to the word, against what stood there."""
    name, count = called(trace, about.word), trace.config.n_layers
    ratios = added_ratios(trace)[0][:, about.word]
    top, least = int(ratios.argmax()), int(ratios.argmin())
    offered, place = options(top, best_first(ratios, range(count)), lambda i: f"layer {i}")
    question = (
        f"All {count} layers do the same in turn. In which does attention add most to {name}, against what stood there?"
    )
    said = f"In layer {top} attention adds {brief(float(ratios[top]))} times the length of what stood there"
    said += f"; least, {brief(float(ratios[least]))} times, in layer {least}." if count > 1 else "."
    if count == 1:
        question = f"How long is what attention adds to {name}, against what stood there?"
        offered, place = ("less than half", "half to as long", "longer"), band(float(ratios[0]), (0.5, 1.0))
    return StoryStop(
        "Layer by layer",
        question,
        offered,
        place,
        said,
        "map",
        "add_norm",
        word=about.word,
        layer=top,
        step="add_norm_1.sum",
    )


def mean_cosines(vectors: Tensor) -> np.ndarray:
    """The mean cosine between two different tokens at each level: [levels, n, d] -> [levels]."""
    n = vectors.shape[1]
    alike = cosine_matrix(vectors.double())
    found: np.ndarray = ((alike.sum((1, 2)) - alike.diagonal(dim1=1, dim2=2).sum(1)) / (n * (n - 1))).numpy()
    return found


def growing_alike(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """Whether the tokens' vectors become more alike; for a token alone, whether its vector grows."""
    vectors = stream(trace)
    names = ["input", *(f"layer {i}" for i in range(trace.config.n_layers))]
    if vectors.shape[1] > 1:
        means = mean_cosines(vectors)
        before, after = float(means[0]), float(means[-1])
        answer = band(after - before, (-SAME, SAME))
        said = (
            f"The mean cosine of two tokens is {brief(before)} before the first layer, {brief(after)} after the last."
        )
        return StoryStop(
            "All together",
            "After all layers, how alike are the vectors of the tokens, against before the first?",
            ("less alike", "about as alike", "more alike"),
            answer,
            said,
            "lines",
            "stack",
            Values({"mean cosine": means}, names, "mean cosine of two tokens"),
        )
    lengths = length(vectors[:, 0]).numpy()
    before, after = float(lengths[0]), float(lengths[-1])
    return StoryStop(
        "All together",
        f"After all layers, how long is the vector of {called(trace, 0)}, against before the first?",
        ("shorter", "about as long", "longer"),
        band(after, ((1 - SAME) * before, (1 + SAME) * before)),
        f"It has length {brief(before)} before the first layer and {brief(after)} after the last.",
        "lines",
        "stack",
        Values({"length": lengths}, names, "length"),
        word=0,
    )
