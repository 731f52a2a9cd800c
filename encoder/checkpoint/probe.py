"""Tries a tokenizer.json in a process of its own: python probe.py FILE; exits with 0 where it works.

A tokenizer may expand a text without end, search it for hours, or end the process that loads it. So that of somebody
else reads a few texts here first, with little memory and time. This file imports nothing of the encoder, to start at
once.
"""

import sys

MEMORY = 3_000_000_000  # bytes of address space
SECONDS = 6  # of a processor
MOST_TOKENS = 200_000  # that the longest probe may become
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


def probe(file: str) -> None:
    """Load the file and read the probes; raises what the tokenizers library raises."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(file)
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


def limit() -> None:
    """Bound this process; where the system knows no such bounds, whoever started it counts the seconds."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


if __name__ == "__main__":
    limit()
    try:
        probe(sys.argv[1])
    except BaseException as error:
        sys.exit(str(error)[:300] or type(error).__name__)
