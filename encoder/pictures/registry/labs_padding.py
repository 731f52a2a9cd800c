"""Pictures of the lab padding: a short sentence in a batch, with the mask that hides [PAD] and without it."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from encoder.experiments import padding
from encoder.metrics import open_scores
from encoder.model.steps.catalogue import by_name
from encoder.pictures.export.caption import About, quoted
from encoder.pictures.expression import ENC, Call, Every, Item, Several, call, step
from encoder.pictures.figures.facts import kind_of
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.labs import about_sentence, in_lab
from encoder.pictures.scene import Option, Scene, one_of
from encoder.support.formatting import percent
from encoder.support.theme import Kind

SHORT = Option("pad_short", None, lambda scene: "The cat sleeps.")
MASKS = ("with the mask", "mask forgotten")
MASK = one_of("pad_mask", MASKS)


def padded(scene: Scene) -> Call:
    """The short sentence in a batch with that of the page."""
    return call(padding, ENC, scene[SHORT], scene.t.text)


def about_padded(scene: Scene) -> About:
    """Both sentences."""
    return about_sentence(scene, f"{quoted(scene[SHORT])} padded to the length of {quoted(scene.t.text)}")


def say_pads(answer: Answer) -> str:
    """How far the vectors are from those of the run alone."""
    masked, forgotten = answer.numbers.array.max(-1)
    return (
        f"With the mask the short sentence has the vectors that it has alone, up to {masked:.1e}; with the mask "
        f"forgotten they are up to {forgotten:.3g} away."
    )


def names_of_pads(answer: Answer) -> Mapping[str, Names]:
    """The tokens of the short sentence without [PAD]."""
    batch = answer.value(padded(answer.scene))
    return {"series": ("masked", "mask forgotten"), "token": batch.tokens[: batch.n]}


of_page = partial(Picture, page="lessons", unfolds=in_lab("Padding"))
PADS = of_page(
    key="pads",
    question="What if the mask that hides [PAD] is forgotten?",
    measure=lambda scene: Several(padded(scene).masked, padded(scene).forgotten),
    dims=("series", "token"),
    names=names_of_pads,
    kind="bars",
    unit="largest difference",
    title="Difference from the run alone, per token",
    say=say_pads,
    about=about_padded,
    options=(SHORT,),
)

LEAK = of_page(
    key="leak",
    question="How much weight does each head give to [PAD] where the mask is forgotten?",
    measure=lambda scene: padded(scene).forgotten_leak,
    dims=("layer", "head"),
    values="share",
    title="Share of the weight that goes to [PAD], head by head",
    say=lambda answer: (
        f"Forgotten, [PAD] takes {percent(answer.numbers.array.mean())} of all weight on average; masked, 0."
    ),
    about=about_padded,
    options=(SHORT,),
)


def in_batch(scene: Scene) -> Item:
    """The run of the short sentence in the batch, with the mask or without."""
    return padded(scene).runs[MASKS.index(scene[MASK])]


def names_of_batch(answer: Answer) -> Mapping[str, Names]:
    """The tokens of the short sentence with [PAD]."""
    return dict.fromkeys(("query", "key"), answer.value(padded(answer.scene)).tokens)


def about_batch(scene: Scene) -> About:
    """One head of the short sentence in the batch."""
    whole = about_padded(scene)
    return About(source=whole.source, scope=whole.scope, layer=scene.layer, head=scene.head)


def title_of(name: str, scene: Scene) -> str:
    """What a step of attention is called, and whether there was a mask."""
    return f"{by_name(scene.config)[f'layers.{scene.layer}.attention.{name}'].title}, {scene[MASK]}"


def colours_of(name: str, answer: Answer) -> Kind:
    """How a step of attention is coloured."""
    scene = answer.scene
    return kind_of(by_name(scene.config)[f"layers.{scene.layer}.attention.{name}"])


def say_masked(answer: Answer) -> str:
    """How many scores the mask hides."""
    values = answer.numbers.array
    blank = int((~np.isfinite(values)).sum())
    return f"{title_of('masked', answer.scene)}: {blank} of {values.size} scores are hidden."


def say_on_padding(answer: Answer) -> str:
    """How much weight the sentence's own tokens put on [PAD]."""
    n = answer.value(padded(answer.scene)).n
    share = percent(answer.numbers.array[:n, n:].sum(-1).mean())
    return f"{title_of('weights', answer.scene)}: its {n} tokens put {share} of their weight on [PAD]."


PAD_MASKED = of_page(
    key="pad_masked",
    question="Which scores does the mask of a batch hide?",
    measure=lambda scene: Every(lambda layer: call(open_scores, in_batch(scene), layer), scene.n_layers),
    dims=("layer", "head", "query", "key"),
    chosen={"layer": lambda scene: scene.layer, "head": lambda scene: scene.head},
    names=names_of_batch,
    values=lambda answer: colours_of("masked", answer),
    title=lambda scene: title_of("masked", scene),
    say=say_masked,
    about=about_batch,
    options=(SHORT, MASK),
)

PAD_WEIGHTS = of_page(
    key="pad_weights",
    question="Where does the short sentence of a batch look?",
    measure=lambda scene: Every(lambda layer: step(layer, "attention.weights", in_batch(scene)), scene.n_layers),
    dims=("layer", "head", "query", "key"),
    chosen={"layer": lambda scene: scene.layer, "head": lambda scene: scene.head},
    names=names_of_batch,
    values=lambda answer: colours_of("weights", answer),
    title=lambda scene: title_of("weights", scene),
    say=say_on_padding,
    about=about_batch,
    options=(SHORT, MASK),
)
