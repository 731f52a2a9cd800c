"""Trials of how the parts are put together: what goes into which part, and what comes out."""

import torch
from torch import Tensor, nn

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.compare import cosines, mean_between
from encoder.explain.whole import DeviationNorm, WholeEncoder
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name, catalogue
from encoder.pictures.labs.head_claims import position_of
from encoder.pictures.labs.trial import Finding, claim, judge, trial, untried
from encoder.pictures.view import EXAMPLE as WIDE
from encoder.support.errors import EncoderError
from encoder.support.formatting import agreement, brief, listed
from encoder.trace.unpadded import stream

ROUNDING = 1e-5  # of the size of the numbers
POSITION_WISE = ("feed-forward", "attention")


def apart(a: Tensor, b: Tensor) -> tuple[float, float]:
    """The largest difference of two tensors, and the size of their numbers, 1 or more."""
    return float((a - b).abs().max()), max(1.0, float(b.abs().max()))


@claim("each-alone", "guide block workflow", page="feed_forward", sentence="The cat sleeps.")
@trial(runs=10)
@torch.inference_mode()
def each_alone(encoder: TextEncoder, sentence: str) -> Finding:
    """Feed-forward treats each token on its own: the others make no difference to it.

    The other part of a block is measured beside it.
    """
    if encoder.config.distance_parts:
        return untried("The attention of this model needs the distances of all tokens.")
    trace, steps, largest = encoder.trace(sentence), by_name(encoder.config), dict.fromkeys(POSITION_WISE, 0.0)
    for i, layer in enumerate(encoder.model.layers):
        inputs = steps[f"layers.{i}.feed_forward.hidden"].inputs[0], f"layers.{i}.attention.input"
        for name, source in zip(POSITION_WISE, inputs, strict=True):
            module, x = layer.get_submodule(name.replace("-", "_")), trace[source]
            difference, size = apart(torch.cat([module(row[None, None])[0] for row in x]), module(x[None])[0])
            largest[name] = max(largest[name], difference / size)
    others = [f"{name} {brief(value)}" for name, value in largest.items()]
    text = (
        f"In {encoder.config.n_layers} layers each of {len(trace.tokens)} tokens was given alone, and then all of them "
        f"together. The largest difference, as a share of the largest number: {listed(others)}."
    )
    value = largest["feed-forward"]
    return Finding(value, "difference of feed-forward, alone and together", text, judge(value < ROUNDING))


@claim("few-lines", "guide stack", page="output", sentence=WIDE)
@trial()
@torch.inference_mode()
def own_class(encoder: TextEncoder, sentence: str) -> Finding:
    """A class of a few lines computes what such an encoder computes.

    The class is `encoder.explain.whole`, which stands on the page of the stack under Show me the code.
    """
    config = encoder.config
    if not classic(config):
        return untried("The class is built as in 2017: post-norm, sines and cosines, ReLU, biases everywhere.")

    def norm(width: int) -> nn.Module:
        return (DeviationNorm if config.norm == "std_norm" else nn.LayerNorm)(width, config.norm_eps)

    whole = WholeEncoder(
        config.vocab_size,
        config.d_model,
        config.n_heads,
        config.n_layers,
        config.d_ff,
        config.max_positions,
        norm,
        config.final_norm,
    ).eval()
    names = ("embedding.", "attention.", "feed_forward.")
    weights = {name: w for name, w in encoder.model.named_parameters() if not name.startswith("mlm_head.")}
    whole.load_state_dict({strip(name, names): weight for name, weight in weights.items()})
    trace = encoder.trace(sentence)
    difference, size = apart(whole(torch.tensor([trace.ids]))[0], trace["output"])
    lines = f"all {config.n_layers} layers"
    text = f"With this model's weights the class and {lines} here agree {agreement(difference, size)}."
    return Finding(difference, "largest difference", text, judge(difference < 10 * ROUNDING * size))


def classic(config: EncoderConfig) -> bool:
    """Whether the embedding and every layer of a model compute what the paper's do; its norm may be a tutorial's."""
    paper = EncoderConfig(n_layers=config.n_layers, norm=config.norm)
    ours, theirs = (
        [(step.name, step.operation) for step in catalogue(shape) if step.layer is not None or step.part == "embedding"]
        for shape in (config, paper)
    )
    return config.norm in ("layer_norm", "std_norm") and ours == theirs and not config.shared_layers


def strip(name: str, parts: tuple[str, ...]) -> str:
    """A parameter's name without the parts that it stands in."""
    for part in parts:
        name = name.replace(part, "")
    return name


@claim(
    "layers-refine",
    "guide stack",
    "With each layer the vectors of “light” in three sentences grow less alike.",
    page="output",
    word="light",
    sentences=["Turn on the light.", "This bag is light.", "I prefer light blue."],
)
@trial()
def layers_refine(encoder: TextEncoder, word: str, sentences: list[str]) -> Finding:
    """With every layer a word's vectors in several sentences grow less alike: each layer takes in more of the rest."""
    if len(sentences) < 2:
        raise EncoderError(f"{len(sentences)} sentences; it takes 2 or more to compare")
    alike = mean_between(cosines([stream(run)[:, position_of(run, word)] for run in map(encoder.trace, sentences)]))
    less = int((alike[1:] < alike[:-1]).sum())
    text = (
        f"The mean cosine of “{word}” in {len(sentences)} sentences is {brief(float(alike[0]))} at the input and "
        f"{listed([brief(float(one)) for one in alike[1:]])} after each layer: less alike after {less} of "
        f"{len(alike) - 1} layers."
    )
    condition = f"after {less} of {len(alike) - 1} layers" if alike[-1] < alike[0] else ""
    holds = judge(less == len(alike) - 1, condition)
    return Finding(float(alike[0] - alike[-1]), "how much the mean cosine falls", text, holds)
