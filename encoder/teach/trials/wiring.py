"""Trials of how the parts are put together: what goes into which part, in which shape, and what comes out."""

import torch
from torch import Tensor, nn

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit_text import text_to_edits
from encoder.experiments.compare import cosines, mean_between
from encoder.explain.whole import DeviationNorm, WholeEncoder
from encoder.metrics import attention_weights
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name, catalogue
from encoder.model.tap import NO_TAP, Replacer
from encoder.support.errors import EncoderError
from encoder.support.formatting import agreement, brief, listed, percent
from encoder.teach.trials.experiment import a_list, a_number, a_text, experiment
from encoder.teach.trials.finding import Finding, judge, untried
from encoder.teach.trials.head_trials import position_of
from encoder.teach.trials.sizes import by
from encoder.trace.unpadded import stream

ROUNDING = 1e-5  # of the size of the numbers
MOST_TOKENS = 4096  # in one batch
POSITION_WISE = ("feed-forward", "attention")


def apart(a: Tensor, b: Tensor) -> tuple[float, float]:
    """The largest difference of two tensors, and the size of their numbers, 1 or more."""
    return float((a - b).abs().max()), max(1.0, float(b.abs().max()))


def check_batch(rows: int, n: int) -> None:
    """Raise an EncoderError where so many sentences of so many tokens are too many to be run here."""
    if rows * n > MOST_TOKENS:
        raise EncoderError(f"a batch of {rows * n:,} tokens is too large here; it may have {MOST_TOKENS:,}")


@experiment(runs=8, expected=a_list(a_number(1, 1024), 4))
@torch.inference_mode()
def batch_is(encoder: TextEncoder, expected: list[int], step: str = "output") -> Finding:
    """A batch of random ids out of the whole vocabulary comes out in the shape that is claimed.

    The first number is of sentences, the last but one of tokens; `step` is what comes out.
    """
    rows, n = expected[0], expected[-2]
    check_batch(rows, n)
    if n > encoder.max_tokens:
        return untried(f"This model reads {encoder.max_tokens} tokens at most.")
    if step not in by_name(encoder.config):
        raise EncoderError(f"there is no step {step!r}")
    ids = torch.randint(encoder.config.vocab_size, (rows, n), generator=torch.Generator().manual_seed(0))
    seen: list[Tensor] = []

    def keep(x: Tensor) -> Tensor:
        seen.append(x)
        return x

    encoder.model(ids, tap=Replacer({step: keep}, NO_TAP))
    result = seen[0]
    text = (
        f"{rows * n} random ids of {encoder.config.vocab_size:,}, as {by([rows, n])}, come out as "
        f"{by(list(result.shape))}, with numbers from {brief(float(result.min()))} to {brief(float(result.max()))}; "
        f"{by(expected)} is claimed."
    )
    as_claimed = judge(list(result.shape) == expected and bool(result.isfinite().all()))
    return Finding(float(result.numel()), "numbers that come out", text, as_claimed)


@experiment(runs=40, expected=a_list(a_number(1, 1024), 3))
@torch.inference_mode()
def block_takes(encoder: TextEncoder, expected: list[int]) -> Finding:
    """A batch of random vectors goes through one block and comes out in the same shape."""
    rows, n, width = expected
    check_batch(rows, n)
    if encoder.config.d_model != width:
        return untried(f"The claim is of models with d_model {width}; this one has {encoder.config.d_model}.")
    x = torch.randn((rows, n, width), generator=torch.Generator().manual_seed(0))
    result = encoder.model.layers[0](x)
    text = (
        f"{rows * n:,} random vectors, {by(expected)}, go through the first block and come out as "
        f"{by(list(result.shape))}: their mean is {brief(float(result.mean()))} and their standard deviation "
        f"{brief(float(result.std()))}."
    )
    as_claimed = judge(list(result.shape) == expected and bool(result.isfinite().all()))
    return Finding(float(result.numel()), "numbers that come out", text, as_claimed)


