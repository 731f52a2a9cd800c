"""A grammar of checkpoint folders that somebody else may have made: good ones with something changed.

A tokenizer.json has parts put in, taken out, exchanged and given other values, at any place in it; a model has another
config.json, or other tensors than that says.
"""

import copy
import json
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from hypothesis import strategies as st
from nasty import SHORT, any_text
from tiny import TINY, tiny_tokenizer
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from twins import MODELS, roberta_tokenizer

Told = dict[str, Any]
Place = tuple[str | int, ...]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghij", "##a", "##b", "ab", "the", "\u2581the", "\u0120a"]
NUMBERED = {word: i for i, word in enumerate(WORDS)}


@cache
def good() -> dict[str, str]:
    """Tokenizers in good order, as they are saved, of every kind that the library knows."""
    piece = Tokenizer(models.WordPiece(NUMBERED, unk_token="[UNK]", max_input_chars_per_word=100))
    piece.normalizer, piece.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    piece.decoder = decoders.WordPiece()
    piece.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    pairs = Tokenizer(models.BPE(NUMBERED, [("a", "b")], unk_token="[UNK]"))
    pairs.pre_tokenizer, pairs.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    pairs.post_processor = processors.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2))
    scored = Tokenizer(models.Unigram([(word, -float(i)) for i, word in enumerate(WORDS)], 1, False))
    scored.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("``", '"')])
    scored.pre_tokenizer, scored.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    for one in (piece, pairs, scored):
        one.add_special_tokens([AddedToken(word, lstrip=word == "[MASK]") for word in WORDS[:5]])
    known = {"words": tiny_tokenizer(), "named": roberta_tokenizer(), "piece": piece, "pairs": pairs, "scored": scored}
    return {name: one.to_str() for name, one in known.items()}


def each(part: type, *given: Any, **named: Any) -> Told:
    """A part of a tokenizer, as it is saved."""
    found: Told = json.loads(part(*given, **named).__getstate__())
    return found


REPLACE = {"type": "Replace", "pattern": {"Regex": "(a+)+b"}, "content": "aa"}
SPLIT = {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated", "invert": True}
PARTS: dict[str, list[Any]] = {  # what may stand in a place of a tokenizer
    "normalizer": [
        None, {"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}, {"type": "Prepend", "prepend": "a"},
        {"type": "Strip", "strip_left": True, "strip_right": False}, {"type": "ByteLevel"}, {"type": "Nmt"}, REPLACE,
        {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, {"type": "Sequence", "normalizers": [REPLACE] * 3},
        {"type": "Sequence", "normalizers": []},
    ],
    "pre_tokenizer": [
        None, SPLIT, SPLIT | {"pattern": {"Regex": "(a|a)*$"}}, {"type": "Whitespace"}, {"type": "BertPreTokenizer"},
        {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": False},
        {"type": "CharDelimiterSplit", "delimiter": "a"}, {"type": "Digits", "individual_digits": True},
        {"type": "Punctuation", "behavior": "MergedWithNext"}, {"type": "UnicodeScripts"},
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": False},
        {"type": "Sequence", "pretokenizers": [SPLIT] * 3},
    ],
    "post_processor": [
        None, {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 900]},
        {"type": "RobertaProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2], "trim_offsets": True,
         "add_prefix_space": True},
        {"type": "TemplateProcessing", "special_tokens": {}, "single": [], "pair": []},
        {"type": "TemplateProcessing", "special_tokens": {}, "single": [{"Sequence": {"id": "B", "type_id": 3}}],
         "pair": [{"Sequence": {"id": "A", "type_id": 7}}] * 3},
        {"type": "Sequence", "processors": []},
    ],
    "decoder": [None, {"type": "Fuse"}, {"type": "ByteFallback"},
                {"type": "CTC", "pad_token": "", "word_delimiter_token": "", "cleanup": True}],
    "padding": [None, {"strategy": {"Fixed": 10**9}, "direction": "Left", "pad_to_multiple_of": 0, "pad_id": 99,
                "pad_type_id": 9, "pad_token": "x"}],
    "truncation": [None, {"direction": "Left", "max_length": 0, "strategy": "OnlySecond", "stride": 10**9}],
    "added_tokens": [[], [{"id": 10**6, "content": "a", "single_word": True, "lstrip": True, "rstrip": True,
                     "normalized": True, "special": True}]],
    "model": [{"type": "WordLevel", "vocab": {}, "unk_token": ""}, {"type": "WordLevel", "vocab": {"a": 2**32 - 1}},
              {"type": "Unigram", "unk_id": 9, "vocab": [["a", 0.0]]}, {"vocab": NUMBERED},
              {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]},
              {"type": "WordPiece", "vocab": NUMBERED, "unk_token": "[UNK]",
               "continuing_subword_prefix": "", "max_input_chars_per_word": 0}],
}  # fmt: skip
VALUES = st.one_of(
    st.sampled_from([None, True, False, -1, 0, 1, 2, 53, 2**31, 2**32, 2**64, 1e308, -0.5, "", [], {}, [[]], "[CLS]"]),
    st.sampled_from([*SHORT, "(a+)+$", "((((", "\\p{Han}", "(?<=a)b", ".", ""]).map(lambda text: text[:3000]),
    any_text,
    st.integers(-5, 60),
)


def places(told: Any, at: Place = ()) -> list[Place]:
    """Every place in a tree of lists and objects, the longest lists and objects by their first and last alone."""
    inside = list(told.items() if isinstance(told, dict) else enumerate(told)) if isinstance(told, dict | list) else []
    some = inside if len(inside) <= 12 else inside[:3] + inside[-3:]
    return [at, *(place for name, one in some for place in places(one, (*at, name)))]


def put(told: Any, at: Place, value: Any) -> Any:
    """The tree with another value at that place."""
    if not at:
        return value
    changed = copy.copy(told)
    changed[at[0]] = put(told[at[0]], at[1:], value)
    return changed


def got(told: Any, at: Place) -> Any:
    """What stands at a place."""
    for name in at:
        told = told[name]
    return told


@st.composite
def changed(draw: st.DrawFn, told: Any) -> Any:
    """A tree with something at one place taken out, doubled, exchanged, named otherwise or given another value."""
    at = draw(st.sampled_from(places(told)[1:] or [()]))
    act = draw(st.sampled_from(["value", "value", "out", "twice", "exchange", "name"]))
    if act == "value" or not at:
        return put(told, at, draw(VALUES))
    if act == "exchange":
        return put(told, at, copy.deepcopy(got(told, draw(st.sampled_from(places(told))))))
    above, last = got(told, at[:-1]), at[-1]
    if isinstance(above, dict):
        rest = {name: one for name, one in above.items() if name != last}
        named = {draw(any_text): above[last]} if act == "name" else {}
        return put(told, at[:-1], rest | named)
    index = int(last)
    return put(told, at[:-1], above[:index] + above[index : index + 1] * 2 * (act == "twice") + above[index + 1 :])


@st.composite
def tokenizer_files(draw: st.DrawFn) -> str:
    """The text of a tokenizer.json, nearly in good order."""
    told: Any = json.loads(good()[draw(st.sampled_from(sorted(good())))])
    for _ in range(draw(st.integers(1, 3))):
        if isinstance(told, dict) and draw(st.booleans()):
            name = draw(st.sampled_from(sorted(PARTS)))
            told = told | {name: draw(st.sampled_from(PARTS[name]))}
            if isinstance(told[name], dict) and draw(st.booleans()):
                told = told | {name: draw(changed(told[name]))}
        else:
            told = draw(changed(told))
    text = json.dumps(told)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 30)) == 0 else text


