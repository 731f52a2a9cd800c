"""Which packets of runs a living file holds: those that it opens with, as many others as it has room for, and steps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from encoder.browser.living import scripts_size, text
from encoder.browser.page_table import PAGES
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.packet.levels import MORE
from encoder.packet.run import level_1
from encoder.packet.step_numbers import level_8
from encoder.packet.sum_level import sum_at, sum_places
from encoder.support.errors import EncoderError
from encoder.support.formatting import megabytes
from encoder.support.progress import progress
from encoder.trace.trace import Trace

MOST = 2_000_000  # characters of a file
LARGEST = 60_000_000  # bytes; a browser that opens more is slow
PACKED = 1.4  # characters of a file for each byte of numbers
ROOM = 10_000  # of them for what stands around the scripts and the packets
WEIGHTS = 500_000  # bytes of a run's weights; of a long run they are those of a few rows
TRIED = 2e10  # heads times layers times tokens times the square of d_model up to which each head is tried without
OF_RUN = (5, 10, 4, 7, 6)  # levels of a whole run, in the order of what they give for their bytes
OF_LAYERS = (2, 3, 11)
TRYING = 7  # the level that runs the model again and again
SUMS = 10  # the level of one place: what is guessed there as a sum

Run = tuple[TextEncoder, Trace]
Level = Callable[[TextEncoder, Trace, int], bytes]
LEVELS: dict[int, Level] = MORE | {SUMS: lambda encoder, trace, at: sum_at(encoder, trace, at, parts=quick(trace))}


def held(
    runs: Sequence[Run],
    *,
    page: str = "start",
    layer: int = 0,
    most: int | None = MOST,
    levels: Mapping[int, Level] = MappingProxyType({}),
    numbers: Sequence[int] | None = (),
) -> list[list[bytes]]:
    """Return the packets of each run: level 1 of all, then what its page needs, then what else there is room for.

    Args:
        runs: models with runs of theirs.
        page: the key of the page that is opened first.
        layer: the one that is shown first; those beside it come before those far away.
        most: characters of the file; None for all packets, whatever they take.
        levels: what makes packets of some levels otherwise.
        numbers: the layers of `numbers_of_steps`, whose packets come last and take no room from the others.

    Raises:
        EncoderError: a run is of another model, or as `numbers_of_steps`.
    """
    steps = [numbers_of_steps(*run, numbers) for run in runs]
    every_level = LEVELS | dict(levels)
    every_run = [[first(encoder, trace)] for encoder, trace in runs]
    room = None if most is None else most - ROOM - scripts_size() - sum(len(text(packet)) for (packet,) in every_run)
    for (encoder, trace), packets in zip(runs, every_run, strict=True):
        for level, at in wishes(encoder, trace, page, layer):
            packet = every_level[level](encoder, trace, at)
            if room is not None:
                size = len(text(packet))
                if size > room:
                    continue
                room -= size
            packets.append(packet)
    return [[*packets, *more] for packets, more in zip(every_run, steps, strict=True)]


def first(encoder: TextEncoder, trace: Trace) -> bytes:
    """Return level 1 of a run, with the guess without each head where that does not take long."""
    return level_1(encoder, trace, off=quick(trace), most_bytes=WEIGHTS)


def numbers_of_steps(encoder: TextEncoder, trace: Trace, layers: Sequence[int] | None) -> list[bytes]:
    """Return the numbers of every step of these layers, None for all, and of the steps that are of no layer.

    They are packets of level 8: of a step that has a matrix for each head, one for each. Of no layers there is none.

    Raises:
        EncoderError: the trace is of another model, which has no such layer, or they are more than LARGEST bytes.
    """
    encoder.check_own(trace)
    if layers is not None and not layers:
        return []
    if absent := [layer for layer in layers or () if not 0 <= layer < trace.config.n_layers]:
        last = trace.config.n_layers - 1
        raise EncoderError(f"there is no layer {absent[0]}; layers of {trace.source.name} go from 0 to {last}")
    steps = [step for step in map(trace.step, trace) if layers is None or step.layer in (None, *layers)]
    nbytes = int(PACKED * sum(4 * trace[step.name].numel() for step in steps if step.shape[-1] != "vocab"))
    if nbytes > LARGEST:
        raise EncoderError(
            f"the file would take {megabytes(nbytes)}, more than {megabytes(LARGEST)}; "
            "name fewer layers or a shorter sentence"
        )
    packets = []
    with progress("numbers", "steps") as hear:
        for done, step in enumerate(steps):
            hear(done, len(steps))
            heads = range(trace.config.n_heads) if "H" in step.shape else [0]
            packets += [level_8(encoder, trace, step.name, [head]) for head in heads]
        hear(len(steps), len(steps))
    return packets


def quick(trace: Trace) -> bool:
    """Return whether the model can be run again without each of its heads in a few seconds."""
    config = trace.config
    return config.n_layers**2 * config.n_heads * len(trace.tokens) * config.d_model**2 <= TRIED


def wishes(encoder: TextEncoder, trace: Trace, page: str, layer: int) -> Iterator[tuple[int, int]]:
    """Give the levels of a run beside level 1 with their layer or place, what is wanted most first; -1 for neither."""
    layers = sorted(range(trace.config.n_layers), key=lambda number: abs(number - layer))
    own = PAGES[page].level
    order = dict.fromkeys((own, *OF_RUN, *OF_LAYERS))
    order.pop(1, None)
    for level in order:
        if level in OF_LAYERS:
            yield from ((level, layer) for layer in layers)
        elif level == SUMS:
            yield from ((level, place) for place in sum_places(encoder, trace))
        elif level != TRYING or quick(trace):
            yield level, -1
