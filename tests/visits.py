"""Visits to the app without a browser: a page opened by a link, its pictures, and the link to what is on it."""

import json
from collections.abc import Mapping
from typing import Any

from page_tools import open_app
from streamlit.testing.v1 import AppTest

KINDS = ("toggle", "checkbox", "selectbox", "pills", "segmented_control", "select_slider", "text_input", "text_area")


def opened(page: str, query: Mapping[str, str]) -> AppTest:
    """A fresh session that opens a page by a link."""
    return open_app(page, **query)


def link(app: AppTest) -> dict[str, str]:
    """The parameters of the link to what is on the screen."""
    return {name: "".join(value) for name, value in app.query_params.items()}


def pictures(app: AppTest) -> list[Any]:
    """All that is drawn: charts, maps, texts."""
    charts = [json.loads(chart.proto.spec)["data"] for chart in app.get("plotly_chart")]
    sent = [json.loads(one.proto.json) for one in app.get("bidi_component") if "maps" in one.proto.json]
    maps = [{**data, "since": None} for data in sent]  # each session has a clock of its own
    return [charts, maps, [m.value for m in app.markdown], [t.value for t in app.text]]


def widget(app: AppTest, key: str) -> Any | None:
    """The widget of that key; None for tabs, which such a visit cannot click."""
    return next((one for kind in KINDS for one in app.get(kind) if one.key == key), None)
