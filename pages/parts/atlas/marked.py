"""A sentence with the token of a context, and the token that it looks at, in colour."""

from encoder.formatting import shown
from encoder.trace.tokens import Tokens
from pages.ui.text import plain

AROUND = 90  # characters on each side that are shown of a long sentence


def sentence(tokens: Tokens, position: int, looks_at: int | None = None) -> str:
    """Markdown: the token on blue, what it looks at on orange (itself: violet), special ones behind the sentence."""
    marks = {position: "blue"}
    if looks_at is not None:
        marks[looks_at] = "orange" if looks_at != position else "violet"
    inside = {i: colour for i, colour in marks.items() if i < len(tokens.spans) and not tokens.special[i]}
    said, end = "", 0
    places = sorted((tokens.spans[i], colour) for i, colour in inside.items())
    first = max(0, places[0][0][0] - AROUND) if places else 0
    last = places[-1][0][1] + AROUND if places else AROUND
    end = first
    for (start, stop), colour in places:
        said += plain(shorter(tokens.text[end:start])) + f":{colour}-background[{plain(tokens.text[start:stop])}]"
        end = stop
    said = ("… " if first else "") + said + plain(tokens.text[end:last]) + (" …" if last < len(tokens.text) else "")
    beyond = [f":{colour}-background[{plain(name(tokens, i))}]" for i, colour in marks.items() if i not in inside]
    return " → ".join([" ".join(said.split()), *beyond])


def name(tokens: Tokens, position: int) -> str:
    """A token that stands nowhere in the text."""
    return shown(tokens.tokens[position]) if position < len(tokens.tokens) else f"token {position}"


def shorter(text: str) -> str:
    """What is between two tokens that are far apart."""
    return text if len(text) <= 2 * AROUND else f"{text[:AROUND]} … {text[-AROUND:]}"
