"""What a family of checkpoints is, and what several of them have in common."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SIZES = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "n_heads": "num_attention_heads",
    "n_layers": "num_hidden_layers",
    "d_ff": "intermediate_size",
    "max_positions": "max_position_embeddings",
}
BERT_FIELDS = SIZES | {"activation": "hidden_act", "norm_eps": "layer_norm_eps", "n_segments": "type_vocab_size"}
USUAL: dict[str, Any] = {"activation": "gelu", "norm_eps": 1e-12, "n_segments": 2}  # where a config.json does not say
EMBEDDINGS = {
    "embeddings.word_embeddings": "embedding.tokens",
    "embeddings.position_embeddings": "embedding.positions",
    "embeddings.token_type_embeddings": "embedding.segments",
    "embeddings.LayerNorm": "embedding.norm",
}
BERT_LAYER = {
    "encoder.layer.{i}.attention.self.query": "layers.{i}.attention.w_q",
    "encoder.layer.{i}.attention.self.key": "layers.{i}.attention.w_k",
    "encoder.layer.{i}.attention.self.value": "layers.{i}.attention.w_v",
    "encoder.layer.{i}.attention.output.dense": "layers.{i}.attention.w_o",
    "encoder.layer.{i}.attention.output.LayerNorm": "layers.{i}.norm1",
    "encoder.layer.{i}.intermediate.dense": "layers.{i}.feed_forward.w_1",
    "encoder.layer.{i}.output.dense": "layers.{i}.feed_forward.w_2",
    "encoder.layer.{i}.output.LayerNorm": "layers.{i}.norm2",
}
BERT_HEAD = {
    "cls.predictions.transform.dense": "mlm_head.transform",
    "cls.predictions.transform.LayerNorm": "mlm_head.norm",
    "cls.predictions": "mlm_head",
    "cls.predictions.decoder": "mlm_head.decoder",
}
LM_HEAD = {
    "lm_head.dense": "mlm_head.transform",
    "lm_head.layer_norm": "mlm_head.norm",
    "lm_head": "mlm_head",
    "lm_head.decoder": "mlm_head.decoder",
}
BUFFERS = {"embeddings.position_ids": "the numbers of the positions", "embeddings.token_type_ids": "zeros"}
TASKS = {"classifier": "classification head", "qa_outputs": "question-answering head"}
REPLACED = "replaced-token head"  # of a model that learned to tell which words were replaced
UNTRAINED = "head of words that was not trained"
POOLER = {"pooler.dense": "pooler, which reads the first token for a classification"}
ROBERTA_TASKS = {"classifier.dense": "classification head", "classifier.out_proj": "classification head"}


@dataclass(frozen=True)
class Family:
    """How one kind of checkpoint is written down.

    A module of theirs that several of ours share, one below the other, is named with a plus between them:
    "w_q+w_k+w_v".
    """

    prefix: str
    modules: Mapping[str, str]  # theirs to ours; {i} is a layer
    left_out: Mapping[str, str]  # modules that are not needed, and what they are
    fields: Mapping[str, str] = field(default_factory=lambda: BERT_FIELDS)  # ours to theirs
    fixed: Mapping[str, Any] = field(default_factory=dict)  # fields of ours that no field of theirs says
    head_activation: str | None = None
    positions_after_padding: bool = False  # whether the first position is the padding id plus one
    one_segment: bool = False  # whether sentences are not told apart
    usual: Mapping[str, Any] = field(default_factory=lambda: USUAL)  # what an absent field of theirs means
    only: Mapping[str, tuple[tuple[object, ...], str]] = field(default_factory=dict)  # fields of few values, and why
    told: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None  # what else a config.json says, as fields of ours
    head_of_words: str = ""  # the module without which the head serves another task
    # What else one checkpoint does not need, from its config.json and the names of its tensors.
    unneeded: Callable[[Mapping[str, Any], Sequence[str]], dict[str, str]] | None = None
    code: str = ""  # how classes of code are called that some of them bring, and that is known to compute the same
