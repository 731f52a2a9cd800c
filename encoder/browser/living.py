"""A living file: one page of HTML with runs inside, which asks no server; it opens from a disk and in a sandbox."""

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from encoder.browser.page_table import PAGES
from encoder.packet.format import unpack
from encoder.support.errors import EncoderError

FOLDER = Path(__file__).parent / "built"
EXPORTS = re.compile(r"export\s*\{([^{}]*)\};?\s*\Z")
IMPORTS = re.compile(r'import\s*\{\s*modules as ([\w$]+)\s*\}\s*from\s*"\./front\.js";')
LATER = 'import("./pages.js")'
ENDS = re.compile(r"<(?=/script|!--|script)", re.IGNORECASE)  # what would end, or change, the script that it stands in
OF_LAYER = (2, 3)  # levels of packets that hold one layer
OF_STEP = 8  # the level that holds the numbers of one step
OF_PLACES = (OF_STEP, 10, 11)  # levels of packets that hold a step, a guess or a unit at its place
MADE = ("sentence", "second", "model", "hidden", "edits")  # what makes a run
RULES = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; background: light-dark(#fff, #0d1118); }}
.framed #front {{ min-height: 0; }}
footer {{ padding: 12px 24px 20px; font: 13px/1.5 system-ui, sans-serif; color: light-dark(#4a5261, #b4bdcb); }}
footer p {{ margin: 0; overflow-wrap: anywhere; }}
footer a {{ color: inherit; }}
</style>
<div id="front"></div>
<noscript><p>{kept}</p></noscript>
<footer>{foot}</footer>
<script id="packets" type="application/json">{packets}</script>
<script type="module">
{front}
const later = (() => {{
  const make = () => {{
    {pages}
  }};
  let made;
  return () => (made ??= Promise.resolve().then(make));
}})();
{{
  const {{ originOf }} = (() => {{
    {origin}
  }})();
  const runs = JSON.parse(document.getElementById('packets').textContent);
  const made = {made}, listed = {listed}, first = {first};
  const same = (about, asked) => made.every(name => JSON.stringify(about[name]) === JSON.stringify(asked[name]));
  const why = ({{ level, layer }}) => ({{
    2: `This file does not hold the vectors of layer ${{layer}} for this sentence.`,
    3: `This file does not hold the sums and units of layer ${{layer}} for this sentence.`,
    8: 'This file does not hold the numbers of this step: the app has them.',
    10: 'This file does not hold that word: the app has it.', 12: 'This file does not hold that word: the app has it.',
    11: 'This file does not hold the weights of this unit: the app has them.',
  }})[level] ?? 'This file does not hold what this page shows of this sentence.';
  const load = async asked => {{
    const run = runs.find(({{ about }}) => same(about, asked));
    const of = asked.level === 6 ? runs.find(({{ about }}) => about.model === asked.model) : run;
    if (!of) throw new Error(`This file does not hold that run${{asked.edits ? ' with what is changed in it' : ''}}.`);
    const name = [asked.level, asked.layer ?? asked.step ?? []].flat().join(' ');
    const bytes = of.packets[`${{name}} ${{asked.index}}`] ?? of.packets[name];
    if (!bytes) throw new Error(why(asked));
    const packed = Uint8Array.from(atob(bytes), one => one.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }};
  const shipped = Object.fromEntries(runs.map(({{ about }}) => [about.sentence, '']));
  const store = front.makeStore({{
    defaults: {{ sentence: runs[0].about.sentence, model: runs[0].about.model }},
    first: {{ ...front.fromQuery(new URLSearchParams(first).toString()), ...runs[0].about }},
  }});
  const draw = page => {{front.mount(document.getElementById('front'), {{
    load, store, page, pages: listed, shipped, models: [], closed: true, numbers: {numbers},
    origin: originOf, goTo: draw,
  }});}};
  draw({page});
  if (parent !== window) {{
    document.documentElement.classList.add('framed');
    const height = () => Math.ceil(document.body.getBoundingClientRect().height);
    new ResizeObserver(() => parent.postMessage({{ encoderHeight: height() }}, '*')).observe(document.body);
  }}
}}
</script>
</html>
"""


def living_file(
    runs: Iterable[Sequence[bytes]],
    title: str,
    *,
    page: str = "start",
    chosen: Mapping[str, str] | None = None,
    kept: str = "",
    link: str = "",
) -> str:
    """Return one HTML file that draws these runs, with the pages that their packets are enough for.

    Args:
        runs: of each run its packets, level 1 first; the first run is shown first.
        title: of the file.
        page: the key of the page that it opens with, one of PAGES.
        chosen: what is chosen when it opens, as an address spells it.
        kept: a sentence that says what it shows when it opens.
        link: an address of the app that its foot leads to.

    Raises:
        EncoderError: no run is given, a packet is none, the first of a run is not of level 1, or there is no such page.
    """
    held = [packed(packets) for packets in runs]
    if not held:
        raise EncoderError("a living file needs at least one run; got none")
    if page not in PAGES:
        raise EncoderError(f"there is no page {page!r:.40} in a living file; it has {', '.join(PAGES)}")
    front, pages, origin = scripts()
    return PAGE.format(
        rules=RULES,
        title=written(title),
        kept=written(kept),
        foot=foot(held, kept, link),
        packets=inside([{"about": run["about"], "packets": run["packets"]} for run in held]),
        front=front,
        pages=pages,
        origin=origin,
        made=json.dumps(MADE),
        listed=json.dumps(listed(held, page)),
        first=inside(dict(chosen or {})),
        page=json.dumps(page),
        numbers=json.dumps(any(name.startswith(f"{OF_STEP} ") for run in held for name in run["packets"])),
    )


def packed(packets: Sequence[bytes]) -> dict[str, Any]:
    """Return what makes a run, its packets by level and layer, compressed and as letters, and the model it is of."""
    read = [unpack(packet)[:2] for packet in packets]
    if not read or read[0][0] != 1:
        raise EncoderError("the first packet of a run in a living file is its level 1")
    header = read[0][1]
    about = {name: header[name] for name in MADE if name != "model"} | {"model": header["model"]["name"]}
    names = [place(level, fields) for level, fields in read]
    letters = map(text, packets)
    return {"about": about, "model": header["model"], "packets": dict(zip(names, letters, strict=True))}


def place(level: int, header: Mapping[str, Any]) -> str:
    """Return what a packet of a run is called in the file: its level, and the layer or the step that it is of."""
    if level in OF_LAYER:
        return f"{level} {header['layer']}"
    if level not in OF_PLACES:
        return str(level)
    return f"{level} {header['step']} {','.join(map(str, header['index']))}".rstrip()


def listed(held: Sequence[Mapping[str, Any]], page: str) -> list[dict[str, Any]]:
    """Return the pages for the menu: those that some run has a packet for, and the one that is open; none for one."""
    levels = {int(name.split()[0]) for run in held for name in run["packets"]}
    there = [key for key, about in PAGES.items() if about.level in levels and (key != "compare" or len(held) > 1)]
    keys = [key for key in PAGES if key in there or key == page]
    every = [{"key": key, "title": PAGES[key].title, "address": "", **described(key)} for key in keys]
    return every if len(every) > 1 else []


def described(page: str) -> dict[str, Any]:
    """Return what the menu says of a page: its main pictures, and of one whose steps are shown by number these."""
    about = PAGES[page]
    steps = {"parts": about.parts, "shows": about.shows, "step": about.in_full(about.opens_on)} if about.parts else {}
    return {"pictures": about.pictures} | steps


def foot(held: Sequence[Mapping[str, Any]], kept: str, link: str) -> str:
    """Return what stands below the picture: what it showed when it was kept, the models, and the way to the app."""
    models = dict.fromkeys(f"{run['model']['name']}, weights {run['model']['digest']}" for run in held)
    parts = [f"When it was kept: {kept}"] if kept else []
    parts.append(f"Model: {'; '.join(models)}. All numbers are in this page: nothing is asked of a server.")
    parts.append("The charts and checks that stand below each page of the app are not in it.")
    to = f' <a href="{written(link)}" target="_blank" rel="noopener">Open it in the app</a>' if link else ""
    return f"<p dir='auto'>{written(' '.join(parts))}{to}</p>"


@cache
def scripts() -> tuple[str, str, str]:
    """Return the browser's modules for one script: what defines `front`, and what functions give as all else.

    The second are the later pages, the last is what finds what a number was made of.

    Raises:
        EncoderError: they are not built as one script can hold them.
    """
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("front.js", "pages.js", "origin_of_number.js")]
    (front, names), *more = (parted(IMPORTS.sub(r"const{modules:\1}=front;", text)) for text in texts)
    if LATER not in front or any(re.search(r"\bimport\s*\{", script) for script, _ in more):
        raise EncoderError("the modules are not as a file can hold them: node tests/javascript/build.mjs")
    pages, origin = (f"{script}\nreturn {others};" for script, others in more)
    return f"{front.replace(LATER, 'later()')}\nconst front = {names};", pages, origin


def parted(script: str) -> tuple[str, str]:
    """Return a module without what it exports, fit to stand in a page, and what it exports as an object."""
    exports = EXPORTS.search(script)
    if exports is None:
        raise EncoderError("a module exports nothing: node tests/javascript/build.mjs")
    pairs = (pair.strip().partition(" as ") for pair in exports[1].split(","))
    names = ", ".join(f"{name or own}: {own}" for own, _, name in pairs)
    return ENDS.sub(r"\\x3c", script[: exports.start()]), f"{{ {names} }}"


@cache
def scripts_size() -> int:
    """Return how many characters the scripts take in a page, and in an attribute of one."""
    return len(quoted("".join(scripts())))


def text(packet: bytes) -> str:
    """Return bytes, compressed, as letters that a script reads."""
    return b64encode(gzip.compress(packet, 6, mtime=0)).decode("ascii")


def inside(value: object) -> str:
    """Return JSON that can stand in a script."""
    return json.dumps(value).replace("<", "\\u003c")


def written(words: str) -> str:
    """Return a text as HTML: it stays text, without characters that no page can hold."""
    return escape("".join(letter if letter.isprintable() else " " for letter in words))


def quoted(page: str) -> str:
    """Return a page as it stands in an attribute between single quotes."""
    return page.replace("&", "&amp;").replace("'", "&#39;")
