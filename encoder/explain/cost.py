"""What a model and a run cost: parameters by formula and by count, operations, bytes and time of every step."""

import math
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from encoder.explain.operations import OPERATIONS
from encoder.explain.operations.explanation import Term
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.steps.catalogue import by_name
from encoder.model.steps.step import HEAD_DISTANCES, PAIRS, Step
from encoder.trace.trace import Trace

FLOAT32 = 4  # bytes
# Where a map or a norm has no bias, zeros stand for it, which are no parameters
ALL_BIASES: dict[str, Any] = {
    "attention_bias": True,
    "feed_forward_bias": "both",
    "norm_bias": True,
    "head_bias": True,
}
BIASES = ("relative_bias", "alibi")  # made once, for all layers


@dataclass(frozen=True)
class Part:
    """Parameters of one part of a model: the formula in words, its value, and what the model really holds."""

    name: str
    formula: str
    by_formula: int
    counted: int


@dataclass(frozen=True)
class StepCost:
    """One step of a run: floating-point operations, bytes of its result, seconds until the result was there.

    `new_bytes` is 0 where the step hands on memory of an earlier one.
    """

    step: Step
    sizes: tuple[int, ...]
    flops: int
    new_bytes: int
    seconds: float


def parameters(model: Encoder) -> list[Part]:
    """Every part of the model that has parameters, in the order of the forward pass."""
    config, counted, terms_of = model.config, Counter[str](), parts(model.config)
    for name, tensor in model.named_parameters():
        counted[name if name in terms_of else name.rpartition(".")[0]] += tensor.numel()
    return [Part(name, in_words(terms), value(terms, config), counted[name]) for name, terms in terms_of.items()]


class Area(NamedTuple):
    """Parameters that stand together in a picture: of what kind, and of which layer and head where they are of one."""

    name: str
    parameters: int
    kind: str
    layer: int | None = None
    head: int | None = None
    column: str = ""  # what the column of its layer is called


def areas(model: Encoder) -> list[Area]:
    """The parameters of a model: every table of the embedding, every layer's heads, feed-forward and norms, the guess.

    A layer's attention is shared out among its heads, which have equally much of each of its maps.
    """
    config, counts = model.config, Counter[tuple[int | None, str, str]]()
    for part in parameters(model):
        kind, layer = kind_of(part.name), layer_of(part.name)
        counts[layer, kind, kind if kind == "guess" or layer is not None else part.name] += part.counted
    listed = []
    for (layer, kind, name), count in counts.items():
        if layer is None:
            listed.append(Area(name, count, kind))
            continue
        whose = "every layer" if config.shared_layers else f"layer {layer}"
        if kind == "attention":
            each = count // config.n_heads
            listed += [Area(f"head {i} of {whose}", each, kind, layer, i, whose) for i in range(config.n_heads)]
        else:
            listed.append(Area(f"{whose}, {kind}", count, kind, layer, column=whose))
    return listed


def operations(config: EncoderConfig, n: int) -> dict[str, int]:
    """Floating-point operations of a run of n tokens by the kind of part, all layers together."""
    counts = Counter[str]()
    for name, flops in flops_of_steps(config, n).items():
        counts[kind_of(name)] += flops
    return counts


def kind_of(name: str) -> str:
    """The kind of a part or of a step."""
    return next((kind for key, kind in KINDS.items() if key in name), "embedding")


def layer_of(name: str) -> int | None:
    """The layer that a part stands in."""
    return int(name.split(".")[1]) if name.startswith("layers.") else None


@lru_cache(maxsize=64)
def parts(config: EncoderConfig) -> dict[str, tuple[Term, ...]]:
    """The parts that have parameters in a model of that configuration, each with its formula; shared layers once."""
    steps, formulas = by_name(config), dict[str, tuple[Term, ...]]()
    for step in steps.values():
        terms = OPERATIONS[step.operation].parameters
        if terms and not (config.shared_layers and step.layer):
            came = [width(steps[name]) for name in step.inputs if name in steps]
            widths = dict(zip(("out", "in"), (width(step), *came), strict=False))
            formula = tuple(tuple(widths.get(str(factor), factor) for factor in term) for term in terms)
            formulas.setdefault(step.parameters[-1].removesuffix(".weight"), formula)
    return formulas


