"""Pictures of how grammar is born while a model is trained: what heads get right, where they look, what is guessed.

They are of the chosen model where its training was examined, else of the bundled one whose training was.
"""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder.exam.exam_sentences import text
from encoder.exam.links import JUDGED
from encoder.exam.moments import Moments, training_moments, trees_of
from encoder.exam.relation_curve import (
    AGREEMENT,
    EXAMPLES,
    KEYS,
    Place,
    best,
    every_head,
    relation_curve,
    relations_of,
    who,
    whole,
)
from encoder.experiments.circuit import CarriedMoments, TrainingCircuit, training_circuit
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Expression, call, loaded
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.formatting import percent, shown
from encoder.tasks import kept_moments
from encoder.tasks.kept_moments import gap_moments, kept_steps, typed_words, word_moments

FORMS = ("is", "are")
STEPS = "training steps + 1"  # step 0 has no logarithm, so one is added to all
MOMENTS = loaded(kept_moments.moments_of, ENC)
LONGEST = 400  # letters of a sentence of one's own
MORE = {"born_more": "1"}

TREES = Option("born_trees", lambda scene: trees_of(scene.encoder), lambda scene: trees_of(scene.encoder)[0])
RELATION = Option("born", lambda scene: relations_of(moments_of(scene)), lambda scene: next(iter(EXAMPLES)))


def counted(scene: Scene) -> Call:
    """What was counted at the moments of the training, on the chosen trees."""
    return call(training_moments, ENC, scene[TREES])


def moments_of(scene: Scene) -> Moments:
    """The same, before anything is measured."""
    moments = training_moments(scene.encoder, scene[TREES])
    assert moments is not None, "only what was counted is offered"
    return moments


def sentence(scene: Scene) -> str:
    """The sentence whose arcs are drawn."""
    return scene.view.sentence.strip()[:LONGEST]


def spelled(scene: Scene) -> list[str]:
    """The words of the sentence."""
    pieces = scene.encoder.tokenize(sentence(scene))
    return [pieces.spelled(pieces.words[i]) for i in typed_words(scene.encoder, pieces)]


def is_marked(scene: Scene) -> bool:
    """Whether it is known of the sentence which word belongs to which: of that of the relation alone."""
    return sentence(scene) == EXAMPLES[scene[RELATION]].sentence


def position(scene: Scene) -> int:
    """The token at which the word that is asked begins."""
    pieces = scene.encoder.tokenize(sentence(scene))
    first: int = pieces.words[typed_words(scene.encoder, pieces)[scene[WORD]]][0]
    return first


def first_word(scene: Scene) -> int:
    """The word that is asked at first: the one that is marked, or a gap, else the last one with a letter."""
    words, example = spelled(scene), EXAMPLES[scene[RELATION]]
    if is_marked(scene):
        return words.index(example.source)
    if scene.encoder.mask_token in words:
        return words.index(str(scene.encoder.mask_token))
    return max((i for i, word in enumerate(words) if any(c.isalnum() for c in word)), default=0)


WORD = Option("born_word", lambda scene: range(len(spelled(scene))), first_word)


def risen(scene: Scene) -> Call:
    """How the head that is best at the end does at the relation."""
    return call(relation_curve, counted(scene), scene[RELATION])


def heads_of(scene: Scene) -> str:
    """The relation whose heads are shown: of agreement, which no head does alone, that of the subject."""
    relation: str = scene[RELATION]
    return JUDGED if relation == AGREEMENT else relation


def place(scene: Scene) -> Place:
    """The head whose arcs are drawn: the one that is best at the relation at the end."""
    return best(moments_of(scene), heads_of(scene))[-1]


def named(scene: Scene) -> str:
    """That head in words."""
    return who(place(scene), moments_of(scene).model)


def arcs(scene: Scene) -> Call:
    """Where that head looks in the sentence at every moment."""
    return call(word_moments, MOMENTS, sentence(scene), *place(scene))


def curves_of(scene: Scene) -> list[Expression]:
    """The head's share, those of the rules, and how often it answers by the distance where that was counted."""
    curve = risen(scene)
    lines: list[Expression] = [curve.shares, curve.rule_line, curve.fixed_line]
    return lines if scene[RELATION] == AGREEMENT else [*lines, curve.near]


def name_curves(answer: Answer) -> dict[str, Names]:
    """What the curves are called, and where the moments stand on a logarithmic axis."""
    curve = answer.value(risen(answer.scene))
    names = [
        who(curve.place, moments_of(answer.scene).model),
        f"the best simple rule: {curve.rule_name}",
        f"the best fixed distance: {curve.fixed_name}" if curve.place else f"the rule: {curve.fixed_name}",
        f"looks {curve.fixed_name}, right or wrong",
    ]
    return {"series": names[: len(answer.measured)], STEPS: [step + 1 for step in curve.shares]}


def when(scene: Scene) -> str:
    """At how many moments of training, in words."""
    steps = kept_steps(scene.encoder)
    return f"at {len(steps)} moments of training, from step {steps[0]:,} to step {steps[-1]:,}"


