"""Open the app in Streamlit's own test harness, move about in it, and read what is on its pages."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import scanned_once  # noqa: F401
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.util import calc_hash

from encoder.packet.format import unpack
from encoder.pictures.link import from_query, to_query
from encoder.pictures.view import EXAMPLE, GAP, View
from pages.front import frame, make
from pages.front.request_fields import RunRequest, wanted
from pages.ui.server import file_links
from pages.ui.server.file_links import Offer
from pages.ui.state.site import DRAWN, page_of

LAB = {"lab": "Padding"}  # of the server's pages what has a layer and a head
LINK = re.compile(r'/api/file/([\w-]+)"[^>]*>([^<]*)</a>')
APP = str(Path(__file__).parents[1] / "pages" / "main.py")
_give_up = local_script_runner.require_widgets_deltas


def _wait(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    """Sleep until a run has ended; AppTest itself would look a thousand times a second."""
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    _give_up(runner, 0.1)


local_script_runner.require_widgets_deltas = _wait


def open_app(page: str = "models", **query: str) -> AppTest:
    """A fresh session that opens the page of that key by a link."""
    app = AppTest.from_file(APP, default_timeout=60)
    turn_to(app, page)
    for name, value in query.items():
        app.query_params[name] = value
    return healthy(app.run())


def turn_to(app: AppTest, page: str) -> None:
    """Have the next run open the page of that key; `switch_page` would need a run before."""
    app._page_hash = calc_hash(page)


def healthy(app: AppTest) -> AppTest:
    assert not app.exception, [e.message for e in app.exception]
    return app


def press(app: AppTest, key: str) -> AppTest:
    """Press the button of that key."""
    return healthy(app.button(key=key).click().run())


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons on the page."""
    return {str(button.key) for button in app.button}


def go(app: AppTest, key: str, **asked: str) -> AppTest:
    """Choose a page in the menu; what is on the screen goes along, as the browser and the server say it.

    From a page that the browser draws a link may ask for something else.
    """
    if page_shown(app) in DRAWN:
        here = {name: "".join(text) for name, text in app.query_params.items()}
        to, query = frame.destination({"key": key, "query": asked or {"sentence": GAP, "model": "base"} | here})
        assert to is not None
        app.query_params.clear()
        app.query_params.update({name: text for name, text in here.items() if name in frame.ALONG} | query)
    elif key != page_shown(app):
        happen(app, "around", "go", {"key": key})
    turn_to(app, key)  # the harness itself does not follow
    return healthy(app.run())


def ask(app: AppTest, **query: str) -> AppTest:
    """Have the page that is open drawn of another address, as the picture above it or a link would."""
    for name, text in query.items():
        app.query_params[name] = text
    return healthy(app.run())


def type_sentence(app: AppTest, text: str) -> AppTest:
    """Have another sentence run; a picture that the browser draws takes it from its own line into the address."""
    if page_shown(app) not in DRAWN:
        return choose(app, sentence=text)
    app.query_params["sentence"] = text
    return healthy(app.run())


def choose(app: AppTest, **said: object) -> AppTest:
    """Choose a sentence or a model in the bar, or a layer or a head beside the headline."""
    return happen(app, "place" if said.keys() & {"layer", "head"} else "around", "set", said)


def happen(app: AppTest, part: str, event: str, said: object) -> AppTest:
    """Run because of what a part that the browser draws says."""
    states = app._tree.get_widget_states()
    name = next(one.proto.id for one in app.get("bidi_component") if one.proto.id.endswith(f"-{part}"))
    states.widgets.append(happened(name, **{event: said}))
    app._page_hash = ""  # the page that is open, wherever a press has led
    return healthy(app._run(states))


def happened(component: str, **events: object) -> WidgetState:
    """How a browser tells of events of the component of that ID."""
    said = json.dumps([{"event": name, "value": value} for name, value in events.items()])
    return WidgetState(id=_make_trigger_id(component, "events"), json_trigger_value=said)


def bar(app: AppTest) -> dict[str, Any]:
    """What the bar of a page shows."""
    return json.loads(next(one.proto.json for one in app.get("bidi_component") if one.proto.id.endswith("-around")))


def files(app: AppTest) -> dict[str, Offer]:
    """The files that the page offers, by what their links say."""
    links = [LINK.search(one.value) for one in app.html]
    return {found[2]: offer for found in links if found and (offer := file_links.find(found[1]))}


