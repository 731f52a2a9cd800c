"""Write a run as a living file: python -m encoder.browser "The capital of France is [MASK]." --out run.html.

It shows Start, and Attention of as many of its sentences as fit into 2 MB. `--attention` holds that of all, however
large the file becomes, `--no-attention` of none; then the sentences of the library are there without a model.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

from encoder.browser.living import living_file
from encoder.packet import shipped

MOST = 2_000_000  # characters of a file that holds attention without being asked to


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(prog="python -m encoder.browser", description=__doc__)
    parser.add_argument("sentence", nargs="+", help="what the file shows; the first one is shown first")
    parser.add_argument("--model", default=shipped.MODEL)
    parser.add_argument("--title", default="See how an encoder thinks")
    parser.add_argument("--attention", action=argparse.BooleanOptionalAction, help="hold the page Attention too")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    given = parser.parse_args(arguments)
    bare = given.model == shipped.MODEL and given.attention is False
    there = {sentence: shipped.shipped(sentence) if bare else None for sentence in given.sentence}
    packets = {sentence: packet for sentence, packet in there.items() if packet is not None}
    if len(packets) == len(there):
        file = living_file(packets, given.title)
    else:
        file = made(given.sentence, given.model, given.title, given.attention)
    given.out.write_text(file, encoding="utf-8")


def made(sentences: Iterable[str], model: str, title: str, attention: bool | None) -> str:
    """A file of runs that are made now, with their attention: of all, of none, or of as many as fit."""
    from encoder.packet.run import level_1, level_2
    from encoder.text_encoder import TextEncoder

    encoder = TextEncoder.from_pretrained(model)
    traces = {sentence: encoder.trace(sentence) for sentence in sentences}
    packets = {sentence: level_1(encoder, trace) for sentence, trace in traces.items()}
    file = living_file(packets, title)
    if attention is False:
        return file
    layers: dict[str, list[bytes]] = {}
    for sentence, trace in traces.items():
        more = layers | {sentence: [level_2(trace, layer) for layer in range(trace.config.n_layers)]}
        larger = living_file(packets, title, more)
        if attention or len(larger) <= MOST:
            file, layers = larger, more
    return file


if __name__ == "__main__":
    main()