FAMILIES = ("bert", "roberta", "distilbert", "electra-generator", "albert", "own")
OWN = {"own": replace(TINY, mlm_head=True), "own-narrow": replace(TINY, embedding_size=18, mlm_head=True, n_segments=2)}
assert set(FAMILIES) <= MODELS.keys() | OWN.keys()
FIELD_VALUES = st.one_of(
    st.sampled_from([None, True, False, "", "x", [], {}, -1, 0, 1, 2, 3.5, 1e400, -1e400, float("nan"), 10**9, 2**63,
                     10**400, "gelu", "relu", "3", [3], {"a": 1}]),
    st.integers(-3, 70),
)  # fmt: skip
TENSORS: dict[str, Any] = {  # what a tensor may be changed to
    "out": None,
    "cut": lambda one: one[: max(0, one.shape[0] - 1)] if one.ndim else one,
    "turned": lambda one: one.T.contiguous() if one.ndim == 2 else one,
    "flat": lambda one: one.reshape(-1),
    "deep": lambda one: one[None],
    "twice": lambda one: torch.cat([one, one]) if one.ndim else one,
    "none": lambda one: one[:0] if one.ndim else one,
    "whole": lambda one: one.to(torch.int64),
    "half": lambda one: one.to(torch.bfloat16),
    "bits": lambda one: one > 0,
    "double": lambda one: one.double(),
    "nan": lambda one: torch.full_like(one, float("nan")),
    "huge": lambda one: torch.full_like(one, 3e38),
    "scalar": lambda one: torch.tensor(1.0),
}


ODD = [
    "head_dim",
    "n_layers",
    "num_hidden_layers",
    "model_type",
    "is_decoder",
    "architectures",
    "vocab_size",
    "position_embedding_type",
    "quantization_config",
    "tie_word_embeddings",
]


@st.composite
def contradictions(draw: st.DrawFn, config: Told, names: list[str]) -> tuple[Told, dict[str, str], dict[str, str]]:
    """Another config.json, what becomes of some tensors, and how some are called."""
    said: dict[str, Any] = dict(config)
    for name in draw(st.lists(st.sampled_from(sorted(config)), max_size=2, unique=True)):
        value = draw(FIELD_VALUES)
        if isinstance(said[name], int) and not isinstance(said[name], bool) and draw(st.booleans()):
            value = draw(
                st.sampled_from([said[name] + 1, said[name] - 1, 2 * said[name], said[name] // 2, -said[name]])
            )
        if draw(st.integers(0, 4)) == 0:
            del said[name]
        else:
            said[name] = value
    if draw(st.integers(0, 3)) == 0:
        said[draw(st.sampled_from(ODD))] = draw(FIELD_VALUES)
    some = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    damage = {name: draw(st.sampled_from(sorted(TENSORS))) for name in some}
    others = draw(st.lists(st.sampled_from(names), max_size=1))
    renamed = {name: draw(st.one_of(st.sampled_from(names), st.just(name + ".x"), any_text)) for name in others}
    return said, damage, renamed
