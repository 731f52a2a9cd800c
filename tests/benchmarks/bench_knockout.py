"""What knocking out every head in turn costs: python tests/benchmarks/bench_knockout.py [--check].

The 6 x 8 heads of `base`, a sentence of n tokens, one process, one thread, interleaved round by round:

    one by one   48 forwards of the model, as many as there are heads, without a tap and without the head for words
    leave-one-out   `encoder.experiments.ablation.ablate_each` over the same heads: a few batched forwards, each from
                 the layer
                 that it changes
    with a word  the same, and the log-probability of one watched word of each run

The two orders of a round take turns. Ratios are taken within a round and their median is reported. With --check only
n = 16 runs, and the exit status is 1 where leave-one-out takes over 0.6 of the single forwards.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

from encoder import TextEncoder, Trace  # noqa: E402
from encoder.experiments.ablation import WatchedWord, ablate_each  # noqa: E402
from pages.ui.server.heap import keep_freed_memory  # noqa: E402

LENGTHS = (8, 16, 64, 128)
CHECKED = 16
LIMIT = 0.6
ROUNDS = 12


def sentence(encoder: TextEncoder, n: int) -> Trace:
    """A run of exactly n tokens."""
    trace = encoder.trace("the " * (n - 2))
    assert len(trace.tokens) == n
    return trace


def ways(encoder: TextEncoder, trace: Trace, batch: int) -> dict[str, Callable[[], object]]:
    """The things to time."""
    ids, heads = torch.tensor([trace.ids]), encoder.config.n_layers * encoder.config.n_heads

    def sweep(watch: WatchedWord | None) -> int:
        *_, last = ablate_each(encoder, trace, ("attention.heads",), watch=watch, batch=batch)
        assert last.done == last.total == heads
        return last.done

    def singles() -> None:
        with torch.inference_mode():
            for _ in range(heads):
                encoder.model(ids)

    return {
        "one by one": singles,
        "leave-one-out": lambda: sweep(None),
        "with a word": lambda: sweep(WatchedWord(1, 100)),
    }


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description="What knocking out every head in turn costs.")
    parser.add_argument("--check", action="store_true", help=f"fail over {LIMIT} of the single forwards")
    parser.add_argument("--batch", type=int, default=16, help="runs in one forward")
    options = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    encoder = TextEncoder.from_pretrained("base")
    print(f"base, torch {torch.__version__}, 1 thread, {ROUNDS} rounds; medians (quartiles)")
    slow = []
    for n in (CHECKED,) if options.check else LENGTHS:
        runs = ways(encoder, sentence(encoder, n), options.batch)
        times: dict[str, list[float]] = {name: [] for name in runs}
        for i in range(ROUNDS + 1):
            for name in list(runs)[:: 1 if i % 2 else -1]:
                times[name].append(seconds(runs[name]))
        times = {name: found[1:] for name, found in times.items()}  # the first round warms up
        for name, found in times.items():
            low, middle, high = quantiles(found, n=4)
            ratio = quantiles([a / b for a, b in zip(found, times["one by one"], strict=True)], n=4)
            print(
                f"n = {n:>3}  {name:<14} {1e3 * middle:7.1f} ms ({1e3 * low:.1f}-{1e3 * high:.1f})"
                f"   ratio {ratio[1]:.3f} ({ratio[0]:.3f}-{ratio[2]:.3f})",
                flush=True,
            )
            if name == "leave-one-out" and n == CHECKED and ratio[1] > LIMIT:
                slow.append(f"n = {n}: {ratio[1]:.3f}, over {LIMIT}")
    if options.check:
        print("\n".join(slow) or f"leave-one-out takes at most {LIMIT} of the single forwards at n = {CHECKED}")
    return int(options.check and bool(slow))


if __name__ == "__main__":
    sys.exit(main())
