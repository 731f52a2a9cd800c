"""Checkpoints in Hugging Face's layout: the fields of their config.json and the names of their tensors.

A family is data: which field says what, which module is which of ours, and what is known and not needed. What is needed
is found, whatever stands before its name; what is not part of the encoder is left out by name; what stands inside the
encoder and in no table is an error, so that no part of a model is lost in silence.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from encoder.checkpoint.build import on_meta
from encoder.checkpoint.families import FAMILIES, Family
from encoder.checkpoint.tensor_files import CheckpointError
from encoder.model.activations import ACTIVATIONS
from encoder.model.classifier_config import LONGEST_LABEL, MOST_LABELS, ClassifierConfig
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


THEIR_FIELDS = {"model_type", "architectures", "hidden_size", "num_hidden_layers", "num_attention_heads"}
OWN_SIZES = {"vocab_size", "d_model", "n_heads", "n_layers", "d_ff"}  # by these a config.json of our own is told
LAYER = re.compile(r"\b(layers?)\.(\d{1,4})\.")
LEAVES = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}  # gamma, beta: before 2019
ADAPTED = re.compile(r"\b(lora_[AB]|lora_embedding_[AB]|adapters?|prompt_embeddings)\.")
INCOMPLETE, OWN_TABLE = "head for words that is not whole", "head for words with a table of its own"
SAME_AS = {"mlm_head.decoder.weight": "embedding.tokens.weight", "mlm_head.decoder.bias": "mlm_head.bias"}


# What classes of models are called, and their type: files of 2019 name a class and no type.
CLASSES = {
    "Bert": "bert",
    "Roberta": "roberta",
    "XLMRoberta": "xlm-roberta",
    "Camembert": "camembert",
    "DistilBert": "distilbert",
    "Electra": "electra",
    "Albert": "albert",
    "MPNet": "mpnet",
    "DebertaV2": "deberta-v2",
    "ModernBert": "modernbert",
    "NomicBert": "nomic_bert",
}
CLASS = re.compile(r"(\w+?)(For[A-Z]\w*|Model|LMHeadModel)")
LABELLED = {"ForSequenceClassification": "sentence", "ForTokenClassification": "token"}
PROBLEMS = {
    "single_label_classification": "single_label",
    "multi_label_classification": "multi_label",
    "regression": "regression",
}
LABELS, CHOICE = "classification head", "multiple-choice head"


def is_hugging_face(raw: Mapping[str, Any]) -> bool:
    """Whether a config.json is written in Hugging Face's terms and not in ours."""
    return bool(raw.keys() & THEIR_FIELDS) and not raw.keys() >= OWN_SIZES


def with_type(raw: Mapping[str, Any], names: Iterable[str]) -> tuple[Mapping[str, Any], str]:
    """A config.json with its type, and how that is known where the file does not say it; else an empty text.

    Raises:
        CheckpointError: neither the file nor the names of its tensors tell.
    """
    if "model_type" in raw:
        return raw, ""
    classes = raw.get("architectures")
    for name in classes if isinstance(classes, list) else ():
        match = CLASS.fullmatch(name) if isinstance(name, str) else None
        if match and match[1] in CLASSES:
            kind = CLASSES[match[1]]
            return {**raw, "model_type": kind}, f"no model_type in config.json (opened as {kind}: it names {name})"
    first = {name.partition(".")[0] + "." for name in names}
    called = {kind for kind in CLASSES.values() if FAMILIES[kind].prefix in first - {"model."}}
    called -= {kind for kind in called if FAMILIES[kind] is FAMILIES["roberta"] and kind != "roberta"}
    if len(called) != 1:
        raise CheckpointError(
            "config.json has no model_type, and neither architectures nor the names of the tensors tell which it is; "
            f'add "model_type": one of {", ".join(FAMILIES)}'
        )
    (kind,) = called
    return {**raw, "model_type": kind}, f"no model_type in config.json (opened as {kind}: its tensors are called so)"


