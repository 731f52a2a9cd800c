"""A living file: one page of HTML with runs inside, which asks no server; it opens from a disk and in a sandbox."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
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
  const found = asked.level === 1 && asked.model === model && !asked.second && !asked.edits && !asked.hidden.length;
  if (!found || !packets.has(asked.sentence)) throw new Error('This file does not hold that run.');
  return Uint8Array.from(atob(packets.get(asked.sentence)), one => one.charCodeAt(0)).buffer;
}};
const shipped = Object.fromEntries([...packets.keys()].map(one => [one, '']));
const store = {store}({{ defaults: {{ sentence, model }} }});
const none = {{ pages: [], models: [], goTo() {{}}, closed: true }};
{mount}(document.getElementById('front'), {{ load, store, page: 'start', shipped, ...none }});
</script>
</html>
"""


def living_file(packets: Mapping[str, bytes], title: str) -> str:
    """One HTML file that shows Start of these runs.

    Args:
        packets: from sentence to level 1 of its run, all of one model; the first is shown first.
        title: of the file.

    Raises:
        EncoderError: no packet is given, or the first one is none.
    """
    if not packets:
        raise EncoderError("a living file needs at least one run; got none")
    script = BUILT.read_text(encoding="utf-8")
    exports = EXPORTS.search(script)
    if exports is None:
        raise EncoderError(f"{BUILT.name} exports nothing: build it with node tests/javascript/build.mjs")
    names = {name.strip(): own.strip() for own, _, name in (pair.partition(" as ") for pair in exports[1].split(","))}
    held = {sentence: b64encode(packet).decode("ascii") for sentence, packet in packets.items()}
    return PAGE.format(
        rules=RULES,
        title=escape(title),
        packets=inside(json.dumps(held)),
        script=ENDS.sub(r"\\x3c", script[: exports.start()]),
        model=inside(json.dumps(model_of(next(iter(packets.values()))))),
        store=names["makeStore"],
        mount=names["mount"],
    )


def inside(text: str) -> str:
    """JSON that can stand in a script."""
    return text.replace("<", "\\u003c")


def model_of(packet: bytes) -> str:
    """The name of the model that a packet's header says."""
    _, about, _ = unpack(packet)
    return str(about["model"]["name"])
