"""Reads what stands beside the weights of a folder, in a process of its own: python reading_process.py.

A configuration and a tokenizer of somebody else may be of any kind, expand a text without end, search it for hours,
take all memory, or end the process that loads them. So they are read here: by transformers, which knows what every
field of every kind means, or by the package tokenizers alone, where the folder is in our own layout; and then the
tokenizer reads a few short texts. Each folder is read in a fork with little memory and time, of a process that has
imported transformers once (without torch, which it needs for models alone) and ends after a while without work. This
file imports nothing of the encoder, to start at once.

Each line on stdin is a request, {"folder": where the files are, "theirs": whether they are in Hugging Face's layout,
"vocab_size": rows of the table, or null}. An empty line on stdout says that it is done: the folder then holds RESULT,
unless too much time or memory was needed.
"""

import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

RESULT = "read.json"
MEMORY = 2_500_000_000  # bytes of address space; a tokenizer of 256,000 pieces takes less than half of it
SECONDS, SECONDS_PER_BYTE = 6, 5e-7  # of a processor
WALL = 60  # seconds by the clock
IDLE = 60  # seconds without work after which the process ends
MOST_TOKENS = 200_000  # that the longest probe may become
MOST_LISTS = 2_000_000  # of a JSON file, which take 60 bytes and more each; a piece with its score is one
MOST_PARTS, MOST_DEPTH, MOST_PATTERN, MOST_GROWTH = 400, 12, 2000, 64
LONGEST_MESSAGE = 300
TABLES = ("precompiled_charsmap", "special_tokens", "vocab")  # of a part: not searched for
TOO_MUCH = "its configuration or its tokenizer takes too much time or memory, to be read or on a short text"
NO_TRANSFORMERS = "reading it needs the package transformers: pip install transformers"
NO_SENTENCEPIECE = (
    "it has no tokenizer.json, and its vocabulary is not one that the package sentencepiece reads here; "
    "AutoTokenizer.from_pretrained(folder).save_pretrained(folder) writes a tokenizer.json where it does"
)
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


class RefusedError(Exception):
    """What is wrong with a folder, as a sentence."""


def json_in(path: Path) -> Any:
    """What a JSON file holds; None where there is no such file."""
    if not path.is_file():
        return None
    raw = path.read_bytes()
    if (count := raw.count(b"[") + raw.count(b"{")) > MOST_LISTS:
        raise RefusedError(f"{path.name} holds {count:,} lists and objects; at most {MOST_LISTS:,} are read here")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{path.name} is not JSON: {error}") from error


def look(folder: Path, vocab_size: int | None) -> None:
    """Refuse, before it is loaded, a vocabulary that holds more than the model or any other needs."""
    content = json_in(folder / "tokenizer.json")
    if content is not None and not isinstance(content, dict):
        raise RefusedError("tokenizer.json is not a JSON object")
    model = (content or {}).get("model")
    pieces = model.get("vocab") if isinstance(model, dict) else None
    counts = {"tokenizer.json": len(pieces) if isinstance(pieces, dict | list) else 0}
    if content is None:
        pairs, lines = json_in(folder / "vocab.json"), folder / "vocab.txt"
        counts["vocab.json"] = len(pairs) if isinstance(pairs, dict) else 0
        counts["vocab.txt"] = len(lines.read_bytes().rstrip(b"\n").split(b"\n")) if lines.is_file() else 0
    for name, count in counts.items():
        if vocab_size is not None and count > vocab_size:
            raise RefusedError(f"{name} has {count} pieces, more than the vocab_size {vocab_size} of the model")
    if why := too_much(content or {}):
        raise RefusedError(f"tokenizer.json cannot be used: {why}")


def too_much(content: dict[str, Any]) -> str:
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


def probe(tokenizer: Any) -> None:
    """Let a tokenizer read short texts; raises what the package tokenizers raises."""
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


