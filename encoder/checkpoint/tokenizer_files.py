"""The special tokens of a tokenizer, and whether its ids fit a model."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tokenizers import Tokenizer

from encoder.checkpoint.tensor_files import CheckpointError

# What the tokens that a model adds are called: BERT's names, and RoBERTa's.
KNOWN = {"pad": ("[PAD]", "<pad>"), "mask": ("[MASK]", "<mask>"), "cls": ("[CLS]", "<s>"), "sep": ("[SEP]", "</s>")}
UNKNOWN = ("[UNK]", "<unk>")  # and what stands for a piece that the vocabulary lacks


@dataclass(frozen=True)
class SpecialTokens:
    """The tokens that stand for no word; None where the vocabulary has no such token."""

    pad: str | None = None
    mask: str | None = None
    cls: str | None = None
    sep: str | None = None


def special_tokens(tokenizer: Tokenizer, settings: Mapping[str, Any] = MappingProxyType({})) -> SpecialTokens:
    """Find a tokenizer's special tokens: what its settings say, or else a known name that its vocabulary has.

    Args:
        tokenizer: whose vocabulary is looked at.
        settings: names by kind, such as pad_token.
    """
    special: dict[str, str | None] = {}
    for kind in (field.name for field in fields(SpecialTokens)):
        named = [str(name) for name in (settings.get(f"{kind}_token"), *KNOWN[kind]) if name is not None]
        special[kind] = next((name for name in named if tokenizer.token_to_id(name) is not None), None)
    return SpecialTokens(**special)


def check_pieces(origin: Path | str, tokenizer: Tokenizer, vocab_size: int) -> None:
    """Refuse a tokenizer whose ids go beyond the embedding table."""
    count = max([tokenizer.get_vocab_size(), *(i + 1 for i in tokenizer.get_vocab().values())])
    if count > vocab_size:
        raise CheckpointError(
            f"{origin}: its tokenizer has {count} pieces, more than the vocab_size {vocab_size} of the model"
        )
