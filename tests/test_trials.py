"""Every trial: it holds where its claim does, and does not where the condition is broken on purpose."""

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
import torch
from tiny import SIZES, TINY, VARIANTS, tiny, tiny_model, tiny_tokenizer
from tokenizers import Tokenizer, normalizers
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from encoder import TextEncoder, Trace, checkpoint, experiments, trials
from encoder.formatting import brief
from encoder.metrics import attention_weights, survey
from encoder.trace.source import Source
from encoder.trials import TRIALS, Finding, Verdict, heads, linear, meaning, order, sizes, stacks, trials_of

HOLDS, CONDITION, FAILS, UNTRIED = Verdict.HOLDS, Verdict.CONDITION, Verdict.FAILS, Verdict.UNTRIED
WIDE = "The animal didn't cross the street because it was too wide."
TIRED = WIDE.replace("wide", "tired")
KEYS = "Keys on the table belong to Sara."
LIGHT = ["Turn on the light.", "This bag is light.", "I prefer light blue."]
PHONES, PIE = "I love Apple phones.", "I love apple pie."
SCORES = [2.0, 1.0, 0.1]
BERT_IDS = [101, 2054, 2003, 2204, 102]
Break = Callable[[pytest.MonkeyPatch, TextEncoder], TextEncoder | None]


