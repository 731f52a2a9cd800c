"""What a view asks of a picture: its model and its runs, from whoever has them."""

from collections.abc import Callable
from dataclasses import replace

from encoder.edits.edit_text import edits_to_text, text_to_edits
from encoder.exam.moments import training_moments
from encoder.experiments.timelapse import kept_steps
from encoder.pictures.models import MOMENT, model_called, moment_of
from encoder.pictures.picture import Picture
from encoder.pictures.scene import NO_PREFIX, PREFIX_A, PREFIX_B, Needs, Scene, prefixed
from encoder.pictures.view import EXAMPLE, View
from encoder.support.errors import EncoderError
from encoder.text_encoder import TextEncoder
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace

Encoders = Callable[[str], TextEncoder]
Runs = Callable[[str, Text, tuple[int, ...], str], Trace]  # of a model: a text, hidden positions, and edits as text
USUAL = (View.layer, View.head)
TRAINED = "small"  # the model whose moments of training are shown where the chosen one has none


def text_of(view: View) -> Text:
    """What the model reads: the sentence or the pair; the example where nothing is written."""
    sentence = view.sentence if view.sentence.strip() else EXAMPLE
    return (sentence, view.second.strip()) if view.second.strip() else sentence


def in_training(model: str, encoders: Encoders) -> str:
    """The model whose moments of training are shown: this one where they are kept, else `small`."""
    return model if kept_steps(encoders(model)) else TRAINED


def in_examined(model: str, encoders: Encoders) -> str:
    """The model whose examined training is shown: this one, or the one whose moment it is, else `small`."""
    whole = moment_of(model)[0] if model.startswith(MOMENT) else model
    return whole if training_moments(encoders(whole)) is not None else TRAINED


def scene_of(view: View, needs: Needs, encoders: Encoders, runs: Runs) -> Scene:
    """What a view asks of a picture that needs these runs.

    Raises:
        EncoderError: a model is not to be had, or cannot read the sentence.
    """
    encoder = encoders(view.model)
    inputs = encoder.tokenize(text_of(view)).inputs
    edits = edits_to_text(view.edits)
    if needs == "model":
        return Scene(view, encoder)
    if needs == "examined":
        model = in_examined(view.model, encoders)
        return Scene(replace(view, model=model), encoders(model))
    if needs == "training":
        model = in_training(view.model, encoders)
        text = inputs if isinstance(inputs, str) else " ".join(inputs)
        return Scene(view, encoders(model), runs(model, text, (), ""))
    run = runs(view.model, inputs, view.hidden, edits)
    if needs == "unchanged":
        return Scene(view, encoder, runs(view.model, inputs, view.hidden, ""), run)
    if needs == "run":
        return Scene(view, encoder, run)
    model = view.other_model if needs == "other" and view.other_model else view.model
    text = encoders(model).tokenize(view.sentence_b).text
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
