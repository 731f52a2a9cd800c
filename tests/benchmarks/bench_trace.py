"""What the library costs: python tests/benchmarks/bench_trace.py [--check] [--default-allocator].

Recording first. Ways over the same ids in the shape of `base`, in one process, on one thread, interleaved:

    plain   our Encoder without a tap
    record  our Encoder with a Recorder that keeps every step, dropped before the next way runs
    torch   torch.nn.TransformerEncoder's fast path with copied weights, which gives no steps
    bert    transformers' BertModel with random weights, attentions and hidden states asked for, and a hook that keeps
            what every submodule returns; left out where transformers is not installed

The first two also in the shape of ModernBERT-base, with random weights: 22 layers of 768 with gates, turned queries
and keys, and windows; and leaving out each head of `base` in turn, in batches, beside as many single runs. The order
within a round goes through all permutations, so that no way always finds the caches as the same other left them.
Ratios are taken within a round and their median is reported: what slows the machine for a while slows both sides.
Freed memory is kept at hand, as in the app; --default-allocator leaves that out. With --check only n = 12 and 128 run.

Then pieces of work, each with its bar: an examination, a list of a thousand sentences, beside their attentions alone by
transformers, a guess attributed to tokens, a sentence over the moments of a training, a guess as a sum, and the runs
that the spine adds to those without each head.
"""

import gc
import itertools
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from statistics import quantiles
from time import perf_counter, process_time

import torch
from figures import Figure, command_line, finish, processor_seconds
from oracle import torch_twin
from torch import Tensor

from encoder import EncoderConfig, TextEncoder, preset
from encoder.exam import Treebank, bundled_treebanks, examine
from encoder.exam.relation_curve import KEYS
from encoder.experiments.ablation import WatchedWord, ablate_each, knock_outs, outcomes
from encoder.experiments.attributions.contributions import logits_by_part
from encoder.experiments.attributions.gradients import integrated_gradients
from encoder.experiments.attributions.similarity import likeness, opened
from encoder.experiments.attributions.target import Target
from encoder.experiments.attributions.word_sums import sum_over_words
from encoder.metrics.sentences import SENTENCES
from encoder.model.tap import Recorder
from encoder.packet.format import unpack
from encoder.packet.run import level_1, part_off
from encoder.pictures.lists import measure as measure_list
from encoder.tasks.kept_moments import gap_moments, moments_of, word_moments
from pages.ui.server import memory
from pages.ui.server.memory import keep_freed_memory

Ways = dict[str, Callable[[], object]]
LENGTHS = (8, 12, 32, 128, 256, 512)
CHECKED = (12, 128)
# (way, n) -> how many times the time of that way recording may take
BARS = {
    ("plain", 12): 1.05,
    ("plain", 128): 1.05,
    ("torch", 12): 0.60,
    ("torch", 128): 0.90,
    ("bert", 12): 0.90,
    ("bert", 128): 0.90,
}
MODERN = replace(preset("modern"), vocab_size=16384, d_model=768, n_heads=12, n_layers=22, d_ff=1152)
SECONDS = 12.0  # for each length, about
ROUNDS = (24, 600)  # at least and at most
LEFT_OUT = 0.6  # of as many single runs
MEASURES = [f"measured?measure={name}" for name in ("entropy", "confidence", "distance", "previous", "self")]
TWELVE = "The animal did not cross the [MASK], because it"
OTHER = "The dog would not go over the road at night."
GAP_TEXT = "The keys to the cabinet [MASK] on the table."
OWN = "My neighbours from the old house near the river sold a very small boat."


def bert_model(encoder: TextEncoder) -> torch.nn.Module | None:
    """Return BertModel in the same shape, which gives attentions and hidden states; None without transformers."""
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
    return BertModel(shape, add_pooling_layer=False).eval().requires_grad_(False)


def bert(encoder: TextEncoder) -> Callable[[Tensor], object] | None:
    """Return it with every submodule's result kept; None without transformers."""
    model, kept = bert_model(encoder), {}
    if model is None:
        return None
    for name, part in model.named_modules():
        part.register_forward_hook(lambda module, given, result, name=name: kept.__setitem__(name, result))

    def run(ids: Tensor) -> object:
        kept.clear()
        return model(ids)

    return run


def ours(encoder: TextEncoder, ids: Tensor) -> Ways:
    """Return our encoder without a tap, and with one that keeps every step."""
    return {"plain": lambda: encoder.model(ids), "record": lambda: encoder.model(ids, tap=Recorder({}, {}))}


def some_ids(encoder: TextEncoder, n: int) -> Tensor:
    """Return a sentence of n tokens."""
    return torch.randint(5, encoder.config.vocab_size, (1, n), generator=torch.Generator().manual_seed(n))


