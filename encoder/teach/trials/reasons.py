"""Trials of what made a guess, and of what makes two sentences alike."""

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments.attributions.gradients import (
    gradient_x_attention,
    gradient_x_input,
    knock_out_tokens,
    relevance,
)
from encoder.experiments.attributions.similarity import Likeness, likeness
from encoder.experiments.attributions.target import Target, spearman
from encoder.experiments.attributions.why import INTEGRATED, LOOKED, SLOPE, integrated_shares
from encoder.metrics import attention_weights
from encoder.support.formatting import brief, percent, shown
from encoder.teach.trials.experiment import a_text, experiment
from encoder.teach.trials.finding import Bars, Finding, array, judge, untried
from encoder.trace.trace import Trace

WEIGHT = "attention weight"
METHODS = (INTEGRATED, SLOPE, LOOKED, WEIGHT)
SAME_ORDER, SOME_ORDER = 0.8, 0.5  # rank agreements


def guess(encoder: TextEncoder, trace: Trace) -> Target | None:
    """The likeliest word at the mask token, or at the first word where there is none; None without a head."""
    if "mlm.logits" not in trace:
        return None
    at = trace.tokens.index(encoder.mask_token) if encoder.mask_token in trace.tokens else min(1, len(trace.tokens) - 1)
    return Target(at, int(trace["mlm.logits"][at].argmax()))


def named(encoder: TextEncoder, target: Target) -> str:
    """The word that is guessed, in quotation marks."""
    return f"“{shown(encoder.tokenizer.id_to_token(target.word) or str(target.word))}”"


def given_by(method: str, encoder: TextEncoder, trace: Trace, target: Target) -> Tensor:
    """What a method gives each token: [n]; attention weight is the mean over all heads, from the guess's place."""
    if method == INTEGRATED:
        return integrated_shares(encoder, trace, target)
    if method == SLOPE:
        return gradient_x_input(encoder, trace, target).shares
    if method == LOOKED:
        return relevance(gradient_x_attention(encoder, trace, target), target.position)
    return attention_weights(trace).mean((0, 1))[target.position]


@experiment(runs=150, method=a_text(choices=METHODS))
def order_agrees(encoder: TextEncoder, sentence: str, method: str) -> Finding:
    """The words that a method gives most are those without which the guess falls most.

    The order of a method's shares is held against that of the falls when each word alone becomes the mask token.
    """
    trace = encoder.trace(sentence)
    target = guess(encoder, trace)
    if target is None or encoder.mask_token is None:
        return untried("This model has no head that guesses words.")
    falls = knock_out_tokens(encoder, trace, target).shares
    shares = given_by(method, encoder, trace, target)
    places = [i for i, special in enumerate(trace.tokenization.special) if not special and i != target.position]
    if len(places) < 3:
        return untried(f"{len(places)} words beside the guess; an order takes 3 or more.")
    value = spearman(shares[places], falls[places])
    top, truly = (max(places, key=lambda i, of=of: float(of[i])) for of in (shares, falls))  # type: ignore[misc]
    text = (
        f"The guess is {named(encoder, target)}. By {method} “{shown(trace.tokens[top])}” counts most; truly it falls "
        f"most without “{shown(trace.tokens[truly])}”, by {brief(float(falls[truly]))}. Over {len(places)} words the "
        f"two orders agree by {brief(value)} (Spearman; 1 is the same order, 0 none)."
    )
    bars = Bars({"falls by": array(falls[places])}, [trace.tokens[i] for i in places], "logit of the guess")
    judgement = judge(
        value >= SAME_ORDER,
        f"in part: by {SOME_ORDER:g} or more, and not by {SAME_ORDER:g}" if value >= SOME_ORDER else "",
    )
    return Finding(value, "rank agreement", text, judgement, bars)


@experiment(runs=20)
def looked_at_matters(encoder: TextEncoder, sentence: str) -> Finding:
    """The token that gets most attention is the one that the guess needs most.

    Attention is the mean over all layers, heads and tokens. What a token hands over is taken away by zeroing its values
    in every layer, while all others still look at it: then the logit of the guess falls, or does not.
    """
    trace = encoder.trace(sentence)
    target = guess(encoder, trace)
    if target is None:
        return untried("This model has no head that guesses words.")
    weight = attention_weights(trace).mean((0, 1, 2))
    logit = float(target.of(trace["mlm.logits"]))
    falls = torch.tensor(
        [logit - float(target.of(silent(encoder, sentence, i)["mlm.logits"])) for i in range(len(trace.tokens))]
    )
    most, needed = int(weight.argmax()), int(falls.argmax())
    value = float(falls[most] / falls[needed]) if float(falls[needed]) > 0 else 0.0
    first, second = shown(trace.tokens[most]), shown(trace.tokens[needed])
    text = (
        f"“{first}” gets {percent(float(weight[most]))} of all weight, “{second}” "
        f"{percent(float(weight[needed]))}. When the first hands over nothing, the logit of {named(encoder, target)} "
        f"falls by {brief(float(falls[most]))}; when the second does, by {brief(float(falls[needed]))}."
    )
    bars = Bars({"falls by": array(falls)}, list(trace.tokens), "logit of the guess")
    what = "fall for the most looked-at token, over the largest"
    judgement = judge(
        most == needed,
        "it is not the one needed most, and its fall is half of the largest or more" if value >= SOME_ORDER else "",
    )
    return Finding(value, what, text, judgement, bars)


def silent(encoder: TextEncoder, sentence: str, position: int) -> Trace:
    """The run in which a token hands over nothing, though it is looked at as before."""
    steps = [f"layers.{i}.attention.v" for i in range(encoder.config.n_layers)]
    return encoder.trace(sentence, edits=[Edit(step, "zero", positions=(position,)) for step in steps])


def meaning_counts(encoder: TextEncoder, sentence: str, denial: str, other: str) -> Finding:
    """A sentence is more like one that says the same in other words than like its denial in the same words.

    `other` says the same. Alike is the cosine of the sentences' vectors; how much of it comes from tokens that stand in
    both is the sum of their cells.
    """
    a, b, c = (encoder.trace(text) for text in (sentence, denial, other))
    against, same = likeness(a, b), likeness(a, c)
    value = same.cosine - against.cosine
    measured = (
        f"“{sentence}” has a cosine of {against.cosine:.4f} with “{denial}” and of {same.cosine:.4f} with “{other}”. "
        f"Pairs of tokens that stand in both sentences make {percent(shared(against, a, b))} of the first and "
        f"{percent(shared(same, a, c))} of the second."
    )
    return Finding(value, "cosine with the same meaning, less that with the denial", measured, judge(value > 0))


def shared(result: Likeness, a: Trace, b: Trace) -> float:
    """The share of a cosine that comes from pairs of the same token."""
    cells = sum(float(result.cells[i, j]) for i, x in enumerate(a.tokens) for j, y in enumerate(b.tokens) if x == y)
    return cells / result.cosine
