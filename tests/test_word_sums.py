"""A guess as an exact sum of its words, held against the model itself run with what the run did held still."""

from functools import partial
from typing import Any

import pytest
import torch
from shared_models import untrained
from torch import Tensor

from encoder import Edit, EncoderConfig, TextEncoder, Trace
from encoder.exam.constructed_sentences import constructed_sentences
from encoder.exam.word_guides import WAYS, Guide, guides, main
from encoder.experiments.attributions.target import Target
from encoder.experiments.attributions.word_sums import BIASES, REST, Parts, added_by_word, after_layers, sum_over_words
from encoder.model.tap import Tap
from encoder.packet.cost_level import level_12
from encoder.packet.format import unpack
from encoder.packet.sum_level import level_10
from encoder.support.errors import EncoderError

pytestmark = pytest.mark.slow

SHAPE = {"vocab_size": 20_000, "d_model": 48, "n_heads": 4, "d_ff": 80, "n_layers": 3, "mlm_head": True}
SENTENCE = "The keys to the cabinet [MASK] on the table."
GATED = {"positions": "rotary", "norm": "rms_norm", "norm_first": True, "final_norm": True, "gated": True}


def made(**other: Any) -> TextEncoder:
    """An untrained model of this file's shape, but for what is given."""
    return untrained(EncoderConfig(**{**SHAPE, **other}))


FAMILIES = {
    "post-norm": made,
    "trained": partial(TextEncoder.from_pretrained, "small"),
    "pre-norm": partial(made, norm_first=True, final_norm=True, activation="gelu"),
    "gated": partial(made, **GATED, activation="silu"),
    "std": partial(made, norm="std_norm"),
    "narrow": partial(made, positions="learned", embedding_size=24, embedding_norm=True, n_segments=2),
    "no biases": partial(made, attention_bias=False, norm_bias=False, head_bias=False, feed_forward_bias="none"),
    "shared": partial(made, shared_layers=True, head_activation="gelu"),
    "distances": partial(made, positions="none", position_buckets=8),
}


class Held(Tap):
    """A forward pass in which some tokens alone come in, and what a run did is held: all of it is then linear."""

    def __init__(self, trace: Trace, come: list[int]) -> None:
        self.trace = trace
        self.come = come
        self.before: dict[str, Tensor] = {}

    def see(self, name: str, value: Tensor) -> Tensor:
        """Put the run's own weights, spreads and factors in the place of what these tokens alone would have."""
        run, local = self.trace, name.rpartition(".")[2]
        if name == "embedding.output":
            alone = torch.zeros_like(value)
            alone[:, self.come] = run[name][self.come]
            return alone
        if name.startswith("embedding."):
            return value
        if name.endswith("attention.weights") or local in ("variance", "mean_square"):
            return run[name].expand_as(value)
        if local in ("hidden", "transform"):
            self.before[name] = value
        if name.endswith("feed_forward.activation") and f"{name.removesuffix('activation')}up" in run:
            return run[name].expand_as(value)
        came = {"feed_forward.activation": "hidden", "mlm.activation": "transform"}
        for ending, entry in came.items():
            if name.endswith(ending):
                step = name.removesuffix("activation") + entry
                return self.before[step] * (run[name] / run[step]).nan_to_num()
        return value


def alone(encoder: TextEncoder, trace: Trace, target: Target, come: list[int]) -> float:
    """The target where these tokens alone come in."""
    tap, model = Held(trace, come), encoder.model
    with torch.inference_mode():
        logits = model.predict(model(torch.tensor([trace.ids]), None, None, tap), tap)
    assert logits is not None
    return float(target.of(logits[0].double()))


def target_of(trace: Trace) -> Target:
    """The lead of the best guess at the gap over the second best."""
    at = trace.tokens.index("[MASK]")
    best, second = trace["mlm.logits"][at].topk(2).indices.tolist()
    return Target(at, best, second)


@pytest.mark.parametrize(("family", "double"), [("trained", False), *((family, True) for family in FAMILIES)])
def test_the_sum_is_the_number_of_the_run_and_each_part_is_that_of_a_run_with_its_token_alone(
    family: str, double: bool
) -> None:
    encoder = FAMILIES[family]()
    if double:
        encoder.model.double()
    trace = encoder.trace(SENTENCE)
    target, near = target_of(trace), 1e-9 if double else 1e-4
    assert target.against is not None
    found = sum_over_words(encoder, trace, target.position, (target.word, target.against))
    logits = trace["mlm.logits"][target.position]
    assert found.values.tolist() == [float(logits[target.word]), float(logits[target.against])]
    lead = found.lead().double()
    assert float(found.adds[:, REST].abs().max()) < near, "nothing is left over"
    assert float(lead.sum()) == pytest.approx(float(logits[target.word] - logits[target.against]), abs=near)
    nothing = alone(encoder, trace, target, [])
    assert float(lead[BIASES]) == pytest.approx(nothing, abs=near)
    for i in (0, 2, target.position, len(trace.tokens) - 1):
        assert float(lead[i]) == pytest.approx(alone(encoder, trace, target, [i]) - nothing, abs=near)


