"""Tries a tokenizer in a process of its own: python probe.py VOCAB_SIZE FILE [FILE].

The files are a tokenizer.json, or a vocab.json and a merges.txt. A tokenizer may expand a text without end, search it
for hours, take all memory while it is read, or end the process that loads it. So that of somebody else is read and
reads a few texts here first, with little memory and time. This file imports nothing of the encoder, to start at once.
It exits with 0 where all works, and with 1 and a sentence on stderr where not.
"""

import json
import sys
from pathlib import Path

MEMORY_OF_JSON, MEMORY = 400_000_000, 650_000_000  # bytes of address space: to look at it, and to load and try it
SECONDS, SECONDS_PER_BYTE = 2, 1e-7  # of a processor
MOST_TOKENS = 200_000  # that the longest probe may become
MOST_PARTS, MOST_DEPTH, MOST_PATTERN, MOST_GROWTH = 400, 12, 2000, 64
TABLES = ("precompiled_charsmap", "special_tokens", "vocab")  # of a part: not searched for
PROBES = (
    "",
    " ",
    "The animal didn't cross the street.",
    "\u4f60\u597d \U0001f642 \ufffd \u0301 \u200f x\u0000y",
    "[CLS] [SEP] [PAD] [MASK] [UNK] <s> </s> <pad> <mask> <unk>",
    "".join(map(chr, range(32, 768))) + " \t\n",
    "a" * 10_000,
    " " * 10_000,
    "1,000.5 " * 500,
    "the old sea keeps " * 500,
)


def look(file: str, vocab_size: int) -> None:
    """Raise a ValueError for a tokenizer.json, or a vocab.json, that holds more than the model or any other needs."""
    try:
        content = json.loads(Path(file).read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise ValueError("it is no JSON object")
    model = content.get("model")
    pieces = model.get("vocab") if isinstance(model, dict) else content
    if isinstance(pieces, dict | list) and len(pieces) > vocab_size:
        raise ValueError(f"it has {len(pieces)} pieces, more than the vocab_size {vocab_size} of the model")
    if why := too_much(content):
        raise ValueError(why)


def too_much(content: dict[str, object]) -> str:
    """What of a tokenizer.json is more than any known tokenizer needs; empty where nothing is."""
    parts = [content.get(name) for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")]
    count, grows, waiting = 0, 1, [(part, 0) for part in parts]
    while waiting:
        part, depth = waiting.pop()
        count += 1
        if count > MOST_PARTS or depth > MOST_DEPTH:
            return f"its normalizer, pre-tokenizer, post-processor and decoder have more than {MOST_PARTS} parts"
        if isinstance(part, dict):
            if part.get("type") == "Replace":
                grows *= max(1, len(str(part.get("content", ""))))
            waiting += [(inside, depth + 1) for name, inside in part.items() if name not in TABLES]
        elif isinstance(part, list):
            waiting += [(inside, depth + 1) for inside in part]
        elif isinstance(part, str) and len(part) > MOST_PATTERN:
            return f"a pattern of it has {len(part):,} characters; at most {MOST_PATTERN:,} are searched for"
    return f"it may make a text {grows} times as long; at most {MOST_GROWTH} times" if grows > MOST_GROWTH else ""


def probe(files: list[str]) -> None:
    """Load the files and read the probes; raises what the tokenizers library raises."""
    from tokenizers import Tokenizer
    from tokenizers.models import BPE

    tokenizer = Tokenizer.from_file(*files) if len(files) == 1 else Tokenizer(BPE.from_file(*files))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    known = max(tokenizer.get_vocab().values(), default=0)
    special = [token.content for token in tokenizer.get_added_tokens_decoder().values()][:20]
    for text in (*PROBES, *special):
        (encoding,) = tokenizer.encode_batch([text], add_special_tokens=False)
        if len(encoding.ids) > MOST_TOKENS:
            raise ValueError(f"a text of {len(text)} characters becomes {len(encoding.ids)} tokens")
        ids = [*encoding.ids, *tokenizer.post_process(encoding).ids, *tokenizer.post_process(encoding, encoding).ids]
        if max(ids, default=0) > known:
            raise ValueError(f"it gives the id {max(ids)}, and its vocabulary ends at {known}")


def limit(memory: int, seconds: int) -> None:
    """Bound this process; where the system knows no such bounds, whoever started it counts the seconds."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def main(vocab_size: int, files: list[str]) -> None:
    """Look at the first file, then load and try all."""
    seconds = SECONDS + round(SECONDS_PER_BYTE * sum(Path(file).stat().st_size for file in files))
    limit(MEMORY_OF_JSON, seconds)
    look(files[0], vocab_size)
    limit(MEMORY, seconds)
    try:
        probe(files)
    except BaseException as error:
        raise ValueError(f"it fails on a short text: {str(error)[:300] or type(error).__name__}") from error


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), sys.argv[2:])
    except MemoryError:
        sys.exit(2)
    except Exception as error:
        sys.exit(str(error))
