"""The labs: every claim as an assertion, closed forms where there are some, and the parts run by hand beside them."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from in_turn import in_turn
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from torch import Tensor
from torch.autograd.functional import jacobian

from encoder import Edit, EncoderConfig, TextEncoder
from encoder.checkpoint.build import untrained
from encoder.experiments import (
    PLACES,
    WITHOUT_POSITIONS,
    bare,
    bias_table,
    biases,
    collapse,
    dot_products,
    dropout,
    exchanged,
    gate_signs,
    gradients,
    halved,
    hidden_row,
    mean_share,
    merged,
    norms,
    one_matrix,
    padding,
    placed_scores,
    profile,
    residuals,
    scaling,
    sight,
    softmax_gradient,
    softmax_of,
    softmax_slopes,
    timing,
    turn,
    word_order,
)
from encoder.experiments.common import given, normal
from encoder.experiments.depth import SHAPE
from encoder.experiments.depth import VARIANTS as KINDS
from encoder.metrics import attention_weights
from encoder.model.block import Block
from encoder.model.tap import Recorder

pytestmark = pytest.mark.slow

SARA = "Keys on the table belong to Sara."
SHORT, LONG = "w1 w2 w3", "w4 w5 w6 w7 w8 w9"
SMALL = replace(SHAPE, d_model=30, n_heads=3, d_ff=44)


def refused(message: str, call: Callable[..., object], *given: Any, **named: Any) -> None:
    """See that a call is refused with these words."""
    with pytest.raises(ValueError, match=message):
        call(*given, **named)


@in_turn("config", [VARIANTS[name] for name in COVERING])
def test_what_holds_in_every_model(config: EncoderConfig) -> None:
    encoder = tiny(config)
    trace = encoder.trace(SENTENCE)
    # Without positions the same rows come out in another order; of two layers, as in 24 random ones all are one
    order = word_order(tiny(replace(config, n_layers=2)), SENTENCE)
    assert order.off.shape == order.on.shape == (7, config.d_model)
    assert order.largest_off <= 1e-5
    assert float(order.off_by_token.max()) == order.largest_off and float(order.on_by_token.max()) == order.largest_on
    nowhere = config.positions == "none" and not config.position_buckets and config.distance_scores == "none"
    least = 0.01 if config.positions == "alibi" else 0.1  # read backwards, words keep their distances
    assert order.largest_on <= 1e-5 if nowhere else order.largest_on > least
    # Padding changes nothing where it is masked
    batch = padding(encoder, SHORT, LONG)
    assert (batch.n, batch.tokens) == (5, ("[CLS]", "w1", "w2", "w3", "[SEP]", "[PAD]", "[PAD]", "[PAD]"))
    assert float(batch.masked.max()) <= 1e-5 < 1e-2 < float(batch.forgotten.min())
    assert batch.masked_leak.shape == (config.n_layers, config.n_heads)
    assert not batch.masked_leak.any() and (batch.forgotten_leak > 0).all()
    # Dropout of nothing is the run itself
    for found in (dropout(encoder, SENTENCE, 0.0, runs=2), dropout(encoder, SENTENCE, 0.5, (), runs=2)):
        assert found.dropped == 0 and torch.allclose(found.plain, trace["output"], atol=1e-5)
        assert torch.allclose(found.runs, trace["output"].expand_as(found.runs), atol=1e-4)
    # One matrix is a matrix for each head
    for matrix in one_matrix(trace, 1):
        assert matrix.whole == (config.d_model, config.d_model) and matrix.cut == (config.d_model, config.d_head)
        assert matrix.apart.shape == (config.n_heads,) and float(matrix.apart.max()) <= 1e-5 * max(1, matrix.size)
        assert matrix.size == pytest.approx(float(trace[f"layers.1.attention.{matrix.name}"].abs().max()), rel=1e-5)


# Word order


def test_word_order_is_that_of_the_sentence_typed_in_reverse() -> None:
    encoder = tiny(TINY)
    lab = word_order(encoder, SENTENCE)
    typed = encoder.trace("w4 w2 w3 w2 w1")
    assert lab.reordered == tuple(typed.tokens)
    back = [lab.order.index(i) for i in range(7)]
    for edits, found in (((), lab.on), ((WITHOUT_POSITIONS,), lab.off)):
        first, turned = (encoder.trace(text, edits=edits)["output"] for text in (SENTENCE, typed.text))
        torch.testing.assert_close(found, turned[back] - first, rtol=0, atol=2e-5)


def test_pieces_of_a_word_stay_together(base: TextEncoder) -> None:
    lab = word_order(base, "an unbelievableness [MASK].")
    assert lab.tokens == ("[CLS]", "an", "unb", "##el", "##iev", "##able", "##ness", "[MASK]", ".", "[SEP]")
    assert lab.reordered == ("[CLS]", ".", "[MASK]", "unb", "##el", "##iev", "##able", "##ness", "an", "[SEP]")
    assert lab.largest_off <= 1e-5 < 1 < lab.largest_on
    assert (word_order(base, SARA).on.abs().amax(-1) > 1).all()
    for text in ("", "w1", "w1 w2 w1"):
        message = f"^'{text}' reads the same both ways; word order needs two different words"
        refused(message, word_order, tiny(TINY), text)


# Scaling


def softmax_of_rows(scores: Tensor) -> Tensor:
    """Softmax in float64, a row at a time, by its definition."""
    shares = (scores.double() - scores.double().amax(-1, keepdim=True)).exp()
    return shares / shares.sum(-1, keepdim=True)


def share_of_entropy(weights: Tensor) -> Tensor:
    """-sum p ln p / ln n, averaged over rows."""
    parts = torch.where(weights > 0, -weights * weights.clamp_min(1e-300).log(), 0.0)
    return parts.sum(-1).mean(-1) / math.log(weights.shape[-1])


def test_scaling_of_layer_0_is_softmax_of_the_recorded_scores(base: TextEncoder) -> None:
    trace = base.trace(SARA)
    lab = scaling(base, trace)
    scores = trace["layers.0.attention.scores"]
    with_, without = softmax_of_rows(scores / math.sqrt(base.config.d_head)), softmax_of_rows(scores)
    near = {"rtol": 1e-4, "atol": 1e-5, "check_dtype": False}
    torch.testing.assert_close(lab.with_entropy[0], share_of_entropy(with_), **near)
    torch.testing.assert_close(lab.without_entropy[0], share_of_entropy(without), **near)
    torch.testing.assert_close(lab.change[0], share_of_entropy(without) - share_of_entropy(with_), **near)
    torch.testing.assert_close(lab.with_largest[0], with_.amax(-1).mean(-1), **near)
    torch.testing.assert_close(lab.without_largest[0], without.amax(-1).mean(-1), **near)
    assert lab.with_entropy.shape == (base.config.n_layers, base.config.n_heads)
    assert (lab.without_entropy < lab.with_entropy).all(), "every head looks at fewer tokens"


def test_scaling_keeps_the_edits_and_hidden_tokens_of_the_trace() -> None:
    encoder = tiny(TINY)
    edits = tuple(Edit(f"layers.{i}.attention.scaled", "bypass") for i in range(2))
    even = tuple(Edit(f"layers.{i}.attention.masked", "replace", value=0.0) for i in range(2))
    lab = scaling(encoder, encoder.trace(SENTENCE, edits=even))
    assert torch.equal(lab.with_entropy, lab.without_entropy) and float(lab.with_entropy.min()) > 0.9999
    hidden = scaling(encoder, encoder.trace(SENTENCE, hidden=(2, 3)))
    weights = attention_weights(encoder.trace(SENTENCE, hidden=(2, 3), edits=edits))
    assert torch.equal(hidden.without_largest, weights.amax(-1).mean(-1))
    other = tiny(replace(TINY, activation="gelu")).trace(SENTENCE)
    refused(r"^the trace is of another model \(tiny\) than this one \(tiny\)", scaling, encoder, other)


def test_dot_products_are_those_of_the_drawn_numbers() -> None:
    (found,) = dot_products((6,), n=5, sentences=3, seed=7)
    q, k = normal(2, 3, 1, 5, 6, seed=7).double()
    scores = torch.tensor(
        [
            [[sum(a * b for a, b in zip(i, j, strict=True)) for j in y] for i in x]
            for x, y in zip(q[:, 0].tolist(), k[:, 0].tolist(), strict=True)
        ]
    )
    with_, without = softmax_of_rows(scores / math.sqrt(6)), softmax_of_rows(scores)
    oracle = (
        6,
        scores.std(),
        math.sqrt(6),
        share_of_entropy(with_).mean(),
        share_of_entropy(without).mean(),
        with_.amax(-1).mean(),
        without.amax(-1).mean(),
    )
    assert found == pytest.approx([float(number) for number in oracle], rel=1e-5)


# Padding


def test_the_leak_is_the_weight_on_padding() -> None:
    encoder = tiny(TINY)
    lab = padding(encoder, SHORT, LONG)
    values: dict[str, Tensor] = {}
    output, _ = encoder.run(torch.tensor([[2, 6, 7, 8, 3, 0, 0, 0]]), None, Recorder(values, {}))
    for layer in range(2):
        for head in range(3):
            rows = values[f"layers.{layer}.attention.weights"][0, head].tolist()
            on_padding = sum(sum(row[5:]) for row in rows[:5]) / 5
            assert float(lab.forgotten_leak[layer, head]) == pytest.approx(on_padding, rel=1e-5)
            torch.testing.assert_close(lab.weights[1, layer, head], torch.tensor(rows), rtol=1e-5, atol=1e-6)
    apart = (output[0, :5] - encoder.trace(SHORT)["output"]).abs().amax(-1)
    torch.testing.assert_close(lab.forgotten, apart, rtol=1e-5, atol=1e-5)
    masked, forgotten = lab.scores
    assert bool(masked[..., 5:].isinf().all() and masked[..., :5].isfinite().all() and forgotten.isfinite().all())
    for short, long, n in ((SHORT, SHORT, (5, 5)), (LONG, SHORT, (8, 5))):
        message = f"^the short sentence has {n[0]} tokens, the long one {n[1]}; the short one must have fewer$"
        refused(message, padding, encoder, short, long)


def test_a_row_with_every_key_hidden_is_no_number_and_spoils_all() -> None:
    lab = hidden_row(-math.inf)
    assert (lab.masked[-1] == -math.inf).all() and lab.masked[:-1].isfinite().all()
    assert lab.weights[-1].isnan().all() and lab.weights[:-1].isfinite().all()
    assert lab.lost == (0, 1, 5, 5)
    for n in (2, 5):
        lab = hidden_row(-1e9, n=n)  # a finite value spreads that row evenly
        assert (lab.masked[-1] == -1e9).all() and lab.lost == (0, 0, 0, 0)
        torch.testing.assert_close(lab.weights[-1], torch.full((n,), 1 / n), rtol=1e-6, atol=0)
        assert float(lab.weights[:-1].std()) > 0.01, "the other rows are not even"


# Dropout, and words without what is added to them


def test_dropout_zeroes_a_share_and_a_seed_pins_it(base: TextEncoder) -> None:
    for place in PLACES:
        found, again, other = (dropout(tiny(TINY), SENTENCE, 0.3, (place,), runs=40, seed=seed) for seed in (5, 5, 6))
        assert found.dropped == pytest.approx(0.3, abs=0.02) and found.runs.shape == (40, 7, 30)
        assert torch.equal(found.runs, again.runs) and not torch.equal(found.runs, other.runs)
        assert float(found.alike.max()) < 1 and float(found.mean_alike.mean()) > float(found.alike.mean())
    alike = [float(dropout(base, "The cat sleeps.", p).alike.mean()) for p in (0.0, 0.1, 0.3)]
    assert alike[0] == pytest.approx(1, abs=1e-5) and alike[0] > alike[1] > alike[2]


def test_bare_words_are_as_many_rows_as_words(base: TextEncoder) -> None:
    found, trace = bare(base, "I understand this"), base.trace("I understand this")
    assert found.tokens == ("i", "understand", "this") and found.added == ("[CLS]", "[SEP]")
    assert found.alone.shape == found.with_added.shape == (3, 512)
    assert torch.allclose(found.with_added, trace["output"][1:-1], atol=1e-4)
    assert torch.allclose(found.alone, base.run(torch.tensor([trace.ids[1:-1]]))[0][0], atol=1e-4)
    assert float(found.alike.max()) < 1


# Residual and norm


def by_hand(block: Block, x: Tensor, residual: bool, norm: bool) -> Tensor:
    """A block put together from its parts, with some left out."""
    norms = (block.norm1, block.norm2) if norm else (torch.nn.Identity(), torch.nn.Identity())
    for sublayer, norm_of in zip((block.attention, block.feed_forward), norms, strict=True):
        kept = x if residual else torch.zeros_like(x)
        x = kept + sublayer(norm_of(x)) if block.norm_first else norm_of(kept + sublayer(x))
    return x


@in_turn(("kind", "norm_first"), [(kind, norm_first) for kind in KINDS for norm_first in (False, True)])
def test_curves_are_those_of_blocks_put_together_by_hand(kind: tuple[bool, bool], norm_first: bool) -> None:
    config = replace(SMALL, norm_first=norm_first)
    curve = residuals((3,), config, n=5, seed=4).curve(*kind)
    x = normal(5, 30, seed=5)[None]
    for depth, block in enumerate((None, *untrained(replace(config, n_layers=3), 4).layers)):
        x = by_hand(block, x, *kind) if isinstance(block, Block) else x
        vectors = x[0].double()
        unit = vectors / vectors.square().sum(-1, keepdim=True).sqrt()
        cosines = [float(unit[i] @ unit[j]) for i in range(5) for j in range(5) if i != j]
        assert float(curve.cosine[depth]) == pytest.approx(sum(cosines) / 20, abs=1e-5)
        assert float(curve.length[depth]) == pytest.approx(float(vectors.square().sum(-1).sqrt().mean()), rel=1e-4)


# Two norms


def test_norms_are_those_of_torch() -> None:
    (found,) = norms((6,), samples=9, seed=3, eps=0.1)
    x = normal(9, 6, seed=3)
    published = torch.nn.functional.layer_norm(x, (6,), eps=0.1)
    variant = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 0.1)
    apart = (published - variant).abs()
    oracle = (6, apart.max(), apart.mean(), published.norm() / variant.norm(), math.sqrt(6 / 5))
    assert found == pytest.approx([float(number) for number in oracle], rel=1e-5)
    for pair in norms(eps=0.0):
        assert pair.ratio == pytest.approx(math.sqrt(pair.d_model / (pair.d_model - 1)), rel=1e-6)


# Collapse


def test_what_relu_leaves_over_is_what_it_leaves_of_one_normal_number() -> None:
    # the best line through relu(z) for z ~ N(0, 1) explains (1/2)^2 of the variance 1/2 - 1/(2 pi): 73 %
    expected = math.sqrt(1 - (1 / 4) / (1 / 2 - 1 / (2 * math.pi)))
    assert collapse(samples=8192).remainder == pytest.approx(expected, rel=0.05)
    assert collapse(activation="gelu", samples=8192).remainder < expected


def test_units_that_never_switch_off_do_not_bend() -> None:
    feed_forward = untrained(replace(TINY, n_layers=1), 0).layers[0].feed_forward
    feed_forward.w_1.bias.fill_(100.0)
    feed_forward.w_2.bias.fill_(-3.0)
    x = normal(100, 30, seed=1)
    lab = merged(feed_forward, x)
    assert lab.bent == lab.linear and lab.remainder < 1e-4
    torch.testing.assert_close(x @ lab.weight + lab.bias, feed_forward(x), rtol=1e-4, atol=1e-3)


# What all labs share


def test_what_cannot_be_is_refused(base: TextEncoder) -> None:
    encoder = tiny(TINY)
    table = encoder.model.embedding.positions.weight
    from_2 = "must hold one or more whole numbers from 2 to 8192"
    for call, message in (
        (lambda: dot_products(()), f"^widths is empty; it {from_2}"),
        (lambda: dot_products((4, 1)), "^widths holds 1; it must hold whole numbers from 2 to 8192"),
        (lambda: dot_products(n=1), "^n is 1; it must be a whole number, 2 or more"),
        (lambda: dot_products(sentences=0), "^sentences is 0; it must be a whole number, 1 or more"),
        (lambda: hidden_row(-5.0), "^mask_value is -5.0; it must be from -3.4e"),
        (lambda: hidden_row(n_layers=0), "^n_layers is 0; it must be a whole number from 1 to 96"),
        (lambda: residuals((6, 97)), "^depths holds 97; it must hold whole numbers from 1 to 96"),
        (lambda: norms(()), f"^d_models is empty; it {from_2}"),
        (lambda: norms(samples=0), "^samples is 0; it must be a whole number, 1 or more"),
        (lambda: norms(eps=math.nan), "^eps is nan; it must be a number from 0 to below 1"),
        (lambda: collapse(64, samples=129), "^samples is 129; it must be a whole number, 130 or more"),
        (lambda: collapse(1), "^d_model is 1; it must be a whole number from 2 to 8192"),
        (lambda: merged(encoder.model.layers[0].feed_forward, torch.zeros(61, 30)), "^61 samples; for d_model 30 the"),
        (lambda: softmax_of([]), "one or more numbers"),
        (lambda: softmax_of([math.nan]), "one or more numbers"),
        *[(lambda k=k: turn(table, k), f"k is {k}") for k in (0, -1, 19, 2.0, True)],
        (lambda: turn(torch.zeros(5, 3)), "d_model is 3"),
        *[(lambda n=n: timing(encoder, n), "1 to 19") for n in ((), (0,), (20,))],
        (lambda: dropout(encoder, SENTENCE, 1.0), "from 0 to 0.9"),
        (lambda: dropout(encoder, SENTENCE, places=("heads",)), "holds 'heads'"),
        (lambda: dropout(encoder, SENTENCE, runs=0), "1 or more"),
        (lambda: dropout(encoder, SENTENCE, runs=65), "64 or less"),
        (lambda: bare(base, ""), "has no word"),
        *[
            (lambda other=other: exchanged(encoder, SENTENCE, other), "must have the same words, in another order")
            for other in ("w1 w2 w3 w2", "w1 w2 w3 w2 w9", SENTENCE)
        ],
        (lambda: placed_scores(encoder, encoder.trace(SENTENCE), 3, 0, 0), "head is 3; it must be"),
        (lambda: sight(encoder, 12, 12), "position is 12; it must be a whole number from 0 to 11"),
        (lambda: gate_signs(encoder.trace(SENTENCE), 1), "layer 1 of this model has no gated feed-forward"),
        (lambda: bias_table(encoder), "adds no position bias"),
    ):
        refused(message, call)


def test_a_word_that_stands_twice_is_matched_in_reading_order(base: TextEncoder) -> None:
    lab = exchanged(base, "The cat chased the mouse.", "The mouse chased the cat.")
    assert lab.order == (0, 1, 5, 3, 4, 2, 6, 7)
    assert lab.reordered[1:6] == ("the", "mouse", "chased", "the", "cat")
    there, back = base.trace("The cat chased the mouse."), base.trace("The mouse chased the cat.")
    torch.testing.assert_close(lab.on[2], back["output"][5] - there["output"][2], atol=1e-4, rtol=0)
    assert lab.largest_off < 1e-5 < lab.largest_on


# Positions


def test_a_pair_of_columns_turns_by_its_frequency_at_every_step() -> None:
    config = replace(TINY, max_positions=100)
    table = tiny(config).model.embedding.positions.weight
    for k in (1, 7, 99):
        found = turn(table, k)
        frequencies = [10_000 ** (-2 * i / config.d_model) for i in range(config.d_model // 2)]
        expected = torch.tensor([math.remainder(k * w, 2 * math.pi) for w in frequencies], dtype=torch.float64)
        torch.testing.assert_close(found.angles, expected, atol=1e-6, rtol=0)
        assert found.largest < 1e-6


def test_the_profile_is_a_sum_of_cosines_and_knows_only_distance() -> None:
    table = tiny(TINY).model.embedding.positions.weight
    found = profile(table)
    for k in (0, 1, 5):
        cosines = [math.cos(k * 10_000 ** (-2 * i / TINY.d_model)) for i in range(TINY.d_model // 2)]
        assert float(found.mean[k]) == pytest.approx(sum(cosines), abs=1e-5)
    assert found.spread.max() < 1e-5


# Softmax, gradients, linearity, time


@in_turn("scores", [[2.0, 1.0, 0.1], [0.0, 0.0], [80.0, 0.0, -80.0], [3.0], [2.0, -math.inf]])
def test_softmax_and_its_gradient_are_torchs(scores: list[float]) -> None:
    given = torch.tensor(scores, dtype=torch.float64)
    assert torch.allclose(softmax_of(scores).double(), given.softmax(-1), atol=1e-6)
    assert torch.allclose(softmax_gradient(scores), jacobian(lambda s: s.softmax(-1), given), atol=1e-6)


def test_without_the_division_the_gradient_vanishes_with_the_width() -> None:
    found = softmax_slopes((4, 64, 1024))
    assert [one.d_head for one in found] == [4, 64, 1024]
    assert found[0].without > found[1].without > found[2].without and found[2].without < 0.1
    assert max(one.with_ for one in found) / min(one.with_ for one in found) < 1.3
    drawn = torch.randn((256, 17, 64), generator=torch.Generator().manual_seed(0)).double()
    rows = [jacobian(lambda s: s.softmax(-1), row[1:] @ row[0] / math.sqrt(64)) for row in drawn]
    assert found[1].with_ == pytest.approx(sum(float(one.square().sum().sqrt()) for one in rows) / 256, rel=1e-5)


@in_turn(("norm_first", "residual"), [(a, b) for a in (True, False) for b in (True, False)])
def test_gradients_are_what_a_small_step_of_the_input_does(norm_first: bool, residual: bool) -> None:
    config = replace(SMALL, norm_first=norm_first)
    found = gradients(3, config, residual=residual, n=5)
    x, away = normal(1, 5, 30, seed=1).double(), normal(1, 5, 30, seed=2).double()
    model = untrained(replace(config, n_layers=3, vocab_size=5), 0).double()
    residuals = [f"layers.{i}.add_norm_{n}.residual" for i in range(3) for n in (1, 2)]
    tap = given({} if residual else {name: torch.zeros_like(x) for name in residuals}, Recorder({}, {}))

    def loss(inputs: Tensor) -> float:
        return float((model.resume(inputs, 0, None, tap) * away).sum())

    step, slopes = 1e-6, []
    for i in range(x.numel()):
        moved = torch.zeros_like(x)
        moved.view(-1)[i] = step
        slopes.append((loss(x + moved) - loss(x - moved)) / (2 * step))
    assert float(found[0]) == pytest.approx(math.hypot(*slopes), rel=1e-3)
    assert float(found[3]) == pytest.approx(float(away.norm()), rel=1e-6)
    assert found.shape == (4,)


def test_attention_with_its_weights_held_is_linear_and_without_is_not(base: TextEncoder) -> None:
    trace = base.trace(SARA)
    found = halved(base.model.layers[2].attention, trace["layers.2.attention.input"])
    assert found.held < 1e-6 < 0.1 < found.bent
    attention = base.model.layers[2].attention
    x = trace["layers.2.attention.input"][None]
    whole, half, nothing = (attention(x * share).double() for share in (1, 0.5, 0))
    expected = (half - (whole + nothing) / 2).norm() / (whole - nothing).norm()
    assert found.bent == pytest.approx(float(expected), rel=1e-5)


def test_operations_grow_with_length_and_those_for_pairs_with_its_square() -> None:
    threads = torch.get_num_threads()
    found = timing(tiny(TINY), (4, 8, 16), repetitions=1)
    assert torch.get_num_threads() == threads
    assert [one.n for one in found] == [4, 8, 16]
    assert all(one.seconds > 0 and 0 < one.pair_flops < one.flops for one in found)
    for short, long in ((found[0], found[1]), (found[1], found[2])):
        assert 2 < long.flops / short.flops < 4
        assert 3.9 < long.pair_flops / short.pair_flops < 4.3


def test_two_words_score_alike_at_one_distance_where_they_are_turned() -> None:
    """In the places where they really stand the scores are those of the run."""
    for name, spread in (("rotary", 1e-5), ("post-norm", None)):
        encoder = tiny(VARIANTS[name])
        trace = encoder.trace(SENTENCE)
        found = placed_scores(encoder, trace, 1, 2, 3)
        assert found.values.shape == (19, 19)  # as many places as the model has
        here = float(trace["layers.0.attention.scores"][1, 2, 3])
        assert float(found.values[2, 3]) == pytest.approx(here, rel=1e-4)
        assert float(found.along(1)[2]) == float(found.values[2, 3])
        assert found.spread < spread if spread else found.spread > 0.1


def test_what_a_token_sees_is_where_its_weights_are_not_zero() -> None:
    encoder = tiny(replace(VARIANTS["window"], n_layers=4))  # layers 1 and 2 see one neighbour, layers 0 and 3 all
    n, place = 12, 5
    values: dict[str, Tensor] = {}
    encoder.model(torch.arange(5, 5 + n)[None], tap=Recorder(values, {}))
    found = sight(encoder, n, place)
    for layer in range(4):
        weights = values[f"layers.{layer}.attention.weights"][0, :, place]
        assert ((weights > 0).any(0) == found.seen[layer]).all(), layer
    assert bool(found.reached.all())  # layer 0 sees all, so everything has reached it at once


def test_gate_signs_are_counted_one_by_one() -> None:
    encoder = tiny(VARIANTS["gated"])
    trace = encoder.trace([SENTENCE, f"{SENTENCE} w5"])[0]  # with a token of padding, which does not count
    found = gate_signs(trace, 1)
    gate, up = trace["layers.1.feed_forward.hidden"], trace["layers.1.feed_forward.up"]
    counts, written = [0] * 4, [0.0] * 4
    for token in range(7):
        for unit in range(44):
            at = 2 * int(gate[token, unit] <= 0) + int(up[token, unit] <= 0)
            counts[at] += 1
            written[at] += abs(float(trace["layers.1.feed_forward.gated"][token, unit]))
    assert found.shares.tolist() == pytest.approx([count / (7 * 44) for count in counts])
    assert found.written.tolist() == pytest.approx([one / sum(written) for one in written])
    assert found.units.sum(-1).tolist() == [7] * 44


def test_the_mean_that_layer_norm_takes_away_and_the_biases_are_measured() -> None:
    encoder = tiny(TINY)
    trace = encoder.trace(SENTENCE)
    x = trace["layers.1.add_norm_2.sum"].double()
    assert torch.allclose(mean_share(trace)[3], x.mean(-1) ** 2 / (x**2).mean(-1))
    assert biases(tiny(VARIANTS["preset-modern"])) == 0
    per_layer = 4 * 30 + 44 + 30 + 2 * 30  # four maps of attention, two of feed-forward, two betas
    assert biases(encoder) == 2 * per_layer


def test_the_whole_table_of_a_position_bias_is_what_is_added_at_every_distance() -> None:
    encoder = tiny(VARIANTS["position-bias"])
    trace = encoder.trace(" ".join(f"w{i}" for i in range(17)))  # 19 tokens
    found = bias_table(encoder)
    assert found.values.shape == (3, 7)  # no key after the query stands at distance 0: that row is of no use
    added, names = trace["layers.1.attention.position_bias"], list(found.names)
    for apart, name in ((0, "itself"), (-1, "1 before"), (1, "1 after"), (-18, "16 and more before")):
        query = 18 if apart < 0 else 0
        where = names.index(name)
        assert torch.equal(found.values[:, where], added[:, query, query + apart]), name
    assert names[0].endswith("and more before") and names[-1].endswith("and more after")
    falls = tiny(VARIANTS["alibi"])
    found, added = bias_table(falls), falls.trace(SENTENCE)["layers.1.attention.position_bias"]
    assert found.names[:4] == ("itself", "1 away", "2 away", "4 away") and found.values.shape == (3, 9)
    assert all(torch.equal(found.values[:, i], added[:, 5, 5 - k]) for i, k in enumerate((0, 1, 2, 4)))
