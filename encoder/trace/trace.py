"""What one run recorded, read by step name."""

import difflib
import html
import reprlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from encoder.edits.edit import Edit
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.steps.catalogue import by_name
from encoder.model.steps.step import Step
from encoder.support.errors import EncoderError
from encoder.support.import_names import on_demand
from encoder.trace.tokens import Tokens

HELD = "TextEncoder.from_transformers(model, tokenizer)"  # the maker of a model that transformers made


@dataclass(frozen=True)
class Source:
    """Which model made a trace: its name for people, and what pins its weights.

    `seed` is set for random weights, `sha256` (its first 12 digits) for those of a checkpoint. `origin` is what loads a
    checkpoint again, for snippets: a path, or empty for a bundled model, whose name does. `maker` is the call that
    makes a model of `encoder.tasks` again.
    """

    name: str
    sha256: str = ""
    seed: int | None = None
    origin: str = ""
    maker: str = ""

    @property
    def fingerprint(self) -> str:
        """What pins the weights, in words."""
        return f"sha256 {self.sha256}" if self.seed is None else f"random weights, seed {self.seed}"


upstairs = on_demand("encoder.trace", {"cell_of": "encoder.browser.cell"})  # what draws a run stands on it
TABLES = ("embedding.positions", "attention.cos", "attention.sin")  # steps that are tables of the model


class StepError(EncoderError, KeyError):
    """A name that no recorded step has; the message gives those that are like it. Mappings raise a KeyError for it."""

    __str__ = Exception.__str__  # a KeyError would put its message between quotes


class Scope:
    """Attribute access to names that share a prefix: trace.layers[0].attention.weights."""

    def __init__(self, trace: "Trace", prefix: str) -> None:
        self._trace = trace
        self._prefix = prefix

    def __getattr__(self, part: str) -> Any:
        """The tensor of that name, or the scope below it."""
        if part.startswith("_"):
            raise AttributeError(part)
        name = f"{self._prefix}.{part}"
        if name in self._trace:
            return self._trace[name]
        if any(step.startswith(name + ".") for step in self._trace):
            return Scope(self._trace, name)
        raise AttributeError(self._trace.unknown(name))

    def __dir__(self) -> list[str]:
        """The names that can follow."""
        start = len(self._prefix) + 1
        return sorted({step[start:].split(".")[0] for step in self._trace if step.startswith(self._prefix + ".")})


