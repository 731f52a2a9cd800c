"""Which levels of packets there are beside the first, and what makes each."""

from collections.abc import Callable, Sequence

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.packet.after_layers import level_5
from encoder.packet.block_level import level_3
from encoder.packet.cost_level import level_12
from encoder.packet.embedding import level_4
from encoder.packet.heads_level import level_6
from encoder.packet.run import level_2
from encoder.packet.step_numbers import level_8, level_9
from encoder.packet.sum_level import level_10
from encoder.packet.unit_level import level_11, strongest_at_gap
from encoder.packet.what_if_level import level_7
from encoder.trace.trace import Trace

MORE: dict[int, Callable[[TextEncoder, Trace, int], bytes]] = {  # of a model, a run and a layer; -1 where none is meant
    2: lambda encoder, trace, layer: level_2(trace, layer),
    6: level_6,
    7: lambda encoder, trace, layer: level_7(encoder, trace),
    5: lambda encoder, trace, layer: level_5(encoder, trace),
    3: level_3,
    4: lambda encoder, trace, layer: level_4(encoder, trace),
    11: strongest_at_gap,
}
OF_STEP: dict[int, Callable[[TextEncoder, Trace, str, Sequence[int]], bytes]] = {  # of a step, and a place in it
    8: level_8,
    9: level_9,
    11: level_11,
}
OF_WORDS: dict[int, Callable[[TextEncoder, Trace, str, Sequence[int], Sequence[str]], bytes]] = {  # and of words there
    10: level_10,
    12: level_12,
}
