"""Checkpoints in Hugging Face's layout: the fields of their config.json and the names of their tensors, as tables.

A family is data: which field says what, which module is which of ours, and what is known and not needed. What a table
does not name is an error, so that no part of a model is lost in silence.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from encoder.checkpoint.tensor_files import CheckpointError
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import EncoderConfig

ACTIVATION_OF = {theirs: ours for ours, activation in ACTIVATIONS.items() for theirs in activation.hugging_face}
# Fields that may only have one value here, and why. What is absent has that value.
ONLY: dict[str, tuple[tuple[object, ...], str]] = {
    "position_embedding_type": (("absolute",), "positions are part of the embedding here, not of the scores"),
    "is_decoder": ((False,), "this is an encoder: every token sees every other"),
    "is_encoder_decoder": ((False,), "this is an encoder alone"),
    "add_cross_attention": ((False,), "tokens attend to their own sentence only"),
    "pruned_heads": (({}, None), "all layers have the same number of heads"),
    "num_hidden_groups": ((1,), "layers share all weights or none"),
    "inner_group_num": ((1,), "a layer is one attention and one feed-forward network"),
    "quantization_config": ((None,), "weights are floating-point numbers"),
    "auto_map": ((None,), "code that comes with a checkpoint is never run"),
}
HEAD_SIZES = ("head_dim", "attention_head_size")  # fields that say how many numbers a head has, where one does
# Types that people will try, and what keeps them out.
UNFIT = {
    "mpnet": "it adds a learned number for the distance of two tokens to their score",
    "deberta": "its scores are made of contents and distances apart",
    "deberta-v2": "its scores are made of contents and distances apart",
    "modernbert": "it turns queries and keys by their position, and its linear maps have no bias",
    "nomic_bert": "it turns queries and keys by their position",
    "longformer": "its tokens see only their neighbours",
    "big_bird": "its tokens see only some others",
    "t5": "it is an encoder and a decoder, with positions in the scores",
    "gpt2": "it is a decoder",
}

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
BUFFERS = {"embeddings.position_ids": "the numbers of the positions", "embeddings.token_type_ids": "zeros"}
TASKS = {"classifier": "classification head", "qa_outputs": "question-answering head"}
POOLER = {"pooler.dense": "pooler, which reads the first token for a classification"}
ROBERTA_TASKS = {"classifier.dense": "classification head", "classifier.out_proj": "classification head"}


@dataclass(frozen=True)
class Family:
    """How one kind of checkpoint is written down.

    `fields` maps our fields to theirs, `modules` their modules to ours ({i} is a layer), `left_out` those that are not
    needed to what they are. `fixed` are fields of ours that no field of theirs says. `positions_after_padding`: the
    first position is the padding id plus one.
    """

    prefix: str
    modules: Mapping[str, str]
    left_out: Mapping[str, str]
    fields: Mapping[str, str] = field(default_factory=lambda: BERT_FIELDS)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    head_activation: str | None = None
    positions_after_padding: bool = False


BERT = Family(
    "bert.",
    EMBEDDINGS | BERT_LAYER | {
        "cls.predictions.transform.dense": "mlm_head.transform",
        "cls.predictions.transform.LayerNorm": "mlm_head.norm",
        "cls.predictions": "mlm_head",
        "cls.predictions.decoder": "mlm_head.decoder",
    },
    BUFFERS | TASKS | POOLER | {"cls.seq_relationship": "next-sentence head"},
)  # fmt: skip
ROBERTA = Family(
    "roberta.",
    EMBEDDINGS | BERT_LAYER | {
        "lm_head.dense": "mlm_head.transform",
        "lm_head.layer_norm": "mlm_head.norm",
        "lm_head": "mlm_head",
        "lm_head.decoder": "mlm_head.decoder",
    },
    BUFFERS | TASKS | POOLER | ROBERTA_TASKS,
    head_activation="gelu",
    positions_after_padding=True,
)  # fmt: skip
DISTILBERT = Family(
    "distilbert.",
    {ours: theirs for ours, theirs in EMBEDDINGS.items() if "token_type" not in ours} | {
        "transformer.layer.{i}.attention.q_lin": "layers.{i}.attention.w_q",
        "transformer.layer.{i}.attention.k_lin": "layers.{i}.attention.w_k",
        "transformer.layer.{i}.attention.v_lin": "layers.{i}.attention.w_v",
        "transformer.layer.{i}.attention.out_lin": "layers.{i}.attention.w_o",
        "transformer.layer.{i}.sa_layer_norm": "layers.{i}.norm1",
        "transformer.layer.{i}.ffn.lin1": "layers.{i}.feed_forward.w_1",
        "transformer.layer.{i}.ffn.lin2": "layers.{i}.feed_forward.w_2",
        "transformer.layer.{i}.output_layer_norm": "layers.{i}.norm2",
        "vocab_transform": "mlm_head.transform",
        "vocab_layer_norm": "mlm_head.norm",
        "vocab_projector": "mlm_head.decoder",
    },
    BUFFERS | TASKS | {"pre_classifier": "classification head"},
    {
        "vocab_size": "vocab_size", "d_model": "dim", "n_heads": "n_heads", "n_layers": "n_layers",
        "d_ff": "hidden_dim", "max_positions": "max_position_embeddings", "activation": "activation",
    },
    {"norm_eps": 1e-12, "n_segments": 0},
)  # fmt: skip
ELECTRA = Family(
    "electra.",
    EMBEDDINGS | BERT_LAYER | {
        "embeddings_project": "embedding.projection",
        "generator_predictions.dense": "mlm_head.transform",
        "generator_predictions.LayerNorm": "mlm_head.norm",
        "generator_lm_head": "mlm_head.decoder",
    },
    BUFFERS | TASKS | ROBERTA_TASKS | {
        "discriminator_predictions.dense": "replaced-token head",
        "discriminator_predictions.dense_prediction": "replaced-token head",
    },
    BERT_FIELDS | {"embedding_size": "embedding_size"},
    head_activation="gelu",
)  # fmt: skip
ALBERT_LAYER = "encoder.albert_layer_groups.0.albert_layers.0."
ALBERT = Family(
    "albert.",
    EMBEDDINGS | {
        "encoder.embedding_hidden_mapping_in": "embedding.projection",
        ALBERT_LAYER + "attention.query": "layers.0.attention.w_q",
        ALBERT_LAYER + "attention.key": "layers.0.attention.w_k",
        ALBERT_LAYER + "attention.value": "layers.0.attention.w_v",
        ALBERT_LAYER + "attention.dense": "layers.0.attention.w_o",
        ALBERT_LAYER + "attention.LayerNorm": "layers.0.norm1",
        ALBERT_LAYER + "ffn": "layers.0.feed_forward.w_1",
        ALBERT_LAYER + "ffn_output": "layers.0.feed_forward.w_2",
        ALBERT_LAYER + "full_layer_layer_norm": "layers.0.norm2",
        "predictions.dense": "mlm_head.transform",
        "predictions.LayerNorm": "mlm_head.norm",
        "predictions": "mlm_head",
        "predictions.decoder": "mlm_head.decoder",
    },
    BUFFERS | TASKS | {
        "pooler": "pooler, which reads the first token for a classification",
        "sop_classifier.classifier": "sentence-order head",
    },
    BERT_FIELDS | {"embedding_size": "embedding_size"},
    {"shared_layers": True},
)  # fmt: skip
FAMILIES = {
    "bert": BERT, "roberta": ROBERTA, "xlm-roberta": ROBERTA, "camembert": ROBERTA,
    "distilbert": DISTILBERT, "electra": ELECTRA, "albert": ALBERT,
}  # fmt: skip

LAYER = re.compile(r"\blayer\.(\d{1,4})\.")
LEAVES = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}  # gamma, beta: before 2019
SAME_AS = {"mlm_head.decoder.weight": "embedding.tokens.weight", "mlm_head.decoder.bias": "mlm_head.bias"}


def is_hugging_face(raw: Mapping[str, Any]) -> bool:
    """Whether a config.json is written in Hugging Face's terms and not in ours."""
    return "model_type" in raw and "d_model" not in raw


