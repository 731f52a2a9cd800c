"""The one state of the app, and its form in the URL."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import streamlit as st

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
    return replace(view, **changed), notes + strangers(query)


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


def current() -> View:
    """The view of this session."""
    view: View = st.session_state["view"]
    return view


def change(**fields_of_view: object) -> None:
    """Move the session to another view."""
    st.session_state["view"] = replace(current(), **fields_of_view)


def widget(name: str) -> dict[str, Any]:
    """What ties a widget to a field of the view: its key, which shows the view, and what takes over its changes.

    The view is a plain entry of the session, because Streamlit forgets the values of widgets when the page changes.
    """
    value = getattr(current(), name)
    value = list(value) if isinstance(value, tuple) else value
    if st.session_state.get(name) != value:
        st.session_state[name] = value
    return {"key": name, "on_change": take, "args": (name,)}


def take(name: str) -> None:
    """Take over what a person chose in a widget."""
    value = st.session_state[name]
    change(**{name: tuple(sorted(value)) if isinstance(value, list) else value})


def choice(key: str, options: Collection[Any] | None, default: Any, many: bool = False) -> dict[str, Any]:
    """What ties a page's own widget to the link: its key, which shows what was chosen, and what remembers a choice.

    `options` are what may be chosen, None for any text; with `many` several of them. A choice that is not offered any
    more, or never was, gives way to `default`. The widget itself must have no default.
    """
    asked = dict(current().choices).get(key)
    before = st.session_state.setdefault("defaults", {})
    value = st.session_state.get(key, default) if before.get(key, default) == default else default
    before[key] = default
    if asked is not None:
        offered = {spell(option): option for option in options or ()}
        parts = [part for part in asked.split(",") if part] if many else [asked]
        if options is None or all(part in offered for part in parts):
            found = [offered.get(part, part) for part in parts]
            value = found if many else found[0]
        else:
            remember(key, default, default)
            if st.session_state.get("linked"):
                note([f"The link asks for “{asked[:40]}” ({key}), which is not offered here."])
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return {"key": key, "on_change": lambda: remember(key, st.session_state[key], default)}


def remember(key: str, value: Any, default: Any) -> None:
    """Make a choice part of the view; the default needs no words."""
    chosen = dict(current().choices)
    chosen.pop(key, None)
    if value != default:
        chosen[key] = spell(value)
    change(choices=tuple(sorted(chosen.items())))


def note(sentences: list[str]) -> None:
    """Say these sentences on top of the page in this run."""
    st.session_state["notes"] = [*st.session_state.get("notes", []), *sentences]


def read_url(check_model: Callable[[str], None], steps: frozenset[str]) -> None:
    """Take over what the URL asks for, if it is not what this session wrote there itself. Before any widget.

    Choosing a page leaves the URL without parameters; that asks for nothing, and the view stays.
    """
    query = st.query_params.to_dict()
    if "view" not in st.session_state or (query and query != st.session_state.get("written")):
        st.session_state["view"], notes = from_query(query, check_model, steps)
        st.session_state["linked"] = True
        note(notes)


def write_url() -> None:
    """Let the URL say what is on the screen. After all widgets."""
    query = written()
    st.session_state["linked"] = False
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def written() -> dict[str, str]:
    """The parameters of the current view, remembered as this session's own."""
    query = current().to_query()
    st.session_state["written"] = query
    return query
