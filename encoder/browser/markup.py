"""Elements of HTML and SVG as text. What is no element is text, and stays text: nothing of it is read as markup."""

import re
from html import escape

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # no page may hold these
AS_IS = {"translate": "no", "lang": ""}  # what a browser's translator leaves alone: tokens and words; `bdi` has it


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def el(tag: str, /, *inside: str | None, **attributes: str | float | bool | None) -> Html:
    """An element. `class_` is the attribute class, `aria_label` is aria-label; False and None leave one out."""
    whole = {**(AS_IS if tag == "bdi" else {}), **attributes}
    given = {key.rstrip("_").replace("_", "-"): value for key, value in whole.items()}
    shown = {key: value for key, value in given.items() if value is not None and value is not False}
    start = "".join(f" {key}" if value is True else f' {key}="{text(str(value))}"' for key, value in shown.items())
    return Html(f"<{tag}{start}>{join(*inside)}</{tag}>")


def join(*inside: str | None) -> Html:
    """Elements and texts in a row; None is nothing."""
    return Html("".join(part if isinstance(part, Html) else text(part) for part in inside if part is not None))


def text(raw: str) -> str:
    """A text as HTML shows it: every letter itself, and a sign for those that no page may hold."""
    return escape(CONTROLS.sub("\ufffd", raw))
