"""What the house is like, in numbers: rooms, floors, arrows, lines, and words that say nothing.

`python tests/house.py` prints the table; `tests/test_house.py` has its bounds, which only fall.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT, LANGUAGES = ("encoder", "pages"), (".py", ".js", ".css", ".ts")
EMPTY_WORDS = frozenset({"asked", "found", "kept", "made", "one", "said", "seen", "told"})
FIVE = frozenset({"one", "found", "said", "told", "made"})
SHORT = 75  # lines
KINDS = {  # of pictures -> the class of what only the element of that kind makes
    "grid": "picture-canvas",
    "heads": "enc-layer-rows",
    "arcs": "enc-arcs",
    "bars": "bar-room",
    "vectors": "vs",
    "words after layers": "ou-grid",
    "board": "board",
    "curve": "curve-plot",
    "table of numbers": "row-table",
}
PAGE_TABLE = ROOT / "encoder" / "browser" / "page_table.py"


@cache
def tracked(*folders: str) -> tuple[Path, ...]:
    """The files of these folders that are code, without what is built of it."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", *folders], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout  # fmt: skip
    return tuple(ROOT / name for name in listed.split("\n") if Path(name).suffix in LANGUAGES and "/built/" not in name)


def lines(files: tuple[Path, ...]) -> int:
    """How many lines they have."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in files)


def arrows(package: str) -> dict[str, set[str]]:
    """The rooms of a package, each with those that it imports; programs may stand on all and do not count."""
    files = {path for path in tracked(package) if path.suffix == ".py"}
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    stand: dict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        room = module.split(".")[1] if "." in module else ""
        if not room or module.endswith(".__main__"):
            continue
        stand[room] |= set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                first, _, rest = name.partition(".")
                if first == package and (other := rest.partition(".")[0]) != room and other:
                    stand[room].add(other)
    known = set(stand)
    return {room: others & known for room, others in stand.items()}


def floors(stand: dict[str, set[str]]) -> int:
    """How high the house is.

    Raises:
        RecursionError: its rooms stand on each other in a circle.
    """
    height = cache(lambda room: 1 + max((height(other) for other in stand[room]), default=0))
    return max(height(room) for room in stand)


def names_of(path: Path) -> list[str]:
    """The names of a Python file, each as often as it stands there."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return [token.string for token in tokens if token.type == tokenize.NAME]


def insides_of_streamlit(path: Path) -> int:
    """How often a Python file takes something of Streamlit that is not what `import streamlit` shows."""
    count, source = 0, path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)) if "streamlit" in source else ():
        if isinstance(node, ast.ImportFrom):
            count += (node.module or "").startswith("streamlit.")
        elif isinstance(node, ast.Import):
            count += sum(alias.name.startswith("streamlit.") for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "st":
            count += node.attr.startswith("_") and not node.attr.startswith("__")
    return count


STREAMLITS = re.compile(r"data-testid|data-selected|data-orientation|aria-selected|st-key-|\.st[A-Z]|\[kind=")


def drawn_pages() -> tuple[str, ...]:
    """The keys of the pages that the browser draws, as their table has them."""
    for node in ast.parse(PAGE_TABLE.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "PAGES" and isinstance(node.value, ast.Dict):
            return tuple(key.value for key in node.value.keys if isinstance(key, ast.Constant))
    raise LookupError("the table of pages is no dictionary any more")


def owners(page: str) -> int:
    """How many draw a page of the browser's: it, and the server where that has a file or a folder of that name."""
    return 1 + any(path.exists() for path in (ROOT / "pages" / page, ROOT / "pages" / f"{page}.py"))


def names_all(path: Path, pages: tuple[str, ...]) -> int:
    """How many tables of a Python file name all these pages; of another file, whether it does."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return all(re.search(rf"\b{page}\b\W", source) for page in pages)
    tables = (ast.Dict, ast.List, ast.Tuple, ast.Set)
    count = 0
    for node in ast.walk(ast.parse(source)) if all(page in source for page in pages) else ():
        if isinstance(node, tables):
            parts = [*node.keys] if isinstance(node, ast.Dict) else [*node.elts]
            firsts = [part.args[0] if isinstance(part, ast.Call) and part.args else part for part in parts]
            named = {part.value for part in firsts if isinstance(part, ast.Constant)}
            count += {*pages} <= named
    return count


def makers(name: str, scripts: dict[Path, str]) -> int:
    """How many scripts make an element of a class."""
    made = re.compile(rf"""class(?:=|:\s)['"`](?:[^'"`>]*\s)?{name}[\s'"`$]""")
    return sum(bool(made.search(source)) for source in scripts.values())


def figures() -> dict[str, int]:
    """All that is counted."""
    product = tracked(*PRODUCT)
    pages = drawn_pages()
    python = [path for path in product if path.suffix == ".py"]
    library = arrows("encoder")
    text = {path: path.read_text(encoding="utf-8") for path in (*product, *tracked("tests"))}
    scripts = {path: text[path] for path in product if path.suffix == ".js"}
    basenames = Counter(path.name for path in product if path.name not in ("__init__.py", "__main__.py"))
    return {
        "folders of the library": sum(1 for path in (ROOT / "encoder").iterdir() if any(path.glob("*.py"))),
        "floors of the library": floors(library),
        "arrows of the library": sum(map(len, library.values())),
        "lines of the product": lines(product),
        "lines of the tests": lines(tracked("tests")),
        "files of the product": len(product),
        f"files under {SHORT} lines": sum(text[path].count("\n") < SHORT for path in product),
        "# fmt: skip": sum(each.count("  # fmt: skip\n") for each in text.values()),
        "the five words as names": sum(name in FIVE for path in python for name in names_of(path)),
        "drawers of a number": makers("enc-number", scripts),
        "elements a kind of picture": max(makers(name, scripts) for name in KINDS.values()),
        "owners of a page": max(map(owners, pages)),
        "tables that name all pages": sum(names_all(path, pages) for path in product),
        "places that hand a figure to Plotly": sum(
            text[path].count("Plotly.react(") + text[path].count(".plotly_chart(") for path in product
        ),
        "names of Streamlit's in styles": sum(
            len(STREAMLITS.findall(text[path])) for path in product if path.suffix == ".css" and "pages" in path.parts
        ),
        "insides of Streamlit": sum(map(insides_of_streamlit, (*python, ROOT / "app.py"))),
        "basenames that occur again": sum(count > 1 for count in basenames.values()),
    }


if __name__ == "__main__":
    for name, figure in figures().items():
        print(f"{figure:>7,}  {name}")
