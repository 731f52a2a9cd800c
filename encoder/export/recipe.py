"""A few lines that make the numbers of a picture again: they run by themselves and print what is drawn."""

import ast
from types import ModuleType

from encoder import experiments, metrics
from encoder.attributions import contributions, similarity, target
from encoder.experiments import compare, timelapse
from encoder.explain.snippet import call, edit_source, imports, maker
from encoder.probes import layers as probes
from encoder.trace.trace import Trace

MODULES: tuple[ModuleType, ...] = (metrics, experiments, compare, timelapse, contributions, similarity, target, probes)


def recipe(trace: Trace, value: str) -> str:
    """Python for an expression of what the library has, of `t`, the run, and of `enc`, its model.

    Only what the expression needs is imported and made.

    Raises:
        SyntaxError: it is no expression.
    """
    names = {node.id for node in ast.walk(ast.parse(value, mode="eval")) if isinstance(node, ast.Name)}
    runs = "t" in names
    needs = imports(trace) if runs else ", ".join(n for n in imports(trace).split(", ") if n != "Edit")
    edits = "".join(f"    {edit_source(edit, trace)},\n" for edit in trace.edits) if runs else ""
    lines = [
        "import math\n" if "math." in f"{maker(trace)}{edits}" else "",
        "import torch\n" if "torch" in names else "",
        f"from encoder import {needs}\n" if runs or "enc" in names else "",
    ]
    for module in MODULES:
        if found := sorted(name for name in names if hasattr(module, name)):
            lines.append(f"from {module.__name__} import {', '.join(found)}\n")
            names -= set(found)
    lines += [
        f"\nenc = {maker(trace)}\n" if runs or "enc" in names else "\n",
        f"edits = (\n{edits})\n" if edits else "",
        f"t = {call(trace, 'enc', 'edits')}\n" if runs else "",
        f"x = {value}\nprint(x)\n",
    ]
    return "".join(lines).lstrip("\n")
