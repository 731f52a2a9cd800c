"""Level 11 of a packet: the weights of the units that do most for a token, and in which sentences one of them fires."""

import re
from collections.abc import Sequence

from encoder.atlas.atlas_folders import shelf
from encoder.atlas.atlas_reader import Firing
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.block import Block
from encoder.packet.block_level import by_row, lead_of_units
from encoder.packet.format import Stored, exact, pack
from encoder.packet.run import gaps_of
from encoder.support.errors import EncoderError, integer
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace

STEP = re.compile(r"layers\.(\d+)\.feed_forward\.hidden")
STRONGEST = 4  # units of a token, beside the one that is asked about
COUNTS = 0.05  # of a score: a unit that adds less is not told of first
CONTEXTS = 3  # of the unit that is asked about
AROUND = 60  # characters of a sentence on each side of the word


def level_11(encoder: TextEncoder, trace: Trace, step: str, index: Sequence[int]) -> bytes:
    """Return what goes into a unit and what it writes, with those that do most for the token, and contexts of it.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        step: a layer's "feed_forward.hidden".
        index: the position of a token and a unit.

    Raises:
        EncoderError: a trace of another model, another step, or an index that leaves it.
    """
    encoder.check_own(trace)
    config, layer = trace.config, STEP.fullmatch(step)
    if layer is None or step not in trace or len(index) != 2:
        raise EncoderError("a unit is one of layers.N.feed_forward.hidden, at one position")
    position = integer("position", index[0], 0, len(trace.tokens) - 1)
    unit = integer("unit", index[1], 0, config.d_ff - 1)
    block = encoder.model.layers[int(layer[1])]
    assert isinstance(block, Block)
    feed_forward = block.feed_forward
    first = best(trace, int(layer[1]), position)
    units = first if unit in first else [*first, unit]
    arrays: dict[str, Stored] = {}
    for name, part in {"hidden": feed_forward.w_1, "up": feed_forward.w_up}.items():
        if part is not None:
            arrays |= by_row(f"into_{name}", part.weight.detach()[units].numpy())
            if config.feed_forward_bias == "both":
                arrays[f"bias_{name}"] = exact(part.bias.detach()[units].numpy())
    arrays |= by_row("out", feed_forward.w_2.weight.detach()[:, units].T.numpy())
    about = {"step": step, "index": [position, unit], "units": units}
    return pack(11, about | {"contexts": contexts(encoder, int(layer[1]), unit)}, arrays)


def strongest_at_gap(encoder: TextEncoder, trace: Trace, layer: int) -> bytes:
    """Return level 11 of the unit that a page opens on: see `opens_on`, at the first gap, or the first token.

    Raises:
        EncoderError: a trace of another model, or there is no such layer.
    """
    gaps = gaps_of(encoder, trace)
    step = f"layers.{integer('layer', layer, 0, trace.config.n_layers - 1)}.feed_forward.hidden"
    return level_11(encoder, trace, step, (next(iter(gaps), 0), opens_on(encoder, trace, layer, gaps)))


def opens_on(encoder: TextEncoder, trace: Trace, layer: int, gaps: Sequence[int]) -> int:
    """Return the unit that adds most to the guess at the first gap, or where none adds COUNTS the strongest one."""
    lead = lead_of_units(encoder, trace, layer, gaps[0]) if gaps and not trace.config.gated else None
    if lead and float(lead[1].adds.max()) >= COUNTS:
        return int(lead[1].adds.argmax())
    return best(trace, layer, next(iter(gaps), 0))[0]


def best(trace: Trace, layer: int, position: int) -> list[int]:
    """Return the units of a layer that do most for a token, the strongest first; behind a gate of either sign."""
    gated = trace.config.gated
    value = trace[f"layers.{layer}.feed_forward.{'gated' if gated else 'activation'}"][position]
    order: list[int] = (value.abs() if gated else value).nan_to_num(-1).argsort(descending=True, stable=True).tolist()
    return order[:STRONGEST]


def contexts(encoder: TextEncoder, layer: int, unit: int) -> list[list[str]]:
    """Where a unit fires most in the corpus of the model's first atlas: sentences, each before, at and after the word.

    Returns:
        the strongest first, no sentence twice; [] where there is no atlas, or the unit never fires in it.
    """
    atlas = next(iter(shelf(encoder.source).atlases), None)
    if atlas is None:
        return []
    try:
        firings = sorted(atlas.unit_firings(layer, unit, "top"), key=lambda firing: firing.value)
        first = list({firing.sentence: firing for firing in firings}.values())
        first = sorted(first, key=lambda firing: -firing.value)[:CONTEXTS]
        texts = atlas.texts(sorted(firing.sentence for firing in first))
        return [around(encoder, texts[firing.sentence], firing) for firing in first]
    except (EncoderError, ModuleNotFoundError):  # it is damaged, or the extra that reads it is not there
        return []


def around(encoder: TextEncoder, text: Text, firing: Firing) -> list[str]:
    """Return what stands before the word of a firing, it, and what follows; of a long sentence what is near it."""
    tokens = encoder.tokenize(text)
    word, sentence = tokens.word_of(firing.position), tokens.sentence(firing.position)
    start, end = tokens.spans[word[0]][0], tokens.spans[word[-1]][1]
    before, after = sentence[:start], sentence[end:]
    return [
        before if len(before) <= AROUND else f"… {before[-AROUND:].partition(' ')[2]}",
        sentence[start:end],
        after if len(after) <= AROUND else f"{after[:AROUND].rpartition(' ')[0]} …",
    ]
