"""Real models, read once in a process of tests and never changed by them: each takes up to 220 MB."""

from copy import copy, deepcopy
from functools import cache
from pathlib import Path

from torch import nn

from encoder import TextEncoder
from encoder.exam import Treebank, bundled_treebanks
from encoder.model.linear import Prepacked


@cache
def pretrained(name: str | Path) -> TextEncoder:
    """The bundled model of that name, or that of a folder."""
    return TextEncoder.from_pretrained(name)


def lent(name: str) -> TextEncoder:
    """The same model with the same weights in memory, for a holder that may let go of them (as the app does)."""
    whole = pretrained(name)
    weights = {id(one): nn.Parameter(one.data, one.requires_grad) for one in whole.model.parameters()}
    encoder = copy(whole)
    encoder.model = deepcopy(whole.model, weights)
    for part, own in zip(encoder.model.modules(), whole.model.modules(), strict=True):
        if isinstance(part, Prepacked) and isinstance(own, Prepacked):
            part.prepacked = own.prepacked
    return encoder


@cache
def treebanks() -> list[Treebank]:
    """Return the bundled treebanks, read once."""
    return bundled_treebanks()
