"""All figures, with the bar beside each: python tests/benchmarks/all.py [--check].

Every benchmark runs in a process of its own, one after the other, about half an hour in all; nothing else should
run on the machine meanwhile. With --check the exit status is 1 where any figure falls short. A single one is
bench_NAME.py.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
ALL: tuple[tuple[str, ...], ...] = (
    ("bench_trace.py",),
    ("bench_inspector.py",),
    ("bench_living_map.py",),
    ("bench_knockout.py",),
    ("bench_why.py",),
    ("bench_atlas.py",),
    ("bench_exam.py",),
    ("bench_born.py",),
    ("bench_learn.py",),
    ("bench_lists.py",),
    ("bench_pages.py",),
    ("bench_front.py",),
    ("bench_explorer.py",),
    ("bench_load.py", "--sessions", "30", "60"),
    ("bench_load.py", "--sessions", "30", "--slow"),
    ("bench_burst.py",),
    ("bench_class.py",),
    ("bench_film.py",),
    ("bench_soak.py",),
    ("bench_abuse.py",),
)


def main() -> int:
    """Run them all; return the exit status."""
    parser = argparse.ArgumentParser(description="All figures, with the bar beside each.")
    parser.add_argument("--check", action="store_true", help="fail where a figure falls short")
    parser.add_argument("--only", nargs="*", default=[], help="names such as trace or load")
    options = parser.parse_args()
    failed = []
    for name, *more in ALL:
        if options.only and name.removeprefix("bench_").removesuffix(".py") not in options.only:
            continue
        print(f"\n== {' '.join([name, *more])}", flush=True)
        start = perf_counter()
        done = subprocess.run([sys.executable, HERE / name, *more, "--check"], check=False)
        print(f"   {perf_counter() - start:.0f} s", flush=True)
        if done.returncode:
            failed.append(" ".join([name, *more]))
    print("\n" + (f"Falls short: {', '.join(failed)}" if failed else "Every figure holds."))
    return int(options.check and bool(failed))


if __name__ == "__main__":
    sys.exit(main())
