"""Links of an earlier version, and what the app shows of one: what the link promises, told without its exact words.

`python tests/old_links.py TREE` writes tests/old_links.json from the app in another tree.
"""

import base64
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

FILE = Path(__file__).with_name("old_links.json")
WIDE, TIRED = (f"The animal didn't cross the street because it was too {word}." for word in ("wide", "tired"))
MASKED = {"sentence": "The [MASK] sat on the mat.", "other": "The [MASK] stood on the mat."}
SHORT = {"sentence": "I understand this"}
PAIR = {"sentence": "The cat sleeps.", "second": "The dog ran."}
HEAD_OFF, SHUFFLED = "layers.2.attention.heads:zero:h=3", "embedding.positions:shuffle:v=0"
PATCH = "layers.3.output:patch:v=I%20understand%20that:p=2"
SHUFFLED = "embedding.positions:shuffle:v=0"
BUILT = "built:n_layers=2,d_model=64,n_heads=4,d_ff=128,vocab_size=16384,seed=3"
LINKS: list[tuple[str, Mapping[str, str]]] = [
    ("sentence", {}),
    ("sentence", {"sentence": "Keys on the <b>table</b> & $x$ 😀", "model": "small", "layer": "3", "head": "2"}),
    ("embedding", SHORT | {"step": "embedding.scaled"}),
    ("position", SHORT | {"step": "embedding.output", "cell": "embedding.output:2,5"}),
    ("attention", {}),
    ("attention", SHORT | {"step": "attention.scores", "layer": "0", "head": "6", "hidden": "1"}),
    ("attention", {"step": "attention.weights", "cell": "layers.4.attention.weights:1,8,2"}),
    ("attention", SHORT | {"step": "attention.heads", "lock": "1", "query": "3"}),
    ("attention", SHORT | {"lock_four": "1", "edits": HEAD_OFF, "present": "1"}),
    ("attention", PAIR | {"step": "attention.masked", "hidden": "2,3"}),
    ("attention", SHORT | {"model": BUILT, "layer": "1", "head": "3"}),
    ("attention", SHORT | {"model": "pre-norm", "layer": "5", "head": "0"}),
    ("add_norm", SHORT | {"step": "add_norm_2.variance", "layer": "2"}),
    ("feed_forward", SHORT | {"step": "feed_forward.hidden", "edits": "layers.4.feed_forward.activation:bypass"}),
    ("stack", SHORT | {"step": "output", "move": "Length"}),
    ("stack", MASKED | {"step": "mlm.probabilities"}),
    ("what_if", SHORT | {"edits": f"{HEAD_OFF};{SHUFFLED}", "beside_step": "layers.4.attention.q"}),
    ("what_if", SHORT | {"edits": PATCH}),
    ("compare", {"sentence": WIDE, "other": TIRED, "follow": "3", "beside_step": "embedding.output"}),
    ("compare", SHORT | {"other": "I understand that", "other_model": "base-untrained"}),
    (
        "compare",
        {
            "compare_part": "One word in many sentences",
            "set_word": "is",
            "set_layer": "layer 2",
            "set": "A light bag is here.\nThe light is on.",
        },
    ),
    ("compare", {"compare_part": "Patch", "patch_step": "attention.heads", "patch_heads": "1,3"}),
    ("labs", SHORT),
    ("labs", {"lab": "Padding", "pad_short": "Dogs bark."}),
    ("labs", {"lab": "Layer collapse"}),
    ("heads", SHORT),
    ("heads", SHORT | {"heads_part": "Measures", "measure": "offset", "over": "this sentence"}),
    ("heads", PAIR | {"heads_part": "Between the sentences", "pair_way": "B->A"}),
    ("looks", SHORT | {"some_heads": "1,5", "together": "Largest", "some_tokens": "2"}),
    ("looks", SHORT | {"merge_words": "1", "some_words": "1"}),
    ("looks", PAIR | {"pair_part": "A->B"}),
    ("flows", SHORT | {"rollout_layer": "2", "flow_token": "3"}),
    ("lens", MASKED | {"lens_token": "3", "alike_layer": "layer 1"}),
    ("vectors", SHORT | {"unit_token": "2"}),
    ("training", {"sentence": "The [MASK] sat on the mat.", "model": "small", "layer": "0", "head": "2"}),
    ("model_cost", SHORT | {"model": "eight-blocks", "layer": "7", "head": "0"}),
    ("your_model", SHORT | {"model": BUILT, "layer": "1", "head": "3"}),
    ("lessons", {"lesson": "many-heads", "at": "2"}),
    ("lessons", {"lesson": "padding", "at": "4", "present": "1"}),
    ("claims", {"model": "small", "layer": "0", "head": "2"}),
    ("glossary", SHORT),
]
CELLS = 6  # of each chart and map
KINDS = ("toggle", "selectbox", "pills", "select_slider", "text_input", "text_area", "segmented_control", "multiselect")
OF_TWO = ("other", "other_model")  # what the browser chooses on Compare
SHARED = ("sentence", "second", "model", "layer", "head", "hidden")  # what every page has


