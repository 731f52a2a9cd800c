"""The library stands alone, and its modules build on each other in one direction."""

import ast
import json
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "encoder").rglob("*.py"))
}
FLOORS = (  # folders and files of encoder/; each stands on those before it and on itself
    {"arguments", "attended", "command_line", "errors", "formatting", "link_text", "on_demand", "progress", "pulse"}
    | {"selection", "whole_file"},
    {"model"},
    {"steps"},
    {"edits"},
    {"trace"},
    {"operations"},
    {"explain"},
    {"checkpoint"},
    {"hub"},
    {"text_encoder"},
    {"metrics"},
    {"train"},
    {"atlas"},
    {"tasks"},
    {"experiments"},
    {"attributions"},
    {"probes"},
    {"exam"},
    {"packet"},
    {"browser"},
    {"recount"},
    {"trials"},
    {"lessons"},
    {"export"},
    {"theme"},
    {"figures"},
    {"paper"},
    {"story"},
    {"pictures"},
    {"report"},
    {"commands"},
)


@cache
def nodes(module: str) -> list[ast.AST]:
    """All that the file is made of."""
    return list(ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))))


@cache
def imported(module: str) -> set[str]:
    """Every module that the file names in an import, anywhere in it, in full."""
    found = set()
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes(module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (above, node.module)))
            parts = {f"{source}.{alias.name}" for alias in node.names}
            inside = {part for part in parts if part in MODULES}
            found |= inside if len(inside) == len(parts) else {source, *inside}
    return found


def floor(module: str) -> int:
    """How high a module of the package stands."""
    return next(i for i, names in enumerate(FLOORS) if module.split(".")[1] in names)


def test_no_module_imports_streamlit_or_transformers() -> None:
    outside = ("streamlit", "pages", "app", "transformers")
    assert [(a, b) for a in MODULES for b in imported(a) if b.split(".")[0] in outside] == []


def test_every_module_has_its_floor() -> None:
    assert {module.split(".")[1] for module in MODULES if module != "encoder"} <= set().union(*FLOORS)


def test_imports_point_one_way() -> None:
    arrows = [(a, b) for a in MODULES for b in imported(a) if a != "encoder" and b.split(".")[0] == "encoder"]
    assert len(arrows) > len(MODULES)
    assert [(a, b) for a, b in arrows if b == "encoder"] == [], "import the module, not the front door"
    assert [(a, b) for a, b in arrows if floor(b) > floor(a) and not a.endswith(".__main__")] == []
    assert [(a, b) for a, b in arrows if b.endswith(".__main__")] == [], "a program may stand on all; nothing on it"


def test_there_are_no_cycles() -> None:
    graph = {module: imported(module) & MODULES.keys() for module in MODULES}
    order = list(TopologicalSorter(graph).static_order())
    assert set(order) == set(MODULES)
    assert (
        order.index("encoder.model.config") < order.index("encoder.model.encoder") < order.index("encoder.text_encoder")
    )


@pytest.mark.slow
def test_importing_the_library_loads_no_drawing_and_no_server() -> None:
    script = "import json, sys; from encoder import TextEncoder; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert {"torch", "tokenizers", "safetensors"} <= loaded
    assert loaded & {"streamlit", "plotly", "pandas", "matplotlib", "transformers", "PIL"} == set()


@pytest.mark.slow
def test_proving_a_step_loads_nothing_of_torchs_compiler() -> None:
    """Its 800 modules would take a second, and a tenth of a second of every rerun after it."""
    script = """
import sys
from encoder import TextEncoder
from encoder.explain.proof import checks
encoder = TextEncoder.from_pretrained("small")
trace = encoder.trace("The cat.")
print(sum(len(checks(encoder.model, trace, trace.step(name))) for name in trace), "torch._dynamo" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    proofs, loaded = done.stdout.split()
    assert int(proofs) > 20 and loaded == "False"


@pytest.mark.slow
def test_files_of_a_run_need_no_drawing() -> None:
    script = "import sys; from encoder.pictures.export import to_npz; assert 'plotly' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=300, check=False).returncode == 0


def test_one_name_is_one_class() -> None:
    """A reader who knows a class by its name knows which one it is."""
    found = [node.name for module in MODULES for node in nodes(module) if isinstance(node, ast.ClassDef)]
    assert len(found) > 80 and sorted({name for name in found if found.count(name) > 1}) == []
