"""Parameters, operations, bytes and seconds: counted by formula, and again by somebody else."""

import copy
import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from in_turn import in_turn
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny, tiny_model
from torch.utils.flop_counter import FlopCounterMode

from encoder import PRESETS, EncoderConfig, TextEncoder, checkpoint
from encoder.explain.cost import areas, operations, parameters, run_flops, size, step_costs, step_flops
from encoder.model.encoder import Encoder
from encoder.model.steps.catalogue import by_name, catalogue
from encoder.pictures.figures.areas import rectangles

pytestmark = pytest.mark.slow

every_variant = in_turn("config", [VARIANTS[name] for name in (*COVERING, "labels", "late-labels", "labels-words")])
BUNDLED = {
    name: checkpoint.read_config(checkpoint.BUNDLED / name / "config.json", mlm_head=True) for name in ("base", "small")
}
MODELS = VARIANTS | PRESETS | BUNDLED


def on_meta(config: EncoderConfig) -> Encoder:
    """A model without memory for its numbers."""
    with torch.device("meta"):
        return Encoder(config)


# Parameters


@in_turn("config", MODELS.values())
def test_parameters_by_formula_are_those_of_the_model(config: EncoderConfig) -> None:
    model = on_meta(config)
    parts = parameters(model)
    assert [part.name for part in parts if part.by_formula != part.counted] == []
    assert sum(part.counted for part in parts) == sum(parameter.numel() for parameter in model.parameters())
    assert len({part.name for part in parts}) == len(parts)
    assert all(part.counted > 0 for part in parts)
    found = size(config)
    assert found.parameters == sum(part.counted for part in parts)
    assert found.bytes_of_weights == 4 * found.parameters + memory(model.buffers())


def test_parameters_are_as_many_as_published() -> None:
    """Those of transformers' BertForMaskedLM, and about twelve times the square of d_model in a layer of the paper."""
    for name, published in (("bert-base", 109_514_298), ("bert-large", 335_174_458)):
        assert sum(part.by_formula for part in parameters(on_meta(PRESETS[name]))) == published
    parts = parameters(on_meta(PRESETS["paper"]))
    layers = sum(part.counted for part in parts if part.name.startswith("layers."))
    assert layers == pytest.approx(6 * 12 * 512**2, rel=0.01)
    one = sum(part.counted for part in parts if part.name.startswith("layers.3."))
    assert one == 4 * (512 * 512 + 512) + 512 * 2048 + 2048 + 2048 * 512 + 512 + 2 * 2 * 512


def test_formulas_are_written_out() -> None:
    said = {part.name: (part.formula, part.by_formula) for part in parameters(tiny_model(VARIANTS["preset-bert-base"]))}
    assert said["embedding.positions"] == ("max_positions·d_model", 19 * 30)
    assert said["layers.0.attention.w_q"] == ("d_model·d_model + d_model", 30 * 30 + 30)
    assert said["layers.0.feed_forward.w_1"] == ("d_model·d_ff + d_ff", 30 * 44 + 44)
    assert said["layers.0.norm1"] == ("2·d_model", 60)
    assert said["mlm_head.bias"] == ("vocab_size", 53)
    said = {part.name: (part.formula, 0) for part in parameters(tiny_model(VARIANTS["albert"]))}
    assert said["embedding.tokens"][0] == "vocab_size·embedding_size"
    assert said["embedding.projection"][0] == "embedding_size·d_model + d_model"
    assert said["mlm_head.transform"][0] == "d_model·embedding_size + embedding_size"
    for positions in ("sinusoidal", "none"):
        names = [part.name for part in parameters(tiny_model(replace(TINY, positions=positions)))]
        assert "embedding.positions" not in names


# Operations


