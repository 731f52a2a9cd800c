"""The sentence as the model reads it: one box for each token, flowing with the width of the page."""

import html

import streamlit as st

from encoder.checkpoint.tokenizer_files import UNKNOWN
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from pages.ui.text import plain

MARKS = {  # what tokenizers write into a token -> what it says
    "##": "a piece that continues a word",
    "Ġ": "a piece that follows a space",
    "▁": "a piece that follows a space",
    "<0x": "one byte of a letter that is no piece of its own",
}


def draw(trace: Trace) -> None:
    """Draw every token with its position and id; dashed boxes are tokens that the model added."""
    boxes = [box(trace, i) for i in range(len(trace.tokens))]
    st.html(f"<div class='tokens strip' role='list'>{''.join(boxes)}</div>")


def box(trace: Trace, i: int) -> str:
    """One token's box; an unknown piece also shows what was typed."""
    token, typed = trace.tokens[i], trace.tokenization.typed(i)
    word = f"{token} {typed}" if token in UNKNOWN else token
    added, second = trace.tokenization.special[i], 0 < trace.tokenization.second <= i
    kind = " class='added'" if added else " class='second'" if second else ""
    return (
        f"<div role='listitem'{kind}><bdi>{html.escape(shown(word, 24))}</bdi>"
        f"<small>{i} · id {trace.ids[i]}</small></div>"
    )


def explained(trace: Trace) -> str:
    """What there is to know about the tokens of this sentence, and no other."""
    tokens = trace.tokens
    added = dict.fromkeys(
        plain(token) for token, special in zip(tokens, trace.tokenization.special, strict=True) if special
    )
    said = ["A token is a word, or a piece of one, that the model knows by number (id)."]
    if added:
        said.append(f"{' and '.join(added)} {'are' if len(added) > 1 else 'is'} added for the model.")
    said += [f"{plain(unknown)} stands for what its vocabulary lacks." for unknown in UNKNOWN if unknown in tokens]
    said += [f"`{mark}` marks {what}." for mark, what in MARKS.items() if any(one.startswith(mark) for one in tokens)]
    return " ".join(said)
