"""The labs on softmax: what the division by the root of d_head is for, and scores of one's own."""

from collections.abc import Callable

import numpy as np

from encoder.experiments import WIDTHS, dot_products, scaling, softmax_gradient, softmax_of, softmax_slopes
from encoder.metrics import largest_cell
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Each, Several, call
from encoder.pictures.lab import Ask, Note, Show, in_lab, lab
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent, short

of_division = in_lab("Why √d_head")


def over_widths(
    key: str,
    question: str,
    drawn: Several,
    series: tuple[str, str],
    unit: str,
    title: str,
    say: Callable[[Answer], str],
    *,
    logarithmic: bool = False,
) -> Picture:
    """Two lines over the width of a head, of random queries and keys."""
    return of_division(
        key=key,
        question=question,
        measure=lambda scene: drawn,
        dims=("series", "d_head"),
        names=lambda answer: {"series": series, "d_head": WIDTHS},
        kind="curve",
        unit=unit,
        title=title,
        say=say,
        about=lambda scene: About(scope="random queries and keys, seed 0"),
        needs="model",
        look=lambda answer: {"logarithmic": (True, logarithmic)},
    )


def say_deviation(answer: Answer) -> str:
    """How far the dot products of the widest head spread."""
    measured, predicted = answer.numbers.array[:, -1]
    return (
        "The spread of dot products grows with the square root of the width: at d_head = "
        f"{WIDTHS[-1]} it is {brief(measured)}, and √d_head is {brief(predicted)}."
    )


DEVIATION = over_widths(
    "deviation",
    "How far do dot products spread as heads grow wider?",
    Several(Each(call(dot_products), "deviation"), Each(call(dot_products), "predicted")),
    ("measured", "√d_head"),
    "standard deviation of q · k",
    "The spread of dot products by the width of a head",
    say_deviation,
    logarithmic=True,
)


def say_spread(answer: Answer) -> str:
    """How even the weights of the widest head are."""
    divided, bare = answer.numbers.array[:, -1]
    return (
        f"At d_head = {WIDTHS[-1]} the normalized entropy of the weights is {brief(divided)} with the division "
        f"and {brief(bare)} without."
    )


SPREAD = over_widths(
    "spread",
    "How evenly does softmax spread its weights with the division and without?",
    Several(Each(call(dot_products), "with_entropy"), Each(call(dot_products), "without_entropy")),
    ("divided", "not divided"),
    "normalized entropy",
    "Entropy of the weights with and without the division",
    say_spread,
)


def say_slopes(answer: Answer) -> str:
    """How long the gradient of the widest head is."""
    divided, bare = answer.numbers.array[:, -1]
    return (
        f"At d_head = {WIDTHS[-1]} the gradient of softmax is {brief(divided)} long with the division and "
        f"{brief(bare)} without: where softmax is all or nothing, little can be learned through it."
    )


SLOPES = over_widths(
    "slopes",
    "How much can be learned through softmax with the division and without?",
    Several(Each(call(softmax_slopes), "with_"), Each(call(softmax_slopes), "without")),
    ("divided", "not divided"),
    "length of the gradient",
    "Length of softmax's gradient by the width of a head",
    say_slopes,
)


def say_scaling(answer: Answer) -> str:
    """How much leaving the division out changes on average, and where most."""
    change = answer.numbers.array
    i, j = largest_cell(np.abs(change))
    return (
        "In this model, on this sentence, leaving it out changes a head's normalized entropy by "
        f"{brief(change.mean())} on average, most in layer {i}, head {j}, by {brief(change[i, j])}."
    )


SCALING_HEADS = of_division(
    key="scaling_heads",
    question="What does leaving the division out do to each head?",
    measure=lambda scene: call(scaling, ENC, scene.t.inputs).change,
    dims=("layer", "head"),
    values="signed",
    title="Change of each head's normalized entropy without the division",
    say=say_scaling,
    about=lambda scene: About(source=scene.source, scope=f"{quoted(scene.t.inputs)}, {UNCHANGED} besides the division"),
)


