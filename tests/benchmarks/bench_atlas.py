"""What an atlas costs: python tests/benchmarks/bench_atlas.py [--check] [--clicks-only] [--atlas DIR] [--text FILE].

Sentences per second of `base` with one and two processes, the memory of `small` over a text and over ten times as much,
the size of the files, the processor time of a click on the page Atlas, and the search among a million vectors. The text
is that of the atlases that come with the project. With `--atlas` the clicks are also made on an atlas of `small` in
that folder, with `--text` the size of the files over the first 1.1 MB of that text is measured too: as much as there is
in the validation part of WikiText-2, of which exBERT's files take 47 GB.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter, process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import torch  # noqa: E402
from figures import Figure, finish  # noqa: E402
from page_tools import turn_to  # noqa: E402
from streamlit.testing.v1 import AppTest  # noqa: E402

from encoder import TextEncoder  # noqa: E402
from encoder.atlas.atlas_folders import FOLDER, SHIPPED  # noqa: E402
from encoder.atlas.knockout import AtlasPart, absences  # noqa: E402
from encoder.atlas.reading import Atlas  # noqa: E402
from encoder.atlas.searching import nearest_outputs, nearest_tokens  # noqa: E402
from encoder.trace.unpadded import stream  # noqa: E402

RUN = """
import sys
from encoder.atlas.__main__ import main
code = main(sys.argv[1:])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
sys.exit(code)
"""
CLICK, NEAREST, GROWTH = 0.15, 1.0, 1.2  # bars: seconds, seconds, times
EXBERT = 1_100_000  # bytes of text
ALL_HEADS = {"heads_part": "Measures", "over": "100 sentences"}  # which reads the shipped atlas
CLICKS: dict[str, dict[str, str]] = {  # what is clicked on the page Atlas, by its link
    "Heads": {},
    "Heads, knocked out": {"atlas_off": "1"},
    "Heads, one run live": {"atlas_run": "1"},
    "Units": {"atlas_part": "Units"},
    "Units, knocked out": {"atlas_part": "Units", "atlas_off": "1"},
    "From A to B": {"atlas_part": "From A to B"},
    "Find a word": {"atlas_part": "Find a word", "atlas_word": "Monday"},
    "Nearest": {"atlas_part": "Nearest"},
}


def sentences() -> list[str]:
    """The text of the shipped atlas."""
    found: list[str] = pq.read_table(SHIPPED / "base" / "sentences.parquet")["text"].to_pylist()
    return found


def made(folder: Path, texts: list[str], model: str, *more: str) -> tuple[float, float]:
    """Make an atlas in a process of its own: seconds, and its largest memory in MB."""
    corpus = folder.with_suffix(".txt")
    corpus.write_text("\n".join(texts), encoding="utf-8")
    asked = ["--model", model, "--corpus", str(corpus), "--out", str(folder), *more]
    start = perf_counter()
    done = subprocess.run([sys.executable, "-c", RUN, *asked], cwd=ROOT, capture_output=True, text=True, check=True)
    return perf_counter() - start, int(done.stdout.split()[-1]) / 1024


def size(folder: Path) -> int:
    """The bytes of a folder."""
    return sum(path.stat().st_size for path in folder.iterdir())


def speeds(folder: Path, texts: list[str]) -> list[Figure]:
    """With one process and with two; what starting takes is taken off by a run over one sentence."""
    idle, _ = made(folder / "idle", texts[:1], "base")
    found = []
    for workers in ("1", "2"):
        took, _ = made(folder / f"workers{workers}", texts, "base", "--workers", workers, "--shard", "256")
        found.append(
            Figure(
                f"base, {workers} process{'es' * (workers > '1')}: sentences a second",
                len(texts) / max(took - idle, 1e-9),
                None,
                "/s",
                f"{len(texts)} sentences",
            )
        )
    return found


def memory(folder: Path, texts: list[str]) -> list[Figure]:
    """Over a tenth of the text and over all of it; a worker holds a shard, and more text is more shards."""
    peaks = [made(folder / f"x{len(some)}", some, "small", "--shard", "512")[1] for some in (texts[::10], texts)]
    small, large = (size(folder / f"x{len(some)}") for some in (texts[::10], texts))
    tokens = Atlas(folder / f"x{len(texts)}").card.tokens
    more = (large - small) / (0.9 * tokens) * 1e6
    return [
        Figure(f"small, {len(texts[::10]):,} sentences: largest memory", peaks[0], None, "MB"),
        Figure(f"small, {len(texts):,} sentences: largest memory", peaks[1], None, "MB"),
        Figure("ten times the text: times the memory", peaks[1] / peaks[0], GROWTH, "x"),
        Figure("small: files", large / 1e6, None, "MB", f"{tokens:,} tokens"),
        Figure("small: files for each further million tokens", more / 1e6, None, "MB", "without vectors"),
    ]


def processor_seconds(work: Callable[[], object], rounds: int) -> float:
    """The median of the processor time of some work, after one round that does not count."""
    work()
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return float(np.median(times))


def click(name: str, page: str, query: dict[str, str], rounds: int) -> Figure:
    """A rerun of a page that was opened by a link."""
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    turn_to(app, page)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception and not app.warning, [one.value for one in app.warning]
    return Figure(f"{name}: a click", processor_seconds(app.run, rounds), CLICK, "s")


def another_token(of: str, query: dict[str, str], rounds: int) -> Figure:
    """A click on a token whose neighbours were not asked for before: the search is in it."""
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    turn_to(app, "atlas")
    for key, value in (query | {"sentence": " ".join("abcdefghijklm")}).items():
        app.query_params[key] = value
    app.run()
    tokens = count(2)

    def work() -> None:
        app.pills(key="atlas_token").set_value(next(tokens)).run()
        assert not app.exception

    return Figure(f"{of}, another token: a click", processor_seconds(work, rounds), NEAREST, "s")


def clicks(rounds: int, of: str, more: dict[str, str], heads: int) -> list[Figure]:
    """A rerun of each view with the atlas that `more` asks for, which keeps what the heads of a layer write."""
    one_head = {"atlas_part": "Nearest", "atlas_near": f"heads-{heads}"}
    views = CLICKS | {"Nearest, one head": one_head}
    found = [click(f"{of}, {name}", "atlas", query | more, rounds) for name, query in views.items()]
    return [*found, *(another_token(f"{of}, {name}", views[name] | more, rounds) for name in [*views][-2:])]


def shipped(rounds: int) -> list[Figure]:
    """The same with the shipped atlas of `base`; what is kept after the first click, made anew; and All heads."""
    atlas, base = Atlas(SHIPPED / "base"), TextEncoder.from_pretrained("base")
    firsts = []
    for layer, head in ((0, 0), (2, 3), (atlas.card.sizes["layers"] - 1, 1)):
        some = atlas.head_firings(layer, head, "weight", "top")
        texts = atlas.texts([one.sentence for one in some])
        contexts = [(texts[one.sentence], one.position) for one in some]
        work = partial(absences, base, AtlasPart("head", layer, head), contexts)
        name = f"shipped, {len(some)} contexts without a head of layer {layer}, the first time"
        firsts.append(Figure(name, processor_seconds(work, 5), CLICK, "s"))
    return [
        *clicks(rounds, "shipped", {}, *atlas.card.head_vectors),
        *firsts,
        click("All heads, measures", "heads", ALL_HEADS, rounds),
    ]


def clicks_on(folder: Path, rounds: int) -> list[Figure]:
    """The same on an atlas of `small` in a folder, which stands behind the shipped one, and its searches."""
    os.environ[FOLDER] = str(folder)
    atlas, small = Atlas(folder), TextEncoder.from_pretrained("small")
    of = f"{atlas.card.tokens:,} tokens"
    found = clicks(rounds, of, {"model": "small", "layer": "2", "atlas_of": "1"}, *atlas.card.head_vectors[:1])
    run = small.trace("Tom went to the house.")
    for i in atlas.card.vectors:
        search = partial(nearest_tokens, atlas, i, stream(run)[i][1])
        found.append(Figure(f"{of}: nearest vectors of layer {i}", processor_seconds(search, 3), NEAREST, "s"))
    for i in atlas.card.head_vectors:
        search = partial(nearest_outputs, atlas, small, i, 1, run[f"layers.{i}.attention.heads"][1, 1])
        found.append(Figure(f"{of}: nearest of a head of layer {i}", processor_seconds(search, 3), NEAREST, "s"))
    return found


def storage(folder: Path, text: Path) -> list[Figure]:
    """The files of `small` over as much text as exBERT's 47 GB are of: all of them, and those without vectors."""
    some = text.read_bytes()[:EXBERT].decode(errors="ignore").splitlines()
    layers = TextEncoder.from_pretrained("small").config.n_layers
    every = ["--vectors", *map(str, range(layers + 1)), "--head-vectors", *map(str, range(layers))]
    out = folder / "storage"
    made(out, some, "small", *every)
    of = f"{Atlas(out).card.tokens:,} tokens"
    vectors = sum(path.stat().st_size for path in [*out.glob("*.npy"), out / "vectors.parquet"])
    return [
        Figure("small, 1.1 MB of text: files without vectors", (size(out) - vectors) / 1e6, None, "MB", of),
        Figure("small, 1.1 MB of text: all layers' vectors and heads", vectors / 1e6, None, "MB", "in float16"),
    ]


