"""What the encoder is checked against: torch's own modules, and every step re-derived alone in float64.

`REPLAY` maps each operation of the catalogue to a function of what the catalogue says the step needs, and of nothing
else. It returns the value and the size of the terms that were added up to make it: rounding is relative to those, not
to the value, which may have cancelled to almost nothing. A size of zero asks for equality to the last bit.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from encoder import EncoderConfig, TextEncoder, Trace
from encoder.model.encoder import Encoder
from encoder.model.steps.step import Step


def torch_twin(model: Encoder) -> nn.TransformerEncoder:
    """`torch.nn.TransformerEncoder` with copies of the model's weights, in evaluation mode and the model's dtype."""
    config = model.config
    dtype = model.embedding.tokens.weight.dtype
    layer = nn.TransformerEncoderLayer(
        config.d_model,
        config.n_heads,
        config.d_ff,
        dropout=0.0,
        activation=config.activation,
        layer_norm_eps=config.norm_eps,
        batch_first=True,
        norm_first=config.norm_first,
        dtype=dtype,
    )
    norm = nn.LayerNorm(config.d_model, config.norm_eps, dtype=dtype) if config.final_norm else None
    twin = nn.TransformerEncoder(layer, config.n_layers, norm, enable_nested_tensor=False)
    for theirs, ours in zip(twin.layers, model.layers, strict=True):
        copy_attention(ours.attention, theirs.self_attn)
        theirs.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
        theirs.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())
        theirs.norm1.load_state_dict(ours.norm1.state_dict())
        theirs.norm2.load_state_dict(ours.norm2.state_dict())
    if norm is not None:
        twin.norm.load_state_dict(model.final_norm.state_dict())
    return twin.eval().requires_grad_(False)


def copy_attention(ours: nn.Module, theirs: nn.MultiheadAttention) -> None:
    """Our four linear maps into torch's two."""
    maps = [ours.w_q, ours.w_k, ours.w_v]
    theirs.load_state_dict(
        {
            "in_proj_weight": torch.cat([w.weight for w in maps]),
            "in_proj_bias": torch.cat([w.bias for w in maps]),
            "out_proj.weight": ours.w_o.weight,
            "out_proj.bias": ours.w_o.bias,
        }
    )


