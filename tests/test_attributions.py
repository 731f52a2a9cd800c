"""Attributions: equal to captum's, true where the truth is known, and adding up to what they explain."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from in_turn import in_turn
from shared_models import untrained
from torch import Tensor

from encoder import TextEncoder, Trace
from encoder.edits.edit import Edit
from encoder.experiments.attributions.contributions import BIAS, REST, StreamPart, logit_attribution
from encoder.experiments.attributions.gradients import (
    Attribution,
    deletion,
    gradient_x_attention,
    gradient_x_input,
    integrated_gradients,
    knock_out_tokens,
    relevance,
)
from encoder.experiments.attributions.rolled import rolled
from encoder.experiments.attributions.similarity import likeness, sentence_vector
from encoder.experiments.attributions.target import Forward, Logits, Target, spearman
from encoder.experiments.attributions.units import unit_sum
from encoder.model.config import EncoderConfig
from encoder.model.tap import Tap

pytestmark = pytest.mark.slow

SHAPE = EncoderConfig(vocab_size=20_000, d_model=64, n_heads=4, d_ff=96, n_layers=3, mlm_head=True)
SENTENCE = "The capital of France is [MASK]."


def made(**other: Any) -> TextEncoder:
    """An untrained model of this file's shape, but for what is given."""
    return untrained(replace(SHAPE, **other))


MODELS = {
    "small": partial(TextEncoder.from_pretrained, "small"),
    "pre-norm": partial(made, norm="std_norm", norm_first=True, final_norm=True, shared_layers=True),
    "narrow": partial(
        made,
        embedding_size=24,
        embedding_norm=True,
        n_segments=2,
        activation="gelu",
        positions="learned",
        norm_eps=1e-12,
        scale_embeddings=False,
        head_activation="gelu",
    ),
}


@pytest.fixture(scope="module", params=MODELS)
def encoder(request: pytest.FixtureRequest) -> TextEncoder:
    return MODELS[request.param]()


@pytest.fixture(scope="module")
def trace(encoder: TextEncoder) -> Trace:
    return encoder.trace(SENTENCE)


@pytest.fixture(scope="module")
def target(encoder: TextEncoder, trace: Trace) -> Target:
    """The lead of the best guess at the mask over the second best."""
    at = trace.tokens.index("[MASK]")
    best, second = trace["mlm.logits"][at].topk(2).indices.tolist()
    return Target(at, best, second)


def last(steps) -> Attribution:
    """The attribution at the end."""
    found = list(steps)[-1].found
    assert found is not None
    return found


def test_integrated_gradients_are_captums(encoder: TextEncoder, trace: Trace, target: Target) -> None:
    from captum.attr import LayerIntegratedGradients

    model = encoder.model

    def forward(ids: Tensor) -> Tensor:
        logits = model.predict(model(ids))
        return logits[:, target.position, target.word] - logits[:, target.position, target.against]

    ids = torch.tensor([trace.ids])
    start = ids.clone()
    start[0, 1:-1] = encoder.tokenizer.token_to_id("[MASK]")
    theirs = LayerIntegratedGradients(forward, model.embedding.tokens)
    wanted, delta = theirs.attribute(ids, start, n_steps=50, method="gausslegendre", return_convergence_delta=True)
    ours = last(integrated_gradients(encoder, trace, target, "mask", 50, 50))
    torch.testing.assert_close(ours.shares, wanted[0].sum(-1).detach(), atol=1e-4, rtol=1e-4)
    assert ours.total - (ours.value - ours.without) == pytest.approx(float(delta), abs=1e-4)


def test_gradient_x_input_is_autograd_by_hand(encoder: TextEncoder, trace: Trace, target: Target) -> None:
    rows = encoder.model.embedding.tokens(torch.tensor([trace.ids])).detach().requires_grad_()
    hook = encoder.model.embedding.tokens.register_forward_hook(lambda *_: rows)
    try:
        logits = encoder.model.predict(encoder.model(torch.tensor([trace.ids])))
    finally:
        hook.remove()
    at = logits[0, target.position]
    (at[target.word] - at[target.against]).backward()
    found = gradient_x_input(encoder, trace, target)
    torch.testing.assert_close(found.shares, (rows.grad * rows)[0].sum(-1).detach(), atol=1e-5, rtol=1e-4)
    lead = trace["mlm.logits"][target.position]
    assert found.value == pytest.approx(float(lead[target.word] - lead[target.against]), abs=1e-4)