def saved(app: AppTest) -> dict[str, dict[str, Offer]]:
    """What Save in the bar offers: the files of each picture, by its key and their kinds."""
    told = next(one.proto.json for one in app.get("bidi_component") if one.proto.id.endswith("-save"))
    return {
        one["picture"]: {kind.removesuffix("_shown"): _offer(address) for kind, address in one["files"]}
        for one in json.loads(told)["pictures"]
    }


def _offer(address: str) -> Offer:
    offer = file_links.find(address.rpartition("/")[2])
    assert offer is not None
    return offer


def page_shown(app: AppTest) -> str:
    """The key of the page on the screen; one that the browser draws is told of there."""
    told = [json.loads(one.proto.json) for one in app.get("bidi_component") if "-front" in one.proto.id]
    return str(told[0]["page"] if told else app.session_state["session"].page or "attention")


def models_offered(app: AppTest) -> list[str]:
    """What the models are called that a page of the browser offers."""
    told = next(json.loads(one.proto.json) for one in app.get("bidi_component") if "-front" in one.proto.id)
    return [model["title"] for model in told["models"]]


def charts(app: AppTest) -> list[Any]:
    """The charts of the page."""
    return list(app.get("plotly_chart"))


def numbers(app: AppTest, axis: str = "z", key: str = "picture") -> np.ndarray:
    """What a chart on the page draws, decoded from what is sent to the browser.

    Without a key: the numbers of the step that the address asks for, which the browser asks for and draws.
    """
    if key == "picture":
        return step_numbers(app)
    chart = next(c for c in app.get("plotly_chart") if f"-{key}" in c.proto.id)
    packed = json.loads(chart.proto.spec)["data"][0][axis]
    shape = [int(size) for size in packed.get("shape", "-1").split(",")]
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]).reshape(shape)


def asked_step(step: str, **query: Any) -> tuple[dict[str, Any], np.ndarray]:
    """What a browser gets that asks for a step by its full name: what is said of it, and its numbers."""
    _, about, arrays = unpack(make.packet(wanted(RunRequest, {"level": 8, "sentence": EXAMPLE, "step": step} | query)))
    return about, arrays["numbers"].values


def shown_view(app: AppTest) -> View:
    """What is on the screen; a page that is the browser's alone has it in its address."""
    view = app.session_state["session"].view
    if view is None:
        view, _ = from_query({name: "".join(text) for name, text in app.query_params.items()}, lambda model: None)
    return view


def step_packet(app: AppTest, step: str) -> tuple[dict[str, Any], np.ndarray]:
    """What the browser gets that asks for a step of what is on the screen."""
    view = shown_view(app)
    run = {name: text for name, text in to_query(view).items() if name in ("second", "model", "edits")}
    return asked_step(step, sentence=view.sentence, index=[view.head], hidden=list(view.hidden), **run)


def step_about(app: AppTest, step: str) -> dict[str, Any]:
    """What is said of a step, by its full name."""
    return step_packet(app, step)[0]


def step_numbers(app: AppTest, step: str = "") -> np.ndarray:
    """The numbers of a step that the browser gets for what is on the screen: of the chosen layer and head."""
    view, page = shown_view(app), page_of(page_shown(app))
    local = step or view.step or "attention.weights"
    full = page.in_full(local) if page.parts else f"layers.*.{local}"
    return step_packet(app, full.replace("*", str(view.layer)))[1]


def at(app: AppTest) -> tuple[int, int]:
    """The layer and head on the screen."""
    return shown_view(app).layer, shown_view(app).head


def words(app: AppTest) -> str:
    """All text of a page as a person reads it, a line for each piece, without the backslashes that keep it plain."""
    kinds = (app.title, app.header, app.subheader, app.markdown, app.caption, app.text, app.info, app.success)
    return "\n".join(piece.value for kind in kinds for piece in kind).replace("\\", "").replace("\u00a0", " ")


def said(app: AppTest) -> str:
    return " ".join(w.value for w in app.warning).replace("\\", "")


def maps(app: AppTest, key: str) -> dict[str, Any]:
    """What the small maps on the page are sent."""
    return json.loads(next(c for c in app.get("bidi_component") if f"-{key}" in c.proto.id).proto.json)
