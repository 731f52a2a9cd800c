"""The route of the plain page, which needs no script; all that it shows is asked for in its address."""

import asyncio
import gzip
import logging
import re

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from encoder.packet.format import unpack
from encoder.packet.reading import Reading
from encoder.packet.shipped import MODEL, SENTENCES
from encoder.packet.shipped import shipped as bundled
from pages.front import asked, plain_page
from pages.front.asked import RefusedError
from pages.front.headers import PRIVATE, without_script
from pages.front.packets import Packets
from pages.front.visitors import is_own, visitor

LONGEST = 60_000  # bytes of a query: two sentences of signs that take twelve each
TEXTS, NUMBERS = ("sentence", "second", "model", "edits"), ("layer", "head", "word")
WHOLE = re.compile(r"[0-9]{1,6}", re.ASCII)
FAILED = "This run could not be made. Try another sentence."
FOREIGN = "The plain page opens as a page alone, not as a part of one of another site."
TOO_LONG = "The address is too long to be read here: shorten the sentence."
log = logging.getLogger(__name__)


class Plain:
    """The route, and the packets that its pages are made of."""

    def __init__(self, packets: Packets) -> None:
        self.packets = packets

    async def answer(self, request: Request) -> Response:
        """The page of what the address asks for; where that cannot be had, a page with one sentence that says why."""
        query: dict[str, str] = {}
        try:
            if not (is_own(request.headers) or request.headers.get("Sec-Fetch-Mode") == "navigate"):
                raise RefusedError(403, FOREIGN)
            if len(request.scope["query_string"]) > LONGEST:
                raise RefusedError(413, TOO_LONG)
            query = query_of(request.query_params)
            packet = await self.packet(wanted(query), visitor(request))
            return html(await asyncio.to_thread(page, packet, query), 200)
        except RefusedError as error:
            return html(plain_page.refusal(error.message, query), error.status, error.after)
        except Exception:
            log.exception("A plain page could not be made")
            return html(plain_page.refusal(FAILED, query), 503)

    async def packet(self, run: asked.Asked, who: str) -> bytes:
        """Level 1 of a run; of a bundled sentence it is there before any model is read."""
        usual = run.model == MODEL and not (run.second or run.hidden or run.edits)
        there = bundled(run.sentence) if usual else None
        return gzip.decompress(await self.packets.get(run, who)) if there is None else there


def page(packet: bytes, query: dict[str, str]) -> str:
    """The page of a packet."""
    _, about, arrays = unpack(packet)
    return plain_page.page(Reading(about, arrays), arrays.get("off"), query)


def query_of(params: QueryParams) -> dict[str, str]:
    """What an address says, by the names of encoder/browser/store.js; what it says wrongly is left out, as there."""
    given = dict(reversed(params.multi_items()))  # of two the first counts, as in a browser
    query = {name: given[name] for name in TEXTS if given.get(name, "").strip()}
    query |= {name: given[name] for name in NUMBERS if WHOLE.fullmatch(given.get(name, ""))}
    hidden = [place for place in given.get("hidden", "").split(",") if place]
    return query | ({"hidden": ",".join(hidden)} if hidden and all(map(WHOLE.fullmatch, hidden)) else {})


def wanted(query: dict[str, str]) -> asked.Asked:
    """The run that a query asks for.

    Raises:
        RefusedError: a part of it is too long, or no page of this app says so.
    """
    texts = {name: asked.text({name: query.get(name)}, name, asked.IN_ADDRESS) for name in TEXTS}
    hidden = [int(place) for place in query.get("hidden", "").split(",") if place]
    texts["sentence"] = texts["sentence"] or SENTENCES[0]
    return asked.wanted({**texts, "hidden": hidden})


def html(text: str, status: int, after: int = 0) -> Response:
    """An answer that nobody keeps, and that tells no other site of its address."""
    headers = {"Cache-Control": PRIVATE, "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
    headers |= {"Content-Security-Policy": without_script()} | ({"Retry-After": str(after)} if after else {})
    return HTMLResponse(text, status, headers)
