"""What recording every step costs: python tests/benchmarks/bench_trace.py [--check] [--default-allocator].

Four ways over the same ids in the shape of `base`, in one process, on one thread, interleaved round by round:

    plain   our Encoder without a tap
    record  our Encoder with a Recorder that keeps every step, dropped before the next way runs
    torch   torch.nn.TransformerEncoder's fast path with copied weights, which gives no steps
    bert    transformers' BertModel with random weights, attentions and hidden states asked for, and a hook that keeps
            what every submodule returns; left out where transformers is not installed

The first two also in the shape of ModernBERT-base, with random weights: 22 layers of 768 with gates, turned queries
and keys, and windows. The order within a round goes through all permutations, so that no way always finds the caches
as the same other left them. Ratios are taken within a round and their median is reported: what slows the machine for
a while slows both sides of a ratio. Freed memory is kept at hand, as in the app; --default-allocator leaves that out.
With --check only n = 12 and 128 run, and the exit status is 1 where a ratio is over its bar.
"""

import argparse
import gc
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
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

from encoder import EncoderConfig, TextEncoder, preset  # noqa: E402
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
MODERN = replace(preset("modern"), vocab_size=16384, d_model=768, n_heads=12, n_layers=22, d_ff=1152)
SECONDS = 12.0  # for each length, about
ROUNDS = (24, 600)  # at least and at most


def bert(encoder: TextEncoder) -> Callable[[Tensor], object] | None:
    """BertModel in the same shape, every output and every submodule's result kept; None without transformers."""
    if find_spec("transformers") is None:
        return None
    from transformers import BertConfig, BertModel

    config = encoder.config
    shape = BertConfig(
        vocab_size=config.vocab_size,
        hidden_size=config.d_model,
        num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads,
        intermediate_size=config.d_ff,
        hidden_act=config.activation,
        attn_implementation="eager",
        output_attentions=True,
        output_hidden_states=True,
    )
    model, kept = BertModel(shape, add_pooling_layer=False).eval().requires_grad_(False), {}
    for name, part in model.named_modules():
        part.register_forward_hook(lambda module, given, result, name=name: kept.__setitem__(name, result))

    def run(ids: Tensor) -> object:
        kept.clear()
        return model(ids)

    return run


def ours(encoder: TextEncoder, ids: Tensor) -> dict[str, Callable[[], object]]:
    """Our encoder without a tap, and with one that keeps every step."""
    return {"plain": lambda: encoder.model(ids), "record": lambda: encoder.model(ids, tap=Recorder({}, {}))}


def some_ids(encoder: TextEncoder, n: int) -> Tensor:
    """A sentence of n tokens."""
    return torch.randint(5, encoder.config.vocab_size, (1, n), generator=torch.Generator().manual_seed(n))


def ways(encoder: TextEncoder, n: int) -> dict[str, Callable[[], object]]:
    """The things to time, for a sentence of n tokens."""
    twin, ids = torch_twin(encoder.model), some_ids(encoder, n)
    x = encoder.model.embedding(ids)
    theirs = bert(encoder)
    return {
        **ours(encoder, ids),
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


def measure(runs: dict[str, Callable[[], object]], most: int) -> dict[str, list[float]]:
    """Times of every way in every round."""
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
            times = measure(ways(encoder, n), most)
            for other in [way for way in times if way != "record"]:
                found.append(ratio(times, other, f"n = {n}", BARS.get(("record", other, n))))
            found.append(Figure(f"a recorded run of {n} tokens", megabytes(encoder, n), unit="MB"))
    return found


def ratio(times: dict[str, list[float]], other: str, where: str, bar: float | None) -> Figure:
    """Recording over another way."""
    ratios = [a / b for a, b in zip(times["record"], times[other], strict=True)]
    low, middle, high = quantiles(ratios, n=4)
    both = [f"{way} {spread([1e3 * t for t in times[way]], '.2f')} ms" for way in ("record", other)]
    note = f"quartiles {low:.3f}-{high:.3f}, {len(ratios)} rounds; {', '.join(both)}"
    return Figure(f"record / {other}, {where}", middle, bar, note=note)


def modern(lengths: Sequence[int] = CHECKED, most: int = ROUNDS[1], config: EncoderConfig = MODERN) -> list[Figure]:
    """Recording over not recording, in the shape of ModernBERT-base."""
    torch.set_num_threads(1)
    encoder = TextEncoder.from_config(config, seed=0)
    with torch.inference_mode():
        return [
            ratio(measure(ours(encoder, some_ids(encoder, n)), most), "plain", f"ModernBERT-base, n = {n}", 1.05)
            for n in lengths
        ]


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
    lengths = CHECKED if options.check else LENGTHS
    return finish(figures(lengths, options.rounds) + modern(lengths, options.rounds), options.check)


if __name__ == "__main__":
    sys.exit(main())
