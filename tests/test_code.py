"""The lines under "Show me the code" run by themselves and print what is on the screen; the source is what ran."""

import inspect
import re
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from in_turn import in_turn
from printed import last_digit
from tiny import COVERING, SENTENCE, VARIANTS, tiny
from torch import Tensor
from twins import MODELS, saved

from encoder import PRESETS, EncoderConfig, TextEncoder, Trace
from encoder.explain.snippet import running_source, snippet
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.step import PAIRS, PER_HEAD, Step

pytestmark = pytest.mark.slow

TYPED = 'He said "it\'s \\n {x} $y$ ---" \U0001f642 \N{HEBREW LETTER ALEF}'
HIDDEN, HEAD, LAYER = (2, 5), 1, 1


def printed(source: str) -> str:
    """Return what some lines print, run in a namespace of their own."""
    with redirect_stdout(StringIO()) as text:
        exec(compile(source, "<snippet>", "exec"), {"__name__": "__main__"})
    return text.getvalue()


def on_screen(trace: Trace, step: Step) -> Tensor:
    """What the page shows of a step: one head of those with heads."""
    return trace[step.name][HEAD] if step.shape in (PAIRS, PER_HEAD) else trace[step.name]


NUMBER = re.compile(r"-?(?:inf|\d+\.?\d*(?:e[+-]\d+)?)|nan")


def assert_prints(text: str, tensor: Tensor) -> None:
    """The text is that of the tensor, up to one unit of the last digit of each number."""
    expected = f"{tensor}\n"
    assert re.sub(r"\s+", "", NUMBER.sub("#", text)) == re.sub(r"\s+", "", NUMBER.sub("#", expected))
    for ours, theirs in zip(NUMBER.findall(text), NUMBER.findall(expected), strict=True):
        allowed = 1.001 * max(last_digit(ours), last_digit(theirs))
        assert float(ours) == float(theirs) or abs(float(ours) - float(theirs)) <= allowed, (ours, theirs)


def wanted(config: EncoderConfig) -> list[str]:
    """Every step outside the layers, and all of one layer."""
    return [step.name for step in catalogue(config) if step.layer in (None, LAYER)]


# Sentences that are hard to quote

SIZES = {"vocab_size": 16_384, "d_model": 24, "n_heads": 3, "n_layers": 2, "d_ff": 20}
RANDOM = {
    "bert-base": replace(PRESETS["bert-base"], **SIZES),
    "no-positions": replace(PRESETS["pre-norm"], **SIZES, positions="none", norm="std_norm", mask_value=-1e9),
    "albert": replace(
        PRESETS["bert-base"],
        **SIZES,
        embedding_size=18,
        shared_layers=True,
        activation="gelu_tanh",
        head_activation="relu",
    ),
}


@pytest.fixture(scope="module")
def traces(small: TextEncoder) -> dict[str, Trace]:
    """Quotes, backslash, braces, dollars, an emoji and a letter from right to left, with two tokens hidden."""
    encoders = {name: TextEncoder.from_config(config, seed=5) for name, config in RANDOM.items()}
    asked = {"bert-base": (TYPED, "the \\ 'mouse'")}
    return {
        name: encoder.trace(asked.get(name, TYPED), hidden=HIDDEN)
        for name, encoder in {"small": small, **encoders}.items()
    }


@pytest.mark.parametrize("model", ["small", *RANDOM])
def test_every_snippet_prints_its_tensor(model: str, traces: dict[str, Trace]) -> None:
    trace = traces[model]
    for name in wanted(trace.config):
        step = trace.step(name)
        if model != "albert" or step.part in ("embedding", "feed_forward", "mlm"):  # where it differs from bert-base
            assert_prints(printed(snippet(trace, step, HEAD)), on_screen(trace, step))