def ways(encoder: TextEncoder, n: int) -> Ways:
    """Return the ways to run a sentence of n tokens."""
    twin, ids = torch_twin(encoder.model), some_ids(encoder, n)
    x = encoder.model.embedding(ids)
    theirs = bert(encoder)
    return ours(encoder, ids) | {"torch": lambda: twin(x)} | ({"bert": lambda: theirs(ids)} if theirs else {})


def megabytes(encoder: TextEncoder, n: int) -> float:
    """Return what a recording keeps alive, each storage once, without the position table that is the model's own."""
    values: dict[str, Tensor] = {}
    encoder.model(torch.zeros(1, n, dtype=torch.long), tap=Recorder(values, {}))
    storages = [v.untyped_storage() for name, v in values.items() if name != "embedding.positions"]
    return sum({s.data_ptr(): s.nbytes() for s in storages}.values()) / 1e6


def seconds(run: Callable[[], object]) -> float:
    """Return the wall time of one run, letting go of its result included."""
    start = perf_counter()
    run()
    return perf_counter() - start


def measure(runs: Ways, most: int) -> dict[str, list[float]]:
    """Return the times of every way in every round."""
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


def ratio(times: dict[str, list[float]], way: str, other: str, where: str, bar: float | None) -> Figure:
    """Return one way over another, with the quartiles."""
    ratios = [a / b for a, b in zip(times[way], times[other], strict=True)]
    low, middle, top = quantiles(ratios, n=4)
    both = [f"{name} {1e3 * quantiles(times[name], n=4)[1]:.2f} ms" for name in (way, other)]
    note = f"quartiles {low:.3f}-{top:.3f}, {len(ratios)} rounds; {', '.join(both)}"
    return Figure(f"{way} / {other}, {where}", middle, bar, note=note)


def recording(lengths: Sequence[int] = CHECKED, most: int = ROUNDS[1], modern: EncoderConfig = MODERN) -> list[Figure]:
    """Return recording over each other way, for sentences of so many tokens; at most so many rounds for each."""
    torch.set_num_threads(1)
    base, large = TextEncoder.from_pretrained("base"), TextEncoder.from_config(modern, seed=0)
    figures = []
    with torch.inference_mode():
        for n in lengths:
            times = measure(ways(base, n), most)
            others = [way for way in times if way != "record"]
            figures += [ratio(times, "record", way, f"n = {n}", BARS.get((way, n))) for way in others]
            times = measure(ours(large, some_ids(large, n)), most)
            figures.append(ratio(times, "record", "plain", f"ModernBERT-base, n = {n}", 1.05))
            figures.append(Figure(f"a recorded run of {n} tokens", megabytes(base, n), unit="MB"))
    return figures


def leaving_out(most: int = ROUNDS[1], n: int = 16) -> Figure:
    """Return leaving out each head of `base` in turn, over as many single runs."""
    torch.set_num_threads(1)
    encoder = TextEncoder.from_pretrained("base")
    trace = encoder.trace("the " * (n - 2))
    ids, heads = torch.tensor([trace.ids]), encoder.config.n_layers * encoder.config.n_heads
    with torch.inference_mode():
        times = measure(
            {
                "leave one out": lambda: [*ablate_each(encoder, trace, ("attention.heads",), batch=16)],
                "single runs": lambda: [encoder.model(ids) for _ in range(heads)],
            },
            most,
        )
    return ratio(times, "leave one out", "single runs", f"n = {n}", LEFT_OUT)


def examination(sentences: int = 1000) -> list[Figure]:
    """Return what `base` on so many sentences of PUD takes: every head, relation and direction, and the gaps."""
    torch.set_num_threads(2)
    encoder, bank = TextEncoder.from_pretrained("base"), bundled_treebanks()[0]
    took = seconds(lambda: examine(encoder, Treebank(bank.name, bank.trees[:sentences])))
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return [
        Figure(f"base examined on {sentences:,} sentences", took, 60.0, "s"),
        Figure("the largest memory of the process until then", held, 1.5, "GB"),
    ]


