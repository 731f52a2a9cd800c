"""A living file: one page of HTML with runs inside, which asks no server; it opens from a disk and in a sandbox."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

from encoder.errors import EncoderError
from encoder.packet.format import unpack

BUILT = Path(__file__).parent / "built" / "front.js"
EXPORTS = re.compile(r"export\s*\{([^{}]*)\};?\s*\Z")
ENDS = re.compile(r"<(?=/script|!--|script)", re.IGNORECASE)  # what would end, or change, the script that it stands in
RULES = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<title>{title}</title>
<style>:root {{ color-scheme: light dark; }} body {{ margin: 0; }}</style>
<div id="front"></div>
<script id="packets" type="application/json">{packets}</script>
<script type="module">
{script}
const packets = new Map(Object.entries(JSON.parse(document.getElementById('packets').textContent)));
const [sentence] = packets.keys();
const model = {model};
const load = async asked => {{
  const own = asked.model === model && !asked.second && !asked.edits && !asked.hidden.length;
  const there = own && packets.get(asked.sentence);
  if (!there) throw new Error('This file does not hold that run.');
  const bytes = asked.level === 1 ? there.run : asked.level === 2 ? there.layers[asked.layer] : undefined;
  if (!bytes) throw new Error(`This file does not hold the vectors of layer ${{asked.layer}} for this sentence.`);
  return Uint8Array.from(atob(bytes), one => one.charCodeAt(0)).buffer;
}};
const shipped = Object.fromEntries([...packets.keys()].map(one => [one, '']));
const store = {store}({{ defaults: {{ sentence, model }} }});
const pages = {pages};
const draw = page => {mount}(document.getElementById('front'), {{
  load, store, page, pages, shipped, models: [], closed: true, goTo: draw,
}});
draw('start');
</script>
</html>
"""


def living_file(packets: Mapping[str, bytes], title: str, layers: Mapping[str, Iterable[bytes]] | None = None) -> str:
    """One HTML file that shows Start of these runs, and Attention where it holds vectors.

    Args:
        packets: from sentence to level 1 of its run, all of one model; the first is shown first.
        title: of the file.
        layers: from sentence to level 2 of some or all layers of its run; without any, the file has Start alone.

    Raises:
        EncoderError: no packet is given, the first one is none, or one of a layer is none.
    """
    if not packets:
        raise EncoderError("a living file needs at least one run; got none")
    script = BUILT.read_text(encoding="utf-8")
    exports = EXPORTS.search(script)
    if exports is None:
        raise EncoderError(f"{BUILT.name} exports nothing: build it with node tests/javascript/build.mjs")
    names = {name.strip(): own.strip() for own, _, name in (pair.partition(" as ") for pair in exports[1].split(","))}
    vectors = {sentence: of_layers((layers or {}).get(sentence, ())) for sentence in packets}
    held = {sentence: {"run": text(packet), "layers": vectors[sentence]} for sentence, packet in packets.items()}
    pages = [{"key": key, "title": key.capitalize(), "address": ""} for key in ("start", "attention")]
    return PAGE.format(
        rules=RULES,
        title=escape(title),
        packets=inside(json.dumps(held)),
        script=ENDS.sub(r"\\x3c", script[: exports.start()]),
        pages=json.dumps(pages if any(vectors.values()) else []),
        model=inside(json.dumps(model_of(next(iter(packets.values()))))),
        store=names["makeStore"],
        mount=names["mount"],
    )


def of_layers(packets: Iterable[bytes]) -> dict[int, str]:
    """The packets of layers as text, by the layer that each says."""
    return {unpack(packet)[1]["layer"]: text(packet) for packet in packets}


def text(packet: bytes) -> str:
    """Bytes as letters that a script reads."""
    return b64encode(packet).decode("ascii")


def inside(spelled: str) -> str:
    """JSON that can stand in a script."""
    return spelled.replace("<", "\\u003c")


def model_of(packet: bytes) -> str:
    """The name of the model that a packet's header says."""
    _, about, _ = unpack(packet)
    return str(about["model"]["name"])
