"""The plain page as a test reads it: its elements and texts, as a parser of HTML finds them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

EMPTY = {"meta", "link", "input"}


@dataclass
class Element:
    """An element of a page, and what is in it."""

    tag: str
    attributes: dict[str, str | None]
    inside: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it, in order."""
        return "".join(part if isinstance(part, str) else part.text for part in self.inside)

    def every(self, tag: str, **attributes: str) -> list["Element"]:
        """All elements of a tag in it that have these attributes."""
        below = [part for part in self.inside if isinstance(part, Element)]
        fit = [one for one in below if tag in (one.tag, "*") and attributes.items() <= one.attributes.items()]
        return fit + [one for part in below for one in part.every(tag, **attributes)]


class Tree(HTMLParser):
    """Reads a page; what is not closed in its turn is a fault."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]
        self.feed(html)
        self.close()
        assert len(self.open) == 1, self.open[-1].tag

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].inside.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def read(html: str) -> Element:
    """The page."""
    return Tree(html).open[0]
