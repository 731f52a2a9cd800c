"""A trace is the run itself: recording changes nothing, and what it holds obeys the algebra of the paper."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from in_turn import every_shape, in_turn
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from torch import Tensor

from encoder import EncoderConfig, TextEncoder, Trace, checkpoint
from encoder.metrics import first_lost
from encoder.model.tap import Recorder

SARA = "Keys on the table belong to Sara."
SENTENCES = [" ".join(f"w{(i * j) % 48}" for j in range(1, 2 + i % 15)) for i in range(20)]

every_variant = every_shape(VARIANTS, pytest.mark.slow)


# Recording


@every_variant
def test_recording_changes_no_bit(config: EncoderConfig) -> None:
    encoder = tiny(config)
    trace = encoder.trace(SENTENCE, hidden=(2,))
    output, logits = encoder.run(torch.tensor([trace.ids]), torch.tensor([[i == 2 for i in range(7)]]))
    assert torch.equal(trace["output"], output[0])
    assert ("mlm.logits" in trace) == (logits is not None) == config.mlm_head
    if logits is not None:
        assert torch.equal(trace["mlm.logits"], logits[0])


@in_turn("config", [VARIANTS[name] for name in COVERING])
def test_steps_that_say_same_share_storage(config: EncoderConfig) -> None:
    encoder = tiny(config)
    trace = encoder.trace(SENTENCE)
    same = [step for step in encoder.steps if step.operation == "same" and step.name != "embedding.scaled"]
    assert len(same) == 4 * config.n_layers + 1 + (config.embedding_size is not None) + config.no_first_norm
    for step in same:
        assert trace[step.name].data_ptr() == trace[step.inputs[0]].data_ptr(), step.name


@in_turn("config", [VARIANTS[name] for name in COVERING])
def test_nothing_is_changed_after_it_was_recorded(config: EncoderConfig) -> None:
    copies: dict[str, Tensor] = {}

    class Copying(Recorder):
        def see(self, name: str, value: Tensor) -> Tensor:
            copies[name] = value.clone()
            return super().see(name, value)

    values: dict[str, Tensor] = {}
    tiny(config).run(torch.tensor([[2, 5, 6, 3]]), torch.tensor([[False, True, False, False]]), Copying(values, {}))
    assert list(copies) == list(values)
    assert [name for name in values if not torch.equal(values[name], copies[name])] == []


def test_two_runs_are_the_same_and_leave_nothing_on_the_modules(small: TextEncoder) -> None:
    def state() -> dict[tuple[str, str], int]:
        modules = small.model.named_modules()
        return {(name, key): id(value) for name, module in modules for key, value in vars(module).items()}

    before = state()
    first, second = (small.trace(SARA, hidden=(1,)) for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert state() == before
    values: dict[str, Tensor] = {}
    output, logits = small.run(torch.tensor([[2, 5, 6, 3]]), None, Recorder(values, {}))
    assert values["output"] is output and values["mlm.logits"] is logits  # recorded are the run's own tensors
    assert all(value.shape[0] == 1 for value in values.values())


@pytest.mark.slow
def test_threads_never_mix() -> None:
    encoder = tiny(VARIANTS["preset-bert-base"])
    alone = [encoder.trace(text) for text in SENTENCES]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(encoder.trace, SENTENCES * 3))
    for trace, expected in zip(together, alone * 3, strict=True):
        assert trace.tokens == expected.tokens
        assert [name for name in expected if not torch.equal(trace[name], expected[name])] == []


# Reading


def test_a_trace_reads_like_a_dictionary_and_names_its_sentence(sara: Trace, base: TextEncoder) -> None:
    assert list(sara) == list(sara.ready) == [step.name for step in base.steps] and len(sara) == len(base.steps)
    assert "layers.0.attention.scores" in sara and "layers.6.attention.scores" not in sara and 3 not in sara
    assert sara.get("layers.6.attention.scores") is None
    assert sara.step("layers.5.attention.scores").operation == "dot"
    moments = list(sara.ready.values())
    assert moments == sorted(moments) and 0 < moments[0] < moments[-1] == sara.seconds
    assert sara.tokens == ["[CLS]", "keys", "on", "the", "table", "belong", "to", "sara", ".", "[SEP]"]
    assert (sara.text, sara.hidden, sara.padding) == (SARA, (), 0)
    assert repr(sara) == f"Trace({SARA!r}, model='base', 10 tokens, {len(sara)} steps)"


def test_attributes_and_arrays_reach_the_same_data(sara: Trace) -> None:
    assert len(sara.layers) == 6
    for i, layer in enumerate(sara.layers):
        assert layer.attention.weights.data_ptr() == sara[f"layers.{i}.attention.weights"].data_ptr()
        assert torch.equal(layer.add_norm_2.output, sara[f"layers.{i}.add_norm_2.output"])
        assert (
            float((layer.attention.weights.sum(-1) - 1).abs().max()) <= 1e-6
            and float(layer.attention.weights.min()) >= 0
        )
    assert torch.equal(sara.embedding.positions, sara["embedding.positions"])
    scope = sara.layers[0].attention
    assert "weights" in dir(scope)
    assert dir(sara.layers[0]) == ["add_norm_1", "add_norm_2", "attention", "feed_forward", "output"]
    for again in (copy.copy(scope), pickle.loads(pickle.dumps(scope))):
        assert torch.equal(again.weights, scope.weights)
    array = sara.array("layers.2.attention.weights")
    assert np.shares_memory(array, sara["layers.2.attention.weights"].numpy())
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0, 0] = 1


def test_an_unknown_name_is_answered_with_near_ones(sara: Trace) -> None:
    with pytest.raises(KeyError, match=r"'layers.0.atention.weights'; did you mean layers.0.attention.weights or"):
        sara["layers.0.atention.weights"]
    with pytest.raises(KeyError, match="no step is called 'zzz'"):
        sara.step("zzz")
    with pytest.raises(AttributeError, match=r"'layers.0.attention.weight'; did you mean layers.0.attention.weights"):
        _ = sara.layers[0].attention.weight


@in_turn(
    ("mlm_head", "large", "first"),
    [
        (True, "layers.1.attention.w_q", "layers.1.attention."),
        (False, "layers.1.attention.w_q", "layers.1.attention."),
        (True, "mlm_head", "mlm."),
        (True, "nothing", None),
        (False, "nothing", None),
    ],
)
def test_the_first_step_that_outgrows_float32_is_named(mlm_head: bool, large: str, first: str | None) -> None:
    encoder = tiny(replace(TINY, mlm_head=mlm_head))
    for name, weights in encoder.model.named_parameters():
        weights.data.mul_(1e38 if large in name else 1)
    lost = first_lost(encoder.trace(SENTENCE))
    assert lost is None if first is None else lost is not None and lost.startswith(first)


# Algebra


@every_variant
def test_hidden_tokens_get_no_weight(config: EncoderConfig) -> None:
    hidden = (0, 3, 6)
    trace = tiny(config).trace(SENTENCE, hidden=hidden)
    assert trace.hidden == hidden
    seen = [i for i in range(7) if i not in hidden]
    for i, layer in enumerate(trace.layers):
        assert not layer.attention.weights[..., hidden][some_left(config, layer)].any()
        assert bool((layer.attention.masked[..., hidden] == config.mask_value).all())
        before = trace[trace.step(f"layers.{i}.attention.masked").inputs[0]]
        assert torch.equal(layer.attention.masked[..., seen], before[..., seen])
        assert float((layer.attention.weights.sum(-1) - 1).abs().max()) <= 1e-6


def some_left(config: EncoderConfig, layer: Any) -> torch.Tensor:
    """Which queries have a key left in their window: one with none weighs all keys alike."""
    return (layer.attention.masked != config.mask_value).any(-1)


def test_what_every_sentence_of_a_batch_must_have() -> None:
    encoder = tiny(TINY)
    with pytest.raises(ValueError, match="hidden position 4 is outside the sentence; positions go from 0 to 3"):
        encoder.trace([SENTENCE, "w1 w2"], hidden=(4,))
    with pytest.raises(ValueError, match="got 0 sentences; trace takes 1 or more"):
        encoder.trace([])
    (trace,) = encoder.trace([SENTENCE])
    assert torch.equal(trace["output"], encoder.trace(SENTENCE)["output"])


def test_what_a_hidden_token_is_changes_nothing_elsewhere() -> None:
    encoder = tiny(TINY)
    one, other = encoder.trace("w1 w2 w3", hidden=(2,)), encoder.trace("w1 w9 w3", hidden=(2,))
    seen = [0, 1, 3, 4]
    assert torch.equal(one["output"][seen], other["output"][seen])
    assert not torch.equal(one["output"][2], other["output"][2])


@in_turn(
    ("hidden", "message"),
    [
        ((7,), "hidden position 7 is outside the sentence; positions go from 0 to 6"),
        ((-1,), "hidden position -1 is outside the sentence; positions go from 0 to 6"),
        ((1, 2, 99), "hidden position 99 "),
        (range(7), "all 7 tokens are hidden"),
        ((True,), "hidden position True "),
        ((1.5,), r"hidden position 1\.5 "),
    ],
)
def test_hidden_positions_that_cannot_be(hidden: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiny(TINY).trace(SENTENCE, hidden=hidden)


# Batches


@every_variant
def test_padding_changes_no_real_token(config: EncoderConfig) -> None:
    encoder = tiny(config)
    encoder.model.double()
    texts = [SENTENCE, "w7", "w8 w9 w1", ""]
    batch = encoder.trace(texts)
    for text, padded in zip(texts, batch, strict=True):
        alone = encoder.trace(text)
        n = len(alone.tokens)
        assert (padded.tokens[:n], padded.padding) == (alone.tokens, 7 - n)
        assert padded.tokens[n:] == ["[PAD]"] * (7 - n)
        for layer in padded.layers:
            assert not layer.attention.weights[..., n:][some_left(config, layer)].any()
            assert bool(some_left(config, layer)[:, :n].all())
        assert float((padded["output"][:n] - alone["output"]).abs().max()) <= 1e-12


# Order


# Random weights


def test_a_seed_pins_the_weights_and_leaves_the_global_generator_alone() -> None:
    shape = EncoderConfig(d_model=24, n_heads=4, n_layers=2, d_ff=32, n_segments=2, mlm_head=True, positions="learned")
    before = torch.random.get_rng_state()
    first, again, other = (TextEncoder.from_config(shape, seed=seed).trace(SARA) for seed in (7, 7, 8))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert [name for name in first if not torch.equal(first[name], again[name])] == []
    assert not torch.equal(first["output"], other["output"])
    assert (first.source.fingerprint, other.source.fingerprint) == ("random weights, seed 7", "random weights, seed 8")


def test_the_same_weights_under_another_name_are_the_same_model(small: TextEncoder) -> None:
    again = TextEncoder.from_pretrained(checkpoint.BUNDLED / "small", called="renamed", origin="elsewhere")
    trace = small.trace("The [MASK] sat.")
    assert again.predict(trace, 1) == small.predict(trace, 1)
