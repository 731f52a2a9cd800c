"""Sentence-transformers folders: modules.json and what it names, from tokens' vectors to the vector of a sentence.

What it names and is not followed here is refused by name, because without it the vector would be another one (Reimers
and Gurevych 2019; the files are those of sentence-transformers 2 to 6).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from encoder.checkpoint.folder_reader import SETTINGS as TOKENIZER_SETTINGS
from encoder.checkpoint.tensor_files import CheckpointError, read_any_json, read_json
from encoder.model.config import LONGEST, Pooling

MODULES, SETTINGS, LENGTHS = "modules.json", "config_sentence_transformers.json", "sentence_bert_config.json"
POOLING = "1_Pooling/config.json"  # where it usually is
MOST_BYTES = 2**20  # of each of these files
MOST_PROMPTS, LONGEST_PROMPT = 50, 2000
FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,60}", re.ASCII)
MODES: dict[str, Pooling] = {"mean": "mean", "cls": "cls", "max": "max", "mean_sqrt_len_tokens": "mean_sqrt_len"}
OLDER = {  # the switches of versions before 6, and the mode that each stands for
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
FOLLOWED = "Transformer, Pooling and Normalize"


@dataclass(frozen=True)
class SentenceSettings:
    """What a sentence-transformers folder says beside its encoder.

    `prompts` are prefixes by name, `usual_prompt` the name of the one that stands before every text ("" for none).
    `longest` is the most tokens it reads, where it says so; `similarity` how it compares two vectors.
    """

    pooling: Pooling
    unit_length: bool = False
    prompts: Mapping[str, str] = field(default_factory=dict)
    usual_prompt: str = ""
    longest: int | None = None
    similarity: str = "cosine"


def read_sentence_settings(folder: Path, tokenizer: Tokenizer) -> SentenceSettings | None:
    """What modules.json and the files beside it say; None where the folder has none.

    Raises:
        CheckpointError: a module or a setting that is not followed here, or a damaged file.
    """
    if not (folder / MODULES).is_file():
        return None
    kinds = modules(folder)
    names = [kind for kind, _ in kinds]
    if names not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        strange = [name for name in names if name not in ("Transformer", "Pooling", "Normalize")]
        wrong = f"names {', '.join(strange)}" if strange else f"lists {', '.join(names) or 'nothing'}"
        raise CheckpointError(
            f"{folder / MODULES} {wrong}; followed here are {FOLLOWED}, in this order. Without this file the folder "
            "opens as an encoder that makes no vector of a sentence"
        )
    if kinds[0][1]:
        raise CheckpointError(f"{folder / MODULES} has its Transformer in {kinds[0][1]!r}; move its files up beside it")
    check_case(folder, tokenizer)
    prompts, usual, similarity = read_prompts(folder)
    return SentenceSettings(
        read_pooling(folder / kinds[1][1] / "config.json", bool(prompts)),
        len(kinds) == 3,
        prompts,
        usual,
        read_longest(folder),
        similarity,
    )


def modules(folder: Path) -> list[tuple[str, str]]:
    """The kind of each module and the folder that it is in, in their order."""
    path = folder / MODULES
    rows = read_any_json(path, MOST_BYTES)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CheckpointError(f"{path} holds no list of modules")
    modules_named = []
    for row in rows:
        kind, where = row.get("type"), row.get("path", "")
        if not isinstance(kind, str) or not isinstance(where, str) or (where and not FOLDER.fullmatch(where)):
            raise CheckpointError(f"{path} has a module {kind!r:.80} in {where!r:.80}, which is not a folder beside it")
        modules_named.append((kind.rsplit(".", 1)[-1][:60], where))
    return modules_named


def optional(path: Path) -> dict[str, Any]:
    """The object in a JSON file, an empty one where there is no such file."""
    return read_json(path, MOST_BYTES) if path.is_file() else {}


def read_pooling(path: Path, prompted: bool) -> Pooling:
    """How the vector of the sentence is made; `prompted` tells whether the folder has prefixes."""
    settings = read_json(path, MOST_BYTES)
    modes: Any = settings.get("pooling_mode", [mode for name, mode in OLDER.items() if settings.get(name)] or "mean")
    modes = [modes] if isinstance(modes, str) else modes
    if not isinstance(modes, list) or len(modes) != 1 or not isinstance(modes[0], str) or modes[0] not in MODES:
        named = " with ".join(map(str, modes)) if isinstance(modes, list) else repr(modes)
        raise CheckpointError(f"{path} pools by {named:.80}; followed here is one of {', '.join(MODES)}")
    if prompted and settings.get("include_prompt", True) is not True:
        raise CheckpointError(f"{path} leaves the tokens of the prefix out of the vector, which is not followed here")
    return MODES[modes[0]]


def read_prompts(folder: Path) -> tuple[dict[str, str], str, str]:
    """The prefixes that are not empty, the name of the usual one, and how two vectors are compared."""
    path, settings = folder / SETTINGS, optional(folder / SETTINGS)
    prompts, usual = settings.get("prompts") or {}, settings.get("default_prompt_name") or ""
    texts = isinstance(prompts, dict) and all(isinstance(text, str) for text in prompts.values())
    if not texts or len(prompts) > MOST_PROMPTS or any(len(text) > LONGEST_PROMPT for text in prompts.values()):
        raise CheckpointError(
            f"{path}: prompts must be at most {MOST_PROMPTS} texts by name, each of {LONGEST_PROMPT} characters or less"
        )
    if usual not in ("", *prompts):
        raise CheckpointError(f"{path}: default_prompt_name is {usual!r:.80}; its prompts are {', '.join(prompts)}")
    prefixes = {name: text for name, text in prompts.items() if text}
    return prefixes, usual if usual in prefixes else "", str(settings.get("similarity_fn_name") or "cosine")[:20]


def read_longest(folder: Path) -> int | None:
    """The most tokens that it reads, where it says so: to its own file, or since version 6 to its tokenizer's."""
    most = optional(folder / LENGTHS).get("max_seq_length")
    if most is None:
        longest = optional(folder / TOKENIZER_SETTINGS).get("model_max_length")
        return longest if type(longest) is int and 2 <= longest <= LONGEST else None  # 10^30 stands for no bound
    if type(most) is not int or not 2 <= most <= LONGEST:
        raise CheckpointError(
            f"{folder / LENGTHS}: max_seq_length is {most!r:.40}; it must be a whole number from 2 to {LONGEST}"
        )
    return most


def check_case(folder: Path, tokenizer: Tokenizer) -> None:
    """Refuse a folder that lowers every capital before its tokenizer reads it, unless that does so itself."""
    if optional(folder / LENGTHS).get("do_lower_case"):
        high, low = (tokenizer.encode(text, add_special_tokens=False).ids for text in ("Aa The", "aa the"))
        if high != low:
            raise CheckpointError(f"{folder / LENGTHS}: do_lower_case is true, and the tokenizer tells capitals apart")
