"""Faults as a person would meet them, planted one at a time in a copy: does `bash tests/run.sh` find each?

`python tests/planted_faults.py` plants every one, `python tests/planted_faults.py NUMBER ...` some. Each copy runs the
tests that guard what the fault spoils, without those that `bash tests/run.sh all` alone has; the first test that fails
is printed. The exit code says whether all were found.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".measured", ".hypothesis", "__pycache__", "node_modules")
FAILED = re.compile(r"^(?:FAILED|ERROR|not ok \d+ -) (\S.*)", re.MULTILINE)
PYTEST = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=short", "-p", "no:cacheprovider", "-m", "not nightly"]
NODE = ["node", "--test", "--test-reporter=tap"]


@dataclass(frozen=True)
class Fault:
    """What a person would see, the text of a file and what is put in its place, and the files of tests to run."""

    seen: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


FAULTS = (
    Fault(
        "a sum over words without what the biases of values bring",
        "encoder/experiments/attributions/word_sums.py",
        "values[:, BIASES] += attention.w_v.bias",
        "values[:, BIASES] += 0",
        ("test_word_sums.py",),
    ),
    Fault(
        "a sum over words in which a norm's shift is said to come from the first word",
        "encoder/experiments/attributions/word_sums.py",
        "        out[:, BIASES] += norm.bias",
        "        out[:, 0] += norm.bias",
        ("test_word_sums.py",),
    ),
    Fault(
        "a sum over words in which each part opens units of its own",
        "encoder/experiments/attributions/word_sums.py",
        "(inner * factor)",
        "(inner.relu())",
        ("test_word_sums.py",),
    ),
    Fault(
        "a caption that hides that a word was masked",
        "encoder/pictures/export/caption.py",
        'masked = ", ".join(f"{i} {run.tokens[i]}" for i in run.hidden) if hidden else ""',
        'masked = ""',
        ("test_pictures.py", "test_export.py"),
    ),
    Fault(
        "the weights of the next head under the name of this one",
        "encoder/pictures/registry/steps.py",
        '"head": lambda scene: scene.head},',
        '"head": lambda scene: scene.head - 1},',
        ("test_pages.py", "test_figures.py"),
    ),
    Fault(
        "a link that forgets a choice",
        "encoder/pictures/link.py",
        "for name, value in values.items()} | dict(view.choices)",
        "for name, value in values.items()} | dict(view.choices[1:])",
        ("test_state.py", "test_choices.py", "test_link_fuzz.py"),
    ),
    Fault(
        "a table whose rows stand one below their token",
        "encoder/pictures/numbers.py",
        "yield (*where, *values[index])",
        "yield (*where, *np.roll(values, 1, 0)[index])",
        ("test_pictures.py", "test_export.py"),
    ),
    Fault(
        "the picture of the layer before under the heading of this one",
        "encoder/trace/unpadded.py",
        "key = (args, tuple(sorted(options.items())))",
        "key = (*(one for one in args if not isinstance(one, int)), tuple(sorted(options.items())))",
        ("test_sinks.py", "test_words_known.py", "test_pages.py"),
    ),
    Fault(
        "a page that is blank on a phone",
        "pages/ui/shared.css",
        "h2 { padding: 0.75rem 0 0.5rem !important; }",
        "@media (max-width: 500px) { [data-testid=stMain] { visibility: hidden; } }",
        ("browser/test_everyone.py", "browser/test_drawer.py"),
    ),
    Fault(
        "a page that is wider than a phone",
        "pages/ui/shared.css",
        "h2 { padding: 0.75rem 0 0.5rem !important; }",
        "h2 { padding: 0.75rem 0 0.5rem !important; min-width: 30rem; }",
        ("browser/test_everyone.py",),
    ),
    Fault(
        "text that is typed and becomes markup",
        "pages/ui/text.py",
        'return "".join(f"\\\\{c}" if c in SYNTAX else c for c in named)',
        "return named",
        ("test_plain.py", "test_hostile_input.py", "browser/test_everyone.py"),
    ),
    Fault(
        "a map with its rows and columns exchanged",
        "encoder/pictures/figures/matrix.py",
        "z, ends = values.astype(np.float32), (low, high)",
        "z, ends = values.T.astype(np.float32), (low, high)",
        ("test_figures.py", "test_more_start.py"),
    ),
    Fault(
        "a share that is written ten times too large",
        "encoder/support/formatting.py",
        'value, sign = abs(100 * float(share)), "-" if share < 0 else ""',
        'value, sign = abs(1000 * float(share)), "-" if share < 0 else ""',
        ("test_formatting.py",),
    ),
    Fault(
        "an opened number that says who looks at whom the wrong way round",
        "encoder/packet/step_numbers.py",
        '" → ".join(tokens)',
        '" → ".join(tokens[::-1])',
        ("test_packet_step.py", "browser/test_drawer.py"),
    ),
    Fault(
        "a drawer that lies over the picture whose number it opens",
        "pages/ui/streamlit.css",
        "right: calc((var(--number-room) - var(--lesson-room)) / 2);",
        "right: calc(var(--lesson-room) / -2);",
        ("browser/test_drawer.py",),
    ),
    Fault(
        "a link that masks the word after the one that was masked",
        "encoder/pictures/link.py",
        "return tuple(sorted({int(place) for place in places}))",
        "return tuple(sorted({int(place) + 1 for place in places}))",
        ("test_state.py", "test_more_start.py"),
    ),
    Fault(
        "a CSV file with numbers cut short",
        "encoder/pictures/export/tables.py",
        'return f"{value:.9g}"',
        'return f"{value:.3g}"',
        ("test_export.py", "browser/test_keep.py"),
    ),
    Fault(
        "who looks at a word told as where the word looks",
        "encoder/metrics/word_kinds.py",
        "list(trace.tokenization.word_of(position))].double().mean(1)",
        "].double()[..., list(trace.tokenization.word_of(position))].mean(-1)[:, None]",
        ("test_word_weights.py",),
    ),
    Fault(
        "the length of the sum under the name of the residual",
        "encoder/metrics/sublayers.py",
        '"residual": length(trace[f"{at}.{part}.residual"]),',
        '"residual": length(trace[f"{at}.{part}.sum"]),',
        ("test_metrics_layers.py", "test_rows.py", "test_more_start.py"),
    ),
    Fault(
        "an effect at the switch of another layer",
        "encoder/experiments/ablation.py",
        "table[layer, effect.edit.heads[0] if effect.edit.heads else config.n_heads] = value",
        "table[layer - 1, effect.edit.heads[0] if effect.edit.heads else config.n_heads] = value",
        ("test_knockout.py",),
    ),
    Fault(
        "a guess whose bars have the shares of another word",
        "encoder/metrics/guess.py",
        "tuple(top.values.tolist()),",
        "tuple(top.values.tolist()[::-1]),",
        ("test_guess.py", "test_words.py", "test_words_known.py"),
    ),
    Fault(
        "a pupil who sees the screen that the teacher has left",
        "pages/ui/classroom/classroom.py",
        "open_class.times_shown += 1",
        "open_class.times_asked += 1",
        ("test_class_routes.py", "test_classroom.py", "browser/test_class.py"),
    ),
    Fault(
        "quiet text that cannot be read in the dark",
        "pages/ui/shared.css",
        "--muted: light-dark(#5a6170, #a6adbb)",
        "--muted: light-dark(#5a6170, #3a404d)",
        ("test_look.py", "browser/test_everyone.py"),
    ),
    Fault(
        "a chart of many cells that shades the lowest number most",
        "encoder/pictures/figures/matrix.py",
        "np.where(holes, 0, (values - low) / (high - low))",
        "np.where(holes, 0, (high - values) / (high - low))",
        ("test_figures.py",),
    ),
    Fault(
        "a right guess in a lesson that is told as wrong",
        "pages/front/lesson_steps.py",
        "right = None if at is None else at in answer.right",
        "right = None if at is None else at + 1 in answer.right",
        ("test_lesson_steps.py",),
    ),
)


def finder(fault: Fault) -> str:
    """Return the first test that fails with the fault planted; nothing where none does."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "planted"
        shutil.copytree(ROOT, copy, ignore=LEFT, symlinks=True)
        path = copy / fault.file
        text = path.read_text(encoding="utf-8")
        if text.count(fault.right) != 1:
            raise ValueError(f"{fault.file} has this text {text.count(fault.right)} times: {fault.right}")
        path.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
        for test in fault.tests:
            command = NODE if test.endswith(".mjs") else PYTEST
            run = subprocess.run([*command, f"tests/{test}"], cwd=copy, capture_output=True, text=True)
            if run.returncode not in (0, 1):
                raise RuntimeError(f"tests/{test} could not be run:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
            if failed := FAILED.search(run.stdout):
                return failed[1]
    return ""


def main(numbers: list[int]) -> int:
    """Plant the faults of these numbers, counted from 1, and print what finds each; return how many are not found."""
    missed = 0
    for number in numbers or range(1, len(FAULTS) + 1):
        fault = FAULTS[number - 1]
        found = finder(fault)
        missed += not found
        print(f"{number:2} {fault.seen}: {found or 'NOT FOUND'}", flush=True)
    print(f"{missed} of {len(numbers) or len(FAULTS)} are not found")
    return missed


if __name__ == "__main__":
    sys.exit(bool(main([int(number) for number in sys.argv[1:]])))
