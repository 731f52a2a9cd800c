"""What it costs to see grammar being born: python tests/benchmarks/bench_born.py [--check].

A training on 2,000 lines on two cores, with `--exam` and without; a sentence of one's own over the nine moments of
`small`, arcs and guesses, once its weights are loaded; and moments of the film in a browser, each from the key to the
second frame after it.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "benchmarks")]

import torch  # noqa: E402
from bench_load import server  # noqa: E402
from chromium import find_chromium  # noqa: E402
from figures import Figure, finish  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from encoder.exam import bundled_treebanks  # noqa: E402
from encoder.exam.rise import KEYS  # noqa: E402
from encoder.experiments.film import gap_moments, word_moments  # noqa: E402
from encoder.experiments.timelapse import moments_of  # noqa: E402
from encoder.text_encoder import TextEncoder  # noqa: E402
from encoder.train.recipe import RECIPES  # noqa: E402

LINES, OWN = 2000, "My neighbours from the old house near the river sold a very small boat."
ADDED, SECONDS, FRAME = 15.0, 2.0, 50.0  # seconds for each snapshot, seconds, milliseconds
PRESS = """(chart, key) => new Promise(done => {
  const start = performance.now()
  chart.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
})"""


def trained(corpus: Path, out: Path, *more: str) -> float:
    """Seconds that a training of the smallest preset takes on two cores."""
    command = [sys.executable, "-m", "encoder.train", "--corpus", corpus, "--preset", "tiny", "--out", out, *more]
    two = dict(os.environ) | {
        "OMP_NUM_THREADS": "2",
        "OMP_WAIT_POLICY": "PASSIVE",
    }  # waiting threads leave a busy machine alone
    start = perf_counter()
    subprocess.run(command, cwd=ROOT, env=two, check=True, capture_output=True)
    return perf_counter() - start


def training(lines: int = LINES, more: tuple[str, ...] = ()) -> list[Figure]:
    """A training with and without an examination of its snapshots."""
    texts = [" ".join(tree.words) for bank in bundled_treebanks() for tree in bank.trees][:lines]
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("\n".join(texts), encoding="utf-8")
        without = trained(corpus, Path(folder) / "without", *more)
        examined = trained(corpus, Path(folder) / "with", "--exam", *more)
        moments = len(list((Path(folder) / "with" / "snapshots").glob("*.safetensors")))
    added = (examined - without) / moments
    note = f"{examined:.1f} s with, {without:.1f} s without, {moments} snapshots"
    return [Figure(f"--exam adds to {len(texts):,} lines, each snapshot", added, ADDED, "s", note)]


def sentence() -> Figure:
    """A sentence of one's own over all moments."""
    torch.set_num_threads(2)
    moments = moments_of(TextEncoder.from_pretrained("small"))
    start = perf_counter()
    word_moments(moments, OWN, 2, 0)
    gap_moments(moments, KEYS, ("is", "are"))
    return Figure(f"a sentence over {len(moments)} moments", perf_counter() - start, SECONDS, "s")


def frames(url: str, rounds: int = 4) -> Figure:
    """The median time of a moment of the film in a browser."""
    with sync_playwright() as play, play.chromium.launch(executable_path=find_chromium()) as browser:
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.goto(f"{url}/learn?born_heads=1")
        chart = page.get_by_role("slider", name="Moment of training")
        page.get_by_text("first guesses then").wait_for()
        chart.wait_for()
        keys = ["Home", *["ArrowRight"] * (len(RECIPES["small"].snapshots) - 1)] * rounds
        found = [chart.evaluate(PRESS, key) for key in keys]
    return Figure(
        "a frame of the film", median(found), FRAME, "ms", f"{len(found)} of them, the slowest {max(found):.0f}"
    )


def main() -> int:
    """Print the figures with their bars; return the exit status."""
    parser = argparse.ArgumentParser(description="What it costs to see grammar being born.")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    check = parser.parse_args().check
    with server() as running:
        film = frames(running.url)
    return finish([*training(), sentence(), film], check)


if __name__ == "__main__":
    sys.exit(main())
