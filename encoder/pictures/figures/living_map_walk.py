"""One word's way through the living map in sentences, a sentence for each column, in the numbers of this run."""

import math

from encoder.metrics import SUBLAYERS, sublayer_lengths
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent, shown
from encoder.trace.trace import Trace


def walk(trace: Trace, position: int, guesses: list[list[tuple[str, float]]] | None = None) -> list[str]:
    """What happens to the token at a position: embedding, position, each layer, output.

    `guesses` are the likeliest words at each position, with their probabilities.

    Returns:
        n_layers + 3 sentences.

    Raises:
        EncoderError: no such position.
    """
    if not 0 <= position < len(trace.tokens):
        raise EncoderError(
            f"position {position} is outside the sentence; positions go from 0 to {len(trace.tokens) - 1}"
        )
    name = f"“{shown(trace.tokens[position])}”"
    place = size(trace, "embedding.positions", position)
    said = [
        f"{name} is token {trace.ids[position]}: {trace['embedding.scaled'].shape[-1]} numbers stand for it, a vector "
        f"of length {size(trace, 'embedding.scaled', position)}.",
        f"It stands at position {position}, whose own vector, of length {place}, is added."
        if float(trace["embedding.positions"].abs().max())
        else f"It stands at position {position}; no vector is added for that.",
    ]
    said += [in_layer(trace, layer, position) for layer in range(trace.config.n_layers)]
    first = guesses[position][0] if guesses and guesses[position] else None
    if first is not None and math.isfinite(first[1]):
        return [*said, f"The model's first guess for this place is “{shown(first[0])}”, with {percent(first[1], 1)}."]
    return [*said, f"The output is a vector of length {size(trace, 'output', position)}."]


def in_layer(trace: Trace, layer: int, position: int) -> str:
    """What attention and feed-forward do to a token in a layer: where it looks most, and what each adds."""
    name = f"“{shown(trace.tokens[position])}”"
    row = trace[f"layers.{layer}.attention.weights"][:, position]
    lengths = (sublayer_lengths(trace, layer, part) for part in SUBLAYERS)
    added = [float(of["added"][position]) / max(float(of["residual"][position]), 1e-30) for of in lengths]
    if not (bool(row.isfinite().all()) and all(map(math.isfinite, added))):
        return f"Layer {layer}: the numbers of {name} are not finite here."
    head, key = divmod(int(row.argmax()), row.shape[1])
    looks = "itself" if key == position else f"“{shown(trace.tokens[key])}” ({key})"
    return (
        f"Layer {layer}: {name} looks most at {looks}, {percent(float(row[head, key]), 1)} in head {head}. Attention "
        f"adds {brief(added[0])} times the length of what stood there, feed-forward {brief(added[1])} times."
    )


def size(trace: Trace, step: str, position: int) -> str:
    """How long a token's vector is after a step."""
    return brief(float(trace[step][position].norm()))