@in_turn("baseline", ["mask", "pad", "zero", "mean"])
def test_the_shares_add_up_and_too_few_steps_are_told(small: TextEncoder, baseline: str) -> None:
    trace = small.trace(SENTENCE)
    target = Target(6, int(trace["mlm.logits"][6].argmax()))
    found = last(integrated_gradients(small, trace, target, baseline))
    assert found.converged and found.missing <= 0.01
    assert found.total == pytest.approx(found.value - found.without, rel=0.011)
    assert found.shares[0] == found.shares[-1] == 0  # the special tokens stay as they are
    few = last(integrated_gradients(small, trace, target, baseline, 1, 1))
    assert few.steps == 1 and few.converged == (few.missing <= 0.01)
    if baseline == "zero":
        more = last(integrated_gradients(small, trace, target, baseline, 1))
        assert not few.converged and more.converged and more.steps > 1


def affine() -> TextEncoder:
    """A model in which every logit is an affine function of the token rows: even attention, norms of a fixed spread."""
    encoder = made(activation="relu", d_ff=32)
    with torch.no_grad():
        for layer in encoder.model.layers:
            for part in (layer.attention.w_q, layer.attention.w_k, layer.feed_forward.w_2):
                part.weight.zero_()
                part.bias.zero_()
        head = encoder.model.mlm_head
        head.transform.bias.fill_(1e3)  # every unit of the activation is open
        for norm in [one for layer in encoder.model.layers for one in (layer.norm1, layer.norm2)] + [head.norm]:
            norm.eps = 1e12
            norm.weight.fill_(1e6)
    for part in encoder.model.modules():
        if hasattr(part, "prepacked"):
            part.prepacked = None
    return encoder


def test_all_agree_with_the_truth_where_it_is_affine() -> None:
    encoder = affine()
    trace = encoder.trace("The cat saw a dog.")
    target, n = Target(2, 500, 900), len(trace.tokens)
    alone = knock_out_tokens(encoder, trace, target)
    shared = last(integrated_gradients(encoder, trace, target, "mask", 1, 1))
    wanted = alone.shares.double()
    size = float(wanted.abs().max())
    assert size > 0
    torch.testing.assert_close(shared.shares.double(), wanted, atol=2e-3 * size, rtol=0)
    assert shared.missing < 2e-3
    from_zero = last(integrated_gradients(encoder, trace, target, "zero", 1, 1)).shares
    by_slope = gradient_x_input(encoder, trace, target).shares
    torch.testing.assert_close(from_zero[1:-1], by_slope[1:-1], atol=4e-3 * size, rtol=0)
    fallen = deletion(encoder, trace, target, range(n))
    torch.testing.assert_close((fallen[:-1] - fallen[1:]).double(), wanted, atol=4e-3 * size, rtol=0)
    assert spearman(shared.shares, alone.shares) > 0.99


def test_knocking_out_is_running_the_other_sentence(base: TextEncoder) -> None:
    trace = base.trace(SENTENCE)
    target = Target(6, base.word_id(trace, 6, "paris"))
    found = knock_out_tokens(base, trace, target)
    other = base.trace("The capital of [MASK] is [MASK].")
    fall = float(trace["mlm.logits"][6, target.word] - other["mlm.logits"][6, target.word])
    assert float(found.shares[4]) == pytest.approx(fall, abs=1e-4)
    stages = deletion(base, trace, target, [4, 2])
    twice = base.trace("The [MASK] of [MASK] is [MASK].")
    assert float(stages[2]) == pytest.approx(float(twice["mlm.logits"][6, target.word]), abs=1e-4)