def widest_heads(answer: Answer) -> str:
    """Return how large the largest weight of the widest head is."""
    widest = answer.value(call(dot_products))[-1]
    return (
        f"The largest weight is {percent(widest.without_largest)} on average without the division and "
        f"{percent(widest.with_largest)} with it: softmax becomes all or nothing."
    )


EXAMPLE = "2, 1, 0.1"
MOST, LARGEST = 24, 1e4  # scores, and the size of one
OWN_SCORES = Option("own_scores", None, lambda scene: EXAMPLE)


def read(text: str) -> list[float]:
    """The numbers of a text such as "2, 1, 0.1".

    Raises:
        EncoderError: what is no number, too many, or one that is too large.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        scores = [float(part) for part in parts]
    except ValueError:
        scores = []
    if not 1 <= len(scores) <= MOST or not all(abs(score) <= LARGEST for score in scores):
        raise EncoderError(f"Type 1 to {MOST} numbers from -{LARGEST:g} to {LARGEST:g}, such as {EXAMPLE}")
    return scores


def names_of_scores(scene: Scene) -> list[str]:
    """What the typed scores are called."""
    return [short(score) for score in read(scene[OWN_SCORES])]


def about_own(scene: Scene) -> About:
    """Scores of one's own."""
    return About(scope=f"scores {', '.join(names_of_scores(scene))}, typed by hand")


of_own_scores = in_lab("Softmax", needs="model", options=(OWN_SCORES,), about=about_own)


def say_weights(answer: Answer) -> str:
    """The weights one by one."""
    weights = [percent(weight) for weight in answer.numbers.array]
    return f"softmax({', '.join(names_of_scores(answer.scene))}) = {', '.join(weights)}."


OWN_WEIGHTS = of_own_scores(
    key="own_weights",
    question="What weights does softmax make of your own scores?",
    measure=lambda scene: call(softmax_of, read(scene[OWN_SCORES])),
    dims=("score",),
    names=lambda answer: {"score": names_of_scores(answer.scene)},
    kind="bars",
    unit="weight",
    title="The weights that softmax makes of the scores",
    say=say_weights,
)


def say_own_slopes(answer: Answer) -> str:
    """How much the largest weight moves with its own score."""
    slopes, names = answer.numbers.array, names_of_scores(answer.scene)
    top = int(np.argmax(read(answer.scene[OWN_SCORES])))
    return (
        f"Where {names[top]} grows by a little, its own weight grows {brief(slopes[top, top])} times that; the "
        f"slopes together are {brief(float(np.linalg.norm(slopes)))} long."
    )


OWN_SLOPES = of_own_scores(
    key="own_slopes",
    question="How much does each weight move when a score does?",
    measure=lambda scene: call(softmax_gradient, read(scene[OWN_SCORES])),
    dims=("weight", "score"),
    names=lambda answer: dict.fromkeys(("weight", "score"), names_of_scores(answer.scene)),
    values="signed",
    title="How much each weight moves with each score",
    say=say_own_slopes,
    look=lambda answer: {"row_title": "weight", "column_title": "score"},
)

LABS = {
    "Why √d_head": lab(
        "Why divide scores by √d_head?",
        "Random queries and keys of growing width, and then the heads of this model.",
        DEVIATION,
        Show(SPREAD, widest_heads),
        Note("heading", "The gradient with the division, and without"),
        SLOPES,
        SCALING_HEADS,
    ),
    "Softmax": lab(
        "What does softmax make of your scores?",
        "Type scores, and see the weights that the model's own softmax makes of them.",
        Ask("Scores, with commas between", OWN_SCORES, "text"),
        OWN_WEIGHTS,
        Show(OWN_SLOPES, "Each row and column adds up to 0: what one weight gains the others lose."),
    ),
}
