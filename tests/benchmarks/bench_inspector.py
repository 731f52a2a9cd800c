"""What opening a number costs the server: python tests/benchmarks/bench_inspector.py [--check].

A sentence of 64 tokens in `base`. Packet by packet, in turn: numbers of different steps, and all numbers of one.
Processor time of this process is what is printed, and how often the model ran meanwhile. With --check the exit status
is 1 where one takes over 100 ms, or where the model ran again.
"""

import argparse
import sys
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from pages.front import make  # noqa: E402
from pages.front.asked import wanted  # noqa: E402
from pages.ui.server import engine  # noqa: E402

LIMIT = 0.100  # seconds
ROUNDS = 15
SENTENCE = "The old man and the sea were friends. " * 6 + "The old man and the sea were friends"
ASKED: dict[str, dict[str, Any]] = {
    "a weight": {"level": 9, "step": "layers.4.attention.weights", "index": [1, 20, 7]},
    "a query": {"level": 9, "step": "layers.4.attention.q", "index": [1, 20, 7]},
    "a unit's sum": {"level": 9, "step": "layers.4.feed_forward.output", "index": [20, 7]},
    "a probability": {"level": 9, "step": "mlm.probabilities", "index": [20, 2657]},
    "all of a step": {"level": 8, "step": "layers.4.feed_forward.activation", "index": [0]},
}


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description="What opening a number costs the server.")
    parser.add_argument("--check", action="store_true", help=f"fail over {1000 * LIMIT:.0f} ms")
    check = parser.parse_args().check
    packets = {name: wanted({"sentence": SENTENCE, **asked}) for name, asked in ASKED.items()}
    for asked in packets.values():
        make.packet(asked)
    made, times = engine.run_cache.made, {name: list[float]() for name in ASKED}
    sizes = dict.fromkeys(ASKED, 0)
    for _ in range(ROUNDS):
        for name, asked in packets.items():
            start = process_time()
            sizes[name] = len(make.packet(asked))
            times[name].append(process_time() - start)
    ran = engine.run_cache.made - made
    n = len(engine.text_encoder("base").tokenize(SENTENCE).ids)
    print(f"{n} tokens, median of {ROUNDS} in turn; the model ran {ran} times")
    for name, seconds in times.items():
        print(f"{name:>15}: {1000 * median(seconds):6.1f} ms, {sizes[name]:,} bytes")
    slow = [name for name, seconds in times.items() if median(seconds) > LIMIT]
    return int(check and bool(slow or ran))


if __name__ == "__main__":
    sys.exit(main())
