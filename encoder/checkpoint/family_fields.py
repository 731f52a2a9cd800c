"""What the config.json of some families says beyond its table: angles of turns, windows, distances, gates and biases.

These are families of 2020 and later; see families.json for what all have in common.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from encoder.checkpoint.tensor_files import CheckpointError
from encoder.model.activations import ACTIVATIONS, HEAD_ACTIVATIONS, Activation
from encoder.model.config import LONGEST

UNTRAINED = "head of words that was not trained"
UNTRAINED_HEAD = ("lm_predictions.lm_head.dense", "lm_predictions.lm_head.LayerNorm", "lm_predictions.lm_head")
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
    settings, scaled = raw.get("rope_parameters") or {}, raw.get("rope_scaling") or {}
    if settings and scaled:
        raise CheckpointError("it says twice how its angles are made, in rope_parameters and in rope_scaling")
    settings = settings.get(kind) or {} if kind and isinstance(settings, dict) else settings
    settings = settings or scaled  # older files say the same of all layers
    if not isinstance(settings, dict):
        raise CheckpointError(
            f"the angles of its positions are {str(settings)[:200]!r}; they must be an object with a rope_type"
        )
    known = (*SCALED, "ntk") if ntk else SCALED
    turns = settings.get("rope_type", settings.get("type", "default"))
    if not isinstance(turns, str) or turns not in known:
        why = f": {NOT_TURNED[turns]}" if isinstance(turns, str) and turns in NOT_TURNED else ""
        raise CheckpointError(f"rope_type is {str(turns)[:200]!r}; it must be {' or '.join(known)}{why}")
    for name, (allowed, why) in ALL_TURNED.items():
        value = settings.get(name, raw.get(name))
        if value not in allowed:
            raise CheckpointError(f"{name} is {str(value)[:200]!r}; it must be {allowed[-1]!r}: {why}")
    scaling = turns if turns in ("linear", "ntk") else "none"
    if scaling != "none" and settings.get("factor") is None:
        raise CheckpointError(f"rope_type is {turns!r} without a factor; the angles are slowed by it")
    return {
        "rope_theta": settings.get("rope_theta", raw.get("rope_theta", usual)),
        "rope_scaling": scaling,
        "rope_factor": settings["factor"] if scaling != "none" else 1.0,
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
        count: object = raw.get("global_attn_every_n_layers", 3)
        if type(count) is not int or not 1 <= count <= 96:
            raise CheckpointError(f"global_attn_every_n_layers is {count!r}; it must be a whole number from 1 to 96")
        return count
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


def bend(raw: Mapping[str, Any], name: str, activations: Mapping[str, Activation] = ACTIVATIONS) -> str:
    """The activation that a field names, as it is called here; gelu where it does not say."""
    bent = raw.get(name, "gelu")
    known = {theirs: ours for ours, activation in activations.items() for theirs in activation.hugging_face}
    if not isinstance(bent, str) or bent not in known:
        raise CheckpointError(f"{name} is {bent!r}; it must be one of {', '.join(known)}")
    return known[bent]


def biases(raw: Mapping[str, Any], name: str) -> str:
    """Whether both maps of the feed-forward have a bias, or none."""
    bias = raw.get(name, False)
    if type(bias) is not bool:
        raise CheckpointError(f"{name} is {bias!r}; it must be true or false")
    return "both" if bias else "none"


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
    scores = raw.get("pos_att_type")
    kinds = [kind.strip() for kind in scores.lower().split("|")] if isinstance(scores, str) else scores
    if not isinstance(kinds, list) or frozenset(map(str, kinds)) not in SCORES:
        raise CheckpointError(f"pos_att_type is {str(scores)[:200]!r}; it must hold c2p, p2c or both, and nothing else")
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
        "distance_norm": "layer_norm" in [norm.strip() for norm in norms.lower().split("|")],
        "distance_maps": not flags["share_att_key"],
    }


def unneeded_of_deberta(raw: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """What a DeBERTa's checkpoint holds and its run does not read.

    One that learned to find replaced words (version 3) has the head for that beside one for words, whose guesses are
    random.
    """
    modules = {} if raw.get("position_biased_input", True) else {"embeddings.position_embeddings": "places, not added"}
    if any(name.startswith("mask_predictions.") for name in names):
        modules |= dict.fromkeys(UNTRAINED_HEAD, UNTRAINED)
    return modules


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


EXTRA_FIELDS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "modernbert": modernbert,
    "nomic_bert": turned(1000.0),
    "gte": turned(160_000.0, ntk=True),
    "new": turned(10_000.0, ntk=True),
    "eurobert": eurobert,
    "deberta-v2": deberta,
    "jina_bert": jina,
}
UNNEEDED = {"deberta-v2": unneeded_of_deberta}


def reads(usual: str, readings: Mapping[str, str], norm: bool) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """What a config.json says of the head of labels, in families that choose what it reads."""

    def read(raw: Mapping[str, Any]) -> dict[str, Any]:
        named = raw.get("classifier_pooling", usual)
        if not isinstance(named, str) or named not in readings:
            raise CheckpointError(f"classifier_pooling is {named!r:.80}; it must be one of {', '.join(readings)}")
        bent = bend(raw, "classifier_activation", HEAD_ACTIVATIONS) if norm else "gelu"
        return {"reading": readings[named], "activation": bent, "norm": norm}

    return read


LABEL_FIELDS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "modernbert": reads("cls", {"cls": "first", "mean": "mean"}, norm=True),
    "eurobert": reads("late", {"bos": "first", "mean": "mean", "late": "late"}, norm=False),
    "deberta-v2": lambda raw: {"activation": bend(raw, "pooler_hidden_act", HEAD_ACTIVATIONS)},
}
