"""What a list costs, five measures of all heads of `base`: python tests/benchmarks/bench_lists.py [--check].

The time, the memory that is held beyond the model, and the sizes of the files. Beside it, in turns, the measures of a
sentence together and one by one: a list saves that one run serves all.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "benchmarks")]

from figures import Figure, finish  # noqa: E402

from encoder import TextEncoder  # noqa: E402
from encoder.metrics.sentences import SENTENCES  # noqa: E402
from encoder.pictures.lists import measure  # noqa: E402
from pages.ui.server import memory  # noqa: E402

MEASURES = [f"measured?measure={name}" for name in ("entropy", "confidence", "distance", "previous", "self")]
COUNT, FEW = 1000, 50  # sentences of the list, and of those that are measured alone
MINUTES, MEGABYTES, SHARE = 3.0, 256.0, 1.0  # of a list, beyond the model, and of the time of measures one by one


def alone(encoder: TextEncoder, sentence: str, asked: list[str]) -> float:
    """Seconds that measures of one sentence take."""
    start = perf_counter()
    measure(encoder, [sentence], asked)
    return perf_counter() - start


def main() -> int:
    """Measure the list and print what it took; return the exit status."""
    parser = argparse.ArgumentParser(description="What a list costs.")
    parser.add_argument("--sentences", type=int, default=COUNT)
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    options = parser.parse_args()
    torch.set_num_threads(1)
    encoder = TextEncoder.from_pretrained("base")
    sentences = [SENTENCES[i % len(SENTENCES)] for i in range(options.sentences)]
    measure(encoder, sentences[:5], MEASURES)
    before, start = memory.used(), perf_counter()
    found = measure(encoder, sentences, MEASURES)
    took, held = perf_counter() - start, memory.used() - before
    table = found.table("layer", "head")
    sizes = f"{len(table.parquet()) / 1e6:.2f} MB as Parquet, {len(table.npz()) / 1e6:.2f} as npz"
    together = sum(alone(encoder, one, MEASURES) for one in sentences[:FEW])
    singly = sum(alone(encoder, one, [each]) for one in sentences[:FEW] for each in MEASURES)
    return finish(
        [
            Figure(f"{len(sentences):,} sentences, 48 heads, five measures", took / 60, MINUTES, "min", sizes),
            Figure("memory beyond the model", held / 1e6, MEGABYTES, "MB", f"{len(table):,} rows"),
            Figure("five measures together, over one by one", together / singly, SHARE, "", "of 1.0"),
        ],
        options.check,
    )


if __name__ == "__main__":
    sys.exit(main())
