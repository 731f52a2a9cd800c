"""What is carried: the arrows by which heads take the change of a word to the guess, and what each carries of many."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from encoder.experiments.circuit import CarriedChange, Edge, MinimalPair, carried_change, run_pair
from encoder.metrics import largest_cell
from encoder.metrics.answer import SENTENCE, answers, name_of
from encoder.packet.circuit_level import as_board
from encoder.packet.heads_level import carriers_named, carries, shares_carried
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Attribute, Call, call
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.formatting import adding_up, listed, percent, shown


def places(scene: Scene) -> list[int]:
    """Where an answer can stand: gaps, or words that have a label of their own."""
    labelled = answers(scene.config).labels is not None
    return [i for i, token in enumerate(scene.t.tokens) if labelled or token == scene.encoder.mask_token]


GAP = Option("gap", places, lambda scene: None)
FIRST, SECOND = (Option(key, None, lambda scene: "") for key in ("guess", "over"))


def pair(scene: Scene) -> MinimalPair:
    """The two sentences, with the gap and the two words that were chosen."""
    words = scene[FIRST].strip(), scene[SECOND].strip()
    return MinimalPair(scene.t.tokenization.text, scene.b.tokenization.text, words if all(words) else None, scene[GAP])


def about_both(scene: Scene) -> About:
    """Both sentences, which are run anew."""
    a, b = (quoted(run.tokenization.text) for run in (scene.t, scene.b))
    return About(source=scene.source, scope=f"A: {a}, B: {b}, {UNCHANGED}")


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
    gap, labelled = answer.value(as_run(answer.scene)).place, answers(answer.scene.config).labels is not None

    def called(position: int) -> str:
        return ("the label" if labelled else "the gap") if position == gap else spelled(answer, position)

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
    text, edges, how = run.a.tokenization, edges_of(answer), answers(scene.config)
    touched = {run.place, *(end for edge in edges for end in (*edge.sources, edge.target))}
    words = [pieces for pieces in text.words if not text.special[pieces[0]] or touched & {*pieces}]
    at = {piece: i for i, pieces in enumerate(words) for piece in pieces} | {SENTENCE: len(words)}
    shares = how.shares(how.scores(run.a, run.place).double())
    first = int(shares.argmax())
    return {
        "words": [*(shown(text.spelled(pieces)) for pieces in words), *["label"] * how.of_sentence],
        "arrows": [(*edge.head, at[edge.sources[0]], at[edge.target]) for edge in edges],
        "gap": at[run.place],
        "changed": (
            at.get(run.changed, -1),
            shown(run.b.tokenization.spelled(run.b.tokenization.word_of(run.changed))),
        ),
        "guess": (name_of(scene.encoder, first), float(shares[first]), first == run.answers[1]),
        "from several": [(*head, share) for head, share in answer.value(study_of(scene)).from_several.items()],
        "whole": whole(answer),
    }


def whole(answer: Answer) -> list[tuple[str, float, str]]:
    """What makes up the change: what each part is called, its share, and how it is drawn.

    The numbers of the first two add up to what the heads carry, all to all of it.
    """
    change: CarriedChange = answer.value(study_of(answer.scene))
    share, together = change.heads.share, change.ways.together
    further = together > share and any(
        edge.target != answer.value(as_run(answer.scene)).place for edge in change.arrows
    )
    heads = listed([f"{layer}.{head}" for layer, head in sorted(change.heads.heads)])
    drawn, undrawn = adding_up([100 * together, 100 * (share - together)], 100 * share)
    _, rest = adding_up([100 * share, 100 * (1 - share)], 100)
    parts = [
        ("all arrows together" + ", pale ones too" * further, drawn, together, "accent"),
        (
            "to other heads, or from other words" if further else f"{heads} from other words",
            undrawn,
            share - together,
            "hatched",
        ),
        ("all else", rest, 1 - share, "grid"),
    ]
    return [
        (f"{text} {said} %", part, "second" if part < 0 else paint) for text, said, part, paint in parts if said != "0"
    ]


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
    about=about_both,
    needs="same model",
    options=(GAP, FIRST, SECOND),
    look=look,
    heavy=True,
)


AGAINST = 0.05  # of the change: a head that carries as much the other way has a colour of its own


def say_board(answer: Answer) -> str:
    """The head that carries most alone."""
    values = answer.numbers.array
    layer, head = largest_cell(values)
    return f"Head {head} of layer {layer} alone carries most, {percent(float(values[layer, head]), 1)} of the change."


CARRIED_BOARD = Picture(
    key="carried_board",
    page="compare",
    question="What does each head alone carry of the change of a word to the guess?",
    measure=lambda scene: call(as_board, study_of(scene).each, ENC.config),
    dims=("layer", "head"),
    unit="share of the change",
    values=lambda answer: "signed" if float(answer.numbers.array.min()) <= -AGAINST else "positive",
    title="What each head alone carries of the change from A to B",
    say=say_board,
    about=about_both,
    needs="same model",
    options=(GAP, FIRST, SECOND),
    look=lambda answer: {
        "framed": [*answer.value(study_of(answer.scene)).heads.heads],
        "written": "large percent",
    },
    heavy=True,
)


def carried_names(answer: Answer) -> Mapping[str, Names]:
    """What changes, and what carries it."""
    all_carried = carries(answer.scene.encoder)
    heads = [f"{layer}.{head}" for layer, head in carriers_named(all_carried)]
    phenomena = [f"{row['what']}{', written pairs' * row['natural']}" for row in all_carried]
    return {"what changes": phenomena, "carried by": [*heads, "together", "random heads"]}


def say_carriers(answer: Answer) -> str:
    """The head that carries most by itself, and what."""
    (phenomena, carriers), alone = carried_names(answer).values(), answer.numbers.array[:, :-2]
    i, j = largest_cell(np.nan_to_num(alone))
    return f"Of “{phenomena[i]}” head {carriers[j]} carries {percent(alone[i, j], 1)} alone, the most of all."


def about_carriers(scene: Scene) -> About:
    """How many pairs of sentences the numbers are of, and which of them people wrote."""
    kinds = {True: "pairs that people wrote", False: "constructed pairs"}
    counts = listed([f"{row['what']} {row['count']} {kinds[row['natural']]}" for row in carries(scene.encoder)])
    columns = "heads alone, those of a row together, and as many random heads (the most of 20 sets)"
    return About(source=scene.source, scope=f"{columns}: {counts}")


HEADS_CARRY = Picture(
    key="heads_carry",
    page="heads",
    question="Which heads carry what is asked at a gap, over many pairs of sentences?",
    measure=lambda scene: call(shares_carried, ENC),
    dims=("what changes", "carried by"),
    names=carried_names,
    values="share",
    title="What heads carry to the gap",
    say=say_carriers,
    about=about_carriers,
    needs="model",
    unfolds={"view": "carried"},
    look=lambda answer: {"longest": 24},
)
