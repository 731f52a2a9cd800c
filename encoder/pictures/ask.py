"""What a view asks of a picture: models by the names that links have for them, and runs, from whoever has them."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from encoder import checkpoint
from encoder.checkpoint.listing import MODELS, within
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit_text import edits_to_text, text_to_edits
from encoder.exam.moments import training_moments
from encoder.model.config import PRESETS
from encoder.model.config_text import text_to_config
from encoder.pictures.picture import Picture
from encoder.pictures.scene import NO_PREFIX, PREFIX_A, PREFIX_B, Needs, Scene, prefixed
from encoder.pictures.view import EXAMPLE, View
from encoder.support.errors import EncoderError
from encoder.tasks.models import learned, mystery
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace

Encoders = Callable[[str], TextEncoder]
Runs = Callable[[str, Text, tuple[int, ...], str], Trace]  # of a model: a text, hidden positions, and edits as text
USUAL = (View.layer, View.head)
TRAINED = "small"  # the model whose training is shown where that of the chosen one was not examined


def text_of(view: View) -> Text:
    """What the model reads: the sentence or the pair; the example where nothing is written."""
    sentence = view.sentence if view.sentence.strip() else EXAMPLE
    return (sentence, view.second.strip()) if view.second.strip() else sentence


def in_examined(model: str, encoders: Encoders) -> str:
    """The model whose examined training is shown: this one, or the one whose moment it is, else `small`."""
    whole = moment_of(model)[0] if model.startswith(MOMENT) else model
    return whole if training_moments(encoders(whole)) is not None else TRAINED


def scene_of(view: View, needs: Needs, encoders: Encoders, runs: Runs) -> Scene:
    """What a view asks of a picture that needs these runs.

    Raises:
        EncoderError: a model is not to be had, or cannot read the sentence.
    """
    encoder, read, edits = encoders(view.model), text_of(view), edits_to_text(view.edits)
    if needs == "model":
        return Scene(view, encoder)
    if needs == "examined":
        model = in_examined(view.model, encoders)
        return Scene(replace(view, model=model), encoders(model))
    run = runs(view.model, read, view.hidden, edits)
    if needs == "unchanged":
        return Scene(view, encoder, runs(view.model, read, view.hidden, ""), run)
    if needs == "run":
        return Scene(view, encoder, run)
    model = view.other_model if needs == "other" and view.other_model else view.model
    text = view.sentence_b
    if needs == "prefixed":
        alone = Scene(view, encoder, run)
        text = prefixed(alone, PREFIX_B, text)
        if alone[PREFIX_A] != NO_PREFIX and not run.tokenization.pair:  # else it is the very run
            run = runs(model, prefixed(alone, PREFIX_A, run.text), (), "")
    return Scene(view, encoder, run, runs(model, text, (), ""))


def run_now(model: str, text: Text, hidden: tuple[int, ...], edits: str) -> Trace:
    """The run of a text, made now."""
    return model_called(model).trace(text, hidden=hidden, edits=text_to_edits(edits))


def ask(picture: Picture, view: View) -> Scene:
    """What a view asks of a picture, with its model loaded and its runs made here.

    Raises:
        EncoderError: the model is not to be had or cannot read the sentence, or it has no such layer or head, or the
            sentence no such position.
    """
    encoder = model_called(view.model)
    inside, notes = view.within(encoder.config, len(encoder.tokenize(text_of(view)).ids))
    if notes and replace(inside, layer=view.layer, head=view.head) == view and (view.layer, view.head) == USUAL:
        notes = []  # nobody asked for this layer and head: they are those of the usual model
    if notes:
        raise EncoderError(notes[0].rstrip("."))
    return scene_of(inside, picture.needs, model_called, run_now)


BUILT, FOLDER, LEARNED, MYSTERY = "built:", "folder:", "learned:", "mystery:"
MOMENT = "moment:"  # before the name of a model and a step of its training: "moment:small,3000"
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
    """The model of that name, as the app makes it: "base", "paper", "built:n_layers=2,seed=3", "mystery:4".

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
