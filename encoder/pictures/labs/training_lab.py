"""The labs on training and on what is learned: dropout, models without a part, and what each layer tells."""

from encoder.experiments import PAPER, PLACES, dropout
from encoder.experiments.probes.layer_probes import TASKS, labelled, probe
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Call, Several, call
from encoder.pictures.lab import Ask, Note, Own, Show, about_sentence, in_lab, lab
from encoder.pictures.labs.probing_claims import where_told
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, one_of
from encoder.support.formatting import brief, listed, percent, shown
from encoder.tasks.learning import KINDS, STEPS, learning_curve

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


DROPPED = in_lab("Dropout")(
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
)

DEPTHS = (2, 6)
LAYERS = one_of("missing_layers", DEPTHS)
WARM_UPS = {"none": 1, "half of the steps": STEPS // 2}
WARM_UP = one_of("missing_warm_up", WARM_UPS)


def learning(scene: Scene, kind: str) -> Call:
    """How one kind of model learns."""
    return call(learning_curve, kind, layers=scene[LAYERS], warm_up=WARM_UPS[scene[WARM_UP]])


def about_learning(scene: Scene) -> About:
    """What was trained."""
    asked = f"{scene[LAYERS]} layers, warm-up {scene[WARM_UP]}"
    return About(scope=f"small models, 32 wide, trained on counting alike, {asked}, seed 0")


def falling(key: str, question: str, kinds: tuple[str, ...]) -> Picture:
    """The losses of some kinds."""

    def say(answer: Answer) -> str:
        ends = [f"{kind} {brief(loss)}" for kind, loss in zip(kinds, answer.numbers.array[:, -1], strict=True)]
        return f"After {STEPS} steps the loss is, in nats: {listed(ends)}."

    return in_lab("Trained without a part", needs="model")(
        key=key,
        question=question,
        measure=lambda scene: Several(*(learning(scene, kind).loss for kind in kinds)),
        dims=("series", "training steps"),
        names=lambda answer: {"series": kinds, "training steps": answer.value(learning(answer.scene, kinds[0])).steps},
        kind="curve",
        unit="loss on unseen inputs, in nats",
        title=f"How the loss falls: {listed(list(kinds))}",
        say=say,
        about=about_learning,
        options=(LAYERS, WARM_UP),
        heavy=True,
    )


POST, *OTHERS = KINDS

LEARNING_ONE = falling("learning_one", "What do norms and their place do for learning?", (POST, *OTHERS[:3]))
LEARNING_TWO = falling("learning_two", "What do residuals and feed-forward do for learning?", (POST, *OTHERS[3:5]))

LEARNING_THREE = falling(
    "learning_three",
    "What do the width of feed-forward, its ReLU and the factor √d_model do for learning?",
    (POST, *OTHERS[5:]),
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


TOLD = in_lab("What layers know")(
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
    look=lambda answer: {"titles": ("layers behind it", "share told right")},
)

CONTROLS = {
    "good or bad": "each word draws a number, and a sentence is of one class or the other by the mean of its words"
}

CONTROL = "a class drawn for each word, the same wherever it stands"

LABS = {
    "Dropout": lab(
        "What does dropout do to a sentence?",
        "In training each number is set to zero with probability p and the others are divided by 1 - p: at three "
        "kinds of places in the paper, and in much code inside feed-forward too. A trained model runs without: "
        "everywhere else in this app the step is the identity.",
        Ask("p", P, "marks"),
        Ask("Where", DROPPED_AT, "pills", lambda scene, place: AFTER[place]),
        Ask("Seed", SEED, "marks"),
        Show(DROPPED, "The mean of several runs comes closer: what drops out at random partly cancels."),
    ),
    "Trained without a part": lab("Can a model learn without one part?", Own("learning")),
    "What layers know": lab(
        "What does each layer know?",
        Own("readers"),
        Note("heading", "How much each layer tells"),
        f"A probe is a linear map with softmax, trained on the vectors of {len(labelled())} sentences that are "
        "never changed by it. A probe can learn much by heart, so a second one learns a control task from the same "
        "vectors: only what the first does better is in the vectors.",
        Ask("Task", TASK, "pills"),
        Own("probes"),
        Show(
            TOLD,
            lambda answer: (
                f"The control task: {CONTROLS.get(answer.scene[TASK], CONTROL)}. Who never looks says the "
                "most frequent class."
            ),
        ),
    ),
}
