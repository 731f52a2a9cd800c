"""What is on the screen, and its form in a link."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

from encoder.edits.edit import check
from encoder.edits.text import edits_to_text, text_to_edits
from encoder.model.config import EncoderConfig

EXAMPLE = "The animal didn't cross the street because it was too wide."
OTHER = "The animal didn't cross the street because it was too tired."
LONGEST_IN_URL = 1500
MOST_PATCHED = 4  # sentences that a link may have run besides its own
VERSION = "1"  # of links
CHOICES = frozenset(  # keys of widgets whose choice belongs to one page, and to a link
    (
        *("lock", "lock_four", "query", "move", "some_heads", "some_tokens", "together", "rollout_layer", "flow_token"),
        *("lens_token", "alike_layer", "unit_token", "heads_part", "over", "measure", "lab", "pad_short"),
        *("compare_part", "follow", "beside_step", "set", "set_word", "set_layer", "patch_step", "patch_heads"),
        *("loo_measure", "watched", "merge_words", "some_words", "pair_part", "pair_way"),
    )
)
LESSON = re.compile(r"[a-z0-9-]{1,40}|z:[A-Za-z0-9_-]{1,6000}|file:[0-9a-f]{12}", re.ASCII)
CELL = re.compile(r"([a-zA-Z0-9_.]{1,80}):(\d{1,6}(?:,\d{1,6}){0,3})", re.ASCII)


@dataclass(frozen=True)
class View:
    """What is on the screen: which sentence in which model, and where in it. Layers, heads and positions count from 0.

    `second` is sentence B of a pair; empty for a single sentence.
    `step` is a step's name within its layer ("attention.weights"); empty means the page's own first choice.
    `hidden` lists the positions that no token may look at. `cell` is the opened number, "step:index,index".
    `edits` is what is switched off or changed in the run, as `encoder.edits.text` writes it. `other` and `other_model`
    are what the run is compared with; no model means the same one. `choices` are what was chosen in widgets of single
    pages, by their keys, as a link spells it. `present` is "1" in front of a class. `lesson` is the lesson that is
    played, by its name or packed, and `at` its step, counted from 1.
    """

    sentence: str = EXAMPLE
    model: str = "base"
    layer: int = 4
    head: int = 1
    step: str = ""
    hidden: tuple[int, ...] = ()
    cell: str = ""
    edits: str = ""
    other: str = OTHER
    other_model: str = ""
    second: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    present: str = ""
    lesson: str = ""
    at: int = 1

    def to_query(self) -> dict[str, str]:
        """The parameters of a link that restores this view; what is at its default is left out."""
        usual = View().as_text()
        said = {name: text for name, text in self.as_text().items() if text != usual.get(name)}
        for name in ("sentence", "other", "second", *dict(self.choices)):
            if len(said.get(name, "")) > LONGEST_IN_URL:
                said.pop(name)
        return said | {"v": VERSION} if said else {}

    def as_text(self) -> dict[str, str]:
        """Every field as a link spells it."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "choices"}
        return {name: spell(value) for name, value in values.items()} | dict(self.choices)

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
            notes.append("Every token was hidden; at least one must be left to look at, so all are shown.")
        elif hidden != self.hidden:
            outside = ", ".join(str(i) for i in self.hidden if i not in hidden)
            notes.append(f"Hidden position {outside} is not in this sentence: positions go from 0 to {n - 1}.")
        edits = self.edits
        try:
            check(text_to_edits(edits), config, n)
        except ValueError as error:
            edits = ""
            notes.append(f"The edits do not fit this model and sentence and are removed: {error}.")
        return replace(self, **changed, hidden=hidden, edits=edits), notes


def from_query(
    query: Mapping[str, str], check_model: Callable[[str], None], steps: frozenset[str]
) -> tuple[View, list[str]]:
    """The view that a link asks for; what it asks for in vain falls back and is said.

    `check_model` raises ValueError for a model that is not to be had.
    """
    view, notes = View(), []

    def refuse(name: str, value: str, allowed: str) -> None:
        said = name.replace("_", " ")
        notes.append(
            f"The link asks for {said} “{value[:40]}”; {allowed}. Showing {getattr(view, name) or 'the usual one'}."
        )

    changed: dict[str, object] = {}
    for name in ("sentence", "other", "second"):
        if query.get(name, "").strip():
            changed[name] = query[name]
    for name in ("model", "other_model"):
        if name in query:
            try:
                check_model(query[name])
                changed[name] = query[name]
            except ValueError as error:
                refuse(name, query[name], str(error))
    for name in ("layer", "head", "at"):
        if name in query:
            if is_count(query[name]):
                changed[name] = int(query[name])
            else:
                refuse(name, query[name], "it must be a whole number from 0")
    if "step" in query:
        if query["step"] in steps:
            changed["step"] = query["step"]
        else:
            refuse("step", query["step"], "no step is called so")
    if "hidden" in query:
        places = [p for p in query["hidden"].split(",") if p]
        if all(map(is_count, places)) and len(places) <= 512:
            changed["hidden"] = tuple(sorted({int(p) for p in places}))
        else:
            refuse("hidden", query["hidden"], "it must be positions such as 2,5")
    if "cell" in query:
        if CELL.fullmatch(query["cell"]):
            changed["cell"] = query["cell"]
        else:
            refuse("cell", query["cell"], "it must be a step and an index such as output:0,5")
    if "lesson" in query:
        if LESSON.fullmatch(query["lesson"]):
            changed["lesson"] = query["lesson"]
        else:
            refuse("lesson", query["lesson"], "it must be a lesson's name or a lesson packed into the link")
    if "edits" in query:
        try:
            edits = text_to_edits(query["edits"])
            if len({edit.value for edit in edits if isinstance(edit.value, str)}) > MOST_PATCHED:
                raise ValueError(f"a link may patch from {MOST_PATCHED} other sentences at most")
            changed["edits"] = edits_to_text(edits)
        except ValueError as error:
            refuse("edits", query["edits"], str(error))
    if query.get("present") == "1":
        changed["present"] = "1"
    chosen = {name: text for name, text in query.items() if name in CHOICES}
    for name in [name for name, text in chosen.items() if len(text) > LONGEST_IN_URL]:
        notes.append(f"The link's choice for {name} is too long and is left out.")
        del chosen[name]
    changed["choices"] = tuple(sorted(chosen.items()))
    return replace(view, **changed), notes + strangers(query)  # type: ignore[arg-type]


def strangers(query: Mapping[str, str]) -> list[str]:
    """What to say of a link of another version, or with parameters that this version does not know."""
    notes = []
    if query.get("v", VERSION) != VERSION:
        notes.append(f"The link is of version “{query['v'][:40]}”, this is {VERSION}: some of it may not be restored.")
    known = {field.name for field in fields(View)} - {"choices"} | CHOICES | {"v"}
    unknown = [name[:40] for name in query if name not in known]
    if unknown:
        notes.append(f"The link also asks for “{'”, “'.join(unknown[:5])}”, which is not known here and is left out.")
    return notes


def spell(value: object) -> str:
    """A value as a link spells it."""
    if isinstance(value, list | tuple):
        return ",".join(map(spell, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def is_count(text: str) -> bool:
    """Whether text is a plain whole number that is not absurdly large."""
    return text.isascii() and text.isdigit() and len(text) <= 6
