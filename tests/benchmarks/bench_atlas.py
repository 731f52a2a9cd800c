"""What an atlas costs: python tests/benchmarks/bench_atlas.py [--text FILE] [--check].

Sentences per second of `base` with one and two processes, the memory of `small` over a text and ten times as much, the
size of the files, the processor time of a section that reads an atlas, and the search among a million vectors. The text
is that of the atlases that come with the project. With `--text` the size of the files over the first 1.1 MB of that
text is measured too: as much as there is in the validation part of WikiText-2, of which exBERT's files take 47 GB.
"""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from figures import ROOT, Figure, command_line, finish, processor_seconds
from more_tools import section

from encoder import TextEncoder
from encoder.atlas.atlas_folders import SHIPPED
from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.reruns import AtlasPart, absences
from encoder.atlas.searching import nearest_tokens

RUN = """
import sys
from encoder.atlas.__main__ import main
code = main(sys.argv[1:])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
sys.exit(code)
"""
CLICK, NEAREST, GROWTH = 0.15, 1.0, 1.2  # bars: seconds, seconds, times
EXBERT = 1_100_000  # bytes of text
CLICKS: dict[str, tuple[str, str, dict[str, str]]] = {  # page, section below it, and what is chosen there
    "Heads": ("heads", "contexts", {}),
    "Heads, one run live": ("heads", "contexts", {"atlas_run": "1"}),
    "From A to B": ("heads", "kinds", {}),
    "Find a word": ("heads", "find", {"atlas_word": "Monday"}),
    "Nearest": ("heads", "nearest", {"atlas_near": "6"}),
    "Nearest, one head": ("heads", "nearest", {}),
    "All heads, measures": ("heads", "measures", {"over": "100 sentences"}),
    "Units": ("feed_forward", "corpus", {}),
}


def make(folder: Path, texts: list[str], model: str, *more: str, processes: int = 1) -> tuple[float, float]:
    """Make an atlas in a process of its own, or in several under torchrun: seconds, and its largest memory in MB."""
    corpus = folder.with_suffix(".txt")
    corpus.write_text("\n".join(texts), encoding="utf-8")
    arguments = ["--model", model, "--corpus", str(corpus), "--out", str(folder), *more]
    start = perf_counter()
    run = folder.with_suffix(".py")
    run.write_text(RUN, encoding="utf-8")
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command = [sys.executable, *(torchrun if processes > 1 else []), str(run), *arguments]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, check=True)
    return perf_counter() - start, int(done.stdout.split()[-1]) / 1024


def size(folder: Path) -> int:
    """Return the bytes of a folder."""
    return sum(path.stat().st_size for path in folder.iterdir())


def speeds(folder: Path, texts: list[str]) -> list[Figure]:
    """Return the speed with one process and with two; what starting takes is taken off by a run over one sentence."""
    rows = []
    for count in (1, 2):
        idle, _ = make(folder / f"idle{count}", texts[:1], "base", processes=count)
        took, _ = make(folder / f"processes{count}", texts, "base", "--part", "256", processes=count)
        speed = len(texts) / max(took - idle, 1e-9)
        rows.append(Figure(f"base, processes: {count}, sentences a second", speed, None, "/s", f"of {len(texts)}"))
    return rows


def memory(folder: Path, texts: list[str]) -> list[Figure]:
    """Return what a tenth of the text and all of it take; a process holds a part, and more text is more parts."""
    few = texts[::10]
    peaks = [make(folder / f"x{len(part)}", part, "small", "--part", "512")[1] for part in (few, texts)]
    small, large = (size(folder / f"x{len(part)}") for part in (few, texts))
    tokens = Atlas(folder / f"x{len(texts)}").card.tokens
    more = (large - small) / (0.9 * tokens) * 1e6
    note = f"{peaks[0]:.0f} MB for {len(few):,} sentences, {peaks[1]:.0f} for {len(texts):,}"
    return [
        Figure("small, ten times the text: times the memory", peaks[1] / peaks[0], GROWTH, "x", note),
        Figure("small: files", large / 1e6, None, "MB", f"{tokens:,} tokens"),
        Figure("small: files for each further million tokens", more / 1e6, None, "MB", "without vectors"),
    ]


