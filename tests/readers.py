"""Tiny models whose tokenizers write a word in other ways than plain lower-case WordPiece does."""

import json
from dataclasses import replace

from tiny import TINY, tiny_model
from tokenizers import AddedToken, Tokenizer, decoders
from tokenizers.decoders import ByteFallback
from tokenizers.models import BPE, Unigram, WordPiece
from tokenizers.normalizers import Replace
from tokenizers.pre_tokenizers import (
    BertPreTokenizer,
    ByteLevel,
    Metaspace,
    Punctuation,
    Sequence,
    Split,
    WhitespaceSplit,
)
from tokenizers.processors import RobertaProcessing, TemplateProcessing
from tokenizers.trainers import BpeTrainer, UnigramTrainer, WordPieceTrainer

from encoder import TextEncoder
from encoder.trace.trace import Source

TEXTS = (
    "The capital of France is Paris.",
    "Paris is the capital of France.",
    "I was born in Paris, and I live in Rome.",
    "The city of Rome is the capital of Italy.",
)
BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True, special=True))


def byte_pairs() -> Tokenizer:
    """RoBERTa's way: "Paris" begins a text, "ĠParis" follows a space."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    letters = ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=340, special_tokens=[*ROBERTA], initial_alphabet=letters, show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 9, trainer)
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def sentence_piece() -> Tokenizer:
    """The way of XLM-R and ALBERT: "▁Paris", and what stands between two spaces is one word for the tokenizer."""
    tokenizer = Tokenizer(Unigram())
    tokenizer.pre_tokenizer = Sequence([WhitespaceSplit(), Metaspace()])
    trainer = UnigramTrainer(vocab_size=70, special_tokens=[*ROBERTA], unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 9, trainer)
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def cased_word_piece() -> Tokenizer:
    """The way of BERT's cased models."""
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.train_from_iterator(
        TEXTS * 9, WordPieceTrainer(vocab_size=90, special_tokens=[*BERT], show_progress=False)
    )
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


BYTES = [f"<0x{i:02X}>" for i in range(256)]  # pieces for what has none


def with_bytes() -> Tokenizer:
    """Unigram whose letters without a piece are read byte by byte: "é" is "<0xC3>" and "<0xA9>"."""
    trained = json.loads(sentence_piece().to_str())["model"]
    known = [(piece, score) for piece, score in trained["vocab"]]
    tokenizer = Tokenizer(Unigram(known + [(byte, -20.0) for byte in BYTES], trained["unk_id"], True))
    tokenizer.pre_tokenizer, tokenizer.decoder = Metaspace(), decoders.Sequence([ByteFallback(), decoders.Metaspace()])
    return closed(tokenizer)


def one_stretch() -> Tokenizer:
    """The way of mmBERT: spaces become "▁" first, so that the tokenizer itself has one word for a whole text."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = Sequence([Metaspace(prepend_scheme="never"), Punctuation()])
    tokenizer.train_from_iterator(TEXTS * 9, BpeTrainer(vocab_size=90, special_tokens=[*ROBERTA], show_progress=False))
    trained = json.loads(tokenizer.to_str())["model"]
    known = trained["vocab"] | {byte: len(trained["vocab"]) + i for i, byte in enumerate(BYTES)}
    merges = [tuple(pair) for pair in trained["merges"]]
    tokenizer = Tokenizer(BPE(known, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Replace(" ", "\u2581"), Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), ByteFallback(), decoders.Fuse()])
    return closed(tokenizer)


def closed(tokenizer: Tokenizer) -> Tokenizer:
    """With RoBERTa's tokens around every text."""
    tokenizer.add_special_tokens([*ROBERTA])
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


READERS = {
    "byte pairs": byte_pairs,
    "sentence piece": sentence_piece,
    "cased": cased_word_piece,
    "with bytes": with_bytes,
    "one stretch": one_stretch,
}


def reader(name: str) -> TextEncoder:
    """A tiny model with a head for words and one of these tokenizers."""
    config = replace(TINY, vocab_size=400, max_positions=64, mlm_head=True)
    return TextEncoder(tiny_model(config), READERS[name](), Source(name))
