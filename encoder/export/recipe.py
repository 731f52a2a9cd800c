"""A few lines that make the numbers of a picture again: they run by themselves and print what is drawn."""

import ast
from collections.abc import Mapping
from types import ModuleType

from encoder import experiments, metrics
from encoder.attributions import contributions, gradients, sentence_list, similarity, target, why
from encoder.experiments import ablation, compare, timelapse
from encoder.explain.snippet import call, edit_source, maker, package_names
from encoder.probes import layers as probes
from encoder.trace.trace import Trace

MODULES: tuple[ModuleType, ...] = (
    metrics, experiments, ablation, compare, timelapse,
    target, gradients, why, contributions, similarity, sentence_list, probes,
)  # fmt: skip
ELSEWHERE = {  # of modules that are not loaded for a name's sake; these names come first
    "importance": "encoder.experiments.importance",
    "run": "encoder.trials",
}


def recipe(runs: Mapping[str, Trace], value: str) -> str:
    """Python for an expression of what the library has, of runs by their names, and of `enc`, the first run's model.

    Only what the expression needs is imported and made.

    Raises:
        SyntaxError: it is no expression.
    """
    names = {node.id for node in ast.walk(ast.parse(value, mode="eval")) if isinstance(node, ast.Name)}
    used = {name: run for name, run in runs.items() if name in names}
    models: dict[str, str] = {}
    edits: dict[str, str] = {}
    made = ""
    for name, run in used.items():
        model = models.setdefault(maker(run), f"enc_{name}" if models else "enc")
        changes = "".join(f"    {edit_source(edit, run)},\n" for edit in run.edits)
        changed = edits.setdefault(changes, f"edits_{name}" if edits else "edits") if changes else ""
        made += f"{name} = {call(run, model, changed)}\n"
    if "enc" in names and not models:
        models[maker(next(iter(runs.values())))] = "enc"
    sources = " ".join([*models, *edits])
    needs = package_names(" ".join([sources, *(f"{name}(" for name in names)]))
    lines = [
        "import math\n" if "math." in sources else "",
        "import torch\n" if "torch" in names else "",
        f"from encoder import {needs}\n" if needs else "",
    ]
    elsewhere = [f"from {module} import {name}\n" for name, module in ELSEWHERE.items() if name in names]
    names -= set(ELSEWHERE)
    for module in MODULES:
        if found := sorted(name for name in names - set(runs) if has(module, name)):
            lines.append(f"from {module.__name__} import {', '.join(found)}\n")
            names -= set(found)
    lines += [
        *elsewhere,
        "\n",
        *(f"{name} = {source}\n" for source, name in models.items()),
        *(f"{name} = (\n{source})\n" for source, name in edits.items()),
        made,
        f"x = {value}\nprint(x)\n",
    ]
    return "".join(lines).lstrip("\n")


def has(module: ModuleType, name: str) -> bool:
    """Whether a name of a module is a thing, and not a module within it."""
    return hasattr(module, name) and not isinstance(getattr(module, name), ModuleType)
