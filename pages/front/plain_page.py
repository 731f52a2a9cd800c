"""The plain page: what Start says of a run, as text, tables and a picture for whoever has no script, and its route.

All that it shows is asked for in its address.
"""

import asyncio
import gzip
import logging
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from encoder.browser.arcs import MOST, pictures
from encoder.browser.markup import AS_IS, Html, el, join
from encoder.packet.format import Stored, unpack
from encoder.packet.reading import Choice, Reading, Sentence
from encoder.packet.say import parts, say
from encoder.packet.shipped import MODEL, SENTENCES
from encoder.packet.shipped import shipped as bundled
from encoder.support.formatting import percent, shown
from pages.front import request_fields
from pages.front.headers import PRIVATE, without_script
from pages.front.packets import Packets
from pages.front.request_fields import IN_ADDRESS, RefusedError
from pages.front.visitors import is_own, visitor
from pages.ui.server.offers import MODELS
from pages.ui.state.site import base

NAME = "See how an encoder thinks"
NO_WORD = "There is no word here to look from."
REFUSED = "This cannot be shown"
LITTLE_ROOM = "Where there is little room, only the words that are looked at most are drawn; the table has all."
IN_LINK = "The sentence stands in the address of this page: whoever sees the address can read it."
HINT = "Write ___ for a word that the model is to guess."
WRITTEN = 0.005  # a share of what is no word from which on it is said
TOO_LONG = "The sentence is too long for links here: write &layer=2&head=3 behind the address of this page."
SMALLEST = 1e-6  # a share that a packet may hold as 0
MOST_LINKS = 400_000  # characters of the addresses of words, and of heads
Query = Mapping[str, str]
LONGEST = 60_000  # bytes of a query: two sentences of signs that take twelve each
TEXTS, NUMBERS = ("sentence", "second", "model", "edits"), ("layer", "head", "word")
WHOLE = re.compile(r"[0-9]{1,6}", re.ASCII)
FAILED = "This run could not be made. Try another sentence."
FOREIGN = "The plain page opens as a page alone, not as a part of one of another site."
ADDRESS_TOO_LONG = "The address is too long to be read here: shorten the sentence."
log = logging.getLogger(__name__)


def page(run: Reading, off: Stored | None, query: Query) -> str:
    """Return a run as the query asks for it; `off` are the shares of its guesses without each head."""
    given = {name: int(query[name]) for name in ("word", "layer", "head") if name in query}
    choice = run.choice(**given)
    sentences = [
        el("p", text, class_="sentence", dir="auto", **AS_IS)
        for text in (run.about["sentence"], run.about["second"])
        if text
    ]
    if choice is None:
        return document(NO_WORD, shown(run.about["sentence"], 160), query, el("h1", NO_WORD), *sentences)
    word, place = choice.word, choice.place
    question, claim = run.question(word), run.claim(place, word)
    look, chosen = run.look(place, word), run.words.index(word)
    names = [run.name(each) for each in run.words]
    drawn = pictures(names, chosen, look.shares.tolist(), f"Arcs from {run.called(word)}", say(claim[0], **claim[1]))
    return document(
        say(question[0], **question[1]),
        f"{say(claim[0], **claim[1])} “{shown(run.about['sentence'], 160)}”",
        query,
        el("h1", composed(question)),
        *sentences,
        el("p", composed(claim), class_="claim"),
        el("figure", drawn, el("figcaption", LITTLE_ROOM) if len(names) > MOST else None),
        el("p", " ".join(notes(run, choice)), class_="small"),
        el("div", looks(run, choice, query), guesses(run, choice, off), class_="tables"),
        *heads(run, choice, query),
    )


def refusal(message: str, query: Query) -> str:
    """One sentence that says why there is no more."""
    return document(REFUSED, message, query, el("h1", REFUSED), el("p", message, class_="claim"))


def composed(sentence: Sentence) -> Html:
    """Return a sentence whose arguments have the direction of their own letters."""
    key, args = sentence
    return join(*(el("bdi", text, class_=name) if name else text for text, name in parts(key, **args)))


