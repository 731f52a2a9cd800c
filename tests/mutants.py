"""Count how many small faults in the library its tests find: `python tests/mutants.py FILE`.

Draws places of the code by a seed, as many in each package, puts one fault at a time (a mutant) into a copy of the last
commit, and runs the tests of what it touches until the first of them fails. FILE gets a line of JSON for each mutant:
module, line, operator, diff, outcome (killed, survived, or gone where the code is another now), by which test, seconds.
To run the same mutants again on this or another commit: `python tests/mutants.py --again FILE NEW` (with
`--only killed` those that were killed before).

Needs cosmic-ray (8.7), which is not among the packages of the tests: an environment with both runs this program.

What no test could find or every test would is not drawn: annotations, decorators, messages of errors and their numbers,
`strict=` of a zip, lines marked `# pragma`; arithmetic made of comparisons of identity, bit operations made of
arithmetic. A test that never ends kills after LIMIT seconds.
"""

import argparse
import ast
import json
import random
import re
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("model", "trace", "explain", "edits", "metrics")
LIMIT = 300.0
QUICK, SLOW = "not slow and not nightly", "slow and not nightly"
DRAWN = (
    r"ReplaceBinaryOperator_(Add|Sub|Mul|Div|FloorDiv|Mod|Pow)_(Add|Sub|Mul|Div|FloorDiv|Mod|Pow)",
    r"ReplaceBinaryOperator_Bit(Or|And|Xor)_Bit(Or|And|Xor)",
    r"ReplaceComparisonOperator_(Eq|NotEq|Lt|LtE|Gt|GtE)_(Eq|NotEq|Lt|LtE|Gt|GtE)",
    r"ReplaceComparisonOperator_(Is_IsNot|IsNot_Is)",
    r"ReplaceUnaryOperator_(Delete_\w+|USub_UAdd)",
    r"AddNot|NumberReplacer|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr|ReplaceOrWithAnd",
    r"ReplaceBreakWithContinue|ReplaceContinueWithBreak|ExceptionReplacer|ZeroIterationForLoop",
)
# The start of a module's path, and the tests of it, sharpest first; a module gets those of every line that fits.
TESTS = {
    "model/config": "config model_pages",
    "model/distance": "parity config",
    "model/tap": "edits",
    "model/linear": "linear",
    "model/activations": "activations",
    "model": "parity trace steps proof config linear activations cost hugging_face_files replay",
    "trace/tokens": "text pairs words",
    "trace/gaps": "texts",
    "trace/scripts": "texts",
    "trace/unpadded": "metrics_layers hostile_pages arguments",
    "trace/tokenizing": "text words texts strange_folders",
    "trace/words": "word_weights texts words exam_trees",
    "trace": "trace other_traces text tokenizer_files rows true_texts steps edits pairs replay",
    "explain/cost": "cost",
    "explain/proof": "proof",
    "explain/snippet": "code",
    "explain/whole": "statements trials",
    "explain": "explain cost proof code",
    "edits": "edits what_if_packet attributions",
    "metrics/flows": "metrics_flow arguments",
    "metrics/guess": "guess",
    "metrics/reading_notes": "texts words_known",
    "metrics/word_kinds": "words_known words_only word_weights",
    "metrics/lens": "other_traces metrics_layers",
    "metrics/layers": "metrics_layers",
    "metrics/sublayers": "metrics_layers",
    "metrics/neurons": "metrics_layers",
    "metrics/strongest_looks": "sinks",
    "metrics/head_measures": "measures atlas",
    "metrics/weight_matrices": "pairs measures",
    "metrics": "metrics_heads metrics metrics_layers metrics_flow sinks state words_known other_traces guess measures"
    " arguments",
}