def family(raw: Mapping[str, Any]) -> Family:
    """The family that a config.json names.

    Raises:
        CheckpointError: one that is not supported; the message lists those that are.
    """
    kind = raw["model_type"]
    if not isinstance(kind, str) or kind not in FAMILIES:
        why = f" ({UNFIT[kind]})" if isinstance(kind, str) and kind in UNFIT else ""
        raise CheckpointError(f"model_type is {kind!r}{why}; supported are {', '.join(FAMILIES)}")
    return FAMILIES[kind]


def read_fields(raw: Mapping[str, Any], mlm_head: bool) -> EncoderConfig:
    """The configuration that a config.json describes; sizes must be there, the rest has the family's usual values.

    Raises:
        CheckpointError: a field that is missing, or has a value that this encoder cannot follow.
    """
    kind = family(raw)
    for name, (allowed, why) in ONLY.items():
        if name in raw and raw[name] not in allowed:
            said = " or ".join(map(repr, allowed))
            raise CheckpointError(f"{name} is {raw[name]!r}; it must be {said}: {why}")
    absent = [theirs for ours, theirs in kind.fields.items() if theirs not in raw and ours not in USUAL]
    if absent:
        raise CheckpointError(f"it lacks {', '.join(absent)}, which a {raw['model_type']} model has")
    check_head_size(raw, raw[kind.fields["d_model"]], raw[kind.fields["n_heads"]])
    given = {ours: raw[theirs] for ours, theirs in kind.fields.items() if theirs in raw}
    given = USUAL | given | dict(kind.fixed)
    if not isinstance(given["activation"], str) or given["activation"] not in ACTIVATION_OF:
        raise CheckpointError(
            f"{kind.fields['activation']} is {given['activation']!r}; it must be one of {', '.join(ACTIVATION_OF)}"
        )
    given["activation"] = ACTIVATION_OF[given["activation"]]
    given["head_activation"] = kind.head_activation
    if given.get("embedding_size") == given["d_model"] and not kind.fixed.get("shared_layers"):
        given["embedding_size"] = None  # ELECTRA has the linear map only where the widths differ, ALBERT always
    if kind.positions_after_padding:
        given["max_positions"] = less(given["max_positions"], first_position(raw))
        given["n_segments"] = 1
    try:
        return EncoderConfig(
            **given, positions="learned", embedding_norm=True, scale_embeddings=False, mlm_head=mlm_head
        )
    except (ValueError, TypeError) as error:
        words = set(re.findall(r"\w+", str(error)))
        called = [f"{ours} is its {theirs}" for ours, theirs in kind.fields.items() if ours in words]
        raise CheckpointError(f"{error} ({', '.join(called)})" if called else str(error)) from error


