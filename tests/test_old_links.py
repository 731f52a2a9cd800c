"""Every link of an earlier version still opens what it showed."""

import base64
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_tools import APP
from shared_models import pretrained
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from encoder.edits.edit_text import text_to_edits
from encoder.packet.after_layers import level_5
from encoder.packet.block_level import level_3
from encoder.packet.format import unpack
from encoder.packet.step_numbers import level_8, level_9
from encoder.pictures.link import RETIRED
from encoder.pictures.old_addresses import lead
from encoder.pictures.view import EXAMPLE
from pages.ui.server import engine
from pages.ui.state.site import DRAWN, PAGES, page_of

# what lay in a fold is drawn once that is open
FOLDS = {
    "sentence": {"several": "1"},
    "attention": {"more": "1"},
    "add_norm": {"more": "1"},
    "embedding": {"more": "1"},
    "position": {"more": "1"},
    "compare": {"beside_open": "1"},
    "feed_forward": {"more": "1"},
    "flows": {"through_layers": "1"},
    "heads": {"more": "1"},
    "what_if": {"more": "1"},
    "stack": {"ways_open": "1"},
    "lens": {"words_open": "1", "ways_open": "1"},
    "vectors": {"units_open": "1", "ways_open": "1", "layers_alike": "1"},
}
OF_STEPS = ("embedding", "position", "attention", "add_norm", "feed_forward")
ELSEWHERE = {"vectors": ("add_norm_1.sum", "add_norm_2.sum")}  # steps whose page has what was drawn twice
LINKS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("old_links.json").read_text(encoding="utf-8"))


WORDS = 5  # the likeliest at a token, which were drawn; of the packet's they are the first
CELLS = 6  # of each chart and map
KINDS = ("toggle", "selectbox", "pills", "select_slider", "text_input", "text_area", "segmented_control", "multiselect")
OF_TWO = ("other", "other_model")  # what the browser chooses on Compare
TABS = ("compare_part", "heads_part")  # which were no choice of a widget with a key
SHARED = ("sentence", "second", "model", "layer", "head", "hidden")  # what every page has


def shown_by(page: str, query: Mapping[str, str]) -> dict[str, Any]:
    """What a fresh session shows of a link."""
    app = AppTest.from_file(APP, default_timeout=300)
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


