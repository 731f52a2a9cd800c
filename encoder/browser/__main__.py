"""Write a run as a living file: python -m encoder.browser "The capital of France is [MASK]." --out run.html.

The sentences of the library are there without a model; every other one is run.
"""

import argparse
from pathlib import Path

from encoder.browser.living import living_file
from encoder.packet import shipped


def packet(sentence: str, model: str) -> bytes:
    """Level 1 of a run; that of the library where it has one."""
    there = shipped.shipped(sentence) if model == shipped.MODEL else None
    if there is not None:
        return there
    from encoder.packet.run import level_1
    from encoder.text_encoder import TextEncoder

    encoder = TextEncoder.from_pretrained(model)
    return level_1(encoder, encoder.trace(sentence))


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(prog="python -m encoder.browser", description=__doc__)
    parser.add_argument("sentence", nargs="+", help="what the file shows; the first one is shown first")
    parser.add_argument("--model", default=shipped.MODEL)
    parser.add_argument("--title", default="See how an encoder thinks")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    given = parser.parse_args(arguments)
    packets = {sentence: packet(sentence, given.model) for sentence in given.sentence}
    given.out.write_text(living_file(packets, given.title), encoding="utf-8")


if __name__ == "__main__":
    main()
