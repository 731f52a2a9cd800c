"""The models of links and of the command line, by the names that links have for them."""

import os
from functools import lru_cache
from pathlib import Path

from encoder import checkpoint
from encoder.checkpoint.listing import MODELS, within
from encoder.model.config import PRESETS
from encoder.model.config_text import text_to_config
from encoder.support.errors import EncoderError
from encoder.tasks.models import by_hand, learned, mystery
from encoder.text_encoder import TextEncoder

BUILT, FOLDER, LEARNED, BY_HAND, MYSTERY = "built:", "folder:", "learned:", "by-hand:", "mystery:"
MOMENT = "moment:"  # before the name of a model and a step of its training: "moment:small,3000"
PRE_NORM = ",pre-norm"
UNTRAINED = "-untrained"  # after the name of a bundled model: its shape with random weights
USUAL_FOLDER = "~/encoder-models"


def moment_of(name: str) -> tuple[str, int]:
    """The model and the step of its training in a name like "moment:small,3000".

    Raises:
        EncoderError: it names no step.
    """
    model, comma, step = name.removeprefix(MOMENT).rpartition(",")
    if not (comma and step.isascii() and step.isdigit() and len(step) < 10):
        raise EncoderError(f"a moment of training is a model and a step, such as small,3000; {name[:40]!r} is none")
    return model, int(step)


def in_folder(name: str) -> Path:
    """Where a model of the server's folder lies, such as "folder:mine"."""
    return within(Path(os.environ.get(MODELS, USUAL_FOLDER)).expanduser(), name.removeprefix(FOLDER))


@lru_cache(maxsize=4)
def model_called(name: str) -> TextEncoder:
    """The model of that name, as the app makes it: "base", "paper", "built:n_layers=2,seed=3", "by-hand:reverse".

    "learned:task=reverse" is trained now unless its run comes with the package; "moment:small,3000" is a model as it
    was after so many steps of its training; "folder:mine" lies in the folder that ENCODER_MODELS names. Any other name
    is the path of a checkpoint folder.

    Raises:
        EncoderError: there is no such model.
    """
    kind, colon, rest = name.partition(":")
    if kind + colon == BUILT:
        config, seed = text_to_config(rest)
        return TextEncoder.from_config(config, seed, name="built")
    if kind + colon == FOLDER:
        return TextEncoder.from_pretrained(in_folder(name))
    if kind + colon == LEARNED:
        return learned(rest)
    if kind + colon == BY_HAND:
        return by_hand(rest.removesuffix(PRE_NORM), rest.endswith(PRE_NORM))
    if kind + colon == MYSTERY:
        if not (rest.isascii() and rest.isdigit() and len(rest) < 4):
            raise EncoderError(f"a mystery has a number; {rest[:40]!r} is none")
        return mystery(int(rest))
    if kind + colon == MOMENT:
        model, step = moment_of(name)
        return TextEncoder.from_pretrained(in_folder(model) if model.startswith(FOLDER) else model, step=step)
    if name in PRESETS:
        return TextEncoder.from_config(PRESETS[name], name=name)
    if name.endswith(UNTRAINED):
        folder = checkpoint.BUNDLED / name.removesuffix(UNTRAINED) / "config.json"
        return TextEncoder.from_config(checkpoint.read_config(folder, mlm_head=True), name=name)
    return TextEncoder.from_pretrained(name)
