"""Checkpoints in Hugging Face's layout: the fields of their config.json and the names of their tensors.

A family is data: which field says what, which module is which of ours, and what is known and not needed. What a table
does not name is an error, so that no part of a model is lost in silence.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from encoder.checkpoint.families import FAMILIES, Family
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
    "deberta": "its scores are made of contents and distances apart",
    "longformer": "its tokens see only their neighbours",
    "big_bird": "its tokens see only some others",
    "t5": "it is an encoder and a decoder; encoders alone are opened here",
    **dict.fromkeys(
        ("gpt2", "gpt_neox", "opt", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "phi", "phi3", "bloom"),
        "it is a decoder",
    ),
    **dict.fromkeys(("vit", "deit", "beit", "swin", "dinov2", "clip", "siglip"), "it reads images"),
}


OWN_SIZES = {"vocab_size", "d_model", "n_heads", "n_layers", "d_ff"}  # by these a config.json of our own is told
LAYER = re.compile(r"\b(layers?)\.(\d{1,4})\.")
LEAVES = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}  # gamma, beta: before 2019
SAME_AS = {"mlm_head.decoder.weight": "embedding.tokens.weight", "mlm_head.decoder.bias": "mlm_head.bias"}


def is_hugging_face(raw: Mapping[str, Any]) -> bool:
    """Whether a config.json is written in Hugging Face's terms and not in ours."""
    return "model_type" in raw and not raw.keys() >= OWN_SIZES


def family(raw: Mapping[str, Any]) -> Family:
    """The family that a config.json names.

    Raises:
        CheckpointError: one that is not supported; the message lists those that are.
    """
    kind = raw["model_type"]
    if kind == "bert" and raw.get("position_embedding_type") == "alibi":
        return FAMILIES["jina_bert"]
    if not isinstance(kind, str) or kind not in FAMILIES:
        both = UNFIT["t5"] if raw.get("is_encoder_decoder") is True else ""
        reason = UNFIT.get(kind, both) if isinstance(kind, str) else ""
        why = f" ({reason})" if reason else ""
        raise CheckpointError(f"model_type is {kind!r}{why}; supported are {', '.join(FAMILIES)}")
    return FAMILIES[kind]


def read_fields(raw: Mapping[str, Any], mlm_head: bool) -> EncoderConfig:
    """The configuration that a config.json describes; sizes must be there, the rest has the family's usual values.

    Raises:
        CheckpointError: a field that is missing, or has a value that this encoder cannot follow.
    """
    kind = family(raw)
    for name, (allowed, why) in (ONLY | dict(kind.only)).items():
        if name in raw and raw[name] not in allowed and not (name == "auto_map" and code_of(raw)):
            values = " or ".join(map(repr, allowed))
            raise CheckpointError(f"{name} is {raw[name]!r}; it must be {values}: {why}")
    absent = [theirs for ours, theirs in kind.fields.items() if theirs not in raw and ours not in kind.usual]
    if absent:
        raise CheckpointError(f"it lacks {', '.join(absent)}, which a {raw['model_type']} model has")
    check_head_size(raw, raw[kind.fields["d_model"]], raw[kind.fields["n_heads"]])
    given = {ours: raw[theirs] for ours, theirs in kind.fields.items() if theirs in raw}
    given = dict(kind.usual) | given | dict(kind.fixed) | (kind.extra_fields(raw) if kind.extra_fields else {})
    if not isinstance(given["activation"], str) or given["activation"] not in ACTIVATION_OF:
        raise CheckpointError(
            f"{kind.fields['activation']} is {given['activation']!r}; it must be one of {', '.join(ACTIVATION_OF)}"
        )
    given["activation"] = ACTIVATION_OF[given["activation"]]
    given.setdefault("head_activation", kind.head_activation)
    if given.get("embedding_size") == given["d_model"] and not kind.fixed.get("shared_layers"):
        given["embedding_size"] = None  # ELECTRA has the linear map only where the widths differ, ALBERT always
    if kind.positions_after_padding:
        given["max_positions"] = less(given["max_positions"], first_position(raw))
    if kind.one_segment:
        given["n_segments"] = 1
    usual: dict[str, Any] = {
        "positions": "learned",
        "embedding_norm": True,
        "scale_embeddings": False,
        "mlm_head": mlm_head,
    }
    try:
        return EncoderConfig(**(usual | given))
    except (ValueError, TypeError) as error:
        words = set(re.findall(r"\w+", str(error)))
        called = [f"{ours} is its {theirs}" for ours, theirs in kind.fields.items() if ours in words]
        raise CheckpointError(f"{error} ({', '.join(called)})" if called else str(error)) from error


