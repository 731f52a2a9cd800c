"""Pictures of the labs that train: models without a part, and two layers that tell a circle from what is around it."""

from functools import partial

from encoder.experiments import boundary
from encoder.experiments.linearity import RADIUS, SIDE
from encoder.pictures.export.caption import About
from encoder.pictures.expression import Call, Several, call
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.labs import in_lab
from encoder.pictures.scene import Scene, one_of
from encoder.support.formatting import brief, listed, percent
from encoder.tasks.learning import KINDS, STEPS, learning_curve

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


of_page = partial(Picture, page="lessons", needs="model")


def falling(key: str, question: str, kinds: tuple[str, ...]) -> Picture:
    """The losses of some kinds."""

    def say(answer: Answer) -> str:
        ends = [f"{kind} {brief(loss)}" for kind, loss in zip(kinds, answer.numbers.array[:, -1], strict=True)]
        return f"After {STEPS} steps the loss is, in nats: {listed(ends)}."

    return of_page(
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
        unfolds=in_lab("Trained without a part"),
    )


POST, *OTHERS = KINDS
LEARNING_ONE = falling("learning_one", "What do norms and their place do for learning?", (POST, *OTHERS[:3]))
LEARNING_TWO = falling("learning_two", "What do residuals and feed-forward do for learning?", (POST, *OTHERS[3:5]))
LEARNING_THREE = falling(
    "learning_three",
    "What do the width of feed-forward, its ReLU and the factor √d_model do for learning?",
    (POST, *OTHERS[5:]),
)


def say_boundary(bent: bool, answer: Answer) -> str:
    """How many points are told right."""
    trained = answer.value(call(boundary, bent))
    between = "ReLU" if bent else "nothing"
    return (
        f"Two layers with {between} between them tell {percent(trained.right)} of the points right; always to say the "
        f"same would tell {percent(trained.commonest)}."
    )


def boundary_of(bent: bool) -> Picture:
    """Where two layers say inside, with something between them or nothing."""
    axis = [f"{2 * i / (SIDE - 1) - 1:.1f}" for i in range(SIDE)]
    every_other = [name if i % 2 == 0 else "" for i, name in enumerate(axis)]
    return of_page(
        key="boundary_bent" if bent else "boundary_straight",
        question=f"Can two layers with {'ReLU' if bent else 'nothing'} between them tell a circle from what is around?",
        measure=lambda scene: call(boundary, bent).logits.sigmoid(),
        dims=("y", "x"),
        names=lambda answer: {"y": axis, "x": every_other},
        values="share",
        title=f"Where two layers with {'ReLU' if bent else 'nothing'} between them say inside",
        say=lambda answer: say_boundary(bent, answer),
        about=lambda scene: About(scope=f"two layers, 2 → 16 → 1, trained now on a circle of radius {RADIUS}, seed 0"),
        unfolds=in_lab("Layer collapse"),
    )


BOUNDARY_STRAIGHT, BOUNDARY_BENT = boundary_of(False), boundary_of(True)
