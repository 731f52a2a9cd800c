"""A measured figure beside its bar, and the table of all of them."""

import os
from dataclasses import dataclass


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
        """One line of the table."""
        bar = "" if self.bar is None else f"{self.bar:.4g}"
        judged = "" if self.bar is None else "holds" if self.holds else "FAILS"
        return f"{self.name:<58} {self.value:>9.4g} {self.unit:<4} {bar:>8}  {judged:<6} {self.note}".rstrip()


def finish(found: list[Figure], check: bool) -> int:
    """Print the table under the conditions it was measured in; returns the exit status."""
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    print(f"{os.cpu_count()} processors, load average at the end {load}")
    print(f"{'what':<58} {'measured':>9} {'':<4} {'bar':>8}")
    for figure in found:
        print(figure)
    return int(check and not all(figure.holds for figure in found))