def about(scene: Scene) -> About:
    """What was counted, and the moments."""
    if scene[RELATION] != AGREEMENT:
        return about_heads(scene)
    return About(source=scene.source, scope=f"{moments_of(scene).agreement.made} constructed sentences, {when(scene)}")


def about_heads(scene: Scene) -> About:
    """The treebank and the moments."""
    moments = moments_of(scene)
    over = f"{moments.links[heads_of(scene)]:,} hand-marked examples from {text(moments.treebank)}"
    return About(source=scene.source, scope=f"{over}, {when(scene)}")


of_page = partial(Picture, page="training", values="share", needs="examined")
GRAMMAR = of_page(
    key="grammar",
    question="When does a head find grammar while it learns?",
    measure=curves_of,
    dims=("series", STEPS),
    names=name_curves,
    kind="curve",
    unit="share",
    title=lambda scene: f"{EXAMPLES[scene[RELATION]].title}, by training step",
    say=lambda answer: whole(answer.value(risen(answer.scene)), moments_of(answer.scene).model),
    about=about,
    options=(TREES, RELATION),
    unfolds=MORE,
    look=lambda answer: {"logarithmic": (True, False)},
)


def name_moments(answer: Answer) -> list[str]:
    """The moments in words."""
    return [f"step {step:,}" for step in moments_of(answer.scene).right]


def say_word(answer: Answer, shares: NDArray[np.floating]) -> str:
    """Where the head looks most at the end, of its shares [moments, words] from the chosen word."""
    words = spelled(answer.scene)
    most, asked = int(shares[-1].argmax()), words[answer.scene[WORD]]
    first, last = (percent(shares[at, most]) for at in (0, -1))
    looks = f"From “{shown(asked)}” it looks most at “{shown(words[most])}” at the end"
    return f"{looks}: {last}; at step 0 it was {first}."


GRAMMAR_ARCS = of_page(
    key="grammar_arcs",
    question="Where does that head look in a sentence while it learns?",
    measure=lambda scene: arcs(scene).weights[:, scene[WORD]],
    dims=("moment", "word"),
    names=lambda answer: {"moment": name_moments(answer), "word": spelled(answer.scene)},
    title=lambda scene: (
        f"Where {who(place(scene), moments_of(scene).model)} looks from “{shown(spelled(scene)[scene[WORD]])}”"
    ),
    say=lambda answer: say_word(answer, answer.numbers.array),
    about=lambda scene: About(
        source=scene.source,
        scope=f"“{sentence(scene)}”, {when(scene)}",
        layer=place(scene)[0],
        head=place(scene)[1],
    ),
    options=(TREES, RELATION, WORD),
    unfolds=MORE,
)
GRAMMAR_FILM = replace(
    GRAMMAR_ARCS,
    key="grammar_film",
    question="How do the maps of that head change while it learns?",
    measure=lambda scene: arcs(scene).weights,
    dims=("moment", "query", "key"),
    names=lambda answer: dict.fromkeys(("query", "key"), spelled(answer.scene)) | {"moment": name_moments(answer)},
    kind="maps",
    title=lambda scene: f"Where {named(scene)} looks while it learns",
    say=lambda answer: say_word(answer, answer.numbers.array[:, answer.scene[WORD]]),
    look=lambda answer: {"titles": name_moments(answer), "labels": name_moments(answer)},
)
GUESSED = call(gap_moments, MOMENTS, KEYS, list(FORMS))


def say_guess(answer: Answer) -> str:
    """Which form is likelier, and from when on."""
    first, second = answer.numbers.array
    steps, ahead = list(moments_of(answer.scene).right), second > first
    behind = np.flatnonzero(~ahead)
    since = int(behind[-1]) + 1 if behind.size else 0
    if since == len(ahead):
        return f"“{FORMS[1]}”, which agrees with its subject, is not likelier than “{FORMS[0]}” at the end."
    likelier = f"“{FORMS[1]}”, which agrees with the subject,"
    other = f"“{FORMS[0]}”, which agrees with the nearest noun"
    ends = f"{percent(second[-1])} against {percent(first[-1])}"
    return f"From step {steps[since]:,} on {likelier} is likelier than {other}: at the end {ends}."


GRAMMAR_GUESS = of_page(
    key="grammar_guess",
    question="Which form of a verb does a model guess while it learns?",
    measure=lambda scene: GUESSED.forms,
    dims=("series", STEPS),
    names=lambda answer: {
        "series": [f"“{form}”" for form in FORMS],
        STEPS: [step + 1 for step in moments_of(answer.scene).right],
    },
    kind="curve",
    unit="probability",
    title=f"Guesses at “{KEYS}”, by training step",
    say=say_guess,
    about=lambda scene: About(source=scene.source, scope=f"“{KEYS}”, {when(scene)}"),
    unfolds=MORE,
    look=lambda answer: {"logarithmic": (True, False)},
)


