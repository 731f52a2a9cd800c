"""Tries a tokenizer in a process of its own: python probe.py FILE [FILE]; prints how many ids it needs.

The files are a tokenizer.json, or a vocab.json and a merges.txt. A tokenizer may expand a text without end, search it
for hours, take all memory while it is read, or end the process that loads it. So that of somebody else is read and
reads a few texts here first, with little memory and time. This file imports nothing of the encoder, to start at once.
It exits with 0 where all works, and with 1 and a sentence on stderr where not.
"""

import json
import sys
from pathlib import Path

MEMORY = 800_000_000  # bytes of address space; the 250,000 pieces of XLM-RoBERTa take 520 MB
SECONDS, SECONDS_PER_BYTE = 2, 1e-7  # of a processor; a file of 37 MB takes 1.5
MOST_TOKENS = 200_000  # that the longest probe may become
MOST_PIECES = 1_000_000
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


def bounded(file: str) -> None:
    """Raise a ValueError for a tokenizer.json that holds more than any known tokenizer needs."""
    try:
        told = json.loads(Path(file).read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON: {error}") from error
    if why := too_much(told):
        raise ValueError(why)


def too_much(told: object) -> str:
    """What of a tokenizer.json is more than any known tokenizer needs; empty where nothing is."""
    if not isinstance(told, dict):
        return "it is no JSON object"
    model = told.get("model")
    pieces = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(pieces, dict | list) and len(pieces) > MOST_PIECES:
        return f"its vocabulary has {len(pieces):,} pieces; at most {MOST_PIECES:,} are read"
    parts = [told.get(name) for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")]
    count, grows, waiting = 0, 1, [(part, 0) for part in parts]
    while waiting:
        part, depth = waiting.pop()
        count += 1
        if count > MOST_PARTS or depth > MOST_DEPTH:
            return f"its normalizer, pre-tokenizer, post-processor and decoder have more than {MOST_PARTS} parts"
        if isinstance(part, dict):
            if part.get("type") == "Replace":
                grows *= max(1, len(str(part.get("content", ""))))
            waiting += [(one, depth + 1) for name, one in part.items() if name not in TABLES]
        elif isinstance(part, list):
            waiting += [(one, depth + 1) for one in part]
        elif isinstance(part, str) and len(part) > MOST_PATTERN:
            return f"a pattern of it has {len(part):,} characters; at most {MOST_PATTERN:,} are searched for"
    return f"it may make a text {grows} times as long; at most {MOST_GROWTH} times" if grows > MOST_GROWTH else ""


def probe(files: list[str]) -> int:
    """Load the files, read the probes, and return how many ids the vocabulary needs.

    Raises what the tokenizers library raises.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import BPE

    tokenizer = Tokenizer.from_file(*files) if len(files) == 1 else Tokenizer(BPE.from_file(*files))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    known = max(tokenizer.get_vocab().values(), default=0)
    special = [token.content for token in tokenizer.get_added_tokens_decoder().values()][:20]
    for text in (*PROBES, *special):
        (found,) = tokenizer.encode_batch([text], add_special_tokens=False)
        if len(found.ids) > MOST_TOKENS:
            raise ValueError(f"a text of {len(text)} characters becomes {len(found.ids)} tokens")
        ids = [*found.ids, *tokenizer.post_process(found).ids, *tokenizer.post_process(found, found).ids]
        if max(ids, default=0) > known:
            raise ValueError(f"it gives the id {max(ids)}, and its vocabulary ends at {known}")
    return max(tokenizer.get_vocab_size(), known + 1)


def limit(size: int) -> None:
    """Bound this process for files of so many bytes.

    Where the system knows no such bounds, whoever started it counts the seconds.
    """
    try:
        import resource
    except ImportError:
        return
    seconds = SECONDS + round(size * SECONDS_PER_BYTE)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


if __name__ == "__main__":
    limit(sum(Path(file).stat().st_size for file in sys.argv[1:]))
    fails = ""
    try:
        if len(sys.argv) == 2:
            bounded(sys.argv[1])
        fails = "it fails on a short text: "
        print(probe(sys.argv[1:]))
    except MemoryError:
        sys.exit(2)
    except BaseException as error:
        sys.exit(f"{fails}{str(error)[:300] or type(error).__name__}")