def test_edits_and_hidden_tokens_are_part_of_it(base: TextEncoder) -> None:
    edits = [Edit("layers.5.attention.heads", "zero", heads=(3,))]
    trace = base.trace(SENTENCE, hidden=[2], edits=edits)
    target = Target(6, base.word_id(trace, 6, "paris"))
    logit = float(trace["mlm.logits"][6, target.word])
    assert gradient_x_input(base, trace, target).value == pytest.approx(logit, abs=1e-4)
    assert knock_out_tokens(base, trace, target).value == pytest.approx(logit, abs=1e-4)
    hidden = gradient_x_input(base, trace, target).shares[2]
    assert float(hidden) == 0  # nobody looks at it, and the guess is made elsewhere
    parts = logit_attribution(base, trace, target)
    assert parts.of(StreamPart("head", 5, 3)) == 0
    assert parts.value == pytest.approx(logit, abs=1e-4)


def test_gradient_x_attention_is_the_slope_of_each_weight(small: TextEncoder) -> None:
    trace = small.trace(SENTENCE)
    target = Target(6, int(trace["mlm.logits"][6].argmax()))
    found = gradient_x_attention(small, trace, target)
    assert found.shape == (small.config.n_layers, small.config.n_heads, len(trace.tokens), len(trace.tokens))
    layer, head = divmod(int(found.abs().amax((-1, -2)).argmax()), small.config.n_heads)
    weight = trace[f"layers.{layer}.attention.weights"][head, 6]
    step = 1e-2
    scaled = small.trace(
        SENTENCE,
        edits=[Edit(f"layers.{layer}.attention.weights", "scale", heads=(head,), positions=(6,), value=1 + step)],
    )
    change = float(scaled["mlm.logits"][6, target.word] - trace["mlm.logits"][6, target.word]) / step
    assert float(found[layer, head, 6].sum()) == pytest.approx(change, rel=0.05, abs=0.02)
    assert bool(weight.sum() > 0.99)
    shares = relevance(found, [6])
    assert shares.shape == (len(trace.tokens),) and bool((shares >= 0).all())


def test_parts_add_up_to_the_logit(encoder: TextEncoder, trace: Trace, target: Target) -> None:
    found = logit_attribution(encoder, trace, target)
    at = trace["mlm.logits"][target.position]
    logit = float(at[target.word] - at[target.against])
    assert found.value == pytest.approx(logit, abs=1e-5)
    largest = float(found.values.abs().max())
    assert abs(found.of(REST)) < 1e-4 * max(largest, 1e-3)
    assert sum(found.of(part) for part in found.parts if part != REST) == pytest.approx(logit, abs=1e-4 * largest)
    assert len(found.parts) == encoder.config.n_layers * (encoder.config.n_heads + 1) + 3
    opened_head = logit_attribution(encoder, trace, target, (1, 2))
    words = [opened_head.of(StreamPart("head", 1, 2, token)) for token in range(len(trace.tokens))]
    assert math.fsum(words) == pytest.approx(found.of(StreamPart("head", 1, 2)), abs=1e-5 * max(largest, 1.0))


