"""The names of all choices that pages ask for, read off the pages' own source without running it.

A name is what a call to `choice` is given, or to a function that hands one of its parameters on to `choice`.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PAGES = Path(__file__).parents[2]
ASKING = {"choice": 0, "shared_choice": 0}  # a function that asks -> which of its arguments is the name
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def names() -> frozenset[str]:
    """Every name that some page may ask `choice` for."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PAGES.rglob("*.py"))]
    asking, before = dict(ASKING), dict[str, int]()
    while asking != before:
        before = dict(asking)
        for tree in trees:
            asking |= handing_on(tree, asking)
    return frozenset(name for tree in trees for name in asked(tree, asking))


def handing_on(tree: ast.Module, asking: dict[str, int]) -> dict[str, int]:
    """The functions of a module that give one of their parameters to a function that asks, and which."""
    found = {}
    for key, function in keys(tree, asking):
        if function and isinstance(key, ast.Name) and key.id in (given := parameters(function)):
            found[function.name] = given.index(key.id)
    return found


def parameters(function: Function | None) -> list[str]:
    """What a function is given by place."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)] if function else []


def keys(
    node: ast.AST, asking: dict[str, int], within: Function | None = None
) -> Iterator[tuple[ast.expr, Function | None]]:
    """What calls below a node give to functions that ask, where the name of a choice belongs, and who calls."""
    if isinstance(node, ast.Call) and not any(given.arg == "linked" for given in node.keywords):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in asking and getattr(getattr(node.func, "value", None), "id", "") != "st":  # a widget's own
            named = [given.value for given in node.keywords if given.arg == "key"]
            yield from ((key, within) for key in node.args[asking[called] :][:1] + named)
    for below in ast.iter_child_nodes(node):
        yield from keys(below, asking, node if isinstance(node, Function) else within)


def asked(tree: ast.Module, asking: dict[str, int]) -> Iterator[str]:
    """The names that a module asks for: texts, and the texts that a variable of the module may be."""
    for key, function in keys(tree, asking):
        yield from texts(key)
        variables = {node.id for node in ast.walk(key) if isinstance(node, ast.Name)} - {*parameters(function)}
        yield from (text for name in variables for value in values(tree, name) for text in texts(value))


def values(tree: ast.Module, variable: str) -> Iterator[ast.expr]:
    """What a module lets a variable be: by assignment, in a loop or in a comprehension."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else getattr(node, "iter", None)
        if isinstance(value, ast.expr) and any(getattr(target, "id", "") == variable for target in targets):
            yield value


def texts(node: ast.expr) -> Iterator[str]:
    """The texts that stand in an expression."""
    yield from (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))