def counted_elsewhere(encoder: TextEncoder, ids: list[int]) -> dict[str, int]:
    """Operations of every matrix product of a run as torch counts them: a multiplication and an addition per pair."""
    plain = copy.deepcopy(encoder.model)  # torch counts its own linear map; a copy has no layout for the processor
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        plain.predict(output := plain(torch.tensor([ids])))
        plain.label(output)
    return {str(kind).removeprefix("aten."): count for kind, count in counter.get_flop_counts()["Global"].items()}


def products(config: EncoderConfig, n: int) -> dict[str, int]:
    """Our count of the same matrix products.

    A sum of k products takes k multiplications and k - 1 additions; a linear map's bias makes it 2k again. torch
    counts 2k for both, and no bias: so each number of Q K^T and of A V has one operation less with us.
    """
    counts = {"addmm": 0, "bmm": 0}
    for step in catalogue(config):
        if step.operation in ("linear", "decode", "label"):
            counts["addmm"] += step_flops(step, config, n)
        if step.operation == "matmul":  # torch adds a bias of zeros
            counts["addmm"] += step_flops(step, config, n) + math.prod(step.sizes(config, n))
        if step.operation in ("dot", "weighted_sum"):
            counts["bmm"] += step_flops(step, config, n) + math.prod(step.sizes(config, n))
        if step.operation in ("content_to_position", "position_to_content"):  # for all 2 n - 1 distances
            counts["bmm"] += step_flops(step, config, n) + config.n_heads * n * (2 * n - 1)
    return counts


@every_variant
def test_matrix_products_cost_what_torch_counts(config: EncoderConfig) -> None:
    encoder = tiny(config)
    for ids in ([2, 5, 3], list(range(2, 15))):
        assert products(config, len(ids)) == counted_elsewhere(encoder, ids)


BY_HAND = {
    "attention.input": 0,
    "attention.q": 7 * 30 * (2 * 30),
    "attention.scores": 3 * 7 * 7 * (2 * 10 - 1),
    "attention.scaled": 3 * 7 * 7,
    "attention.masked": 0,
    "attention.weights": 3 * 7 * 7 * 5,  # largest, minus, exp, sum, divided by
    "attention.heads": 3 * 7 * 10 * (2 * 7 - 1),
    "attention.concat": 0,
    "add_norm_1.sum": 7 * 30,
    "add_norm_1.mean": 7 * 30,  # 29 additions and a division
    "add_norm_1.variance": 7 * 3 * 30,  # minus, squared, sum and division
    "add_norm_1.normalized": 7 * (30 * 2 + 2),
    "add_norm_1.output": 7 * 30 * 2,
    "feed_forward.hidden": 7 * 44 * (2 * 30),
    "feed_forward.activation": 7 * 44,
    "feed_forward.output": 7 * 30 * (2 * 44),
}


def test_operations_of_a_step_by_hand() -> None:
    assert {local: step_flops(by_name(TINY)[f"layers.1.{local}"], TINY, 7) for local in BY_HAND} == BY_HAND
    three, gelu = VARIANTS["segments"], VARIANTS["gelu"]
    assert step_flops(by_name(three)["embedding.output"], three, 7) == 7 * 30 * 2  # three vectors are two additions
    assert step_flops(by_name(TINY)["embedding.output"], TINY, 7) == 7 * 30
    bent = by_name(gelu)["layers.0.feed_forward.activation"]
    assert step_flops(bent, gelu, 7) == 7 * 44 * 5  # over root 2, erf, plus 1, times half, times h


# Bytes and seconds


