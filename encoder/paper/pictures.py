"""Pictures that move on the screen, as panels that stand still on paper."""

import numpy as np

from encoder.metrics.against import recorded
from encoder.metrics.softmax import Setting, recomputed
from encoder.paper.panel import Panel, heat_map, of_maps
from encoder.trace.trace import Trace

FRAMES = ("scores", "scaled", "masked", "weights")


def grid_of_head(
    title: str, caption: str, trace: Trace, layer: int, head: int, setting: Setting, pair: tuple[int, int] | None = None
) -> Panel:
    """One head's grid from scores to weights, a map for each step, recorded or as the setting has it.

    `pair` are the query and key that it is about.
    """
    at = f"layers.{layer}.attention."
    known = {name: trace[at + name][head].numpy() for name in FRAMES}
    values = known if setting.recorded else known | recomputed(trace, layer, head, setting)
    maps = [
        heat_map(
            values[name], trace.tokens, trace.tokens, "share" if name == "weights" else "signed",
            title=trace.step(at + name).title, blank=trace.config.mask_value, subject=pair,
        )
        for name in FRAMES
    ]  # fmt: skip
    return of_maps(title, caption, maps, 2)


def every_head(title: str, caption: str, trace: Trace, before: Trace | None = None) -> Panel:
    """The weights of every head, a layer in each row of maps; with another run, how much more they are than there."""
    config, maps = trace.config, []
    for layer in range(config.n_layers):
        weights = recorded(trace, f"layers.{layer}.attention.weights", before)
        largest = None if before is None else float(np.abs(weights).max(initial=0.0))
        maps += [
            heat_map(
                weights[head], trace.tokens, trace.tokens, "share" if before is None else "signed",
                title=f"L{layer} H{head}", largest=largest,
            )
            for head in range(config.n_heads)
        ]  # fmt: skip
    return of_maps(title, caption, maps, config.n_heads)
