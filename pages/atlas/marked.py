"""A sentence with the token of a context, and the token that it looks at, in colour."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from encoder.atlas.reading import Firing
from encoder.support.formatting import shown
from encoder.trace.tokens import Text, Tokens
from pages.ui import session
from pages.ui.state import session_state as state
from pages.ui.text import plain

AROUND = 90  # characters on each side that are shown of a long sentence
BETWEEN = " / "  # the sentences of a pair


def listed(
    some: Sequence[Firing], texts: Mapping[int, Text], described: Callable[[Firing], str], absences: Sequence[str]
) -> None:
    """Each context in its sentence, with its numbers."""
    encoder = session.text_encoder(state.current().model)
    said = [
        f"{i + 1}. {sentence(encoder.tokenize(texts[one.sentence]), one.position, one.looks_at)} "
        f"&ensp;:gray[{plain(described(one))}{plain(absence)}]"
        for i, (one, absence) in enumerate(zip(some, absences, strict=True))
    ]
    st.markdown("\n".join(said))


def sentence(tokens: Tokens, position: int, looks_at: int | None = None) -> str:
    """Markdown: the token on blue, what it looks at on orange (itself: violet), special ones behind the sentence.

    The sentences of a pair stand one after the other.
    """
    marks = {position: "blue"}
    if looks_at is not None:
        marks[looks_at] = "orange" if looks_at != position else "violet"
    inside = {i: colour for i, colour in marks.items() if i < len(tokens.spans) and not tokens.special[i]}
    beyond = [f":{colour}-background[{plain(name(tokens, i))}]" for i, colour in marks.items() if i not in inside]
    texts = (tokens.text, tokens.pair) if any(tokens.segments) else (tokens.text,)
    said = [
        excerpt(text, sorted((tokens.spans[i], colour) for i, colour in inside.items() if tokens.segments[i] == side))
        for side, text in enumerate(texts)
    ]
    return " → ".join([BETWEEN.join(said), *beyond])


def excerpt(text: str, places: Sequence[tuple[tuple[int, int], str]]) -> str:
    """A sentence, of a long one what is around the stretches that are marked in colours."""
    said = ""
    first = max(0, places[0][0][0] - AROUND) if places else 0
    last = places[-1][0][1] + AROUND if places else AROUND
    end = first
    for (start, stop), colour in places:
        said += plain(shorter(text[end:start])) + f":{colour}-background[{plain(text[start:stop])}]"
        end = stop
    said = ("… " if first else "") + said + plain(text[end:last]) + (" …" if last < len(text) else "")
    return " ".join(said.split())


def one_line(text: Text) -> str:
    """A text, or both of a pair."""
    return text if isinstance(text, str) else BETWEEN.join(text)


def name(tokens: Tokens, position: int) -> str:
    """A token that stands nowhere in the text."""
    return shown(tokens.tokens[position]) if position < len(tokens.tokens) else f"token {position}"


def shorter(text: str) -> str:
    """What is between two tokens that are far apart."""
    return text if len(text) <= 2 * AROUND else f"{text[:AROUND]} … {text[-AROUND:]}"
