"""The catalogue and the forward pass say the same: names, order, shapes, inputs, parameters."""

import json
import re
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
import torch
from in_turn import every_shape, in_turn
from tiny import COVERING, SENTENCE, VARIANTS, tiny, tiny_model
from twins import MODELS

from encoder import PRESETS, EncoderConfig
from encoder.checkpoint.families import FAMILIES
from encoder.checkpoint.hugging_face import is_hugging_face, read_fields
from encoder.model.config import CHOICES
from encoder.model.steps.catalogue import by_name, catalogue, step_names
from encoder.model.steps.entries import GIVEN as SYMBOLS
from encoder.model.tap import Recorder

TEXTS = ("name", "symbol", "formula", "operation", "title", "note", "look")
GIVEN = {"ids", "hidden"}

every_variant = every_shape(VARIANTS, pytest.mark.slow)


def parameter_names(config: EncoderConfig) -> set[str]:
    """Every weight of a model of that configuration, and every module that holds some."""
    names = set(tiny_model(config).state_dict())
    return names | {name.rsplit(".", 1)[0] for name in names}


RANGES = {"signed": (-torch.inf, torch.inf), "share": (0, 1), "positive": (0, torch.inf)}


@every_variant
def test_trace_is_the_catalogue_and_its_numbers_are_as_the_texts_say(config: EncoderConfig) -> None:
    n, encoder = len(SENTENCE.split()) + 2, tiny(config)
    sizes = {n, config.n_heads, config.d_head, config.d_model, config.d_ff, config.vocab_size, config.max_positions}
    assert len(sizes) == 7 - (config.n_heads == 1)  # no axis can be mistaken; with one head d_head is d_model
    declared = [(step.name, step.sizes(config, n)) for step in catalogue(config)]
    plain = encoder.trace(SENTENCE)
    for trace in (plain, encoder.trace(SENTENCE, hidden=(2,))):
        assert [(name, tuple(value.shape)) for name, value in trace.items()] == declared
    for step in catalogue(config):
        assert step.local in step_names()
        low, high = RANGES[step.values]
        assert low <= float(plain[step.name].min()) and float(plain[step.name].max()) <= high, step.name
    words = next(by_name(config)[name] for name in ("embedding.sum", "embedding.output") if name in by_name(config))
    last = next(s.name for s in reversed(catalogue(config)) if s.name in ("embedding.output", "embedding.sum"))
    same = torch.equal(plain[last][2], plain[last][4])  # the second and fourth word are the same
    assert same == ("are alike" in words.look) != ("differ by nothing but their positions" in words.look)


@in_turn("config", [VARIANTS[name] for name in COVERING])
def test_batch_and_segments_keep_the_names(config: EncoderConfig) -> None:
    values: dict[str, torch.Tensor] = {}
    ids = torch.arange(10).view(2, 5)
    model = tiny_model(config)
    tap = Recorder(values, {})
    output = model(ids, segments=ids % 2, tap=tap)
    model.pool(output, tap=tap)
    model.predict(output, tap)
    model.label(output, tap=tap)
    shapes = {name: tuple(value.shape) for name, value in values.items()}
    assert shapes == {step.name: (2, *step.sizes(config, 5)) for step in catalogue(config)}


@every_variant
def test_the_catalogue_is_a_list_of_complete_steps_that_lead_somewhere(config: EncoderConfig) -> None:
    steps, earlier = catalogue(config), set(GIVEN)
    assert by_name(config) == {step.name: step for step in steps} and len(by_name(config)) == len(steps)
    for step in steps:
        assert set(step.inputs) <= earlier, step.name
        earlier.add(step.name)
        assert all(getattr(step, field).strip() for field in TEXTS), step.name
        assert not [s for s in (step.name, step.operation, *step.inputs, *step.parameters) if "{" in s], step.name
        assert not re.search("[{}]", step.title + step.note + step.look), step.name
        assert not re.search("<|>", step.symbol + step.formula), step.name
        assert step.formula.count("{") == step.formula.count("}"), step.name
    assert {step.name for step in steps} - {name for step in steps for name in step.inputs} == ends_of(config)


def ends_of(config: EncoderConfig) -> set[str]:
    """What nothing is made of: the guess, the sentence's vector and the labels, or the output where there is none."""
    vector = {"pooling.unit" if config.unit_length else "pooling.vector"} if config.pooling else set()
    labels = set()
    if config.classifier:
        labels = {f"classifier.{'logits' if config.classifier.problem == 'regression' else 'probabilities'}"}
    return ({"mlm.probabilities"} if config.mlm_head else set()) | vector | labels or {"output"}


@every_variant
def test_parameters_are_those_of_the_model(config: EncoderConfig) -> None:
    named = {name for step in catalogue(config) for name in step.parameters}
    assert named <= parameter_names(config)
    weights = set(tiny_model(config).state_dict())
    assert {name for name in weights if name in named or name.rsplit(".", 1)[0] in named} == weights


# Formulas

