"""What recording every step costs: python tests/benchmarks/bench_trace.py [--check] [--default-allocator].

Four ways over the same ids in the shape of `base`, in one process, on one thread, interleaved round by round:

    plain   our Encoder without a tap
    record  our Encoder with a Recorder that keeps every step, dropped before the next way runs
    torch   torch.nn.TransformerEncoder's fast path with copied weights, which gives no steps
    bert    transformers' BertModel with random weights, attentions and hidden states asked for, and a hook that keeps
            what every submodule returns; left out where transformers is not installed

The order within a round goes through all permutations, so that no way always finds the caches as the same other left
them. Ratios are taken within a round and their median is reported: what slows the machine for a while slows both
sides of a ratio. Freed memory is kept at hand, as in the app; --default-allocator leaves that out. With --check only
n = 12 and 128 run, and the exit status is 1 where a ratio is over its bar.
"""

import argparse
import gc
import itertools
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import quantiles
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "benchmarks")]

import torch  # noqa: E402
from figures import Figure, finish  # noqa: E402
from oracle import torch_twin  # noqa: E402
from torch import Tensor  # noqa: E402

from encoder import TextEncoder  # noqa: E402
from encoder.model.tap import Recorder  # noqa: E402
from pages.ui.server.heap import keep_freed_memory  # noqa: E402

LENGTHS = (8, 12, 32, 128, 256, 512)
CHECKED = (12, 128)
# (way, way, n) -> how many times the time of the second the first may take
BARS = {
    ("record", "plain", 12): 1.05,
    ("record", "plain", 128): 1.05,
    ("record", "torch", 12): 0.60,
    ("record", "torch", 128): 0.90,
    ("record", "bert", 12): 0.90,
    ("record", "bert", 128): 0.90,
}
SECONDS = 12.0  # for each length, about
ROUNDS = (24, 600)  # at least and at most


def bert(encoder: TextEncoder) -> Callable[[Tensor], object] | None:
    """BertModel in the same shape, every output and every submodule's result kept; None without transformers."""
    if find_spec("transformers") is None:
        return None
    from transformers import BertConfig, BertModel

    config = encoder.config
    shape = BertConfig(
        vocab_size=config.vocab_size, hidden_size=config.d_model, num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads, intermediate_size=config.d_ff, hidden_act=config.activation,
        attn_implementation="eager", output_attentions=True, output_hidden_states=True,
    )  # fmt: skip
    model, kept = BertModel(shape, add_pooling_layer=False).eval().requires_grad_(False), {}
    for name, part in model.named_modules():
        part.register_forward_hook(lambda module, given, result, name=name: kept.__setitem__(name, result))

    def run(ids: Tensor) -> object:
        kept.clear()
        return model(ids)

    return run


def ways(encoder: TextEncoder, n: int) -> dict[str, Callable[[], object]]:
    """The things to time, for a sentence of n tokens."""
    model, twin = encoder.model, torch_twin(encoder.model)
    ids = torch.randint(5, encoder.config.vocab_size, (1, n), generator=torch.Generator().manual_seed(n))
    x = model.embedding(ids)
    theirs = bert(encoder)
    return {
        "plain": lambda: model(ids),
        "record": lambda: model(ids, tap=Recorder({}, {})),
        "torch": lambda: twin(x),
        **({"bert": lambda: theirs(ids)} if theirs else {}),
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


def measure(encoder: TextEncoder, n: int, most: int) -> dict[str, list[float]]:
    """Times of every way in every round."""
    runs = ways(encoder, n)
    orders = list(itertools.permutations(runs))
    once = min(sum(seconds(run) for run in runs.values()) for _ in range(3))
    rounds = min(max(int(SECONDS / once), ROUNDS[0]), ROUNDS[1])
    rounds = min(rounds - rounds % len(orders), most)
    times: dict[str, list[float]] = {name: [] for name in runs}
    gc.collect()
    gc.disable()
    for i in range(rounds):
        for name in orders[i % len(orders)]:
            times[name].append(seconds(runs[name]))
    gc.enable()
    return times


def spread(values: list[float], unit: str) -> str:
    """The median, and the quartiles about it."""
    low, middle, high = quantiles(values, n=4)
    return f"{middle:{unit}} ({low:{unit}}-{high:{unit}})"


def figures(lengths: Sequence[int] = CHECKED, most: int = ROUNDS[1]) -> list[Figure]:
    """Recording over each other way, for sentences of so many tokens; at most so many rounds for each."""
    torch.set_num_threads(1)
    encoder = TextEncoder.from_pretrained("base")
    found = []
    with torch.inference_mode():
        for n in lengths:
            times = measure(encoder, n, most)
            for other in [way for way in times if way != "record"]:
                ratios = [a / b for a, b in zip(times["record"], times[other], strict=True)]
                low, middle, high = quantiles(ratios, n=4)
                note = f"quartiles {low:.3f}-{high:.3f}, {len(ratios)} rounds; record " \
                       f"{spread([1e3 * t for t in times['record']], '.2f')} ms, {other} " \
                       f"{spread([1e3 * t for t in times[other]], '.2f')} ms"  # fmt: skip
                found.append(Figure(f"record / {other}, n = {n}", middle, BARS.get(("record", other, n)), note=note))
            found.append(Figure(f"a recorded run of {n} tokens", megabytes(encoder, n), unit="MB"))
    return found


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description="What recording every step costs.")
    parser.add_argument("--check", action="store_true", help="fail where a ratio is over its bar")
    parser.add_argument("--default-allocator", action="store_true", help="let the C library hand back freed memory")
    parser.add_argument("--rounds", type=int, default=ROUNDS[1], help="at most, for each length")
    options = parser.parse_args()
    kept = not options.default_allocator and keep_freed_memory()
    print(
        f"base, torch {torch.__version__}, 1 thread, freed memory {'kept' if kept else 'handed back'}; medians of "
        "interleaved rounds; the head for words is left out everywhere; torch is given the embedding"
    )
    return finish(figures(CHECKED if options.check else LENGTHS, options.rounds), options.check)


if __name__ == "__main__":
    sys.exit(main())