def search(folder: Path, vectors: int = 1_000_000, width: int = 512) -> Figure:
    """The nearest of so many vectors that are on disk; their atlas is that of `base` with these for its own."""
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
    asked = torch.from_numpy(some[7].astype(np.float32))
    assert nearest_tokens(atlas, layer, asked)[0].cosine > 0.999
    took = processor_seconds(partial(nearest_tokens, atlas, layer, asked), 5)
    return Figure(f"the nearest of {vectors:,} vectors of {width}", took, NEAREST, "s")


def figures(rounds: int = 3, part: float = 1.0) -> list[Figure]:
    """Every figure with its bar, over that part of the text."""
    torch.set_num_threads(1)
    texts = sentences()
    texts = texts[: int(len(texts) * part)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        near = search(folder, int(1_000_000 * part))
        return [*speeds(folder, texts[::8]), *memory(folder, texts), *shipped(rounds), near]


def main() -> int:
    """Print the figures with their bars; return the exit status."""
    parser = argparse.ArgumentParser(description="What an atlas costs.")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    parser.add_argument("--clicks-only", action="store_true", help="and not what making one costs")
    parser.add_argument("--atlas", type=Path, metavar="DIR", help="an atlas of small to click on as well")
    parser.add_argument("--text", type=Path, metavar="FILE", help="of which the first 1.1 MB are stored as well")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    found = shipped(7) if asked.clicks_only else figures(7)
    if asked.text:
        with tempfile.TemporaryDirectory() as name:
            found += storage(Path(name), asked.text)
    if asked.atlas:
        found += clicks_on(asked.atlas, 7)
    return finish(found, asked.check)


if __name__ == "__main__":
    sys.exit(main())