# What may stand in a formula beside the symbols of the step's inputs: parameters, sizes, running letters, numbers.
BESIDE = {
    "lookup": "E [ ]", "position": "P [ pos ]", "segment": "S [ ] 0", "zeros": "0", "same": "", "add": "+",
    "sinusoid": "{ } & = ( pos / 10000 ^{2i/d} ) PE_{pos,2i} PE_{pos,2i+1}", "scale": "{d_{model}}",
    "linear": "W_Q b_Q W_K b_K W_{Q r} b_{Q r} W_{K r} b_{K r} "
    "W_V b_V W_O b_O W_1 b_1 W_2 b_2 W_E b_E W_{up} b_{up} W b +", "decode": "E^ b +",
    "dot": "^", "unscale": "{} { d_{head} }", "distance": "D [ (i - j) ]", "content_to_position": "_i _{i - j}",
    "position_to_content": "_j _{i - j}", "mask": "{} & - 1 e9 \\\\ 10^{9} 10", "softmax": "( ) _j",
    "weighted_sum": "", "concat": "( _h )", "relu": "( 0 , )", "gelu": "( )", "silu": "( )",
    "gelu_tanh": "{} {2/} 2 1 + ( ) 0.044715 , ^3",
    "mean": "{1} {d} _l {}", "variance": "{1} {d} _l ( {} - ) ^2", "variance_unbiased": "{1} {d-1} _l ( {} - ) ^2",
    "normalize": "{ - } +", "normalize_std": "{ - } {} +", "affine": "+",
    "matmul": "W_Q W_K W_{Q r} W_{K r} W_V W_O W_1 W_2 W_{up} W", "multiply": "", "stretch": "",
    "mean_square": "{1} {d} _l {} ^2",
    "normalize_rms": "{ } +", "rotate": "+ ( ) ( )", "rotary_cos": "(pos ^{-2i/d_{head}} s ( ) / s^{2/d_{head}})",
    "rotary_sin": "(pos ^{-2i/d_{head}} s ( ) / s^{2/d_{head}})",
    "relative_bias": "b_ (j - i)", "alibi": "- m_h , | i - j |", "window": "{} & - 1 e9 10 | i - j | w \\\\",
    "first_token": "0", "label": "W b +", "label_mean": "_i", "tanh": "( )", "sigmoid": "( )",
    "pool_mean": "_i", "pool_words": "_i", "pool_max": "_i", "pool_cls": "i", "pool_mean_sqrt_len": "_i", "unit": "| |",
}  # fmt: skip
LETTERS = re.compile(r"[A-Za-z]+")


def configurations() -> dict[str, EncoderConfig]:
    """Every preset, shape and family of Hugging Face's checkpoints, and each choice that the page Models has."""
    import transformers  # takes seconds, which the fast tests have not

    found = dict(PRESETS) | VARIANTS
    for name, (_, kind, values) in MODELS.items():
        raw = json.loads(getattr(transformers, kind)(**values).to_json_string())
        assert is_hugging_face(raw), name
        found[f"hub-{name}"] = read_fields(raw, mlm_head=True)
    for preset, (option, values) in product(("paper", "bert-base", "modern"), OPTIONS.items()):
        found |= {f"{preset}-{option}-{value}": replace(PRESETS[preset], **{option: value}) for value in values}
    return {name: replace(config, n_layers=2) for name, config in found.items()}


OPTIONS = {
    "norm_first": (False, True),
    "final_norm": (False, True),
    "scale_embeddings": (False, True),
    **{name: CHOICES[name] for name in ("norm", "activation", "positions")},
}


@cache
def without(formula: str, symbols: tuple[str, ...]) -> str:
    """A formula with these symbols taken out, the longest first; each of them must stand in it."""
    for symbol in sorted(symbols, key=len, reverse=True):
        alone = re.compile(rf"(?<![A-Za-z\\]){re.escape(symbol)}(?![A-Za-z])")
        assert alone.search(formula), (symbol, formula)
        formula = alone.sub(" ", formula)
    return formula


@cache
def bare(text: str) -> set[str]:
    """The letters of a formula: no commands, no words."""
    text = re.sub(r"\\(text|mathrm|begin|end)\{[^}]*\}", " ", text)
    return set(LETTERS.findall(re.sub(r"\\[A-Za-z]+", " ", text)))


@pytest.mark.slow
def test_all_families_and_choices_have_a_configuration_here() -> None:
    import transformers

    raw = [json.loads(getattr(transformers, kind)(**values).to_json_string()) for _, kind, values in MODELS.values()]
    assert {one["model_type"] for one in raw} | {"new", "jina_bert"} == set(FAMILIES)
    every = configurations().values()
    assert {name: {getattr(config, name) for config in every} for name in CHOICES} == {
        name: set(allowed) for name, allowed in CHOICES.items()
    }


@pytest.mark.slow
def test_the_terms_of_a_formula_are_the_recorded_inputs() -> None:
    for name, config in configurations().items():
        symbols = dict(SYMBOLS)
        for step in catalogue(config):
            inputs = tuple(symbols[i] for i in step.inputs)
            if step.operation == "add":
                assert tuple(step.formula.split(" + ")) == inputs, (name, step.name)
            left = without(step.formula, inputs)
            unknown = bare(left) - bare(BESIDE[step.operation])
            assert not unknown, (name, step.name, step.formula, unknown)
            symbols[step.name] = step.symbol


def test_sums_are_told_as_they_are_made() -> None:
    """What the field's papers write: x + f(x) for post-norm, x + f(norm(x)) for pre-norm."""
    post, pre = by_name(PRESETS["paper"]), by_name(PRESETS["pre-norm"])
    one = "layers.0.add_norm_1.sum"
    assert post[one].equation == r"z_1 = x_{0} + \mathrm{Attention}(x_{0})"
    assert pre[one].equation == r"z_1 = x_{0} + \mathrm{Attention}(\mathrm{norm}(x_{0}))"
    assert post["embedding.output"].equation == r"x_{0} = E_{id} \sqrt{d_{model}} + PE_{pos}"
    bert = by_name(PRESETS["bert-base"])["embedding.sum"]
    assert (bert.equation, bert.note) == (
        "s = E_{id} + P_{pos} + S_{AB}",
        "Word, position and segment are added, number by number.",
    )
    assert r"-10^{9}" in by_name(PRESETS["guide"])["layers.0.attention.masked"].formula.replace(r"-1\cdot ", "-")
