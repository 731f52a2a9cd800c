"""What an examination costs: python tests/benchmarks/bench_exam.py [--check].

`base` on the 1,000 sentences of PUD, every head, relation and direction and the gaps, in a process of its own with two
threads: seconds, and the largest memory that the process ever had.
"""

import argparse
import resource
import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from figures import Figure, finish  # noqa: E402

from encoder import TextEncoder  # noqa: E402
from encoder.exam import Treebank, bundled_treebanks, examine  # noqa: E402

SECONDS, GIGABYTES = 60.0, 1.5


def figures(sentences: int = 1000) -> list[Figure]:
    """Every figure with its bar, over so many sentences."""
    torch.set_num_threads(2)
    encoder, bank = TextEncoder.from_pretrained("base"), bundled_treebanks()[0]
    start = perf_counter()
    exam = examine(encoder, Treebank(bank.name, bank.trees[:sentences]))
    took = perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return [
        Figure(f"base on {exam.treebanks[0].sentences:,} sentences, all relations", took, SECONDS, "s"),
        Figure("the largest memory of the process", memory, GIGABYTES, "GB"),
    ]


def main() -> int:
    """Print the figures with their bars; return the exit status."""
    parser = argparse.ArgumentParser(description="What an examination costs.")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    return finish(figures(), parser.parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