def read_own(folder: Path) -> dict[str, Any]:
    """The tokenizer.json of a folder in our own layout, which says everything by itself."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except BaseException as error:  # the library raises bare Exception, and panics that are none
        raise RefusedError(f"tokenizer.json is not a tokenizer: {error}") from error
    return {"tokenizer": tokenizer}


def read_theirs(folder: Path) -> dict[str, Any]:
    """The configuration and the tokenizer of a folder in Hugging Face's layout, as transformers reads them."""
    from transformers import CONFIG_MAPPING, AutoConfig, AutoTokenizer, PreTrainedConfig
    from transformers.tokenization_utils_tokenizers import TokenizersBackend

    known = json_in(folder / "config.json").get("model_type") in CONFIG_MAPPING
    reads = AutoConfig if known else PreTrainedConfig
    try:
        config = reads.from_pretrained(folder, local_files_only=True)
    except Exception as error:
        raise RefusedError(f"transformers cannot read its config.json: {one_line(error)}") from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, config=config, local_files_only=True, trust_remote_code=False)
    except BaseException as error:  # the package tokenizers raises panics that are no Exception
        models = [file for file in folder.iterdir() if file.suffix == ".model"]
        if models and "tiktoken" in str(error):  # transformers takes for that what sentencepiece does not read
            raise RefusedError(NO_SENTENCEPIECE) from error
        settings = json_in(folder / "tokenizer_config.json") or {}
        named = settings.get("tokenizer_class") if isinstance(settings, dict) else None
        called = f", a {named:.80}" if isinstance(named, str) else ""
        raise RefusedError(f"transformers cannot read its tokenizer{called}: {one_line(error)}") from error
    if not isinstance(tokenizer, TokenizersBackend):
        raise RefusedError(
            f"its tokenizer is a {type(tokenizer).__name__}, which is written in Python; here a tokenizer must have a "
            "form in tokenizer.json"
        )
    wanted = {name for kind, name in type(tokenizer).vocab_files_names.items() if kind != "tokenizer_file"}
    there = {file.name for file in folder.iterdir()}
    if "tokenizer.json" not in there and not wanted <= there:  # transformers would go on with an empty vocabulary
        raise RefusedError(
            f"its tokenizer is a {type(tokenizer).__name__}, which needs a tokenizer.json"
            + (f", or {' and '.join(sorted(wanted))}" if wanted else "")
        )
    return {
        "config": json.loads(config.to_json_string(use_diff=False)),
        "tokenizer": tokenizer.backend_tokenizer,
        "special": dict(tokenizer.special_tokens_map),
    }


def one_line(error: BaseException) -> str:
    """What an error says, in a line that is not too long."""
    return " ".join(str(error).split())[:LONGEST_MESSAGE] or type(error).__name__


def read(folder: Path, theirs: bool, vocab_size: int | None) -> dict[str, Any]:
    """What a folder holds beside its weights, or under "wrong" a sentence that says why it cannot be used."""
    try:
        look(folder, vocab_size)
        parts = read_theirs(folder) if theirs else read_own(folder)
        try:
            probe(parts["tokenizer"])
        except BaseException as error:
            raise RefusedError(f"its tokenizer fails on a short text: {one_line(error)}") from error
    except RefusedError as error:
        return {"wrong": str(error)}
    return parts | {"tokenizer": parts["tokenizer"].to_str()}


def bounded(size: int) -> None:
    """Bound this process; where the system knows no such bounds, whoever started it counts the seconds."""
    try:
        import resource
    except ImportError:
        return
    seconds = SECONDS + round(SECONDS_PER_BYTE * size)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def answer(request: dict[str, Any]) -> None:
    """Read a folder and write what was found into it, within the bounds of one request."""
    folder = Path(request["folder"])
    try:
        bounded(sum(file.stat().st_size for file in folder.iterdir()))
        answered = json.dumps(read(folder, request["theirs"], request["vocab_size"]))
    except MemoryError:
        return  # nothing is written
    (folder / f"{RESULT}.part").write_text(answered)
    (folder / f"{RESULT}.part").rename(folder / RESULT)


def answer_apart(request: dict[str, Any]) -> None:
    """Answer in a fork, which is ended after a time."""
    process = os.fork()
    if not process:
        try:
            answer(request)
        finally:
            os._exit(0)
    until = time.monotonic() + WALL
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return
        time.sleep(0.005)


def main() -> None:
    """Answer requests until there are no more, or none has come for a while."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    sys.modules["torch"] = None  # type: ignore[assignment]  # is not looked for, and takes longest to import
    forks = hasattr(os, "fork")  # where not, it reads one folder: its bounds hold for no more
    while not forks or select.select([sys.stdin], [], [], IDLE)[0]:
        line = sys.stdin.readline()
        if not line:
            return
        request = json.loads(line)
        if request["theirs"] and not is_warm():
            (Path(request["folder"]) / RESULT).write_text(json.dumps({"wrong": NO_TRANSFORMERS}))
        else:
            (answer_apart if forks else answer)(request)
        print(file=answers, flush=True)
        if not forks:
            return


def is_warm() -> bool:
    """Import what every folder needs, before the fork, so that each has it at once; whether it can be had."""
    try:
        from transformers import CONFIG_MAPPING, AutoConfig, AutoTokenizer  # noqa: F401
        from transformers.models.bert import BertConfig, BertTokenizer  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main()
