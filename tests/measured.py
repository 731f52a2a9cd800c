"""Run pytest and keep what it took: `python tests/measured.py NAME PYTEST-ARGUMENTS` writes .measured/NAME.json.

The file has the seconds of the whole run, the most memory that pytest and all that it started held at one time and what
each of these processes held then, and the seconds of every test file and of the dearest tests. Its exit code is that of
pytest.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from xml.etree import ElementTree

from processes import SYSTEM, family

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".measured"
EVERY = 5.0  # seconds between two looks at the memory
DEAREST = 40  # tests that are kept by name
NAMED = 10  # files and tests that are printed


def held(process: int) -> int:
    """Return the bytes that a process holds, its share of what several hold; 0 where the system does not say."""
    try:
        lines = (SYSTEM / str(process) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def command(process: int) -> str:
    """Return how a process was started, shortened; nothing where it has gone."""
    try:
        return (SYSTEM / str(process) / "cmdline").read_text().replace("\0", " ")[:120]
    except OSError:
        return ""


def watch(process: int, over: Event, peak: dict[str, int]) -> None:
    """Keep in `peak` what each of the process and its family held when they held the most, until it is over."""
    while not over.wait(EVERY):
        now = {f"{one} {command(one)}": held(one) for one in family(process)}
        if sum(now.values()) > sum(peak.values()):
            peak.clear()
            peak.update(now)


def durations(report: Path) -> tuple[Counter[str], Counter[str]]:
    """Return the seconds of each test file and of each test that pytest's report names."""
    files, tests = Counter[str](), Counter[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        file = case.get("classname", "").replace(".", "/") + ".py"
        files[file] += float(case.get("time", 0))
        tests[f"{file}::{case.get('name')}"] += float(case.get("time", 0))
    return files, tests


def main(name: str, arguments: list[str]) -> int:
    """Run, keep and print; return pytest's exit code."""
    KEPT.mkdir(exist_ok=True)
    report, start, over = KEPT / f"{name}.xml", perf_counter(), Event()
    peak: dict[str, int] = {}
    report.unlink(missing_ok=True)
    process = subprocess.Popen([sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments], cwd=ROOT)
    watcher = Thread(target=watch, args=(process.pid, over, peak))
    watcher.start()
    try:
        code = process.wait()
    finally:
        over.set()
        watcher.join()
    seconds, megabytes = perf_counter() - start, sum(peak.values()) / 1e6
    files, tests = durations(report) if report.is_file() else (Counter[str](), Counter[str]())
    summary = {
        "seconds": round(seconds, 1),
        "peak_mb": round(megabytes),
        "held_at_the_peak_mb": {
            one: round(size / 1e6) for one, size in sorted(peak.items(), key=lambda item: -item[1])
        },
        "tests": len(tests),
        "files": {file: round(took, 2) for file, took in files.most_common()},
        "dearest": {test: round(took, 2) for test, took in tests.most_common(DEAREST)},
    }
    (KEPT / f"{name}.json").write_text(json.dumps(summary, indent=1) + "\n")
    for title, table in (("files", files), ("tests", tests)):
        print(f"dearest {title}: " + ", ".join(f"{key} {took:.1f} s" for key, took in table.most_common(NAMED)))
    print(
        f"{name}: {len(tests)} tests in {seconds:.0f} s, at most {megabytes:,.0f} MB; {KEPT.name}/{name}.json",
        flush=True,
    )
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
