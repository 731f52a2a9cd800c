"""The names along the dimensions that every picture may have."""

from encoder.model.config import EncoderConfig
from encoder.pictures.numbers import Names
from encoder.pictures.scene import Scene
from encoder.trace import unpadded


def layer_names(config: EncoderConfig, *, with_input: bool = False) -> list[str]:
    """What the layers are called beside a picture; the vectors before the first one are the input."""
    return ["input"] * with_input + [f"layer {i}" for i in range(config.n_layers)]


def head_names(config: EncoderConfig) -> list[str]:
    """What the heads of a layer are called beside a picture."""
    return [f"head {h}" for h in range(config.n_heads)]


def names_along(scene: Scene, dims: tuple[str, ...]) -> dict[str, Names]:
    """The names of layers, heads and tokens; "word" is a token that is no padding."""
    config, run = scene.encoder.config, scene.run
    known: dict[str, Names] = {
        "layer": layer_names(config),
        "after": layer_names(config, with_input=True),
        "head": head_names(config),
        "block": [*head_names(config), "feed-forward"],
    }
    if run is not None:
        known |= dict.fromkeys(("token", "query", "key"), run.tokens) | {"word": unpadded.tokens(run)}
    return {dim: known[dim] for dim in dims if dim in known}