@in_turn("hidden", [(), (2,)])
@every_variant
def test_new_bytes_are_those_that_the_run_made(config: EncoderConfig, hidden: tuple[int, ...]) -> None:
    encoder = tiny(config)
    trace = encoder.trace(SENTENCE, hidden=hidden)
    costs = step_costs(trace)
    assert [cost.step.name for cost in costs] == list(trace)
    assert all(cost.sizes == tuple(trace[cost.step.name].shape) for cost in costs)
    # the memory of an earlier step: "same", a mask with nothing to hide, and the concatenation of a single head;
    # and the rows of positions, which are a view of the model's own table. Layer 0 makes the position bias of all.
    handed_on = {
        "same",
        "position",
        "first_token",
        "sinusoid",
        "zeros",
        "rotary_cos",
        "rotary_sin",
        *(() if hidden else ("mask",)),
        *(("concat",) if config.n_heads == 1 else ()),
    }
    for cost in costs:
        again = cost.step.operation in ("relative_bias", "alibi") and cost.step.layer
        own = 0 if cost.step.operation in handed_on or again else 4 * math.prod(cost.sizes)
        assert cost.new_bytes == own, cost.step.name
    assert sum(cost.new_bytes for cost in costs) == trace.nbytes


def test_bytes_of_a_batch_are_shared_out() -> None:
    one, two = tiny(TINY).trace([SENTENCE, "w1 w2"])
    alone = tiny(TINY).trace(SENTENCE, hidden=(2,))  # with a mask, as the padded batch has one
    assert [cost.new_bytes for cost in step_costs(one)] == [cost.new_bytes for cost in step_costs(alone)]
    assert [cost.new_bytes for cost in step_costs(two)] == [cost.new_bytes for cost in step_costs(alone)]


@in_turn("model", ["base", "small"])
def test_the_costs_of_a_bundled_model(model: str, request: pytest.FixtureRequest) -> None:
    """Products are those that torch counts, seconds add up to those of the run, and bytes to those of its tensors."""
    encoder: TextEncoder = request.getfixturevalue(model)
    assert products(encoder.config, 11) == counted_elsewhere(encoder, list(range(10, 21)))
    trace = encoder.trace("Keys on the table belong to Sara.")
    costs, n = step_costs(trace), len(trace.tokens)
    assert [cost.seconds for cost in costs] == [b - a for a, b in pairwise([0.0, *trace.ready.values()])]
    assert sum(cost.seconds for cost in costs) == pytest.approx(trace.seconds, rel=1e-9)
    assert all(cost.seconds > 0 and cost.flops == step_flops(cost.step, encoder.config, n) for cost in costs)
    assert size(encoder.config).bytes_of_a_run(n) == trace.nbytes


# Before it is built


def memory(tensors: Iterable[torch.Tensor]) -> int:
    """The bytes that tensors take, shared ones once."""
    held = [tensor.untyped_storage() for tensor in tensors]
    return sum({storage.data_ptr(): storage.nbytes() for storage in held}.values())


@every_variant
def test_the_size_of_the_runs_of_every_variant(config: EncoderConfig) -> None:
    encoder, found = tiny(config), size(config)
    assert found.bytes_of_weights == memory([*encoder.model.parameters(), *encoder.model.buffers()])
    for text in (SENTENCE, "w1 w2"):
        trace = encoder.trace(text)
        n = len(trace.tokens)
        concat = 4 * n * config.d_model * config.n_layers if config.n_heads == 1 else 0  # handed on where one head is
        assert found.bytes_of_a_run(n) - concat == trace.nbytes


def test_nothing_is_built_to_know_a_size() -> None:
    large = EncoderConfig(vocab_size=1_000_000, d_model=8192, n_heads=64, n_layers=96, d_ff=65_536, max_positions=8192)
    assert size(large).parameters > 100_000_000_000
    assert size(large).bytes_of_a_run(512) > 10 * 2**30


@every_variant
def test_every_parameter_is_of_one_area_and_every_operation_of_one_kind(config: EncoderConfig) -> None:
    model = tiny_model(config)
    parts = areas(model)
    assert sum(area.parameters for area in parts) == sum(weight.numel() for weight in model.parameters())
    assert len({area.name for area in parts}) == len(parts)
    places = rectangles(parts)
    for area, box in zip(parts, places, strict=True):
        assert box.width * box.height * size(config).parameters == pytest.approx(area.parameters)
    assert sum(operations(config, 7).values()) == run_flops(config, 7)
