"""What the texts and formulas of steps say of one configuration: nothing that is not computed there."""

from dataclasses import replace

from encoder.model.activations import ACTIVATIONS, HEAD_ACTIVATIONS
from encoder.model.config import EncoderConfig
from encoder.model.distance import alibi_slopes
from encoder.model.steps.entries import ANGLES, GIVEN
from encoder.model.steps.step import Step
from encoder.support.formatting import listed, tex

POSITIONS = {
    "sinusoidal": "the positions added next, which stay between -1 and 1",
    "learned": "the positions added next",
    "rotary": "those of other words: no positions are added to them",
    "alibi": "those of other words: no positions are added to them",
    "none": "those of other words: no positions are added to them",
}


def activated(operation: str, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps with an activation filled in."""
    activation = HEAD_ACTIVATIONS[operation]
    formula, values = activation.formula, "positive" if activation.cuts else "signed"
    return tuple(
        replace(step, formula=formula, operation=operation, values=values) if step.operation == "{activation}" else step
        for step in steps
    )


def worded(
    config: EncoderConfig, steps: tuple[Step, ...], *, layer: int = 0, read: str = "", number: str = ""
) -> tuple[Step, ...]:
    """The steps with every {word} of their texts filled in.

    `layer` is the layer they belong to, `read` the symbol of what their sublayer reads, `number` what tells their
    symbol apart.
    """
    words = texts(config, layer) | {"{read}": read, "{number}": number}

    def filled(text: str) -> str:
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        return text

    return tuple(
        replace(
            step,
            symbol=filled(step.symbol),
            formula=filled(step.formula),
            note=filled(step.note),
            look=filled(step.look),
        )
        for step in steps
    )


def texts(config: EncoderConfig, layer: int) -> dict[str, str]:
    """What each {word} means in a model of this configuration."""
    ordered = config.positions in ("sinusoidal", "learned")
    by_distance = bool(config.position_bias or config.distance_parts)
    windows = any(config.window_of(i) is not None for i in range(config.n_layers))
    later = config.positions == "rotary" or by_distance or windows  # attention tells places apart
    added = ["word", *["position"] * ordered, *["segment"] * bool(config.n_segments)]
    alone = "only their segments tell them apart" if config.n_segments > 1 else "nothing tells them apart"
    first = " and ".join(added) + ", normalized" * config.embedding_norm + ", widened" * bool(config.embedding_size)
    source = (
        "Each row has had what attention took from other tokens added to it, in every layer before this one."
        if layer
        else f"In layer 0 it is {first}."
    )
    if later and not ordered:
        alone = "only attention tells their positions apart"
    last = "for the final norm" if config.final_norm else "as the output of the encoder"
    head = config.head_activation or config.activation
    post = "It goes unchanged up to the addition; the norm that follows rescales the sum."
    pre = "It goes unchanged to the addition, and no norm stands on this path."
    return {
        "{positions}": POSITIONS[config.positions],
        "{Added}": listed(added if ordered else [*added, "zeros for the missing positions"]).capitalize(),
        "{differ}": (
            "differ by nothing but their positions" + " and, in a pair, their segments" * (config.n_segments > 1)
            if ordered
            else f"are alike: without positions {alone}"
        ),
        "{apart}": (
            "have different rows here: they stand at different positions"
            if ordered or later
            else f"are alike here: without positions {alone}"
        ),
        "{order}": "only the windows of attention know of positions" if windows else "the order of the words is lost",
        "{exchanged}": (
            "Exchange two words, and their neighbours are seen by others: the output is not the same rows exchanged."
            if windows
            else "Exchange two words and the output is the same rows, exchanged."
        ),
        "{alike}": "Two tokens with alike queries look at alike positions"
        + (", as far as their own positions do not matter." if later else "."),
        "{largest}": "its largest score is where it looks most, if no mask hides it"
        + (" and no distance outweighs it" if by_distance else ""),
        "{next}": " and enters the next" if layer < config.n_layers - 1 else f", {last}",
        "{source}": source + " A norm has brought it to size." * config.norm_first,
        "{carried}": pre if config.norm_first else post,
        "{bent}": "cut off" if ACTIVATIONS[config.activation].cuts else "damped",
        "{angle}": ANGLES["none" if config.factor_of(layer) == 1 else config.rope_scaling],
        "{theta}": f"{config.theta_of(layer):,.6g}",
        "{slowed}": slowed(config, layer),
        "{slopes}": slopes(config),
        "{window}": str(config.window_of(layer)),
        "{buckets}": (
            "each has a row of its own, up to the last"
            if config.distance_limit is None
            else f"beyond {config.distance_span // 2} tokens several distances share one"
        ),
        "{of_k}": "of its own" if config.distance_maps else "the one that makes the keys of words",
        "{of_q}": "of its own" if config.distance_maps else "the one that makes the queries of words",
        "{added}": str(1 + len(config.distance_parts)),
        "{bend}": f"Every number is bent by itself, here by {ACTIVATIONS[head].title}.",
    }


def slopes(config: EncoderConfig) -> str:
    """A sentence on the slopes of the heads where scores fall with the distance."""
    listed_slopes = alibi_slopes(config.n_heads).tolist()
    if len(listed_slopes) == 1:
        return f"Its one head has the slope {listed_slopes[0]:.3g}."
    (steep, first), (flat, last) = (f(zip(listed_slopes, range(len(listed_slopes)), strict=True)) for f in (max, min))
    return f"The steepest is {steep:.3g}, in head {first}, the flattest {flat:.3g}, in head {last}."


def slowed(config: EncoderConfig, layer: int) -> str:
    """How the turns of a layer are slowed, as the end of a sentence; nothing where they are not."""
    factor, (_, divisor) = config.factor_of(layer), config.turns_of(layer)
    if factor == 1:
        return ""
    if config.rope_scaling == "linear":
        return f", and every angle is divided by s = {factor:,.6g}: the turns were slowed for longer inputs"
    return (
        f". The turns were slowed for longer inputs by NTK scaling: θ is taken s = {factor:,.6g} times, and every "
        f"angle is divided by s to the power 2 / d_head. So the first pair turns {divisor:,.4g} times slower, the last "
        f"{factor:,.6g} times"
    )


def spelled(config: EncoderConfig, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps with the symbols of their inputs in their own symbols and formulas, in order of computation."""
    symbols, spelling = dict(GIVEN), []
    for step in steps:
        inputs = [symbols[name] for name in step.inputs]
        terms = {f"<{i}>": symbol for i, symbol in enumerate(inputs)}
        terms |= {"<sum>": " + ".join(inputs), "<m>": tex(config.mask_value)}

        def filled(text: str, terms: dict[str, str] = terms) -> str:
            for place, symbol in terms.items():
                text = text.replace(place, symbol)
            return text

        spelling.append(replace(step, symbol=filled(step.symbol), formula=filled(step.formula)))
        symbols[step.name] = spelling[-1].symbol
    return tuple(spelling)
