"""The labs on softmax: what the division by the root of d_head is for, and scores of one's own."""

from collections.abc import Callable

import numpy as np
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import WIDTHS, dot_products, scaling, softmax_gradient, softmax_of, softmax_slopes
from encoder.metrics import attention_weights, largest_cell
from encoder.packet.step_numbers import place
from encoder.pictures.export.caption import UNCHANGED, About, quoted
from encoder.pictures.expression import ENC, Each, Several, call
from encoder.pictures.lab import Ask, Note, Show, in_lab, lab
from encoder.pictures.labs.trial import Finding, as_judged, bars, claim, judge, one_of_numbers, trial
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene
from encoder.pictures.view import EXAMPLE as WIDE
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent, short

AGREES = 1e-5  # of the size of what was added up
TERMS = {  # what is added up, by operation; where it is not named here, products
    "softmax": "powers of e, one of them divided by their sum",
    "mean": "numbers, added up and divided",
    "variance": "squares, added up and divided",
    "variance_unbiased": "squares, added up and divided",
}
MATTERS = 0.1  # of even attention: a smaller weight is no look
SATURATED = 0.8  # mean largest weight from which softmax is called all or nothing
NEARLY_NONE = 0.05  # of a gradient

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


DEVIATION = over_widths(
    "deviation",
    "How far do dot products spread as heads grow wider?",
    Several(Each(call(dot_products), "deviation"), Each(call(dot_products), "predicted")),
    ("measured", "√d_head"),
    "standard deviation of q · k",
    "The spread of dot products by the width of a head",
    as_judged("spread_grows"),
    logarithmic=True,
)


SPREAD = over_widths(
    "spread",
    "How evenly does softmax spread its weights with the division and without?",
    Several(Each(call(dot_products), "with_entropy"), Each(call(dot_products), "without_entropy")),
    ("divided", "not divided"),
    "normalized entropy",
    "Entropy of the weights with and without the division",
    as_judged("saturates", width=WIDTHS[-1]),
)


SLOPES = over_widths(
    "slopes",
    "How much can be learned through softmax with the division and without?",
    Several(Each(call(softmax_slopes), "with_"), Each(call(softmax_slopes), "without")),
    ("divided", "not divided"),
    "length of the gradient",
    "Length of softmax's gradient by the width of a head",
    as_judged("gradient_needs_division", width=WIDTHS[-1]),
)


