"""Tokenizers on disk: tokenizer.json, or the older vocab.txt (WordPiece) and vocab.json with merges.txt (BPE)."""

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.decoders import WordPiece as WordPieceDecoder
from tokenizers.models import BPE, WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, ByteLevel
from tokenizers.processors import RobertaProcessing, TemplateProcessing

from encoder.checkpoint.tensor_files import CheckpointError, read_json
from encoder.support.errors import EncoderError

TOKENIZER = "tokenizer.json"
SETTINGS, SPECIAL = "tokenizer_config.json", "special_tokens_map.json"
MOST_BYTES = {  # of each file; mmBERT's tokenizer.json of 256,000 pieces has 34 MB, RoBERTa's merges.txt half of one
    TOKENIZER: 40 * 2**20,
    "vocab.txt": 16 * 2**20,
    "vocab.json": 16 * 2**20,
    "merges.txt": 8 * 2**20,
}
BUNDLED = Path(__file__).parents[1] / "pretrained"
PROBE, PROBE_SECONDS = Path(__file__).with_name("probe.py"), 60  # by the clock, where the system counts no others
TOO_MUCH = "it takes too much time or memory, to be read or on a short text"
MOST_VERDICTS = 1000
trying = threading.Lock()  # one file at a time, and each once
verdicts: dict[tuple[int, bytes], str] = {}  # vocab_size and sha256 of a tokenizer -> what is wrong with it
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


def special_tokens(tokenizer: Tokenizer, *settings_of: Mapping[str, Any]) -> SpecialTokens:
    """Find a tokenizer's special tokens: what its settings say, or else a known name that its vocabulary has.

    Args:
        tokenizer: whose vocabulary is looked at.
        settings_of: settings with fields such as pad_token; the first that says something counts.
    """
    special: dict[str, str | None] = {}
    for kind in (field.name for field in fields(SpecialTokens)):
        values = [settings.get(f"{kind}_token") for settings in settings_of]
        names = [value.get("content") if isinstance(value, dict) else value for value in values]
        named = [name for name in (*names, *KNOWN[kind]) if isinstance(name, str)]
        special[kind] = next((name for name in named if tokenizer.token_to_id(name) is not None), None)
    return SpecialTokens(**special)


def read_tokenizer(folder: Path, vocab_size: int) -> tuple[Tokenizer, SpecialTokens]:
    """The tokenizer of a folder, checked against the size of the embedding table, and its special tokens.

    Raises:
        CheckpointError: there is none, it is damaged, or its ids go beyond the table.
    """
    settings = read_json(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
    special = read_json(folder / SPECIAL) if (folder / SPECIAL).is_file() else {}
    kind = next((files for files in READERS if all((folder / name).is_file() for name in files)), None)
    if kind is None:
        choices = ", or ".join(" and ".join(files) for files in READERS)
        mend = (
            "; transformers makes one of its spm.model: AutoTokenizer.from_pretrained(folder).save_pretrained(folder)"
        )
        raise CheckpointError(
            f"{folder} has no {TOKENIZER}; it must hold {choices}" + mend * (folder / "spm.model").is_file()
        )
    path = folder / kind[0]
    for name in kind:
        if (size := (folder / name).stat().st_size) > MOST_BYTES[name]:
            raise CheckpointError(f"{folder / name} has {size:,} bytes; at most {MOST_BYTES[name]:,} are read")
    if not path.resolve().is_relative_to(BUNDLED.resolve()):
        TRIALS.get(kind, tried)([folder / name for name in kind], vocab_size)
    try:
        tokenizer = READERS[kind](folder, settings)
    except BaseException as error:  # the library raises bare Exception, and panics that are none
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise CheckpointError(f"{path} is not a tokenizer: {error}") from error
        raise
    tokenizer.no_padding()
    tokenizer.no_truncation()
    check_pieces(path, max([tokenizer.get_vocab_size(), *(i + 1 for i in tokenizer.get_vocab().values())]), vocab_size)
    return tokenizer, special_tokens(tokenizer, special, settings)


def check_pieces(path: Path | str, count: int, vocab_size: int) -> None:
    """Refuse a vocabulary that goes beyond the embedding table."""
    if count > vocab_size:
        raise CheckpointError(f"{path} has {count} pieces, more than the vocab_size {vocab_size} of the model")


def lines_counted(files: Sequence[Path], vocab_size: int) -> None:
    """Refuse a vocab.txt of more pieces, one in each line, than the embedding table has rows."""
    content = files[0].read_bytes()
    check_pieces(files[0], content.count(b"\n") + (not content.endswith(b"\n")), vocab_size)


def tried(files: Sequence[Path], vocab_size: int) -> None:
    """Refuse files that, in another process, fail or take too long or too much memory: read first, then on some texts.

    What they may hold is bounded before they are read: the number of their pieces and parts, and the length of what
    they search for or put in.
    """
    contents = [file.read_bytes() for file in files]
    digest = hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).digest()
    key = vocab_size, digest
    with trying:
        if key not in verdicts:
            while len(verdicts) >= MOST_VERDICTS:
                del verdicts[next(iter(verdicts))]
            verdicts[key] = verdict(contents, vocab_size)
        problem = verdicts[key]
    if problem:
        raise CheckpointError(f"{files[0]} is not a tokenizer that can be used: {problem}")


