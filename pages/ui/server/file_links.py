"""Files that pages offer by plain links: each is made when its link is followed, of what its page showed last."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_urlsafe
from time import monotonic

from pages.ui.server import visitor
from pages.ui.state.session import session

PATH = "/api/file"  # of a link, below the path that the app is served under
GRACE = 15.0  # seconds for which a page whose line is lost keeps its links


@dataclass(frozen=True)
class Offer:
    """A file that a page offers: its name, its type, what makes it, the line of its page, and when it was drawn."""

    name: str
    type: str
    make: Callable[[], bytes]
    line: str
    since: float


_offers: dict[str, Offer] = {}
_lock = threading.Lock()


def offer(key: str, name: str, kind: str, make: Callable[[], bytes]) -> str:
    """Offer a file under a key of this page, and return the name that its link ends with.

    It stays the same for as long as the page has such a link: the browser shows the old one while it is drawn again.
    """
    here = session()
    link, _ = here.links.get(key) or (token_urlsafe(16), 0)
    here.links[key] = (link, here.runs)
    with _lock:
        _offers[link] = Offer(name, kind, make, visitor.current(), monotonic())
    return link


def find(link: str) -> Offer | None:
    """Return what is offered under a link; None where no page shows it any more."""
    return _offers.get(link)


def forget_undrawn(run: int) -> None:
    """Withdraw the files of this session that were not offered in that run of its script."""
    here = session()
    gone = [key for key, (_, drawn) in here.links.items() if drawn != run]
    with _lock:
        for key in gone:
            _offers.pop(here.links.pop(key)[0], None)


def drop_unseen(is_here: Callable[[str], bool]) -> None:
    """Withdraw the files of pages that were closed."""
    before = monotonic() - GRACE
    with _lock:
        for link in [link for link, offer in _offers.items() if offer.since < before and not is_here(offer.line)]:
            del _offers[link]
