"""What is said of every step: symbol, formula, shape, operation, inputs, title, note and what to look for.

<0>, <1>, <2> in a symbol or formula are the symbols of the step's inputs, <sum> all of them with a plus between: so a
formula has the terms that are computed, and no other. <m> is the score of a hidden key.

What a layer has by an option of the model is a group of steps in OF_ATTENTION or OF_FEED_FORWARD, with its condition.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from encoder.model.config import EncoderConfig
from encoder.model.steps.step import (
    DISTANCES,
    HEAD_DISTANCES,
    LABELS,
    PAIRS,
    PER_HEAD,
    PER_TOKEN,
    PLACES,
    SENTENCE,
    TOKEN_LABELS,
    TOKENS_BY_MODEL,
    Step,
)


@dataclass(frozen=True)
class Group:
    """Steps of a sublayer that come one after the other in those layers of which `when` is true.

    After a group, whatever asks for a step in `instead` gets the step that it names there: so where queries are turned,
    scores are made of the turned ones.
    """

    steps: tuple[Step, ...]
    when: Callable[[EncoderConfig, int], bool] = lambda config, layer: True
    instead: Mapping[str, str] = field(default_factory=dict)


GIVEN = {"ids": r"\mathrm{id}", "hidden": r"\text{masked}"}  # symbols of what the person gave
WAVES = (
    r"\begin{aligned} PE_{pos,2i} &= \sin(pos / 10000^{2i/d}) \\"
    r" PE_{pos,2i+1} &= \cos(pos / 10000^{2i/d}) \end{aligned}"
)
EMBEDDING = {
    "tokens": Step(
        "tokens", "E_{id}", r"E[<0>]", TOKENS_BY_MODEL, "lookup", ("ids",), "Token embedding",
        "Each token id picks its row of the embedding table: one vector for that word piece, always the same.",
        "The same word twice in the sentence gives two identical rows: nothing here knows position or context.",
        ("embedding.tokens.weight",),
    ),
    "scaled": Step(
        "scaled", r"<0> \sqrt{d_{model}}", r"<0> \sqrt{d_{model}}", TOKENS_BY_MODEL, "scale", ("tokens",),
        "Scaled embedding",
        "Every value is multiplied by the square root of d_model, so that the word outweighs the position added next.",
        "Compare the size of these values with {positions}.",
    ),
    "unscaled": Step(
        "scaled", "<0>", "<0>", TOKENS_BY_MODEL, "same", ("tokens",), "Embedding, not scaled",
        "This model does not multiply its embeddings by the square root of d_model; they go on as they are.",
        "Compare the size of these values with {positions}.",
    ),
    "sinusoidal": Step(
        "positions", "PE_{pos}", WAVES,
        TOKENS_BY_MODEL, "sinusoid", (), "Positional encoding",
        "Each position gets its own pattern of sines and cosines: fast waves in the first columns, slow in the last.",
        "Rows depend on the position alone: type other words and this picture stays the same.",
    ),
    "learned": Step(
        "positions", "P_{pos}", r"P[pos]", TOKENS_BY_MODEL, "position", (), "Learned position",
        "Each position picks its row of a second table, one vector for every position in the sentence.",
        "Rows depend on the position alone: type other words and this picture stays the same.",
        ("embedding.positions.weight",),
    ),
    "rotary": Step(
        "positions", "P", "0", TOKENS_BY_MODEL, "zeros", (), "No positions added",
        "This model adds nothing for the position of a word: attention turns queries and keys by it instead.",
        "Every value is zero. The position comes in as cosines and sines, in each layer's attention.",
    ),
    "distances": Step(
        "positions", "P", "0", TOKENS_BY_MODEL, "zeros", (), "No positions added",
        "This model adds nothing for the position of a word: attention looks at how far apart two words are instead.",
        "Every value is zero. The distances come in as scores, in each layer's attention.",
    ),
    "none": Step(
        "positions", "P", "0", TOKENS_BY_MODEL, "zeros", (), "No positions",
        "This model is given no positions: zeros are added, and {order}.",
        "Every value is zero. {exchanged}",
    ),
    "segments": Step(
        "segments", "S_{AB}", r"S[\mathrm{segment}]", TOKENS_BY_MODEL, "segment", (), "Segment embedding",
        "One vector for every token of sentence A, another for sentence B.",
        "With a single sentence all rows are the same.",
        ("embedding.segments.weight",),
    ),
    "segment": Step(
        "segments", "S", r"S[0]", TOKENS_BY_MODEL, "segment", (), "Segment embedding",
        "One and the same vector for every token: this model does not tell the sentences of a pair apart by it.",
        "All rows are the same.",
        ("embedding.segments.weight",),
    ),
    "sum": Step(
        "sum", "s", "<sum>", TOKENS_BY_MODEL, "add", ("scaled", "positions"), "Sum of embeddings",
        "{Added} are added, number by number.",
        "The rows of the same word at two positions {differ}.",
    ),
    "projected": Step(
        "projected", "u", r"<0> W_E + b_E", TOKENS_BY_MODEL, "linear", ("{x}",), "Widened embedding",
        "The embedding tables of this model have a width of their own: a linear map brings each row to d_model.",
        "Every dimension here is a mix of all dimensions of the embedding.",
        ("embedding.projection",),
    ),
    "projected_output": Step(
        "output", "x_{0}", "<0>", TOKENS_BY_MODEL, "same", ("projected",), "Input of the first layer",
        "The widened embedding is all that the first layer receives.",
        "The rows of the same word at two positions {differ}.",
    ),
    "output": Step(
        "output", "x_{0}", "<sum>", TOKENS_BY_MODEL, "add", ("scaled", "positions"), "Input of the first layer",
        "{Added} are added, number by number. This is all that the first layer receives.",
        "The rows of the same word at two positions {differ}.",
    ),
}  # fmt: skip
ATTENTION = (
    Step(
        "attention.input", "x", "<0>", TOKENS_BY_MODEL, "same", ("{x}",), "Input of attention",
        "One vector per token arrives here. Every head reads this same matrix.",
        "{source}",
    ),
    Step(
        "attention.q", "Q", r"<0> W_Q + b_Q", PER_HEAD, "linear", ("attention.input",), "Queries",
        "A linear map turns each token's vector into a query: what this token looks for. Each head has its own part.",
        "{alike}",
        ("attention.w_q",),
    ),
    Step(
        "attention.k", "K", r"<0> W_K + b_K", PER_HEAD, "linear", ("attention.input",), "Keys",
        "A second linear map gives each token a key: what it has to offer to those who look.",
        "A column of the scores is large where this key agrees with many queries.",
        ("attention.w_k",),
    ),
    Step(
        "attention.v", "V", r"<0> W_V + b_V", PER_HEAD, "linear", ("attention.input",), "Values",
        "A third linear map gives each token a value: what it hands over when it is looked at.",
        "Nothing is decided yet: the weights will say how much of each row is taken.",
        ("attention.w_v",),
    ),
    Step(
        "attention.scores", r"<0> <1>^\top", r"<0> <1>^\top", PAIRS, "dot", ("attention.q", "attention.k"), "Scores",
        "Every query is multiplied with every key, number by number, and added up: one score for each pair.",
        "A row is one token looking; {largest}. Rows and columns play different roles.",
    ),
    Step(
        "attention.scaled", "S", r"\frac{<0>}{\sqrt{d_{head}}}", PAIRS, "unscale",
        ("attention.scores",), "Scaled scores",
        "Every score is divided by the square root of d_head, so that wide heads do not make softmax all-or-nothing.",
        "The pattern is the same as before; only the scale of the numbers changed.",
    ),
    Step(
        "attention.masked", "M",
        r"\begin{cases} <m> & \text{if } <1> \\ <0> & \text{else} \end{cases}", PAIRS, "mask",
        ("attention.scaled", "hidden"), "Masked scores",
        "Keys that may not be seen, padding or a token you mask, get a score so low that softmax makes it zero.",
        "With nothing masked the scores stay as they were. Mask a token and its column goes out.",
    ),
    Step(
        "attention.weights", "A", r"\mathrm{softmax}_j(<0>)", PAIRS, "softmax",
        ("attention.masked",), "Attention weights",
        "Softmax turns each row into shares: none is negative, and each row sums to 1.",
        "Read along a row to see where one token looks. A column that stands out is a token that many look at.",
        values="share",
    ),
    Step(
        "attention.heads", "Z", "<0> <1>", PER_HEAD, "weighted_sum", ("attention.weights", "attention.v"),
        "Weighted values",
        "Each token takes the average of all values, weighted by its row of attention weights.",
        "A token that looks at one place only gets nearly that token's value; one that looks everywhere gets a blend.",
    ),
    Step(
        "attention.concat", "C", r"\mathrm{concat}_h(<0>_h)", TOKENS_BY_MODEL, "concat",
        ("attention.heads",), "Concatenated heads",
        "The results of all heads are laid side by side, so that each token has one long vector again.",
        "Each stretch of d_head columns belongs to one head: compare how large the numbers of each are.",
    ),
    Step(
        "attention.output", r"\mathrm{Attention}({read})", r"<0> W_O + b_O", TOKENS_BY_MODEL, "linear",
        ("attention.concat",), "Output of attention",
        "A last linear map mixes what the heads found into one vector per token.",
        "This is what will be added to the token's old vector.",
        ("attention.w_o",),
    ),
)  # fmt: skip
ANGLES = {  # by what slows the turns of a layer
    "none": r"pos \cdot \theta^{-2i/d_{head}}",
    "linear": r"pos \cdot \theta^{-2i/d_{head}} / s",
    "ntk": r"pos \cdot (s\,\theta)^{-2i/d_{head}} / s^{2/d_{head}}",
}
ROTARY = (
    Step(
        "attention.cos", r"\cos\varphi", r"\cos({angle})", PLACES, "rotary_cos", (),
        "Cosines of the turn",
        "Each pair of numbers of a head is turned by an angle that grows with the position: its cosine. Pair i are "
        "the numbers i and i + d_head / 2. θ is {theta} in this layer{slowed}.",
        "Fast pairs in the first columns, slow ones in the middle, then the same again for the second numbers.",
    ),
    Step(
        "attention.sin", r"\sin\varphi", r"\sin({angle})", PLACES, "rotary_sin", (),
        "Sines of the turn",
        "The sine of the same angle. At position 0 it is zero: the first token is not turned.",
        "Go down a column: the faster it changes sign, the finer the distances that this pair can tell apart.",
    ),
    Step(
        "attention.q_rotated", "Q'", r"<0> \odot <1> + \mathrm{rot}(<0>) \odot <2>", PER_HEAD, "rotate",
        ("attention.q", "attention.cos", "attention.sin"), "Rotated queries",
        "Every query is turned by its position: rot puts minus the second half of its numbers before the first half.",
        "No row changes its length. Two words alike at different positions now have different queries.",
    ),
    Step(
        "attention.k_rotated", "K'", r"<0> \odot <1> + \mathrm{rot}(<0>) \odot <2>", PER_HEAD, "rotate",
        ("attention.k", "attention.cos", "attention.sin"), "Rotated keys",
        "Every key is turned by its own position. So of a query and a key, only their distance counts.",
        "Put a word before the sentence: all words that were there turn further, queries and keys by the same angles; "
        "only what is at position 0 stays as it is.",
    ),
)  # fmt: skip
POSITION_BIAS = (
    Step(
        "attention.position_bias",
        "B",
        r"b_{\mathrm{bucket}(j - i)}",
        PAIRS,
        "relative_bias",
        (),
        "Position bias",
        "One learned number for each head and each distance between query and key; far ones share a number. All "
        "layers have the same.",
        "Every diagonal has one colour: the number depends on the distance, and on which of the two comes first.",
        ("position_bias.weight",),
    ),
    Step(
        "attention.biased",
        "S_B",
        "<sum>",
        PAIRS,
        "add",
        ("attention.scaled", "attention.position_bias"),
        "Scores with position bias",
        "The number of the distance is added to the scaled score of every pair, whatever the words are.",
        "Compare with the scaled scores: diagonals that got brighter are distances that this head prefers.",
    ),
)
ALIBI = (
    replace(
        POSITION_BIAS[0],
        formula=r"-m_h \, |i - j|",
        operation="alibi",
        title="Slope times distance",
        note="ALiBi: the distance of query and key times a number of the head, its slope, with a minus before it. "
        "{slopes} Nothing of it is learned, and all layers have the same.",
        look="Zero on the diagonal, and farther below with every token away from it. Heads with a small slope see far.",
        parameters=(),
    ),
    replace(
        POSITION_BIAS[1],
        look="Compare with the scaled scores: the diagonal is as it was, and the far corners are lower.",
    ),
)
DISTANCE_TABLE = Step(
    "table",
    "D",
    r"D[\mathrm{bucket}(i - j)]",
    DISTANCES,
    "distance",
    (),
    "Vectors of the distances",
    "One learned vector for every distance between a query and a key, from keys far after the query to keys far before "
    "it. All layers have the same; {buckets}.",
    "Rows depend on the distance alone: type other words, as many, and this picture stays the same.",
    ("distances.table.weight",),
)
DISTANCE_KEYS, DISTANCE_QUERIES = (
    (
        Step(
            "attention.k_distance",
            "K^{r}",
            "<0> W_K + b_K",
            HEAD_DISTANCES,
            "linear",
            ("distances.output",),
            "Keys of the distances",
            "A linear map, {of_k}, makes a key of every distance: what a place has to offer, whatever word stands "
            "there.",
            "A row is a distance. Rows that are alike are distances that no query can tell apart.",
            ("attention.w_k",),
        ),
        Step(
            "attention.c2p",
            r"S^{c \to p}",
            r"{<0>}_i \cdot {<1>}_{i - j}",
            PAIRS,
            "content_to_position",
            ("attention.q", "attention.k_distance"),
            "Content to position",
            "Every query is multiplied with the key of the distance to each token: where this word likes to look, "
            "whatever stands there.",
            "A row with one bright place is a word that asks for its neighbour at that distance.",
        ),
    ),
    (
        Step(
            "attention.q_distance",
            "Q^{r}",
            "<0> W_Q + b_Q",
            HEAD_DISTANCES,
            "linear",
            ("distances.output",),
            "Queries of the distances",
            "A linear map, {of_q}, makes a query of every distance: what is looked for so far away, whatever word is "
            "looking.",
            "A row is a distance. Rows that are alike are distances that no key can tell apart.",
            ("attention.w_q",),
        ),
        Step(
            "attention.p2c",
            r"S^{p \to c}",
            r"{<0>}_j \cdot {<1>}_{i - j}",
            PAIRS,
            "position_to_content",
            ("attention.k", "attention.q_distance"),
            "Position to content",
            "Every key is multiplied with the query of the distance from each token: from where this word is looked "
            "for, whatever is looking.",
            "A column with one bright place is a word that is asked for by the token at that distance.",
        ),
    ),
)
DISTANCE_TOTAL = Step(
    "attention.total",
    r"\hat{S}",
    "<sum>",
    PAIRS,
    "add",
    ("attention.scores",),
    "Sum of the scores",
    "Content to content and the scores of the distance are added up: {added} numbers for every pair.",
    "Switch one of them off in What if, and see what this head still looks at.",
)
WINDOW = Step(
    "attention.windowed",
    "S_W",
    r"\begin{cases} <m> & \text{if } |i - j| \gt w \\ <0> & \text{else} \end{cases}",
    PAIRS,
    "window",
    ("attention.scaled",),
    "Scores within the window",
    "In this layer a token sees only its {window} neighbours on either side: all pairs farther apart are masked.",
    "A band along the diagonal is left; of a sentence that is no longer than the window, everything.",
)
FEED_FORWARD = (
    Step(
        "feed_forward.hidden",
        "h",
        r"<0> W_1 + b_1",
        ("n", "d_ff"),
        "linear",
        ("{x}",),
        "Hidden units before activation",
        "Each token, alone, is widened from d_model to d_ff numbers by a linear map.",
        "What is below zero is about to be {bent}.",
        ("feed_forward.w_1",),
    ),
    Step(
        "feed_forward.activation",
        "a",
        "{activation}",
        ("n", "d_ff"),
        "{activation}",
        ("feed_forward.hidden",),
        "Activation",
        "The activation bends every number by itself. Without it the two linear maps would collapse into one.",
        "See which units are active for each token, and which are at zero or near it.",
    ),
    Step(
        "feed_forward.output",
        r"\mathrm{FFN}({read})",
        r"<0> W_2 + b_2",
        TOKENS_BY_MODEL,
        "linear",
        ("feed_forward.activation",),
        "Output of feed-forward",
        "A second linear map brings the d_ff numbers back to d_model.",
        "This is what will be added to the token's vector; each active unit has written its own direction into it.",
        ("feed_forward.w_2",),
    ),
)
GATED = (
    Step(
        "feed_forward.up",
        "u",
        r"<0> W_{up} + b_{up}",
        ("n", "d_ff"),
        "linear",
        ("{x}",),
        "Up: the other half",
        "A second linear map widens the same vector to d_ff numbers more. These are not bent.",
        "Both signs occur: where the activated number is large, this one says how much is written, and which way.",
        ("feed_forward.w_up",),
    ),
    Step(
        "feed_forward.gated",
        r"<0> \odot <1>",
        r"<0> \odot <1>",
        ("n", "d_ff"),
        "multiply",
        ("feed_forward.activation", "feed_forward.up"),
        "Gated units",
        "The two halves are multiplied, number by number: what is activated opens or shuts the gate for the other.",
        "A unit writes only where both halves are away from zero, and with the sign of their product.",
    ),
)
INPUT, QUERIES, KEYS, VALUES, SCORES, SCALED, *AFTER_SCORES = ATTENTION
SCALED_TOTAL = replace(
    SCALED,
    inputs=(DISTANCE_TOTAL.name,),
    formula=r"\frac{<0>}{\sqrt{{added} d_{head}}}",
    note="The sum of {added} scores is divided by the square root of {added} times d_head, so that wide heads do not "
    "make softmax all-or-nothing.",
)


def of_own_map(vectors: Step) -> Step:
    """Return what a linear map of their own makes of the distances."""
    (name,) = vectors.parameters
    return replace(
        vectors, parameters=(f"{name}_distance",), formula=re.sub(r"([Wb])_(\w)", r"\1_{\2 r}", vectors.formula)
    )


def scores_of_distances(part: str, vectors: Step, score: Step) -> tuple[Group, ...]:
    """Return the groups of one kind of scores: the distances by the layer's map or one of their own, and the scores."""
    return (
        Group((vectors, score), lambda config, layer: part in config.distance_parts and not config.distance_maps),
        Group(
            (of_own_map(vectors), score),
            lambda config, layer: part in config.distance_parts and config.distance_maps,
        ),
    )