@pytest.mark.parametrize("family", ["post-norm", "gated", "distances"])
def test_every_vector_of_every_layer_is_the_sum_of_its_parts(family: str) -> None:
    config = {**getattr(FAMILIES[family], "keywords", {}), "mlm_head": False}
    encoder = made(**config)  # without a head for words
    trace = encoder.trace(SENTENCE, hidden=(1,))
    every = list(after_layers(encoder, trace, [4]))
    assert len(every) == trace.config.n_layers + 1
    for layer, parts in enumerate(every):
        step = "embedding.output" if not layer else "output" if layer == 3 else f"layers.{layer - 1}.output"
        torch.testing.assert_close(parts.vectors.sum(1), trace[step][parts.at], atol=1e-5, rtol=1e-5)
        assert float(parts.vectors[:, REST].abs().max()) < 1e-5
    first = every[0].vectors
    assert float(first[2, 2].norm()) > 0 and float(first[2, 3].norm()) == 0, "at first each is its own"
    assert float(every[1].vectors[2, 1].abs().max()) == 0, "what nobody looks at is in nobody"


def test_what_an_edit_puts_in_is_the_rest(small: TextEncoder) -> None:
    edit = Edit("layers.1.feed_forward.output", "zero")
    trace = small.trace(SENTENCE, edits=(edit,))
    found = sum_over_words(small, trace, 6, (5, 9))
    assert float(found.adds[:, REST].abs().min()) > 0.01
    torch.testing.assert_close(found.adds.sum(-1), found.values, atol=1e-4, rtol=1e-5)


def test_the_sum_of_the_hero(base: TextEncoder) -> None:
    """The figures that the page says: *keys* speaks for *are* most, *cabinet* against it."""
    trace = base.trace(SENTENCE)
    are, is_ = (base.tokenizer.token_to_id(word) for word in ("are", "is"))
    found = sum_over_words(base, trace, 6, (are, is_))
    lead, names = found.lead(), [f"{i} {token}" for i, token in enumerate(trace.tokens)]
    adds = dict(zip(names, lead.tolist()[:BIASES], strict=True))
    assert max(adds, key=adds.__getitem__) == "2 keys" and min(adds, key=adds.__getitem__) == "5 cabinet"
    assert adds["2 keys"] == pytest.approx(6.66, abs=0.005) and adds["5 cabinet"] == pytest.approx(-2.08, abs=0.005)
    assert float(lead[BIASES]) == pytest.approx(-2.62, abs=0.005)
    assert float(found.values[0] - found.values[1]) == pytest.approx(5.93, abs=0.005)
    assert found.read.shape == (7, 2, 14) and found.lengths.shape == (7, 14)
    before = base.model.predict(trace["layers.2.output"][6])  # as the head reads the vector after layer 2
    assert before is not None
    torch.testing.assert_close(found.read[3].sum(-1), before[[are, is_]], atol=1e-3, rtol=1e-4)


def test_a_text_that_is_too_long_is_refused_before_it_fills_the_memory(small: TextEncoder) -> None:
    trace = small.trace("The keys to the cabinet [MASK] on the table. " * 9)
    assert len(trace.tokens) > 64
    with pytest.raises(EncoderError, match="64 tokens at most; this one has"):
        level_10(small, trace, "mlm.logits", (6,))
    long = EncoderConfig(vocab_size=16384, max_positions=800, d_model=512, n_heads=8, d_ff=8, n_layers=1, mlm_head=True)
    wide = TextEncoder.from_config(long, 3)
    with pytest.raises(EncoderError, match="too much memory"):
        sum_over_words(wide, wide.trace("the cat " * 300), 6, (5,))


