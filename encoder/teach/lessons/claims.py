"""What tutorials say of encoders, each with the trial that measures it; no verdict is written down here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Where the claims stand: common kinds of tutorial, by their titles.
SOURCES = {
    "guide": "Encoder Architecture in Transformers: A Step-by-Step Guide",
    "block": "Encoder Block, a reference sheet",
    "stack": "Full Transformer Encoder Stack, a notebook",
    "tutorial": "Encoder Architecture in Transformers: A Comprehensive Tutorial",
    "workflow": "Transformer Encoder Workflow",
    "asked": "our own question; none of these tutorials says it in so many words",
    "paper": "Attention Is All You Need (Vaswani et al. 2017)",
}
WIDE = "The animal didn't cross the street because it was too wide."
TIRED = "The animal didn't cross the street because it was too tired."


@dataclass(frozen=True)
class Claim:
    """One claim in our own words.

    `where` lists keys of SOURCES. `trial` and `given` are what measures it. `lesson` is the bundled lesson that tries
    it, `page` the page that shows it where there is none, and `lab` the experiment there.
    """

    key: str
    text: str
    where: tuple[str, ...]
    trial: str
    given: Mapping[str, Any] = field(default_factory=dict)
    lesson: str = ""
    page: str = ""
    lab: str = ""


CLAIMS = (
    Claim(
        "constant-time",
        "A run takes the same time however many tokens it reads, 10 or 1,000.",
        ("tutorial",),
        "time_constant",
        lesson="cost",
    ),
    Claim(
        "softmax",
        "softmax([2.0, 1.0, 0.1]) = [0.65, 0.24, 0.11].",
        ("workflow",),
        "softmax_is",
        {"scores": [2.0, 1.0, 0.1], "expected": [0.65, 0.24, 0.11]},
        "softmax-by-hand",
    ),
    Claim(
        "row-sums",
        "Every row of attention weights sums to 1, and every token looks at every other.",
        ("workflow", "block", "guide"),
        "all_look",
        {"sentence": WIDE},
        "softmax-by-hand",
    ),
    Claim(
        "weight-contribution",
        "Tokens with higher attention weights contribute more strongly to the output.",
        ("workflow",),
        "weight_contributes",
        page="heads",
    ),
    Claim("qkv", "W_Q, W_K and W_V count 3 d_model² parameters.", ("block",), "query_key_value", lesson="parameters"),
    Claim(
        "twelve-squares", "One block holds about 12 d_model² parameters.", ("block",), "block_size", lesson="parameters"
    ),
    Claim(
        "feed-forward-size",
        "Feed-forward has about 2 million parameters in a block of the paper's size.",
        ("tutorial",),
        "part_size",
        {"part": "feed-forward", "expected": 2e6},
        "parameters",
    ),
    Claim(
        "attention-size",
        "Attention has about 1 million parameters in a block of the paper's size.",
        ("tutorial",),
        "part_size",
        {"part": "attention", "expected": 1e6},
        "parameters",
    ),
    Claim(
        "std-norm",
        "(x - mean) / (std + eps), as torch computes std, is LayerNorm.",
        ("guide",),
        "std_norm_is",
        {"width": 512},
        "two-norms",
    ),
    Claim(
        "head-one",
        "Head 1 links subject, verb and object.",
        ("tutorial",),
        "head_job",
        {"head": 0, "job": "subject, verb and object"},
        "many-heads",
    ),
    Claim(
        "head-two",
        "Head 2 links things and places.",
        ("tutorial",),
        "head_job",
        {"head": 1, "job": "place"},
        "many-heads",
    ),
    Claim(
        "keys-table",
        "“Keys on the table belong to Sara”: some head links keys and table.",
        ("tutorial",),
        "linked",
        {"sentence": "Keys on the table belong to Sara.", "word": "keys", "target": "table"},
        "many-heads",
    ),
    Claim(
        "keys-sara",
        "“Keys on the table belong to Sara”: some head links keys and Sara.",
        ("tutorial",),
        "linked",
        {"sentence": "Keys on the table belong to Sara.", "word": "keys", "target": "sara"},
        "many-heads",
    ),
    Claim(
        "who-is-it",
        "Attention shows what “it” is: the street that was too wide, the animal that was too tired.",
        ("asked",),
        "refers",
        {"sentence": WIDE, "other": TIRED, "word": "it", "first": "street", "second": "animal"},
        "who-is-it",
    ),
    Claim(
        "lower-upper",
        "Lower layers hold grammar, upper layers meaning.",
        ("tutorial", "workflow"),
        "grammar_first",
        page="lessons",
        lab="What layers know",
    ),
    Claim(
        "contexts",
        "A word has one static vector, and another vector in each context: “light”.",
        ("tutorial",),
        "contexts",
        {"word": "light", "sentences": ["Turn on the light.", "This bag is light.", "I prefer light blue."]},
        "many-meanings",
    ),
    Claim(
        "apple",
        "In “I love Apple phones” the word moves from fruit towards computers.",
        ("tutorial",),
        "leans",
        {
            "sentence": "I love Apple phones.",
            "other": "I love apple pie.",
            "word": "apple",
            "near": "computer",
            "far": "fruit",
            "neutral": ["I love apple houses.", "I love apple."],
            "stand_in": "banana",
        },
        "many-meanings",
    ),
    Claim(
        "reversed",
        "Without positional encoding a sentence and its words reversed are identical.",
        ("workflow", "tutorial"),
        "identical_rows",
        {"sentence": "I love deep learning"},
        "word-order",
    ),
    Claim(
        "range",
        "The values of the positional encoding are between -1 and 1.",
        ("workflow",),
        "position_values",
        lesson="positions",
    ),
    Claim(
        "frequencies",
        "Each dimension of the positional encoding represents a different frequency.",
        ("workflow",),
        "one_frequency",
        {"of": "dimension"},
        lesson="positions",
    ),
    Claim(
        "rotation",
        "Who knows the encoding of position 10 knows those of 20 and 30: PE(p + k) is a rotation of PE(p).",
        ("tutorial", "paper"),
        "one_rotation",
        {"steps": 10},
        "positions",
    ),
    Claim(
        "bert-ids",
        "[101, 2054, 2003, 2204, 102] is “What is transformer?”.",
        ("guide",),
        "ids_say",
        {"ids": [101, 2054, 2003, 2204, 102], "text": "What is transformer?"},
        page="sentence",
    ),
    Claim(
        "scaling",
        "Without the division by √d_head softmax is all or nothing in wide heads.",
        ("workflow", "paper"),
        "saturates",
        {"width": 512},
        "why-divide",
    ),
    Claim(
        "collapse",
        "Two linear layers without an activation are one.",
        ("tutorial",),
        "layers_collapse",
        {"between": "nothing"},
        "why-relu",
    ),
    Claim(
        "activation",
        "The activation of the feed-forward network is what keeps layers from collapsing into one.",
        ("tutorial",),
        "activation_needed",
        {"sentence": WIDE},
        "why-relu",
    ),
    Claim(
        "linear-attention",
        "All operations in multi-head attention are linear.",
        ("tutorial",),
        "attention_linear",
        {"sentence": WIDE},
        "why-relu",
    ),
    Claim(
        "residuals",
        "Residuals keep information through a deep stack of random weights.",
        ("tutorial", "guide"),
        "residuals_deep",
        lesson="why-residuals",
    ),
    Claim(
        "gradients",
        "Without residuals the gradients of deep stacks vanish.",
        ("workflow", "guide", "block", "stack", "tutorial"),
        "gradients_vanish",
        {"depth": 24},
        "why-residuals",
    ),
    Claim(
        "pre-norm",
        "Pre-norm holds in deeper stacks than the paper's post-norm.",
        ("block",),
        "pre_norm_deeper",
        {"depth": 48},
        "why-residuals",
    ),
    Claim(
        "masks",
        "Masking with -10⁹, as the guide does, and with minus infinity, as the block does, comes to the same.",
        ("asked",),
        "masks_alike",
        lesson="padding",
    ),
    Claim(
        "three-rows",
        "“I understand this” is a matrix of 3 × 512 all the way.",
        ("stack", "tutorial"),
        "shape_is",
        {"sentence": "I understand this", "step": "output", "expected": [3, 512], "width": 512},
        "shapes",
    ),
)


def said_in(claim: Claim) -> str:
    """Return where a claim stands, in words."""
    return "; ".join(SOURCES[key] for key in claim.where)
