"""The lines of Python that make the numbers of a picture: they run by themselves, and print what is drawn."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from encoder.explain.snippet import call as run_again
from encoder.explain.snippet import edit_source, maker, package_names
from encoder.pictures.expression import RUNS, Call, Constant, Expression, imported, source, variables, within
from encoder.trace.trace import Trace

RESULT = "result"  # what a call is named whose result is used more than once


def lines(expression: Expression | list[Any], runs: Mapping[str, Trace], model: str) -> str:
    """Python that prints the value of an expression; `runs` are what `t`, `a` and `b` stand for.

    Only what the expression needs is imported and made. `model` is the expression that makes `enc`.
    """
    names = variables(expression)
    used = {name: run for name, run in runs.items() if name in names}
    models: dict[str, str] = {model: "enc"} if "enc" in names else {}
    edits: dict[str, str] = {}
    made = ""
    for name, run in used.items():
        encoder = models.setdefault(maker(run), f"enc_{name}" if models else "enc")
        changes = "".join(f"    {edit_source(edit, run)},\n" for edit in run.edits)
        changed = edits.setdefault(changes, f"edits_{name}" if edits else "edits") if changes else ""
        made += f"{name} = {run_again(run, encoder, changed)}\n"
    value, first = source(expression), ""
    if (repeated := repeats(expression)) is not None:
        first, value = f"{RESULT} = {repeated}\n", value.replace(repeated, RESULT)
    sources = " ".join([*models, *edits])
    modules = imported(expression)
    needs = sorted({*filter(None, package_names(sources).split(", ")), *modules.pop("encoder", ())}, key=str.lower)
    plain = {name for name in ("math", "torch") if f"{name}." in f"{sources} {value} {first}" or name in modules}
    modules = {module: names for module, names in modules.items() if names}
    imports = [f"import {name}\n" for name in sorted(plain)]
    imports += ["\n"] if plain and (needs or modules) else []
    imports += [f"from encoder import {', '.join(needs)}\n"] if needs else []
    imports += [f"from {module} import {', '.join(sorted(names))}\n" for module, names in sorted(modules.items())]
    return "".join(
        [
            *imports,
            "\n" if imports else "",
            *(f"{name} = {text}\n" for text, name in models.items()),
            *(f"{name} = (\n{text})\n" for text, name in edits.items()),
            made,
            first,
            f"x = {value}\nprint(x)\n",
        ]
    )


def repeats(expression: Any) -> str | None:
    """The longest call that stands in an expression more than once, as Python."""
    calls = Counter(source(part) for part in within(expression) if isinstance(part, Call))
    several = [text for text, count in calls.items() if count > 1]
    return max(several, key=len, default=None)


def of_runs(expression: Any) -> bool:
    """Whether a run stands in it."""
    return bool(variables(expression) & RUNS)


def of_files(expression: Any) -> bool:
    """Whether an atlas or an examined training stands in it, whose files may change."""
    names = ("atlas_of", "training_moments")
    return any(isinstance(part, Constant) and str(part) in names for part in within(expression))