def notes(run: Reading, choice: Choice) -> list[str]:
    """Return what else is to be known of a head and of the run."""
    look = run.look(choice.place, choice.word)
    outside = WRITTEN <= look.rest <= look.shares.max()
    left_out = [say("left_out", share=look.rest, words=run.others_named)] if outside else []
    of_text: list[str] = run.about.get("notes", [])
    return left_out + of_text


def table(caption: str, heads: list[str], rows: list[tuple[Html | str, list[str]]], marked: int | None = None) -> Html:
    """Return a table whose rows have names."""
    top = el("thead", el("tr", *(el("th", head, scope="col") for head in heads)))
    lines = [
        el(
            "tr",
            el("th", name, scope="row"),
            *(el("td", cell) for cell in cells),
            class_="asked" if i == marked else None,
        )
        for i, (name, cells) in enumerate(rows)
    ]
    return el("table", el("caption", caption), top, el("tbody", *lines))


def looks(run: Reading, choice: Choice, query: Query) -> Html:
    """Return where the head looks, word by word; each word leads to where it looks itself."""
    layer, head = choice.place
    look = run.look(choice.place, choice.word)
    led = fits(query, len(run.words))
    rows: list[tuple[Html | str, list[str]]] = []
    for word, share in zip(run.words, look.shares, strict=True):
        name = el("bdi", run.name(word))
        to = address({**query, "word": word.position}) if led and run.held(word) else None
        gap = " (gap)" if word.gap else None
        known = share or (0 if word.position in run.about["hidden"] else SMALLEST)
        rows.append((join(el("a", name, href=to) if to else name, gap), [percent(known)]))
    if run.others:
        rows.append((f"{run.others_named}: no words", [percent(look.rest or SMALLEST)]))
    caption = f"Where head {head} of layer {layer} looks from {run.called(choice.word)}"
    return table(caption, ["Word", "Share"], rows, run.words.index(choice.word))


def guesses(run: Reading, choice: Choice, off: Stored | None) -> Html | None:
    """Return what the model guesses at the gap, and what it would without the head."""
    gap = choice.word if choice.word.gap else run.word_at(run.about["gap"])
    listed = run.guesses(gap) if gap else []
    if not gap or not listed:
        return None
    (layer, head), known = choice.place, off is not None and gap.position == run.about["gap"]
    without = (
        [[percent(share)] for share in off.numbers[layer, head]] if off is not None and known else [[] for _ in listed]
    )
    rows: list[tuple[Html | str, list[str]]] = [
        (el("bdi", text), [percent(share), *more]) for (text, share), more in zip(listed, without, strict=False)
    ]
    heads = ["Word", "Share", *([f"Without head {head} of layer {layer}"] if known else [])]
    return table(f"What the model guesses at {run.called(gap)}", heads, rows)


def heads(run: Reading, choice: Choice, query: Query) -> list[Html]:
    """Return the way to every head, layer by layer."""
    title = el("h2", f"All {run.layers * run.heads} heads")
    if not fits(query, run.layers * run.heads):
        return [title, el("p", TOO_LONG)]
    layers = []
    for layer in range(run.layers):
        links = []
        for head in range(run.heads):
            here = "true" if (layer, head) == choice.place else None
            to, name = address({**query, "layer": layer, "head": head}), f"head {head} of layer {layer}"
            links.append(el("a", f"head {head}", href=to, aria_label=name, aria_current=here))
        layers.append(el("li", f"Layer {layer}: ", *links))
    return [title, el("ul", *layers, class_="heads")]


def address(query: Mapping[str, object]) -> str:
    """Return the address of the plain page of a query."""
    return f"{base()}/plain?{urlencode(query)}"


def fits(query: Query, count: int) -> bool:
    """Return whether so many links are short enough together."""
    return count * len(address(query)) <= MOST_LINKS


