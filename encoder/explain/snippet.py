"""Show me the code: a few lines of PyTorch that run by themselves and print the tensor on the screen."""

import builtins
import inspect
import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from encoder.edits.edit import Edit
from encoder.edits.edit_text import sentence
from encoder.explain.operations import OPERATIONS
from encoder.model.attention import Attention
from encoder.model.block import Block
from encoder.model.classifier import Classifier
from encoder.model.config import PRESETS, EncoderConfig
from encoder.model.distance import Distances, PositionBias, Rotary, turned
from encoder.model.embedding import Embedding
from encoder.model.encoder import Encoder, MLMHead
from encoder.model.feed_forward import FeedForward
from encoder.model.normalization import NORMS
from encoder.model.pooling import SentencePooling
from encoder.model.steps.step import HEAD_DISTANCES, PER_HEAD, Step
from encoder.trace.trace import Source, Trace

SPLIT = "{name} = {name}.view(len({name}), {n_heads}, {d_head}).transpose(0, 1)"


def snippet(trace: Trace, step: Step, head: int) -> str:
    """Python that computes a step from its recorded inputs and prints it; of steps with heads, one head.

    A step that was edited is no longer what its inputs give, so it is printed as the run recorded it.
    """
    config = trace.config
    inputs = [name for name in step.inputs if name in trace]
    names = variables([*inputs, step.name])
    name = names[step.name]
    hidden = sorted({*trace.hidden, *range(len(trace.tokens) - trace.padding, len(trace.tokens))})
    theta, divisor = config.turns_of(step.layer or 0)
    words: dict[str, Any] = {
        "name": name,
        "d_model": config.d_model,
        "d_embedding": config.d_embedding,
        "width": trace[inputs[0]].shape[-1] if inputs else 0,
        "d_head": config.d_head,
        "n_heads": config.n_heads,
        "norm_eps": config.norm_eps,
        "mask_value": literal(config.mask_value),
        "hidden": hidden,
        "theta": theta,
        "slowed": "" if divisor == 1 else f" / {divisor!r}",
        "window": config.window_of(step.layer or 0),
        "distance_span": config.distance_span,
        "distance_limit": config.distance_limit,
        "score_size": config.score_size,
        "w": step.parameters[0] if step.parameters else "",
        "sum": " + ".join(names[i] for i in inputs),
    }
    body = OPERATIONS[step.operation].line.format(*(names[i] for i in inputs), **words)
    if step.shape in (PER_HEAD, HEAD_DISTANCES) and step.operation in ("linear", "matmul"):
        body += "\n" + SPLIT.format(**words)
    done = [sentence(edit, config) for edit in trace.edits if edit.step == step.name]
    if done:
        inputs, body = [], f'{name} = t["{step.name}"]'
    edits = "".join(f"    {edit_source(edit, trace)},\n" for edit in trace.edits)
    lines = [
        "import math\n" if "math." in body or needs_math(trace) else "",
        "import torch\n",
        f"from encoder import {imports(trace)}\n\n",
        f"enc = {maker(trace)}\n",
        f"edits = (\n{edits})\n" if edits else "",
        f"t = {call(trace, 'enc', 'edits')}\n",
        "p = enc.model.state_dict()\n" if "p[" in body else "",
        *(f'{names[i]} = t["{i}"]\n' for i in inputs),
        *(f"# edited: {words}\n" for words in done),
        body + "\n",
        f"print({name}[{head}])\n" if "H" in step.shape else f"print({name})\n",
    ]
    return "".join(lines)


def call(trace: Trace, encoder: str, edits: str) -> str:
    """The expression that runs a trace again, given those for its encoder and its edits."""
    hidden = f", hidden={trace.hidden}" if trace.hidden else ""
    return f"{encoder}.trace({trace.inputs!r}{hidden}{f', edits={edits}' if trace.edits else ''})"


def edit_source(edit: Edit, trace: Trace) -> str:
    """The expression for an edit of a run; a run that it patches from is made again within it."""
    value = literal(edit.value)
    if isinstance(edit.value, Trace):
        edits = "".join(f"{edit_source(e, trace)}, " for e in edit.value.edits)
        value = call(edit.value, "enc" if edit.value.source == trace.source else maker(edit.value), f"({edits})")
    options = {"heads": literal(edit.heads), "positions": literal(edit.positions), "value": value}
    given = [f"{name}={text}" for name, text in options.items() if getattr(edit, name) is not None]
    return f"Edit({', '.join([repr(edit.step), repr(edit.action), *given])})"


