"""What the heads of a model look at: neighbours, special tokens, and the words that grammar links on gold trees."""

from collections.abc import Iterator

from torch import Tensor

from encoder.exam import bundled_exam
from encoder.exam.links import GAPS, JUDGED
from encoder.metrics.head_measures import measured, runs
from encoder.metrics.roles import NO_ROLE, ROLES, SPECIAL, TOO_FEW, head_roles
from encoder.metrics.sentences import BUNDLED, SENTENCES
from encoder.text_encoder import TextEncoder
from encoder.trace.unpadded import attention_weights
from encoder.train.diagnostics import SWITCHED_OFF, habits

PARKED = 0.5  # of a head's weight on special tokens, over all rows, from which it is counted


def lines(encoder: TextEncoder) -> Iterator[str]:
    """What a card says of heads."""
    n_layers, n_heads = encoder.config.n_layers, encoder.config.n_heads
    words, weights = list[list[str]](), list[Tensor]()
    for trace in runs(encoder, SENTENCES):
        words.append(trace.tokens)
        weights.append(attention_weights(trace).flatten(0, 1))
    parked = (measured(weights, words, ["special"])["special"] > PARKED).view(n_layers, n_heads).sum(-1)
    diagnosed = habits(encoder)
    on_special = diagnosed.values["specials"]
    yield f"Heads over the {BUNDLED}, layers and heads from 0"
    for i, role in enumerate(head_roles(weights, words)):
        if role.label not in (NO_ROLE, TOO_FEW, ROLES[SPECIAL], "sep", "cls"):
            yield f"  {role.label}: {name(encoder, i)}, mean weight {role.mass:.2f}"
    yield (
        f"  over half of their weight on [CLS] and [SEP]: {int(parked.sum())} of {n_layers * n_heads}, "
        f"by layer {', '.join(map(str, parked.tolist()))}"
    )
    yield (
        f"  over {100 * SWITCHED_OFF:.0f} % of the words' weight there: {int((on_special > SWITCHED_OFF).sum())}; "
        f"least and most in layer 0: {100 * float(on_special[0].min()):.1f} and "
        f"{100 * float(on_special[0].max()):.1f} %"
    )
    yield f"  saturated layers: {', '.join(map(str, diagnosed.saturated)) or 'none'}"
    yield from licences(encoder)


def licences(encoder: TextEncoder) -> Iterator[str]:
    """What a card says of the jobs of heads: what an examination on gold trees gave; nothing where there is none."""
    exam = bundled_exam(encoder.source.name)
    if exam is None or exam.fingerprint != encoder.source.fingerprint:
        return
    first, second = exam.treebanks
    yield f"Heads with a licence: chosen on even, scored on odd sentences of {first.name}, confirmed on {second.name}"
    for row in exam.licences():
        yield (
            f"  L{row.layer}H{row.head} {row.relation}, {row.direction}: {percent(row.accuracy)} of {row.n:,}, from "
            f"{percent(row.low)} to {percent(row.high)}; distance {row.distance:+d} {percent(row.distance_accuracy)}; "
            f"{second.name} {percent(row.second_accuracy)}, distance {percent(row.second_distance_accuracy)}"
        )
    gap = exam.row(JUDGED)
    yield (
        f"  {GAPS[JUDGED]}: best L{gap.layer}H{gap.head}, {percent(gap.accuracy)} of {gap.n}, distance "
        f"{gap.distance:+d} {percent(gap.distance_accuracy)}; {gap.verdict}"
    )


def percent(share: float | None) -> str:
    """A share in percent with one decimal; a dash for none."""
    return "-" if share is None else f"{100 * share:.1f} %"


def name(encoder: TextEncoder, head: int) -> str:
    """A head, counted layer by layer, as people write it: L3H6."""
    return "L{}H{}".format(*divmod(head, encoder.config.n_heads))
