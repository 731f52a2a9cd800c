"""The catalogue: every step of the encoder in the order it is computed, with its formula, shape and inputs.

It is the data-flow graph that pages, tables, exports and explanations read. `catalogue(config)` lists the steps that a
model of that configuration records, under the names that the forward pass gives to the tap; their formulas are made of
the symbols of their inputs, in `encoder.model.steps.wording`.
"""

import re
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache, lru_cache
from itertools import product
from typing import Any

from encoder.model.activations import HEAD_ACTIVATIONS
from encoder.model.classifier_config import ClassifierConfig, Reading
from encoder.model.config import CHOICES, EncoderConfig
from encoder.model.steps.entries import (
    ADD,
    DENSE_OF_LABELS,
    DISTANCE_TABLE,
    EMBEDDING,
    LABEL_LOGITS,
    LABEL_SHARES,
    LATE_LOGITS,
    LAYER_OUTPUT,
    MLM,
    MLM_OUTPUT,
    NO_BETA,
    NO_NORM,
    NORM,
    OF_ATTENTION,
    OF_FEED_FORWARD,
    OPERATIONS_OF_STD_NORM,
    OUTPUT,
    POOLED,
    POOLING,
    READ,
    READ_BY_HEAD,
    RMS_NORM,
    STD_NORM_FORMULAS,
    TOKEN_LOGITS,
    UNIT,
    Group,
)
from encoder.model.steps.step import (
    DISTANCES,
    NARROW,
    PER_DISTANCE,
    PER_SENTENCE,
    PER_TOKEN,
    SENTENCE,
    TOKEN_LABELS,
    TOKENS_BY_MODEL,
    Step,
)
from encoder.model.steps.wording import activated, spelled, worded
from encoder.support.errors import EncoderError


def placed(steps: tuple[Step, ...], prefix: str, group: str = "", **sources: str) -> tuple[Step, ...]:
    """The steps under `prefix`: names, inputs and parameters in full, with {placeholders} taken from `sources`.

    `group` goes before the titles, to tell steps apart that occur several times.
    """

    def full(name: str) -> str:
        if name.startswith("{"):
            return sources[name[1:-1]]
        return name if name in ("ids", "hidden", "distances.output") else prefix + name

    def parameter(name: str) -> str:
        if name.startswith("{"):
            return sources[name[1:-1]]
        return name if name.startswith(("embedding", "mlm_head", "position_bias", "distances")) else prefix + name

    return tuple(
        replace(
            step,
            name=prefix + step.name,
            title=group + step.title,
            inputs=tuple(map(full, step.inputs)),
            parameters=tuple(map(parameter, step.parameters)),
        )
        for step in steps
    )


def norm_steps(config: EncoderConfig, prefix: str, group: str, x: str, norm: str, symbol: str) -> tuple[Step, ...]:
    """Mean, variance, normalized and output of a norm whose parameters are called `norm`; `symbol` is its output's."""
    steps: tuple[Step, ...] = (*NORM[:-1], replace(NORM[-1], symbol=symbol))
    if config.norm == "rms_norm":
        steps = (*RMS_NORM, steps[-1])
    if config.norm == "std_norm":
        steps = tuple(
            replace(
                step,
                formula=STD_NORM_FORMULAS.get(step.name, step.formula),
                operation=OPERATIONS_OF_STD_NORM.get(step.name, step.operation),
            )
            for step in steps
        )
    return placed(steps, prefix, group, x=x, norm=norm)


def has_bias(config: EncoderConfig, part: str) -> bool:
    """Whether a part that may have a bias, by its name in the model, has one."""
    there = {
        "attention.w_": config.attention_bias,
        "feed_forward.w_2": config.feed_forward_bias != "none",
        "feed_forward.w_": config.feed_forward_bias == "both",
        "mlm_head.transform": config.head_bias,
        "classifier.transform": config.head_bias,
        "norm": config.norm_bias,
    }
    return next((has for name, has in there.items() if name in part), True)


BIAS = re.compile(r" \+ b(_\w|_\{[\w ]+\})?$")