def shown(tree: Path, page: str, query: Mapping[str, str]) -> dict[str, Any]:
    """What a fresh session of the app in that tree shows of a link."""
    script = tree / "pages" / "main.py"
    of_old = not script.exists()  # the main script was app.py
    app = AppTest.from_file(str(tree / "app.py" if of_old else script), default_timeout=300)
    app._page_hash = calc_hash(page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    browser = [json.loads(one.proto.json)["page"] for one in app.get("bidi_component") if "-front" in one.proto.id]
    bars = [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.id.endswith("-around")]
    parts = [json.loads(one.proto.json) for one in app.get("bidi_component") if '"maps"' in one.proto.json]
    found = {
        "failed": [error.message for error in app.exception],
        "warned": [warning.value for warning in app.warning],
        "title": browser[0] if browser else app.title[0].value,
        "sidebar": shared(app.session_state["session"].view)
        | {name: bars[0][name] for name in ("sentence", "model") if bars}
        if browser or bars
        else {one.key: str(one.value) for kind in KINDS for one in app.get(kind) if one.key in SHARED},
        "chosen": {
            one.key: str(one.value)
            for kind in KINDS
            for one in app.main.get(kind)
            if one.key in query and one.key not in SHARED
        }
        | {
            name: getattr(app.session_state["session"].view, name)
            for name in OF_TWO
            if browser == ["compare"] and name in query
        },
        "charts": [cells(json.loads(one.proto.spec)["data"][0]) for one in app.get("plotly_chart")],
        "maps": [drawn(one) for part in parts for one in part["maps"]],
    }
    app.run()  # an address that was opened stays as it is until something else is done
    return found | {"link": {name: "".join(value) for name, value in sorted(app.query_params.items())}}


def shared(view: Any) -> dict[str, str]:
    """What every page has, of one whose controls the browser draws: what stands below them is of this.

    Nothing where nothing stands below.
    """
    if view is None:
        return {}
    values = {name: getattr(view, name) for name in SHARED} | {"hidden": list(view.hidden)}
    return {name: str(value) for name, value in values.items() if name != "second" or value}


def cells(trace: Mapping[str, Any]) -> list[Any]:
    """The first numbers of a chart's first series."""
    for axis in ("z", "y", "x"):
        data = trace.get(axis)
        if isinstance(data, dict):
            array = np.frombuffer(base64.b64decode(data["bdata"]), dtype=data["dtype"])
        elif isinstance(data, list):
            array = np.array(data, dtype=object).ravel()
        else:
            continue
        found = [rounded(value) for value in array[:CELLS].tolist()]
        if found and not all(value == i for i, value in enumerate(found)):
            return [axis, len(array), *found]
    return []


def drawn(one: Mapping[str, Any]) -> list[Any]:
    """The first numbers of a map, or its levels as shares; none where a cell has no colour."""
    data = base64.b64decode(one["cells"])
    levels = np.frombuffer(data, np.uint8)
    values = np.frombuffer(data, "<f4") if one["exact"] else np.where(levels == 255, np.nan, levels / 254)
    return [one["title"], len(values), *map(rounded, values[:CELLS].tolist())]


def rounded(value: object) -> object:
    """A number to 4 digits; None for what is no number."""
    if isinstance(value, int | float):
        return float(f"{value:.4g}") if np.isfinite(value) else None
    return value


def write(tree: Path) -> None:
    """Open every link in the app of that tree, and keep what it shows."""
    os.chdir(tree)
    links = []
    for page, query in LINKS:
        links.append({"page": page, "query": dict(query), "shown": shown(tree, page, query)})
        print(page, dict(query), links[-1]["shown"]["failed"], file=sys.stderr, flush=True)
    FILE.write_text(json.dumps(links, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    where = Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(where))
    write(where)
