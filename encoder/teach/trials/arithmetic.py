"""Trials of the arithmetic: one number by hand, softmax by hand, row sums, and the division by sqrt(d_head)."""

import math

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit_text import text_to_edits
from encoder.experiments import dot_products, scaling, softmax_of
from encoder.metrics import attention_weights
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent
from encoder.teach.trials.finding import Bars, Curves, Finding, array, by_head, judge, titled

AGREES = 1e-5  # of the size of what was added up
TERMS = {  # what is added up, by operation; where it is not named here, products
    "softmax": "powers of e, one of them divided by their sum",
    "mean": "numbers, added up and divided",
    "variance": "squares, added up and divided",
    "variance_unbiased": "squares, added up and divided",
}
MATTERS = 0.1  # of even attention: a smaller weight is no look
SATURATED = 0.8  # mean largest weight from which softmax is called all or nothing


def by_hand(encoder: TextEncoder, sentence: str, step: str, index: list[int], edits: str = "") -> Finding:
    """One recorded number is what its own operands give when the arithmetic is done again in float64."""
    trace = encoder.trace(sentence, edits=text_to_edits(edits))
    result = encoder.explain(trace, step, index)
    terms = TERMS.get(result.operation, "products, added up")
    made = f" from {len(result.terms.values)} {terms}" if result.terms else ""
    text = (
        f"{titled(trace, step, index)}: the run recorded {result.recorded:.6g}; made again by hand{made}, it is "
        f"{result.result:.6g}. The difference is {brief(result.difference)}."
    )
    ok = result.difference <= AGREES * max(1.0, result.size)
    bars = None
    if result.terms:
        first = result.terms.order[:12]
        bars = Bars({"term": result.terms.values[first]}, [str(k) for k in first], "the largest terms")
    return Finding(result.recorded, "the recorded number", text, judge(ok), bars)


def softmax_is(encoder: TextEncoder, scores: list[float], expected: list[float]) -> Finding:
    """softmax(scores) is what is printed, to the digits that are printed."""
    if len(scores) != len(expected):
        raise EncoderError(f"{len(scores)} scores and {len(expected)} expected weights; give as many of each")
    result = softmax_of(scores)
    digits = max(len(repr(e).partition(".")[2]) for e in expected)
    apart = float((result - torch.tensor(expected)).abs().max())
    rounded = [round(w, digits) for w in result.tolist()]
    text = (
        f"softmax({listing(scores)}) = {listing([round(w, 4) for w in result.tolist()])}, rounded "
        f"{listing(rounded)}; the "
        f"claim says {listing(expected)}, up to {brief(apart)} away. The weights add up to {float(result.sum()):.6g}."
    )
    bars = Bars({"measured": array(result), "claimed": array(expected)}, [str(s) for s in scores], "weight")
    close = apart <= 0.5 * 10**-digits * (1 + 1e-6)
    return Finding(apart, "largest difference from what is printed", text, judge(close), bars)


def listing(values: list[float]) -> str:
    """Numbers in brackets."""
    return f"[{', '.join(f'{v:g}' for v in values)}]"


def rows_sum(encoder: TextEncoder, sentence: str, edits: str = "") -> Finding:
    """Every row of every head's weights sums to 1."""
    weights = attention_weights(encoder.trace(sentence, edits=text_to_edits(edits)))
    apart = float((weights.double().sum(-1) - 1).abs().max())
    text = f"The sums of all {weights.shape[:-1].numel()} rows are within {brief(apart)} of 1."
    return Finding(apart, "largest distance of a row sum from 1", text, judge(apart < AGREES))


def all_look(encoder: TextEncoder, sentence: str) -> Finding:
    """Every row of every head's weights sums to 1, and every token looks at every other, in every head.

    Softmax makes no weight 0, so a look is a weight of MATTERS of what even attention would give, or more.
    """
    weights = attention_weights(encoder.trace(sentence))
    apart = float((weights.double().sum(-1) - 1).abs().max())
    least = MATTERS / weights.shape[-1]
    looks = (weights >= least).flatten(0, 1)
    looking, pairs, share = int(looks.any(0).sum()), looks[0].numel(), float(looks.double().mean())
    text = (
        f"In {looking} of {pairs} pairs of tokens the one looks at the other in some head, with a weight of at least "
        f"{brief(least)}, a tenth of even attention; {percent(share)} of the weights of all heads are as large. The "
        f"weights of a token add up to 1, within {brief(apart)}."
    )
    some = "in some head or other, and not in every one" if looking == pairs else ""
    sums = apart < AGREES
    condition = some or f"sums of 1; {pairs - looking} of {pairs} pairs look in no head"
    judgement = judge(sums and share == 1, condition if sums else "")
    return Finding(share, "share of the weights that are a look", text, judgement)


def spread_grows(encoder: TextEncoder) -> Finding:
    """The standard deviation of q · k grows as sqrt(d_head) for random queries and keys."""
    widths = dot_products()
    off = max(abs(w.deviation / w.predicted - 1) for w in widths)
    last = widths[-1]
    text = (
        f"For d_head from {widths[0].d_head} to {last.d_head} the standard deviation of q · k is √d_head within "
        f"{percent(off)}: at "
        f"{last.d_head} it is {brief(last.deviation)}, and √{last.d_head} is {brief(last.predicted)}."
    )
    series = {"measured": array(w.deviation for w in widths), "√d_head": array(w.predicted for w in widths)}
    x = array(w.d_head for w in widths)
    curves = Curves(series, x, ("d_head", "standard deviation of q · k"), (True, True))
    return Finding(off, "largest relative distance from √d_head", text, judge(off < 0.05), curves)


def saturates(encoder: TextEncoder, width: int = 512) -> Finding:
    """Without the division by sqrt(d_head) softmax is all or nothing at this width; with it it is not."""
    result = dot_products((width,))[0]
    text = (
        f"At d_head = {width}, over 16 random keys, the largest weight of a row is {brief(result.without_largest)} on "
        f"average without the division and {brief(result.with_largest)} with it. The entropy is "
        f"{brief(result.without_entropy)} of the most possible without it, {brief(result.with_entropy)} with it."
    )
    wide = result.without_largest > SATURATED
    judgement = judge(wide and result.with_largest < SATURATED)
    return Finding(result.without_largest, "mean largest weight without the division", text, judgement)


def division_matters(encoder: TextEncoder, sentence: str) -> Finding:
    """Leaving the division out makes this model's heads narrower."""
    change = scaling(encoder, sentence).change
    mean, narrower = float(change.mean()), int((change < 0).sum())
    text = (
        f"Run again without the division, {narrower} of {change.numel()} heads look more narrowly; the entropy of a "
        f"head, as a share of the most possible, changes by {mean:+.3f} on average (√d_head is "
        f"{math.sqrt(encoder.config.d_head):.3g})."
    )
    judgement = judge(mean < -0.01 and narrower > change.numel() / 2)
    return Finding(mean, "mean change of the normalized entropy", text, judgement, by_head(change))
