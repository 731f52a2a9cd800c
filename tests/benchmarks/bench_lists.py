"""What a list costs, five measures of all heads of `base`: `python tests/benchmarks/bench_lists.py [SENTENCES]`.

Prints the time, the memory that is held beyond the model, and the sizes of the files. Beside it, in turns, the measures
of a sentence together and one by one: a list saves that one run serves all.
"""

import sys
from time import perf_counter

import torch

from encoder import TextEncoder
from encoder.metrics.sentences import SENTENCES
from encoder.pictures.lists import measure
from pages.ui.server import memory

MEASURES = [f"measured?measure={name}" for name in ("entropy", "confidence", "distance", "previous", "self")]


def main(count: int) -> None:
    """Measure so many sentences and print what it took."""
    torch.set_num_threads(1)
    encoder = TextEncoder.from_pretrained("base")
    sentences = [SENTENCES[i % len(SENTENCES)] for i in range(count)]
    measure(encoder, sentences[:5], MEASURES)
    before, start = memory.used(), perf_counter()
    found = measure(encoder, sentences, MEASURES)
    took, held = perf_counter() - start, memory.used() - before
    table = found.table("layer", "head")
    print(f"{count} sentences, {len(table):,} rows of {len(MEASURES)} measures: {took:.1f} s, {held / 1e6:.0f} MB more")
    print(f"{len(table.parquet()) / 1e6:.2f} MB as Parquet, {len(table.npz()) / 1e6:.2f} as npz")
    few = sentences[:50]
    together = alone = 0.0
    for sentence in few:
        start = perf_counter()
        measure(encoder, [sentence], MEASURES)
        together += perf_counter() - start
        start = perf_counter()
        for each in MEASURES:
            measure(encoder, [sentence], [each])
        alone += perf_counter() - start
    print(
        f"five measures of a sentence: {1e3 * together / len(few):.0f} ms; one by one {alone / together:.1f} times that"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