def width(step: Step) -> str:
    """The name of the size of a token's vector at a step, of all heads together."""
    return "d_model" if step.shape[-1] == "d_head" else step.shape[-1]


# What a part or a step is by what its name holds, the first that fits; all else belongs to the embedding.
KINDS = {
    "mlm": "guess",
    "classifier": "labels",
    "position_bias": "attention",
    "distances": "attention",
    "embedding": "embedding",
    "attention": "attention",
    "feed_forward": "feed-forward",
    "norm": "add & norm",
    "pooling": "sentence vector",
}


@dataclass(frozen=True)
class Size:
    """What a model of a configuration takes before it is built: its parameters, and bytes in float32."""

    config: EncoderConfig
    parameters: int

    @property
    def bytes_of_weights(self) -> int:
        """Memory of the model: its parameters, and the table of positions where that is computed and not learned."""
        config = self.config
        with_zeros = replace(config, **ALL_BIASES)
        whole = sum(value(terms, config) for terms in parts(with_zeros).values())
        whole += 2 * config.d_model * config.no_first_norm
        if config.positions == "alibi":  # slopes, and one row of zeros for the embedding
            return FLOAT32 * (whole + config.n_heads + config.d_embedding)
        if config.positions == "rotary":  # cosines and sines, and the row of zeros
            waves = 2 * len(turns(config)) * config.d_head * config.max_positions
            return FLOAT32 * (whole + waves + config.d_embedding)
        table = 0 if config.positions == "learned" else config.max_positions * config.d_embedding
        return FLOAT32 * (whole + table)

    def bytes_of_a_run(self, n: int) -> int:
        """Memory of a recorded run of n tokens with nothing hidden and no edits; a little less for 1 token or head."""
        new = (
            step
            for step in by_name(self.config).values()
            if OPERATIONS[step.operation].new_memory and not (step.operation in BIASES and step.layer)
        )
        return FLOAT32 * sum(math.prod(step.sizes(self.config, n)) for step in new)


def turns(config: EncoderConfig) -> set[tuple[float, float]]:
    """The bases and divisors of angles that a model turns by; each pair has its own table."""
    return {config.turns_of(i) for i in range(config.n_layers)}


@lru_cache(maxsize=256)
def size(config: EncoderConfig) -> Size:
    """The size of a model of that configuration, by formula; nothing is built."""
    return Size(config, sum(value(terms, config) for terms in parts(config).values()))


def longest(config: EncoderConfig, most: int, most_bytes: float, most_flops: float = math.inf) -> int:
    """The most tokens, up to `most` and at least 2, whose run holds and computes no more than that."""
    model_size = size(config)

    def fits(n: int) -> bool:
        return model_size.bytes_of_a_run(n) <= most_bytes and run_flops(config, n) <= most_flops

    return bisect(range(3, most + 1), False, key=lambda n: not fits(n)) + 2  # what a run takes grows with n


def in_words(terms: tuple[Term, ...]) -> str:
    """The formula as text: "d_model·d_ff + d_ff"."""
    return " + ".join("·".join(map(str, term)) for term in terms)


def value(terms: tuple[Term, ...], config: EncoderConfig) -> int:
    """The formula in numbers."""
    return sum(math.prod(f if isinstance(f, int) else getattr(config, f) for f in term) for term in terms)


def step_flops(step: Step, config: EncoderConfig, n: int) -> int:
    """Floating-point operations of a step for n tokens, by the shapes in the catalogue."""
    catalogue = by_name(config)
    operands = [name for name in step.inputs if name in catalogue]
    k = catalogue[operands[0]].sizes(config, n)[-1] if operands else 0
    if operands and step.shape[0] in ("sentence", "n_labels") and catalogue[operands[0]].shape[0] == "n":
        k = n  # the tokens become one
    each = OPERATIONS[step.operation].flops(k) * (len(operands) - 1 if step.operation == "add" else 1)
    if step.shape == PAIRS and any(catalogue[name].shape == HEAD_DISTANCES for name in operands):
        each *= (2 * n - 1) / n  # it is computed for every distance, and n of them are taken
    return round(each * math.prod(step.sizes(config, n)))


