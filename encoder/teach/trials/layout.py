"""Trials of how a model is laid out: its hyperparameters, shapes, what it shares, and what a notebook prints of it."""

from typing import Any

import torch
from torch import Tensor, nn

from encoder.checkpoint.build import on_meta
from encoder.checkpoint.hugging_face import read_fields
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments import bare, one_matrix
from encoder.explain.cost import DEPTHS, depths
from encoder.explain.whole import Layer
from encoder.model.config import PRESETS
from encoder.support.formatting import agreement, brief, listed, shown
from encoder.teach.trials.experiment import a_list, a_number, a_text, experiment
from encoder.teach.trials.finding import Bars, Finding, array, judge, untried
from encoder.teach.trials.order import NO_TABLE, TABLES
from encoder.teach.trials.sizes import by

FIELDS = {
    "layers": "n_layers",
    "d_model": "d_model",
    "heads": "n_heads",
    "d_head": "d_head",
    "d_ff": "d_ff",
    "vocabulary": "vocab_size",
    "longest input": "max_positions",
}
ROUNDING = 1e-5  # of the size of the numbers
BASE = {
    "hidden_size": 768,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
}
FAMILIES: dict[str, tuple[dict[str, Any], float]] = {  # what a config.json says, and the parameters that are published
    "BERT": (BASE | {"model_type": "bert", "vocab_size": 30_522}, 110e6),  # Devlin et al. 2019, section 3
    "RoBERTa": (
        BASE
        | {
            "model_type": "roberta",
            "vocab_size": 50_265,
            "max_position_embeddings": 514,
            "pad_token_id": 1,
            "type_vocab_size": 1,
        },
        125e6,
    ),  # Liu et al. 2019, section 4
    "ALBERT": (BASE | {"model_type": "albert", "vocab_size": 30_000, "embedding_size": 128}, 12e6),  # Lan et al. 2020
}
PUBLISHED = 0.1  # how far a rounded number may be off, which counts small parts such as a pooler
# What it prints of its last output: the first ten and the last ten of 512 columns, for three tokens.
ROWS = (
    "0.409755 1.064533 -1.274363 0.566124 -0.661616 0.5635 -1.181764 1.042684 -0.721654 0.103133 "
    "-1.375124 0.153936 0.144869 2.30202 0.333517 0.193574 -0.723363 1.025196 -1.732543 1.695154",
    "0.330104 -0.678932 -0.859399 0.669225 -1.5919 0.689216 1.4144 0.71971 -0.572838 -0.56685 "
    "-0.92285 0.712886 -1.397764 1.79999 -1.423614 -0.714672 0.450547 0.620331 -1.431469 0.726397",
    "0.344423 -0.937808 -0.232735 -0.530076 -0.609216 -0.165748 0.861662 0.72198 -0.208119 -0.853094 "
    "-0.432759 0.786077 -0.697392 2.608974 -1.162237 -0.848736 0.440565 0.761107 -0.887701 0.315352",
)
PRINTED = torch.tensor([[float(number) for number in row.split()] for row in ROWS], dtype=torch.float64)
TOKENS = ("I", "understand", "this")
SHORT = "The cat sleeps."
DRAWN, WINDOWS = 200, 5  # inputs, and choices of twenty columns in which each is seen
RARE = 0.05  # the chance that one of six values lies outside though it was drawn as ours are
CONSTRUCTED = 1e-2  # how far the last norm leaves a row's mean from 0 and its deviation from 1


@experiment(seconds=0.0, field=a_text(choices=FIELDS))
def setting_is(encoder: TextEncoder, field: str, value: int) -> Finding:
    """One hyperparameter of this model is what is claimed."""
    here = int(getattr(encoder.config, FIELDS[field]))
    return Finding(float(here), field, f"{field}: {here:,} in this model; {value:,} is claimed.", judge(here == value))


@experiment(expected=a_list(a_number(1, 8192), 2))
def bare_is(encoder: TextEncoder, sentence: str, expected: list[int]) -> Finding:
    """Without the tokens that the tokenizer adds, a sentence comes out in the shape that is claimed."""
    result = bare(encoder, sentence)
    here = list(result.alone.shape)
    text = (
        f"Without {listed(list(result.added))} “{shown(sentence, 60)}” comes out as {by(here)}; {by(expected)} is "
        f"claimed. Its vectors have a mean cosine of {brief(float(result.alike.mean()))} with those beside "
        f"{listed(list(result.added))}."
    )
    judgement = judge(here == expected, f"as many vectors, each of {here[1]} numbers" if here[0] == expected[0] else "")
    return Finding(float(here[0]), "vectors that come out", text, judgement)


def heads_are_one_matrix(encoder: TextEncoder, sentence: str) -> Finding:
    """One matrix of d_model x d_model, cut in pieces, is a matrix of d_model x d_head for each head."""
    result = one_matrix(encoder.trace(sentence), 0)
    apart = max(float(matrix.apart.max()) for matrix in result)
    size = max(matrix.size for matrix in result)
    text = (
        f"Layer 0 makes its queries, keys and values with a matrix of {by(list(result[0].whole))} each. Made anew with "
        f"{encoder.config.n_heads} matrices of {by(list(result[0].cut))} they agree {agreement(apart, size)}."
    )
    return Finding(apart, "largest difference between both ways", text, judge(apart < ROUNDING * max(size, 1)))


