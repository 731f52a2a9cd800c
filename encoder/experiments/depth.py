"""Lab residual and norm: random blocks stacked up, with and without the path around them and the norm behind them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from encoder.checkpoint.build import build, random_weights, untrained
from encoder.edits.edit import Edit
from encoder.edits.editor import editor
from encoder.experiments.common import at_least, normal, some
from encoder.metrics import cosine_matrix, length
from encoder.model.config import LIMITS, EncoderConfig
from encoder.model.tap import Recorder
from encoder.support.errors import seeded
from encoder.support.progress import pulse

DEPTHS = (6, 12, 24, 48)
SHAPE = EncoderConfig(vocab_size=5, d_model=128, n_heads=4, d_ff=512)  # its n_layers is not looked at
VARIANTS = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True)
class Curve:
    """One kind of stack, before the first block and after each one; both tensors are [deepest + 1].

    `residual` and `norm` tell what is switched on. `cosine` is the mean cosine between the vectors of two different
    tokens: 1 where all tokens have become one, in float64. `length` is the mean Euclidean norm of a token's
    vector.
    """

    residual: bool
    norm: bool
    cosine: Tensor
    length: Tensor

    @property
    def apart(self) -> Tensor:
        """1 - cosine for a logarithmic scale: 0 where all tokens have become one, but never below 2e-16.

        The streams are float32, so numbers below about 1e-12 are rounding and nothing else.
        """
        return (1 - self.cosine).clamp_min(torch.finfo(self.cosine.dtype).eps)


@dataclass(frozen=True)
class Residuals:
    """The curves of the four kinds of stack. A stack of depth d ends at entry d: its blocks begin every deeper one."""

    curves: tuple[Curve, ...]

    def curve(self, residual: bool, norm: bool) -> Curve:
        """The curve of one kind of stack."""
        return next(curve for curve in self.curves if (curve.residual, curve.norm) == (residual, norm))


@torch.inference_mode()
def residuals(
    depths: Sequence[int] = DEPTHS,
    config: EncoderConfig = SHAPE,
    *,
    n: int = 12,
    seed: int = 0,
    deviation: float | None = None,
    kinds: Sequence[tuple[bool, bool]] = VARIANTS,
) -> Residuals:
    """Send n random vectors through the deepest stack, once with everything and once without each and without both.

    Without residuals a block is norm(sublayer(x)) instead of norm(x + sublayer(x)), and tokens grow alike with depth
    (Dong et al. 2021). Without norms lengths grow or shrink by a factor in every block.

    Args:
        depths: how many blocks the stacks have.
        config: the shape and kind of the blocks, post-norm or pre-norm; what stands before and after them is left out.
        n: tokens, independent standard normal vectors.
        seed: what pins weights and vectors.
        kinds: the kinds of stacks, whether each has residuals and norms.
        deviation: of normal weights, as BERT's are drawn with 0.02; Xavier-uniform ones where None.

    Raises:
        EncoderError: no depth, or a depth or n outside its range.
    """
    pulse()
    at_least(2, n=n)
    some("depths", depths, *LIMITS["n_layers"])
    config = stack(config, max(depths))
    edits = [switched_off(config, residual, norm) for residual, norm in kinds]
    values: dict[str, Tensor] = {}
    tap = editor(config, [(n, row) for row in edits], {}, Recorder(values, {}))
    x = tap("embedding.output", normal(n, config.d_model, seed=seed, draw=1).expand(len(kinds), -1, -1))
    model = untrained(config, seed) if deviation is None else build(config, normal_weights(config, seed, deviation), "")
    model.resume(x, 0, None, tap)
    stream = torch.stack([x, *(values[f"layers.{i}.output"] for i in range(config.n_layers))], 1)
    curves = (Curve(*kind, *measured(row)) for kind, row in zip(kinds, stream, strict=True))
    return Residuals(tuple(curves))


@torch.inference_mode()
def missed_by_random_sums(config: EncoderConfig = SHAPE, *, n: int = 12, seed: int = 0) -> float:
    """`missed_by_sums` of two random blocks of this kind, over n random vectors: the most that either part misses."""
    pulse()
    config = stack(config, 2)
    values: dict[str, Tensor] = {}
    tap = Recorder(values, {})
    x = tap("embedding.output", normal(1, n, config.d_model, seed=seed, draw=1))
    untrained(config, seed).resume(x, 0, None, tap)
    return float(missed_by_sums(values.__getitem__, config).max())


def missed_by_sums(recorded: Callable[[str], Tensor], config: EncoderConfig) -> Tensor:
    """How far each sum of a run is from what went into its part plus what the part gave, of its size: [n_layers, 2].

    What went in is what came out of the part before, whatever the run calls its residual; the first column is of
    attention, the second of feed-forward.
    """
    rows, before = [], recorded("embedding.output").double()
    between = "add_norm_1.sum" if config.norm_first else "add_norm_1.output"
    for i in range(config.n_layers):
        row = list[Tensor]()
        for part, came_in in (("attention", before), ("feed_forward", recorded(f"layers.{i}.{between}").double())):
            total = recorded(f"layers.{i}.add_norm_{len(row) + 1}.sum").double()
            missed = total - came_in - recorded(f"layers.{i}.{part}.output").double()
            row.append(missed.abs().max() / total.abs().max().clamp_min(1.0))
        rows.append(torch.stack(row))
        before = recorded(f"layers.{i}.output").double()
    return torch.stack(rows)


def normal_weights(config: EncoderConfig, seed: int, deviation: float) -> dict[str, Tensor]:
    """The random weights of a seed, with every matrix drawn anew from a normal distribution."""
    generator = seeded(seed)
    return {
        name: torch.empty_like(tensor).normal_(0, deviation, generator=generator) if tensor.dim() == 2 else tensor
        for name, tensor in random_weights(config, seed).items()
    }


def stack(config: EncoderConfig, n_layers: int) -> EncoderConfig:
    """The configuration of a bare stack: as many blocks, and no vocabulary or head to draw weights for."""
    return replace(config, n_layers=n_layers, vocab_size=5, n_segments=0, mlm_head=False)


def switched_off(config: EncoderConfig, residual: bool, norm: bool) -> tuple[Edit, ...]:
    """The edits that take residuals or norms out of every block; untrained gamma is 1 and beta 0, and may stay."""
    edits = []
    for i in range(config.n_layers):
        for part in (f"layers.{i}.add_norm_1", f"layers.{i}.add_norm_2"):
            edits += [] if residual else [Edit(f"{part}.residual", "zero")]
            edits += [] if norm else [Edit(f"{part}.normalized", "bypass")]
    return tuple(edits)


def measured(stream: Tensor) -> tuple[Tensor, Tensor]:
    """Mean cosine between different tokens, and mean length, of vectors [layers, n, d_model]: [layers] each."""
    n = stream.shape[1]
    vectors = stream.double()
    largest = vectors.abs().amax((1, 2), keepdim=True)  # lengths of 1e-13 are lengths too: cosines do not see a factor
    cosines = cosine_matrix(vectors / largest.clamp_min(torch.finfo(vectors.dtype).tiny))
    others = (cosines.sum((1, 2)) - cosines.diagonal(dim1=1, dim2=2).sum(-1)) / (n * (n - 1))
    return others, length(vectors).mean(-1).float()


def gradients(
    depth: int = 12,
    config: EncoderConfig = SHAPE,
    *,
    residual: bool = True,
    norm: bool = True,
    n: int = 12,
    seed: int = 0,
) -> Tensor:
    """How long the gradient of a random loss is before the first block and after each one: [depth + 1].

    The loss is a fixed random direction times the output. What the last entry has and the first one lacks is lost on
    the way back through the blocks (Xiong et al. 2020 measure it for post-norm and pre-norm).

    Raises:
        EncoderError: a depth or n outside its range.
    """
    pulse()
    at_least(2, n=n)
    some("depth", [depth], *LIMITS["n_layers"])
    config = stack(config, depth)
    values: dict[str, Tensor] = {}
    tap = editor(config, [(n, switched_off(config, residual, norm))], {}, Recorder(values, {}))
    with torch.inference_mode(False), torch.enable_grad():
        x = normal(1, n, config.d_model, seed=seed, draw=1).requires_grad_()
        output = untrained(config, seed).resume(x, 0, None, tap)
        stream = [x, *(values[f"layers.{i}.output"] for i in range(depth))]
        loss = (output * normal(1, n, config.d_model, seed=seed, draw=2)).sum()
        slopes = torch.autograd.grad(loss, stream)
    return torch.stack([gradient.norm() for gradient in slopes])