def picks_row(encoder: TextEncoder, sentence: str, word: str, edits: str = "") -> Finding:
    """What the embedding gives for a token is the row of the table that its id names."""
    trace = encoder.trace(sentence, edits=text_to_edits(edits))
    at = position_of(trace, word)
    result, number = trace["embedding.tokens"][at], trace.ids[at]
    table = encoder.model.embedding.tokens.weight
    same = int((result == table[number]).sum())
    text = (
        f"Here “{trace.tokens[at]}” has id {number:,} of the {len(table):,} of this model's own vocabulary. The "
        f"vector that comes out agrees with row {number:,} of the table in {same} of {len(result)} numbers."
    )
    return Finding(float(same), "numbers that agree", text, judge(same == len(result)))


@experiment(runs=10, part=a_text(choices=POSITION_WISE))
@torch.inference_mode()
def each_alone(encoder: TextEncoder, sentence: str, part: str = "feed-forward") -> Finding:
    """A part gives each token the same when it gets that token alone as when it gets all of them.

    The other part of a block is measured beside it.
    """
    if encoder.config.distance_parts:
        return untried("The attention of this model needs the distances of all tokens.")
    trace, steps, largest = encoder.trace(sentence), by_name(encoder.config), dict.fromkeys(POSITION_WISE, 0.0)
    for i, layer in enumerate(encoder.model.layers):
        inputs = steps[f"layers.{i}.feed_forward.hidden"].inputs[0], f"layers.{i}.attention.input"
        for name, source in zip(POSITION_WISE, inputs, strict=True):
            module, x = layer.get_submodule(name.replace("-", "_")), trace[source]
            difference, size = apart(torch.cat([module(row[None, None])[0] for row in x]), module(x[None])[0])
            largest[name] = max(largest[name], difference / size)
    others = [f"{name} {brief(value)}" for name, value in largest.items()]
    text = (
        f"In {encoder.config.n_layers} layers each of {len(trace.tokens)} tokens was given alone, and then all of them "
        f"together. The largest difference, as a share of the largest number: {listed(others)}."
    )
    return Finding(largest[part], f"difference of {part}, alone and together", text, judge(largest[part] < ROUNDING))


def blocks_chain(encoder: TextEncoder, sentence: str, edits: str = "") -> Finding:
    """The first block gets embedding and positions, each other block what the one before it gives."""
    trace, count = encoder.trace(sentence, edits=text_to_edits(edits)), encoder.config.n_layers
    given = ["embedding.output", *(f"layers.{i}.output" for i in range(count - 1))]
    taken = [trace[f"layers.{i}.add_norm_1.residual"] for i in range(count)]
    same = sum(torch.equal(trace[name], x) for name, x in zip(given, taken, strict=True))
    tables = [trace[step] for step in ("embedding.scaled", "embedding.positions") if step in trace]
    first, size = apart(sum(tables, torch.zeros(())), trace["embedding.output"])
    text = (
        f"{same} of {count} blocks get the very numbers that came out before them. What the first one gets is "
        f"embedding plus positions, {agreement(first, size)}."
    )
    chained = judge(same == count and first < ROUNDING * size)
    return Finding(float(same), "blocks that get what came before", text, chained)


def last_norm_changes(encoder: TextEncoder, sentence: str) -> Finding:
    """After the last block there is one more norm, and it changes what comes out."""
    if not encoder.config.final_norm:
        text = "This model has no norm after its last block."
        return Finding(0.0, "largest change by the last norm", text, judge(False))
    trace = encoder.trace(sentence)
    changed, size = apart(trace[f"layers.{encoder.config.n_layers - 1}.output"], trace["output"])
    text = (
        f"There is one. It changes what the last block gives by up to {brief(changed)}, where the numbers reach "
        f"{brief(size)}."
    )
    idle = "it is there, and behind a block that ends with a norm it changes nothing"
    return Finding(changed, "largest change by the last norm", text, judge(changed > ROUNDING * size, idle))


@experiment(seconds=0.0)
def heads_divide(encoder: TextEncoder, heads: int) -> Finding:
    """A model with this number of heads is refused, as they do not divide its width."""
    width = encoder.config.d_model
    try:
        EncoderConfig(d_model=width, n_heads=heads)
    except EncoderError as error:
        text = f"{width} / {heads} is {brief(width / heads)}: {error}."
        return Finding(width / heads, "width of a head", text, judge(width % heads > 0))
    text = f"{width} / {heads} is {width / heads:g}: such a model can be built."
    return Finding(width / heads, "width of a head", text, judge(False))