def own_parameters(encoder: TextEncoder) -> Finding:
    """Every block has parameters of its own."""
    count = encoder.config.n_layers
    weights = encoder.model.state_dict()
    firsts = [weights[f"layers.{i}.attention.w_q.weight"] for i in range(count)]
    own = len({weight.data_ptr() for weight in firsts})
    unlike = sum(not torch.equal(firsts[0], other) for other in firsts[1:])
    text = f"{count} blocks have {own} sets of parameters; {unlike} have another W_Q than block 0."
    return Finding(float(own), "sets of parameters", text, judge(own == count and unlike == count - 1))


def positions_once(encoder: TextEncoder) -> Finding:
    """Positions are added once, before the first block.

    A run without them must come out otherwise: what is read and changes nothing is not added.
    """
    if encoder.config.positions not in TABLES:
        return untried(NO_TABLE)
    readers = [step.name for step in encoder.steps if "embedding.positions" in step.inputs]
    inside = [name for name in readers if name.startswith("layers.")]
    sound, without = (
        encoder.trace(SHORT, edits=edits)["embedding.output"] for edits in ((), [Edit("embedding.positions", "zero")])
    )
    changed = float((sound - without).abs().max())
    text = (
        f"Of {len(encoder.steps)} steps {len(readers)} reads the positions: {listed(readers)}. Without them the "
        f"numbers that go into the first block change by up to {brief(changed)}."
    )
    once = changed > ROUNDING and len(readers) == 1
    several = "before the first block, in more than one step" if changed > ROUNDING and not inside else ""
    judgement = judge(once, several)
    return Finding(float(len(readers)), "steps that read the positions", text, judgement)


def positions_fixed(encoder: TextEncoder) -> Finding:
    """The table of positions is computed and no parameter: no training changes it."""
    if encoder.config.positions not in TABLES:
        return untried(NO_TABLE)
    learned = sum(p.numel() for name, p in encoder.model.named_parameters() if name.startswith("embedding.positions"))
    shape = by([encoder.config.max_positions, encoder.config.d_embedding])
    text = f"The table holds {shape} numbers; {learned:,} of them are parameters."
    return Finding(float(learned), "parameters in the table of positions", text, judge(learned == 0))


def positions_saved(encoder: TextEncoder) -> Finding:
    """The table of positions is a buffer: it is saved with the weights of the model, and no training changes it."""
    if encoder.config.positions not in TABLES:
        return untried(NO_TABLE)
    name = "embedding.positions.weight"
    saved, learned = name in encoder.model.state_dict(), name in dict(encoder.model.named_parameters())
    buffered = name in dict(encoder.model.named_buffers())
    how = "a buffer" if buffered else "a parameter"
    text = (
        f"The table is {how}; {'it is' if saved else 'it is not'} among the {len(encoder.model.state_dict())} tensors "
        f"that are saved{'.' if saved else ', as it is made anew by its formula whenever the model is opened.'}"
    )
    judgement = judge(saved and not learned, "no training changes it, and it is not saved" if buffered else "")
    return Finding(float(saved), "tables of positions that are saved", text, judgement)


def sums_need_one_width(encoder: TextEncoder, sentence: str, width: int = 512) -> Finding:
    """What is added in a residual sum is of one width, that of the model, and nothing of another width can be added."""
    trace = encoder.trace(sentence)
    sums = [step for step in encoder.steps if step.name.endswith(("add_norm_1.sum", "add_norm_2.sum"))]
    widths = {trace[name].shape[-1] for step in sums for name in (step.name, *step.inputs)}
    stream = trace[sums[0].name]
    added = [other for other in range(1, 2 * stream.shape[-1] + 1) if can_add(stream, other)]
    text = (
        f"In {len(sums)} sums all that is added is {listed([str(width) for width in sorted(widths)])} wide; {width} is "
        f"claimed. Of the widths 1 to {2 * stream.shape[-1]:,} PyTorch adds {listed([str(one) for one in added])} to "
        f"it and refuses all others; one single column it would repeat."
    )
    judgement = judge(
        widths == {width} and set(added) <= {1, width},
        f"of width {listed([str(width) for width in sorted(widths)])}" if len(widths) == 1 else "",
    )
    return Finding(float(len(added)), "widths that can be added", text, judgement)


def can_add(stream: Tensor, width: int) -> bool:
    """Whether PyTorch adds vectors of another width to a stream."""
    try:
        return (stream + stream.new_zeros(len(stream), width)).shape == stream.shape
    except RuntimeError:
        return False


