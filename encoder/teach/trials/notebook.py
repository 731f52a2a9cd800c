"""A trial of the numbers that a notebook prints, which were drawn with a seed that nobody knows."""

import torch
from torch import Tensor, nn

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.whole import Layer
from encoder.support.formatting import brief, listed
from encoder.teach.trials.experiment import experiment
from encoder.teach.trials.finding import Bars, Finding, array, judge

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
DRAWN, WINDOWS = 200, 5  # inputs, and choices of twenty columns in which each is seen
RARE = 0.05  # the chance that one of six values lies outside though it was drawn as ours are
CONSTRUCTED = 1e-2  # how far the last norm leaves a row's mean from 0 and its deviation from 1


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