def total_of(*parts: str) -> Group:
    """Return the sum of the scores where exactly these of distances are added."""
    inputs = (*DISTANCE_TOTAL.inputs, *(f"attention.{part}" for part in parts))
    return Group(
        (replace(DISTANCE_TOTAL, inputs=inputs), SCALED_TOTAL), lambda config, layer: config.distance_parts == parts
    )


OF_ATTENTION = (
    Group((INPUT, QUERIES, KEYS, VALUES)),
    Group(
        ROTARY,
        lambda config, layer: config.positions == "rotary",
        {"attention.q": "attention.q_rotated", "attention.k": "attention.k_rotated"},
    ),
    Group((SCORES,)),
    *scores_of_distances("c2p", *DISTANCE_KEYS),
    *scores_of_distances("p2c", *DISTANCE_QUERIES),
    Group((SCALED,), lambda config, layer: not config.distance_parts),
    *(total_of(*parts) for parts in (("c2p",), ("p2c",), ("c2p", "p2c"))),
    Group(
        POSITION_BIAS,
        lambda config, layer: config.position_buckets > 0,
        {"attention.scaled": "attention.biased"},
    ),
    Group(ALIBI, lambda config, layer: config.positions == "alibi", {"attention.scaled": "attention.biased"}),
    Group(
        (WINDOW,),
        lambda config, layer: config.window_of(layer) is not None,
        {"attention.scaled": "attention.windowed"},
    ),
    Group(tuple(AFTER_SCORES)),
)
OF_FEED_FORWARD = (
    Group(FEED_FORWARD[:-1]),
    Group(GATED, lambda config, layer: config.gated, {"feed_forward.activation": "feed_forward.gated"}),
    Group(FEED_FORWARD[-1:]),
)
ADD = (
    Step(
        "residual",
        "<0>",
        "<0>",
        TOKENS_BY_MODEL,
        "same",
        ("{x}",),
        "Residual",
        "The vector as it was before the sublayer is kept aside, on a path around it.",
        "{carried}",
    ),
    Step(
        "sum",
        "z_{number}",
        "<sum>",
        TOKENS_BY_MODEL,
        "add",
        ("residual", "{sublayer}"),
        "Add",
        "What the sublayer found is added to the vector that went around it.",
        "Compare the length of the two: a sublayer that adds little changes little.",
    ),
)
NORM = (
    Step(
        "mean", r"\mu", r"\frac{1}{d}\sum_l {<0>}_l", PER_TOKEN, "mean", ("{x}",), "Mean",
        "The average of each token's numbers.",
        "One number per token. It is subtracted next.",
    ),
    Step(
        "variance", r"\sigma^2", r"\frac{1}{d}\sum_l ({<0>}_l - <1>)^2", PER_TOKEN, "variance", ("{x}", "mean"),
        "Variance",
        "How far each token's numbers spread around their mean.",
        "Tokens with a large variance are shrunk most by the division that follows.",
        values="positive",
    ),
    Step(
        "normalized", r"\hat{x}", r"\frac{<0> - <1>}{\sqrt{<2> + \epsilon}}", TOKENS_BY_MODEL, "normalize",
        ("{x}", "mean", "variance"), "Normalized",
        "Each token's numbers are moved to mean 0 and divided by their spread: every row has variance 1 now, up to ε.",
        "All rows have the same length; only their direction still tells tokens apart.",
    ),
    Step(
        "output", "y", r"\gamma \odot <0> + \beta", TOKENS_BY_MODEL, "affine", ("normalized",),
        "Scaled and shifted",
        "Each dimension is stretched by its gamma and moved by its beta, the same two for all tokens.",
        "A column that stands out here in every row, and not in the normalized numbers, has a large gamma or beta.",
        ("{norm}",),
    ),
)  # fmt: skip
STD_NORM_FORMULAS = {
    "variance": r"\frac{1}{d-1}\sum_l ({<0>}_l - <1>)^2",
    "normalized": r"\frac{<0> - <1>}{\sqrt{<2>} + \epsilon}",
}
RMS_NORM = (
    Step(
        "mean_square",
        r"\overline{x^2}",
        r"\frac{1}{d}\sum_l {<0>}_l^2",
        PER_TOKEN,
        "mean_square",
        ("{x}",),
        "Mean square",
        "The average of the squares of each token's numbers. No mean is subtracted in this norm.",
        "Tokens with a large mean square are shrunk most by the division that follows.",
        values="positive",
    ),
    Step(
        "normalized",
        r"\hat{x}",
        r"\frac{<0>}{\sqrt{<1> + \epsilon}}",
        TOKENS_BY_MODEL,
        "normalize_rms",
        ("{x}", "mean_square"),
        "Normalized",
        "Each token's numbers are divided by the root of their mean square: every row has mean square 1 now, up to ε.",
        "All rows have the same length, and the direction that they had.",
    ),
)
NO_BETA = (
    "Scaled",
    "Each dimension is stretched by its gamma, the same for all tokens. This model has no beta.",
    "A column that stands out here in every row, and not in the normalized numbers, has a large gamma.",
)
NO_NORM = Step(
    "output",
    "y",
    "<0>",
    TOKENS_BY_MODEL,
    "same",
    ("{x}",),
    "No norm here",
    "Layer 0 of this model has no norm before attention: the embedding has just been normalized.",
    "The numbers are those of the layer's input.",
)
OPERATIONS_OF_STD_NORM = {"variance": "variance_unbiased", "normalized": "normalize_std"}
LAYER_OUTPUT = Step(
    "output",
    "x_{number}",
    "<0>",
    TOKENS_BY_MODEL,
    "same",
    ("{x}",),
    "Output of the layer",
    "One vector per token leaves the layer{next}.",
    "Compare with the layer's input: the stack page shows how far each token has moved.",
)
OUTPUT = Step(
    "output",
    "y",
    "<0>",
    TOKENS_BY_MODEL,
    "same",
    ("{x}",),
    "Output of the encoder",
    "The finished vectors: one per token, each now carrying the sentence around it.",
    "Two copies of one word in a sentence {apart}.",
)
MLM = (
    Step(
        "transform",
        "t",
        r"<0> W + b",
        TOKENS_BY_MODEL,
        "linear",
        ("{x}",),
        "MLM head: linear map",
        "The head that guesses masked words starts with one more linear map of each token's vector.",
        "Training asks such a head at some words only, most of them hidden by a mask, a few left as they were: so at "
        "a word that is not hidden a trained model mostly repeats that word.",
        ("mlm_head.transform",),
    ),
    Step(
        "activation",
        "a",
        "{activation}",
        TOKENS_BY_MODEL,
        "{activation}",
        ("transform",),
        "MLM head: activation",
        "{bend}",
        "A zero here still takes part in the guess: the norm that follows subtracts the mean from it too.",
    ),
)
MLM_OUTPUT = (
    Step(
        "logits",
        r"\ell",
        r"<0> E^\top + b",
        ("n", "vocab"),
        "decode",
        ("norm.output",),
        "Logits",
        "The result is multiplied with the embedding of every word in the vocabulary: one score per word.",
        "The embedding table is used twice in this model: to read words in, and here to name words.",
        ("embedding.tokens.weight", "mlm_head.bias"),
    ),
    Step(
        "probabilities",
        "p",
        r"\mathrm{softmax}(<0>)",
        ("n", "vocab"),
        "softmax",
        ("logits",),
        "Probabilities",
        "Softmax over the vocabulary: how likely the model finds each word at each position.",
        "Write ___ in place of a word and see what the model would say there.",
        values="share",
    ),
)
POOLED = {  # how the sentence's vector is made -> formula, operation, and what happens
    "mean": (
        r"\mathrm{mean}_{i \notin <1>}\, {<0>}_i",
        "pool_mean",
        "One vector for the whole sentence: the mean of its tokens' vectors, special tokens included.",
    ),
    "mean_sqrt_len": (
        r"\frac{\sum_{i \notin <1>} {<0>}_i}{\sqrt{|\{i \notin <1>\}|}}",
        "pool_mean_sqrt_len",
        "One vector for the whole sentence: the sum of its tokens' vectors over the square root of their number.",
    ),
    "cls": (
        r"{<0>}_{\min \{i \notin <1>\}}",
        "pool_cls",
        "One vector for the whole sentence: that of its first token, which has gathered from all others.",
    ),
    "max": (
        r"\max_{i \notin <1>} {<0>}_i",
        "pool_max",
        "One vector for the whole sentence: in each dimension the largest number that any token has there.",
    ),
}
POOLING = Step(
    "vector",
    "v",
    "{formula}",
    SENTENCE,
    "{operation}",
    ("{x}", "hidden"),
    "Vector of the sentence",
    "{note} Tokens that are masked do not count.",
    "Sentences are compared by this vector alone: Alike? in Compare shares their cosine out among the words.",
)
UNIT = Step(
    "unit",
    r"\hat{v}",
    r"\frac{<0>}{|<0>|}",
    SENTENCE,
    "unit",
    ("vector",),
    "Vector of length 1",
    "The sentence's vector is divided by its length, so that the product of two of them is their cosine.",
    "Only the direction is left; no number changes its sign.",
)
READ = {  # how a classifier makes one vector of the tokens' -> formula, operation, and what happens
    "first": (r"{<0>}_{0}", "first_token", "The head that labels the sentence reads its first token alone."),
    "mean": (
        POOLED["mean"][0],
        "pool_mean",
        "The head that labels the sentence reads the mean of its tokens' vectors.",
    ),
    "words": (
        POOLED["mean"][0],
        "pool_words",
        "The head that labels the sentence reads the mean of its words' vectors: of all tokens but the first and last.",
    ),
}
READ_BY_HEAD = Step(
    "pooled",
    "c",
    "{formula}",
    SENTENCE,
    "{operation}",
    ("{x}", "hidden"),
    "Labels: what the head reads",
    "{note}",
    "Whatever the labels are made of has to have come here: the last layers bring it.",
)
DENSE_OF_LABELS = (
    replace(
        MLM[0],
        title="Labels: linear map",
        note="The head that names labels starts with a linear map of what it reads.",
        look="Training made this map for the labels alone: its dimensions are not those of the encoder.",
        parameters=("transform",),
    ),
    replace(
        MLM[1],
        title="Labels: activation",
        note="Every number is bent by itself, here by {activation title}.",
        look="What is bent furthest counts least when it changes a little more.",
    ),
)
LABEL_LOGITS = Step(
    "logits",
    r"\ell",
    r"<0> W + b",
    LABELS,
    "label",
    ("{x}",),
    "Scores of the labels",
    "One score for each label: the vector times the label's column of weights, plus its bias.",
    "The difference of two labels' scores is the lead of one over the other.",
    ("output",),
)
TOKEN_LOGITS = replace(
    LABEL_LOGITS,
    shape=TOKEN_LABELS,
    operation="linear",
    note="For each token one score for each label: its vector times the label's column of weights, plus its bias.",
)
LATE_LOGITS = replace(
    LABEL_LOGITS,
    formula=POOLED["mean"][0],
    operation="label_mean",
    inputs=("{x}", "hidden"),
    note="The sentence's score for each label is the mean of its tokens' scores. Tokens that are masked do not count.",
    parameters=(),
)
LABEL_SHARES = {
    "single_label": Step(
        "probabilities",
        "p",
        r"\mathrm{softmax}(<0>)",
        LABELS,
        "softmax",
        ("logits",),
        "Shares of the labels",
        "Softmax over the labels: how likely the model finds each of them.",
        "The shares add up to 1: a label gains only what others lose.",
        values="share",
    ),
    "multi_label": Step(
        "probabilities",
        "p",
        r"\sigma(<0>)",
        LABELS,
        "sigmoid",
        ("logits",),
        "Shares of the labels",
        "The logistic sigmoid of each score: how likely the model finds each label, whatever it finds of the others.",
        "Each label is a question of its own: the shares do not add up to 1.",
        values="share",
    ),
}
