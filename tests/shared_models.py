"""Real models, read once in a process of tests and never changed by them: each takes up to 220 MB."""

from copy import copy, deepcopy
from functools import cache
from pathlib import Path

import torch
from torch import nn

from encoder import EncoderConfig, TextEncoder
from encoder.exam import Treebank, bundled_treebanks
from encoder.model.linear import Prepacked

bundled = cache(TextEncoder.from_pretrained)
opened = cache(TextEncoder.from_pretrained)  # until a process has grown much
BUNDLED = ("base", "small")  # used by so many files of tests that they stay


def pretrained(name: str | Path) -> TextEncoder:
    """The bundled model of that name, or that of a folder."""
    return bundled(name) if name in BUNDLED else opened(name)


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


def untrained(config: EncoderConfig) -> TextEncoder:
    """A model of that shape without training, whose biases and norms are not those of the beginning either."""
    encoder = TextEncoder.from_config(config, seed=3)
    draw = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for weight in encoder.model.parameters():
            if weight.dim() == 1:
                weight += 0.1 * torch.randn(weight.shape, generator=draw)
    return encoder


@cache
def treebanks() -> list[Treebank]:
    """Return the bundled treebanks, read once."""
    return bundled_treebanks()