def sinusoid(n: int, d_model: int) -> Tensor:
    """The paper's formula number by number, [n, d_model] in float64."""
    rows = []
    for pos in range(n):
        row = []
        for i in range(d_model // 2):
            angle = pos / math.pow(10_000, 2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float64)


@dataclass(frozen=True)
class Given:
    """What a step may be re-derived from. `ids` and `hidden` are empty unless the catalogue names them as inputs."""

    config: EncoderConfig
    n: int
    shape: tuple[str, ...]
    ids: Tensor
    segments: Tensor
    hidden: Tensor
    inputs: list[Tensor]
    parameters: list[Tensor]
    layer: int


Derived = tuple[Tensor, Tensor]


def exact(value: Tensor) -> Derived:
    """A value that is only moved about, so nothing is rounded."""
    return value, torch.zeros_like(value)


def rounded(value: Tensor) -> Derived:
    """A value rounded once or twice, with no sum in it."""
    return value, value.abs()


def linear(given: Given) -> Derived:
    """The linear map x W^T + b; where the step is per head, head h takes columns h * d_head to (h + 1) * d_head."""
    (x,), (weight, *more) = given.inputs, given.parameters
    bias = more[0] if more else torch.zeros(len(weight), dtype=torch.float64)
    value, terms = x @ weight.T + bias, x.abs() @ weight.abs().T + bias.abs()
    if given.shape[0] == "H":
        value, terms = (
            torch.stack(t.split(given.config.d_model // given.config.n_heads, dim=-1)) for t in (value, terms)
        )
    return value, terms


def dot(given: Given) -> Derived:
    """Every query times every key."""
    q, k = given.inputs
    return torch.einsum("hid,hjd->hij", q, k), torch.einsum("hid,hjd->hij", q.abs(), k.abs())


def mask(given: Given) -> Derived:
    """The columns of hidden keys replaced."""
    (scores,) = given.inputs
    return exact(torch.where(given.hidden, given.config.mask_value, scores))


def softmax(given: Given) -> Derived:
    """Shares of exp(x); the exponent x - max is rounded first, so a far-off share is rounded by more."""
    (x,) = given.inputs
    below = x - x.amax(-1, keepdim=True)
    value = below.exp() / below.exp().sum(-1, keepdim=True)
    return value, value * (1 - below.clamp(min=-1e3))


def weighted_sum(given: Given) -> Derived:
    """The average of the values under the weights."""
    weights, v = given.inputs
    return torch.einsum("hij,hjd->hid", weights, v), torch.einsum("hij,hjd->hid", weights, v.abs())


def add(given: Given) -> Derived:
    """The sum of all inputs."""
    return torch.stack(given.inputs).sum(0), torch.stack(given.inputs).abs().sum(0)


def mean(given: Given) -> Derived:
    """The average of each row."""
    (x,) = given.inputs
    return x.sum(-1) / x.shape[-1], x.abs().sum(-1) / x.shape[-1]


def variance(given: Given, correction: int) -> Derived:
    """The average square of x - mean; x - mean is rounded like x."""
    x, mean = given.inputs
    centred, size = x - mean[:, None], x.abs() + mean.abs()[:, None]
    return centred.square().sum(-1) / (x.shape[-1] - correction), (centred.abs() * size).mean(-1)


def normalize(given: Given, unbiased: bool) -> Derived:
    """(x - mean) over the spread, eps inside the root for layer_norm and outside for std_norm."""
    x, mean, variance = given.inputs
    eps = given.config.norm_eps
    spread = variance.sqrt() + eps if unbiased else (variance + eps).sqrt()
    return (x - mean[:, None]) / spread[:, None], (x.abs() + mean.abs()[:, None]) / spread[:, None]


def affine(given: Given) -> Derived:
    """Gamma times x plus beta."""
    (x,), (gamma, beta) = given.inputs, given.parameters
    return x * gamma + beta, (x * gamma).abs() + beta.abs()


def gelu(given: Given) -> Derived:
    """H times the share of a normal distribution below h; 1 + erf cancels for negative h."""
    (h,) = given.inputs
    return h * 0.5 * (1 + torch.erf(h / math.sqrt(2))), h.abs()


def silu(given: Given) -> Derived:
    """H over one plus e to the minus h."""
    (h,) = given.inputs
    return h / (1 + torch.exp(-h)), h.abs()


def decode(given: Given) -> Derived:
    """Every row times every row of the embedding table."""
    (x,), (table, bias) = given.inputs, given.parameters
    return x @ table.T + bias, x.abs() @ table.abs().T + bias.abs()


def gelu_tanh(given: Given) -> Derived:
    """The approximation with a tanh; 1 + tanh cancels for negative h."""
    (h,) = given.inputs
    return h * 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3))), h.abs()


def far(given: Given) -> bool:
    """Whether the step's layer sees its neighbours alone."""
    return given.config.window is not None and given.layer % given.config.global_every != 0


def waves(given: Given, wave: Callable[[float], float]) -> Derived:
    """A wave of every place and pair; in float32 the angle is off by a share of itself."""
    config, half = given.config, given.config.d_model // given.config.n_heads // 2
    theta = config.local_rope_theta if far(given) and config.local_rope_theta else config.rope_theta
    factor = config.local_rope_factor if far(given) and config.local_rope_factor else config.rope_factor
    slow = {"none": lambda i: 1.0, "linear": lambda i: factor, "ntk": lambda i: factor ** ((i + 1) / half)}
    angles = [
        [place / math.pow(theta, i / half) / slow[config.rope_scaling](i) for i in range(half)]
        for place in range(given.n)
    ]
    value = torch.tensor([[wave(angle) for angle in row + row] for row in angles], dtype=torch.float64)
    return value, 1 + torch.tensor([row + row for row in angles], dtype=torch.float64)


def rotate(given: Given) -> Derived:
    """Each pair as a complex number times cos + i sin."""
    x, cos, sin = given.inputs
    pairs = torch.complex(*x.chunk(2, -1)) * torch.complex(cos, sin).chunk(2, -1)[0]
    sizes = torch.cat([sum(part.abs() for part in x.chunk(2, -1))] * 2, -1)
    return torch.cat((pairs.real, pairs.imag), -1), sizes


