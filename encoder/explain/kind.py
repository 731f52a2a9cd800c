"""What kind of model it is, in sentences: its shape, where its weights are from, and what it is made of."""

from encoder.explain.cost import size
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import EncoderConfig
from encoder.support.formatting import brief
from encoder.trace.trace import HELD, Source

POSITIONS = {
    "sinusoidal": "sines and cosines tell it the places",
    "learned": "it has a vector of its own for each place, which training changes",
    "rotary": "queries and keys are turned by their places",
    "alibi": "scores fall with the distance of two tokens",
    "none": "nothing tells it the order of the tokens",
}


def origin(source: Source) -> str:
    """Where the weights of a model come from, in a sentence."""
    if source.maker == HELD:
        return "Its weights are those of a model of transformers that was held."
    if source.maker.startswith("TextEncoder."):
        return "Its weights were kept on the way while it was trained."
    if source.maker:
        return "It was trained on strings of one small task."
    if source.seed is None:
        return "Its weights were read from a file."
    return f"Its weights were drawn at random (seed {source.seed}): nothing that it does was learned."


def shape(config: EncoderConfig) -> tuple[str, str]:
    """Its layers with their heads, and how many parameters it has, in words."""
    layers = f"{config.n_layers} layers" if config.n_layers > 1 else "1 layer"
    heads = f"{config.n_heads} heads" if config.n_heads > 1 else "1 head"
    parameters = size(config).parameters
    return f"{layers} of {heads}", f"{brief(parameters / 1e6)} million" if parameters >= 1e6 else f"{parameters:,}"


def kind(config: EncoderConfig, source: Source) -> tuple[str, ...]:
    """What kind of model it is beside its shape, in sentences."""
    text = [
        origin(source),
        f"Each token is {config.d_model:,} numbers. It knows {config.vocab_size:,} tokens and reads up to "
        f"{config.max_positions:,} at once; "
        f"{POSITIONS[config.positions]}{', and scores get a number for the distance' * bool(config.position_buckets)}.",
        f"It norms {'before each part of a layer' if config.norm_first else 'after each sum, as in the paper'}; "
        f"the activation of its feed-forward is {ACTIVATIONS[config.activation].title}.",
    ]
    if config.window is not None:
        text.append(
            f"Its tokens see {config.window} neighbours on either side, and all others in every "
            f"{config.global_every}. layer only, from layer 0 on."
        )
    if config.gated:
        text.append("Its feed-forward is gated: what is activated is multiplied with a second linear map.")
    if config.shared_layers and config.n_layers > 1:
        text.append(f"All {config.n_layers} layers are one and the same, run again and again.")
    if config.n_segments > 1:
        text.append("It has a vector for each sentence of a pair, so it can tell the second from the first.")
    ends = (
        "It guesses the word of each place."
        if config.mlm_head
        else "It ends in a vector for each token: it names no words."
    )
    return (*text, ends)
