"""The measures of a head as a table: a row here is all that a measure needs to be surveyed, shown and kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from encoder.metrics.heads import confidence, distance, entropy, normalized_entropy, offset
from encoder.metrics.roles import role_mass, role_queries


@dataclass(frozen=True)
class HeadMeasure:
    """One number for every head, taken from its weights over a sentence.

    `of` makes it from weights [heads, n, n] and the n tokens: the mean over some of the rows, [heads]. `rows` counts
    those rows, so that means over several sentences are means over all their rows. `title`, `kind` (of scale: "share"
    from 0 to 1, "positive" from 0 up, "signed" about 0) and `meaning` are for people.
    """

    title: str
    kind: Literal["share", "positive", "signed"]
    meaning: str
    of: Callable[[Tensor, Sequence[str]], Tensor]
    rows: Callable[[Sequence[str]], int] = len


def on_role(role: str, title: str, meaning: str) -> HeadMeasure:
    """The share of the weight on the keys of one of ROLES, over the queries that have such a key."""
    return HeadMeasure(
        title, "share", meaning, lambda w, tokens: role_mass(w, tokens)[role], lambda tokens: role_queries(tokens, role)
    )


HEAD_MEASURES = {
    "normalized_entropy": HeadMeasure(
        "Normalized entropy",
        "share",
        "Entropy over the largest possible: 0 looks at one token, 1 at all alike.",
        lambda w, tokens: normalized_entropy(w).mean(-1),
    ),
    "entropy": HeadMeasure(
        "Entropy", "positive", "In nats; the most for n tokens is ln n.", lambda w, tokens: entropy(w).mean(-1)
    ),
    "confidence": HeadMeasure(
        "Confidence",
        "share",
        "The mean of each row's largest weight; it depends on the number of tokens.",
        lambda w, tokens: confidence(w),
    ),
    "distance": HeadMeasure(
        "Distance", "positive", "How many tokens away a head looks, on average.", lambda w, tokens: distance(w)
    ),
    "offset": HeadMeasure(
        "Offset",
        "signed",
        "Which way a head looks: below 0 back, above 0 ahead, in tokens.",
        lambda w, tokens: offset(w),
    ),
    "self": on_role("self", "On itself", "Share of the weight that a token puts on itself."),
    "previous": on_role("previous", "Previous", "Share of the weight on the token before."),
    "next": on_role("next", "Next", "Share of the weight on the token after."),
    "cls": on_role("cls", "[CLS]", "Share of the weight on [CLS]."),
    "sep": on_role("sep", "[SEP]", "Share of the weight on [SEP]."),
    "special": on_role("special", "Special tokens", "Share of the weight on [CLS] and [SEP] together."),
    "punctuation": on_role("punctuation", "Punctuation", "Share of the weight on punctuation."),
}
