"""Trials of networks that read rows of digits: what they compute, and which head does it."""

from encoder.support.errors import EncoderError
from encoder.support.formatting import percent
from encoder.tasks.mystery import SAME, Examined, examine, reads_digits
from encoder.tasks.on_digits import ON_DIGITS
from encoder.teach.trials.finding import Bars, Finding, judge, untried
from encoder.text_encoder import TextEncoder

NOT_DIGITS = "This model does not read rows of digits; a mystery model of the page Learning does."


def bars(found: Examined) -> Bars:
    """What breaks without each head."""
    layers, heads = found.harm.shape
    names = [f"L{layer}H{head}" for layer in range(layers) for head in range(heads)]
    return Bars({"answered otherwise": found.harm.ravel()}, names, "share of inputs answered otherwise without it")


def computes(encoder: TextEncoder, task: str) -> Finding:
    """A network that reads eight digits computes what a task asks for."""
    if not reads_digits(encoder.model):
        return untried(NOT_DIGITS)
    result, about = examine(encoder.model), ON_DIGITS[task]
    share, count = result.agrees(task), len(result.inputs)
    text = f"“{about.title}” asks: {about.asks} It does so for {round(share * count)} of {count} inputs it never saw."
    return Finding(share, f"share of inputs answered as “{about.title}” asks", text, judge(share >= SAME))


def head_does_it(encoder: TextEncoder, layer: int = 0, head: int = 0) -> Finding:
    """A network that reads eight digits needs this head: most of what breaks without a head breaks without it."""
    if not reads_digits(encoder.model):
        return untried(NOT_DIGITS)
    result = examine(encoder.model)
    if not (layer < len(result.harm) and head < result.harm.shape[1]):
        raise EncoderError(
            f"there is no layer {layer}, head {head}; there are {' × '.join(map(str, result.harm.shape))}"
        )
    broken = float(result.harm[layer, head])
    text = (
        f"With layer {layer}, head {head} set to zero {percent(broken)} of {len(result.inputs)} inputs are answered "
        f"otherwise; without the head that breaks most it is {percent(float(result.harm.max()))}."
    )
    does = (layer, head) in result.needed
    what = f"share of inputs answered otherwise without layer {layer}, head {head}"
    return Finding(broken, what, text, judge(does), bars(result))