def same(a: object, b: object, absolute: float) -> bool:
    """Whether two lists hold the same numbers, up to what another processor may round, and the same words."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, absolute) for x, y in zip(a, b, strict=True))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-3, abs_tol=absolute)
    return a == b


def leading(query: dict[str, str]) -> list[Any]:
    """The shares of the five likeliest words after each layer at a token, as a packet holds them, as a chart."""
    encoder = pretrained("base")
    _, about, arrays = unpack(level_5(encoder, encoder.trace(query["sentence"])))
    at = about["positions"].index(int(query["lens_token"]))
    first, share = arrays["first"].values[:, at, :5], arrays["share"].numbers[:, at]
    shares = np.take_along_axis(share, first.astype(int), 1).ravel()
    return ["z", len(shares), *map(rounded, shares[:CELLS].tolist())]


def beside_attention(query: dict[str, str]) -> list[Any]:
    """The lengths before both sums of a layer, and the shares of silent units, as a packet holds them, as charts."""
    encoder = pretrained("base")
    trace = encoder.trace(query["sentence"], edits=text_to_edits(query.get("edits", "")))
    arrays = unpack(level_3(encoder, trace, int(query.get("layer", "4"))))[2]
    found = [arrays["residual_length_1"].numbers, arrays["residual_length_2"].numbers]
    found.append(arrays["silent"].numbers / encoder.config.d_ff)
    return [["y", len(one), *map(rounded, one[:CELLS].tolist())] for one in found]


def of_step(page: str, query: dict[str, str]) -> list[Any]:
    """The numbers of the step that an address asks for, as a packet holds them, as a chart."""
    encoder = engine.text_encoder(query.get("model", "base"))
    text = (query["sentence"], query["second"]) if "second" in query else query["sentence"]
    hidden = [int(place) for place in query.get("hidden", "").split(",") if place]
    trace = encoder.trace(text, hidden=hidden, edits=text_to_edits(query.get("edits", "")))
    step = query.get("step", page_of(page).opens_on)
    name = step if page in ("embedding", "stack") else f"layers.{query.get('layer', '4')}.{step}"
    _, about, arrays = unpack(level_8(encoder, trace, name, [int(query.get("head", "1"))]))
    rows, single = arrays["numbers"].values, len(about["shape"][0]) == 1
    values = (rows[:, :WORDS] if "ids" in arrays else rows).ravel()
    return ["y" if single else "z", len(values), *map(rounded, values[:CELLS].tolist())]


def weighted_values(query: dict[str, str]) -> list[Any]:
    """The first word's value times its weight from a query, in a few dimensions, as the packets of opened numbers say.

    Of head 1 in layer 4, the usual ones.
    """
    encoder = pretrained("base")
    trace = encoder.trace(query["sentence"])
    parts = []
    for dimension in range(CELLS):
        packet = level_9(encoder, trace, "layers.4.attention.heads", [1, int(query["query"]), dimension])
        arrays = unpack(packet)[2]
        parts.append(rounded(arrays["values"].numbers[arrays["places"].numbers.tolist().index(0)]))
    return parts


def test_every_page_that_was_linked_to_is_there() -> None:
    assert len(LINKS) >= 30
    assert {lead(link["page"], {})[0] for link in LINKS} <= {page.key for page in PAGES}


def test_an_old_page_opens_whatever_its_link_keeps_of_other_pages() -> None:
    kept = {"compare_part": "Patch", "layer": "2"}
    assert lead("alike", kept) == ("compare", {"compare_part": "Alike?", "layer": "2"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "link",
    [
        pytest.param(link, marks=pytest.mark.nightly if link["page"] in {one["page"] for one in LINKS[:i]} else ())
        for i, link in enumerate(LINKS)
    ],
    ids=[f"{i}-{link['page']}" for i, link in enumerate(LINKS)],
)
def test_an_old_link_opens_what_it_showed(link: dict[str, Any]) -> None:
    page, opens = lead(link["page"], FOLDS.get(link["page"], {}))
    query, title = link["query"], DRAWN.get(page, page_of(page).title)
    if page in DRAWN and "sentence" not in query:  # an address without one means another sentence there now
        opens |= {"sentence": EXAMPLE}
    before, now = link["shown"], shown_by(page, opens | query)
    for shown in (before, now):  # the version stands in a link that says anything, what it opens or not
        shown["link"] = {name: value for name, value in shown["link"].items() if name not in {*opens, *RETIRED, "v"}}
        shown["chosen"] = {name: value for name, value in shown["chosen"].items() if name not in {*opens, *RETIRED}}
    if page != link["page"]:
        assert title != before["title"]
    before["title"] = title  # some are called by more than they were
    before["chosen"] |= {name: query[name] for name in TABS if name in query}
    if page == "attention":  # the browser draws its steps; lessons and figures have them on one scale for all heads
        before["chosen"].pop("lock", None)
    if page in DRAWN:  # there an address keeps what it says, also where that is usual
        before["link"] |= {name: query[name] for name in ("sentence", "other") if name in query}
    if page in DRAWN and "step" not in query | opens:  # what such a page opens on stands in no address
        assert before["link"].pop("step", "") == page_of(page).opens_on
    for name in ("failed", "warned", "title", "link", "sidebar", "chosen"):
        assert now[name] == before[name]
    for step in ELSEWHERE.get(link["page"], ()):
        now["charts"] += shown_by("add_norm", query | {"step": step})["charts"]
    if link["page"] in OF_STEPS:  # the browser draws the numbers of a step, and an opened number
        own = of_step(page, {"sentence": EXAMPLE} | lead(link["page"], query)[1])
        before["charts"] = [one for one in before["charts"] if one[:2] == own[:2]]
        assert before["charts"]
        now["charts"].append(own)
        if query.get("step") == "attention.heads" and "query" in query:  # an opened number shows what it is the sum of
            now["charts"].append(["z", own[1], *weighted_values(query)])
    if link["page"] == "stack":
        now["charts"].append(of_step(page, {"sentence": EXAMPLE} | query))
    if link["page"] == "lens":  # the words after each layer are drawn by the browser, of the run's packet
        now["charts"].append(leading(query))
    if link["page"] in ("add_norm", "feed_forward", "vectors"):  # so are lengths and silent units
        now["charts"] += beside_attention(query)
    if link["page"] == "position":  # the browser draws how alike places are, below it are the numbers of the step
        before["charts"] = [one for one in before["charts"] if one[1] != 5**2]
    for chart in before["charts"]:
        assert any(same(chart, one, 1e-4) for one in now["charts"])
    drawn_there = link["page"] == "attention" or (link["page"] == "heads" and "heads_part" not in query)
    kept = [] if drawn_there else before["maps"]  # by the browser
    assert same(kept, now["maps"], 0.005)  # a level is 0.004


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "choice"),
    [
        ("atlas", {"atlas_x": "next"}),
        ("looks", {"some_heads": "1,5"}),
        ("looks", {"together": "Largest"}),
        ("flows", {"rollout_layer": "1"}),
        ("lens", {"alike_layer": "layer 1"}),
        ("vectors", {"unit_token": "2"}),
    ],
)
def test_an_old_link_to_something_in_a_fold_opens_the_fold(page: str, choice: dict[str, str]) -> None:
    now, opens = lead(page, choice)
    part = {name: text for name, text in lead(page, {})[1].items() if text != "1"}  # which is no fold
    part |= {"more": "1"} if now in DRAWN else {}
    folded, opened = (shown_by(now, query) for query in (part, opens))
    assert opened["link"].items() >= choice.items()
    assert len(opened["charts"]) > len(folded["charts"])
