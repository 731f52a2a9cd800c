"""How all pages write text and draw charts."""

import re

import streamlit as st

from encoder.support.theme import Theme

SYNTAX = '\\`*_{}[]()#+-.!|~$:<>&"@='  # of Markdown
ADDRESS = re.compile(r"[a-z]:(?=//)|www(?=\.)|@", re.IGNORECASE)  # what Markdown makes a link of, where it goes on
JOINER = "\u2060"
WORD = re.compile(r"[a-z0-9]+")
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
NUMBER = st.column_config.NumberColumn(format="%.4g")
WHOLE = st.column_config.NumberColumn(format="localized")


def theme() -> Theme:
    """Whether the person's browser shows light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def plain(text: str) -> str:
    """Text that a person typed, made safe for Markdown.

    Markdown looks for addresses again after it has read the escapes, so a word joiner, which has no width, breaks them.
    Characters that turn the order of what follows, and those that nobody can see, are shown by their number.
    """
    named = UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", ADDRESS.sub(f"\\g<0>{JOINER}", text))
    return "".join(f"\\{c}" if c in SYNTAX else c for c in named)


def anchor(words: str) -> str:
    """What the address of a page calls a part of it.

    A browser that is not told works it out in every run, for longer than a picture takes.
    """
    return "-".join(WORD.findall(words.lower())) or "part"


def title(words: str, *, wide: bool = False) -> None:
    """The headline of a page, in Markdown; `wide` where something stands at its right."""
    st.title(words, anchor="page", width="stretch" if wide else "content")


def heading(words: str) -> None:
    """What a part of a page is called, in Markdown."""
    st.header(words, anchor=anchor(words))


def subheading(words: str) -> None:
    """What a smaller part is called, in Markdown."""
    st.subheader(words, anchor=anchor(words))


def say(fact: str, more: str = "") -> None:
    """What was found, in one sentence that stands out; `more` is Markdown that follows it."""
    st.markdown(f"**{plain(fact)}**" + (f" {more}" if more else ""))
