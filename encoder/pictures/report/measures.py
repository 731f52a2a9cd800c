"""The measures of every head in a report, as one table."""

import html

from encoder.metrics import HEAD_MEASURES, attention_weights
from encoder.support.formatting import short
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens


def measures(trace: Trace) -> str:
    """Every one of HEAD_MEASURES, a row for each head of each layer, from the weights of this run."""
    config, words = trace.config, tokens(trace)
    heads = [f"L{i} H{h}" for i in range(config.n_layers) for h in range(config.n_heads)]
    weights = attention_weights(trace).flatten(0, 1)  # [n_layers * H, n, n]
    values = [measure.of(weights, words).tolist() for measure in HEAD_MEASURES.values()]
    rows = "".join(
        f"<tr><th>{head}</th>{''.join(f'<td>{short(value)}</td>' for value in row)}</tr>"
        for head, row in zip(heads, zip(*values, strict=True), strict=True)
    )
    titles = "".join(f"<th>{html.escape(measure.title)}</th>" for measure in HEAD_MEASURES.values())
    meanings = " ".join(f"{measure.title}: {measure.meaning}" for measure in HEAD_MEASURES.values())
    return (
        f"<details><summary>Measures of every head</summary><p class='quiet'>{html.escape(meanings)}</p>"
        f"<table><tr><th></th>{titles}</tr>{rows}</table></details>"
    )
