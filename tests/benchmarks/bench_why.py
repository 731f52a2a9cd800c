"""What it costs to say why: python tests/benchmarks/bench_why.py [--check].

Integrated gradients of 50 steps for 12 tokens of `base` on one core, and Alike? of the page Compare once its runs are
there: what it measures, and the whole rerun. Processor time, so that what else the machine does counts little.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import torch  # noqa: E402
from figures import Figure, finish  # noqa: E402
from streamlit.testing.v1 import AppTest  # noqa: E402

from encoder import TextEncoder  # noqa: E402
from encoder.experiments.attributions.gradients import integrated_gradients  # noqa: E402
from encoder.experiments.attributions.sentence_list import MOST, alike  # noqa: E402
from encoder.experiments.attributions.similarity import likeness, opened  # noqa: E402
from encoder.experiments.attributions.target import Target  # noqa: E402

TWELVE = "The animal did not cross the [MASK], because it"
OTHER = "The dog would not go over the road at night."
MOST_IN_PAGE, MOST_OF_RUNS = 0.1, 2.0  # seconds


def seconds(work: Callable[[], object], rounds: int) -> float:
    """The median of the processor time of some work, after one round that does not count."""
    work()
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return median(times)


def figures(rounds: int = 3) -> list[Figure]:
    """Every figure with its bar."""
    torch.set_num_threads(1)
    encoder = TextEncoder.from_pretrained("base")
    a, b = encoder.trace(TWELVE), encoder.trace(OTHER)
    assert len(a.tokens) == 12
    at = a.tokens.index("[MASK]")
    target = Target(at, int(a["mlm.logits"][at].argmax()))
    whole = seconds(lambda: [*integrated_gradients(encoder, a, target, "mask", 50, 50)], rounds)
    shares = seconds(lambda: (likeness(a, b), opened(encoder, a, b, 1, 1)), rounds)
    every = seconds(lambda: alike([a, b] * (MOST // 2)), rounds)
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    app.query_params["sentence"], app.query_params["other"] = TWELVE, OTHER
    app.query_params["compare_part"] = "Alike?"
    app.run()
    app.query_params.clear()
    app.switch_page("compare.py").run()
    rerun = seconds(app.run, rounds)
    assert not app.exception
    return [
        Figure("integrated gradients, 50 steps, 12 tokens, base", whole, MOST_OF_RUNS, "s"),
        Figure("Alike?: the matrix and one cell opened", shares, MOST_IN_PAGE, "s"),
        Figure(f"Alike?: a list of {MOST} sentences", every, MOST_IN_PAGE, "s"),
        Figure("Alike?: the whole rerun of the page", rerun, None, "s", "with the frame of every page"),
    ]


def main() -> int:
    """Print the figures with their bars; return the exit status."""
    parser = argparse.ArgumentParser(description="What it costs to say why.")
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    return finish(figures(7), parser.parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
