"""What opening a number costs the server: python tests/benchmarks/bench_inspector.py [--check].

A sentence of 64 tokens on the attention page of `base`. Rerun by rerun, in turn: with no number open, and with numbers
of different steps open. Processor time of this process is what is printed, and how often the model ran meanwhile. With
--check the exit status is 1 where a rerun with an open number takes over 100 ms, or where the model ran again.
"""

import argparse
import sys
from pathlib import Path
from statistics import median
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from streamlit.testing.v1 import AppTest  # noqa: E402

from pages.ui import session  # noqa: E402
from pages.ui.server import engine  # noqa: E402

LIMIT = 0.100  # seconds
ROUNDS = 15
SENTENCE = "The old man and the sea were friends. " * 6 + "The old man and the sea were friends"
CELLS = {
    "nothing": "",
    "a weight": "layers.4.attention.weights:1,20,7",
    "a query": "layers.4.attention.q:1,20,7",
    "a unit": "layers.4.feed_forward.output:20,7",
    "a probability": "mlm.probabilities:20,2657",
}


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description="What opening a number costs the server.")
    parser.add_argument("--check", action="store_true", help=f"fail over {1000 * LIMIT:.0f} ms")
    check = parser.parse_args().check
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    app.query_params["sentence"] = SENTENCE
    app.run()
    app.query_params.clear()
    app.query_params["more"] = "1"
    app.query_params["sentence"] = SENTENCE
    app.switch_page("steps/attention.py").run()
    made = engine.run_cache.made
    times: dict[str, list[float]] = {name: [] for name in CELLS}
    for _ in range(ROUNDS):
        for name, cell in CELLS.items():
            app.query_params["cell"] = cell
            start = process_time()
            app.run()
            times[name].append(process_time() - start)
            assert not app.exception
    ran = engine.run_cache.made - made
    n = len(session.text_encoder("base").tokenize(SENTENCE).ids)
    print(f"rerun below the attention page, {n} tokens, median of {ROUNDS} in turn; the model ran {ran} times")
    for name, seconds in times.items():
        print(f"{name:>15} open: {1000 * median(seconds):6.1f} ms")
    slow = [name for name, seconds in times.items() if median(seconds) > LIMIT]
    return int(check and bool(slow or ran))


if __name__ == "__main__":
    sys.exit(main())
