"""Expressions of the library: worked out for the screen, and printed as the lines that make the same numbers again.

`call(rollout, T)[2]` is both `rollout(t)[2]` as Python and, given a run for `t`, its value. So the code under a picture
is no second statement of what is drawn.
"""

import importlib
import math
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import partial
from typing import Any

from encoder.explain.snippet import call as run_again
from encoder.explain.snippet import edit_source, maker, package_names
from encoder.support.progress import progress
from encoder.trace.trace import Trace

Kept = Callable[["Expression", Callable[[], Any]], Any]  # works out a call, or hands out what is kept of it


class Expression(ABC):
    """Part of a line of Python: attributes, items and calls of it are expressions again.

    `parts_` are what it is made of. Two expressions are equal if they are printed alike.
    """

    def __init__(self, *parts: Any) -> None:
        self.parts_ = parts

    def __getattr__(self, name: str) -> "Attribute":
        if name.startswith("_"):
            raise AttributeError(name)
        return Attribute(self, name)

    def __getitem__(self, key: Any) -> "Item":
        return Item(self, key)

    def __call__(self, *arguments: Any, **options: Any) -> "Call":
        """The call of what this stands for."""
        return Call(self, arguments, options)

    def __iter__(self) -> Iterator[Any]:  # Python would ask for its items for ever
        raise TypeError("an expression has no items before it is worked out")

    @abstractmethod
    def __str__(self) -> str:
        """The expression as Python."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def work_out_(self, look_up: Callable[[Any], Any]) -> Any:
        """The value, given how its parts are looked up."""
        return self.make_(*map(look_up, self.parts_))

    def make_(self, *parts: Any) -> Any:
        """The value, given those of its parts."""
        raise NotImplementedError


class Name(Expression):
    """A variable: the run `t`, the runs `a` and `b` that are held against each other, the model `enc`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name_ = name

    def __str__(self) -> str:
        return self.name_

    def work_out_(self, look_up: Callable[[Any], Any]) -> Any:
        """The value, given how its parts are looked up."""
        return look_up(self)


class Constant(Expression):
    """Something that a module defines: a function, a class or a value."""

    def __init__(self, module: str, name: str) -> None:
        super().__init__()
        self.module_, self.name_ = module, name

    def __str__(self) -> str:
        return self.name_

    def make_(self) -> Any:
        """What the module defines."""
        return getattr(importlib.import_module(self.module_), self.name_)


class Attribute(Expression):
    """An attribute: `of.name`."""

    def __init__(self, of: Expression, name: str) -> None:
        super().__init__(of)
        self.name_ = name

    def __str__(self) -> str:
        return f"{self.parts_[0]}.{self.name_}"

    def make_(self, of: Any) -> Any:
        """The attribute."""
        return getattr(of, self.name_)


class Item(Expression):
    """An item, or a slice: `of[key]`."""

    def __str__(self) -> str:
        of, key = self.parts_
        return f"{of}[{', '.join(map(source, key)) if isinstance(key, tuple) else source(key)}]"

    def make_(self, of: Any, key: Any) -> Any:
        """The item."""
        return of[key]


