"""All figures, with the bar beside each: python tests/benchmarks/all.py [--check] [--only trace load].

Every program runs in a process of its own, one after the other, about half an hour in all; nothing else should run on
the machine meanwhile. With --check the exit status is 1 where any figure falls short. A single one is bench_NAME.py.
"""

import subprocess
import sys
from pathlib import Path
from time import perf_counter

from figures import command_line

PROGRAMS = ("trace", "page", "atlas", "load", "burst", "soak")


def main() -> int:
    """Run them all; return the exit status."""
    parser = command_line(__doc__)
    parser.add_argument("--only", nargs="*", choices=PROGRAMS, default=PROGRAMS)
    options = parser.parse_args()
    failed = []
    for name in options.only:
        print(f"\n== {name}", flush=True)
        start = perf_counter()
        program = Path(__file__).with_name(f"bench_{name}.py")
        if subprocess.run([sys.executable, program, "--check"], check=False).returncode:
            failed.append(name)
        print(f"   {perf_counter() - start:.0f} s", flush=True)
    print("\n" + (f"Falls short: {', '.join(failed)}" if failed else "Every figure holds."))
    return int(options.check and bool(failed))


if __name__ == "__main__":
    sys.exit(main())
