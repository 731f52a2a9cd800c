"""Families of encoders of 2020 and later: positions in attention, gates, windows, norms before the sublayers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from encoder.checkpoint.family import (
    BERT_FIELDS,
    BERT_HEAD,
    BERT_LAYER,
    BUFFERS,
    EMBEDDINGS,
    LM_HEAD,
    POOLER,
    REPLACED,
    ROBERTA_TASKS,
    SIZES,
    TASKS,
    UNTRAINED,
    USUAL,
    Family,
)
from encoder.checkpoint.tensor_files import CheckpointError
from encoder.model.activations import ACTIVATIONS
from encoder.model.config import LONGEST

MASKED = -1e9  # leaves weights, all alike, to a token that has nobody to see in its window
SCALED = ("default", "linear", "dynamic")  # dynamic begins after the longest input, so nothing is scaled here
NOT_TURNED = {  # kinds of scaling that people will try, and what keeps them out
    "ntk": "no code of this family knows that kind",
    "yarn": "it also makes scores larger, by the length, and slows each pair by another rule",
    "longrope": "each pair has a factor of its own, and another one beyond a length",
    "llama3": "how much a pair is slowed depends on its wavelength",
    "proportional": "some of its pairs are not turned",
}
ALL_TURNED: dict[str, tuple[tuple[object, ...], str]] = {  # fields of angles that may have one value alone
    "partial_rotary_factor": ((None, 1, 1.0), "all numbers of a head are turned"),
    "mixed_b": ((None,), "pairs are slowed by the fixed rule, not by the mixed one"),
}
LOCAL, GLOBAL = "sliding_attention", "full_attention"


def angles(raw: Mapping[str, Any], usual: float, kind: str = "", ntk: bool = False) -> dict[str, Any]:
    """What a config.json says of the angles by which queries and keys are turned, of one kind of layer or of all.

    The base, the kind of scaling and its factor. `ntk`: whether the family's own code knows that kind.

    Raises:
        CheckpointError: angles that are scaled in a way that is not computed here.
    """
    told, scaled = raw.get("rope_parameters") or {}, raw.get("rope_scaling") or {}
    if told and scaled:
        raise CheckpointError("it says twice how its angles are made, in rope_parameters and in rope_scaling")
    told = told.get(kind) or {} if kind and isinstance(told, dict) else told
    told = told or scaled  # older files say the same of all layers
    if not isinstance(told, dict):
        raise CheckpointError(
            f"the angles of its positions are {str(told)[:200]!r}; they must be an object with a rope_type"
        )
    known = (*SCALED, "ntk") if ntk else SCALED
    turns = told.get("rope_type", told.get("type", "default"))
    if not isinstance(turns, str) or turns not in known:
        why = f": {NOT_TURNED[turns]}" if isinstance(turns, str) and turns in NOT_TURNED else ""
        raise CheckpointError(f"rope_type is {str(turns)[:200]!r}; it must be {' or '.join(known)}{why}")
    for name, (allowed, why) in ALL_TURNED.items():
        value = told.get(name, raw.get(name))
        if value not in allowed:
            raise CheckpointError(f"{name} is {str(value)[:200]!r}; it must be {allowed[-1]!r}: {why}")
    scaling = turns if turns in ("linear", "ntk") else "none"
    if scaling != "none" and told.get("factor") is None:
        raise CheckpointError(f"rope_type is {turns!r} without a factor; the angles are slowed by it")
    return {
        "rope_theta": told.get("rope_theta", raw.get("rope_theta", usual)),
        "rope_scaling": scaling,
        "rope_factor": told["factor"] if scaling != "none" else 1.0,
    }


def turned(usual: float, ntk: bool = False) -> Any:
    """What a config.json says of one base for all layers."""
    return lambda raw: {"positions": "rotary", **angles(raw, usual, ntk=ntk)}


def of_two_kinds(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The angles of layers that see all tokens, and those of layers with a window."""
    far = angles(raw, raw.get("global_rope_theta", 160_000.0), GLOBAL)
    near = angles(raw, raw.get("local_rope_theta", 10_000.0), LOCAL)
    scaled = near["rope_scaling"] if far["rope_scaling"] == "none" else far["rope_scaling"]
    local = {"local_rope_theta": near["rope_theta"], "local_rope_factor": near["rope_factor"]}
    return {**far, **local, "rope_scaling": scaled}


