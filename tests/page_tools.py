"""Open the app in Streamlit's own test harness, move about in it, and read what is on its pages."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[1] / "app.py")


def open_app(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return healthy(app.run())


def healthy(app: AppTest) -> AppTest:
    assert not app.exception, [e.message for e in app.exception]
    return app


def go(app: AppTest, key: str) -> AppTest:
    return healthy(app.switch_page(f"pages/steps/{key}.py").run())


def numbers(app: AppTest, axis: str = "z", key: str = "picture") -> np.ndarray:
    """What a chart on the page draws, decoded from what is sent to the browser."""
    chart = next(c for c in app.get("plotly_chart") if f"-{key}" in c.proto.id)
    packed = json.loads(chart.proto.spec)["data"][0][axis]
    shape = [int(size) for size in packed.get("shape", "-1").split(",")]
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]).reshape(shape)


def at(app: AppTest) -> tuple[int, int]:
    """The layer and head on the screen."""
    return app.session_state["session"].view.layer, app.session_state["session"].view.head


def said(app: AppTest) -> str:
    return " ".join(w.value for w in app.warning).replace("\\", "")


def maps(app: AppTest, key: str) -> dict[str, Any]:
    """What the small maps on the page are sent."""
    return json.loads(next(c for c in app.get("bidi_component") if f"-{key}" in c.proto.id).proto.json)
