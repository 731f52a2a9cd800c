"""What is drawn on a page, as numbers: decoded from what is sent to the browser."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest


def decoded(packed: Any) -> np.ndarray:
    """One side of a chart as it is sent to the browser."""
    if isinstance(packed, dict):
        return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]).astype(float).ravel()
    return np.array([v for v in np.ravel(packed).tolist() if isinstance(v, int | float)], dtype=float)


Drawn = tuple[np.ndarray, float]  # numbers, and how finely they are sent


def drawn(app: AppTest) -> Iterator[Drawn]:
    """What each chart draws (each of its series, the places of its points, and all together), and each component."""
    for one in app.get("plotly_chart"):
        traces = json.loads(one.proto.spec)["data"]
        for axis in ("z", "y"):
            series = [decoded(trace[axis]) for trace in traces if axis in trace]
            yield from ((values, 1e-5) for values in series)
            if series:
                yield np.concatenate(series), 1e-5
        places = [[decoded(trace[axis]) for axis in ("x", "y")] for trace in traces if {"x", "y"} <= trace.keys()]
        yield from ((np.concatenate(points), 1e-5) for points in places)
        both = [decoded(trace[axis]) for trace in traces for axis in ("x", "y") if axis in trace]
        if both:
            yield np.concatenate(both), 1e-5
        yield from map(levels, filter(in_levels, traces))
    for one in app.get("bidi_component"):
        told = json.loads(one.proto.json or "{}")
        if "maps" in told:
            yield (
                np.concatenate([cells(m) for m in told["maps"]]),
                max(m["high"] - m["low"] for m in told["maps"]) / 254,
            )


def in_levels(trace: dict[str, Any]) -> bool:
    """Whether a heatmap is sent in 255 levels, as large ones are."""
    return trace.get("zmax") == 255


def levels(trace: dict[str, Any]) -> Drawn:
    """The numbers that its levels stand for, by the ends of its scale as they are written beside it."""
    low, high = (float(trace["colorbar"]["ticktext"][i].replace(",", "")) for i in (0, -1))
    return low + (decoded(trace["z"]) - 1) / 254 * (high - low), 2 * (high - low) / 254


def cells(m: dict[str, Any]) -> np.ndarray:
    """The cells of a small map: as they are, or in 254 levels of its scale."""
    sent = base64.b64decode(m["cells"])
    if m["exact"]:
        return np.frombuffer(sent, "<f4").astype(float)
    found = np.frombuffer(sent, np.uint8)
    return np.where(found == 255, np.nan, m["low"] + found / 254.0 * (m["high"] - m["low"]))
