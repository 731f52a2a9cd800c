"""All sentences of the screen in one file, to be read in one go.

`python tests/sentences.py > sentences.txt` prints, file by file, every text of the product that a person may read:
strings of the modules and scripts (a computed piece as its expression in braces), patterns, terms, lessons and jobs.
"""

import ast
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from house import PRODUCT, ROOT, tracked

DATA = (".json", ".toml")
# Two words of small letters behind each other, and nothing that only code has.
PROSE = re.compile(r"[A-Za-z\u2019'”“,]+ [a-z“”{]+")
CODE = re.compile(
    r"[;\\]|=>|==|&&|\|\||^[-.#/@\w]+$|^\s*[.#\[]|:\s*(?:none|flex|block|0)|px\b|--\w|\)\.\w|^[MLCQAZ ]*\d"
)
TAG, SLOT = re.compile(r"</?[a-z][^<>]*>"), re.compile(r"\{[^{}]*\}")
# Words of constructed sentences, what is measured, words that no pupil may show to a class.
NOT_READ = ("pretrained/", "/shipped/", "/results/", "/verdicts/", "unfit_words")


def prose(text: str) -> Iterator[str]:
    """The lines of a text that somebody reads: of markup what stands between its tags."""
    for line in re.split(
        r"\n|</(?:p|li|h\d|summary|button|td|th|div|label)>", TAG.sub(lambda tag: read_aloud(tag[0]), text)
    ):
        line = " ".join(line.split())
        bare = SLOT.sub(" x ", line)
        if PROSE.search(bare) and not CODE.search(bare):
            yield line


def read_aloud(tag: str) -> str:
    """What a tag has to read: its label or its title; its end ends a line where the tag is one of a line of its own."""
    said = re.findall(r'(?:aria-label|title|placeholder)="([^"]+)"', tag)
    return tag if tag.startswith("</") else "".join(f"\n{text}\n" for text in said)


def of_module(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that are not its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body[0] for node in ast.walk(tree) if isinstance(node, named) and node.body]
    left_out = {id(first.value) for first in bodies if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(piece) for piece in node.values}
            yield (
                node.lineno,
                "".join(
                    piece.value if isinstance(piece, ast.Constant) else f"{{{ast.unparse(piece.value)}}}"
                    for piece in node.values
                    if isinstance(piece, ast.Constant | ast.FormattedValue)
                ),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


def of_scripts(paths: list[Path]) -> dict[str, list[tuple[int, str]]]:
    """The strings of scripts, by file."""
    program = ROOT / "tests" / "javascript" / "sentences.mjs"
    printed = subprocess.run(["node", program, *paths], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)  # type: ignore[no-any-return]


def of_data(value: Any) -> Iterator[tuple[int, str]]:
    """The strings of a file of data, in its order."""
    if isinstance(value, str):
        yield 0, value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from of_data(inner)


def sentences() -> Iterator[tuple[str, list[str]]]:
    """Each file of the product that has texts for the screen, with them."""
    code = tracked(*PRODUCT, "app.py")
    scripts = of_scripts([path for path in code if path.suffix == ".js"])
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", *PRODUCT], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout  # fmt: skip
    data = [ROOT / name for name in listed.split() if name.endswith(DATA) and not any(one in name for one in NOT_READ)]
    for path in sorted({*code, *data}):
        if path.suffix == ".py":
            texts = sorted(of_module(path), key=lambda pair: pair[0])
        elif path.suffix == ".js":
            texts = scripts[str(path)]
        elif path.suffix in DATA:
            raw = path.read_text(encoding="utf-8")
            texts = list(of_data(json.loads(raw) if path.suffix == ".json" else tomllib.loads(raw)))
        else:
            continue
        read = list(dict.fromkeys(line for _, text in texts for line in prose(text)))
        if read:
            yield str(path.relative_to(ROOT)), read


if __name__ == "__main__":
    for name, read in sentences():
        print(f"\n## {name}")
        print("\n".join(read))
