"""Which levels of packets there are beside the first, and what makes each."""

from collections.abc import Callable

from encoder.packet.embedding import level_4
from encoder.packet.run import level_2
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

MORE: dict[int, Callable[[TextEncoder, Trace, int], bytes]] = {  # of a model, a run and a layer; -1 where none is meant
    2: lambda encoder, trace, layer: level_2(trace, layer),
    4: lambda encoder, trace, layer: level_4(encoder, trace),
}
