"""The terms of a step on one line; each shows its meaning when it is pointed at, tapped or reached by the Tab key."""

import html

import streamlit as st

from encoder.steps.glossary import Term, beside

STYLE = """<style>
.terms { position: relative; display: flex; flex-wrap: wrap; gap: 2px 12px; font-size: 0.875rem; }
.terms span { cursor: help; border-bottom: 1px dotted currentColor; }
.terms i { display: none; position: absolute; z-index: 99; left: 0; bottom: 100%; width: min(20rem, 100%);
  padding: 8px 10px;  font-style: normal; border-radius: 6px; border: 1px solid var(--st-border-color, #8888);
  background: var(--st-secondary-background-color, #f0f2f6); color: var(--st-text-color, #31333f); }
.terms span:hover i, .terms span:focus i { display: block; }
</style>"""


def draw(step: str) -> None:
    """The terms of a step, by its local name; nothing where it has none."""
    found = beside(step)
    if found:
        st.html(f"{STYLE}<div class='terms'>Terms: {''.join(map(one, found))}</div>")


def one(term: Term) -> str:
    """One term with its meaning behind it."""
    meaning = f"{term.title}: {term.meaning} {term.elsewhere}".strip()
    return f"<span tabindex='0' role='note'>{html.escape(term.name)}<i role='tooltip'>{html.escape(meaning)}</i></span>"
