"""Trials of what is linear in a block, and of what is not."""

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import Halved, collapse, halved
from encoder.experiments.linearity import from_linear
from encoder.model.attention import Attention
from encoder.model.steps.catalogue import by_name
from encoder.support.formatting import brief, percent
from encoder.teach.trials.finding import Finding, by_layer, judge

ROUNDING = 1e-5


def layers_collapse(encoder: TextEncoder, between: str = "nothing") -> Finding:
    """Two linear layers, with what stands between them here, are one linear layer."""
    result = collapse(activation="relu" if between == "nothing" else between)
    apart = result.linear if between == "nothing" else result.bent
    left = result.linear_remainder if between == "nothing" else result.remainder
    text = (
        f"With {between} between them the two layers and the merged one, W' = W₁W₂, differ by up to {brief(apart)}; "
        f"the numbers reach {brief(result.largest)}. The best of all linear layers misses {percent(left)} of them."
    )
    return Finding(left, "share that no single linear layer gives", text, judge(left < ROUNDING))


def activation_needed(encoder: TextEncoder, sentence: str) -> Finding:
    """The activation of the feed-forward network, and it alone, keeps layers from collapsing into one."""
    result, bent = collapse(), [half.bent for half in halves(encoder, sentence)]
    removes = result.remainder > 0.01 > result.linear_remainder
    text = (
        f"Two linear layers are one up to {brief(result.linear_remainder)}; with ReLU between them the best linear "
        f"layer misses {percent(result.remainder)}. But attention is not linear either: between its outputs for "
        f"nothing and for its input, its output for half the input lies off the middle by {percent(min(bent))} to "
        f"{percent(max(bent))} of the way, layer by layer."
    )
    judgement = judge(
        removes and max(bent) < ROUNDING, "it keeps them from collapsing, and attention does so too" if removes else ""
    )
    return Finding(result.remainder, "share that no single linear layer gives", text, judgement)


def attention_linear(encoder: TextEncoder, sentence: str) -> Finding:
    """All operations in multi-head attention are linear."""
    result = halves(encoder, sentence)
    bent, held, unsoftened = ([getattr(layer, kind) for layer in result] for kind in ("bent", "held", "unsoftened"))
    text = (
        f"A linear map of half the input lies in the middle between its outputs for nothing and for all of it. "
        f"Attention lies off the middle by {percent(min(bent))} to {percent(max(bent))} of the way, layer by layer. "
        f"With its weights held it is off by {brief(max(held))}: handing over values is linear. But the weights are "
        f"made of QKᵀ, a product of two maps of the input, and then a softmax; even without the softmax it is off by "
        f"{percent(min(unsoftened))} to {percent(max(unsoftened))}."
    )
    bars = by_layer({"as it is": bent, "without softmax": unsoftened}, "off the middle")
    return Finding(max(bent), "how far off the middle attention is", text, judge(max(bent) < ROUNDING), bars)


def feed_forward_bends(encoder: TextEncoder, sentence: str) -> Finding:
    """The feed-forward network of every layer is not linear: for the mean of two inputs it gives no mean of outputs.

    The two are those of a token and of the next one.
    """
    trace, bent = encoder.trace(sentence), list[float]()
    steps = by_name(encoder.config)
    for i, layer in enumerate(encoder.model.layers):
        x = trace[steps[f"layers.{i}.feed_forward.hidden"].inputs[0]]
        inputs = torch.stack([x, (x + x.roll(1, 0)) / 2, x.roll(1, 0)])
        with torch.inference_mode():
            bent.append(from_linear(layer.get_submodule("feed_forward")(inputs)))
    text = (
        f"A linear map of the mean of two tokens' inputs lies in the middle between its outputs for the two. The "
        f"feed-forward networks lie off the middle by {percent(min(bent))} to {percent(max(bent))} of the way, layer "
        "by layer."
    )
    bars = by_layer({"feed-forward": bent}, "off the middle")
    return Finding(min(bent), "how far off the middle the straightest one is", text, judge(min(bent) > 0.01), bars)


def halves(encoder: TextEncoder, sentence: str) -> list[Halved]:
    """`experiments.halved` for every layer, on what came in there."""
    trace = encoder.trace(sentence)
    result = []
    for i, layer in enumerate(encoder.model.layers):
        attention = layer.get_submodule("attention")
        assert isinstance(attention, Attention)
        result.append(halved(attention, trace[f"layers.{i}.attention.input"]))
    return result