def every(raw: Mapping[str, Any], layers: object) -> int:
    """Every how many layers one sees all tokens, counted from layer 0.

    Raises:
        CheckpointError: layers that come in another order.
    """
    kinds = raw.get("layer_types")
    if kinds is None:
        found: object = raw.get("global_attn_every_n_layers", 3)
        if type(found) is not int or not 1 <= found <= 96:
            raise CheckpointError(f"global_attn_every_n_layers is {found!r}; it must be a whole number from 1 to 96")
        return found
    if isinstance(kinds, list) and len(kinds) == layers:
        for step in range(1, len(kinds) + 1):
            if kinds == [LOCAL if i % step else GLOBAL for i in range(len(kinds))]:
                return step
    raise CheckpointError(
        f"layer_types is {str(kinds)[:200]}; it must name each layer, {GLOBAL} for every so many from layer 0 on and "
        f"{LOCAL} for the others"
    )


def modernbert(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What only the config.json of a ModernBERT says: windows, bases of angles, and biases."""
    step, wide = every(raw, raw["num_hidden_layers"]), raw.get("local_attention", 128)
    if type(wide) is not int or wide < 2:
        raise CheckpointError(f"local_attention is {wide!r}; it must be a whole number of tokens, 2 or more")
    return {
        "window": wide // 2 if step > 1 else None,
        "global_every": step,
        **of_two_kinds(raw),
        "attention_bias": raw.get("attention_bias", False),
        "feed_forward_bias": biases(raw, "mlp_bias"),
        "norm_bias": raw.get("norm_bias", False),
        "head_bias": raw.get("classifier_bias", False),
        "head_activation": bend(raw, "classifier_activation"),
    }


def bend(raw: Mapping[str, Any], name: str) -> str:
    """The activation that a field names, as it is called here; gelu where it does not say."""
    bent = raw.get(name, "gelu")
    known = {theirs: ours for ours, one in ACTIVATIONS.items() for theirs in one.hugging_face}
    if not isinstance(bent, str) or bent not in known:
        raise CheckpointError(f"{name} is {bent!r}; it must be one of {', '.join(known)}")
    return known[bent]


def biases(raw: Mapping[str, Any], name: str) -> str:
    """Whether both maps of the feed-forward have a bias, or none."""
    told = raw.get(name, False)
    if type(told) is not bool:
        raise CheckpointError(f"{name} is {told!r}; it must be true or false")
    return "both" if told else "none"


MODERNBERT = Family(
    "model.",
    {
        "embeddings.tok_embeddings": "embedding.tokens",
        "embeddings.norm": "embedding.norm",
        "layers.{i}.attn_norm": "layers.{i}.norm1",
        "layers.{i}.attn.Wqkv": "layers.{i}.attention.w_q+w_k+w_v",
        "layers.{i}.attn.Wo": "layers.{i}.attention.w_o",
        "layers.{i}.mlp_norm": "layers.{i}.norm2",
        "layers.{i}.mlp.Wi": "layers.{i}.feed_forward.w_1+w_up",
        "layers.{i}.mlp.Wo": "layers.{i}.feed_forward.w_2",
        "final_norm": "final_norm",
        "head.dense": "mlm_head.transform",
        "head.norm": "mlm_head.norm",
        "decoder": "mlm_head.decoder",
    },
    TASKS,
    SIZES | {"activation": "hidden_activation", "norm_eps": "norm_eps"},
    {
        "positions": "rotary",
        "n_segments": 0,
        "norm_first": True,
        "first_norm": False,
        "final_norm": True,
        "gated": True,
        "mask_value": MASKED,
    },
    usual={"activation": "gelu", "norm_eps": 1e-5},
    only={"decoder_bias": ((True,), "each word has a bias")},
    told=modernbert,
    head_of_words="mlm_head.decoder.bias",
)
MPNET = Family(
    "mpnet.",
    {theirs: ours for theirs, ours in EMBEDDINGS.items() if "token_type" not in theirs}
    | {
        "encoder.relative_attention_bias": "position_bias",
        "encoder.layer.{i}.attention.attn.q": "layers.{i}.attention.w_q",
        "encoder.layer.{i}.attention.attn.k": "layers.{i}.attention.w_k",
        "encoder.layer.{i}.attention.attn.v": "layers.{i}.attention.w_v",
        "encoder.layer.{i}.attention.attn.o": "layers.{i}.attention.w_o",
        "encoder.layer.{i}.attention.LayerNorm": "layers.{i}.norm1",
        "encoder.layer.{i}.intermediate.dense": "layers.{i}.feed_forward.w_1",
        "encoder.layer.{i}.output.dense": "layers.{i}.feed_forward.w_2",
        "encoder.layer.{i}.output.LayerNorm": "layers.{i}.norm2",
    }
    | LM_HEAD,
    BUFFERS | TASKS | POOLER | ROBERTA_TASKS,
    {ours: theirs for ours, theirs in BERT_FIELDS.items() if ours != "n_segments"},
    {"n_segments": 0, "position_buckets": 32},
    head_activation="gelu",
    positions_after_padding=True,
    only={
        "relative_attention_num_buckets": ((32,), "distances are counted in 32 steps"),
        "pad_token_id": ((1,), "its places are counted from there"),
    },
)
IN_MEMORY = {  # how transformers calls the modules of NomicBERT and GTE where it holds them
    "embeddings.LayerNorm": "embedding.norm",
    "layers.{i}.self_attn.q_proj": "layers.{i}.attention.w_q",
    "layers.{i}.self_attn.k_proj": "layers.{i}.attention.w_k",
    "layers.{i}.self_attn.v_proj": "layers.{i}.attention.w_v",
    "layers.{i}.self_attn.o_proj": "layers.{i}.attention.w_o",
    "layers.{i}.post_attention_layernorm": "layers.{i}.norm1",
    "layers.{i}.mlp.gate_proj": "layers.{i}.feed_forward.w_1",
    "layers.{i}.mlp.up_proj": "layers.{i}.feed_forward.w_up",
    "layers.{i}.mlp.down_proj": "layers.{i}.feed_forward.w_2",
    "layers.{i}.post_mlp_layernorm": "layers.{i}.norm2",
}
NOMIC = Family(
    "nomic_bert.",
    IN_MEMORY
    | {
        "embeddings.word_embeddings": "embedding.tokens",
        "embeddings.token_type_embeddings": "embedding.segments",
        "emb_ln": "embedding.norm",
        "encoder.layers.{i}.attn.Wqkv": "layers.{i}.attention.w_q+w_k+w_v",
        "encoder.layers.{i}.attn.out_proj": "layers.{i}.attention.w_o",
        "encoder.layers.{i}.norm1": "layers.{i}.norm1",
        "encoder.layers.{i}.mlp.fc12": "layers.{i}.feed_forward.w_1",
        "encoder.layers.{i}.mlp.fc11": "layers.{i}.feed_forward.w_up",
        "encoder.layers.{i}.mlp.fc2": "layers.{i}.feed_forward.w_2",
        "encoder.layers.{i}.norm2": "layers.{i}.norm2",
        "cls.predictions.transform.dense": "mlm_head.transform",
        "cls.predictions.transform.layer_norm": "mlm_head.norm",
        "cls.predictions": "mlm_head",
        "cls.predictions.decoder": "mlm_head.decoder",
    },
    BUFFERS | TASKS | POOLER,
    BERT_FIELDS,
    {"gated": True, "attention_bias": False, "feed_forward_bias": "none"},
    usual=USUAL | {"activation": "swish"},
    told=turned(1000.0),
)
GTE = Family(
    "gte.",
    IN_MEMORY
    | {
        "embeddings.word_embeddings": "embedding.tokens",
        "embeddings.token_type_embeddings": "embedding.segments",
        "embeddings.LayerNorm": "embedding.norm",
        "encoder.layer.{i}.attention.qkv_proj": "layers.{i}.attention.w_q+w_k+w_v",
        "encoder.layer.{i}.attention.o_proj": "layers.{i}.attention.w_o",
        "encoder.layer.{i}.attn_ln": "layers.{i}.norm1",
        "encoder.layer.{i}.mlp.up_gate_proj": "layers.{i}.feed_forward.w_up+w_1",
        "encoder.layer.{i}.mlp.down_proj": "layers.{i}.feed_forward.w_2",
        "encoder.layer.{i}.mlp_ln": "layers.{i}.norm2",
        "lm_head.norm": "mlm_head.norm",
    }
    | LM_HEAD,
    BUFFERS | TASKS | POOLER,
    BERT_FIELDS,
    {"gated": True, "feed_forward_bias": "second"},
    head_activation="gelu",
    usual=USUAL | {"n_segments": 1},
    only={
        "position_embedding_type": (("rope",), "queries and keys are turned by their positions"),
        "layer_norm_type": (("layer_norm",), "its norms take the mean away"),
        "logn_attention_scale": ((False,), "scores are not scaled by the length of the text"),
        "pack_qkv": ((True,), "queries, keys and values are made by one map"),
    },
    told=turned(160_000.0, ntk=True),
    code="Gte",
)
NEW = replace(GTE, prefix="new.", head_activation=None, told=turned(10_000.0, ntk=True), code="New")  # GTE's first name


def eurobert(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What only the config.json of a EuroBERT says.

    Raises:
        CheckpointError: heads that share their keys and values.
    """
    heads = raw.get("num_key_value_heads", raw["num_attention_heads"])
    if heads != raw["num_attention_heads"]:
        raise CheckpointError(
            f"num_key_value_heads is {heads!r} and num_attention_heads {raw['num_attention_heads']!r}; here every head "
            "has keys and values of its own"
        )
    return {
        **turned(10_000.0)(raw),
        "attention_bias": raw.get("attention_bias", False),
        "feed_forward_bias": biases(raw, "mlp_bias"),
    }


EUROBERT = Family(
    "model.",
    {
        "embed_tokens": "embedding.tokens",
        "layers.{i}.input_layernorm": "layers.{i}.norm1",
        "layers.{i}.self_attn.q_proj": "layers.{i}.attention.w_q",
        "layers.{i}.self_attn.k_proj": "layers.{i}.attention.w_k",
        "layers.{i}.self_attn.v_proj": "layers.{i}.attention.w_v",
        "layers.{i}.self_attn.o_proj": "layers.{i}.attention.w_o",
        "layers.{i}.post_attention_layernorm": "layers.{i}.norm2",
        "layers.{i}.mlp.gate_proj": "layers.{i}.feed_forward.w_1",
        "layers.{i}.mlp.up_proj": "layers.{i}.feed_forward.w_up",
        "layers.{i}.mlp.down_proj": "layers.{i}.feed_forward.w_2",
        "norm": "final_norm",
    },
    TASKS | ROBERTA_TASKS | {"lm_head": "head that names words by a table of its own", "dense": "classification head"},
    SIZES | {"activation": "hidden_act", "norm_eps": "rms_norm_eps"},
    {
        "n_segments": 0,
        "norm": "rms_norm",
        "norm_bias": False,
        "norm_first": True,
        "final_norm": True,
        "gated": True,
        "embedding_norm": False,
    },
    usual={"activation": "swish", "norm_eps": 1e-5},
    told=eurobert,
    code="EuroBert",
)
SCORES = {frozenset({"c2p"}): "c2p", frozenset({"p2c"}): "p2c", frozenset({"c2p", "p2c"}): "both"}


def deberta(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What only the config.json of a DeBERTa says: which scores of distances, and how distances are counted.

    Raises:
        CheckpointError: no distances, other scores, or an embedding of another width.
    """
    if raw.get("relative_attention", False) is not True:
        raise CheckpointError(
            f"relative_attention is {raw.get('relative_attention')!r}; it must be true: scores are made of distances"
        )
    told = raw.get("pos_att_type")
    kinds = [kind.strip() for kind in told.lower().split("|")] if isinstance(told, str) else told
    if not isinstance(kinds, list) or frozenset(map(str, kinds)) not in SCORES:
        raise CheckpointError(f"pos_att_type is {str(told)[:200]!r}; it must hold c2p, p2c or both, and nothing else")
    if raw.get("embedding_size", raw["hidden_size"]) != raw["hidden_size"]:
        raise CheckpointError(
            f"embedding_size is {raw['embedding_size']!r}; it must be hidden_size, {raw['hidden_size']!r}: tables that "
            "are widened before their norm are not computed here"
        )
    buckets, farthest = raw.get("position_buckets", -1), raw.get("max_relative_positions", -1)
    for name, value in (("position_buckets", buckets), ("max_relative_positions", farthest)):
        if type(value) is not int:
            raise CheckpointError(f"{name} is {value!r}; it must be a whole number, below 1 where it does not count")
    of_its_own = farthest >= 1
    farthest = farthest if of_its_own else raw["max_position_embeddings"]
    least = buckets // 2 + 2 if buckets > 0 else 2
    if type(farthest) is not int or not least <= farthest <= LONGEST:
        name = "max_relative_positions" if of_its_own else "max_position_embeddings"
        raise CheckpointError(
            f"{name} is {farthest!r}; with {max(buckets, 0)} position_buckets it must be a whole number from {least} "
            f"to {LONGEST}"
        )
    norms = raw.get("norm_rel_ebd", "none")
    usual = {"position_biased_input": True, "share_att_key": False}
    flags = {name: raw.get(name, value) for name, value in usual.items()}
    for name, value in flags.items():
        if type(value) is not bool:
            raise CheckpointError(f"{name} is {value!r}; it must be true or false")
    if not isinstance(norms, str):
        raise CheckpointError(f"norm_rel_ebd is {norms!r}; it must be layer_norm or none")
    return {
        "positions": "learned" if flags["position_biased_input"] else "none",
        "distance_scores": SCORES[frozenset(map(str, kinds))],
        "distance_span": buckets if buckets > 0 else farthest,
        "distance_limit": farthest if buckets > 0 else None,
        "distance_norm": "layer_norm" in [one.strip() for one in norms.lower().split("|")],
        "distance_maps": not flags["share_att_key"],
    }


def unneeded_of_deberta(raw: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """What a DeBERTa's checkpoint holds and its run does not read.

    One that learned to find replaced words (version 3) has the head for that beside one for words, whose guesses are
    random.
    """
    found = {} if raw.get("position_biased_input", True) else {"embeddings.position_embeddings": "places, not added"}
    if any(name.startswith("mask_predictions.") for name in names):
        found |= dict.fromkeys(LM_PREDICTIONS, UNTRAINED)
    return found


LM_PREDICTIONS = {
    "lm_predictions.lm_head.dense": "mlm_head.transform",
    "lm_predictions.lm_head.LayerNorm": "mlm_head.norm",
    "lm_predictions.lm_head": "mlm_head",
}
DEBERTA = Family(
    "deberta.",
    EMBEDDINGS
    | {theirs: ours for theirs, ours in BERT_LAYER.items() if ".self." not in theirs}
    | {
        "encoder.layer.{i}.attention.self.query_proj": "layers.{i}.attention.w_q",
        "encoder.layer.{i}.attention.self.key_proj": "layers.{i}.attention.w_k",
        "encoder.layer.{i}.attention.self.value_proj": "layers.{i}.attention.w_v",
        "encoder.layer.{i}.attention.self.pos_key_proj": "layers.{i}.attention.w_k_distance",
        "encoder.layer.{i}.attention.self.pos_query_proj": "layers.{i}.attention.w_q_distance",
        "encoder.rel_embeddings": "distances.table",
        "encoder.LayerNorm": "distances.norm",
    }
    | BERT_HEAD
    | LM_PREDICTIONS,
    BUFFERS
    | TASKS
    | POOLER
    | {
        "mask_predictions.dense": REPLACED,
        "mask_predictions.LayerNorm": REPLACED,
        "mask_predictions.classifier": REPLACED,
    },
    usual={"activation": "gelu", "norm_eps": 1e-7, "n_segments": 0},
    only={"conv_kernel_size": ((0,), "a convolution beside the first layer is not computed here")},
    told=deberta,
    unneeded=unneeded_of_deberta,
)
GATES = {"geglu": "gelu", "reglu": "relu"}


def jina(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What only the config.json of a Jina version 2 says: how its gates are bent, and its head.

    Raises:
        CheckpointError: the variant that normalizes queries and keys, no gates, or an unknown activation.
    """
    if "qk-post-norm" in str(raw.get("auto_map")):
        raise CheckpointError("its queries and keys are normalized before they meet, which is not computed here")
    gate = raw.get("feed_forward_type")
    if not isinstance(gate, str) or gate not in GATES:
        raise CheckpointError(f"feed_forward_type is {str(gate)[:200]!r}; it must be {' or '.join(GATES)}")
    return {"activation": GATES[gate], "head_activation": bend(raw, "hidden_act")}


JINA = Family(
    "bert.",
    {theirs: ours for theirs, ours in EMBEDDINGS.items() if "position" not in theirs}
    | {theirs: ours for theirs, ours in BERT_LAYER.items() if ".attention." in theirs}
    | {
        "encoder.layer.{i}.mlp.gated_layers": "layers.{i}.feed_forward.w_1+w_up",
        "encoder.layer.{i}.mlp.wo": "layers.{i}.feed_forward.w_2",
        "encoder.layer.{i}.mlp.layernorm": "layers.{i}.norm2",
    }
    | BERT_HEAD,
    BUFFERS | TASKS | POOLER,
    {ours: theirs for ours, theirs in BERT_FIELDS.items() if ours != "activation"},
    {"positions": "alibi", "gated": True, "feed_forward_bias": "second"},
    only={"position_embedding_type": (("alibi",), "scores fall with the distance")},
    told=jina,
    code="JinaBert",
)
MODERN = {
    "modernbert": MODERNBERT,
    "mpnet": MPNET,
    "nomic_bert": NOMIC,
    "gte": GTE,
    "new": NEW,
    "eurobert": EUROBERT,
    "deberta-v2": DEBERTA,
    "jina_bert": JINA,
}