def check_head_size(raw: Mapping[str, Any], width: object, heads: object) -> None:
    """Refuse a size of a head, where a config.json says one, that contradicts its width and number of heads.

    No tensor has a dimension of heads, so without it the number of heads is what the file claims.
    """
    for name in HEAD_SIZES:
        size = raw.get(name)
        if size is None or type(heads) is not int or type(width) is not int:
            continue
        if type(size) is not int or size * heads != width:
            raise CheckpointError(
                f"{name} is {size!r}; {heads} heads of a width of {width} have {width / max(heads, 1):g} numbers each"
            )


def less(length: object, first: int) -> object:
    """A number of positions without those before the first; anything else than a number as it is, to be refused."""
    return length - first if type(length) is int else length


def first_position(raw: Mapping[str, Any]) -> int:
    """The row of the position table that belongs to the first token: RoBERTa counts from the padding id plus one."""
    if not FAMILIES[raw["model_type"]].positions_after_padding:
        return 0
    padding = raw.get("pad_token_id", 1)
    if type(padding) is not int or not 0 <= padding < 1000:
        raise CheckpointError(f"pad_token_id is {padding!r}; it must be a whole number from 0 to 999")
    return padding + 1


@dataclass(frozen=True)
class Names:
    """Which tensor is which: `ours` maps our names to theirs, `left_out` says what is not needed, and what it is."""

    ours: Mapping[str, str]
    left_out: tuple[str, ...]

    @property
    def mlm_head(self) -> bool:
        """Whether the head that guesses words is there."""
        return any(name.startswith("mlm_head.") for name in self.ours)


