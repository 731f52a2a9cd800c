"""A measured figure beside its bar, the table of all of them, and what every program here measures with."""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "browser")]


@dataclass(frozen=True)
class Figure:
    """What was measured, its value, and the bar that it must not be over; no bar where it only informs."""

    name: str
    value: float
    bar: float | None = None
    unit: str = ""
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether it is at most its bar; what is not a number is not."""
        return self.bar is None or self.value <= self.bar

    def __str__(self) -> str:
        """Return one line of the table."""
        bar = "" if self.bar is None else f"{self.bar:.4g}"
        judged = "" if self.bar is None else "holds" if self.holds else "FAILS"
        return f"{self.name:<58} {self.value:>9.4g} {self.unit:<4} {bar:>8}  {judged:<6} {self.note}".rstrip()


def errors(name: str, lines: list[str]) -> Figure:
    """Return the number of errors, of which there may be none, with the first two of them."""
    return Figure(f"{name}: errors", len(lines), 0, note="; ".join(lines[:2]))


def finish(figures: list[Figure], check: bool) -> int:
    """Print the table under the conditions it was measured in; return the exit status."""
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    print(f"{os.cpu_count()} processors, load average at the end {load}")
    print(f"{'what':<58} {'measured':>9} {'':<4} {'bar':>8}")
    print(*figures, sep="\n")
    return int(check and not all(figure.holds for figure in figures))


def command_line(text: str | None) -> argparse.ArgumentParser:
    """Return a parser with the option that every program has."""
    parser = argparse.ArgumentParser(description=(text or "").partition(":")[0])
    parser.add_argument("--check", action="store_true", help="fail where a figure is over its bar")
    return parser


def share(values: list[float], part: float) -> float:
    """Return the value below which that part of all lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def high(name: str, values: list[float], bar: float | None = None, unit: str = "ms", note: str = "") -> Figure:
    """Return the value that 19 of 20 keep to, with the median and the largest."""
    spread = f"median {median(values):.4g}, largest {max(values):.4g} of {len(values)}"
    return Figure(f"{name}, p95", share(values, 0.95), bar, unit, "; ".join(filter(None, (spread, note))))


def processor_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median of the processor time of some work, after one round that does not count."""
    work()
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return median(times)