@cache
def untested(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the start and the end (line, byte) of each part of a module that no fault is put in."""
    parts: list[Any] = []
    for node in ast.walk(ast.parse(source)):
        parts += getattr(node, "decorator_list", [])
        parts += [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Error")):
            parts.append(node)
        if isinstance(node, ast.keyword) and node.arg == "strict":
            parts.append(node)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            parts.append(node)
    return [((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)) for part in parts if part]


def is_drawn(operator: str, row: int, column: int, source: str) -> bool:
    """Whether that operator at that place is one of the faults to draw from."""
    line = source.splitlines()[row - 1]
    place = (row, len(line[:column].encode()))
    return (
        any(re.fullmatch(f"core/(?:{pattern})", operator) for pattern in DRAWN)
        and "# pragma" not in line
        and not any(start <= place < end for start, end in untested(source))
    )


def run(*command: str, **how: Any) -> str:
    """Return what a command prints; an error of it ends the program."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **how).stdout


def draw(copy: Path, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield `count` mutants, as many places of each package as of the others, and one operator at each place."""
    cosmic_ray = str(Path(sys.executable).with_name("cosmic-ray"))
    with TemporaryDirectory() as folder:
        settings, session = Path(folder, "settings.toml"), Path(folder, "session.sqlite")
        paths = json.dumps([f"encoder/{package}" for package in PACKAGES])
        settings.write_text(
            f'[cosmic-ray]\nmodule-path = {paths}\ntimeout = 1.0\nexcluded-modules = []\ntest-command = "true"\n'
            '[cosmic-ray.distributor]\nname = "local"\n'
        )
        run(cosmic_ray, "init", str(settings), str(session), cwd=copy)
        items = sqlite3.connect(session).execute(
            "SELECT module_path, start_pos_row, start_pos_col, operator_name, occurrence FROM mutation_specs"
            " ORDER BY 1, 2, 3, 4, 5"
        )
        places: dict[str, dict[tuple[str, int, int], list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
        sources: dict[str, str] = {}
        for module, row, column, operator, occurrence in items:
            source = sources.setdefault(module, (copy / module).read_text())
            if is_drawn(operator, row, column, source):
                places[module.split("/")[1]][module, row, column].append((operator, occurrence))
    chance = random.Random(seed)
    for package in PACKAGES:
        for module, row, column in sorted(chance.sample(list(places[package]), count // len(PACKAGES))):
            operator, occurrence = chance.choice(places[package][module, row, column])
            run(cosmic_ray, "apply", module, operator, str(occurrence), cwd=copy)
            diff = run("git", "diff", cwd=copy)
            run("git", "checkout", "-q", ".", cwd=copy)
            yield {"module": module, "line": row, "operator": operator.removeprefix("core/"), "diff": diff}


def tests_of(module: str) -> tuple[str, ...]:
    """Return the files of the tests of a module, sharpest first."""
    path = module.removeprefix("encoder/")
    names = [name for start, names in TESTS.items() if path.startswith(start) for name in names.split()]
    return tuple(f"tests/test_{name}.py" for name in dict.fromkeys(names))


def first_failure(copy: Path, files: tuple[str, ...], marks: str) -> str:
    """Return the first of the tests that fails, "time" or "start" where they do not end or begin, "" where all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-m", marks, *files]
    try:
        ran = subprocess.run(command, cwd=copy, text=True, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "time"
    if ran.returncode in (0, 5):  # 5: none of them has these marks
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", ran.stdout, re.MULTILINE)
    return named[1] if named else "start"


def judge(copy: Path, mutant: dict[str, Any], marks: str) -> dict[str, Any]:
    """Return the mutant with what those of its tests that have these marks say of it."""
    start = perf_counter()
    applied = subprocess.run(["git", "apply", "-C1"], input=mutant["diff"], text=True, cwd=copy, capture_output=True)
    if applied.returncode:
        return mutant | {"outcome": "gone", "by": "", "seconds": 0}
    failure = first_failure(copy, tests_of(mutant["module"]), marks)
    run("git", "checkout", "-q", ".", cwd=copy)
    outcome = "killed" if failure else "survived"
    return mutant | {"outcome": outcome, "by": failure, "seconds": round(perf_counter() - start, 1)}


def write(file: Path, mutants: list[dict[str, Any]]) -> None:
    """Write one line of JSON for each mutant."""
    file.write_text("".join(json.dumps(mutant) + "\n" for mutant in mutants))


def main() -> None:
    """Draw or read the mutants, judge each, write it and print the share of each package."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path, help="where the mutants and their outcomes are written")
    parser.add_argument("--again", type=Path, help="a file written before, whose mutants are to be run again")
    parser.add_argument("--only", choices=["killed", "survived"], help="of them, those with that outcome")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2017)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        run("git", "worktree", "add", "-q", "--detach", str(copy), "HEAD", cwd=ROOT)
        try:
            if options.again:
                mutants = [json.loads(line) for line in options.again.read_text().splitlines()]
                mutants = [mutant for mutant in mutants if options.only in (None, mutant.get("outcome"))]
            else:
                mutants = list(draw(copy, options.count, options.seed))
            files = {file for mutant in mutants for file in tests_of(mutant["module"])}
            if missing := sorted(file for file in files if not (copy / file).is_file()):
                sys.exit(f"TESTS names files that are not there: {missing}")
            write(options.file, mutants)
            for marks in (QUICK, SLOW):
                for index, mutant in enumerate(mutants):
                    if marks == QUICK or mutant["outcome"] == "survived":
                        mutants[index] = mutant = judge(copy, mutant, marks)
                        write(options.file, mutants)
                        print(*(value for key, value in mutant.items() if key != "diff"), flush=True)
            killers = {mutant["by"] for mutant in mutants} - {"", "time", "start"}
            if killers and (failure := first_failure(copy, tuple(killers), "not nightly")):
                sys.exit(f"red without any fault in the code, so that it cannot tell one: {failure}")
        finally:
            run("git", "worktree", "remove", "--force", str(copy), cwd=ROOT)
    for package in PACKAGES:
        counts = Counter(mutant["outcome"] for mutant in mutants if mutant["module"].startswith(f"encoder/{package}/"))
        print(f"{package}: {counts['killed']} of {counts.total()} killed")
    print(f"{sum(mutant['outcome'] == 'killed' for mutant in mutants)} of {len(mutants)} killed")


if __name__ == "__main__":
    main()