def family(raw: Mapping[str, Any]) -> Family:
    """The family that a config.json names, with the head of labels where its class has one; raises as `bare_family`."""
    return with_labels(bare_family(raw), raw)


def bare_family(raw: Mapping[str, Any]) -> Family:
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


def task(raw: Mapping[str, Any]) -> tuple[str, str]:
    """What the class that a config.json names is called, in two parts: "Bert", "ForTokenClassification"."""
    classes = raw.get("architectures")
    match = CLASS.fullmatch(classes[0]) if isinstance(classes, list) and classes and type(classes[0]) is str else None
    return (match[1], match[2]) if match else ("", "")


def labelled(kind: Family, raw: Mapping[str, Any]) -> str:
    """What a model of a family labels, as its class says: "sentence", "token", or nothing."""
    called, of_class = task(raw)
    known = {name for name, of_name in CLASSES.items() if FAMILIES[of_name].modules == kind.modules} | {kind.code}
    return LABELLED.get(of_class, "") if called and called in known else ""


def with_labels(kind: Family, raw: Mapping[str, Any]) -> Family:
    """The family with the modules of its head of labels, where the class of a model has one."""
    if not (what := labelled(kind, raw)):
        return kind
    head = kind.sentence_head if what == "sentence" else kind.token_head
    left_out = {module: what for module, what in kind.left_out.items() if module not in head}
    return replace(kind, modules={**kind.modules, **head}, left_out=left_out)


def read_classifier(raw: Mapping[str, Any]) -> ClassifierConfig | None:
    """The head of labels that a config.json describes; None where its class has none, or has too many labels.

    Raises:
        CheckpointError: names of labels that are no object, or a kind of problem that is not known.
    """
    kind = bare_family(raw)
    what, names = labelled(kind, raw), raw.get("id2label")
    if not what:
        return None
    if not isinstance(names, dict | None):
        raise CheckpointError(f"id2label is {str(names)[:80]!r}; it must be an object of names by number")
    count = raw.get("num_labels", 2) if names is None else len(names)
    if type(count) is not int or count < 1:
        raise CheckpointError(f"it has {str(count)[:40]} labels; a head for labels has 1 or more")
    if count > MOST_LABELS:
        return None
    by_number = {str(number): str(name) for number, name in (names or {}).items()}
    labels = tuple(short_label(by_number.get(str(i), f"LABEL_{i}")) for i in range(count))
    problem = raw.get("problem_type")
    if problem is not None and (not isinstance(problem, str) or problem not in PROBLEMS):
        raise CheckpointError(f"problem_type is {str(problem)[:80]!r}; it must be one of {', '.join(PROBLEMS)}")
    usual = "regression" if count == 1 else "single_label"  # as transformers takes it
    given: dict[str, Any] = {"labels": labels, "labelled": what}
    given["problem"] = "single_label" if what == "token" else PROBLEMS.get(str(problem), usual)
    own = kind.label_fields(raw) if kind.label_fields else {}
    if what == "sentence":
        given |= {"activation": kind.label_activation} | own
    elif kind.token_head.keys() != {"classifier"}:
        given |= {name: value for name, value in own.items() if name != "reading"}
    return ClassifierConfig(**given)


def short_label(name: str) -> str:
    """The name of a label, cut where it is long."""
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"


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
    given["classifier"] = read_classifier(raw)
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

    @property
    def classifier(self) -> bool:
        """Whether the head that names labels is there."""
        return any(name.startswith("classifier.") for name in self.ours)

    def of_heads(self, config: EncoderConfig) -> EncoderConfig:
        """The configuration with those heads that are there."""
        return replace(config, mlm_head=self.mlm_head, classifier=config.classifier if self.classifier else None)


def is_tied(raw: Mapping[str, Any]) -> bool:
    """Whether a head for words has the embedding table, as a config.json says it: without a word it has."""
    return raw.get("tie_word_embeddings") is not False


