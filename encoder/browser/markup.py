"""A text as HTML shows it: nothing of it is read as markup."""

import re
from html import escape

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # no page may hold these


def text(raw: str) -> str:
    """Every letter itself, and a sign for those that no page may hold."""
    return escape(CONTROLS.sub("\ufffd", raw))