@lru_cache(maxsize=4096)
def run_flops(config: EncoderConfig, n: int) -> int:
    """Floating-point operations of a run of n tokens."""
    return sum(flops_of_steps(config, n).values())


@lru_cache(maxsize=64)
def flops_of_steps(config: EncoderConfig, n: int) -> dict[str, int]:
    """Floating-point operations of every step for n tokens, by the step's name."""
    return {name: step_flops(step, config, n) for name, step in by_name(config).items()}


def step_costs(trace: Trace) -> list[StepCost]:
    """The cost of every step of a run, in the order of computation; seconds are those of this very run."""
    costs, before, flops = [], 0.0, flops_of_steps(trace.config, len(trace.tokens))
    own = () if trace.model is None else (*trace.model.parameters(), *trace.model.buffers())
    seen = {tensor.untyped_storage().data_ptr() for tensor in own}
    for name, tensor in trace.items():
        step, memory = trace.step(name), tensor.untyped_storage().data_ptr()
        new = 0 if memory in seen else tensor.numel() * tensor.element_size()
        costs.append(StepCost(step, tuple(tensor.shape), flops[name], new, trace.ready[name] - before))
        seen.add(memory)
        before = trace.ready[name]
    return costs


DEPTHS = (6, 12, 24)  # layers of the paper's encoder, of BERT base and of BERT large
WIDER = 4  # d_ff = 4 d_model in the paper and in BERT


class Row(NamedTuple):
    """One hyperparameter: what it is, its name in the paper or in the configuration, and its value here."""

    what: str
    name: str
    value: str


def hyperparameters(config: EncoderConfig) -> list[Row]:
    """What decides a model's shape, in the paper's order.

    The table of positions is a buffer where it is computed: it is no parameter and no training changes it.
    """
    later = config.distance_parts or config.position_bias
    table = {
        "sinusoidal": "computed, not learned: no parameter",
        "learned": "learned",
        "none": "none added: scores know distances" if later else "none",
        "alibi": "scores fall with the distance: no parameter",
        "rotary": "queries and keys turned: no parameter",
    }
    return [
        Row("layers", "N", str(config.n_layers)),
        Row("width of the stream", "d_model", f"{config.d_model:,}"),
        Row("width of the feed-forward", "d_ff", f"{config.d_ff:,} = {config.d_ff / config.d_model:.3g} d_model"),
        Row("heads", "h", str(config.n_heads)),
        Row("width of a head", "d_k = d_v", f"{config.d_head} = {config.d_model} / {config.n_heads}"),
        Row("words it knows", "vocabulary", f"{config.vocab_size:,}"),
        Row("longest input", "max_positions", f"{config.max_positions:,} tokens"),
        Row("positions", "positions", table[config.positions]),
        Row("activation", "activation", ACTIVATIONS[config.activation].title),
        Row("place of the norm", "norm", "before each sublayer" if config.norm_first else "after each sum"),
        Row("dropout", "P_drop", "0 in every run here; it belongs to training"),
    ]


class Depth(NamedTuple):
    """What a model of this width would hold with so many layers and d_ff = 4 d_model."""

    layers: int
    d_ff: int
    block: int
    parameters: int


def depths(config: EncoderConfig, layers: Sequence[int] = DEPTHS) -> list[Depth]:
    """The parameters of other depths of a model, by formula; nothing is built."""
    rows = []
    for n in layers:
        parameters_of, none = (
            size(replace(config, n_layers=k, d_ff=WIDER * config.d_model, shared_layers=False)).parameters
            for k in (n, 2 * n)
        )
        rows.append(Depth(n, WIDER * config.d_model, (none - parameters_of) // n, parameters_of))
    return rows