def whole_names(raw: Mapping[str, Any], config: EncoderConfig, theirs: Iterable[str]) -> Names:
    """The same as `read_names`, without a head for words or labels that tensors of such a model are missing of.

    Raises:
        CheckpointError: as `read_names`.
    """
    every, expected = list(theirs), [name for name, _ in on_meta(config).named_parameters()]
    names = read_names(raw, every)
    absent = [name for name in expected if name.startswith("classifier.") and name not in names.ours]
    if absent and names.classifier:
        names = without_labels(raw, every, f"it is not whole: {their_name(raw, absent[0])} is missing")
    elif config.classifier is None and names.classifier:
        names = without_labels(raw, every, f"it has more than {MOST_LABELS:,} labels")
    return head_left_out(names, expected)


def without_labels(raw: Mapping[str, Any], theirs: Iterable[str], why: str) -> Names:
    """The names of a file without the head for labels, which is said to be left out for that reason."""
    names = read_names({**raw, "architectures": None}, theirs)
    return Names(names.ours, (*names.left_out, f"head for labels ({why})"))


def read_names(raw: Mapping[str, Any], theirs: Iterable[str]) -> Names:
    """Find our name for each tensor of a file.

    Raises:
        CheckpointError: a tensor inside the encoder that is in no table or there twice; no encoder, or several.
    """
    kind, ours, left_out, strange = family(raw), dict[str, str](), list[str](), list[str]()
    every = sorted(theirs)
    if adapted := [name for name in every if ADAPTED.search(name)]:
        raise CheckpointError(f"it holds an adapter ({adapted[0]}); merge it into the weights of its model first")
    lead = leading(kind, every)
    outer = lead.removesuffix(kind.prefix)
    besides = dict(kind.left_out) | (kind.unneeded(raw, every) if kind.unneeded else {})
    if task(raw)[1] == "ForMultipleChoice":
        besides = {module: CHOICE if what == LABELS else what for module, what in besides.items()}
    for name in every:
        bare = name.removeprefix(lead) if name.startswith(lead) else name.removeprefix(outer).removeprefix(kind.prefix)
        module, _, leaf = LAYER.sub(r"\1.{i}.", bare, count=1).rpartition(".")
        what = besides.get(module) or besides.get(bare)
        ours_called = our_name(kind, module, leaf, LAYER.search(bare))
        if what:
            left_out.append(f"{name} ({what})")
        elif ours_called is None:
            strange.append(name)
        elif ours_called in ours:
            raise CheckpointError(f"it holds {name} twice, also under the name {ours[ours_called]}")
        else:
            ours[ours_called] = name
    heads = ("mlm_head", "classifier")
    roots = {module.partition(".")[0] for module, name in kind.modules.items() if not name.startswith(heads)}
    inside = [name for name in strange if name.startswith(lead) and name.removeprefix(lead).partition(".")[0] in roots]
    if inside:
        more = f" and {len(inside) - 5} more" if len(inside) > 5 else ""
        raise CheckpointError(
            f"it holds tensors inside the encoder that a {raw['model_type']} model has no place for: "
            f"{', '.join(inside[:5])}{more}"
        )
    if strange and any(name.startswith("classifier.") for name in ours):
        return without_labels(raw, every, f"beside it stands {strange[0]}, which is not computed here")
    left_out += together(strange)
    if kind.head_of_words and kind.head_of_words not in ours:
        left_out += [f"{ours.pop(name)} (head of another task)" for name in list(ours) if name.startswith("mlm_head.")]
    if code_of(raw):
        left_out.append(f"code of its own, {code_of(raw)} (never run: what it computes is computed here)")
    if kind.positions_after_padding:
        left_out.append("rows of embeddings.position_embeddings up to the padding id (no token stands there)")
    if kind.one_segment and raw.get("type_vocab_size", kind.usual["n_segments"]) != 1:
        table = "embeddings.token_type_embeddings"
        left_out.append(f"rows of {table} after the first (its sentences are not told apart)")
    return Names(ours, tuple(left_out))


