"""What measures take from a run: its numbers without [PAD], and what is worked out once and kept with it.

Every measure starts from here, so that none counts padding.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from encoder.trace.trace import Trace

P = ParamSpec("P")
R = TypeVar("R")


def once(measure: Callable[Concatenate[Trace, P], R]) -> Callable[Concatenate[Trace, P], R]:
    """A measure of a run whose results are kept with it: for small results, whose other arguments can be hashed."""
    kept: WeakKeyDictionary[Trace, dict[object, R]] = WeakKeyDictionary()

    @wraps(measure)
    def known(trace: Trace, /, *args: P.args, **options: P.kwargs) -> R:
        results = kept.setdefault(trace, {})
        key = (args, tuple(sorted(options.items())))
        try:
            hash(key)
        except TypeError:
            return measure(trace, *args, **options)  # which refuses them
        if key not in results:
            results[key] = measure(trace, *args, **options)
        return results[key]

    return known


def tokens(trace: Trace) -> list[str]:
    """The tokens of the sentence, [PAD] left out; their number is the n of every measure."""
    return trace.tokens[: len(trace.tokens) - trace.padding]


def rows(trace: Trace, name: str) -> Tensor:
    """A recorded step with one row per token, [n, ...], [PAD] rows left out."""
    return trace[name][: len(tokens(trace))]


def attention_weights(trace: Trace, layer: int | None = None) -> Tensor:
    """Attention weights [H, n, n] of one layer, or of all of them [n_layers, H, n, n], [PAD] left out.

    Rows still sum to 1: a [PAD] key never gets any weight.
    """
    if layer is None:
        return torch.stack([attention_weights(trace, i) for i in range(trace.config.n_layers)])
    n = len(tokens(trace))
    return trace[f"layers.{layer}.attention.weights"][:, :n, :n]


def stream(trace: Trace) -> Tensor:
    """Every token's vector before the first layer and after each one: [n_layers + 1, n, d_model], [PAD] left out."""
    outputs = [rows(trace, f"layers.{i}.output") for i in range(trace.config.n_layers)]
    return torch.stack([rows(trace, "embedding.output"), *outputs])


@once
def first_lost(trace: Trace) -> str | None:
    """The first step, in the order of computation, that holds a number which is none: NaN, or infinity outside a mask.

    Returns:
        its name, or None where everything that the run ends in is finite. A run whose numbers outgrow float32, or a
        row whose keys are all hidden, ends in such numbers.
    """
    ends = [trace["output"]] + ([trace["mlm.probabilities"][:, 0]] if "mlm.probabilities" in trace else [])
    if all(bool(end.isfinite().all()) for end in ends):
        return None
    masked = {"attention.masked"}
    return next((name for name in trace if lost(trace[name], trace.step(name).local in masked)), None)


def lost(values: Tensor, masked: bool) -> bool:
    """Whether some value is NaN, or infinite where that is no hidden score."""
    return bool(values.isnan().any()) or (not masked and bool(values.isinf().any()))
