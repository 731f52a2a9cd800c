"""What kind of model it is, in sentences: its shape, where its weights are from, and what it is made of."""

from encoder.explain.cost import size
from encoder.model.activations import ACTIVATIONS
from encoder.model.classifier_config import ClassifierConfig
from encoder.model.config import EncoderConfig
from encoder.support.formatting import brief, shown
from encoder.trace.trace import HELD, Source

POSITIONS = {
    "sinusoidal": "sines and cosines tell it where each token stands",
    "learned": "a learned vector for each position tells it where a token stands",
    "rotary": "queries and keys are turned by the position of their token",
    "alibi": "scores fall with the distance of two tokens",
    "none": "nothing tells it the order of the tokens",
}

GUESSES = "It guesses the word at each position."
OF_LABELS = {"single_label": "one of the labels", "multi_label": "any of the labels, of which several may hold at once"}


def origin(source: Source) -> str:
    """Where the weights of a model come from, in a sentence."""
    if source.maker == HELD:
        return "Its weights are those of a transformers model that was in memory."
    if source.maker.startswith("TextEncoder."):
        return "Its weights were saved at a step of its training."
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
        f"Its norms stand {'before each part of a layer' if config.norm_first else 'after each sum, as in the paper'}; "
        f"the activation of its feed-forward is {ACTIVATIONS[config.activation].title}.",
    ]
    if config.window is not None:
        text.append(
            f"Each token sees {config.window} neighbours on either side; it sees all tokens in every "
            f"{config.global_every}. layer only, from layer 0 on."
        )
    if config.gated:
        text.append("Its feed-forward is gated: what is activated is multiplied with a second linear map.")
    if config.shared_layers and config.n_layers > 1:
        text.append(f"All {config.n_layers} layers share one set of weights.")
    if config.n_segments > 1:
        text.append("It has a vector for each sentence of a pair, so it can tell the second from the first.")
    if config.mlm_head or config.classifier is None:
        text.append(GUESSES if config.mlm_head else "It ends in a vector for each token and guesses no words.")
    return (*text, *labels(config.classifier))


MOST = 12  # labels that are named


def labels(head: ClassifierConfig | None) -> tuple[str, ...]:
    """What the head that names labels says of what, in a sentence; nothing without one."""
    if head is None:
        return ()
    names = ", ".join(shown(name, 30) for name in head.labels[:MOST])
    names += f" and {len(head.labels) - MOST:,} more" if len(head.labels) > MOST else ""
    if head.problem == "regression":
        given = "a number, not a share" if len(head.labels) == 1 else "numbers, not shares"
        return (f"It gives each {head.labelled} {given}: {names}.",)
    return (f"It gives each {head.labelled} {OF_LABELS[head.problem]}: {names}.",)