def leading(kind: Family, names: Iterable[str]) -> str:
    """What stands before the names of an encoder's tensors: "", "bert.", or "model.bert." where another model holds it.

    Raises:
        CheckpointError: no table of words, or several encoders of which none stands where its family puts it.
    """
    tables = [module for module, ours in kind.modules.items() if ours == "embedding.tokens"]
    leads = {name.removesuffix(f"{table}.weight") for name in names for table in tables if ends(name, table)}
    if not leads:
        raise CheckpointError(f"it holds no {' or '.join(tables)}.weight: no encoder that can be read here")
    if usual := [lead for lead in (kind.prefix, "") if lead in leads]:
        return usual[0]
    if len(leads) > 1:
        raise CheckpointError(f"it holds several encoders: {', '.join(sorted(leads))}; save one of them by itself")
    return leads.pop()


def ends(name: str, module: str) -> bool:
    """Whether a tensor is the weight of a module, by that name or one inside another."""
    return name == f"{module}.weight" or name.endswith(f".{module}.weight")


def together(names: Iterable[str]) -> list[str]:
    """What is said of tensors that are no part of the encoder: by the module that they stand in."""
    parts: dict[str, list[str]] = {}
    for name in names:
        parts.setdefault(name.partition(".")[0], []).append(name)
    return [
        f"{inside[0] if len(inside) == 1 else f'{module}.* ({len(inside)} tensors)'} (of another task)"
        for module, inside in parts.items()
    ]


def head_left_out(names: Names, expected: Iterable[str]) -> Names:
    """The same without the head for words, where tensors of it are missing: its guesses would be made up."""
    there = {whole for name in names.ours for whole in (name, SAME_AS.get(name, name))}
    missing = sorted(name for name in expected if name.startswith("mlm_head.") and name not in there)
    if not names.mlm_head or not missing:
        return names
    return without_head(names, f"{INCOMPLETE}, which lacks {missing[0]}")


def without_head(names: Names, why: str) -> Names:
    """The same without the head for words, which is said to be left out for that reason."""
    kept = {ours: theirs for ours, theirs in names.ours.items() if not ours.startswith("mlm_head.")}
    head = [theirs for ours, theirs in names.ours.items() if ours not in kept]
    return Names(kept, (*names.left_out, *(f"{name} ({why})" for name in head)))


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


def differences(alone: EncoderConfig, meant: EncoderConfig) -> list[str]:
    """What transformers takes from a config.json otherwise than the file by itself says it: its reading is followed."""
    return [
        f"{name} {value!r:.200} of config.json (transformers reads it as {getattr(meant, name)!r:.200}, and so does "
        "this app)"
        for name, value in vars(alone).items()
        if value != getattr(meant, name)
    ]


def names_its_own(tied: bool, tensors: Mapping[str, Tensor]) -> bool:
    """Whether the head names words by another table than they are read with, which is not computed here."""
    decoder, table = tensors.get("mlm_head.decoder.weight"), tensors.get("embedding.tokens.weight")
    if decoder is None:
        return not tied and any(name.startswith("mlm_head.") for name in tensors)
    return table is not None and (decoder.shape != table.shape or not torch.equal(decoder, table))


def taken(
    raw: Mapping[str, Any], names: Names, tensors: Mapping[str, Tensor], tied: bool
) -> tuple[Names, dict[str, Tensor]]:
    """The tensors as our modules hold them, without a head that names words by a table of its own.

    The decoder is the embedding table. RoBERTa's tables lose the rows that it never reads: positions before the first,
    and segments after the first, which it does not tell apart.
    """
    if names_its_own(tied, tensors):
        names = without_head(names, OWN_TABLE)
        tensors = {ours: tensor for ours, tensor in tensors.items() if ours in names.ours}
    arrangement = cut(raw, tensors)
    for copy, original in SAME_AS.items():
        if copy in arrangement:
            arrangement.setdefault(original, arrangement.pop(copy))
    kind = family(raw)
    first = slice(first_position(raw), None) if kind.positions_after_padding else slice(None)
    rows = {"embedding.positions.weight": first, "embedding.segments.weight": slice(1 if kind.one_segment else None)}
    return names, arrangement | {name: arrangement[name][kept] for name, kept in rows.items() if name in arrangement}