def same(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Nothing is broken."""


def of(name: str) -> Break:
    """Another model."""
    return lambda patch, base: tiny(VARIANTS[name])


def bent_waves(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Waves with one number moved."""
    encoder = tiny(TINY)
    encoder.model.embedding.positions.weight[5, 3] += 0.1
    return encoder


def far_out(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Positions as large as learned ones may become."""
    encoder = tiny(VARIANTS["learned-positions"])
    encoder.model.embedding.positions.weight.mul_(10)
    return encoder


def without_order(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Runs without positions that differ all the same."""
    patch.setattr(order, "word_order", lambda *args: replace(found := experiments.word_order(*args), off=found.on))


def turning(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Heads of which one turns "it" to the street or the animal, as a person would."""

    def weights(trace: Trace) -> torch.Tensor:
        found = attention_weights(trace).clone()
        found[3, 2] = 0
        found[3, 2, :, trace.tokens.index("street" if "wide" in trace.tokens else "animal")] = 1
        return found

    patch.setattr(heads, "attention_weights", weights)


def knowing(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A head 0 that links just the labelled words."""
    links = {text: pairs for sentences in heads.LINKS.values() for text, pairs in sentences}

    def weights(trace: Trace) -> torch.Tensor:
        found = torch.full_like(attention_weights(trace), 1 / len(trace.tokens))
        for a, b in links[trace.text]:
            i, j = trace.tokens.index(a), trace.tokens.index(b)
            found[2, 0, i, j] = found[2, 0, j, i] = 0.9
        return found

    patch.setattr(heads, "attention_weights", weights)


def upside_down(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Layers whose neighbours come last."""
    found = meaning.neighbours(base)
    patch.setattr(meaning, "neighbours", lambda encoder: found.flip(0))


def widths_of(power: float) -> Break:
    """Dot products whose spread grows with another power of the width."""

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
        found = [w._replace(deviation=w.d_k**power) for w in experiments.dot_products()]
        patch.setattr("encoder.trials.arithmetic.dot_products", lambda *args: found)

    return broken


def collapsed(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """An activation that bends nothing."""
    found = experiments.collapse()
    patch.setattr(linear, "collapse", lambda **given: replace(found, remainder=found.linear_remainder))


def even(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Queries of zero: every token looks at all alike, and attention is linear."""
    drawn = tiny_model(TINY).named_parameters()
    tensors = {name: torch.zeros_like(t) if ".w_q." in name else t.detach().clone() for name, t in drawn}
    return TextEncoder(checkpoint.build(TINY, tensors, "no queries"), tiny_tokenizer(), Source("even", "tiny"))


def unbiased(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Linear layers without biases."""
    encoder = tiny(TINY)
    for name in ("w_q", "w_k", "w_v"):
        encoder.model.layers[0].attention.get_submodule(name).bias = None
    return encoder


def taking(seconds: list[float]) -> Break:
    """Runs that take so long."""
    lengths = (8, 64, 256)
    found = tuple(experiments.Duration(n, s, 1000 * n, n * n) for n, s in zip(lengths, seconds, strict=True))
    return lambda patch, base: patch.setattr(sizes, "timing", lambda *args: found)


def bert(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A vocabulary as large as BERT's, with the words of the example in their places."""
    pieces = [f"piece{i}" for i in range(30_522)]
    named = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 2003: "is", 2054: "what", 2204: "good"}
    for i, piece in named.items():
        pieces[i] = piece
    tokenizer = Tokenizer(WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 101), ("[SEP]", 102)]
    )
    return TextEncoder(tiny_model(replace(TINY, vocab_size=30_522)), tokenizer, Source("bert", "tiny"))


def leaking(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A softmax for which a large negative number is not large enough."""
    patch.setattr(
        stacks,
        "softmax_of",
        lambda scores: torch.tensor([s if s == -math.inf else max(s, -9) for s in scores]).softmax(0),
    )


def one_number_heads(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Heads of one dimension, for which the division is by 1."""
    return tiny(replace(TINY, n_heads=SIZES["d_model"]))


Case = tuple[dict[str, Any], Verdict, Break]
# For every trial: what holds, or holds with a condition, and what breaks it.
CASES: dict[str, tuple[Case, ...]] = {
    "same_vectors": (
        ({"sentence": "I love deep learning"}, HOLDS, same),
        ({"sentence": "The cat chased the mouse.", "other": "The mouse chased the cat."}, HOLDS, same),
        ({"sentence": "I love deep learning", "positions": "on"}, FAILS, same),
    ),
    "identical_rows": (
        ({"sentence": "I love deep learning"}, CONDITION, same),
        ({"sentence": "I love deep learning"}, FAILS, without_order),
    ),
    "position_values": (({}, HOLDS, same), ({}, FAILS, far_out), ({}, UNTRIED, of("no-positions"))),
    "one_frequency": (({}, HOLDS, same), ({}, HOLDS, of("post-norm")), ({}, FAILS, bent_waves)),
    "one_rotation": (({"steps": 10}, HOLDS, same), ({"steps": 3}, FAILS, of("learned-positions"))),
    "only_distance": (({}, HOLDS, same), ({}, FAILS, of("learned-positions"))),
    "looks_at": (
        ({"sentence": WIDE, "word": "it", "target": "animal", "layer": 4, "head": 1}, HOLDS, same),
        ({"sentence": WIDE, "word": "it", "target": "street", "layer": 4, "head": 1}, FAILS, same),
    ),
    "linked": (
        ({"sentence": KEYS, "word": "keys", "target": "sara"}, HOLDS, same),
        ({"sentence": KEYS, "word": "table", "target": "to"}, FAILS, same),
    ),
    "refers": (
        ({"sentence": WIDE, "other": TIRED, "word": "it", "first": "street", "second": "animal"}, HOLDS, turning),
        ({"sentence": WIDE, "other": TIRED, "word": "it", "first": "animal", "second": "street"}, FAILS, turning),
        ({"sentence": WIDE, "other": TIRED, "word": "it", "first": "street", "second": "animal"}, FAILS, same),
    ),
    "contexts": (
        ({"word": "light", "sentences": LIGHT}, HOLDS, same),
        ({"word": "light", "sentences": [LIGHT[0], LIGHT[0]]}, FAILS, same),
    ),
    "leans": (
        ({"sentence": PHONES, "other": PIE, "word": "apple", "near": "computer", "far": "fruit"}, HOLDS, same),
        ({"sentence": PHONES, "other": PIE, "word": "apple", "near": "fruit", "far": "computer"}, FAILS, same),
        ({"sentence": "w1 w2", "other": "w3 w2", "word": "w2", "near": "w1", "far": "w3"}, UNTRIED, of("post-norm")),
    ),
    "head_job": (
        ({"head": 0, "job": "place"}, HOLDS, knowing),
        ({"head": 1, "job": "place"}, FAILS, knowing),
        ({"head": 0, "job": "subject, verb and object"}, FAILS, same),
    ),
    "layers_rise": (({}, CONDITION, same), ({}, FAILS, upside_down)),
    "by_hand": (
        ({"sentence": WIDE, "step": "layers.4.attention.scores", "index": [1, 8, 2]}, HOLDS, same),
        ({"sentence": WIDE, "step": "layers.4.attention.scores", "index": [1, 8, 2],
          "edits": "layers.4.attention.scores:scale:v=1.001"}, FAILS, same),
    ),
    "softmax_is": (
        ({"scores": SCORES, "expected": [0.66, 0.24, 0.10]}, HOLDS, same),
        ({"scores": SCORES, "expected": [0.65, 0.24, 0.11]}, FAILS, same),
    ),
    "rows_sum": (
        ({"sentence": KEYS}, HOLDS, same),
        ({"sentence": KEYS, "edits": "layers.2.attention.weights:scale:v=0.9"}, FAILS, same),
    ),
    "spread_grows": (({}, HOLDS, same), ({}, FAILS, widths_of(1.0))),
    "saturates": (({"width": 512}, HOLDS, same), ({"width": 4}, FAILS, same)),
    "division_matters": (
        ({"sentence": KEYS}, HOLDS, same),
        ({"sentence": "w1 w2 w3"}, FAILS, one_number_heads),
    ),
    "residuals_keep": (({"depth": 6}, HOLDS, same), ({"depth": 48}, FAILS, same)),
    "norms_keep_length": (({"depth": 24}, HOLDS, same), ({"depth": 2}, FAILS, same)),
    "gradients_vanish": (({"depth": 24}, CONDITION, same), ({"depth": 2}, FAILS, same)),
    "pre_norm_deeper": (({"depth": 48}, HOLDS, same), ({"depth": 2}, CONDITION, same)),
    "std_norm_is": (({"width": 512}, CONDITION, same), ({"width": 8}, FAILS, same)),
    "layers_collapse": (
        ({"between": "nothing"}, HOLDS, same),
        ({"between": "relu"}, FAILS, same),
        ({"between": "gelu"}, FAILS, same),
    ),
    "activation_needed": (
        ({"sentence": KEYS}, CONDITION, same),
        ({"sentence": "w1 w2 w3"}, HOLDS, even),
        ({"sentence": KEYS}, FAILS, collapsed),
    ),
    "attention_linear": (({"sentence": KEYS}, CONDITION, same), ({"sentence": "w1 w2 w3"}, HOLDS, even)),
    "padding_ignored": (
        ({"short": "The cat sleeps.", "sentence": WIDE, "mask": "kept"}, HOLDS, same),
        ({"short": "The cat sleeps.", "sentence": WIDE, "mask": "forgotten"}, FAILS, same),
    ),
    "masks_alike": (({}, CONDITION, same), ({"low": -1e6}, CONDITION, same), ({}, FAILS, leaking)),
    "block_size": (({}, HOLDS, same), ({}, FAILS, of("post-norm"))),
    "part_size": (
        ({"part": "attention", "expected": 1e6}, HOLDS, same),
        ({"part": "feed-forward", "expected": 2e6}, HOLDS, same),
        ({"part": "attention", "expected": 2e6}, FAILS, same),
        ({"part": "attention", "expected": 2e6}, UNTRIED, of("post-norm")),
    ),
    "query_key_value": (({}, CONDITION, same), ({}, HOLDS, unbiased)),
    "shape_is": (
        ({"sentence": "I understand this", "step": "output", "expected": [5, 512]}, HOLDS, same),
        ({"sentence": "I understand this", "step": "output", "expected": [3, 512]}, CONDITION, same),
        ({"sentence": "I understand this", "step": "output", "expected": [4, 512]}, FAILS, same),
    ),
    "one_width": (
        ({"sentence": "I understand this", "layers": 6}, HOLDS, same),
        ({"sentence": "I understand this", "layers": 8}, CONDITION, same),
    ),
    "time_constant": (({}, HOLDS, taking([1.0, 0.9, 1.3])), ({}, FAILS, taking([0.01, 0.03, 0.12]))),
    "ids_say": (
        ({"ids": BERT_IDS, "text": "What is good"}, HOLDS, bert),
        ({"ids": BERT_IDS, "text": "What is transformer?"}, FAILS, bert),
        ({"ids": BERT_IDS, "text": "What is transformer?"}, UNTRIED, same),
    ),
}  # fmt: skip


def test_every_trial_is_tried_and_has_two_outcomes() -> None:
    assert set(CASES) == set(TRIALS)


def test_a_new_trial_is_a_function_of_its_module() -> None:
    """A trial stands nowhere but in its module; what else it takes stands in PARAMETERS."""
    module = ModuleType("new")

    def louder(encoder: TextEncoder, sentence: str) -> Finding:
        """Some claim."""
        return Finding(1.0, "loudness", f"{sentence}!", HOLDS)

    louder.__module__ = "new"
    vars(module).update(louder=louder, looks_at=heads.looks_at, number=3)
    assert trials_of(module) == {"louder": louder}
    assert {name for name, cases in CASES.items() if len({verdict for _, verdict, _ in cases}) < 2} == set()


@pytest.mark.parametrize(
    ("name", "number"), [(name, i) for name, cases in CASES.items() for i in range(len(cases))]
)  # fmt: skip
def test_the_verdict_follows_from_the_number(
    name: str, number: int, base: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, expected, broken = CASES[name][number]
    encoder = broken(monkeypatch, base) or base
    found = trials.run(name, encoder, given)
    assert found.verdict is expected, found.sentence
    assert found.sentence.endswith(".")
    if expected is not UNTRIED:
        assert math.isfinite(found.value) and found.what


@pytest.mark.parametrize("name", TRIALS)
def test_every_parameter_says_what_it_may_hold_and_every_trial_what_it_claims(name: str) -> None:
    for parameter in trials.takes(name):
        assert trials.kind(name, parameter).allowed
    assert trials.claim(name).endswith(".")
    for parameter in list(inspect.signature(TRIALS[name]).parameters.values())[1:]:
        if parameter.default not in (parameter.empty, ""):
            assert trials.kind(name, parameter.name).fits(parameter.default)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("__import__", {}, "no trial"),
        (None, {}, "no trial"),
        ("run", {}, "no trial"),
        ("softmax_is", {"scores": [1.0]}, "expected of softmax_is is missing"),
        ("softmax_is", {"scores": [math.inf], "expected": [1.0]}, "from -1000 to 1000"),
        ("softmax_is", {"scores": "os.system('x')", "expected": [1.0]}, "a list of 1 to 16"),
        ("saturates", {"width": 100_000}, "from 2 to 1024"),
        ("saturates", {"width": True}, "from 2 to 1024"),
        ("saturates", {"width": 8.5}, "whole number"),
        ("saturates", {"width": 8, "extra": 1}, "extra is no parameter"),
        ("residuals_keep", {"depth": 1000}, "from 2 to 48"),
        ("same_vectors", {"sentence": "x" * 601}, "1 to 600 characters"),
        ("padding_ignored", {"short": "a", "sentence": "b c", "mask": "off"}, "one of kept, forgotten"),
        ("head_job", {"head": -1, "job": "place"}, "from 0 to 127"),
        ("shape_is", {"sentence": "a", "step": "output", "expected": [0.5]}, "whole number"),
    ],
)
def test_nothing_but_a_trial_with_fitting_parameters_runs(
    base: TextEncoder, name: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        trials.run(name, base, given)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("looks_at", {"sentence": WIDE, "word": "nobody", "target": "it"}, "is not a word"),
        ("looks_at", {"sentence": WIDE, "word": "it", "target": "animal", "layer": 9}, "layers go from 0 to 5"),
        ("by_hand", {"sentence": WIDE, "step": "layers.9.output", "index": [0, 0]}, "no step is called"),
        ("by_hand", {"sentence": WIDE, "step": "output", "index": [99, 0]}, "0 to 13"),
        ("same_vectors", {"sentence": "no no"}, "reads the same both ways"),
        ("same_vectors", {"sentence": "a b", "other": "a c"}, "must have the same words"),
        ("contexts", {"word": "it", "sentences": ["it"]}, "takes 2 or more"),
        (
            "leans",
            {"sentence": PHONES, "other": PIE, "word": "apple", "near": "zzqx", "far": "tree"},
            "is not one word",
        ),
        ("padding_ignored", {"short": WIDE, "sentence": "Hello"}, "must have fewer"),
    ],
)
def test_what_does_not_fit_the_model_or_sentence_is_said(
    base: TextEncoder, name: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises((ValueError, KeyError), match=said):
        trials.run(name, base, given)


def number(found: Finding) -> float:
    return found.value


def test_numbers_against_independent_arithmetic(base: TextEncoder) -> None:
    layer = base.model.layers[0]
    assert number(trials.run("block_size", base, {})) == sum(p.numel() for p in layer.parameters())
    qkv = [layer.get_submodule(f"attention.{name}") for name in ("w_q", "w_k", "w_v")]
    assert number(trials.run("query_key_value", base, {})) == sum(p.numel() for one in qkv for p in one.parameters())
    expected = [math.exp(s) / sum(map(math.exp, SCORES)) for s in SCORES]
    apart = max(abs(a - b) for a, b in zip(expected, [0.65, 0.24, 0.11], strict=True))
    found = trials.run("softmax_is", base, {"scores": SCORES, "expected": [0.65, 0.24, 0.11]})
    assert number(found) == pytest.approx(apart, rel=1e-5)
    trace = base.trace(KEYS)
    i, j = trace.tokens.index("keys"), trace.tokens.index("sara")
    both = [float(trace[f"layers.{n}.attention.weights"][h][a, b])
            for n in range(6) for h in range(8) for a, b in ((i, j), (j, i))]  # fmt: skip
    assert number(trials.run("linked", base, {"sentence": KEYS, "word": "keys", "target": "sara"})) == max(both)
    trace = base.trace(WIDE)
    found = trials.run("by_hand", base, {"sentence": WIDE, "step": "layers.4.attention.scores", "index": [1, 8, 2]})
    q, k = trace["layers.4.attention.q"][1, 8].double(), trace["layers.4.attention.k"][1, 2].double()
    assert number(found) == pytest.approx(float(q @ k), rel=1e-5)


def test_neighbours_are_those_of_the_survey(base: TextEncoder) -> None:
    found = survey(base).measures
    torch.testing.assert_close(meaning.neighbours(base), (found["previous"] + found["next"]).mean(-1))


def test_odds_are_those_of_the_probabilities(base: TextEncoder) -> None:
    def odds(text: str) -> float:
        trace = base.trace(text)
        p = trace["mlm.probabilities"][trace.tokens.index("apple")].double()
        computer, fruit = (base.tokenizer.token_to_id(word) for word in ("computer", "fruit"))
        return float(p[computer] / p[fruit])

    given = {"sentence": PHONES, "other": PIE, "word": "apple", "near": "computer", "far": "fruit"}
    assert number(trials.run("leans", base, given)) == pytest.approx(odds(PHONES) / odds(PIE), rel=1e-3)


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (1e-7, "1.0e-07"), (0.5, "0.5"), (-0.4538, "-0.454"), (3152384.0, "3,152,384"), (999.6, "1,000")],
)
def test_numbers_are_short(value: float, said: str) -> None:
    assert brief(value) == said