def name_heads(answer: Answer) -> dict[str, Names]:
    """A short name for every head, and the moments."""
    layers, heads = answer.scene.n_layers, answer.scene.n_heads
    names = [f"{layer}.{head}" for layer in range(layers) for head in range(heads)]
    return {"any head": names, "moment": name_moments(answer)}


def say_heads(answer: Answer) -> str:
    """Which head is the best at the end, and which were before."""
    every = best(moments_of(answer.scene), heads_of(answer.scene))
    last = f"Best at the end is {named(answer.scene)}, with {percent(answer.numbers.array[:, -1].max())}"
    others = len({*every} - {every[-1]})
    if not others:
        return f"{last}, as at every moment."
    count = sum(head == every[-1] for head in every)
    return f"{last}; it is the best at {count} of {len(every)} moments, {others} other heads at the rest."


GRAMMAR_HEADS = of_page(
    key="grammar_heads",
    question="Which heads take part when grammar is born?",
    measure=lambda scene: call(every_head, counted(scene), heads_of(scene)),
    dims=("any head", "moment"),
    names=name_heads,
    title=lambda scene: f"Every head, {EXAMPLES[heads_of(scene)].title}, at moments of training",
    say=say_heads,
    about=about_heads,
    options=(TREES, RELATION),
    unfolds=MORE,
)


CARRIED = call(training_circuit, ENC)


def head_circuit(circuit: TrainingCircuit) -> str:
    """From when to when these heads carry the number, what they carry together, and which of them carries most."""
    drawn = circuit.constructed
    _, first, last = drawn.hands
    start, end = drawn.drawn[0], drawn.drawn[-1]
    shares = " → ".join(percent(drawn.shares[at][0], 1) for at in (start, end))
    count = {2: "two", 3: "three", 4: "four"}.get(len(circuit.heads), str(len(circuit.heads)))
    heads = f"{count} heads of the {circuit.model} model"
    carry = f"From step {start:,} to {end:,} {heads} carry the number of the subject to the verb: {shares}"
    if first == last:
        return f"{carry}."
    names = [who(circuit.heads[head], circuit.model) for head in (first, last)]
    return f"{carry}; {names[0]} hands over to {names[1]}."


def say_circuit(answer: Answer) -> str:
    """Which head carries most at first and which at the end, what all carry together, and the same in natural pairs."""
    circuit: TrainingCircuit = answer.value(CARRIED)
    drawn, natural = circuit.constructed, circuit.natural
    step, first, last = drawn.hands
    end = drawn.steps[-1]
    names = [who(circuit.heads[head], circuit.model) for head in (first, last)]

    def alone(of: CarriedMoments, step: int) -> str:
        return " and ".join(percent(of.shares[step][head + 1]) for head in (first, last))

    hands = "The job stays where it is" if first == last else "The job changes hands"
    return (
        f"{hands}: at step {step:,} {names[0]} and {names[1]} carry {alone(drawn, step)} of the change from one to "
        f"many, at the end {alone(drawn, end)}. All {len(circuit.heads)} heads together carry "
        f"{percent(drawn.shares[step][0])} of it, at the end {percent(drawn.shares[end][0])}. Before, the change is "
        f"too small to share out, and nothing is drawn. In {natural.pairs} pairs that people wrote the two carry "
        f"{alone(natural, step)}, at the end {alone(natural, end)}."
    )


def name_carriers(answer: Answer) -> dict[str, Names]:
    """The heads, and the moments."""
    circuit: TrainingCircuit = answer.value(CARRIED)
    names = [who(head, circuit.model) for head in circuit.heads]
    return {"series": [*names, "together"], STEPS: [step + 1 for step in circuit.constructed.steps]}


def frame_circuit(answer: Answer) -> dict[str, Any]:
    """The axes of all moments, also of those at which nothing is drawn, and of all shares."""
    steps, shares = answer.value(CARRIED.constructed).steps, (0, 0.25, 0.5, 0.75, 1)
    across = {"tickvals": [step + 1 for step in steps], "ticktext": [f"{step:,}" for step in steps]}
    across |= {"range": [-0.1, math.log10(steps[-1] + 1) + 0.1]}
    down = {"tickvals": shares, "ticktext": [percent(share) for share in shares], "range": [-0.03, 1.03]}
    titles = ("training steps", "share of the change carried")
    return {"logarithmic": (True, False), "titles": titles, "frames": (across, down)}


GRAMMAR_CIRCUIT = of_page(
    key="grammar_circuit",
    question="Which heads carry the number of a subject to its verb while a model learns?",
    measure=lambda scene: CARRIED.constructed.lines,
    dims=("series", STEPS),
    names=name_carriers,
    kind="curve",
    unit="share",
    title="What carries the number of the subject to the verb, by training step",
    say=say_circuit,
    about=lambda scene: About(source=scene.source, scope=f"constructed pairs of sentences, {when(scene)}"),
    unfolds={"born_carried": "1"},
    look=frame_circuit,
)