class Call(Expression):
    """A call with its arguments: `of(arguments, name=option)`."""

    def __init__(self, of: Expression, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        super().__init__(of, *arguments, *options.values())
        self.options_ = list(options)

    def __str__(self) -> str:
        of, *given = self.parts_
        names = [""] * (len(given) - len(self.options_)) + [f"{name}=" for name in self.options_]
        return f"{of}({', '.join(name + source(value) for name, value in zip(names, given, strict=True))})"

    def make_(self, of: Any, *given: Any) -> Any:
        """What is returned."""
        first = len(given) - len(self.options_)
        return of(*given[:first], **dict(zip(self.options_, given[first:], strict=True)))


class Last(Call):
    """The last thing that a call hands out, which does its work step by step: `[*of(arguments)][-1]`."""

    def __str__(self) -> str:
        return f"[*{super().__str__()}][-1]"

    def make_(self, of: Any, *given: Any) -> Any:
        """The last thing."""
        step: Any = None
        with progress("measuring", "steps") as hear:
            for step in super().make_(of, *given):
                hear(step.done, step.total)
        return step


class LoadingCall(Call):
    """A call that loads models: who asks for it remembers what was made of them, and never the models."""


class Each(Expression):
    """The attribute or item of each of several things, as a list: `[each.key for each in of]`."""

    def __init__(self, of: Expression, key: str | int) -> None:
        super().__init__(of)
        self.key_ = key

    def __str__(self) -> str:
        part = f".{self.key_}" if isinstance(self.key_, str) else f"[{self.key_}]"
        return f"[each{part} for each in {self.parts_[0]}]"

    def make_(self, of: Any) -> Any:
        """The list."""
        return [getattr(each, self.key_) if isinstance(self.key_, str) else each[self.key_] for each in of]


class Local(Expression):
    """The full name of a step of a layer, from its name within the layer."""

    def __init__(self, layer: Any, name: str) -> None:
        super().__init__(layer)
        self.name_ = name

    def __str__(self) -> str:
        layer = self.parts_[0]
        return f'f"layers.{{{layer}}}.{self.name_}"' if isinstance(layer, Name) else f'"layers.{layer}.{self.name_}"'

    def make_(self, layer: Any) -> Any:
        """The name."""
        return f"layers.{layer}.{self.name_}"


class Places(Sequence[Any]):
    """What there is at every place of a dimension, each worked out when it is asked for."""

    def __init__(self, make: Callable[[int], Any], count: int) -> None:
        self.make, self.count_ = make, count

    def __len__(self) -> int:
        return self.count_

    def __getitem__(self, place: Any) -> Any:
        places = range(self.count_)[place]
        return [self.make(i) for i in places] if isinstance(places, range) else self.make(places)


class Every(Expression):
    """A list with the same expression for every layer, or place of another dimension: `[... for layer in range(6)]`.

    Its items are printed as what they are, and only those that are asked for are worked out.
    """

    def __init__(self, of_place: Callable[[Any], Expression], count: int, dim: str = "layer") -> None:
        super().__init__(of_place(0))
        self.of_place_, self.count_, self.dim_ = of_place, count, dim

    def __str__(self) -> str:
        return f"[{self.of_place_(Name(self.dim_))} for {self.dim_} in range({self.count_})]"

    def __getitem__(self, key: Any) -> Any:
        return self.of_place_(range(self.count_)[key]) if isinstance(key, int) else Item(self, key)

    def work_out_(self, look_up: Callable[[Any], Any]) -> Any:
        """The value, given how its parts are looked up."""
        return Places(lambda place: look_up(self.of_place_(place)), self.count_)


class Several(Expression):
    """A list of expressions: `[first, second]`."""

    def __str__(self) -> str:
        return source(list(self.parts_))

    def __getitem__(self, key: Any) -> Any:
        return self.parts_[key] if isinstance(key, int) else Several(*self.parts_[key])

    def make_(self, *parts: Any) -> Any:
        """The list."""
        return list(parts)


T, A, B, ENC = Name("t"), Name("a"), Name("b"), Name("enc")
RUNS = frozenset({"t", "a", "b"})


def call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Call:
    """The call of a public function of the library, or of a class; its arguments may be expressions."""
    return public(function)(*arguments, **options)


def last(function: Callable[..., Any], *arguments: Any, **options: Any) -> Last:
    """The last of what a public generator of the library hands out."""
    return Last(public(function), arguments, options)


def loaded(function: Callable[..., Any], *arguments: Any, **options: Any) -> LoadingCall:
    """The call of a public function of the library that loads models."""
    return LoadingCall(public(function), arguments, options)


def step(layer: Any, name: str, run: Expression = T) -> Item:
    """A recorded step of a layer of a run, by its name within the layer; of "embedding.output" and such without one."""
    return run[name if layer is None else Local(layer, name)]


def changed(expression: Expression, change: Callable[[Any], Expression]) -> Expression:
    """The same change of an expression, or of every item where that is an `Every` or `Several`."""
    if isinstance(expression, Every):
        return Every(lambda place: change(expression.of_place_(place)), expression.count_, expression.dim_)
    if isinstance(expression, Several):
        return Several(*map(change, expression.parts_))
    return change(expression)


def public(thing: Any) -> Constant:
    """A function or class of the library under the shortest name of a package that has it."""
    name = thing.__name__
    parts = thing.__module__.split(".")
    for end in range(1, len(parts) + 1):
        module = ".".join(parts[:end])
        if getattr(sys.modules.get(module) or importlib.import_module(module), name, None) is thing:
            return Constant(module, name)
    raise ValueError(f"{name} of {thing.__module__} cannot be imported by its name")


def source(value: Any) -> str:
    """A value within an expression as Python."""
    if type(value) in (list, tuple):
        inside = ", ".join(map(source, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{source(key)}: {source(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, slice):
        ends = ["" if end is None else source(end) for end in (value.start, value.stop)]
        return ":".join(ends if value.step is None else [*ends, source(value.step)])
    if isinstance(value, float) and not math.isfinite(value):
        return "math.nan" if math.isnan(value) else "math.inf" if value > 0 else "-math.inf"
    return str(value) if isinstance(value, Expression) else repr(value)


def within(value: Any) -> Iterator[Any]:
    """Everything that an expression is made of, the expression itself first."""
    yield value
    inner: tuple[Any, ...] = ()
    if isinstance(value, Expression):
        inner = value.parts_
    elif isinstance(value, list | tuple):
        inner = tuple(value)
    elif isinstance(value, dict):
        inner = tuple(value.values())
    for part in inner:
        yield from within(part)


def of_result(method: Call) -> bool:
    """Whether it is a method of what another call gives, such as `mean`."""
    return any(isinstance(part, Call) for part in within(method.parts_[0]))


def variables(expression: Any) -> set[str]:
    """The names of the variables that stand in it."""
    return {str(part) for part in within(expression) if isinstance(part, Name)}


def imported(expression: Any) -> dict[str, set[str]]:
    """What its lines import: names by module."""
    names: dict[str, set[str]] = {}
    for part in within(expression):
        if isinstance(part, Constant):
            names.setdefault(part.module_, set()).add(part.name_)
        elif (is_dataclass(part) or hasattr(part, "_fields")) and not isinstance(part, type | Expression):
            constant = public(type(part))
            names.setdefault(constant.module_, set()).add(constant.name_)
        elif isinstance(part, float) and not math.isfinite(part):
            names.setdefault("math", set())
    return names


def make_now(_: "Expression", now: Callable[[], Any]) -> Any:
    """Make a call without keeping what it gives."""
    return now()


def work_out(
    expression: Any, names: Mapping[str, Any], kept: Kept = make_now, known: dict[Hashable, Any] | None = None
) -> Any:
    """The value of an expression, given what its variables stand for; each call in it is made once.

    `kept` gets every call and the way to make it, and hands out its value. `known` are the values of calls that are
    not to be made again; those that are made are added, but for models that a call has loaded.
    """
    known = {} if known is None else known
    look_up = partial(work_out, names=names, kept=kept, known=known)  # no closure: that would keep itself, and a run
    if isinstance(expression, Name):
        return names[str(expression)]
    if isinstance(expression, Call):
        if expression in known:
            return known[expression]
        value = kept(expression, lambda: expression.work_out_(look_up))
        if not isinstance(expression, LoadingCall):
            known[expression] = value
        return value
    if isinstance(expression, Expression):
        return expression.work_out_(look_up)
    if type(expression) in (list, tuple):
        return type(expression)(map(look_up, expression))
    if isinstance(expression, dict):
        return {key: look_up(value) for key, value in expression.items()}
    return expression


RESULT = "result"  # what a call is named whose result is used more than once


def lines(expression: Expression | list[Any], runs: Mapping[str, Trace], model: str) -> str:
    """Python that prints the value of an expression; `runs` are what `t`, `a` and `b` stand for.

    Only what the expression needs is imported and made. `model` is the expression that makes `enc`.
    """
    names = variables(expression)
    used = {name: run for name, run in runs.items() if name in names}
    models: dict[str, str] = {model: "enc"} if "enc" in names else {}
    edits: dict[str, str] = {}
    runs_made = ""
    for name, run in used.items():
        encoder = models.setdefault(maker(run), f"enc_{name}" if models else "enc")
        changes = "".join(f"    {edit_source(edit, run)},\n" for edit in run.edits)
        changed = edits.setdefault(changes, f"edits_{name}" if edits else "edits") if changes else ""
        runs_made += f"{name} = {run_again(run, encoder, changed)}\n"
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
            runs_made,
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
