"""Text of a person stays text in Markdown: nothing of it becomes markup, an address to click, or a change of order."""

import re

from markdown_it import MarkdownIt
from nasty import EVERY, MARKUP, SCRIPTS

from pages.ui.text import JOINER, plain

# What Markdown makes addresses of, after escapes are read (GitHub's rules)
WEB = re.compile(r"(https?://|www(?=\.))[-.\w]+", re.IGNORECASE)
MAIL = re.compile(r"[-.\w+]+@[-\w]+(\.[-\w]+)+")


def read(escaped: str) -> str:
    """The text that Markdown shows of what was escaped."""
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", escaped)


def test_no_address_is_left_to_click() -> None:
    for text in ("http://a.b", "HTTPS://a.b/c?d", "www.a.b", "x WWW.a.b", "me@a.b", "a.b+c@d-e.f", "xhttp://www.a"):
        assert WEB.search(text) or MAIL.search(text)
        shown = read(plain(text))
        assert not WEB.search(shown) and not MAIL.search(shown), text
        assert shown.replace(JOINER, "") == text


def test_what_nobody_sees_is_shown_by_its_number_and_nothing_turns_what_follows() -> None:
    for text in ("\u202eabc", "a\u2066b\u2069", "\x00\x1b[31m", "\x9b", "\ufffe\uffff", "\x85"):
        shown = read(plain(text))
        assert shown.isprintable() and "\\u" in shown
    text = "one  \ntwo\tthree \u05e9\u05dc\u05d5\u05dd \u200f\u0645\u4f60 \U0001f468\u200d\U0001f469"
    assert plain(text) == text  # lines and writing from right to left stay
    for text in EVERY[:-5]:
        shown = read(plain(text))
        assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x00\x1b\ufffe\uffff")
        assert not WEB.search(shown) and not MAIL.search(shown)


def test_a_reader_of_markdown_finds_nothing_but_the_text() -> None:
    for text in (*SCRIPTS, *MARKUP):
        line = " ".join(text.split())
        paragraph, inline, end = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(plain(line))
        assert (paragraph.type, end.type) == ("paragraph_open", "paragraph_close"), text
        assert {part.type for part in inline.children or ()} <= {"text", "text_special"}, text
        assert "".join(part.content for part in inline.children or ()).replace(JOINER, "") == line