def clicks(rounds: int) -> list[Figure]:
    """Return each section that reads the shipped atlas of `base`, asked for again."""
    atlas, base = Atlas(SHIPPED / "base"), TextEncoder.from_pretrained("base")
    rows = list[Figure]()
    for name, (page, part, query) in CLICKS.items():
        asked = partial(section, page, part, layer="2", head="3", **query)
        bar = NEAREST if part == "nearest" else CLICK  # the search is exact, and made anew
        rows.append(Figure(f"{name}: a click", processor_seconds(asked, rounds), bar, "s"))
    for layer, head in ((0, 0), (2, 3), (atlas.card.sizes["layers"] - 1, 1)):  # what is kept after the first click
        firings = atlas.head_firings(layer, head, "weight", "top")
        texts = atlas.texts([firing.sentence for firing in firings])
        contexts = [(texts[firing.sentence], firing.position) for firing in firings]
        knocked_out = partial(absences, base, AtlasPart("head", layer, head), contexts)
        name = f"{len(firings)} contexts without a head of layer {layer}"
        rows.append(Figure(name, processor_seconds(knocked_out, rounds), CLICK, "s"))
    return rows


def storage(folder: Path, text: Path) -> list[Figure]:
    """Return the files of `small` over as much text as exBERT's 47 GB are of: vectors, and all others."""
    lines = text.read_bytes()[:EXBERT].decode(errors="ignore").splitlines()
    layers = TextEncoder.from_pretrained("small").config.n_layers
    every = ["--vectors", *map(str, range(layers + 1)), "--head-vectors", *map(str, range(layers))]
    out = folder / "storage"
    make(out, lines, "small", *every)
    of = f"{Atlas(out).card.tokens:,} tokens"
    vectors = sum(path.stat().st_size for path in [*out.glob("*.npy"), out / "vectors.parquet"])
    return [
        Figure("small, 1.1 MB of text: files without vectors", (size(out) - vectors) / 1e6, None, "MB", of),
        Figure("small, 1.1 MB of text: all layers' vectors and heads", vectors / 1e6, None, "MB", "in float16"),
    ]


def search(folder: Path, vectors: int = 1_000_000, width: int = 512) -> Figure:
    """Return the search for the nearest of so many vectors on disk; their atlas is that of `base` with these."""
    atlas = Atlas(SHIPPED / "base")
    atlas.folder, layer = folder, atlas.card.vectors[0]
    generator = np.random.default_rng(0)
    file = np.lib.format.open_memmap(folder / f"vectors-layer-{layer}.npy", "w+", np.float16, (vectors, width))
    some = generator.standard_normal((10_000, width)).astype(np.float16)
    for start in range(0, vectors, len(some)):
        file[start : start + len(some)] = some[: vectors - start]
    file.flush()
    lengths = np.resize(np.linalg.norm(some.astype(np.float32), axis=1), vectors)
    columns = {"sentence": np.arange(vectors) // 10, "position": np.arange(vectors) % 10}
    names = pa.array(["word"] * vectors).dictionary_encode()
    pq.write_table(pa.table(columns | {"token": names, f"length_{layer}": lengths}), folder / "vectors.parquet")
    atlas.checked.add("vectors.parquet")
    vector = torch.from_numpy(some[7].astype(np.float32))
    assert nearest_tokens(atlas, layer, vector)[0].cosine > 0.999
    took = processor_seconds(partial(nearest_tokens, atlas, layer, vector), 5)
    return Figure(f"the nearest of {vectors:,} vectors of {width}", took, NEAREST, "s")


def main() -> int:
    """Print the figures with their bars; return the exit status."""
    parser = command_line(__doc__)
    parser.add_argument("--text", type=Path, metavar="FILE", help="of which the first 1.1 MB are stored as well")
    options = parser.parse_args()
    torch.set_num_threads(1)
    texts: list[str] = pq.read_table(SHIPPED / "base" / "sentences.parquet")["text"].to_pylist()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [search(folder), *speeds(folder, texts[::8]), *memory(folder, texts), *clicks(7)]
        rows += storage(folder, options.text) if options.text else []
    return finish(rows, options.check)


if __name__ == "__main__":
    sys.exit(main())
