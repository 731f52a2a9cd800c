"""Tiny models whose tokenizers write a word in other ways than plain lower-case WordPiece does."""

from dataclasses import replace

from tiny import TINY, tiny_model
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE, Unigram, WordPiece
from tokenizers.pre_tokenizers import BertPreTokenizer, ByteLevel, Metaspace, Sequence, WhitespaceSplit
from tokenizers.processors import RobertaProcessing, TemplateProcessing
from tokenizers.trainers import BpeTrainer, UnigramTrainer, WordPieceTrainer

from encoder import TextEncoder
from encoder.trace.source import Source

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


READERS = {"byte pairs": byte_pairs, "sentence piece": sentence_piece, "cased": cased_word_piece}


def reader(name: str) -> TextEncoder:
    """A tiny model with a head for words and one of these tokenizers."""
    config = replace(TINY, vocab_size=400, max_positions=64, mlm_head=True)
    return TextEncoder(tiny_model(config), READERS[name](), Source(name))
