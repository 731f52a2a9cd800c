"""An encoder made of given weights, or of random ones."""

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from encoder.checkpoint.tensor_files import CheckpointError
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder, meta_device
from encoder.support.errors import seeded
from encoder.support.progress import pulse


def on_meta(config: EncoderConfig) -> Encoder:
    """An encoder of that configuration whose parameters have names and shapes, but no memory yet."""
    with meta_device():
        return Encoder(config)


def build(
    config: EncoderConfig, tensors: Mapping[str, Tensor], origin: str, called: Callable[[str], str] = str
) -> Encoder:
    """An encoder of that configuration around the given weights, ready to run.

    Args:
        config: its configuration.
        tensors: its weights, by their names in the model; those of shared layers once, for layer 0.
        origin: where they come from, for messages.
        called: what a tensor is called there.

    Raises:
        CheckpointError: a tensor is missing, left over, of the wrong shape, or holds a value that is not a number.
    """
    model = on_meta(config)
    expected = {name: tuple(tensor.shape) for name, tensor in model.named_parameters()}
    for name, shape in expected.items():
        if name not in tensors:
            raise CheckpointError(f"{origin} lacks the tensor {called(name)} of shape {shape}")
        if tuple(tensors[name].shape) != shape:
            labels = f"; {config.n_labels} labels are named" if name.startswith("classifier.output") else ""
            differs = f"has shape {tuple(tensors[name].shape)}, expected {shape}{labels}"
            raise CheckpointError(f"{origin}: {called(name)} {differs}")
        if not all(bool(end.isfinite()) for end in torch.aminmax(tensors[name])):  # isfinite() takes 40 times as long
            raise CheckpointError(f"{origin}: {called(name)} holds values that are not finite numbers")
    extra = sorted(tensors.keys() - expected.keys())
    if extra:
        raise CheckpointError(
            f"{origin} holds tensors that this configuration has no place for: {', '.join(map(called, extra[:5]))}"
        )
    model.load_state_dict(tensors, assign=True, strict=False)  # shared layers have their weights once
    model.eval().requires_grad_(False)
    model.prepack()
    return model


def random_weights(config: EncoderConfig, seed: int) -> dict[str, Tensor]:
    """Untrained weights, the same for the same seed and torch version.

    Linear maps are Xavier-uniform with zero biases; embeddings are normal with standard deviation d_model^-0.5 where
    they are scaled up afterwards and 0.02 where not; gamma is 1 and beta 0.
    """
    generator = seeded(seed)
    shapes = {name: tensor.shape for name, tensor in on_meta(config).named_parameters()}
    deviation = config.d_model**-0.5 if config.scale_embeddings else 0.02

    def draw(name: str, shape: torch.Size) -> Tensor:
        pulse()
        if name.startswith("embedding.") and len(shape) == 2:
            return torch.empty(shape).normal_(0, deviation, generator=generator)
        if len(shape) == 2:
            bound = math.sqrt(6 / (shape[0] + shape[1]))
            return torch.empty(shape).uniform_(-bound, bound, generator=generator)
        return torch.ones(shape) if "norm" in name and name.endswith("weight") else torch.zeros(shape)

    return {name: draw(name, shape) for name, shape in shapes.items()}


def untrained(config: EncoderConfig, seed: int) -> Encoder:
    """A model with the random weights of a seed; torch's global generator is left as it is."""
    return build(config, random_weights(config, seed), "the random weights")