def test_a_snippet_of_a_folder_opens_it_again(tmp_path: Path) -> None:
    saved(tmp_path / "my model", MODELS["roberta"])
    trace = TextEncoder.from_pretrained(tmp_path / "my model").trace(("w1 <mask>", "w3"))
    step = trace.step("layers.1.attention.weights")
    source = snippet(trace, step, HEAD)
    assert trace.source.name == "my model" and f"from_pretrained({str(tmp_path / 'my model')!r})" in source
    assert_prints(printed(source), on_screen(trace, step))
    shown = TextEncoder.from_pretrained(tmp_path / "my model", origin="my model").trace("w1")
    assert str(tmp_path) not in snippet(shown, step, HEAD)


def test_snippets_of_a_preset_name_it() -> None:
    trace = TextEncoder.from_config(PRESETS["guide"], seed=3).trace("Keys on the table.", hidden=(1,))
    step = trace.step("layers.4.attention.masked")
    source = snippet(trace, step, HEAD)
    assert 'enc = TextEncoder.from_config(PRESETS["guide"], seed=3)\n' in source
    assert_prints(printed(source), on_screen(trace, step))


# The lines


@in_turn("config", [VARIANTS[name] for name in (*COVERING, "labels", "late-labels", "labels-words")])
def test_every_snippet_is_a_few_lines_that_compile(config: EncoderConfig) -> None:
    encoder = tiny(config)
    for trace in (encoder.trace(SENTENCE), encoder.trace(TYPED, hidden=(1,))):
        for step in encoder.steps:
            text = snippet(trace, step, 0)
            compile(text, step.name, "exec")
            lines = text.splitlines()
            assert 5 <= len(lines) <= 20, text
            assert max(map(len, lines)) <= 240, text
            assert [line for line in lines if line != line.rstrip()] == []
            assert "import torch" in lines
            assert ("math." in text) == ("import math" in lines)
            for name in (*(i for i in step.inputs if i in trace), *step.parameters):
                assert f'"{name}"' in text or f'"{name}.weight"' in text, (step.name, name)
            assert "t.ids" in text or "ids" not in step.inputs
            assert repr(trace.text) in text


# The source that ran

CLASSES = {
    "embedding": "class Embedding(",
    "attention": "class Attention(",
    "feed_forward": "class FeedForward(",
    "add_norm_1": "class Block(",
    "add_norm_2": "class Block(",
    "mlm": "class MLMHead(",
    "pooling": "class SentencePooling(",
    "classifier": "class Classifier(",
    "distances": "class Distances(",
}
OF_A_NORM = {"mean", "variance", "variance_unbiased", "normalize", "normalize_std", "affine", "stretch"}


def expected_source(step: Step) -> str:
    """Where the line stands that computes a step."""
    if step.operation in OF_A_NORM:
        return "class LayerNorm("
    if step.operation in ("mean_square", "normalize_rms"):
        return "class RMSNorm("
    if step.operation in ("rotary_cos", "rotary_sin", "rotate"):
        return "class Rotary("
    if step.part == "output":
        return "def forward(" if step.layer is None else "class Block("
    return CLASSES[step.part]


@in_turn("config", [VARIANTS[name] for name in (*COVERING, "labels", "late-labels", "labels-words")])
def test_the_source_shown_is_what_ran(config: EncoderConfig) -> None:
    encoder = tiny(replace(config, n_layers=1))
    trace = encoder.trace(SENTENCE)
    modules = {sys.modules[type(module).__module__] for module in encoder.model.modules() if "torch" not in str(module)}
    files = "".join(inspect.getsource(module) for module in modules if module.__name__.startswith("encoder"))
    wrong = {}
    for step in encoder.steps:
        shown = running_source(trace, step)
        tap = f'"{step.name.rsplit(".", 1)[-1]}"'
        stands = all(part.strip("\n") in files for part in re.split(r"\n{2,}(?=class )", shown))
        if tap not in shown or expected_source(step) not in shown or not stands:
            wrong[step.name] = shown.splitlines()[0]
        if step.operation.endswith(("_std", "_unbiased")) and "correction = 1" not in shown:
            wrong[step.name] = "without what std_norm does differently"
    assert wrong == {}