def relative_bias(given: Given) -> Derived:
    """The buckets counted one by one (Raffel et al. 2020): exact ones, then those that grow up to 128."""
    (table,) = given.parameters
    half = len(table) // 2
    near = half // 2

    def bucket(apart: int) -> int:
        size = abs(apart)
        if size >= near:
            size = min(half - 1, near + int(math.log(size / near) / math.log(128 / near) * (half - near)))
        return size + half * (apart > 0)

    rows = [[table[bucket(j - i)] for j in range(given.n)] for i in range(given.n)]
    return exact(torch.stack([torch.stack(row) for row in rows]).permute(2, 0, 1))


def alibi(given: Given) -> Derived:
    """Slope by slope and pair by pair (Press et al. 2022): the paper's powers, and its rule for other numbers."""
    heads = given.config.n_heads

    def powers(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    lower = 2 ** math.floor(math.log2(heads))
    slopes = powers(lower) + powers(2 * lower)[0::2][: heads - lower]
    rows = [[[-slope * abs(i - j) for j in range(given.n)] for i in range(given.n)] for slope in slopes]
    return rounded(torch.tensor(rows, dtype=torch.float64))


def distance(given: Given) -> Derived:
    """The rows of the table counted one by one (He et al. 2021): one for each near distance, shared ones beyond."""
    (table,), config = given.parameters, given.config
    span, near = config.distance_span, config.distance_span // 2

    def row(apart: int) -> int:
        size = abs(apart)
        if config.distance_limit and size > near:
            size = near + math.ceil(math.log(size / near) / math.log((config.distance_limit - 1) / near) * (near - 1))
        return min(max(span + (size if apart > 0 else -size), 0), 2 * span - 1)

    return exact(torch.stack([table[row(apart)] for apart in range(1 - given.n, given.n)]))


def of_distance(given: Given, row_of: Callable[[int, int], int]) -> Derived:
    """Every pair by itself: the content of one of the two times what belongs to their distance."""
    content, distant = given.inputs
    n = given.n
    value, terms = torch.empty(len(content), n, n).double(), torch.empty(len(content), n, n).double()
    for i in range(n):
        for j in range(n):
            products = content[:, row_of(i, j)] * distant[:, i - j + n - 1]
            value[:, i, j], terms[:, i, j] = products.sum(-1), products.abs().sum(-1)
    return value, terms


def window(given: Given) -> Derived:
    """The neighbours kept, one by one."""
    (scores,) = given.inputs
    value = scores.clone()
    for i in range(given.n):
        for j in range(given.n):
            if abs(i - j) > given.config.window:
                value[:, i, j] = given.config.mask_value
    return exact(value)


def normalize_rms(given: Given) -> Derived:
    """X over the root of its mean square."""
    x, square = given.inputs
    return rounded(x / (square + given.config.norm_eps).sqrt()[:, None])


def counted(given: Given) -> Tensor:
    """The rows of the tokens that are not masked."""
    return given.inputs[0][~given.hidden]


def pooled(given: Given, power: float, of: slice = slice(None)) -> Derived:
    """Rows added up over a power of their number."""
    rows = counted(given)[of]
    return rows.sum(0, keepdim=True) / len(rows) ** power, rows.abs().sum(0, keepdim=True) / len(rows) ** power


def label(given: Given) -> Derived:
    """Label by label, the sentence's row times the label's row of weights, plus the label's bias."""
    (x,), (weight, bias) = given.inputs, given.parameters
    terms = weight * x[0]
    return terms.sum(-1) + bias, terms.abs().sum(-1) + bias.abs()


def squashed(given: Given, times: float) -> Derived:
    """1 / (1 + e^-x), and tanh as the same of 2 x, spread from -1 to 1."""
    (x,) = given.inputs
    share = 1 / (1 + torch.exp(-times * x))
    value = share if times == 1.0 else 2 * share - 1
    return value, value.abs() + x.abs() * (1 - value**2)


def scores_of(config: EncoderConfig) -> int:
    """How many scores are added up for a pair."""
    return {"none": 1, "c2p": 2, "p2c": 2, "both": 3}[config.distance_scores]


REPLAY: dict[str, Callable[[Given], Derived]] = {
    "lookup": lambda g: exact(g.parameters[0][g.ids]),
    "scale": lambda g: rounded(g.inputs[0] * math.sqrt(g.config.d_model)),
    "same": lambda g: exact(g.inputs[0]),
    "sinusoid": lambda g: rounded(sinusoid(g.n, g.config.embedding_size or g.config.d_model)),
    "position": lambda g: exact(g.parameters[0][: g.n]),
    "zeros": lambda g: exact(torch.zeros(g.n, g.config.embedding_size or g.config.d_model, dtype=torch.float64)),
    "segment": lambda g: exact(g.parameters[0][g.segments]),
    "add": add,
    "linear": linear,
    "matmul": linear,
    "multiply": lambda g: rounded(g.inputs[0] * g.inputs[1]),
    "rotary_cos": lambda g: waves(g, math.cos),
    "rotary_sin": lambda g: waves(g, math.sin),
    "rotate": rotate,
    "relative_bias": relative_bias,
    "alibi": alibi,
    "window": window,
    "distance": distance,
    "content_to_position": lambda g: of_distance(g, lambda i, j: i),
    "position_to_content": lambda g: of_distance(g, lambda i, j: j),
    "mean_square": lambda g: rounded(g.inputs[0].square().mean(-1)),
    "normalize_rms": normalize_rms,
    "stretch": lambda g: rounded(g.inputs[0] * g.parameters[0]),
    "dot": dot,
    "unscale": lambda g: rounded(g.inputs[0] / math.sqrt(g.config.d_model / g.config.n_heads * scores_of(g.config))),
    "mask": mask,
    "softmax": softmax,
    "weighted_sum": weighted_sum,
    "concat": lambda g: exact(torch.cat(list(g.inputs[0]), dim=-1)),
    "mean": mean,
    "variance": lambda g: variance(g, correction=0),
    "variance_unbiased": lambda g: variance(g, correction=1),
    "normalize": lambda g: normalize(g, unbiased=False),
    "normalize_std": lambda g: normalize(g, unbiased=True),
    "affine": affine,
    "relu": lambda g: exact(g.inputs[0] * (g.inputs[0] > 0)),
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "decode": decode,
    "first_token": lambda g: exact(g.inputs[0][[0]]),
    "label": label,
    "label_mean": lambda g: (pooled(g, 1.0)[0][0], pooled(g, 1.0)[1][0]),
    "tanh": lambda g: squashed(g, 2.0),
    "sigmoid": lambda g: squashed(g, 1.0),
    "pool_mean": lambda g: pooled(g, 1.0),
    "pool_mean_sqrt_len": lambda g: pooled(g, 0.5),
    "pool_words": lambda g: pooled(g, 1.0, slice(1, -1)),
    "pool_cls": lambda g: exact(counted(g)[:1]),
    "pool_max": lambda g: exact(counted(g).max(0, keepdim=True).values),
    "unit": lambda g: rounded(g.inputs[0] / g.inputs[0].square().sum().sqrt()),
}


def replay(weights: dict[str, Tensor], trace: Trace, step: Step) -> Derived:
    """The step's value and the size of its terms, from what its entry in the catalogue names."""
    n = len(trace.tokens)
    unseen = torch.tensor([i in trace.hidden or i >= n - trace.padding for i in range(n)])
    names = [full for name in step.parameters for full in (name, f"{name}.weight", f"{name}.bias") if full in weights]
    given = Given(
        config=trace.config,
        n=n,
        shape=step.shape,
        ids=torch.tensor(trace.ids if "ids" in step.inputs else []),
        segments=torch.tensor(trace.segments),
        hidden=unseen if "hidden" in step.inputs else torch.tensor([]),
        inputs=[trace[name].double() for name in step.inputs if name not in ("ids", "hidden")],
        parameters=[weights[name].double() for name in names],
        layer=step.layer or 0,
    )
    return REPLAY[step.operation](given)


def roundings(encoder: TextEncoder, trace: Trace) -> dict[str, float]:
    """For every step, how far the recorded value is from the re-derived one, in parts of the size of its terms.

    Shares too small for float32 (below 1.2e-38) may be zero or half precise and do not count.
    """
    weights = encoder.model.state_dict()
    found = {}
    for step in encoder.steps:
        value, terms = replay(weights, trace, step)
        recorded = trace[step.name].double()
        assert recorded.shape == value.shape, step.name
        off = torch.where(recorded == value, 0.0, (recorded - value).abs())
        off = torch.where(off <= torch.finfo(torch.float32).tiny, 0.0, off)
        found[step.name] = float(torch.where(off == 0, 0.0, off / terms).nan_to_num(math.inf, math.inf).max())
    return found