def published_depth(encoder: TextEncoder, preset: str, layers: int) -> Finding:
    """A published shape has so many blocks; and what they would hold in this model's width."""
    published = on_meta(PRESETS[preset])
    count, (here,) = len(published.layers), depths(encoder.config, (layers,))
    each = sum(p.numel() for p in published.layers[0].parameters())
    text = (
        f"The shape “{preset}” has {count} blocks of {each:,} parameters each; {layers} are claimed. With {layers} "
        f"blocks and d_ff = 4 d_model a model as wide as this one would hold {here.parameters:,} parameters."
    )
    every = [result.parameters for result in depths(encoder.config)]
    bars = Bars({"parameters": array(every)}, [f"N = {n}" for n in DEPTHS], "parameters")
    return Finding(float(count), f"blocks of {preset}", text, judge(count == layers), bars)


def families_open(encoder: TextEncoder) -> Finding:
    """BERT, RoBERTa and ALBERT are such encoders: their base shapes, built of these blocks, have the published size."""
    counts = {}
    for name, (raw, _) in FAMILIES.items():
        counts[name] = sum(p.numel() for p in on_meta(read_fields(raw, mlm_head=False)).parameters())
    off = {name: abs(count / FAMILIES[name][1] - 1) for name, count in counts.items()}
    each = [f"{name} {count:,} ({FAMILIES[name][1] / 1e6:g} million)" for name, count in counts.items()]
    text = (
        f"Built of this app's blocks, the base shapes hold, with what is published in brackets: {listed(each)}. Their "
        "weights are not bundled; Your model opens a folder that holds them."
    )
    return Finding(
        max(off.values()), "largest distance from what is published", text, judge(max(off.values()) < PUBLISHED)
    )


def seen(rows: Tensor) -> Tensor:
    """Deviation of each row and cosine of each pair of rows: [.., 3, columns] -> [.., 6]."""
    units = rows / rows.norm(dim=-1, keepdim=True)
    cosines = [(units[..., a, :] * units[..., b, :]).sum(-1) for a, b in ((0, 1), (0, 2), (1, 2))]
    return torch.stack([*rows.std(-1, correction=0).unbind(-1), *cosines], -1)


def through(encoder: TextEncoder, x: Tensor) -> Tensor:
    """What comes out of as many blocks as this model has, with PyTorch's own random weights: [.., n, d_model]."""
    config = encoder.config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for _ in range(config.n_layers):
            x = Layer(config.d_model, config.n_heads, config.d_ff, nn.LayerNorm, p=0.0)(x)
    return x


@experiment(seconds=1.5)
@torch.inference_mode()
def notebook_prints(encoder: TextEncoder) -> Finding:
    """What the notebook prints is what such a stack gives, up to the numbers that were drawn.

    Random vectors with positions go through blocks of this model's shape whose weights are drawn as PyTorch draws them
    where nothing is said, as there. Whole rows have mean 0 and deviation 1 by construction; the spread of twenty
    columns and the cosines of rows are chance: those of the notebook must lie where nearly all of ours do, so that all
    six do in 95 of 100 notebooks.
    """
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(DRAWN, len(TOKENS), encoder.config.d_model, generator=draw)
    table = encoder.model.embedding.positions.weight
    x = x + (table[: len(TOKENS)] if table.shape[-1] == x.shape[-1] else 0)
    rows = through(encoder, x).double()
    mean, deviation = float(rows.mean(-1).abs().max()), rows.std(-1, correction=0)
    rows = rows.repeat(WINDOWS, 1, 1)
    columns = torch.stack([torch.randperm(rows.shape[-1], generator=draw)[: PRINTED.shape[1]] for _ in rows])
    ours, printed = seen(rows.gather(-1, columns[:, None].expand(-1, len(TOKENS), -1))), seen(PRINTED)
    tail = RARE / len(printed) / 2
    low, high = ours.quantile(torch.tensor([tail, 1 - tail], dtype=ours.dtype), 0)
    names = [f"spread of “{token}”" for token in TOKENS]
    names += [f"cosine of “{a}” and “{b}”" for a, b in (("I", "understand"), ("I", "this"), ("understand", "this"))]
    outside = [name for name, value, a, b in zip(names, printed, low, high, strict=True) if not a <= value <= b]
    each = [
        f"{name} {brief(float(value))} (here {brief(float(a))} to {brief(float(b))})"
        for name, value, a, b in zip(names, printed, low, high, strict=True)
    ]
    constructed = mean < CONSTRUCTED and float((deviation - 1).abs().max()) < CONSTRUCTED
    text = (
        f"By construction each whole row here has mean 0 and deviation 1, up to {brief(mean)} and "
        f"{brief(float((deviation - 1).abs().max()))}. By chance, over {DRAWN} inputs and twenty columns, nearly "
        f"all within the brackets: {listed(each)}. The printed numbers themselves come of a seed that is not told."
    )
    bars = Bars({"printed": array(printed), "mean here": array(ours.mean(0))}, names, "over twenty columns")
    judgement = judge(
        constructed and not outside, f"but for {listed(outside)}" if constructed and 0 < len(outside) < 3 else ""
    )
    return Finding(float(len(outside)), "of 6 printed values that lie outside", text, judgement, bars)