def read_names(raw: Mapping[str, Any], theirs: Iterable[str]) -> Names:
    """Find our name for each tensor of a file.

    Raises:
        CheckpointError: a tensor that is in no table, or one that stands there twice.
    """
    kind, ours, left_out, unknown = family(raw), dict[str, str](), list[str](), list[str]()
    for name in sorted(theirs):
        bare = name.removeprefix(kind.prefix)
        module, _, leaf = LAYER.sub("layer.{i}.", bare, count=1).rpartition(".")
        what = kind.left_out.get(module) or kind.left_out.get(bare)
        found = our_name(kind, module, leaf, LAYER.search(bare))
        if what:
            left_out.append(f"{name} ({what})")
        elif found is None:
            unknown.append(name)
        elif found in ours:
            raise CheckpointError(f"it holds {name} twice, also under the name {ours[found]}")
        else:
            ours[found] = name
    if kind.positions_after_padding:
        left_out.append("rows of embeddings.position_embeddings up to the padding id (no token stands there)")
        if raw.get("type_vocab_size", USUAL["n_segments"]) != 1:
            table = "embeddings.token_type_embeddings"
            left_out.append(f"rows of {table} after the first (its sentences are not told apart)")
    if unknown:
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        raise CheckpointError(
            f"it holds tensors that a {raw['model_type']} model has no place for: {', '.join(unknown[:5])}{more}"
        )
    return Names(ours, tuple(left_out))


def our_name(kind: Family, module: str, leaf: str, layer: re.Match[str] | None) -> str | None:
    """Our name of a tensor; None where the tables have none."""
    if module not in kind.modules or leaf not in LEAVES or (leaf in ("gamma", "beta") and "norm" not in module.lower()):
        return None
    ours = kind.modules[module] + "." + LEAVES[leaf]
    return ours.replace("{i}", str(int(layer[1]))) if layer else ours


def their_name(raw: Mapping[str, Any], ours: str) -> str:
    """What a tensor of ours is called in such a checkpoint, for messages."""
    module, _, leaf = ours.rpartition(".")
    layer = ours.split(".")[1]
    modules = {name.replace("{i}", layer): theirs.replace("{i}", layer) for theirs, name in family(raw).modules.items()}
    return f"{modules[module]}.{leaf} ({ours})" if module in modules else ours


def arranged(raw: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors as our modules hold them.

    The decoder must be the embedding table. RoBERTa's tables lose the rows that it never reads: positions before the
    first, and segments after the first, which it does not tell apart.

    Raises:
        CheckpointError: a decoder of its own.
    """
    found = dict(tensors)
    for copy, original in SAME_AS.items():
        if copy in found:
            tensor = found.pop(copy)
            if original not in found:
                found[original] = tensor
            elif found[original].shape != tensor.shape or not bool((found[original] == tensor).all()):
                raise CheckpointError(
                    f"{their_name(raw, copy)} differs from {their_name(raw, original)}; "
                    "the head must name words with the embedding table it reads them with"
                )
    if FAMILIES[raw["model_type"]].positions_after_padding:
        rows = {"embedding.positions.weight": slice(first_position(raw), None), "embedding.segments.weight": slice(1)}
        found |= {name: found[name][cut] for name, cut in rows.items() if name in found}
    return found
