"""What a layer does beside attention, as a packet: both sums with their norms, and the units of feed-forward."""

from typing import Any

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.target import Target
from encoder.experiments.attributions.units import UnitSum, unit_sum
from encoder.metrics import SUBLAYERS, norm_parameters
from encoder.metrics.answer import SENTENCE, answers, name_of
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import EncoderConfig
from encoder.packet.format import Stored, Values, exact, pack, signed
from encoder.packet.rival import rival_of
from encoder.packet.run import gaps_of, window
from encoder.support.errors import EncoderError, integer
from encoder.trace.trace import Trace

MOST_BYTES = 2_000_000  # of vectors and units
MOST_ROWS = 256  # of tokens, whatever they take
MOST_GAPS = 4  # whose guess is shared out among units
MOST_READ = 32  # tokens whose units share out a label of the sentence
VECTORS = 5  # of each sum: what came in, what is added, the sum, normalized, scaled and shifted


def level_3(encoder: TextEncoder, trace: Trace, layer: int, *, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the two sums of a layer with their norms, and its feed-forward's units before and after the activation.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        layer: which layer.
        most_bytes: of vectors and units; of a longer run the rows around the first gap are kept, or the first ones.

    Raises:
        EncoderError: a trace of another model, or there is no such layer.
    """
    encoder.check_own(trace)
    config = trace.config
    layer = integer("layer", layer, 0, config.n_layers - 1)
    gaps = gaps_of(encoder, trace)
    rows = window(len(trace.tokens), next(iter(gaps), 0), rows_within(config, len(trace.tokens), most_bytes))
    sums, arrays = dict[str, Any](), dict[str, Stored]()
    for number, part in enumerate(SUBLAYERS, 1):
        sums[part], vectors = norm_of(encoder, trace, layer, part, rows)
        arrays |= {f"{name}_{number}": array for name, array in vectors.items()}
    activation = trace.array(f"layers.{layer}.feed_forward.activation")
    for name in ("hidden", "activation", "up", "gated"):
        if (step := f"layers.{layer}.feed_forward.{name}") in trace:
            arrays |= by_row(name, trace.array(step)[rows.start : rows.stop])
    arrays["firing"] = exact((activation > 0).sum(-1))
    kind = ACTIVATIONS[config.activation]
    units = {"activation": config.activation, "title": kind.title, "cuts": kind.cuts, "gated": config.gated}
    about = {"layer": layer, "rows": list(rows), "pre_norm": config.norm_first, "sums": sums, "units": units}
    about["final_norm"] = config.final_norm and layer == config.n_layers - 1
    leads, shared = added_by_units(encoder, trace, layer, gaps, rows)
    reads = len(how.read(trace, SENTENCE)) if (how := answers(config)).of_sentence else 1
    return pack(3, about | {"leads": leads, "reads": reads}, arrays | shared)


def added_by_units(
    encoder: TextEncoder, trace: Trace, layer: int, gaps: list[int], rows: range
) -> tuple[list[list[Any]], dict[str, Stored]]:
    """Return what each unit of a layer adds to the lead of the guess at each gap over its rival, see `rival_of`.

    Of a model with labels it is the lead of the likeliest label over the next, at each token that it is read from.

    Returns:
        `[token, guess, rival]` of each gap or token, and arrays for them; none without a guess that means something,
        and where an edit changes what feed-forward gave, so that its units' sum is not what goes on.
    """
    how = answers(encoder.config)
    places = how.read(trace, SENTENCE) if how.of_sentence else how.places(trace, gaps) if how.part else []
    tokens = [i for i in places if i in rows][: MOST_READ if how.labels else MOST_GAPS]
    each = [(i, lead) for i in tokens if (lead := lead_of_units(encoder, trace, layer, i))]
    if not each:
        return [], {}
    leads = [[i, *(name_of(encoder, answer) for answer in pair)] for i, (pair, _) in each]
    sums = [shared for _, (_, shared) in each]
    arrays = by_row("adds", np.stack([each.adds.numpy() for each in sums]).astype(np.float32))
    return leads, arrays | {"adds_total": exact(np.array([each.total for each in sums], np.float32))}


def lead_of_units(encoder: TextEncoder, trace: Trace, layer: int, i: int) -> tuple[tuple[int, int], UnitSum] | None:
    """Return an answer and its rival with what each unit of a token adds to the lead; None where none leads another."""
    edited = any(edit.step == f"layers.{layer}.feed_forward.output" for edit in trace.edits)
    how = answers(encoder.config)
    if how.count < 2 or not how.competing or trace.source.seed is not None or edited:
        return None
    at = SENTENCE if how.of_sentence else i
    first, second = how.scores(trace, at).topk(2).indices.tolist()
    pair = first, second if how.labels else rival_of(encoder, trace, i)
    try:
        return pair, unit_sum(encoder, trace, Target(at, *pair), layer, i)
    except EncoderError:  # its logit is no number
        return None


def norm_of(
    encoder: TextEncoder, trace: Trace, layer: int, part: str, rows: range
) -> tuple[dict[str, Any], dict[str, Stored]]:
    """Return what a header says of one sum and its norm, and their arrays."""
    at, config = f"layers.{layer}.{part}.", trace.config
    steps = {"residual": f"{at}residual", "added": f"layers.{layer}.{SUBLAYERS[part]}.output", "sum": f"{at}sum"}
    steps |= {"normalized": f"{at}normalized", "normed": f"{at}output"}
    whole = {name: trace.array(step) for name, step in steps.items() if step in trace}
    arrays = dict[str, Stored]()
    for name, values in whole.items():
        arrays |= by_row(name, values[rows.start : rows.stop])
        arrays |= {f"{name}_length": exact(lengths(values)), f"{name}_moments": exact(moments(values))}
    for name in ("mean", "variance", "mean_square"):
        if at + name in trace:
            arrays[name] = exact(trace.array(at + name))
    learned = norm_parameters(encoder, layer, part)
    arrays |= {name: exact(values.numpy()) for name, values in learned.items()}
    return {"kind": config.norm if "normalized" in whole else "none", "eps": config.norm_eps}, arrays


def by_row(name: str, values: Values) -> dict[str, Stored]:
    """Rows in 16 bits, each in shares of its own largest: some tokens are a hundred times as long as the others."""
    finite = np.where(np.isfinite(values), np.abs(values), 0)
    peaks = np.where(finite.max(-1) > 0, finite.max(-1), 1).astype(np.float32)
    return {name: signed(values / peaks[:, None]), f"{name}_peak": exact(peaks)}


def lengths(vectors: Values) -> Values:
    """Return the length of each row of [n, d]."""
    sizes: Values = np.sqrt(np.square(vectors.astype(np.float64)).sum(-1))
    return sizes


def moments(vectors: Values) -> Values:
    """Return mean and variance of each row of [n, d]: [n, 2]."""
    numbers = vectors.astype(np.float64)
    both: Values = np.stack((numbers.mean(-1), numbers.var(-1)), -1)
    return both


def bytes_of_a_row(config: EncoderConfig) -> int:
    """Return bytes of what is sent of one token: two sums of vectors, and its units."""
    return 2 * (2 * VECTORS * config.d_model + (4 if config.gated else 2) * config.d_ff)


def rows_within(config: EncoderConfig, n: int, most_bytes: int = MOST_BYTES) -> int:
    """Return how many rows of n tokens take `most_bytes` at most; one where none does."""
    return max(1, min(n, MOST_ROWS, integer("most_bytes", most_bytes, 1) // bytes_of_a_row(config)))