def verdict(contents: Sequence[bytes], vocab_size: int) -> str:
    """What is wrong with the tokenizer in these files, tried in a process of its own; empty where nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / str(i) for i in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            file.write_bytes(content)
        command = [sys.executable, str(PROBE), str(vocab_size), *map(str, files)]
        quiet = dict(os.environ) | {"RUST_BACKTRACE": "0", "RAYON_NUM_THREADS": "1"}
        try:
            done = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, env=quiet)
        except subprocess.TimeoutExpired:
            return f"it is not read, with a few short texts, within {PROBE_SECONDS} seconds"
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:230] if done.returncode == 1 and lines else TOO_MUCH


def whole(folder: Path, settings: Mapping[str, Any]) -> Tokenizer:
    """A tokenizer.json says everything by itself."""
    return Tokenizer.from_file(str(folder / TOKENIZER))


def word_piece(folder: Path, settings: Mapping[str, Any]) -> Tokenizer:
    """BERT's tokenizer (Devlin et al. 2019) around a vocab.txt, one piece in each line."""
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    vocabulary = {piece.rstrip("\r"): i for i, piece in enumerate(pieces) if piece or i < len(pieces) - 1}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),
        lowercase=settings.get("do_lower_case", True),
    )
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.decoder = WordPieceDecoder()
    special = special_tokens(tokenizer, settings)
    cls, sep = needed(special, "cls"), needed(special, "sep")
    tokenizer.post_processor = TemplateProcessing(
        single=f"{cls} $A {sep}",
        pair=f"{cls} $A {sep} $B:1 {sep}:1",
        special_tokens=[(cls, vocabulary[cls]), (sep, vocabulary[sep])],
    )
    unknown = ["[UNK]"] if "[UNK]" in vocabulary else []
    tokenizer.add_special_tokens([*unknown, *(name for name in vars(special).values() if name)])
    return tokenizer


def byte_pairs(folder: Path, settings: Mapping[str, Any]) -> Tokenizer:
    """RoBERTa's tokenizer (Liu et al. 2019): byte pairs of a vocab.json, joined as merges.txt says."""
    tokenizer = Tokenizer(BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=settings.get("add_prefix_space", False))
    tokenizer.decoder = ByteLevelDecoder()
    special, vocabulary = special_tokens(tokenizer, settings), tokenizer.get_vocab()
    cls, sep = ((name, vocabulary[name]) for name in (needed(special, "cls"), needed(special, "sep")))
    tokenizer.post_processor = RobertaProcessing(sep, cls, add_prefix_space=settings.get("add_prefix_space", False))
    names = [name for name in vars(special).values() if name]
    tokenizer.add_special_tokens([AddedToken(name, lstrip=name == special.mask, special=True) for name in names])
    return tokenizer


def needed(special: SpecialTokens, kind: str) -> str:
    """A special token that a sentence cannot be without."""
    name: str | None = getattr(special, kind)
    if name is None:
        raise EncoderError(f"its vocabulary has none of {', '.join(KNOWN[kind])}")
    return name


Trial = Callable[[Sequence[Path], int], None]
TRIALS: dict[tuple[str, ...], Trial] = {("vocab.txt",): lines_counted}  # what is looked at before; the others are tried
READERS: dict[tuple[str, ...], Callable[[Path, Mapping[str, Any]], Tokenizer]] = {
    (TOKENIZER,): whole,
    ("vocab.txt",): word_piece,
    ("vocab.json", "merges.txt"): byte_pairs,
}