def unbiased(config: EncoderConfig, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps without the biases that this model does not have."""

    def without(step: Step) -> Step:
        if step.operation not in ("linear", "affine"):
            return step
        if has_bias(config, step.parameters[0]):
            return step
        if step.operation == "linear":
            return replace(step, operation="matmul", formula=BIAS.sub("", step.formula))
        title, note, look = NO_BETA
        title = step.title.replace(NORM[-1].title, title)
        return replace(step, operation="stretch", formula=r"\gamma \odot <0>", title=title, note=note, look=look)

    return tuple(map(without, steps))


def narrowed(config: EncoderConfig, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps in the width of the embedding tables."""
    if config.embedding_size is None:
        return steps
    return tuple(replace(step, shape=NARROW) if step.shape == TOKENS_BY_MODEL else step for step in steps)


def embedding_steps(config: EncoderConfig) -> tuple[Step, ...]:
    """From ids to the input of the first layer."""
    segments = (EMBEDDING["segments" if config.n_segments > 1 else "segment"],) if config.n_segments else ()
    widened = config.embedding_size is not None
    norm: tuple[Step, ...] = ()
    total = EMBEDDING["sum" if config.embedding_norm or widened else "output"]
    steps = (
        EMBEDDING["tokens"],
        EMBEDDING["scaled" if config.scale_embeddings else "unscaled"],
        EMBEDDING[nowhere(config)],
        *segments,
        replace(total, inputs=(*total.inputs, *(s.name for s in segments))),
    )
    if config.embedding_norm:
        prefix = "embedding.norm." if widened else "embedding."
        symbol = r"\mathrm{norm}(s)" if widened else "x_{0}"
        norm = norm_steps(config, prefix, "Norm: ", "embedding.sum", "embedding.norm", symbol)
    embedding = narrowed(config, placed(steps, "embedding.") + norm)
    ends = (EMBEDDING["projected"], EMBEDDING["projected_output"]) if widened else ()
    return worded(config, embedding + placed(ends, "embedding.", x=embedding[-1].name))


def nowhere(config: EncoderConfig) -> str:
    """What is added for the place of a word: the kind of positions, or that distances come in later."""
    later = config.position_bias or config.distance_parts
    return "distances" if config.positions in ("none", "alibi") and later else config.positions


def distance_steps(config: EncoderConfig) -> tuple[Step, ...]:
    """The vectors of the distances, where a model has some; normalized where it does that."""
    if not config.distance_parts:
        return ()
    table = worded(config, placed((DISTANCE_TABLE,), "distances."))
    if not config.distance_norm:
        return (replace(table[0], name="distances.output"),)
    norm = norm_steps(config, "distances.", "Distances: ", "distances.table", "distances.norm", "R")
    shapes = {TOKENS_BY_MODEL: DISTANCES, PER_TOKEN: PER_DISTANCE}
    return table + tuple(replace(step, shape=shapes[step.shape]) for step in norm)


def steps_of(groups: tuple[Group, ...], config: EncoderConfig, layer: int) -> tuple[Step, ...]:
    """Return the steps of a sublayer that a layer has, each with what it gets for the inputs that it asks for."""
    steps: list[Step] = []
    instead: dict[str, str] = {}
    for group in groups:
        if group.when(config, layer):
            steps += (
                replace(step, inputs=tuple(instead.get(name, name) for name in step.inputs)) for step in group.steps
            )
            instead |= group.instead
    return tuple(steps)


def layer_steps(config: EncoderConfig, i: int, x: str) -> tuple[Step, ...]:
    """Every step of layer i, whose input is the step `x`, in the order it is computed."""
    at = f"layers.{i}."
    at_1, at_2 = f"{at}add_norm_1.", f"{at}add_norm_2."
    first, second = "Attention: ", "Feed-forward: "
    residual, add = ADD[:1], ADD[1:]
    middle = at_1 + ("sum" if config.norm_first else "output")
    normed = rf"\mathrm{{norm}}(x_{{{i}}})" if config.norm_first else "y_1", r"\mathrm{norm}(z_1)"
    norm_1 = norm_steps(config, at_1, first, x if config.norm_first else at_1 + "sum", at + "norm1", normed[0])
    if i == 0 and config.no_first_norm:
        norm_1 = placed((replace(NO_NORM, symbol=f"x_{{{i}}}"),), at_1, first, x=x)
        normed = (f"x_{{{i}}}", normed[1])
    norm_2 = norm_steps(
        config,
        at_2,
        second,
        middle if config.norm_first else at_2 + "sum",
        at + "norm2",
        normed[1] if config.norm_first else "y_2",
    )
    attention = placed(steps_of(OF_ATTENTION, config, i), at, x=at_1 + "output" if config.norm_first else x)
    attention = worded(config, attention, layer=i, read=normed[0] if config.norm_first else f"x_{{{i}}}")
    units = activated(config.activation, steps_of(OF_FEED_FORWARD, config, i))
    feed_forward = placed(units, at, x=at_2 + "output" if config.norm_first else middle)
    feed_forward = worded(config, feed_forward, read=normed[1] if config.norm_first else "y_1")
    residual_1, residual_2 = (
        worded(config, placed(residual, where, group, x=source))
        for where, group, source in ((at_1, first, x), (at_2, second, middle))
    )
    add_1, add_2 = (
        worded(config, placed(add, where, group, sublayer=f"{at}{sublayer}.output"), number=str(number))
        for number, where, group, sublayer in ((1, at_1, first, "attention"), (2, at_2, second, "feed_forward"))
    )
    ends = worded(
        config,
        placed((LAYER_OUTPUT,), at, x=at_2 + ("sum" if config.norm_first else "output")),
        layer=i,
        number=f"{{{i + 1}}}",
    )
    if config.norm_first:
        return residual_1 + norm_1 + attention + add_1 + residual_2 + norm_2 + feed_forward + add_2 + ends
    return residual_1 + attention + add_1 + norm_1 + residual_2 + feed_forward + add_2 + norm_2 + ends


def mlm_steps(config: EncoderConfig) -> tuple[Step, ...]:
    """The masked-language-model head, where the model has one."""
    if not config.mlm_head:
        return ()
    steps = worded(config, placed(activated(config.head_activation or config.activation, MLM), "mlm.", x="output"))
    steps += norm_steps(config, "mlm.norm.", "MLM head: ", "mlm.activation", "mlm_head.norm", r"\mathrm{norm}(a)")
    return narrowed(config, steps) + placed(MLM_OUTPUT, "mlm.")


def pooling_steps(config: EncoderConfig) -> tuple[Step, ...]:
    """The vector of the sentence, where the model makes one."""
    if config.pooling is None:
        return ()
    formula, operation, note = POOLED[config.pooling]
    vector = replace(POOLING, formula=formula, operation=operation, note=POOLING.note.replace("{note}", note))
    return placed((vector, *(UNIT,) * config.unit_length), "pooling.", x="output")


def classifier_steps(config: EncoderConfig) -> tuple[Step, ...]:
    """The head that names labels, where the model has one."""
    head = config.classifier
    if head is None:
        return ()
    steps: tuple[Step, ...] = ()
    x = "output"
    if head.pools:
        formula, operation, note = READ[head.reading]
        read = replace(READ_BY_HEAD, formula=formula, operation=operation, note=note)
        steps = placed((replace(read, inputs=("{x}",)) if operation == "first_token" else read,), "classifier.", x=x)
        x = steps[-1].name
    if head.activation is not None:
        title = HEAD_ACTIVATIONS[head.activation].title
        dense = activated(head.activation, DENSE_OF_LABELS)
        dense = tuple(replace(step, note=step.note.replace("{activation title}", title)) for step in dense)
        steps += placed(dense, "classifier.", x=x)
        x = steps[-1].name
    if head.norm:
        steps += norm_steps(config, "classifier.norm.", "Labels: ", x, "classifier.norm", r"\mathrm{norm}(a)")
        x = steps[-1].name
    if head.pools:  # from here on of one vector
        shapes = {TOKENS_BY_MODEL: SENTENCE, PER_TOKEN: PER_SENTENCE}
        steps = tuple(replace(step, shape=shapes.get(step.shape, step.shape)) for step in steps)
    scores = placed((replace(LABEL_LOGITS if head.pools else TOKEN_LOGITS, name=head.last),), "classifier.", x=x)
    if head.last != "logits":
        of_tokens = replace(scores[0], symbol="s", title="Scores of the labels, token by token")
        scores = (of_tokens, *placed((LATE_LOGITS,), "classifier.", x=scores[0].name))
    shares = placed((LABEL_SHARES[head.problem],), "classifier.") if head.problem in LABEL_SHARES else ()
    if head.labelled == "token":
        shares = tuple(replace(step, shape=TOKEN_LABELS) for step in shares)
    return (*steps, *(replace(step, labels=head.labels) for step in (*scores, *shares)))


@lru_cache(maxsize=64)
def catalogue(config: EncoderConfig) -> tuple[Step, ...]:
    """Every step that a model of this configuration records, in the order it is computed."""
    steps = embedding_steps(config)
    x = steps[-1].name
    steps += distance_steps(config)
    for i in range(config.n_layers):
        steps += layer_steps(config, i, x)
        x = steps[-1].name
    if config.final_norm:
        symbol = rf"\mathrm{{norm}}(x_{{{config.n_layers}}})"
        steps += norm_steps(config, "final_norm.", "Final norm: ", steps[-1].name, "final_norm", symbol)
    steps += worded(config, placed((OUTPUT,), "", x=steps[-1].name))
    steps += pooling_steps(config) + mlm_steps(config) + classifier_steps(config)
    return spelled(config, unbiased(config, steps))


@lru_cache(maxsize=64)
def by_name(config: EncoderConfig) -> dict[str, Step]:
    """The catalogue as a dictionary from name to step."""
    return {step.name: step for step in catalogue(config)}


EVERYTHING: dict[str, Any] = {  # what gives a model more steps, beside its switches and its choices
    "n_layers": 2,
    "embedding_size": 64,
    "n_segments": 2,
    "pooling": "mean",
    "position_buckets": 32,
    "window": 2,
    "mask_value": -1e9,
    "distance_scores": "both",
}


@cache
def step_names() -> frozenset[str]:
    """Return the local names of the steps that a model of any configuration records."""
    switches = {option.name: True for option in fields(EncoderConfig) if option.type is bool}
    everything = EncoderConfig(**EVERYTHING | switches | {"shared_layers": False})
    shapes = [everything, replace(everything, embedding_size=None), replace(everything, distance_scores="none")]
    readings: tuple[Reading, ...] = ("first", "late")
    heads = (ClassifierConfig(("yes",), reading=reading, activation="tanh", norm=True) for reading in readings)
    shapes += (replace(everything, classifier=head) for head in heads)
    names = set[str]()
    for shape, (option, values) in product(shapes, CHOICES.items()):
        for value in values:
            chosen: dict[str, Any] = {option: value}
            with suppress(EncoderError):  # two options that no model has together
                names |= {step.local for step in catalogue(replace(shape, **chosen))}
    return frozenset(names)