def code_of(raw: Mapping[str, Any]) -> str:
    """The classes of code that comes with a checkpoint, where its family is known to compute the same without it."""
    classes, known = raw.get("auto_map"), family(raw).code
    if not known or not isinstance(classes, dict):
        return ""
    named = [reference.rpartition(".")[2] if isinstance(reference, str) else "" for reference in classes.values()]
    return ", ".join(sorted(named)) if all(name.startswith(known) for name in named) else ""


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
    if not family(raw).positions_after_padding:
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
    every = sorted(theirs)
    besides = dict(kind.left_out) | (kind.unneeded(raw, every) if kind.unneeded else {})
    for name in every:
        bare = name.removeprefix(kind.prefix)
        module, _, leaf = LAYER.sub(r"\1.{i}.", bare, count=1).rpartition(".")
        what = besides.get(module) or besides.get(bare)
        ours_called = our_name(kind, module, leaf, LAYER.search(bare))
        if what:
            left_out.append(f"{name} ({what})")
        elif ours_called is None:
            unknown.append(name)
        elif ours_called in ours:
            raise CheckpointError(f"it holds {name} twice, also under the name {ours[ours_called]}")
        else:
            ours[ours_called] = name
    if kind.head_of_words and kind.head_of_words not in ours:
        left_out += [f"{ours.pop(name)} (head of another task)" for name in list(ours) if name.startswith("mlm_head.")]
    if code_of(raw):
        left_out.append(f"code of its own, {code_of(raw)} (never run: what it computes is computed here)")
    if kind.positions_after_padding:
        left_out.append("rows of embeddings.position_embeddings up to the padding id (no token stands there)")
    if kind.one_segment and raw.get("type_vocab_size", kind.usual["n_segments"]) != 1:
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
    return ours.replace("{i}", str(int(layer[2]))) if layer else ours


def their_name(raw: Mapping[str, Any], ours: str) -> str:
    """What a tensor of ours is called in such a checkpoint, for messages."""
    module, _, leaf = ours.rpartition(".")
    layer = ours.split(".")[1]
    modules = {
        part.replace("{i}", layer): theirs.replace("{i}", layer)
        for theirs, name in family(raw).modules.items()
        for part in {name, *shared(name)}
    }
    return f"{modules[module]}.{leaf} ({ours})" if module in modules else ours


def shared(name: str) -> list[str]:
    """The modules of ours that one of theirs is: "attention.w_q+w_k" is attention.w_q and attention.w_k."""
    where, dot, parts = name.rpartition(".")
    return [where + dot + part for part in parts.split("+")]


def cut(raw: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors, with those that hold several of ours cut into equal parts along their rows."""
    pieces: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        module, _, leaf = name.rpartition(".")
        parts = shared(module)
        if len(parts) > 1 and (not tensor.dim() or len(tensor) % len(parts)):
            raise CheckpointError(
                f"{their_name(raw, name)} has shape {tuple(tensor.shape)}; its rows are {len(parts)} maps of one size"
            )
        rows = tensor.chunk(len(parts)) if len(parts) > 1 else (tensor,)
        pieces |= {f"{part}.{leaf}": row for part, row in zip(parts, rows, strict=True)}
    return pieces


def arranged(raw: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors as our modules hold them.

    The decoder must be the embedding table. RoBERTa's tables lose the rows that it never reads: positions before the
    first, and segments after the first, which it does not tell apart.

    Raises:
        CheckpointError: a decoder of its own.
    """
    arrangement = cut(raw, tensors)
    for copy, original in SAME_AS.items():
        if copy in arrangement:
            tensor = arrangement.pop(copy)
            if original not in arrangement:
                arrangement[original] = tensor
            elif arrangement[original].shape != tensor.shape or not bool((arrangement[original] == tensor).all()):
                raise CheckpointError(
                    f"{their_name(raw, copy)} differs from {their_name(raw, original)}; "
                    "the head must name words with the embedding table it reads them with"
                )
    kind = family(raw)
    first = slice(first_position(raw), None) if kind.positions_after_padding else slice(None)
    rows = {"embedding.positions.weight": first, "embedding.segments.weight": slice(1 if kind.one_segment else None)}
    return arrangement | {name: arrangement[name][kept] for name, kept in rows.items() if name in arrangement}
