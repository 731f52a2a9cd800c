"""The glossary: what each name means, and what others call it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A name of ours, its meaning in one or two plain sentences, and its name elsewhere ("–" where there is none).

    `steps` are the steps of the catalogue, by local name or its beginning, beside which it is shown.
    """

    name: str
    meaning: str
    paper: str = "–"
    torch: str = "–"
    hugging_face: str = "–"
    transformer_lens: str = "–"
    steps: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> str:
        """Its other names in one line."""
        names = {"paper": self.paper, "torch": self.torch, "Hugging Face": self.hugging_face,
                 "TransformerLens": self.transformer_lens}  # fmt: skip
        return "; ".join(f"{where}: {name}" for where, name in names.items() if name != "–")


NORMS = ("add_norm_1.", "add_norm_2.", "final_norm.", "embedding.norm")

TERMS = (
    Term(
        "token",
        "The smallest thing the model reads: a word or a piece of one. [CLS] and [SEP] are added around the text.",
        steps=("embedding.tokens",),
    ),
    Term(
        "d_model",
        "How many numbers stand for one token, the same from the first layer to the last.",
        "d_model",
        "d_model",
        "hidden_size",
        "d_model",
        ("embedding.", "attention.input", "output", "attention.concat"),
    ),
    Term(
        "n_heads",
        "How many heads look at the same time. Each reads all d_model numbers and makes its own d_head of them.",
        "h",
        "nhead",
        "num_attention_heads",
        "n_heads",
        ("attention.heads", "attention.concat"),
    ),
    Term(
        "d_head",
        "How many numbers each head works with: d_model / n_heads.",
        "d_k = d_v",
        "–",
        "–",
        "d_head",
        ("attention.q", "attention.k", "attention.v", "attention.scaled"),
    ),
    Term(
        "n_layers",
        "How many blocks are stacked; each has weights of its own, except in ALBERT, where all share one set.",
        "N",
        "num_layers",
        "num_hidden_layers",
        "n_layers",
        ("output",),
    ),
    Term(
        "d_ff",
        "How many units the feed-forward network widens each token to.",
        "d_ff",
        "dim_feedforward",
        "intermediate_size",
        "d_mlp",
        ("feed_forward.",),
    ),
    Term(
        "embedding",
        "The table with one vector for each token of the vocabulary.",
        "embedding",
        "nn.Embedding",
        "word_embeddings",
        "embed",
        ("embedding.tokens", "embedding.scaled"),
    ),
    Term(
        "positions",
        "The vectors that say where a token stands; added to the embeddings once, before the first layer.",
        "PE",
        "–",
        "position_embeddings",
        "pos_embed",
        ("embedding.positions", "embedding.output"),
    ),
    Term("q", "The query: what a token looks for.", "Q", "–", "query_layer", "q", ("attention.q", "attention.scores")),
    Term(
        "k",
        "The key: what a token offers to those who look.",
        "K",
        "–",
        "key_layer",
        "k",
        ("attention.k", "attention.scores"),
    ),
    Term(
        "v",
        "The value: what a token hands over when it is looked at.",
        "V",
        "–",
        "value_layer",
        "v",
        ("attention.v", "attention.heads"),
    ),
    Term(
        "scores",
        "Every query times every key: how well they agree, before any division.",
        "QKᵀ",
        "–",
        "–",
        "–",
        ("attention.scores",),
    ),
    Term(
        "scaled",
        "The scores divided by the square root of d_head.",
        "QKᵀ over √d_k",
        "–",
        "–",
        "–",
        ("attention.scaled",),
    ),
    Term(
        "masked",
        "The scaled scores with a very low number where a key may not be seen.",
        "mask",
        "key_padding_mask",
        "attention_mask",
        "attn_scores",
        ("attention.masked",),
    ),
    Term(
        "softmax",
        "Turns a row of numbers into shares: e to the power of each, divided by their sum.",
        "softmax",
        "softmax",
        "softmax",
        "softmax",
        ("attention.masked", "attention.weights", "mlm.probabilities"),
    ),
    Term(
        "weights",
        "Where a token looks: shares that sum to 1 in every row. By themselves they explain no prediction.",
        "softmax(…)",
        "attn_weights",
        "attn_weights",
        "pattern",
        ("attention.weights", "attention.heads"),
    ),
    Term(
        "heads",
        "For each head, the values averaged by the weights.",
        "head_i",
        "–",
        "attn_output",
        "z",
        ("attention.heads", "attention.concat"),
    ),
    Term(
        "residual",
        "The vector as it was, carried around a sublayer and added to what the sublayer gives.",
        "x",
        "–",
        "input_tensor",
        "resid",
        ("add_norm_1.residual", "add_norm_1.sum", "add_norm_2.residual", "add_norm_2.sum"),
    ),
    Term(
        "add_norm_1",
        "Around attention: residual and norm.",
        "Add & Norm",
        "norm1",
        "attention.output.LayerNorm",
        "ln1",
        ("add_norm_1.",),
    ),
    Term(
        "add_norm_2",
        "Around feed-forward: residual and norm.",
        "Add & Norm",
        "norm2",
        "output.LayerNorm",
        "ln2",
        ("add_norm_2.",),
    ),
    Term(
        "LayerNorm",
        "Takes the mean of a token's numbers away and divides by their spread; gamma and beta set both anew.",
        "LayerNorm",
        "nn.LayerNorm",
        "LayerNorm",
        "ln",
        NORMS,
    ),
    Term(
        "variance",
        "The sum of the squared distances from the mean, divided by d_model; a common variant divides by d_model - 1.",
        "σ²",
        "var(correction=0)",
        "–",
        "–",
        ("add_norm_1.variance", "add_norm_2.variance", "final_norm.variance"),
    ),
    Term(
        "feed_forward.hidden",
        "Each token's units before the activation.",
        "before max(0, ·)",
        "linear1",
        "intermediate.dense",
        "mlp pre",
        ("feed_forward.hidden",),
    ),
    Term(
        "feed_forward.activation",
        "The units after ReLU or GELU: what is below zero is cut off or damped.",
        "after max(0, ·)",
        "activation",
        "intermediate_act_fn",
        "mlp post",
        ("feed_forward.activation",),
    ),
    Term(
        "post-norm, pre-norm",
        "Whether the norm stands after the addition, as in the paper, or before each sublayer.",
        "post-norm",
        "norm_first",
        "–",
        "–",
        ("add_norm_1.sum", "add_norm_2.sum"),
    ),
    Term(
        "masked language model",
        "Training that hides words and has them guessed; here the head that guesses them.",
        "–",
        "–",
        "BertLMPredictionHead",
        "unembed",
        ("mlm.",),
    ),
)


def beside(step: str) -> tuple[Term, ...]:
    """The terms of a step, by its local name."""
    return tuple(t for t in TERMS if any(step == s or (s.endswith(".") and step.startswith(s)) for s in t.steps))
