"""The glossary: what each name means, and what others call it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A name of ours, its meaning in one or two plain sentences, and its name elsewhere ("–" where there is none).

    `title` is what it is in words, `place` where in the encoder it stands, one of `PLACES`, and `symbol` what it is in
    formulas, in LaTeX. `steps` are the steps of the catalogue, by local name or its beginning, beside which it is
    shown; the first shows it best, unless there is a `lab` about it.
    """

    name: str
    title: str
    place: str
    meaning: str
    symbol: str = ""
    paper: str = "–"
    torch: str = "–"
    hugging_face: str = "–"
    transformer_lens: str = "–"
    steps: tuple[str, ...] = ()
    lab: str = ""

    @property
    def names(self) -> dict[str, str]:
        """Its other names, by who calls it so."""
        names = {
            "paper": self.paper,
            "torch": self.torch,
            "Hugging Face": self.hugging_face,
            "TransformerLens": self.transformer_lens,
        }
        return {where: name for where, name in names.items() if name != "–"}

    @property
    def elsewhere(self) -> str:
        """Its other names in one line."""
        return "; ".join(f"{where}: {name}" for where, name in self.names.items())


PLACES = {  # in the order of computation: what happens there
    "Tokens & embedding": "Words become vectors that also say where they stand.",
    "Attention": "Each token looks at the others and takes something of each.",
    "Add & norm": "What was found is added to what was there, and brought back to a common scale.",
    "Feed-forward": "Each token is worked on by itself.",
    "Output": "What all layers together make of a sentence.",
    "Training": "What happens only while a model learns.",
}
NORMS = ("add_norm_1.", "add_norm_2.", "final_norm.", "embedding.norm")

