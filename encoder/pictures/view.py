"""What is on the screen."""

from dataclasses import dataclass, replace

from encoder.edits.edit import Edit, check
from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError

EXAMPLE = "The animal didn't cross the street because it was too wide."
EXAMPLES = (
    EXAMPLE,
    "Keys on the table belong to Sara.",
    "The capital of France is [MASK].",
    "The cat chased the mouse.",
    "I understand this",
)
OTHER = "The animal didn't cross the street because it was too tired."
GAP, GAP_OTHER = (f"The {word} to the cabinet [MASK] on the table." for word in ("keys", "key"))
# What a bundled sentence is compared with where nobody chose; encoder/browser/compare_runs.js has the same.
TWINS = {EXAMPLE: OTHER, OTHER: EXAMPLE, GAP: GAP_OTHER, GAP_OTHER: GAP}


@dataclass(frozen=True)
class Cell:
    """The place of one number: the full name of its step, and its index there."""

    step: str
    index: tuple[int, ...]

    def __str__(self) -> str:
        """The place as a link spells it: "layers.4.attention.weights:1,8,2"."""
        return f"{self.step}:{','.join(map(str, self.index))}"


@dataclass(frozen=True)
class View:
    """What is on the screen: which sentence in which model, and where in it. Layers, heads and positions count from 0.

    `second` is sentence B of a pair; empty for a single sentence.
    `step` is a step's name within its layer ("attention.weights"); empty means the page's own first choice.
    `hidden` lists the positions that no token may look at. `cell` is the opened number, None where none is.
    `edits` are what is switched off or changed in the run. `other` and `other_model` are what the run is compared with;
    no sentence means the usual one, no model the same. `choices` are what was chosen in widgets of single pages, by
    their keys, as a link spells it. `lesson` is the lesson that is played, by its name, and `at` its step, counted
    from 1.
    """

    sentence: str = EXAMPLE
    model: str = "base"
    layer: int = 4
    head: int = 1
    step: str = ""
    hidden: tuple[int, ...] = ()
    cell: Cell | None = None
    edits: tuple[Edit, ...] = ()
    other: str = ""
    other_model: str = ""
    second: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    lesson: str = ""
    at: int = 1

    @property
    def sentence_b(self) -> str:
        """The sentence of run B: the chosen one, or else the twin of A; A itself, to be changed, where it has none."""
        return self.other if self.other.strip() else TWINS.get(self.sentence, self.sentence)

    def within(self, config: EncoderConfig, n: int) -> tuple["View", list[str]]:
        """This view with layer, head and hidden positions inside the model and sentence, and what had to change."""
        notes = []
        changed = {}
        for name, count in (("layer", config.n_layers), ("head", config.n_heads)):
            value = getattr(self, name)
            if not 0 <= value < count:
                changed[name] = min(max(value, 0), count - 1)
                notes.append(
                    f"There is no {name} {value} here: {name}s go from 0 to {count - 1}. Showing {changed[name]}."
                )
        hidden = tuple(i for i in self.hidden if 0 <= i < n)
        if len(hidden) == n:
            hidden = ()
            notes.append("Every token was masked; at least one must be left to look at, so all are shown.")
        elif hidden != self.hidden:
            outside = ", ".join(str(i) for i in self.hidden if i not in hidden)
            notes.append(f"Masked position {outside} is not in this sentence: positions go from 0 to {n - 1}.")
        edits = self.edits
        try:
            check(edits, config, n)
        except EncoderError as error:
            edits = ()
            notes.append(f"The edits do not fit this model and sentence and are removed: {error}.")
        return replace(self, **changed, hidden=hidden, edits=edits), notes
