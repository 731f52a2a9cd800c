"""What a shipped head of labels was taught, as a packet tells it."""

import json
import re
from collections.abc import Sequence
from functools import cache

from encoder.checkpoint import BUNDLED
from encoder.checkpoint.text_encoder import TextEncoder

TAUGHT = "taught.json"  # beside the weights of a bundled head
WORD = re.compile(r"[\w']+")

# A sentence, its label by its number, and the share of the first label that a head gave it which had not seen it.
TaughtSentence = tuple[str, int, float]


def taught(encoder: TextEncoder) -> tuple[TaughtSentence, ...]:
    """Return the sentences that a bundled head was taught; none where that is not known."""
    source = encoder.source
    read_from_package = source.seed is None and not source.maker and not source.origin
    return sentences(source.name) if encoder.config.classifier is not None and read_from_package else ()


@cache
def sentences(name: str) -> tuple[TaughtSentence, ...]:
    """Return those of a bundled model."""
    folder = BUNDLED / name
    if folder.parent != BUNDLED or not (folder / TAUGHT).is_file():
        return ()
    return tuple((text, label, share) for text, label, share in json.loads((folder / TAUGHT).read_text("utf-8")))


def seen(every: Sequence[TaughtSentence], names: Sequence[str], labels: int) -> dict[str, list[int]]:
    """Return in how many taught sentences of each label each of some words stands; signs are none."""
    counts = {name: [0] * labels for name in names if WORD.fullmatch(name)}
    for text, label, _ in every:
        there = {word.lower() for word in WORD.findall(text)}
        for name, count in counts.items():
            count[label] += name.lower() in there
    return counts
