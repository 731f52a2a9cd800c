"""Trials of what is linear in a block, and of what is not."""

from encoder.experiments import collapse, halved
from encoder.formatting import brief
from encoder.model.attention import Attention
from encoder.text_encoder import TextEncoder
from encoder.trials.finding import Bars, Finding, array, judge

ROUNDING = 1e-5


def layers_collapse(encoder: TextEncoder, between: str = "nothing") -> Finding:
    """Two linear layers, with what stands between them here, are one linear layer."""
    found = collapse(activation="relu" if between == "nothing" else between)
    apart = found.linear if between == "nothing" else found.bent
    left = found.linear_remainder if between == "nothing" else found.remainder
    said = (
        f"With {between} between them the two layers and the merged one, W' = W₁W₂, differ by up to "
        f"{brief(apart)}; the "
        f"numbers reach {brief(found.largest)}. The best of all linear layers misses {brief(100 * left)} % of them."
    )
    return Finding(left, "share that no single linear layer gives", said, judge(left < ROUNDING))


def activation_needed(encoder: TextEncoder, sentence: str) -> Finding:
    """The activation of the feed-forward network, and it alone, keeps layers from collapsing into one."""
    found, bent = collapse(), attention_bend(encoder, sentence)
    removes = found.remainder > 0.01 > found.linear_remainder
    said = (
        f"Two linear layers are one up to {brief(found.linear_remainder)}; with ReLU between them the best "
        "linear layer misses "
        f"{brief(found.remainder)}. But attention is not linear either: given half its input it misses half "
        "its output by "
        f"{brief(min(bent))} to {brief(max(bent))}."
    )
    return Finding(found.remainder, "share that no single linear layer gives", said,
                   judge(removes and max(bent) < ROUNDING, removes))  # fmt: skip


def attention_linear(encoder: TextEncoder, sentence: str) -> Finding:
    """All operations in multi-head attention are linear."""
    bent, held = attention_bend(encoder, sentence), attention_bend(encoder, sentence, held=True)
    said = (
        f"Given half its input, attention misses half its output by {brief(min(bent))} to {brief(max(bent))} "
        "of it, layer by "
        f"layer. With the weights held it misses by {brief(max(held))}: the maps are linear, the softmax is not."
    )
    bars = Bars({"as it is": array(bent), "weights held": array(held)},
                [f"layer {i}" for i in range(len(bent))], "share missed")  # fmt: skip
    return Finding(max(bent), "share of the output that is missed", said,
                   judge(max(bent) < ROUNDING, max(held) < ROUNDING), bars)  # fmt: skip


def attention_bend(encoder: TextEncoder, sentence: str, held: bool = False) -> list[float]:
    """`experiments.halved` for every layer, on what came in there."""
    trace = encoder.trace(sentence)
    found = []
    for i, layer in enumerate(encoder.model.layers):
        attention = layer.get_submodule("attention")
        assert isinstance(attention, Attention)
        one = halved(attention, trace[f"layers.{i}.attention.input"])
        found.append(one.held if held else one.bent)
    return found
