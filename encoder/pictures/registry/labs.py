"""Pictures of the labs that try something with the sentence: another order, no added tokens, dropout, probes."""

from functools import partial

from encoder.experiments import PAPER, PLACES, bare, dropout, swapped, word_order
from encoder.experiments.probes.layer_probes import TASKS, labelled, probe
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Call, Several, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, one_of
from encoder.support.formatting import brief, listed, percent, shown
from encoder.teach.trials.probing import where_told
from encoder.trace.words import punctuation

POSITIONS = ("positions off", "positions on")


def in_lab(name: str) -> dict[str, str]:
    """Return what opens an experiment on its page."""
    return {"lessons_part": "Labs", "lab": name}


def about_sentence(scene: Scene, what: str) -> About:
    """An experiment on the sentence, whatever is masked or changed on the page."""
    return About(source=scene.source, scope=f"{what}, {UNCHANGED}")


def in_reverse(scene: Scene) -> Call:
    """The sentence against its words in reverse."""
    return call(word_order, ENC, scene.t.text)


def both_orders(order: Call) -> Several:
    """How far each token's vector is from that in another order, without positions and with them."""
    return Several(order.off_by_token, order.on_by_token)


def say_order(answer: Answer) -> str:
    """How far the vectors of both orders are apart."""
    off, on = answer.numbers.array.max(-1)
    return (
        f"Without positions each word has the same vector in both orders, up to {off:.1e}; with them it is {on:.3g} "
        "away."
    )


of_page = partial(Picture, page="lessons")
ORDER = of_page(
    key="order",
    question="Is the order of the words lost without positions?",
    measure=lambda scene: both_orders(in_reverse(scene)),
    dims=("series", "token"),
    names=lambda answer: {"series": POSITIONS, "token": answer.value(in_reverse(answer.scene)).tokens},
    kind="bars",
    unit="largest difference",
    title="Largest difference of each token's output between both orders",
    say=say_order,
    about=lambda scene: about_sentence(scene, f"{quoted(scene.t.text)} and its words in reverse"),
    unfolds=in_lab("Word order"),
    look=lambda answer: {"logarithmic": True},
)


def words(scene: Scene) -> list[int]:
    """The words of the sentence by their numbers among all words, without what the model adds and punctuation."""
    pieces = scene.t.tokenization
    return [
        k
        for k, word in enumerate(pieces.words)
        if not pieces.special[word[0]] and not punctuation(pieces.tokens[word[0]])
    ]


ONE_WORD = Option("swap_one", words, lambda scene: next(iter(words(scene)), 0))
OTHER_WORD = Option("swap_other", words, lambda scene: next(reversed(words(scene)), 0))


def exchanged(scene: Scene) -> Call:
    """The sentence against itself with two words exchanged."""
    return call(swapped, ENC, scene.t.inputs, scene[ONE_WORD], scene[OTHER_WORD])


def say_swapped(answer: Answer) -> str:
    """How far the vectors are away after the exchange."""
    off, on = answer.numbers.array.max(-1)
    return f"Without positions no vector changes by more than {off:.1e}; with them the vectors are up to {on:.3g} away."


SWAPPED = of_page(
    key="swapped",
    question="What changes where two words change places?",
    measure=lambda scene: both_orders(exchanged(scene)),
    dims=("series", "token"),
    names=lambda answer: {"series": POSITIONS, "token": answer.value(exchanged(answer.scene)).tokens},
    kind="bars",
    unit="largest difference",
    title="Largest difference of each token's output where two words change places",
    say=say_swapped,
    about=lambda scene: about_sentence(scene, f"{quoted(scene.t.inputs)} with two words exchanged"),
    options=(ONE_WORD, OTHER_WORD),
    unfolds=in_lab("Positions"),
)


def without_added(scene: Scene) -> Call:
    """The sentence's own tokens alone."""
    return call(bare, ENC, scene.t.inputs)


def say_bare(answer: Answer) -> str:
    """What shapes come out, and how alike the vectors are."""
    alone = answer.value(without_added(answer.scene))
    n, d_model = alone.alone.shape
    return (
        f"Without {listed(list(alone.added))} the output is ({n}, {d_model:,}), one row for each of {n} tokens; with "
        f"them it is ({n + len(alone.added)}, {d_model:,}). The vectors of the same tokens have a mean cosine of "
        f"{brief(answer.numbers.array.mean())}."
    )