SCALING_HEADS = of_division(
    key="scaling_heads",
    question="What does leaving the division out do to each head?",
    measure=lambda scene: call(scaling, ENC, scene.t.inputs).change,
    dims=("layer", "head"),
    values="signed",
    title="Change of each head's normalized entropy without the division",
    say=as_judged("division_matters"),
    about=lambda scene: About(source=scene.source, scope=f"{quoted(scene.t.inputs)}, {UNCHANGED} besides the division"),
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


@trial(DEVIATION, seconds=0.3)
def spread_grows(answer: Answer) -> Finding:
    """The standard deviation of q · k grows as sqrt(d_head) for random queries and keys."""
    measured, predicted = answer.numbers.array
    off = float(np.abs(measured / predicted - 1).max())
    text = (
        f"For d_head from {WIDTHS[0]} to {WIDTHS[-1]} the standard deviation of q · k is √d_head within "
        f"{percent(off)}: at {WIDTHS[-1]} it is {brief(measured[-1])}, and √{WIDTHS[-1]} is {brief(predicted[-1])}."
    )
    return Finding(off, "largest relative distance from √d_head", text, judge(off < 0.05))


OF_WIDTHS = one_of_numbers(WIDTHS)


@claim(
    "scaling",
    "workflow paper",
    "Without the division by √d_head softmax is all or nothing in wide heads.",
    lesson="why-divide",
    width=512,
)
@trial(SPREAD, seconds=0.3, width=OF_WIDTHS)
def saturates(answer: Answer, width: int = 512) -> Finding:
    """Without the division by sqrt(d_head) softmax is all or nothing at this width; with it it is not."""
    result = answer.value(call(dot_products))[WIDTHS.index(width)]
    text = (
        f"At d_head = {width}, over 16 random keys, the largest weight of a row is {brief(result.without_largest)} on "
        f"average without the division and {brief(result.with_largest)} with it. The entropy is "
        f"{brief(result.without_entropy)} of the most possible without it, {brief(result.with_entropy)} with it."
    )
    judgement = judge(result.with_largest < SATURATED < result.without_largest)
    return Finding(result.without_largest, "mean largest weight without the division", text, judgement)


@claim("gradient-softmax", "workflow paper", lesson="why-divide", width=512)
@trial(SLOPES, seconds=0.3, width=OF_WIDTHS)
def gradient_needs_division(answer: Answer, width: int = 512) -> Finding:
    """Without the division by √d_head nearly no gradient passes softmax in wide heads."""
    divided, bare = answer.numbers.array[:, WIDTHS.index(width)]
    passed = bare / divided
    text = (
        f"For random queries and keys of {width} numbers the gradient of softmax is {brief(divided)} long on average "
        f"with the division and {brief(bare)} without, {percent(passed)} of it. It counts as nearly none below "
        f"{percent(NEARLY_NONE)}."
    )
    little = f"less than half of it passes, and more than {percent(NEARLY_NONE)}" if passed < 0.5 else ""
    judgement = judge(bool(passed < NEARLY_NONE), little)
    return Finding(float(bare), "length of the gradient without the division", text, judgement)


@trial(SCALING_HEADS)
def division_matters(answer: Answer) -> Finding:
    """Leaving the division out makes this model's heads narrower."""
    change = answer.numbers.array
    mean, narrower = float(change.mean()), int((change < 0).sum())
    i, j = largest_cell(np.abs(change))
    text = (
        f"Leaving the division out changes a head's normalized entropy by {brief(mean)} on average, most in layer {i}, "
        f"head {j}, by {brief(float(change[i, j]))}; {narrower} of {change.size} heads look more narrowly without it."
    )
    judgement = judge(mean < -0.01 and narrower > change.size / 2)
    return Finding(mean, "mean change of the normalized entropy", text, judgement)


@claim(
    "softmax",
    "workflow",
    "softmax([2.0, 1.0, 0.1]) = [0.65, 0.24, 0.11].",
    lesson="softmax-by-hand",
    scores=[2.0, 1.0, 0.1],
    expected=[0.65, 0.24, 0.11],
)
@trial()
def softmax_is(encoder: TextEncoder, scores: list[float], expected: list[float]) -> Finding:
    """softmax(scores) is what is printed, to the digits that are printed."""
    if len(scores) != len(expected):
        raise EncoderError(f"{len(scores)} scores and {len(expected)} expected weights; give as many of each")
    result = softmax_of(scores).tolist()
    digits = max(len(repr(e).partition(".")[2]) for e in expected)
    apart = max(abs(a - b) for a, b in zip(result, expected, strict=True))
    text = (
        f"softmax({listing(scores)}) = {listing(result, 4)}, rounded {listing(result, digits)}; the claim says "
        f"{listing(expected)}, up to {brief(apart)} away. The weights add up to {sum(result):.6g}."
    )
    picture = bars({"measured": result, "claimed": expected}, [str(s) for s in scores], "weight")
    close = apart <= 0.5 * 10**-digits * (1 + 1e-6)
    return Finding(apart, "largest difference from what is printed", text, judge(close), picture)


def listing(values: list[float], digits: int = 9) -> str:
    """Numbers in brackets."""
    return f"[{', '.join(f'{round(v, digits):g}' for v in values)}]"


def beside_one(weights: Tensor) -> float:
    """The largest distance of the sum of a row of weights from 1."""
    return float((weights.double().sum(-1) - 1).abs().max())


@trial()
def rows_sum(encoder: TextEncoder, sentence: str) -> Finding:
    """Every row of every head's weights sums to 1."""
    weights = attention_weights(encoder.trace(sentence))
    apart = beside_one(weights)
    text = f"The sums of all {weights.shape[:-1].numel()} rows are within {brief(apart)} of 1."
    return Finding(apart, "largest distance of a row sum from 1", text, judge(apart < AGREES))


@claim("row-sums", "workflow block guide", lesson="softmax-by-hand", sentence=WIDE)
@trial()
def all_look(encoder: TextEncoder, sentence: str) -> Finding:
    """Every row of attention weights sums to 1, and every token looks at every other.

    Softmax makes no weight 0, so a look is a weight of MATTERS of what even attention would give, or more.
    """
    weights = attention_weights(encoder.trace(sentence))
    apart = beside_one(weights)
    least = MATTERS / weights.shape[-1]
    looks = (weights >= least).flatten(0, 1)
    looking, pairs, share = int(looks.any(0).sum()), looks[0].numel(), float(looks.double().mean())
    text = (
        f"In {looking} of {pairs} pairs of tokens the one looks at the other in some head, with a weight of at least "
        f"{brief(least)}, a tenth of even attention; {percent(share)} of the weights of all heads are as large. The "
        f"weights of a token add up to 1, within {brief(apart)}."
    )
    some = "in some head or other, and not in every one" if looking == pairs else ""
    condition = some or f"sums of 1; {pairs - looking} of {pairs} pairs look in no head"
    judgement = judge(apart < AGREES and share == 1, condition if apart < AGREES else "")
    return Finding(share, "share of the weights that are a look", text, judgement)


@trial()
def by_hand(encoder: TextEncoder, sentence: str, step: str, index: list[int]) -> Finding:
    """One recorded number is what its own operands give when the arithmetic is done again in float64."""
    trace = encoder.trace(sentence)
    result = encoder.explain(trace, step, index)
    terms = TERMS.get(result.operation, "products, added up")
    made = f" from {len(result.terms.values)} {terms}" if result.terms else ""
    text = (
        f"{place(encoder, trace, step, index)}: the run has {result.recorded:.6g}; made again by hand{made}, it is "
        f"{result.result:.6g}. The difference is {brief(result.difference)}."
    )
    judgement, picture = judge(result.difference <= AGREES * max(1.0, result.size)), None
    if result.terms:
        first = result.terms.order[:12]
        picture = bars({"term": result.terms.values[first]}, [str(k) for k in first], "the largest terms")
    return Finding(result.recorded, "the recorded number", text, judgement, picture)


LABS = {
    "Why √d_head": lab(
        "Why divide scores by √d_head?",
        "Random queries and keys of growing width, and then the heads of this model.",
        DEVIATION,
        SPREAD,
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