def a_list(encoder: TextEncoder, sentences: int) -> list[Figure]:
    """Return what measuring a list takes, beside attentions alone of the same batches by transformers."""
    texts = [SENTENCES[i % len(SENTENCES)] for i in range(sentences)]
    measure_list(encoder, texts[:5], MEASURES)
    before, start = memory.used(), process_time()
    rows = len(measure_list(encoder, texts, MEASURES).table("layer", "head"))
    took, held = process_time() - start, memory.used() - before
    name = f"a list of {sentences:,} sentences, 48 heads, five measures"
    figures = [
        Figure(name, took, 15.0, "s", f"{rows:,} rows"),
        Figure("memory of the list beyond the model", held / 1e6, 256.0, "MB"),
    ]
    labelled, start = TextEncoder.from_pretrained("good-or-bad"), process_time()
    rows = len(measure_list(labelled, texts, ["labels"]).table("label"))
    name = f"a list of {sentences:,} sentences, labelled and explained"
    figures.append(Figure(name, process_time() - start, 60.0, "s", f"{rows:,} rows"))
    if (theirs := bert_model(encoder)) is not None:
        by_length: dict[int, list[list[int]]] = {}
        start = process_time()
        for text in texts:
            ids = encoder.tokenizer.encode(text).ids
            by_length.setdefault(len(ids), []).append(ids)
        with torch.inference_mode():
            for same in by_length.values():
                for first in range(0, len(same), 16):
                    theirs(torch.tensor(same[first : first + 16]))
        plain = process_time() - start
        note = f"transformers {plain:.1f} s, without a guess and without measures"
        figures.append(Figure("the same over transformers' output_attentions", took / plain, 1.5, note=note))
    return figures


def work(rounds: int = 3, sentences: int = 1000) -> list[Figure]:
    """Return what pieces of work of one thread take; a list of so many sentences."""
    torch.set_num_threads(1)
    encoder = TextEncoder.from_pretrained("base")
    a, b = encoder.trace(TWELVE), encoder.trace(OTHER)
    at = a.tokens.index("[MASK]")
    target = Target(at, int(a["mlm.logits"][at].argmax()))
    why = processor_seconds(lambda: [*integrated_gradients(encoder, a, target, "mask", 50, 50)], rounds)
    alike = processor_seconds(lambda: (likeness(a, b), opened(encoder, a, b, 1, 1)), rounds)
    moments = moments_of(TextEncoder.from_pretrained("small"))
    over = processor_seconds(
        lambda: (word_moments(moments, OWN, 2, 0), gap_moments(moments, KEYS, ("is", "are"))), rounds
    )
    return [
        Figure("integrated gradients, 50 steps, 12 tokens, base", why, 2.0, "s"),
        Figure("how alike two sentences are, and one cell opened", alike, 0.1, "s"),
        *a_list(encoder, sentences),
        Figure(f"a sentence over {len(moments)} moments of small", over, 2.0, "s"),
    ]


def guesses(rounds: int = 24) -> list[Figure]:
    """Return what the sums of a guess take, and what the runs without each part add to those without each head."""
    torch.set_num_threads(1)
    base, config = TextEncoder.from_pretrained("base"), TextEncoder.from_pretrained("base").config
    figures = []
    for name, encoder, bar in (
        ("base", base, 60.0),
        ("base with GELU, random", TextEncoder.from_config(replace(config, activation="gelu"), seed=0), 150.0),
    ):
        trace = encoder.trace(GAP_TEXT)
        at = trace.tokens.index(encoder.mask_token or "")
        first, second = trace["mlm.logits"][at].topk(2).indices.tolist()
        for what, run in (
            ("words", partial(sum_over_words, encoder, trace, at, (first, second))),
            ("parts", partial(logits_by_part, encoder, trace, at, (first, second))),
        ):
            took = 1e3 * processor_seconds(run, rounds)
            figures.append(Figure(f"a guess as a sum over {what}, {name}", took, bar, "ms", f"{len(trace.ids)} tokens"))
    trace = base.trace(GAP_TEXT)
    watch, heads = WatchedWord(trace.tokens.index("[MASK]"), 0), knock_outs(config, ("attention.heads",))
    with torch.inference_mode():
        times = measure(
            {
                "without each part": lambda: [*outcomes(base, trace, part_off(config), watch, 16)],
                "without each head": lambda: [*outcomes(base, trace, heads, watch, 16)],
            },
            rounds,
        )
    packet = level_1(base, trace)
    arrays = unpack(packet)[2]
    added = sum(arrays[name].numbers.nbytes for name in ("parts", "places")) / len(packet)
    return [
        *figures,
        ratio(times, "without each part", "without each head", "base, 12 tokens", 4 / 3),
        Figure("the share of the first packet that the spine takes", added, 0.1),
    ]


def main() -> int:
    """Print the table; return the exit status."""
    parser = command_line(__doc__)
    parser.add_argument("--default-allocator", action="store_true", help="let the C library hand back freed memory")
    parser.add_argument("--rounds", type=int, default=ROUNDS[1], help="at most, for each length")
    options = parser.parse_args()
    figures = examination()  # first: it reads the largest memory of the whole process
    kept = not options.default_allocator and keep_freed_memory()
    print(f"torch {torch.__version__}, freed memory {'kept' if kept else 'handed back'}; medians of interleaved rounds")
    figures += recording(CHECKED if options.check else LENGTHS, options.rounds)
    return finish([*figures, leaving_out(options.rounds), *guesses(), *work()], options.check)


if __name__ == "__main__":
    sys.exit(main())