def later_hidden(encoder: TextEncoder, sentence: str, edits: str = "") -> Finding:
    """With this mask no token looks at a later one."""
    weights = attention_weights(encoder.trace(sentence, edits=text_to_edits(edits)))
    later = weights.triu(1)
    share = float(later.sum(-1).mean())
    text = (
        f"The largest weight on a later token is {brief(float(later.max()))}; all later tokens together get "
        f"{percent(share)} of the weight. Every row still sums to {float(weights.sum(-1).mean()):.6g}."
    )
    return Finding(float(later.max()), "largest weight on a later token", text, judge(float(later.max()) == 0))


@experiment(part=a_text(choices=("whole", "block")))
@torch.inference_mode()
def own_class(encoder: TextEncoder, sentence: str, part: str = "whole") -> Finding:
    """The class of a tutorial, given this model's weights, computes what this model does.

    The class is `encoder.explain.whole`, which stands on the page of the stack under Show me the code.
    """
    config = encoder.config
    if not classic(config):
        return untried("The class is built as in 2017: post-norm, sines and cosines, ReLU, biases everywhere.")

    def norm(width: int) -> nn.Module:
        return (DeviationNorm if config.norm == "std_norm" else nn.LayerNorm)(width, config.norm_eps)

    whole = WholeEncoder(
        config.vocab_size,
        config.d_model,
        config.n_heads,
        config.n_layers,
        config.d_ff,
        config.max_positions,
        norm,
        config.final_norm,
    ).eval()
    names = ("embedding.", "attention.", "feed_forward.")
    weights = {name: w for name, w in encoder.model.named_parameters() if not name.startswith("mlm_head.")}
    whole.load_state_dict({strip(name, names): weight for name, weight in weights.items()})
    trace = encoder.trace(sentence)
    if part == "whole":
        ours, theirs = trace["output"], whole(torch.tensor([trace.ids]))[0]
    else:
        ours, theirs = trace["layers.0.output"], whole.layers[0](trace["embedding.output"][None])[0]
    difference, size = apart(theirs, ours)
    lines = "its first block" if part == "block" else f"all {config.n_layers} layers"
    text = f"With this model's weights the class and {lines} here agree {agreement(difference, size)}."
    return Finding(difference, "largest difference", text, judge(difference < 10 * ROUNDING * size))


def classic(config: EncoderConfig) -> bool:
    """Whether the embedding and every layer of a model compute what the paper's do; its norm may be a tutorial's."""
    paper = EncoderConfig(n_layers=config.n_layers, norm=config.norm)
    ours, theirs = (
        [(step.name, step.operation) for step in catalogue(shape) if step.layer is not None or step.part == "embedding"]
        for shape in (config, paper)
    )
    return config.norm in ("layer_norm", "std_norm") and ours == theirs and not config.shared_layers


def strip(name: str, parts: tuple[str, ...]) -> str:
    """A parameter's name without the parts that it stands in."""
    for part in parts:
        name = name.replace(part, "")
    return name


def layers_refine(encoder: TextEncoder, word: str, sentences: list[str]) -> Finding:
    """With every layer a word's vectors in several sentences grow less alike: each layer takes in more of the rest."""
    if len(sentences) < 2:
        raise EncoderError(f"{len(sentences)} sentences; it takes 2 or more to compare")
    alike = mean_between(cosines([stream(run)[:, position_of(run, word)] for run in map(encoder.trace, sentences)]))
    less = int((alike[1:] < alike[:-1]).sum())
    text = (
        f"The mean cosine of “{word}” in {len(sentences)} sentences is {brief(float(alike[0]))} at the input and "
        f"{listed([brief(float(one)) for one in alike[1:]])} after each layer: less alike after {less} of "
        f"{len(alike) - 1} layers."
    )
    condition = f"after {less} of {len(alike) - 1} layers" if alike[-1] < alike[0] else ""
    holds = judge(less == len(alike) - 1, condition)
    return Finding(float(alike[0] - alike[-1]), "how much the mean cosine falls", text, holds)
