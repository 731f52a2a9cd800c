"""Trials of what encoders got after 2017: each measures one part, in a model that has it or in one that has not."""

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import REGIMES, biases, gate_signs, mean_share, placed_scores, sight
from encoder.explain.cost import size
from encoder.support.formatting import brief, listed, percent, shown
from encoder.teach.trials.finding import Bars, Finding, Grid, array, by_layer, judge, untried

ROUNDING = 1e-4  # of the largest score: angles in float32 are off by a share of themselves
SMALL = 0.01
TOKENS = 200  # of the text that a window is tried on


def score_by_distance(encoder: TextEncoder, sentence: str) -> Finding:
    """The score of two words depends on how far apart they stand, and not on where."""
    trace = encoder.trace(sentence)
    words = [word[0] for word in trace.tokenization.words if not trace.tokenization.special[word[0]]]
    if len(words) < 2:
        return untried("This sentence has fewer than two words.")
    result = placed_scores(encoder, trace, 0, words[0], words[1])
    near, places = result.along(1), [str(i) for i in range(len(result.values))]
    text = (
        f"“{shown(result.query)}” and “{shown(result.key)}”, one place apart, score {brief(float(near[0]))} at the "
        f"start and {brief(float(near[-1]))} at place {len(near) - 1}, in head 0 of layer 0. The most that "
        f"scores at one distance differ is {percent(result.spread)} of the largest."
    )
    picture = Grid(result.values.double().numpy(), places, places, share=False)
    holds = judge(result.spread < ROUNDING)
    return Finding(result.spread, "most that scores at one distance differ, of the largest", text, holds, picture)


def window_hides(encoder: TextEncoder) -> Finding:
    """In a text of 200 tokens, some token does not see another in some layer."""
    result = sight(encoder, TOKENS, TOKENS // 2)
    seen, reached = result.seen.double().mean(-1), result.reached.double().mean(-1)
    least = float(seen.min())
    local = [i for i in range(encoder.config.n_layers) if encoder.config.window_of(i) is not None]
    text = f"The token in the middle of {TOKENS} sees all of them in every layer."
    if local:
        named = listed([f"layer {i}" for i in local])
        text = (
            f"The token in the middle of {TOKENS} sees {percent(least)} of them in {named}, and all in the others. By "
            f"way of other tokens it has something of {percent(float(reached[-1]))} in the end."
        )
    bars = by_layer({"may be looked at": seen, "reached by way of others": reached}, "share of tokens")
    return Finding(least, "least share of tokens that are seen", text, judge(least < 1), bars)


def four_regimes(encoder: TextEncoder, sentence: str) -> Finding:
    """A unit of the feed-forward network can write its direction with both signs, and each is used."""
    if not encoder.config.gated:
        return untried("The units of this model have no gate.")
    result = gate_signs(encoder.trace(sentence), 0)
    least = float(result.shares.min())
    parts = listed([f"{percent(float(share))} {name}" for name, share in zip(REGIMES, result.shares, strict=True)])
    open_half = float(result.written[:2].sum())
    text = (
        f"Over all units of layer 0 and all tokens: {parts}. Where the gate is above zero units write "
        f"{percent(open_half)} of all that is written, and {percent(float(result.written[[1, 2]].sum()))} of it has a "
        "minus before it."
    )
    bars = Bars(
        {"how often": array(result.shares), "of what is written": array(result.written)}, list(REGIMES), "share"
    )
    return Finding(least, "share of the rarest of four combinations", text, judge(least > SMALL), bars)


def mean_is_small(encoder: TextEncoder, sentence: str) -> Finding:
    """What LayerNorm takes away and RMSNorm leaves, the mean, is a small share of a vector."""
    result = mean_share(encoder.trace(sentence))
    largest, usual = float(result.max()), float(result.mean())
    text = (
        f"Over {len(result)} norms and {result.shape[1]} tokens the mean makes {percent(usual)} of the mean square of "
        f"what is normed; {percent(largest)} where it is most."
    )
    judgement = judge(largest < SMALL, f"on average; it is over {percent(SMALL)} somewhere" if usual < SMALL else "")
    return Finding(usual, "share of the mean in the mean square", text, judgement)


def biases_are_few(encoder: TextEncoder) -> Finding:
    """The biases of its maps and norms are less than a hundredth of a model's parameters."""
    counted, parameters = biases(encoder), size(encoder.config).parameters
    share = counted / parameters
    text = f"{counted:,} of {parameters:,} parameters are biases or betas."
    return Finding(
        share, "share of biases", text, judge(0 < share < SMALL, "this model has none at all" if share == 0 else "")
    )
