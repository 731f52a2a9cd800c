"""The fields of a model's configuration that a person may choose, and what they are called."""

from encoder.model.activations import ACTIVATIONS
from encoder.model.config import CHOICES, LONGEST

TOKENS_OF_BASE = 16_384  # an untrained model reads text with the tokenizer of `base`
FIRST = 4  # of COUNTS are in sight, all other fields are folded
# field -> (what it is called, smallest, largest)
COUNTS = {
    "n_layers": ("Layers", 1, 48),
    "d_model": ("d_model, the width", 8, 2048),
    "n_heads": ("Heads", 1, 64),
    "d_ff": ("d_ff, feed-forward width", 8, 8192),
    "vocab_size": ("Vocabulary", TOKENS_OF_BASE, 100_000),
    "max_positions": ("Longest input, in tokens", 16, LONGEST),
}
# field -> (what it is called, what each value is called)
OPTIONS: dict[str, tuple[str, dict[bool | str | int, str]]] = {
    "norm_first": ("Place of the norm", {False: "after adding (post-norm)", True: "before (pre-norm)"}),
    "norm": ("Norm formula", {name: name for name in CHOICES["norm"]}),
    "final_norm": ("After the stack", {False: "nothing", True: "a final norm"}),
    "activation": ("Activation", {name: one.title for name, one in ACTIVATIONS.items()}),
    "positions": ("Positions", {name: name for name in CHOICES["positions"]}),
    "position_buckets": ("Added to the scores", {0: "nothing", 32: "a position bias"}),
    "distance_scores": (
        "Scores of distances",
        {"none": "none", "c2p": "content to position", "p2c": "position to content", "both": "both"},
    ),
    "window": ("Window of local layers", {0: "none", 2: "2 neighbours", 8: "8 neighbours", 64: "64 neighbours"}),
    "gated": ("Feed-forward", {False: "plain", True: "gated"}),
    "attention_bias": ("Biases of attention", {True: "yes", False: "none"}),
    "feed_forward_bias": ("Biases of feed-forward", {"both": "yes", "second": "W_2 only", "none": "none"}),
    "norm_bias": ("Beta of the norms", {True: "yes", False: "none"}),
    "scale_embeddings": ("Embeddings", {True: "times √d_model", False: "as they are"}),
    "mlm_head": ("Head that guesses words", {False: "none", True: "masked-language-model head"}),
}
