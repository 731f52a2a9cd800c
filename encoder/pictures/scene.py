"""What a picture is asked of: a model, one run or two, and what was chosen."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from encoder.atlas.atlas_folders import shelf
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.config import EncoderConfig
from encoder.pictures.link import spell
from encoder.pictures.numbers import Names
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.trace import unpadded
from encoder.trace.trace import Source, Trace

Needs = Literal["model", "run", "unchanged", "other", "same model", "prefixed", "examined"]
"""What besides the model: nothing, the run `t`, or two runs `a` and `b`: this run without and with its changes
("unchanged"), this run and that of the other sentence or model ("other"), the same in the same model ("same model"),
and there each behind the prefix that was chosen for it ("prefixed").
"examined": the model alone, one whose moments of training were examined."""


class GivenText(str):
    """A text of somebody's own that no link holds, of any length; printed by its digest."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<text {sha256(self.encode()).hexdigest()}>"


@dataclass(frozen=True, eq=False)
class Scene:
    """What a picture is asked of.

    Attributes:
        view: sentence, model, layer, head, step and choices, as a link says them.
        encoder: the model.
        run: the run `t`, or `a` of two; None where the picture needs no run.
        other: the run `b`; None where the picture needs one run.
        extra: what else the picture's expression names, such as the atlas, by its name there.
    """

    view: View
    encoder: TextEncoder
    run: Trace | None = None
    other: Trace | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def t(self) -> Trace:
        """The run, where there is one."""
        assert self.run is not None, "the picture needs a run"
        return self.run

    @property
    def b(self) -> Trace:
        """The run that `t`, or `a`, is held against."""
        assert self.other is not None, "the picture needs two runs"
        return self.other

    @property
    def layer(self) -> int:
        """The chosen layer, or the last one of a model with fewer."""
        return min(self.view.layer, self.encoder.config.n_layers - 1)

    @property
    def head(self) -> int:
        """The chosen head, or the last one of a model with fewer."""
        return min(self.view.head, self.encoder.config.n_heads - 1)

    @property
    def config(self) -> EncoderConfig:
        """The model's sizes and kinds."""
        return self.encoder.config

    @property
    def source(self) -> Source:
        """Where the model is from."""
        return self.encoder.source

    @property
    def n_layers(self) -> int:
        """How many layers the model has."""
        return self.config.n_layers

    @property
    def n_heads(self) -> int:
        """How many heads a layer has."""
        return self.config.n_heads

    def token(self, position: int) -> str:
        """A token of the run in quotation marks, with its position."""
        return f"“{shown(self.t.tokens[position])}” ({position})"

    @property
    def names(self) -> dict[str, Any]:
        """What the variables of an expression stand for."""
        known = {"enc": self.encoder, "t": self.run, "a": self.run, "b": self.other} | dict(self.extra)
        return {name: value for name, value in known.items() if value is not None}

    def __getitem__(self, option: "Option") -> Any:
        """What was chosen for an option."""
        return option.of(self)


@dataclass(frozen=True, eq=False)
class Option:
    """Something that a person chooses for a picture, by its name in a link.

    Attributes:
        key: the name.
        offered: what may be chosen; None for any text.
        usual: where nothing is chosen, or something that is not offered.
        many: whether several are chosen at once.
    """

    key: str
    offered: Callable[[Scene], Collection[Any]] | None
    usual: Callable[[Scene], Any]
    many: bool = False

    def of(self, scene: Scene) -> Any:
        """What was chosen; the usual where that is not offered."""
        try:
            return self.chosen(scene)
        except EncoderError:
            return self.usual(scene)

    def chosen(self, scene: Scene) -> Any:
        """What was chosen.

        Raises:
            EncoderError: it is not offered.
        """
        text = dict(scene.view.choices).get(self.key)
        if text is None:
            return self.usual(scene)
        if self.offered is None:
            return text
        offered = {spell(option): option for option in self.offered(scene)}
        parts = [part for part in text.split(",") if part] if self.many else [text]
        if unknown := [part for part in parts if part not in offered]:
            names = [*offered]
            there = ", ".join(names if len(names) < 30 else [*names[:28], "...", names[-1]])
            raise EncoderError(
                f"{self.key} is {unknown[0][:40]!r}; it must be one of {there or 'none: there are none'}"
            )
        return [offered[part] for part in parts] if self.many else offered[text]


def one_of(key: str, offered: Collection[Any], usual: Any = None) -> Option:
    """An option of some fixed values; the usual one is the first, unless it is named."""
    first = next(iter(offered)) if usual is None else usual
    return Option(key, lambda scene: offered, lambda scene: first)


def token_of(key: str, usual: Callable[[Scene], int] = lambda scene: 0) -> Option:
    """The position of a token of the run."""
    return Option(key, lambda scene: range(len(scene.t.tokens)), usual)


def atlases(scene: Scene) -> range:
    """The numbers of the model's atlases."""
    return range(len(shelf(scene.encoder.source).atlases))


def atlas_number(scene: Scene) -> int | None:
    """The number of the chosen atlas of the model; None where it has none."""
    return scene[ATLAS] if atlases(scene) else None


ATLAS = Option("atlas_of", atlases, lambda scene: 0)


NO_PREFIX = "none"


def prefix_of(key: str) -> Option:
    """The prefix of a sentence that is held against another, of those that the model was trained with."""
    return Option(
        key,
        lambda scene: [*scene.encoder.prompts, NO_PREFIX],
        lambda scene: (scene.encoder.sentence.usual_prompt if scene.encoder.sentence else "") or NO_PREFIX,
    )


PREFIX_A, PREFIX_B = prefix_of("prefix_a"), prefix_of("prefix_b")


def prefixed(scene: Scene, prefix: Option, text: str) -> str:
    """A text behind the prefix that was chosen for it."""
    return scene.encoder.prompted(text, "" if scene[prefix] == NO_PREFIX else scene[prefix])


def layer_names(config: EncoderConfig, *, with_input: bool = False) -> list[str]:
    """What the layers are called beside a picture; the vectors before the first one are the input."""
    return ["input"] * with_input + [f"layer {i}" for i in range(config.n_layers)]


def head_names(config: EncoderConfig) -> list[str]:
    """What the heads of a layer are called beside a picture."""
    return [f"head {h}" for h in range(config.n_heads)]


def names_along(scene: Scene, dims: tuple[str, ...]) -> dict[str, Names]:
    """The names of layers, heads and tokens; "word" is a token that is no padding."""
    config, run = scene.encoder.config, scene.run
    known: dict[str, Names] = {
        "layer": layer_names(config),
        "after": layer_names(config, with_input=True),
        "head": head_names(config),
        "block": [*head_names(config), "feed-forward"],
    }
    if run is not None:
        known |= dict.fromkeys(("token", "query", "key"), run.tokens) | {"word": unpadded.tokens(run)}
    return {dim: known[dim] for dim in dims if dim in known}
