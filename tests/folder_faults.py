"""Checkpoint folders that are dear to read: each change makes one of a folder that is in good order.

What else may be wrong with a folder stands in test_checkpoint, test_hugging_face_files and test_strange_folders.
"""

import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from twins import Change

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def text(name: str, change: Callable[[str], str]) -> Change:
    """Another text in a file."""

    def damage(folder: Path) -> None:
        (folder / name).write_text(change((folder / name).read_text()), encoding="utf-8", errors="surrogatepass")

    return damage


def told(names: tuple[str, ...], value: Any) -> Change:
    """Another value in those fields of config.json that are there; the first name where none is."""

    def change(raw: str) -> str:
        config = json.loads(raw)
        there = [name for name in names if name in config] or names[:1]
        return json.dumps(config | dict.fromkeys(there, value))

    return text(CONFIG, change)


def added(name: str, content: str) -> Change:
    """A file more."""

    def damage(folder: Path) -> None:
        (folder / name).write_text(content)

    return damage


def removed(name: str) -> Change:
    """A file less."""
    return lambda folder: (folder / name).unlink()


def short_words(count: int) -> Iterator[str]:
    """Different pieces of few letters."""
    yield from MARKS
    for i in range(count - len(MARKS)):
        yield f"{i:x}"


def vocabulary_in_lines(count: int, line: Callable[[str], str] = str) -> Change:
    """A vocab.txt of so many pieces in place of the tokenizer."""

    def damage(folder: Path) -> None:
        removed(TOKENIZER)(folder)
        (folder / "vocab.txt").write_text("\n".join(map(line, short_words(count))))

    return damage


def byte_pairs(count: int, merges: str, times: int) -> Change:
    """A vocab.json of so many pieces and a merges.txt of so many lines in place of the tokenizer."""

    def damage(folder: Path) -> None:
        removed(TOKENIZER)(folder)
        (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(short_words(count))}))
        (folder / "merges.txt").write_text(merges * times)

    return damage


def header(count: int, name: str = "t{}") -> Change:
    """Weights whose header names so many tensors of nothing."""

    def damage(folder: Path) -> None:
        of_one = '{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
        content = ("{" + ",".join(f'"{name.format(i)}":{of_one}' for i in range(count)) + "}").encode()
        (folder / WEIGHTS).write_bytes(struct.pack("<Q", len(content)) + content)

    return damage


def hollow(shape: tuple[int, ...]) -> Change:
    """Weights of a tensor more, of zeros that take no room on the disk."""

    def damage(folder: Path) -> None:
        numbers = 1
        for size in shape:
            numbers *= size
        of_one = {"dtype": "F32", "shape": shape, "data_offsets": [0, 4 * numbers]}
        content = json.dumps({"bert.embeddings.word_embeddings.weight": of_one}).encode()
        with (folder / WEIGHTS).open("wb") as file:
            file.write(struct.pack("<Q", len(content)) + content)
            file.truncate(8 + len(content) + 4 * numbers)

    return damage


def index(size: int) -> Change:
    """An index of shards of about so many bytes."""

    def damage(folder: Path) -> None:
        (folder / WEIGHTS).rename(folder / "a.safetensors")
        named = ",".join(f'"{i}":"a.safetensors"' for i in range(size // 25))
        (folder / "model.safetensors.index.json").write_text('{"weight_map":{' + named + "}}")

    return damage


def pieces(count: int, kind: str) -> Change:
    """A tokenizer.json of so many pieces."""

    def damage(folder: Path) -> None:
        raw = json.loads((folder / TOKENIZER).read_text())
        words = list(short_words(count))
        model: dict[str, Any] = {"type": kind, "vocab": [[word, -1.0] for word in words], "unk_id": 1}
        if kind == "WordLevel":
            model = {"type": kind, "vocab": {word: i for i, word in enumerate(words)}, "unk_token": "[UNK]"}
        (folder / TOKENIZER).write_text(json.dumps(raw | {"model": model}, separators=(",", ":")))

    return damage


def both(*changes: Change) -> Change:
    """Several faults at once."""

    def damage(folder: Path) -> None:
        for change in changes:
            change(folder)

    return damage


DEAR: dict[str, Change] = {  # what takes time or memory where it is read before it is bounded; of a BERT
    "8-million-lines": vocabulary_in_lines(8_000_000),
    "1-million-lines": vocabulary_in_lines(1_000_000),
    "as-many-lines-as-claimed": both(vocabulary_in_lines(1_000_000), told(("vocab_size",), 1_000_000)),
    "empty-lines": vocabulary_in_lines(1_500_000, lambda _: ""),
    "merges-of-60-mb": byte_pairs(50, "a b\n", 15_000_000),
    "merges-of-8-mb": byte_pairs(50, "a b\n", 2_000_000),
    "1-million-pairs": byte_pairs(1_000_000, "0 1\n", 2_000_000),
    "1-million-pairs-as-claimed": both(byte_pairs(1_000_000, "0 1\n", 2_000_000), told(("vocab_size",), 1_000_000)),
    "a-million-tensors": header(1_000_000),
    "80000-tensors": header(75_000),
    "20000-tensors": header(20_000),
    "long-names-of-tensors": header(30, "x" * 130_000 + "{}"),
    "index-of-16-mb": index(16_000_000),
    "index-of-4-mb": index(4_000_000),
    "3-gib-of-zeros": hollow((800_000, 1000)),
    "tokenizer-of-2500000-pieces": pieces(2_500_000, "Unigram"),
    "tokenizer-of-1-million-pieces": pieces(1_000_000, "Unigram"),
    "tokenizer-of-400000-pieces": pieces(400_000, "Unigram"),
    "tokenizer-of-1-million-words": pieces(1_000_000, "WordLevel"),
    "tokenizer-too-long": text(TOKENIZER, lambda raw: raw + " " * 41_943_040),
    "tokenizer-of-lists": text(TOKENIZER, lambda raw: raw[:-1] + ',"x":[' + "[0]," * 9_000_000 + "0]}"),
    "tokenizer-of-depth": text(TOKENIZER, lambda raw: raw[:-1] + ',"x":' + "[" * 9_000_000),
    "settings-of-numbers": added("tokenizer_config.json", '{"x":[' + "1," * 500_000 + "1]}"),
    "config-of-names": text(CONFIG, lambda raw: raw[:-1] + "".join(f',"a{i}":1' for i in range(80_000)) + "}"),
}