def involved(trace: Trace) -> list[Trace]:
    """A run and every run that its edits patch from."""
    return [trace, *(run for e in trace.edits if isinstance(e.value, Trace) for run in involved(e.value))]


def needs_math(trace: Trace) -> bool:
    """Whether minus infinity stands in a configuration or an edit."""
    runs = involved(trace)
    return "math." in " ".join(map(maker, runs)) or any(e.value == -math.inf for run in runs for e in run.edits)


def variables(steps: list[str]) -> dict[str, str]:
    """A short variable name for each step: its last word, with the word before it where that says too little."""
    last = [name.rsplit(".", 1)[-1] for name in steps]
    longer = ["_".join(name.replace("layers.", "layer_").split(".")[-2:]) for name in steps]
    return {
        name: word if last.count(word) == 1 and not hasattr(builtins, word) else two
        for name, word, two in zip(steps, last, longer, strict=True)
    }


def maker(trace: Trace) -> str:
    """The expression that makes this trace's model again."""
    return maker_of(trace.source, trace.config)


def maker_of(source: Source, config: EncoderConfig) -> str:
    """The expression that makes a model again."""
    if source.maker:
        return source.maker
    if source.seed is None:
        return f"TextEncoder.from_pretrained({source.origin or source.name!r})"
    return f"TextEncoder.from_config({shape(config)}, seed={source.seed})"


def imports(trace: Trace) -> str:
    """What the snippet needs from the package."""
    text = " ".join(map(maker, involved(trace))) + " Edit" * bool(trace.edits)
    return package_names(text)


def package_names(text: str) -> str:
    """Those of the package's names that stand in a source text."""
    needed = [name for name in ("PRESETS", "ClassifierConfig", "Edit", "EncoderConfig", "TextEncoder") if name in text]
    return ", ".join(needed + [name for name in ("learned", "mystery") if f"{name}(" in text])


def shape(config: EncoderConfig) -> str:
    """An expression for a configuration: a preset, or the fields that differ from the usual ones."""
    for name, preset in PRESETS.items():
        if preset == config:
            return f'PRESETS["{name}"]'
    usual = EncoderConfig()
    given = [(f.name, getattr(config, f.name)) for f in fields(config)]
    changed = [f"{name}={literal(value)}" for name, value in given if value != getattr(usual, name)]
    return f"EncoderConfig({', '.join(changed)})"


def literal(value: object) -> str:
    """A value as Python source."""
    return "-math.inf" if value == -math.inf else repr(value)


OF_A_NORM = (
    "mean",
    "variance",
    "variance_unbiased",
    "normalize",
    "normalize_std",
    "affine",
    "mean_square",
    "normalize_rms",
    "stretch",
)
TURNS = ("rotary_cos", "rotary_sin", "rotate")
SOURCES: dict[str, Callable[..., Any] | type] = {
    "embedding": Embedding,
    "distances": Distances,
    "attention": Attention,
    "feed_forward": FeedForward,
    "mlm": MLMHead,
    "pooling": SentencePooling,
    "classifier": Classifier,
}


def running_source(trace: Trace, step: Step) -> str:
    """The source of the module that computed a step, as it runs."""
    if step.name == "output":
        return inspect.getsource(Encoder)
    if step.operation in ("same", "add") and step.layer is not None and step.part != "attention":
        return inspect.getsource(Block)
    if step.operation in OF_A_NORM:
        kinds = [kind for kind in reversed(NORMS[trace.config.norm].__mro__) if kind in NORMS.values()]
        return "\n\n".join(map(inspect.getsource, kinds))
    if step.operation in TURNS:
        return inspect.getsource(Rotary) + "\n\n" + inspect.getsource(turned)
    if step.operation == "relative_bias":
        return inspect.getsource(SOURCES[step.part]) + "\n\n" + inspect.getsource(PositionBias)
    return inspect.getsource(SOURCES[step.part])
