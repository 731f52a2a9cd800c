"""The picture of what is carried: the arrows by which heads take the change of a word to the guess."""

from collections.abc import Mapping
from typing import Any

from encoder.experiments.circuit import CarriedChange, Edge, MinimalPair, carried_change, run_pair
from encoder.metrics.lens import word
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Attribute, Call, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.formatting import listed, percent, shown

ROUNDED = 0.005  # of the change: less is no percent

GAP = Option(
    "gap",
    lambda scene: [i for i, token in enumerate(scene.t.tokens) if token == scene.encoder.mask_token],
    lambda scene: None,
)
FIRST, SECOND = (Option(key, None, lambda scene: "") for key in ("guess", "over"))


def pair(scene: Scene) -> MinimalPair:
    """The two sentences, with the gap and the two words that were chosen."""
    words = scene[FIRST].strip(), scene[SECOND].strip()
    return MinimalPair(scene.t.tokenization.text, scene.b.tokenization.text, words if all(words) else None, scene[GAP])


def as_run(scene: Scene) -> Call:
    """Both sentences, run."""
    return call(run_pair, ENC, pair(scene))


def study_of(scene: Scene) -> Call:
    """What carries the change."""
    return call(carried_change, ENC, as_run(scene))


def measured(scene: Scene) -> Attribute:
    """The share of the change that each arrow carries."""
    return study_of(scene).arrows


def edges_of(answer: Answer) -> list[Edge]:
    """The arrows, the largest first."""
    return list(answer.measured)


def spelled(answer: Answer, position: int) -> str:
    """The word of a position."""
    text = answer.scene.t.tokenization
    return shown(text.spelled(text.word_of(position)))


def names(answer: Answer) -> Mapping[str, list[str]]:
    """What each arrow is called."""
    gap = answer.value(as_run(answer.scene)).place

    def called(position: int) -> str:
        return "the gap" if position == gap else spelled(answer, position)

    return {
        "arrow": [
            f"head {edge.head[1]} of layer {edge.head[0]}, from {called(edge.sources[0])} to {called(edge.target)}"
            for edge in edges_of(answer)
        ]
    }


def say(answer: Answer) -> str:
    """The arrow that carries most."""
    run, (first, *_) = answer.value(as_run(answer.scene)), names(answer)["arrow"]
    was, new = run.words
    most = percent(float(answer.numbers.array[0]), 1)
    return f"Of the change from “{shown(was)}” to “{shown(new)}” {first} carries {most}."


def look(answer: Answer) -> Mapping[str, Any]:
    """The words, from where to where each arrow leads, and what is guessed."""
    scene, run = answer.scene, answer.value(as_run(answer.scene))
    text = run.a.tokenization
    words = [pieces for pieces in text.words if not text.special[pieces[0]] or run.place in pieces]
    at = {piece: i for i, pieces in enumerate(words) for piece in pieces}
    ends = [
        (*edge.head, at.get(edge.sources[0], -1), at[edge.target]) for edge in edges_of(answer) if edge.target in at
    ]
    shares = run.a["mlm.logits"][run.place].double().softmax(-1)
    first = int(shares.argmax())
    return {
        "words": [shown(text.spelled(pieces)) for pieces in words],
        "arrows": ends,
        "gap": at[run.place],
        "changed": (
            at.get(run.changed, -1),
            shown(run.b.tokenization.spelled(run.b.tokenization.word_of(run.changed))),
        ),
        "guess": (shown(word(scene.encoder, first)), float(shares[first])),
        "from several": [(*head, share) for head, share in answer.value(study_of(scene)).from_several.items()],
        "whole": whole(answer),
    }


def whole(answer: Answer) -> list[tuple[str, float, str]]:
    """What makes up the change, as it adds up: what each part is called, its share, and how it is drawn.

    Nothing where a part is more than all of it, or pulls the other way.
    """
    change: CarriedChange = answer.value(study_of(answer.scene))
    share, together = change.heads.share, change.ways.together
    if together < ROUNDED or max(share, together) > 1 + ROUNDED:
        return []
    further = any(edge.target != answer.value(as_run(answer.scene)).place for edge in change.arrows)
    drawn = "all arrows together" + ", pale ones too" * (together > share and further)
    heads = listed([f"{layer}.{head}" for layer, head in sorted(change.heads.heads)])
    parts = [
        (drawn, together, "drawn"),
        (f"{heads} from other words", share - together, "hatched"),
        ("all else", 1 - max(share, together), "rest"),
    ]
    return [part for part in parts if part[1] >= ROUNDED]


CARRIED = Picture(
    key="carried",
    page="compare",
    question="Which heads carry the change of a word to the guess, and from which words?",
    measure=measured,
    dims=("arrow",),
    names=names,
    kind="circuit",
    unit="share of the change",
    values="share",
    title="Which heads carry the change from A to B, and from where",
    say=say,
    about=lambda scene: About(scene.t, reads=("mlm.logits",)),
    needs="same model",
    options=(GAP, FIRST, SECOND),
    look=look,
    heavy=True,
)
