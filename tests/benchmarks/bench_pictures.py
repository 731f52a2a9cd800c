"""This checkout against another one, in turns: python tests/benchmarks/bench_pictures.py OTHER [--rounds 12].

Each is a process of its own that opens pages without a browser: a click on a head, all heads of base at 64 tokens, and
a figure of four panels from its link. Prints the median of each and of the ratios of neighbours.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
LONG = " ".join(["The cat sat on the mat and the dog ran home"] * 6)
WORKER = """
import json, logging, sys, time
sys.path[:0] = ["tests", "."]
logging.disable(logging.CRITICAL)
from page_tools import choose, go, open_app
from encoder.support import link_text
LONG = sys.argv[1]
four = [["attention", "picture", {"layer": str(i), "head": "1", "step": "attention.weights"}] for i in range(4)]
heads = open_app("attention", layer="4", head="1")
every = open_app("heads", sentence=LONG)
turn = 0
def head():
    choose(heads, head=turn % 7)
def all_heads():
    every.pills(key="words_only").set_value(("all", "words")[turn % 2]).run()
def figure():
    four[0][2]["layer"] = str(turn % 6)
    four[0][2]["head"] = str(turn // 6)
    open_app("figure", figure=link_text.pack(four), figure_title=f"Turn {turn}")
asked = {"a click on a head": head, "all heads, 64 tokens": all_heads, "a figure of four panels": figure}
print("ready", flush=True)
for line in sys.stdin:
    turn += 1
    begin = time.perf_counter()
    asked[line.strip()]()
    print(json.dumps(time.perf_counter() - begin), flush=True)
"""
TASKS = ("a click on a head", "all heads, 64 tokens", "a figure of four panels")


def worker(folder: Path) -> subprocess.Popen[str]:
    """Start a checkout's process, and wait until it has its pages."""
    command = [sys.executable, "-c", WORKER, LONG]
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    )
    assert process.stdout and process.stdout.readline().strip() == "ready", folder
    return process


def seconds(process: subprocess.Popen[str], task: str) -> float:
    """How long a task takes there."""
    assert process.stdin and process.stdout
    process.stdin.write(f"{task}\n")
    process.stdin.flush()
    return float(json.loads(process.stdout.readline()))


def main() -> None:
    """Measure, and print a line for each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the folder of the other checkout")
    parser.add_argument("--rounds", type=int, default=12)
    arguments = parser.parse_args()
    other, this = worker(arguments.other), worker(ROOT)
    for task in TASKS:
        for process in (other, this):
            seconds(process, task)  # the first one loads what the others find
        pairs = [(seconds(other, task), seconds(this, task)) for _ in range(arguments.rounds)]
        before, now = (median(side) for side in zip(*pairs, strict=True))
        ratio = median(new / old for old, new in pairs)
        print(f"{task}: {1000 * before:.0f} ms there, {1000 * now:.0f} ms here; ratio {ratio:.2f}")
    for process in (other, this):
        process.kill()


if __name__ == "__main__":
    main()
