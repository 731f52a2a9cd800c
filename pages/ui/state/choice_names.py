"""The names of all choices that pages ask for, read off the pages' own source without running it.

A name is what a call to `choice` is given, or to a function that hands one of its parameters on to `choice`.
"""

import ast
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from encoder.pictures.registry import pictures
from encoder.pictures.sheet import OFFERED

PAGES = Path(__file__).parents[2]
ASKING = {"choice": 0, "shared_choice": 0}  # a function that asks -> which of its arguments is the name
Function = ast.FunctionDef | ast.AsyncFunctionDef
Call = tuple[ast.Call, Function | None]
reading = threading.Lock()


def names() -> frozenset[str]:
    """Every name that some page may ask `choice` for.

    One thread reads at a time: in Python 3.11 two that make syntax trees at once disturb each other (SystemError).
    """
    with reading:
        return read_names()


@cache
def read_names() -> frozenset[str]:
    """Read all names."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PAGES.rglob("*.py"))]
    modules = [(tree, list(calls(tree))) for tree in trees]  # to look for them takes the time, so it is done once
    asking, before = dict(ASKING), dict[str, int]()
    while asking != before:
        before = dict(asking)
        for _, made in modules:
            asking |= handing_on(made, asking)
    of_pages = {name for tree, made in modules for name in asked(tree, made, asking)}
    of_pictures = {option.key for picture in pictures().values() for option in picture.options}
    return frozenset(of_pages | of_pictures | OFFERED.keys())


def calls(node: ast.AST, within: Function | None = None) -> Iterator[Call]:
    """The calls below a node that could ask, and the function that each stands in."""
    if isinstance(node, ast.Call):
        yield node, within
    for below in ast.iter_child_nodes(node):
        yield from calls(below, node if isinstance(node, Function) else within)


def handing_on(made: list[Call], asking: dict[str, int]) -> dict[str, int]:
    """The functions of a module that give one of their parameters to a function that asks, and which."""
    found = {}
    for key, function in keys(made, asking):
        if function and isinstance(key, ast.Name) and key.id in (given := parameters(function)):
            found[function.name] = given.index(key.id)
    return found


def parameters(function: Function | None) -> list[str]:
    """What a function is given by place."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)] if function else []


def keys(made: list[Call], asking: dict[str, int]) -> Iterator[tuple[ast.expr, Function | None]]:
    """What calls give to functions that ask, where the name of a choice belongs, and who calls."""
    for call, within in made:
        called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if called in asking and getattr(getattr(call.func, "value", None), "id", "") != "st":  # a widget's own
            named = [given.value for given in call.keywords if given.arg == "key"]
            yield from ((key, within) for key in call.args[asking[called] :][:1] + named)


def asked(tree: ast.Module, made: list[Call], asking: dict[str, int]) -> Iterator[str]:
    """The names that a module asks for: texts, and the texts that a variable of the module may be."""
    for key, function in keys(made, asking):
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