class Held(Tap):
    """A pass in which sublayers put in what was recorded, and norms and the head's activation keep their factors."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.leaves: dict[str, Tensor] = {}

    def see(self, name: str, value: Tensor) -> Tensor:
        if name.endswith("variance"):
            return self.trace[name][None]
        if name.endswith(("attention.output", "feed_forward.output")):
            self.leaves[name] = self.trace[name][None].clone().requires_grad_()
            return self.leaves[name]
        if name == "mlm.transform":
            self.transform = value
        if name == "mlm.activation":
            before, after = self.trace["mlm.transform"], self.trace["mlm.activation"]
            return self.transform * torch.where(before == 0, 0.0, after / before)
        return value


def test_a_part_is_what_autograd_says_of_the_held_pass(encoder: TextEncoder, trace: Trace, target: Target) -> None:
    held = Held(trace)
    model = encoder.model
    logits = model.predict(model(torch.tensor([trace.ids]), tap=held), held)
    at = logits[0, target.position]
    (at[target.word] - at[target.against]).backward()
    found = logit_attribution(encoder, trace, target)
    heads = range(encoder.config.n_heads)
    for i in range(encoder.config.n_layers):
        leaf = held.leaves[f"layers.{i}.feed_forward.output"]
        by_slope = float((leaf.grad * leaf.detach())[0, target.position].double().sum())
        assert found.of(StreamPart("feed-forward", i)) == pytest.approx(by_slope, abs=2e-4)
        leaf = held.leaves[f"layers.{i}.attention.output"]
        bias = model.layers[i].attention.w_o.bias
        by_slope = float((leaf.grad[0] * (leaf[0] - bias).detach())[target.position].double().sum())
        assert sum(found.of(StreamPart("head", i, h)) for h in heads) == pytest.approx(by_slope, abs=2e-4)
    assert found.of(BIAS) != 0


FEED_FORWARD = MODELS | {
    "gated": partial(made, norm="rms_norm", norm_first=True, final_norm=True, gated=True, activation="silu"),
    "no biases": partial(made, attention_bias=False, norm_bias=False, head_bias=False, feed_forward_bias="none"),
}


@pytest.mark.parametrize("name", FEED_FORWARD)
def test_the_units_of_a_block_and_its_bias_add_up_to_what_the_block_adds(name: str) -> None:
    encoder = FEED_FORWARD[name]()
    target = None
    for exact in (False, True):
        encoder.model.to(torch.float64 if exact else torch.float32)
        trace = encoder.trace(SENTENCE)
        at = trace.tokens.index("[MASK]")
        target = target or Target(at, *trace["mlm.logits"][at].topk(2).indices.tolist())
        block = logit_attribution(encoder, trace, target)
        for layer in range(encoder.config.n_layers):
            found, wanted = unit_sum(encoder, trace, target, layer), block.of(StreamPart("feed-forward", layer))
            assert found.adds.shape == (encoder.config.d_ff,)
            assert found.total == pytest.approx(wanted, abs=1e-9 if exact else 1e-4), layer
            assert found.adds.abs().max() > 0 and (found.bias == 0) is (name == "no biases")


def test_a_unit_adds_what_a_run_loses_in_which_it_writes_nothing_and_all_else_is_held(base: TextEncoder) -> None:
    """The head of the last layer's own norm is all that follows: its spread and factors are held by hand."""
    trace = base.trace(SENTENCE)
    at, layer = trace.tokens.index("[MASK]"), base.config.n_layers - 1
    target = Target(at, *trace["mlm.logits"][at].topk(2).indices.tolist())
    found, here, head = unit_sum(base, trace, target, layer), f"layers.{layer}.", base.model.mlm_head
    unit = int(trace[f"{here}feed_forward.activation"][at].argmax())
    block = base.model.layers[layer]
    written = trace[f"{here}feed_forward.activation"][at, unit] * block.feed_forward.w_2.weight[:, unit]
    spread = (trace[f"{here}add_norm_2.variance"][at] + base.config.norm_eps).sqrt()
    inner = head.transform.weight @ ((written - written.mean()) / spread * block.norm2.weight)
    inner = inner * (trace["mlm.activation"][at] / trace["mlm.transform"][at]).nan_to_num()
    inner = (inner - inner.mean()) / (trace["mlm.norm.variance"][at] + base.config.norm_eps).sqrt() * head.norm.weight
    table = base.model.embedding.tokens.weight
    wanted = float((table[target.word] - table[target.against]) @ inner)
    assert abs(wanted) > 1e-3
    assert float(found.adds[unit]) == pytest.approx(wanted, abs=1e-5)


def test_padding_and_likeness_to_itself(small: TextEncoder) -> None:
    a, b = small.trace(["A dog barked.", "It is late, and nobody came to the party."])
    alone = small.trace("A dog barked.")
    torch.testing.assert_close(sentence_vector(a), sentence_vector(alone), atol=1e-5, rtol=1e-5)
    assert likeness(a, b).cells.shape == (len(alone.tokens), len(b.tokens))
    same = likeness(alone, alone)
    assert same.cosine == pytest.approx(1.0, abs=1e-12)