TERMS = (
    Term(
        "token",
        "Token",
        "Tokens & embedding",
        "The smallest thing the model reads: a word or a piece of one. Most models add marks such as [CLS] and [SEP].",
        steps=("embedding.tokens",),
    ),
    Term(
        "embedding",
        "Embedding",
        "Tokens & embedding",
        "The table with one vector for each token of the vocabulary.",
        symbol="E",
        paper="embedding",
        torch="nn.Embedding",
        hugging_face="word_embeddings",
        transformer_lens="embed",
        steps=("embedding.tokens", "embedding.scaled"),
    ),
    Term(
        "positions",
        "Positions",
        "Tokens & embedding",
        "The vectors that say where a token stands; added to the embeddings once, before the first layer. All zeros in "
        "a model without such vectors.",
        symbol="PE",
        paper="PE",
        hugging_face="position_embeddings",
        transformer_lens="pos_embed",
        steps=("embedding.positions", "embedding.output"),
    ),
    Term(
        "d_model",
        "Width of the model",
        "Tokens & embedding",
        "How many numbers stand for one token, the same from the first layer to the last.",
        symbol="d_{model}",
        paper="d_model",
        torch="d_model",
        hugging_face="hidden_size",
        transformer_lens="d_model",
        steps=("embedding.", "attention.input", "output", "attention.concat"),
    ),
    Term(
        "n_heads",
        "Number of heads",
        "Attention",
        "How many heads look at the same time. Each reads all d_model numbers and makes its own d_head of them.",
        symbol="H",
        paper="h",
        torch="nhead",
        hugging_face="num_attention_heads",
        transformer_lens="n_heads",
        steps=("attention.heads", "attention.concat"),
    ),
    Term(
        "d_head",
        "Width of a head",
        "Attention",
        "How many numbers each head works with: d_model / n_heads.",
        symbol="d_{head}",
        paper="d_k = d_v",
        transformer_lens="d_head",
        steps=("attention.q", "attention.k", "attention.v", "attention.scaled"),
    ),
    Term(
        "q",
        "Query",
        "Attention",
        "What a token looks for.",
        symbol="Q",
        paper="Q",
        hugging_face="query_layer",
        transformer_lens="q",
        steps=("attention.q", "attention.scores"),
    ),
    Term(
        "k",
        "Key",
        "Attention",
        "What a token offers to those who look.",
        symbol="K",
        paper="K",
        hugging_face="key_layer",
        transformer_lens="k",
        steps=("attention.k", "attention.scores"),
    ),
    Term(
        "v",
        "Value",
        "Attention",
        "What a token hands over when it is looked at.",
        symbol="V",
        paper="V",
        hugging_face="value_layer",
        transformer_lens="v",
        steps=("attention.v", "attention.heads"),
    ),
    Term(
        "scores",
        "Scores",
        "Attention",
        "Every query times every key: how well they agree, before any division.",
        symbol=r"Q K^\top",
        paper="QKᵀ",
        steps=("attention.scores",),
    ),
    Term(
        "rotary",
        "Rotary positions",
        "Attention",
        "Queries and keys turned by their positions, pair of numbers by pair: a score then depends on what the two "
        "tokens hold and on their distance, not on where in the sentence they stand.",
        symbol="Q'",
        hugging_face="apply_rotary_pos_emb",
        transformer_lens="rot_q, rot_k",
        steps=("attention.q_rotated", "attention.k_rotated", "attention.cos", "attention.sin"),
    ),
    Term(
        "position_bias",
        "Position bias",
        "Attention",
        "A number for each head and each distance of two tokens, added to their score: learned, or as with ALiBi the "
        "distance times a fixed slope of the head, below zero.",
        symbol="B",
        hugging_face="relative_attention_bias",
        steps=("attention.position_bias", "attention.biased"),
    ),
    Term(
        "disentangled",
        "Disentangled attention",
        "Attention",
        "A score that is a sum of three: query and key, query and distance (content to position), key and distance "
        "(position to content). Distances have learned vectors of their own.",
        symbol=r"\hat{S}",
        hugging_face="disentangled_attention_bias",
        steps=(
            "attention.total",
            "attention.c2p",
            "attention.p2c",
            "attention.k_distance",
            "attention.q_distance",
            "distances.",
        ),
    ),
    Term(
        "window",
        "Local window",
        "Attention",
        "How many neighbours on either side a token sees in a local layer; pairs farther apart are masked.",
        symbol="w",
        hugging_face="local_attention, sliding_window",
        steps=("attention.windowed",),
    ),
    Term(
        "scaled",
        "Scaled scores",
        "Attention",
        "The scores divided by the square root of d_head; where several scores are added, of so many times d_head.",
        symbol="S",
        paper="QKᵀ over √d_k",
        steps=("attention.scaled",),
    ),
    Term(
        "masked",
        "Masked scores",
        "Attention",
        "The scores as softmax gets them: a very low number stands where a key may not be seen.",
        symbol="M",
        paper="mask",
        torch="key_padding_mask",
        hugging_face="attention_mask",
        transformer_lens="attn_scores",
        steps=("attention.masked",),
    ),
    Term(
        "softmax",
        "Softmax",
        "Attention",
        "Turns a row of numbers into shares: e to the power of each, divided by their sum.",
        symbol=r"\mathrm{softmax}",
        paper="softmax",
        torch="softmax",
        hugging_face="softmax",
        transformer_lens="softmax",
        steps=("attention.weights", "attention.masked", "mlm.probabilities"),
    ),
    Term(
        "weights",
        "Attention weights",
        "Attention",
        "Where a token looks: shares that sum to 1 in every row. By themselves they explain no prediction.",
        symbol="A",
        paper="softmax(…)",
        torch="attn_weights",
        hugging_face="attn_weights",
        transformer_lens="pattern",
        steps=("attention.weights", "attention.heads"),
    ),
    Term(
        "heads",
        "Weighted values",
        "Attention",
        "For each head, the values averaged by the weights.",
        symbol="Z",
        paper="head_i",
        hugging_face="attn_output",
        transformer_lens="z",
        steps=("attention.heads", "attention.concat"),
    ),
    Term(
        "residual",
        "Residual",
        "Add & norm",
        "The vector as it was, carried around a sublayer and added to what the sublayer gives.",
        symbol="x",
        paper="x",
        hugging_face="input_tensor",
        transformer_lens="resid",
        steps=("add_norm_1.residual", "add_norm_1.sum", "add_norm_2.residual", "add_norm_2.sum"),
    ),
    Term(
        "add_norm_1",
        "First add & norm",
        "Add & norm",
        "Around attention: residual and norm.",
        symbol="y_1",
        paper="Add & Norm",
        torch="norm1",
        hugging_face="attention.output.LayerNorm",
        transformer_lens="ln1",
        steps=("add_norm_1.",),
    ),
    Term(
        "add_norm_2",
        "Second add & norm",
        "Add & norm",
        "Around feed-forward: residual and norm.",
        symbol="y_2",
        paper="Add & Norm",
        torch="norm2",
        hugging_face="output.LayerNorm",
        transformer_lens="ln2",
        steps=("add_norm_2.",),
    ),
    Term(
        "LayerNorm",
        "Layer norm",
        "Add & norm",
        "Takes the mean of a token's numbers away and divides by their spread; gamma and beta set both anew. An RMS "
        "norm takes no mean away.",
        symbol=r"\gamma \odot \hat{x} + \beta",
        paper="LayerNorm",
        torch="nn.LayerNorm",
        hugging_face="LayerNorm",
        transformer_lens="ln",
        steps=NORMS,
    ),
    Term(
        "variance",
        "Variance",
        "Add & norm",
        "The sum of the squared distances from the mean, divided by d_model; a common variant divides by d_model - 1.",
        symbol=r"\sigma^2",
        paper="σ²",
        torch="var(correction=0)",
        steps=("add_norm_1.variance", "add_norm_2.variance", "final_norm.variance"),
    ),
    Term(
        "post-norm, pre-norm",
        "Norm after or before",
        "Add & norm",
        "Whether the norm stands after the addition, as in the paper, or before each sublayer.",
        paper="post-norm",
        torch="norm_first",
        steps=("add_norm_1.sum", "add_norm_2.sum"),
    ),
    Term(
        "d_ff",
        "Width of the feed-forward",
        "Feed-forward",
        "How many units the feed-forward network widens each token to.",
        symbol="d_{ff}",
        paper="d_ff",
        torch="dim_feedforward",
        hugging_face="intermediate_size",
        transformer_lens="d_mlp",
        steps=("feed_forward.hidden", "feed_forward."),
    ),
    Term(
        "feed_forward.hidden",
        "Hidden units",
        "Feed-forward",
        "Each token's units before the activation.",
        symbol="h",
        paper="before max(0, ·)",
        torch="linear1",
        hugging_face="intermediate.dense",
        transformer_lens="mlp pre",
        steps=("feed_forward.hidden",),
    ),
    Term(
        "feed_forward.activation",
        "Activation",
        "Feed-forward",
        "The units after ReLU or GELU: what is below zero is cut off or damped.",
        symbol="a",
        paper="after max(0, ·)",
        torch="activation",
        hugging_face="intermediate_act_fn",
        transformer_lens="mlp post",
        steps=("feed_forward.activation",),
    ),
    Term(
        "gate",
        "Gated feed-forward",
        "Feed-forward",
        "Two linear maps widen each token; one is activated and multiplied with the other, number by number.",
        symbol=r"a \odot u",
        hugging_face="gate_proj, up_proj; Wi",
        transformer_lens="mlp pre, pre_linear",
        steps=("feed_forward.gated", "feed_forward.up"),
    ),
    Term(
        "n_layers",
        "Number of layers",
        "Output",
        "How many blocks are stacked; each has weights of its own, except in ALBERT, where all share one set.",
        symbol="N",
        paper="N",
        torch="num_layers",
        hugging_face="num_hidden_layers",
        transformer_lens="n_layers",
        steps=("output",),
    ),
    Term(
        "masked language model",
        "Guess of words",
        "Output",
        "Training that hides words and has them guessed; here the head that guesses them.",
        hugging_face="BertLMPredictionHead",
        transformer_lens="unembed",
        steps=("mlm.",),
    ),
    Term(
        "pooling",
        "Vector of the sentence",
        "Output",
        "One vector made of those of the tokens, such as their mean or the first one, in models that compare "
        "sentences. Not the pooler_output of Hugging Face: that is tanh(W h + b), h the first token's last vector.",
        symbol="v",
        steps=("pooling.",),
    ),
    Term(
        "dropout",
        "Dropout",
        "Training",
        "In training, numbers set to zero at random and the others enlarged, so that the mean stays. A trained "
        "model runs without.",
        paper="P_drop",
        torch="nn.Dropout",
        hugging_face="hidden_dropout_prob, attention_probs_dropout_prob",
        steps=(
            "embedding.output",
            "attention.weights",
            "attention.output",
            "feed_forward.activation",
            "feed_forward.output",
        ),
        lab="Dropout",
    ),
)


def found(search: str, terms: Iterable[Term] = TERMS) -> list[Term]:
    """The terms in which every word that is searched for stands: in a name, here or elsewhere, or in the meaning."""
    wanted = search.casefold().split()

    def text(term: Term) -> str:
        return f"{term.name} {term.title} {term.place} {term.meaning} {term.symbol} {term.elsewhere}".casefold()

    return [term for term in terms if all(word in text(term) for word in wanted)]


def meant(step: str, name: str) -> bool:
    """Whether a step, by its local name, is one that a term names: as it is, or by its beginning up to a dot."""
    return step == name or (name.endswith(".") and step.startswith(name))


def beside(step: str) -> tuple[Term, ...]:
    """The terms of a step, by its local name."""
    return tuple(term for term in TERMS if any(meant(step, name) for name in term.steps))
