"""The pages that the browser draws: the one table of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

ALONG, CHANGE, DEEPER = "Step by step", "Change and compare", "Look deeper"  # headings of the menu
CHART, CHECKS = ("chart", "As a chart"), ("checks", "How to check")
ATTENTION = ("input", "q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output")
LABELS, VECTORS = "labels", "vectors"  # what models answer that guess no words
UNITS = ("hidden", "up", "activation", "gated", "output")  # steps of feed-forward that its picture shows
SUBLAYERS = ("residual", "sum", "output")  # steps of an add & norm that a picture shows


@dataclass(frozen=True)
class DrawnPage:
    """A page that draws from packets alone."""

    title: str
    level: int  # of the packets that it draws with
    symbol: str  # of Material
    group: str = ALONG  # the heading it stands under in the menu
    parts: tuple[str, ...] = ()  # of the encoder, whose steps it can show number by number
    opens_on: str = ""  # the first of these steps
    of_layer: bool = True  # whether they are of a layer
    shows: tuple[str, ...] | None = None  # the steps that its picture shows itself; None where it shows all
    place: bool = True  # whether a layer and a head mean something there
    more: tuple[tuple[str, str], ...] = ()  # the sections below its picture, and what they are called
    under: tuple[tuple[str, tuple[str, ...]], ...] = ()  # headings that unfold to some of them, in their order
    # Its main picture by the step or view that is chosen or by what the model answers, "" where nothing is said of
    # these, "*" for any other one: its key, and the choice in which it takes the word
    pictures: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def in_full(self, step: str) -> str:
        """Return the name of a step of this page; `*` stands for the layer, where it is of one."""
        return f"layers.*.{step}" if self.of_layer else step


PAGES: Mapping[str, DrawnPage] = {
    "start": DrawnPage(
        "Start",
        1,
        "home",
        pictures={"": ("arcs", "word")},
        more=(
            ("words", "Which words made the guess"),
            ("several", "Several heads together, as lines and as a matrix"),
            ("tokens", "The sentence as tokens"),
        ),
    ),
    "embedding": DrawnPage(
        "Embedding & position",
        4,
        "database",
        parts=("embedding", "position", "distances"),
        opens_on="embedding.tokens",
        of_layer=False,
        shows=tuple(
            f"embedding.{name}"
            for name in ("tokens", "scaled", "positions", "segments", "sum", "norm.output", "projected", "output")
        ),
        place=False,
        pictures={
            **dict.fromkeys(("", "embedding.tokens", "embedding.scaled"), ("near_words", "near_word")),
            "embedding.positions": ("alike_place", "near_word"),
            "*": ("embedding_strips", "near_word"),
        },
        more=(("places", "How alike two positions are"), CHECKS),
    ),
    "attention": DrawnPage(
        "Attention",
        2,
        "visibility",
        parts=("attention",),
        opens_on="attention.weights",
        shows=tuple(f"attention.{name}" for name in ATTENTION),
        pictures={"": ("picture", "")},
        more=(
            CHART,
            ("heads", "What each head adds, after W_O"),
            ("bias", "What is added for the distance of two tokens"),
            ("one_matrix", "One matrix for all heads, or one for each"),
            CHECKS,
        ),
    ),
    "add_norm": DrawnPage(
        "Add & norm",
        3,
        "add_circle",
        parts=("add_norm_1", "add_norm_2", "layer_output"),
        opens_on="add_norm_1.sum",
        shows=(*(f"add_norm_{n}.{name}" for n in (1, 2) for name in SUBLAYERS), "output"),
        pictures={"": ("length_parts", "sum_token")},
        more=(
            CHART,
            ("sides", "All numbers before the norm and after it"),
            ("moments", "Every token's means and variances"),
            ("learned", "What this norm has learned"),
            CHECKS,
        ),
    ),
    "feed_forward": DrawnPage(
        "Feed-forward",
        3,
        "bolt",
        parts=("feed_forward",),
        opens_on="feed_forward.activation",
        shows=(*(f"feed_forward.{name}" for name in UNITS), "add_norm_2.sum"),
        pictures={
            **dict.fromkeys(("", "feed_forward.activation"), ("units_on_curve", "curve_token")),
            "*": ("picture", ""),
        },
        more=(
            CHART,
            ("corpus", "Where a unit fires in many sentences"),
            ("all_units", "How often all units of the layer fire"),
            ("silent", "Units that no sentence wakes"),
            CHECKS,
        ),
    ),
    "output": DrawnPage(
        "Output",
        5,
        "layers",
        parts=("final_norm", "output", "pooling", "mlm", "classifier"),
        opens_on="output",
        of_layer=False,
        shows=("output",),
        pictures={"": ("lens", "lens_token"), LABELS: ("why_sum", "why_token"), VECTORS: ("moves", "")},
        more=(
            CHART,
            ("words", "The nearest words of the table"),
            ("ways", "How the vectors change from layer to layer"),
            ("layers", "How alike the layers are, over many sentences"),
            ("sources", "Where vectors come from"),
            ("rollout", "Why rollout misleads"),
            ("units", "Units of the feed-forward and the words they point to"),
            CHECKS,
        ),
    ),
    "what_if": DrawnPage(
        "What if",
        7,
        "toggle_off",
        CHANGE,
        pictures={"": ("guess_changed", ""), LABELS: ("guess_changed", ""), VECTORS: ("words_moved", "")},
        more=(
            ("whole", "Switches for the whole model"),
            ("differs", "What differs from the run without changes"),
            ("beside", "Any step of both runs, side by side"),
            ("parts", "Which parts made the guess"),
            ("words", "Which words made the guess"),
            ("loo", "Each part left out, in this sentence"),
            ("board", "Each part left out, over many sentences"),
        ),
    ),
    "compare": DrawnPage(
        "Compare",
        1,
        "compare",
        CHANGE,
        pictures={"": ("carried", ""), "look": ("beside_change", "")},
        more=(
            ("apart", "How far the two runs are apart"),
            ("beside", "Any step of both runs, side by side"),
            ("patch", "What a patch of A brings to B"),
            ("cosine", "How alike the two sentences are"),
            ("word", "One word in many sentences"),
            ("list", "How alike the sentences of a list are"),
        ),
        under=(
            ("Both runs, step by step", ("apart", "beside", "patch")),
            ("How alike sentences and words are", ("cosine", "word", "list")),
        ),
    ),
    "heads": DrawnPage(
        "Heads",
        6,
        "apps",
        DEEPER,
        pictures={"": ("all_heads", ""), "carried": ("heads_carry", "")},
        more=(
            ("jobs", "Jobs that were examined on gold trees"),
            ("beside", "Beside another model, relation by relation"),
            ("trees", "Examine heads on trees of your own"),
            ("flow", "What really flows"),
            ("inside", "Why one word scores another"),
            ("measures", "Measures of all heads"),
            ("alike", "How alike heads are"),
            ("between", "From one sentence of a pair to the other"),
            ("contexts", "Where this head looks in many sentences"),
            ("two_measures", "All heads by two measures, over many sentences"),
            ("kinds", "From one kind of token to another, over many sentences"),
            ("find", "Find a word in many sentences"),
            ("nearest", "The nearest vectors in many sentences"),
            ("pairs", "What carries the change in pairs of your own"),
            ("list", "Measure a list of sentences"),
        ),
        under=(
            ("How heads were examined", ("jobs", "beside", "trees")),
            ("More of these words and this head", ("flow", "inside", "measures", "alike", "between")),
            ("In many sentences", ("contexts", "two_measures", "kinds", "find", "nearest")),
            ("On sentences of your own", ("pairs", "list")),
        ),
    ),
}
