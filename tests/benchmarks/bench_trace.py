"""What recording every step costs: python tests/benchmarks/bench_trace.py [--check] [--default-allocator].

Three ways over the same ids with the weights of `base`, in one process, on one thread, interleaved round by round:

    plain   our Encoder without a tap
    record  our Encoder with a Recorder that keeps every step, dropped before the next way runs
    torch   torch.nn.TransformerEncoder's fast path with copied weights, which gives no steps

The order within a round goes through all six permutations, so that no way always finds the caches as the same other
left them. Ratios are taken within a round and their median is reported: what slows the machine for a while slows both
sides of a ratio. Freed memory is kept at hand, as in the app; --default-allocator leaves that out. With --check only
n = 12 and 128 run, and the exit status is 1 where record / plain is over 1.05.
"""

import argparse
import gc
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import torch  # noqa: E402
from oracle import torch_twin  # noqa: E402
from torch import Tensor  # noqa: E402

from encoder import TextEncoder  # noqa: E402
from encoder.allocator import keep_freed_memory  # noqa: E402
from encoder.tap import Recorder  # noqa: E402

LENGTHS = (8, 12, 32, 128, 256, 512)
CHECKED = (12, 128)
LIMIT = 1.05
SECONDS = 12.0  # for each length, about
ROUNDS = (24, 600)  # at least and at most
ORDERS = list(itertools.permutations(("plain", "record", "torch")))


def ways(encoder: TextEncoder, n: int) -> dict[str, Callable[[], object]]:
    """The three things to time, for a sentence of n tokens."""
    model, twin = encoder.model, torch_twin(encoder.model)
    ids = torch.randint(5, encoder.config.vocab_size, (1, n), generator=torch.Generator().manual_seed(n))
    x = model.embedding(ids)
    return {
        "plain": lambda: model(ids),
        "record": lambda: model(ids, tap=Recorder({}, {})),
        "torch": lambda: twin(x),
    }


def megabytes(encoder: TextEncoder, n: int) -> float:
    """What a recording keeps alive, each storage once, without the position table that is the model's own."""
    values: dict[str, Tensor] = {}
    encoder.model(torch.zeros(1, n, dtype=torch.long), tap=Recorder(values, {}))
    storages = [v.untyped_storage() for name, v in values.items() if name != "embedding.positions"]
    return sum({s.data_ptr(): s.nbytes() for s in storages}.values()) / 1e6


def seconds(run: Callable[[], object]) -> float:
    """Wall time of one run, letting go of its result included."""
    start = perf_counter()
    run()
    return perf_counter() - start


def measure(encoder: TextEncoder, n: int) -> dict[str, list[float]]:
    """Times of every way in every round."""
    runs = ways(encoder, n)
    once = min(sum(seconds(run) for run in runs.values()) for _ in range(3))
    rounds = min(max(int(SECONDS / once), ROUNDS[0]), ROUNDS[1])
    rounds -= rounds % len(ORDERS)
    times: dict[str, list[float]] = {name: [] for name in runs}
    gc.collect()
    gc.disable()
    for i in range(rounds):
        for name in ORDERS[i % len(ORDERS)]:
            times[name].append(seconds(runs[name]))
    gc.enable()
    return times


def spread(values: list[float], unit: str) -> str:
    """The median, and the quartiles about it."""
    low, middle, high = quantiles(values, n=4)
    return f"{middle:{unit}} ({low:{unit}}-{high:{unit}})"


def ratios(times: dict[str, list[float]], above: str, below: str) -> list[float]:
    """One way's time over another's in the same round."""
    return [a / b for a, b in zip(times[above], times[below], strict=True)]


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description="What recording every step costs.")
    parser.add_argument("--check", action="store_true", help=f"fail where record / plain is over {LIMIT}")
    parser.add_argument("--default-allocator", action="store_true", help="let the C library hand back freed memory")
    options = parser.parse_args()
    check, kept = options.check, not options.default_allocator and keep_freed_memory()
    torch.set_num_threads(1)
    encoder = TextEncoder.from_pretrained("base")
    print(
        f"base, torch {torch.__version__}, {torch.get_num_threads()} thread, "
        f"freed memory {'kept' if kept else 'handed back'}; median (quartiles) of interleaved rounds"
    )
    print("the masked-language-model head is left out of all three; torch is given the embedding, ours computes it")
    head = (
        "n",
        "rounds",
        "plain ms",
        "record ms",
        "torch ms",
        "record/plain",
        "plain/torch",
        "record/torch",
        "trace MB",
    )
    row = "{:>4} {:>6}  {:<20} {:<20} {:<20} {:<20} {:<20} {:<20} {:>8}".format
    print(row(*head))
    slow = []
    with torch.inference_mode():
        for n in CHECKED if check else LENGTHS:
            times = measure(encoder, n)
            cost = ratios(times, "record", "plain")
            print(
                row(
                    n,
                    len(cost),
                    *(spread([1e3 * t for t in times[name]], ".2f") for name in ("plain", "record", "torch")),
                    spread(cost, ".3f"),
                    spread(ratios(times, "plain", "torch"), ".3f"),
                    spread(ratios(times, "record", "torch"), ".3f"),
                    f"{megabytes(encoder, n):.1f}",
                ),
                flush=True,
            )
            middle = quantiles(cost, n=4)[1]
            if n in CHECKED and middle > LIMIT:
                slow.append(f"n = {n}: record / plain is {middle:.3f}, over {LIMIT}")
    if check:
        print("\n".join(slow) or f"record / plain is at most {LIMIT} at n = {' and '.join(map(str, CHECKED))}")
    return int(check and bool(slow))


if __name__ == "__main__":
    sys.exit(main())
