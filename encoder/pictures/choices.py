"""What a person chooses in widgets of single pages, in a link: a page names its choice where it asks for it."""

import re
from collections.abc import Collection, Mapping

NAME = re.compile(r"[a-z_]{1,20}", re.ASCII)
MOST = 40  # choices in one link
# What was chosen or folded away in pages, and is no more
RETIRED = {
    *(
        "ask_second",
        "ask_way",
        "ask_word",
        "four_maps",
        "grid",
        "guess_strip",
        "lengths_open",
        "lock_four",
        "near_token",
    ),
    *("products", "query", "sizes_open", "strips_open", "through", "weights_open"),
}
# What links of pages that the browser draws ask for: it is not said of them that no other page knows them
DRAWN_THERE = {"word", "off", "maps", "more", "after", "lens_word", "number", "numbers"}
RENAMED = {  # what links of earlier versions ask for, and its name now
    ("measure", "entropy_share"): "normalized_entropy",
    ("lab", "Why √d_k"): "Why √d_head",
    ("loo_measure", "Cosine of the output"): "Cosine distance of the output",
    ("loo_measure", "Change of the word's log-probability"): "Loss of the word's ln p",
}


def read(
    query: Mapping[str, str], longest: int, names: Collection[str] | None = None
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """The choices among a link's parameters, sorted by name, and what to say of those that cannot be taken over.

    `query` is without the fields of the view; a choice has at most `longest` characters. `names` are those that some
    page asks for; without it every name that a choice could have is one.
    """
    elsewhere = RETIRED if names is None else RETIRED | DRAWN_THERE - set(names)
    query = {name: text for name, text in query.items() if name not in elsewhere}
    unknown = [name for name in query if not NAME.fullmatch(name) or (names is not None and name not in names)]
    known = {name: RENAMED.get((name, text), text) for name, text in sorted(query.items()) if name not in unknown}
    long = [name for name, text in known.items() if len(text) > longest]
    notes = [f"The link's choice for {name} is too long and is left out." for name in long]
    kept = [(name, text) for name, text in known.items() if name not in long]
    if len(kept) > MOST:
        notes.append(f"The link makes {len(kept)} choices; the first {MOST} are taken over.")
    if unknown:
        said = "”, “".join(name[:40] for name in unknown[:5])
        notes.append(f"The link also asks for “{said}”, which is not known here and is left out.")
    return tuple(kept[:MOST]), notes


def spell(value: object) -> str:
    """A value as a link spells it."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ",".join(map(spell, value))
    return str(int(value)) if isinstance(value, bool) else str(value)