def test_words_that_compete_are_typed_or_the_usual_ones(base: TextEncoder) -> None:
    trace = base.trace(SENTENCE)
    for typed, pair in {
        (): ("are", "is"),  # the other number of the verb
        ("was", ""): ("was", "are"),  # what is guessed
        ("", "Were"): ("are", "were"),
        ("##s", "purple"): ("##s", "purple"),
    }.items():
        about = unpack(level_10(base, trace, "mlm.logits", (6,), typed))[1]
        assert tuple(about["words"][i] for i in about["pair"]) == pair
        assert [base.tokenizer.token_to_id(about["words"][i]) for i in about["pair"]] == [
            about["ids"][i] for i in about["pair"]
        ]
    for level in (level_10, level_12):
        step = "mlm.logits" if level is level_10 else "mlm.probabilities"
        with pytest.raises(EncoderError, match="“flibbertigibbet” is not one word"):
            level(base, trace, step, (6,), ("flibbertigibbet", ""))
        with pytest.raises(EncoderError, match="both words are the same"):
            level(base, trace, step, (6,), ("is", "IS"))
        for index in ((), (6, 1), (99,)):
            with pytest.raises(EncoderError):
                level(base, trace, step, index)


@pytest.mark.parametrize("family", FAMILIES)
def test_both_sums_are_the_numbers_of_the_run_and_a_part_costs_what_a_run_without_it_says(family: str) -> None:
    encoder = FAMILIES[family]()
    trace = encoder.trace(SENTENCE)
    at = trace.tokens.index("[MASK]")
    _, about, arrays = unpack(level_10(encoder, trace, "mlm.logits", (at,)))
    logits = trace["mlm.logits"][at][about["ids"]].numpy()
    by_word, by_part = (
        arrays["adds"].numbers.sum(-1),
        arrays["blocks"].numbers.sum((1, 2)) + arrays["beside"].numbers.sum(-1),
    )
    assert by_word == pytest.approx(logits, abs=1e-4)
    assert by_part == pytest.approx(logits, abs=1e-4)
    assert arrays["share"].numbers[-1] == pytest.approx(trace["mlm.probabilities"][at][about["ids"]].numpy(), rel=1e-4)
    _, costs, without = unpack(level_12(encoder, trace, "mlm.probabilities", (at,), ("keys", "table")))
    ids = [encoder.tokenizer.token_to_id(word) for word in costs["words"]]
    steps = {
        f"layers.{layer}.{step}.output": (layer, i)
        for layer in range(trace.config.n_layers)
        for i, step in enumerate(("attention", "feed_forward"))
    }
    for step, place in steps.items():
        edited = encoder.trace(trace.inputs, edits=(Edit(step, "zero"),))
        assert without["parts"].numbers[place] == pytest.approx(
            edited["mlm.probabilities"][at][ids].numpy(), rel=2e-3
        ), step
    assert ("places" in without) is (trace.config.positions in ("sinusoidal", "learned"))


def test_padding_takes_no_part(base: TextEncoder) -> None:
    plain, padded = base.trace(SENTENCE), base.trace([SENTENCE, SENTENCE + " " + SENTENCE])[0]
    assert padded.padding
    one, other = (sum_over_words(base, trace, 6, (2674, 2662)) for trace in (plain, padded))
    torch.testing.assert_close(one.adds, other.adds, atol=1e-4, rtol=1e-4)
    assert isinstance(next(iter(after_layers(base, padded, [6]))), Parts)


def test_what_words_add_keeps_its_sum_where_a_word_has_pieces(base: TextEncoder) -> None:
    trace = base.trace("The zookeepers [MASK] the giraffes.")
    target = target_of(trace)
    adds = added_by_word(base, trace, target)
    assert len(adds) == len(trace.tokenization.words) + 1 < len(trace.tokens) + 1, "pieces are one word"
    assert float(adds.sum()) == pytest.approx(float(target.of(trace["mlm.logits"])), abs=1e-4)
    alone_ = added_by_word(base, trace, Target(target.position, target.word))
    assert float(alone_.sum()) == pytest.approx(float(trace["mlm.logits"][target.position, target.word]), abs=1e-4)


def test_the_ways_are_asked_for_the_subject(base: TextEncoder, capsys: pytest.CaptureFixture[str]) -> None:
    sentences = constructed_sentences("[MASK]", 2)[:8]  # of the plain frame, whose subject is the first noun
    subject_first = {
        "the place of the subject": lambda encoder, trace, target: -abs(torch.arange(len(trace.ids)) - 2.0)
    }
    found = guides(base, sentences, subject_first | {"sum over words": WAYS["sum over words"]})
    assert found[0] == Guide("the place of the subject", 8, 8)
    assert found[1].right >= 5
    assert main(["--model", "nobody/has-this"]) == 2
    assert "has-this" in capsys.readouterr().err
