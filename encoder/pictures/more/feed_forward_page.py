"""More of Feed-forward: the activation as a chart, where a unit fires in a corpus, and units that nothing wakes."""

from collections.abc import Mapping, Sequence
from typing import Any

from encoder.atlas import reruns
from encoder.atlas.atlas_reader import Firing
from encoder.atlas.reruns import AtlasPart
from encoder.explain.cost import run_flops
from encoder.metrics import SENTENCES, unit_words
from encoder.model.activations import ACTIVATIONS
from encoder.pictures.lab import Ask, Long, MarkedLine, MarkedLines, Note, Part, Show, Table, When
from encoder.pictures.more import contexts
from encoder.pictures.more.checked import checked
from encoder.pictures.more.contexts import LIST, NO_ATLAS, has_atlas
from encoder.pictures.picture import Answer
from encoder.pictures.registry.atlas import ATLAS_UNITS, UNIT, UNIT_DECILES, opened
from encoder.pictures.registry.model_parts import DEAD, UNITS
from encoder.pictures.scene import Scene
from encoder.support.formatting import brief, percent, shown

NEAR = 6  # words that a unit's output points to
READING = "Marked is the token where it fires; behind it how strongly, and the length of what is written."
QUIET = "This activation lets a little through below zero, so they are quiet and not dead."
NEVER = "On this corpus the unit never fires: choose another."


def firings(scene: Scene) -> list[Firing]:
    """The contexts of the chosen unit in the chosen list."""
    return contexts.listed(scene, *(of_kind(scene, kind) for kind in ("top", "sample")))


def of_kind(scene: Scene, kind: str) -> list[Firing]:
    """The largest contexts of the chosen unit, or those that were drawn evenly."""
    return opened(scene).unit_firings(scene.layer, scene[UNIT], kind)


def row_of(scene: Scene) -> Mapping[str, Any]:
    """What the atlas knows of the chosen unit."""
    return opened(scene).unit(scene.layer, scene[UNIT])


def fires(answer: Answer) -> bool:
    """Whether the unit fires at all."""
    return bool(row_of(answer.scene)["firings"])


def how_often(answer: Answer) -> str:
    """How often the unit fires in the corpus."""
    scene = answer.scene
    card, row = opened(scene).card, row_of(scene)
    return (
        f"Layer {scene.layer}, unit {scene[UNIT]} fires {row['firings']:,} times on {card.scope}: at "
        f"{percent(row['firings'] / max(1, card.tokens))} of the tokens."
    )


def on_what(answer: Answer) -> str:
    """The token that it fires at most often, and the words that what it writes points to."""
    scene = answer.scene
    tokens = [firing.token for firing in of_kind(scene, "sample")]
    often = max(dict.fromkeys(tokens), key=tokens.count)
    words = ", ".join(f"“{shown(word)}”" for word, _ in unit_words(scene.encoder, scene.layer, scene[UNIT], NEAR))
    many, of = tokens.count(often), len(tokens)
    written = brief(row_of(scene)["written_per_one"])
    return (
        f"It fires most often at “{often}”: {many} of {of} sampled firings. What it writes points to {words}; each "
        f"1.0 of it writes a vector of length {written}, so its firings rank the same by value and by what is written."
    )


def in_corpus(answer: Answer) -> Sequence[MarkedLine]:
    """The contexts, each with its numbers."""
    scene, row = answer.scene, row_of(answer.scene)

    def described(firing: Firing) -> str:
        return f"{firing.value:.4f}, written {firing.value * row['written_per_one']:.4f}"

    return contexts.lines(scene, firings(scene), described)


RUN = contexts.run_again("atlas_run", firings)


def again(answer: Answer) -> str:
    """The chosen context run again: its stored number against the live one."""
    scene = answer.scene
    layer, unit = scene.layer, scene[UNIT]
    firing = firings(scene)[scene[RUN] - 1]
    return contexts.verdicts(scene, firing, lambda run, at: reruns.of_unit(run, layer, unit, at))


def flops_without(scene: Scene) -> float:
    """Operations of the contexts with the unit and without it."""
    return contexts.flops_without(scene, firings(scene))


def without(answer: Answer) -> str:
    """What the contexts do without the unit."""
    scene = answer.scene
    return contexts.without(scene, firings(scene), AtlasPart("unit", scene.layer, scene[UNIT]))


def every_unit(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """All that the atlas knows of the units of the layer, in numbers."""
    scene = answer.scene
    atlas, layer = opened(scene), scene.layer
    width = atlas.card.sizes["units"]
    rows = atlas.units.slice(layer * width, width).drop_columns(["layer"])
    columns = {name: rows[name].to_pylist() for name in rows.column_names}
    flat = {name: values for name, values in columns.items() if not isinstance(values[0], list)}
    return {"unit": [str(unit) for unit in flat.pop("unit")]} | flat


def flops_of_silent(scene: Scene) -> float:
    """Operations of a run of each bundled sentence."""
    return sum(run_flops(scene.config, len(scene.encoder.tokenize(text).ids)) for text in SENTENCES)


def of_silent(answer: Answer) -> str:
    """What silence means with this activation."""
    return "" if ACTIVATIONS[answer.scene.config.activation].cuts else QUIET


MORE: dict[str, tuple[Part, ...]] = {
    "chart": (UNITS,),
    "corpus": (
        When(
            has_atlas,
            (
                contexts.CHOOSE_ATLAS,
                Ask("Unit", UNIT, "list"),
                When(
                    fires,
                    (
                        Note("finding", how_often),
                        Note("paragraph", on_what),
                        Ask("Contexts", LIST, "list"),
                        MarkedLines("unit_contexts", in_corpus),
                        READING,
                        Ask("Run one again, live", RUN, "list"),
                        When(lambda answer: answer.scene[RUN] != "none", (Note("finding", again),)),
                        Long("Run them without this unit", flops_without, (Note("paragraph", without),)),
                        UNIT_DECILES,
                    ),
                    (NEVER,),
                ),
                Note("paragraph", contexts.which_atlas),
            ),
            NO_ATLAS,
        ),
    ),
    "all_units": (When(has_atlas, (ATLAS_UNITS, Table("every_unit", every_unit)), NO_ATLAS),),
    "silent": (Long("Measure", flops_of_silent, (Show(DEAD, more=of_silent),)),),
    "checks": checked("feed_forward"),
}
