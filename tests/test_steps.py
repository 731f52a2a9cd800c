"""The catalogue and the forward pass say the same: names, order, shapes, inputs, parameters."""

from dataclasses import fields

import pytest
import torch
from tiny import SENTENCE, TINY, VARIANTS, tiny, tiny_model

from encoder import EncoderConfig, TextEncoder
from encoder.model.tap import Recorder
from encoder.steps.catalogue import by_name, catalogue
from encoder.steps.step import Step

TEXTS = ("name", "symbol", "formula", "operation", "title", "note", "look")
GIVEN = {"ids", "hidden"}

every_variant = pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)


def parameter_names(config: EncoderConfig) -> set[str]:
    """Every weight of a model of that configuration, and every module that holds some."""
    names = set(tiny_model(config).state_dict())
    return names | {name.rsplit(".", 1)[0] for name in names}


@every_variant
def test_axes_cannot_be_mistaken(config: EncoderConfig) -> None:
    n = len(SENTENCE.split()) + 2
    sizes = {n, config.n_heads, config.d_head, config.d_model, config.d_ff, config.vocab_size, config.max_positions}
    assert len(sizes) == 7 - (config.n_heads == 1)  # with one head d_head is d_model


@every_variant
@pytest.mark.parametrize("hidden", [(), (2,)], ids=["nothing-hidden", "one-hidden"])
def test_trace_is_the_catalogue(config: EncoderConfig, hidden: tuple[int, ...]) -> None:
    trace = tiny(config).trace(SENTENCE, hidden=hidden)
    recorded = {name: tuple(value.shape) for name, value in trace.items()}
    declared = {step.name: step.sizes(config, len(trace.tokens)) for step in catalogue(config)}
    assert list(recorded) == list(declared)
    assert recorded == declared


@pytest.mark.parametrize("model", ["base", "small"])
def test_trace_of_a_bundled_model_is_the_catalogue(model: str, request: pytest.FixtureRequest) -> None:
    encoder: TextEncoder = request.getfixturevalue(model)
    trace = encoder.trace("The animal didn't cross the street because it was too tired.")
    recorded = [(name, tuple(value.shape)) for name, value in trace.items()]
    assert recorded == [(step.name, step.sizes(encoder.config, len(trace.tokens))) for step in encoder.steps]


@every_variant
def test_batch_and_segments_keep_the_names(config: EncoderConfig) -> None:
    values: dict[str, torch.Tensor] = {}
    ids = torch.arange(10).view(2, 5)
    model = tiny_model(config)
    tap = Recorder(values, {})
    model.predict(model(ids, segments=ids % 2, tap=tap), tap)
    shapes = {name: tuple(value.shape) for name, value in values.items()}
    assert shapes == {step.name: (2, *step.sizes(config, 5)) for step in catalogue(config)}


@every_variant
def test_names_are_unique(config: EncoderConfig) -> None:
    names = [step.name for step in catalogue(config)]
    assert len(set(names)) == len(names)
    assert by_name(config) == {step.name: step for step in catalogue(config)}


@every_variant
def test_inputs_come_earlier(config: EncoderConfig) -> None:
    earlier = set(GIVEN)
    for step in catalogue(config):
        assert set(step.inputs) <= earlier, step.name
        earlier.add(step.name)


@every_variant
def test_every_step_leads_somewhere(config: EncoderConfig) -> None:
    used = {name for step in catalogue(config) for name in step.inputs}
    ends = {step.name for step in catalogue(config)} - used
    assert ends == {"mlm.probabilities" if config.mlm_head else "output"}


@every_variant
def test_parameters_are_those_of_the_model(config: EncoderConfig) -> None:
    named = {name for step in catalogue(config) for name in step.parameters}
    assert named <= parameter_names(config)
    weights = set(tiny_model(config).state_dict())
    assert {name for name in weights if name in named or name.rsplit(".", 1)[0] in named} == weights


@every_variant
def test_texts_are_complete(config: EncoderConfig) -> None:
    for step in catalogue(config):
        assert all(getattr(step, field).strip() for field in TEXTS), step.name
        assert not [s for s in (step.name, step.operation, *step.inputs, *step.parameters) if "{" in s], step.name
        assert r"\{activation\}" not in step.formula, step.name
        assert step.formula.count("{") == step.formula.count("}"), step.name


def test_texts_are_all_the_fields_a_reader_sees() -> None:
    assert {field.name for field in fields(Step) if field.type is str} == {*TEXTS, "values"}


@every_variant
def test_values_stay_in_the_range_that_colours_them(config: EncoderConfig) -> None:
    trace = tiny(config).trace(SENTENCE)
    ranges = {"signed": (-torch.inf, torch.inf), "share": (0, 1), "positive": (0, torch.inf)}
    for step in catalogue(config):
        low, high = ranges[step.values]
        assert low <= float(trace[step.name].min()), step.name
        assert float(trace[step.name].max()) <= high, step.name


@pytest.mark.parametrize(
    ("name", "layer", "local", "part"),
    [
        ("embedding.tokens", None, "embedding.tokens", "embedding"),
        ("layers.1.attention.scores", 1, "attention.scores", "attention"),
        ("layers.0.output", 0, "output", "output"),
        ("output", None, "output", "output"),
    ],
)
def test_where_a_step_belongs(name: str, layer: int | None, local: str, part: str) -> None:
    step = by_name(TINY)[name]
    assert (step.layer, step.local, step.part) == (layer, local, part)