BARE = of_page(
    key="bare",
    question="What changes without the tokens that the model adds?",
    measure=lambda scene: without_added(scene).alike,
    dims=("token",),
    names=lambda answer: {"token": answer.value(without_added(answer.scene)).tokens},
    kind="bars",
    unit="cosine",
    title="Cosine of each token's vector alone and with the added tokens",
    say=say_bare,
    about=lambda scene: about_sentence(scene, f"{quoted(scene.t.inputs)} with the added tokens and without"),
    unfolds=in_lab("Without [CLS] and [SEP]"),
)

SHARES, SEEDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5), range(10)
P = one_of("drop_p", SHARES, 0.1)
DROPPED_AT = Option("drop_at", lambda scene: PLACES, lambda scene: list(PAPER), many=True)
SEED = one_of("drop_seed", SEEDS)
RUNS = 8
AFTER = {
    "positions": "after the positions",
    "weights": "on the weights",
    "sublayers": "on what sublayers add",
    "activation": "inside feed-forward",
}


def dropped_out(scene: Scene) -> Call:
    """The sentence with dropout, several times."""
    return call(dropout, ENC, scene.t.inputs, scene[P], scene[DROPPED_AT], runs=RUNS, seed=scene[SEED])


def say_dropped(answer: Answer) -> str:
    """How much was dropped, how much it changes, and which token it moves most."""
    runs, alike = answer.value(dropped_out(answer.scene)), answer.numbers.array[0]
    least = int(alike.argmin())
    return (
        f"With p = {answer.scene[P]:g}, {percent(runs.dropped)} of the numbers there were set to zero. A token's last "
        f"vector keeps a cosine of {brief(alike.mean())} with the one without dropout, over {RUNS} runs; "
        f"“{shown(runs.tokens[least])}” ({least}) moves most, to {brief(alike[least])}."
    )


def about_dropped(scene: Scene) -> About:
    """What was dropped where."""
    what = " and ".join(AFTER[place] for place in scene[DROPPED_AT]) or "nowhere"
    text = f"{quoted(scene.t.inputs)}, dropout of {scene[P]:g} {what}, seed {scene[SEED]}, else {UNCHANGED}"
    return About(source=scene.source, scope=text)


DROPPED = of_page(
    key="dropped",
    question="What does dropout do to the output?",
    measure=lambda scene: Several(dropped_out(scene).alike_of_one, dropped_out(scene).mean_alike),
    dims=("series", "token"),
    names=lambda answer: {
        "series": ("one run", f"mean vector of {RUNS} runs"),
        "token": answer.value(dropped_out(answer.scene)).tokens,
    },
    kind="bars",
    unit="cosine with the run without",
    title="Cosine of each token's last vector with dropout and without",
    say=say_dropped,
    about=about_dropped,
    options=(P, DROPPED_AT, SEED),
    unfolds=in_lab("Dropout"),
)

TASK = one_of("know", TASKS)
ASKED = {
    "parts of speech": "Which part of speech is this word?",
    "phrases": "Does this word begin a phrase of a noun, go on with one, or stand outside?",
    "good or bad": "Does this sentence tell of something good or bad?",
    "place": "At which place of its sentence does this word stand?",
}


def probed(scene: Scene) -> Call:
    """The probes of a task in every layer."""
    return call(probe, ENC, scene[TASK])


def say_told(answer: Answer) -> str:
    """Where a task is told best, and what its control task tells there."""
    of_task = answer.value(probed(answer.scene))
    return (
        f"{ASKED[answer.scene[TASK]]} Of {of_task.samples} it is {where_told(of_task)}; the control task "
        f"{percent(of_task.control[of_task.best])}."
    )


TOLD = of_page(
    key="told",
    question="What do the vectors of each layer tell?",
    measure=lambda scene: Several(probed(scene).accuracy, probed(scene).control, probed(scene).never_looks),
    dims=("series", "after"),
    names=lambda answer: {"series": (answer.scene[TASK], "control task", "never looks")},
    kind="curve",
    unit="share told right",
    title=lambda scene: f"Share told right after each layer: {scene[TASK]}",
    say=say_told,
    about=lambda scene: about_sentence(
        scene, f"{len(labelled())} labelled sentences, each told by a probe that has not seen it"
    ),
    options=(TASK,),
    heavy=True,
    unfolds=in_lab("What layers know"),
    look=lambda answer: {"titles": ("layers behind it", "share told right")},
)