def test_rank_agreement() -> None:
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2, 2, 4], [1, 3, 2, 4]) == pytest.approx(0.9486832980505138)  # scipy.stats.spearmanr
    assert math.isnan(spearman([1, 1], [1, 2]))


def test_what_cannot_be_explained_is_a_sentence(base: TextEncoder, small: TextEncoder) -> None:
    trace, without, long = base.trace("hi"), made(mlm_head=False), base.trace("a " * 600)
    blown = [Edit(f"layers.{i}.output", "scale", value=3e38) for i in (1, 2)]
    endless = base.trace(SENTENCE, edits=blown)
    methods = (gradient_x_input, integrated_gradients, gradient_x_attention, knock_out_tokens, logit_attribution)
    for method, given, message in (
        (gradient_x_input, (base, trace, Target(99, 5)), "positions go from 0 to"),
        (logit_attribution, (base, trace, Target(1, 10**9)), "words go from 0 to"),
        (logit_attribution, (small, trace, Target(1, 5)), "another model"),
        (unit_sum, (base, trace, Target(1, 5), 6), "layer is 6"),
        (likeness, (trace, small.trace("hi")), "two models"),
        (knock_out_tokens, (base, trace, Target(1, 5), "noise"), "baseline is"),
        (gradient_x_input, (without, without.trace("hi"), Target(1, 5)), "no MLM head"),
        (gradient_x_input, (base, long, Target(1, 5)), r"gradients of \d+ tokens take .* MB, more than .*; take a sh"),
        *[(method, (base, endless, Target(6, 5)), "the logit is nan in this run; only a number") for method in methods],
    ):
        with pytest.raises(ValueError, match=message):
            method(*given)
    assert logit_attribution(base, long, Target(1, 5)).of(REST) == pytest.approx(0, abs=1e-3)


def test_rollout_stands_beside_what_the_loss_of_each_word_costs(base: TextEncoder) -> None:
    """Layer by layer by hand, and each word replaced by [MASK] in a run of its own."""
    text = "The keys to the cabinet [MASK] on the unbelievably old table."
    trace = base.trace(text)
    gap, n = trace.tokens.index("[MASK]"), len(trace.tokens)
    word = int(trace["mlm.probabilities"][gap].argmax())
    both_ways = rolled(base, trace, Target(gap, word))
    spelled = [trace.tokenization.spelled(each) for each in both_ways.words]
    assert spelled == ["The", "keys", "to", "the", "cabinet", "on", "the", "unbelievably", "old", "table", "."]
    through = torch.eye(n)
    for layer in range(base.config.n_layers):
        mixed = (trace[f"layers.{layer}.attention.weights"].mean(0) + torch.eye(n)) / 2
        through = mixed @ through
    shares = torch.stack([through[gap, list(each)].sum() for each in both_ways.words])
    torch.testing.assert_close(both_ways.shares, (shares / shares.sum()).double(), atol=1e-5, rtol=0)
    mask = trace.ids[gap]
    for each, lost in zip(both_ways.words, both_ways.lost.tolist(), strict=True):
        falls = 0.0
        for place in each:
            ids = [mask if i == place else token for i, token in enumerate(trace.ids)]
            logits = base.model.predict(base.model(torch.tensor([ids])))
            assert logits is not None
            falls += float(trace["mlm.logits"][gap, word] - logits[0, gap, word])
        assert lost == pytest.approx(falls, abs=2e-3)
    both = both_ways.beside()
    assert both.abs().sum(1).tolist() == pytest.approx([1, 1]) and -1 <= both_ways.agreement <= 1
    short = base.trace("[MASK] cats")
    with pytest.raises(ValueError, match="fewer than two words"):
        rolled(base, short, Target(1, word))


def test_what_a_run_gives_does_not_hold_all_its_logits(small: TextEncoder) -> None:
    """A view of them did: the runs without each of 512 tokens held 9 GB."""
    trace, target = small.trace(SENTENCE), Target(6, 5, 7)
    forward = Forward(small, trace)
    for wanted in (target, Target(target.position, target.word), Logits(target.position, target.words)):
        given = forward(forward.rows[None], wanted)
        assert given.untyped_storage().nbytes() == given.nbytes
