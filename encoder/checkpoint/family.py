"""What a family of checkpoints is, and what several of them have in common."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

BERT_FIELDS = {
    "vocab_size": "vocab_size", "d_model": "hidden_size", "n_heads": "num_attention_heads",
    "n_layers": "num_hidden_layers", "d_ff": "intermediate_size", "max_positions": "max_position_embeddings",
    "activation": "hidden_act", "norm_eps": "layer_norm_eps", "n_segments": "type_vocab_size",
}  # fmt: skip
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
BUFFERS = {"embeddings.position_ids": "the numbers of the positions", "embeddings.token_type_ids": "zeros"}
TASKS = {"classifier": "classification head", "qa_outputs": "question-answering head"}
REPLACED = "replaced-token head"  # of a model that learned to tell which words were replaced
UNTRAINED = "head of words that was not trained"
POOLER = {"pooler.dense": "pooler, which reads the first token for a classification"}
ROBERTA_TASKS = {"classifier.dense": "classification head", "classifier.out_proj": "classification head"}


@dataclass(frozen=True)
class Family:
    """How one kind of checkpoint is written down.

    `fields` maps our fields to theirs, `modules` their modules to ours ({i} is a layer), `left_out` those that are not
    needed to what they are. A module of theirs that several of ours share, one below the other, is named with a plus
    between them: "w_q+w_k+w_v". `fixed` are fields of ours that no field of theirs says, `usual` what a field of theirs
    means where it is absent, `only` fields that may have one value alone, and why, and `told` what else a config.json
    says, in fields of ours. `positions_after_padding`: the first position is the padding id plus one. `one_segment`:
    sentences are not told apart. `head_of_words`: the module without which the head serves another task. `unneeded`
    finds what else one checkpoint does not need, from its config.json and the names of its tensors. `code`: how the
    classes are called in the code that some checkpoints of the family bring, and that is known to compute the same.
    """

    prefix: str
    modules: Mapping[str, str]
    left_out: Mapping[str, str]
    fields: Mapping[str, str] = field(default_factory=lambda: BERT_FIELDS)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    head_activation: str | None = None
    positions_after_padding: bool = False
    one_segment: bool = False
    usual: Mapping[str, Any] = field(default_factory=lambda: USUAL)
    only: Mapping[str, tuple[tuple[object, ...], str]] = field(default_factory=dict)
    told: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    head_of_words: str = ""
    unneeded: Callable[[Mapping[str, Any], Sequence[str]], dict[str, str]] | None = None
    code: str = ""