class MadeAgain(Mapping[str, Tensor]):
    """The recorded tensors of a run that was let go: their names, and each of them when it is asked for."""

    def __init__(self, names: tuple[str, ...], again: Callable[[], "Trace"]) -> None:
        self._names = dict.fromkeys(names)
        self._again = again

    def __getitem__(self, name: str) -> Tensor:
        """The tensor of a fresh run, with its batch dimension."""
        return self._again()[name][None]

    def __contains__(self, name: object) -> bool:
        """Whether a step of that name was recorded."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        """Step names in the order of computation."""
        return iter(self._names)

    def __len__(self) -> int:
        """How many steps were recorded."""
        return len(self._names)


class Trace(Mapping[str, Tensor]):
    """Every step of one sentence's run: a mapping from step name to tensor, without the batch dimension.

    The tensors are the ones the forward pass made, not copies; treat them as read-only. `ready` gives, for each step,
    the seconds from the start of the run until it was there. `hidden` lists the positions no token may look at;
    `padding` counts the [PAD] tokens at the end that batching added. `model` is the one that ran, for measures that
    need its weights, `encoder` the TextEncoder that made the trace; one put together by hand may lack both. `edits`
    lists what was changed in the run; of an edited step the value after the edit is recorded. `inputs` is the sentence
    or the pair of sentences that was run, `segments` the rows of the segment table that the model took for its tokens.
    `dropped` counts the tokens at the end of the text, or of both texts, that were left out because the model reads no
    more. Two traces are equal only if they are the same object.
    """

    def __init__(
        self,
        tokens: Tokens,
        config: EncoderConfig,
        source: Source,
        values: Mapping[str, Tensor],
        ready: dict[str, float],
        row: int = 0,
        hidden: tuple[int, ...] = (),
        padding: int = 0,
        model: Encoder | None = None,
        edits: tuple[Edit, ...] = (),
        encoder: object = None,
    ) -> None:
        self.text = tokens.text
        self.tokens = list(tokens.tokens)
        self.ids = list(tokens.ids)
        self.tokenization = tokens
        self.inputs = tokens.inputs
        self.dropped = tokens.dropped + tokens.pair_dropped
        most = max(config.n_segments - 1, 0)  # a model with one segment, or none, does not tell sentences apart
        self.segments = [min(segment, most) for segment in tokens.segments or (0,) * len(tokens.ids)]
        self.config = config
        self.source = source
        self.ready = ready
        self.hidden = hidden
        self.padding = padding
        self.edits = edits
        self._model = model
        self._encoder = encoder
        self._again: Callable[[], Trace] | None = None
        self._values = values
        self._row = row

    def __getitem__(self, name: str) -> Tensor:
        """The recorded tensor; its shape is `self.step(name).sizes(self.config, len(self.tokens))`.

        Raises:
            StepError: no step is called so.
        """
        if name not in self:
            raise StepError(self.unknown(name))
        return self._values[name][self._row]

    @property
    def model(self) -> Encoder | None:
        """The model that ran; None where it is not known."""
        return self._again().model if self._again else self._model

    @property
    def encoder(self) -> object:
        """The TextEncoder that made it; None where it is not known."""
        return self._again().encoder if self._again else self._encoder

    def show(self, page: str = "start", **chosen: object) -> Any:
        """Return the living picture of the run, which a notebook shows: `trace.show("attention", layer=5, head=6)`.

        Args:
            page: start, embedding, attention, add_norm, feed_forward, output, heads or what_if.
            chosen: what of the page is chosen, such as `layer`, `head` and `word`, the position of a token; the run
                chooses the rest.

        Returns:
            an `encoder.browser.cell.LivingCell`; its `save(path)` writes it as a file.

        Raises:
            EncoderError: there is no such page, layer, head or position, or the trace was put together by hand.
        """
        return upstairs("cell_of")(self, page, chosen)

    def _repr_html_(self) -> str:
        """Show the run as the last line of a notebook's cell; say why where it cannot be shown."""
        try:
            return str(self.show()._repr_html_())
        except EncoderError as error:
            return html.escape(f"{self!r}: {error}")

    def let_go(self, again: Callable[[], "Trace"]) -> None:
        """Give up the recorded tensors and the model; who asks for one later gets that of the run that `again` makes.

        A server does this with runs that nobody looks at, whoever still holds them.
        """
        self._again, self._model, self._encoder = again, None, None
        self._values = MadeAgain(tuple(self._values), again)

    def __contains__(self, name: object) -> bool:
        """Whether a step of that name was recorded."""
        return isinstance(name, str) and name in self._values

    def __iter__(self) -> Iterator[str]:
        """Step names in the order of computation."""
        return iter(self._values)

    def __len__(self) -> int:
        """How many steps were recorded."""
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same trace."""
        return self is other

    def __hash__(self) -> int:
        """By identity."""
        return id(self)

    def __repr__(self) -> str:
        """Sentence, model and size at a glance."""
        edited = f", {len(self.edits)} edits" if self.edits else ""
        read = f"{len(self.tokens)} tokens" + (f" ({self.dropped} more were left out)" if self.dropped else "")
        return f"Trace({self.inputs!r}, model={self.source.name!r}, {read}, {len(self)} steps{edited})"

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """The recorded tensor as a read-only numpy view."""
        view = self[name].numpy()
        view.flags.writeable = False
        return view

    def step(self, name: str) -> Step:
        """The catalogue's entry for a recorded step.

        Raises:
            StepError: no step is called so.
        """
        if name not in self:
            raise StepError(self.unknown(name))
        return by_name(self.config)[name]

    @property
    def layers(self) -> list[Any]:
        """One scope per layer: trace.layers[0].attention.weights."""
        return [Scope(self, f"layers.{i}") for i in range(self.config.n_layers)]

    @property
    def embedding(self) -> Any:
        """The scope of the embedding: trace.embedding.positions."""
        return Scope(self, "embedding")

    @property
    def seconds(self) -> float:
        """Wall time of the run that made this trace, in seconds."""
        return max(self.ready.values())

    @property
    def nbytes(self) -> int:
        """Memory the recorded tensors hold, each counted once, in bytes (of the whole batch); 0 once they were let go.

        The positions, and the cosines and sines of turns, are not counted: they are the model's own tables, unless they
        were edited.
        """
        if self._again:
            return 0
        own = {name for name in self._values if name.endswith(TABLES)}
        changed_steps = {edit.step for edit in self.edits} | self._values.keys() - own
        storages = [self._values[name].untyped_storage() for name in changed_steps]
        return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())

    def unknown(self, name: object) -> str:
        """What to say of a name that is not there."""
        if not isinstance(name, str):
            return f"a step is called by its name, such as 'layers.0.attention.weights'; got {reprlib.repr(name)}"
        near = difflib.get_close_matches(name[:100], self._values, 3, 0.5)
        return f"no step is called {reprlib.repr(name)}" + (f"; did you mean {' or '.join(near)}?" if near else "")