def document(title: str, about: str, query: Query, *main: Html | None) -> str:
    """Return the whole page: what previews of links read, the way to everything, and a field for another sentence."""
    metas = {
        "viewport": "width=device-width, initial-scale=1",
        "color-scheme": "light dark",
        "robots": "noindex",  # who typed a sentence did not mean to publish it
        "description": about,
        "twitter:card": "summary",
    }
    preview = {"og:type": "website", "og:site_name": NAME, "og:title": title, "og:description": about}
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("title", f"{title} · {NAME}"),
        *(el("meta", name=name, content=text) for name, text in metas.items()),
        *(el("meta", property=name, content=text) for name, text in preview.items()),
        el("link", rel="icon", href="data:,"),
        el("style", Html(style())),
    )
    whole = f"{base()}/{'?' + urlencode({**query, 'v': '1'}) if query else ''}"
    top = el("header", el("b", NAME), el("a", "The page with everything", href=whole))
    sentence, model = query.get("sentence", SENTENCES[0])[:IN_ADDRESS], query.get("model", MODEL)
    offered = {name: offer.label for name, offer in MODELS.items()}
    models = {model: shown(model, 60)} | offered
    form = el(
        "form",
        el("label", "Your own sentence", for_="sentence"),
        el(
            "input",
            id="sentence",
            name="sentence",
            value=sentence,
            maxlength=IN_ADDRESS,
            dir="auto",
            autocomplete="off",
        ),
        el("label", "Model", for_="model"),
        el(
            "select",
            *(el("option", label, value=name, selected=name == model) for name, label in models.items()),
            id="model",
            name="model",
        ),
        el("button", "Show"),
        el("p", HINT, class_="small"),
        action=f"{base()}/plain",
    )
    examples = el("ul", *(el("li", el("a", text, href=address({"sentence": text}), **AS_IS)) for text in SENTENCES))
    foot = el("footer", el("p", IN_LINK, class_="small"))
    body = el("body", top, el("main", *main, el("h2", "Another sentence"), form, examples, foot))
    return f"<!DOCTYPE html>{el('html', head, body, lang='en')}"


@cache
def style() -> str:
    """Return the page's own style; it asks for no file."""
    return Path(__file__).with_name("plain.css").read_text(encoding="utf-8")


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
                raise RefusedError(413, ADDRESS_TOO_LONG)
            query = query_of(request.query_params)
            packet = await self.packet(wanted(query), visitor(request))
            return html(await asyncio.to_thread(page_of, packet, query), 200)
        except RefusedError as error:
            return html(refusal(error.message, query), error.status, error.after)
        except Exception:
            log.exception("A plain page could not be made")
            return html(refusal(FAILED, query), 503)

    async def packet(self, run: request_fields.RunRequest, who: str) -> bytes:
        """Level 1 of a run; of a bundled sentence it is there before any model is read."""
        usual = run.model == MODEL and not (run.second or run.hidden or run.edits)
        there = bundled(run.sentence) if usual else None
        return gzip.decompress(await self.packets.get(run, who)) if there is None else there


def page_of(packet: bytes, query: dict[str, str]) -> str:
    """Return the page of a packet."""
    _, about, arrays = unpack(packet)
    return page(Reading(about, arrays), arrays.get("off"), query)


def query_of(params: QueryParams) -> dict[str, str]:
    """What an address says, by the names of encoder/browser/store.js; what it says wrongly is left out, as there."""
    given = dict(reversed(params.multi_items()))  # of two the first counts, as in a browser
    query = {name: given[name] for name in TEXTS if given.get(name, "").strip()}
    query |= {name: given[name] for name in NUMBERS if WHOLE.fullmatch(given.get(name, ""))}
    hidden = [place for place in given.get("hidden", "").split(",") if place]
    return query | ({"hidden": ",".join(hidden)} if hidden and all(map(WHOLE.fullmatch, hidden)) else {})


def wanted(query: dict[str, str]) -> request_fields.RunRequest:
    """Return the run that a query asks for.

    Raises:
        RefusedError: a part of it is too long, or no page of this app says so.
    """
    texts = {name: request_fields.text({name: query.get(name)}, name, request_fields.IN_ADDRESS) for name in TEXTS}
    hidden = [int(place) for place in query.get("hidden", "").split(",") if place]
    texts["sentence"] = texts["sentence"] or SENTENCES[0]
    return request_fields.wanted({**texts, "hidden": hidden})


def html(text: str, status: int, after: int = 0) -> Response:
    """Return an answer that nobody keeps, and that tells no other site of its address."""
    headers = {"Cache-Control": PRIVATE, "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
    headers |= {"Content-Security-Policy": without_script()} | ({"Retry-After": str(after)} if after else {})
    return HTMLResponse(text, status, headers)
