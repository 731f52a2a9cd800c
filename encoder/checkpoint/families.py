"""Families of checkpoints: how each kind is written down, as families.json says.

A row of it names tables that several families share, and what is its own. A module of theirs that several of ours
share, one below the other, is named with a plus between them: "w_q+w_k+w_v".
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from encoder.checkpoint.family_fields import EXTRA_FIELDS, LABEL_FIELDS, UNNEEDED

REPLACED = "replaced-token head"  # of a model that learned to tell which words were replaced
USUAL: dict[str, Any] = {"activation": "gelu", "norm_eps": 1e-12, "n_segments": 2}  # where a config.json does not say
SCORED = {"classifier": "classifier.output"}
POOLED = {"pooler.dense": "classifier.transform", **SCORED}


@dataclass(frozen=True)
class Family:
    """How one kind of checkpoint is written down."""

    prefix: str
    modules: Mapping[str, str]  # theirs to ours; {i} is a layer
    left_out: Mapping[str, str]  # modules that are not needed, and what they are
    fields: Mapping[str, str]  # ours to theirs
    fixed: Mapping[str, Any] = field(default_factory=dict)  # fields of ours that no field of theirs says
    head_activation: str | None = None
    positions_after_padding: bool = False  # whether the first position is the padding id plus one
    one_segment: bool = False  # whether sentences are not told apart
    usual: Mapping[str, Any] = field(default_factory=lambda: USUAL)  # what an absent field of theirs means
    only: Mapping[str, tuple[tuple[object, ...], str]] = field(default_factory=dict)  # fields of few values, and why
    extra_fields: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None  # what else it says
    head_of_words: str = ""  # the module without which the head serves another task
    # What else one checkpoint does not need, from its config.json and the names of its tensors.
    unneeded: Callable[[Mapping[str, Any], Sequence[str]], dict[str, str]] | None = None
    sentence_head: Mapping[str, str] = field(default_factory=lambda: POOLED)  # of labels: theirs to ours
    token_head: Mapping[str, str] = field(default_factory=lambda: SCORED)
    label_activation: str = "tanh"  # what follows its first map, where it has two
    label_fields: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None  # what a config.json says of it
    code: str = ""  # how classes of code are called that some of them bring, and that is known to compute the same


def read_families() -> dict[str, Family]:
    """Return every family by the types of model that a config.json names."""
    text = Path(__file__).with_name("families.json").read_text(encoding="utf-8")
    tables, rows = json.loads(text)["tables"], json.loads(text)["families"]
    families: dict[str, Family] = {}
    for name, own in rows.items():
        row = {"fields": ["sizes", "bert_fields"]} | rows.get(own.get("like"), {}) | own
        types = [name, *row.pop("also", [])]
        row.pop("like", None)
        for part in ("modules", "left_out", "fields"):
            joined: dict[str, str] = {}
            for table in row[part]:
                joined |= tables[table] if isinstance(table, str) else table
            row[part] = joined
        only = {theirs: (tuple(values), why) for theirs, (values, why) in row.pop("only", {}).items()}
        row |= {"extra_fields": EXTRA_FIELDS.get(name), "label_fields": LABEL_FIELDS.get(name)}
        family = Family(**row, only=only, unneeded=UNNEEDED.get(name))
        families |= dict.fromkeys(types, family)
    return families


FAMILIES = read_families()
