"""The shape of an encoder and the choices that tell one variant from another (paper, section 3)."""

import math
from dataclasses import dataclass, fields
from typing import Literal, get_args

from encoder.model.activations import ACTIVATIONS
from encoder.model.classifier_config import ClassifierConfig
from encoder.support.errors import EncoderError

Positions = Literal["sinusoidal", "learned", "rotary", "alibi", "none"]
NormFormula = Literal["layer_norm", "std_norm", "rms_norm"]
Biases = Literal["both", "second", "none"]
DistanceScores = Literal["none", "c2p", "p2c", "both"]
RopeScaling = Literal["none", "linear", "ntk"]
Pooling = Literal["mean", "cls", "max", "mean_sqrt_len"]

CHOICES: dict[str, tuple[str, ...]] = {
    "positions": get_args(Positions),
    "activation": tuple(ACTIVATIONS),
    "norm": get_args(NormFormula),
    "feed_forward_bias": get_args(Biases),
    "distance_scores": get_args(DistanceScores),
    "rope_scaling": get_args(RopeScaling),
}
LONGEST = 8192  # tokens in one input
SLOWEST = 1000  # times as slow a turn may be made
FLOAT32_MAX = 3.4e38
LIMITS: dict[str, tuple[int, int]] = {
    "vocab_size": (5, 1_000_000),
    "d_model": (2, 8192),
    "n_heads": (1, 128),
    "n_layers": (1, 96),
    "d_ff": (1, 65_536),
    "max_positions": (2, LONGEST),
    "n_segments": (0, 16),
    "position_buckets": (0, 1024),
    "distance_span": (2, LONGEST),
    "global_every": (1, 96),
}
# What a form asks for, in its order: field -> (what it is called, what each value is called)
OPTIONS: dict[str, tuple[str, dict[bool | str | int, str]]] = {
    "norm_first": ("Place of the norm", {False: "after adding (post-norm)", True: "before (pre-norm)"}),
    "norm": ("Norm formula", {name: name for name in CHOICES["norm"]}),
    "final_norm": ("After the stack", {False: "nothing", True: "a final norm"}),
    "activation": ("Activation", {name: kind.title for name, kind in ACTIVATIONS.items()}),
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


@dataclass(frozen=True)
class EncoderConfig:
    """Everything that decides what the forward pass computes.

    `max_positions` is the longest input in tokens; `trained_length` the longest one seen in training, where known.
    `mask_value` replaces the score of a hidden key. `norm="std_norm"` divides by the unbiased standard deviation
    plus eps, a common tutorial variant; `layer_norm` divides by the root of the biased variance plus eps.
    `embedding_size` is the width of the embedding tables where a linear map brings them to d_model (ALBERT, Lan et al.
    2020; ELECTRA, Clark et al. 2020); None where they are d_model wide. With `shared_layers` every layer is the same
    one (ALBERT). `gelu_tanh` is the tanh approximation of GELU (Hendrycks and Gimpel 2016); `head_activation` is that
    of the masked-word head, None where it is `activation`. `pooling` makes one vector of a sentence out of those of its
    tokens, where the model does that; with `unit_length` it is divided by its length (Reimers and Gurevych 2019).
    `classifier` is the head that labels sentences or tokens, where the model has one; `head_bias` is said of it, too.

    What encoders got after 2019: `positions="rotary"` turns queries and keys by their place (Su et al. 2021), by
    angles of base `rope_theta`, in layers with a window of base `local_rope_theta` (None: the same). For longer inputs
    than in training the turns are slowed by `rope_factor`, in layers with a window by `local_rope_factor` (None: the
    same): with `rope_scaling="linear"` all alike (Chen et al. 2023), with "ntk" the slowest pair by the whole factor
    and each faster one by less, by a larger base and one divisor for all (Su 2023, "fixed NTK").
    `positions="alibi"` lowers every scaled score by the distance of its two tokens times a slope of the head, which is
    not learned (Press et al. 2022).
    `position_buckets` is the number of distances, in steps that grow, whose learned numbers are added to the scores
    (Raffel et al. 2020); 0 where none are. With a `window`, a token sees so many tokens on either side of itself, in
    all layers but every `global_every`-th, counted from layer 0 (Beltagy et al. 2020). `gated` feed-forward networks
    multiply what is activated with a second linear map (Shazeer 2020). `rms_norm` divides by the root of the mean
    square (Zhang and Sennrich 2019). `first_norm` says whether layer 0 of a pre-norm model has its first norm.
    `attention_bias`, `norm_bias` and `head_bias` say whether those linear maps and norms have biases;
    `feed_forward_bias` which of the two maps, the one that widens and the one that narrows, have one.

    `distance_scores` are those that are added to the products of queries and keys (He et al. 2021): "c2p" of queries
    and distances (content to position), "p2c" of keys and distances (position to content), "both" or "none". Distances
    have learned vectors, for `distance_span` steps either way; with a `distance_limit` half of the steps are one token
    each and the others grow, so that the last begins there. `distance_norm` says whether the vectors are normalized,
    `distance_maps` whether each layer has linear maps of its own for them and not those of its queries and keys.

    Raises:
        EncoderError: a value is outside its range; the message names the value and the range.
    """

    vocab_size: int = 16_384
    d_model: int = 512
    n_heads: int = 8
    n_layers: int = 6
    d_ff: int = 2048
    max_positions: int = 512
    positions: Positions = "sinusoidal"
    activation: str = "relu"
    norm: NormFormula = "layer_norm"
    norm_eps: float = 1e-5
    norm_first: bool = False
    final_norm: bool = False
    embedding_norm: bool = False
    embedding_size: int | None = None
    scale_embeddings: bool = True
    n_segments: int = 0
    mask_value: float = -math.inf
    mlm_head: bool = False
    head_activation: str | None = None
    shared_layers: bool = False
    trained_length: int | None = None
    pooling: Pooling | None = None
    unit_length: bool = False
    rope_theta: float = 10_000.0
    local_rope_theta: float | None = None
    position_buckets: int = 0
    window: int | None = None
    global_every: int = 3
    gated: bool = False
    first_norm: bool = True
    attention_bias: bool = True
    feed_forward_bias: Biases = "both"
    norm_bias: bool = True
    head_bias: bool = True
    distance_scores: DistanceScores = "none"
    distance_span: int = 256
    distance_limit: int | None = None
    distance_norm: bool = False
    distance_maps: bool = False
    rope_scaling: RopeScaling = "none"
    rope_factor: float = 1.0
    local_rope_factor: float | None = None
    classifier: ClassifierConfig | None = None

    def __post_init__(self) -> None:
        """Check every field once, here, so that nothing downstream has to."""
        for name, (low, high) in LIMITS.items():
            self.check_count(name, low, high)
        for name, allowed in CHOICES.items():
            self.check_choice(name, allowed)
        if self.head_activation is not None:
            self.check_choice("head_activation", CHOICES["activation"], "None or ")
        if self.pooling is not None:
            self.check_choice("pooling", get_args(Pooling), "None or ")
        for field in fields(self):
            if field.type is bool and type(getattr(self, field.name)) is not bool:
                raise EncoderError(f"{field.name} is {getattr(self, field.name)!r}; it must be true or false")
        if not isinstance(self.classifier, ClassifierConfig | None):
            raise EncoderError(f"classifier is {self.classifier!r:.80}; it must be a ClassifierConfig or None")
        if self.unit_length and self.pooling is None:
            raise EncoderError("unit_length is True; without pooling there is no vector of the sentence to divide")
        if self.d_model % self.n_heads:
            divisors = [str(h) for h in range(1, min(self.d_model, LIMITS["n_heads"][1]) + 1) if self.d_model % h == 0]
            raise EncoderError(
                f"d_model {self.d_model} is not divisible by n_heads {self.n_heads}; "
                f"n_heads can be {', '.join(divisors)}"
            )
        if self.embedding_size is not None:
            self.check_count("embedding_size", *LIMITS["d_model"])
        if self.positions == "sinusoidal" and self.d_embedding % 2:
            wide = "d_model" if self.embedding_size is None else "embedding_size"
            raise EncoderError(
                f"{wide} is {self.d_embedding}; sinusoidal positions come in pairs and need an even {wide}"
            )
        self.check_distances()
        if self.trained_length is not None:
            self.check_count("trained_length", 1, LONGEST)
        if type(self.norm_eps) is not float or not 0 < self.norm_eps < 1:
            raise EncoderError(f"norm_eps is {self.norm_eps!r}; it must be a number above 0 and below 1")
        number = type(self.mask_value) in (int, float)
        if not number or not (-FLOAT32_MAX <= self.mask_value <= -1e4 or self.mask_value == -math.inf):
            raise EncoderError(
                f"mask_value is {self.mask_value!r}; it must be from {-FLOAT32_MAX:.3g} to -10000, or minus infinity"
            )

    def check_distances(self) -> None:
        """Refuse what the parts that look at the distance of two tokens cannot have."""
        for name in ("rope_theta", "local_rope_theta"):
            theta = getattr(self, name)
            if type(theta) not in (int, float) and not (theta is None and name.startswith("local")):
                raise EncoderError(f"{name} is {theta!r}; it must be a number from 1 to 1e9")
            if theta is not None and not 1 <= theta <= 1e9:
                raise EncoderError(f"{name} is {theta!r}; it must be a number from 1 to 1e9")
        self.check_scaling()
        if self.positions == "rotary" and self.d_head % 2:
            raise EncoderError(
                f"d_head is {self.d_head}, d_model over n_heads; rotary positions turn pairs of numbers and need an "
                "even d_head"
            )
        if self.positions == "rotary" and self.distance_scores != "none":
            raise EncoderError(
                f"positions is 'rotary' and distance_scores {self.distance_scores!r}; queries that are turned are not "
                "multiplied with distances, so one of the two must be none"
            )
        if self.positions == "alibi" and self.position_buckets:
            raise EncoderError(
                f"positions is 'alibi' and position_buckets {self.position_buckets}; scores get one number for a "
                "distance, so one of the two must be none"
            )
        if self.distance_limit is not None:
            self.check_count("distance_limit", self.distance_span // 2 + 2, LONGEST)
        if self.position_buckets % 4:
            raise EncoderError(f"position_buckets is {self.position_buckets}; it must be a multiple of 4")
        if self.window is not None:
            self.check_count("window", 1, LONGEST)
            if self.mask_value == -math.inf:
                raise EncoderError(
                    f"window is {self.window} with a mask_value of minus infinity; a token with nobody left to see in "
                    "its window would have no weights, so mask_value must be a number such as -1e9"
                )
        if self.shared_layers and (self.window is not None or self.no_first_norm):
            raise EncoderError(
                "shared_layers is True; layers that are one and the same can differ in no window or norm"
            )

    def check_scaling(self) -> None:
        """Refuse factors of turns that are out of range, or that nothing is made of."""
        for name in ("rope_factor", "local_rope_factor"):
            factor = getattr(self, name)
            if factor is None and name == "local_rope_factor":
                continue
            if type(factor) not in (int, float) or not 1 <= factor <= SLOWEST:
                raise EncoderError(f"{name} is {factor!r}; it must be a number from 1 to {SLOWEST}")
            if factor != 1 and self.rope_scaling == "none":
                raise EncoderError(f"{name} is {factor!r} with a rope_scaling of none; without scaling it must be 1")

    def check_choice(self, name: str, allowed: tuple[str, ...], otherwise: str = "") -> None:
        """Refuse a field that is none of the allowed words."""
        value = getattr(self, name)
        if not isinstance(value, str) or value not in allowed:
            raise EncoderError(f"{name} is {value!r}; it must be {otherwise}one of {', '.join(allowed)}")

    def check_count(self, name: str, low: int, high: int) -> None:
        """Refuse a field that is not a whole number within its range."""
        value = getattr(self, name)
        if type(value) is not int or not low <= value <= high:
            raise EncoderError(f"{name} is {value!r}; it must be a whole number from {low} to {high}")

    @property
    def d_embedding(self) -> int:
        """Width of the embedding tables: d_model, or embedding_size where a linear map follows them."""
        return self.d_model if self.embedding_size is None else self.embedding_size

    @property
    def n_labels(self) -> int:
        """How many labels the head that names them has; 0 without one."""
        return 0 if self.classifier is None else len(self.classifier.labels)

    @property
    def d_head(self) -> int:
        """Width of one head, d_k = d_v in the paper."""
        return self.d_model // self.n_heads

    @property
    def distance_parts(self) -> tuple[str, ...]:
        """The scores of distances that are added to those of queries and keys, in the order of computation."""
        return {"none": (), "both": ("c2p", "p2c")}.get(self.distance_scores, (self.distance_scores,))

    @property
    def distance_rows(self) -> int:
        """How many distances have a vector of their own."""
        return 2 * self.distance_span

    @property
    def score_size(self) -> int:
        """What scores are divided by the square root of: d_head, times the number of scores that were added up."""
        return self.d_head * (1 + len(self.distance_parts))

    @property
    def position_bias(self) -> bool:
        """Whether a number for the distance of two tokens is added to their score."""
        return self.position_buckets > 0 or self.positions == "alibi"

    @property
    def no_first_norm(self) -> bool:
        """Whether layer 0 has no norm before attention."""
        return self.norm_first and not self.first_norm

    def window_of(self, layer: int) -> int | None:
        """How many tokens on either side a token of a layer sees; None where it sees all."""
        return None if layer % self.global_every == 0 else self.window

    def theta_of(self, layer: int) -> float:
        """The base of the angles by which a layer turns queries and keys, before they are slowed."""
        local = self.local_rope_theta if self.window_of(layer) is not None else None
        return float(self.rope_theta if local is None else local)

    def factor_of(self, layer: int) -> float:
        """By how much the slowest pair of a layer turns slower than its base says."""
        local = self.local_rope_factor if self.window_of(layer) is not None else None
        return float(self.rope_factor if local is None else local)

    def turns_of(self, layer: int) -> tuple[float, float]:
        """The base and the divisor of the angles by which a layer turns: angle = place / base^(2i/d_head) / divisor."""
        theta, factor = self.theta_of(layer), self.factor_of(layer)
        return (theta * factor, factor ** (2 / self.d_head)) if self.rope_scaling == "ntk" else (theta, factor)


PRESETS: dict[str, EncoderConfig] = {
    "paper": EncoderConfig(),
    "pre-norm": EncoderConfig(norm_first=True, final_norm=True),
    "eight-blocks": EncoderConfig(n_layers=8, max_positions=5000),
    "guide": EncoderConfig(
        vocab_size=30_000, max_positions=5000, norm="std_norm", norm_eps=1e-6, final_norm=True, mask_value=-1e9
    ),
    "bert-base": EncoderConfig(
        vocab_size=30_522, d_model=768, n_heads=12, n_layers=12, d_ff=3072, positions="learned", activation="gelu",
        norm_eps=1e-12, embedding_norm=True, scale_embeddings=False, n_segments=2, mlm_head=True,
    ),
    "bert-large": EncoderConfig(
        vocab_size=30_522, d_model=1024, n_heads=16, n_layers=24, d_ff=4096, positions="learned", activation="gelu",
        norm_eps=1e-12, embedding_norm=True, scale_embeddings=False, n_segments=2, mlm_head=True,
    ),
    "modern": EncoderConfig(
        d_ff=768, positions="rotary", activation="gelu", norm_first=True, final_norm=True, embedding_norm=True,
        scale_embeddings=False, mask_value=-1e9, rope_theta=160_000.0, local_rope_theta=10_000.0, window=64, gated=True,
        first_norm=False, attention_bias=False, feed_forward_bias="none", norm_bias=False, head_bias=False,
    ),
}  # fmt: skip


def preset(name: str) -> EncoderConfig:
    """The named shape; raises EncoderError with the list of names for one that is not there."""
    if not isinstance(name, str) or name not in PRESETS:
        raise EncoderError(f"there is no preset {name!r:.80}; the presets are {', '.join(PRESETS)}")
    return PRESETS[name]
