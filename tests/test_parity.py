"""The same numbers as torch's own modules, and as plain loops over the formulas, in float64."""

import math
from dataclasses import replace

import pytest
import torch
from in_turn import in_turn
from oracle import copy_attention, sinusoid, torch_twin
from tiny import TINY, tiny_model
from torch import Tensor, nn

from encoder import EncoderConfig
from encoder.model.attention import Attention
from encoder.model.embedding import sinusoidal_positions
from encoder.model.encoder import Encoder
from encoder.model.feed_forward import FeedForward
from encoder.model.normalization import LayerNorm, RMSNorm, StdNorm
from encoder.model.tap import Recorder

TOLERANCE = 1e-10
LENGTHS = torch.tensor([9, 5, 1])
IDS = torch.randint(0, TINY.vocab_size, (3, 9), generator=torch.Generator().manual_seed(0))
PADDING = torch.arange(9) >= LENGTHS[:, None]
NOTHING = torch.zeros_like(PADDING)
CAUSAL = torch.ones(9, 9, dtype=torch.bool).triu(1)


def double(config: EncoderConfig) -> Encoder:
    """A tiny model in float64."""
    return tiny_model(config).double()


def noise(*shape: int, seed: int = 0) -> Tensor:
    """Some float64 input, off centre so that means matter."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 2 + 0.7


def largest_difference(ours: Tensor, theirs: Tensor) -> float:
    """The largest absolute difference; nan counts."""
    assert ours.shape == theirs.shape
    return float((ours - theirs).abs().max())


@in_turn("padded", [False, True])
@in_turn("final_norm", [False, True])
@in_turn("activation", ["relu", "gelu"])
@in_turn("norm_first", [False, True])
def test_encoder_is_torchs(norm_first: bool, activation: str, final_norm: bool, padded: bool) -> None:
    model = double(replace(TINY, norm_first=norm_first, activation=activation, final_norm=final_norm))
    hidden = PADDING if padded else None
    ours = model(IDS, hidden)
    theirs = torch_twin(model)(model.embedding(IDS), src_key_padding_mask=hidden)
    real = ~PADDING if padded else ~NOTHING
    assert largest_difference(ours[real], theirs[real]) <= TOLERANCE


@in_turn("mask_value", [-math.inf, -1e9, -1e4])
def test_finite_mask_values_hide_as_well(mask_value: float) -> None:
    model = double(replace(TINY, mask_value=mask_value))
    theirs = torch_twin(model)(model.embedding(IDS), src_key_padding_mask=PADDING)
    assert largest_difference(model(IDS, PADDING)[~PADDING], theirs[~PADDING]) <= TOLERANCE


@in_turn("norm_first", [False, True])
def test_causal_mask_is_torchs(norm_first: bool) -> None:
    model = double(replace(TINY, norm_first=norm_first))
    ours = model(IDS, CAUSAL.expand(3, 9, 9))
    assert largest_difference(ours, torch_twin(model)(model.embedding(IDS), mask=CAUSAL)) <= TOLERANCE


@in_turn("hidden", [None, PADDING])
def test_attention_is_torchs(hidden: Tensor | None) -> None:
    ours = double(TINY).layers[0].attention
    theirs = nn.MultiheadAttention(TINY.d_model, TINY.n_heads, batch_first=True, dtype=torch.float64)
    copy_attention(ours, theirs.requires_grad_(False))
    x, values = noise(3, 9, TINY.d_model), {}
    output = ours(x, None if hidden is None else hidden[:, None, None], Recorder(values, {}))
    expected, weights = theirs(x, x, x, key_padding_mask=hidden, need_weights=True, average_attn_weights=False)
    assert largest_difference(values["weights"], weights) <= TOLERANCE
    assert largest_difference(output, expected) <= TOLERANCE


@in_turn("activation", ["relu", "gelu"])
def test_feed_forward_is_torchs(activation: str) -> None:
    ours: FeedForward = double(replace(TINY, activation=activation)).layers[0].feed_forward
    theirs = nn.Sequential(ours.w_1, {"relu": nn.ReLU(), "gelu": nn.GELU()}[activation], ours.w_2)
    x = noise(3, 9, TINY.d_model)
    assert largest_difference(ours(x), theirs(x)) <= TOLERANCE


def norm(kind: type[LayerNorm], d: int, eps: float) -> LayerNorm:
    """A norm with some gamma and beta."""
    made = kind(d, eps).double()
    made.load_state_dict({"weight": noise(d, seed=1), "bias": noise(d, seed=2)})
    return made.requires_grad_(False)


@in_turn("eps", [1e-12, 1e-5, 0.1])
def test_layer_norm_is_torchs(eps: float) -> None:
    ours = norm(LayerNorm, 30, eps)
    theirs = nn.LayerNorm(30, eps, dtype=torch.float64)
    theirs.requires_grad_(False).load_state_dict(ours.state_dict())
    x = noise(3, 9, 30)
    assert largest_difference(ours(x), theirs(x)) <= TOLERANCE


@in_turn("eps", [1e-12, 1e-6, 0.1])
def test_std_norm_is_the_loop(eps: float) -> None:
    ours = norm(StdNorm, 30, eps)
    x = noise(5, 30)
    expected = []
    for row in x.tolist():
        mean = math.fsum(row) / 30
        std = math.sqrt(math.fsum((value - mean) ** 2 for value in row) / 29)
        expected.append([(value - mean) / (std + eps) for value in row])
    expected = torch.tensor(expected, dtype=torch.float64) * ours.weight + ours.bias
    assert largest_difference(ours(x), expected) <= TOLERANCE


@in_turn("eps", [1e-12, 1e-5, 0.1])
def test_rms_norm_is_torchs_and_beta(eps: float) -> None:
    ours = norm(RMSNorm, 30, eps)
    theirs = nn.RMSNorm(30, eps, dtype=torch.float64).requires_grad_(False)
    theirs.load_state_dict({"weight": ours.weight})
    x = noise(3, 9, 30)
    assert largest_difference(ours(x), theirs(x) + ours.bias) <= TOLERANCE


@in_turn("kind", [LayerNorm, StdNorm])
def test_norm_of_a_constant_row_is_beta(kind: type[LayerNorm]) -> None:
    ours = norm(kind, 30, 1e-5)
    assert torch.equal(ours(torch.full((1, 30), 4.0, dtype=torch.float64))[0], ours.bias)


@in_turn("d_model", [2, 30, 512])
def test_sinusoidal_positions_are_the_papers(d_model: int) -> None:
    ours = sinusoidal_positions(512, d_model)
    assert ours.dtype == torch.float32
    assert largest_difference(ours.double(), sinusoid(512, d_model)) <= 2**-24  # half a unit in the last place of 1


@in_turn("scaled", [True, False])
@in_turn("positions", ["sinusoidal", "learned", "none"])
@in_turn("n_segments", [0, 2])
def test_embedding_is_the_loop(positions: str, n_segments: int, scaled: bool) -> None:
    config = replace(TINY, positions=positions, n_segments=n_segments, scale_embeddings=scaled)
    model = double(config)
    segments = IDS % 2
    weights = model.state_dict()
    expected = torch.empty(3, 9, config.d_model, dtype=torch.float64)
    for b in range(3):
        for pos in range(9):
            row = weights["embedding.tokens.weight"][IDS[b, pos]] * (math.sqrt(config.d_model) if scaled else 1)
            if positions == "sinusoidal":
                row = row + sinusoid(9, config.d_model).float()[pos]
            if positions == "learned":
                row = row + weights["embedding.positions.weight"][pos]
            if n_segments:
                row = row + weights["embedding.segments.weight"][segments[b, pos]]
            expected[b, pos] = row
    assert largest_difference(model.embedding(IDS, segments), expected) <= TOLERANCE


@in_turn("activation", ["relu", "gelu"])
def test_mlm_head_is_its_formula_in_torchs_functions(activation: str) -> None:
    model = double(replace(TINY, mlm_head=True, activation=activation))
    weights = {name.removeprefix("mlm_head."): value for name, value in model.state_dict().items()}
    x = noise(3, 9, TINY.d_model)
    bent = getattr(nn.functional, activation)(x @ weights["transform.weight"].T + weights["transform.bias"])
    bent = nn.functional.layer_norm(bent, (TINY.d_model,), weights["norm.weight"], weights["norm.bias"], TINY.norm_eps)
    expected = bent @ weights["embedding.tokens.weight"].T + weights["bias"]
    assert largest_difference(model.predict(x), expected) <= TOLERANCE


def test_more_tokens_than_positions_is_refused() -> None:
    with pytest.raises(ValueError, match=r"20 tokens; this model takes 1 to 19"):
        double(TINY)(torch.zeros(1, 20, dtype=torch.long))


def test_attention_splits_heads_side_by_side() -> None:
    attention = Attention(TINY)
    x = torch.arange(2 * 4 * 30).view(2, 4, 30).float()
    assert all(torch.equal(attention.split(x)[:, h], x[:, :, 10 * h : 10 * (h + 1)]) for h in range(3))
