"""Every head of a layer as a small map, drawn on canvases; choosing one shows it large."""

import base64
import math
from pathlib import Path

import numpy as np
import streamlit as st

from encoder.figures.theme import Kind, Theme, limits, palette, short, shown
from pages.ui import state

MOST_ROWS = 128
HERE = Path(__file__).parent
_component = st.components.v2.component(
    "head_grid",
    html="<div class='grid'></div>",
    css=(HERE / "head_grid.css").read_text(encoding="utf-8"),
    js=(HERE / "head_grid.js").read_text(encoding="utf-8"),
)


def draw(values: np.ndarray, tokens: list[str], kind: Kind, theme: Theme, chosen: int) -> None:
    """Draw values [H, n, n] with one colour scale for all heads.

    Above 128 tokens each pixel stands for the largest of several cells, and the page says so.
    """
    n = values.shape[-1]
    every = math.ceil(n / MOST_ROWS)
    low, high = limits(kind, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
    levels = levels_of(pooled(values, every), low, high)
    _component(
        key="head_grid",
        on_head_change=choose,
        data={
            "cells": base64.b64encode(levels).decode(),
            "rows": levels.shape[-1],
            "heads": len(levels),
            "tokens": [shown(token) for token in tokens],
            "pixels": max(84, min(levels.shape[-1], MOST_ROWS)),
            "palette": palette(kind, theme),
            "low": low,
            "high": high,
            "chosen": chosen,
            "every": every,
        },
    )
    said = f"One colour scale for all heads, from {short(low)} to {short(high)}. Rows look, columns are looked at."
    if every > 1:
        said += f" {n} tokens are too many for one pixel each: a pixel shows the largest of {every} × {every} cells."
    st.caption(said)


def pooled(values: np.ndarray, every: int) -> np.ndarray:
    """The largest value of each every x every block: [H, n, n] -> [H, n / every, n / every], rounded up."""
    if every == 1:
        return values
    short_by = -values.shape[-1] % every
    padded = np.pad(values, ((0, 0), (0, short_by), (0, short_by)), constant_values=-np.inf)
    side = padded.shape[-1] // every
    blocks = padded.reshape(len(values), side, every, side, every)
    result: np.ndarray = blocks.max(axis=(2, 4))
    return result


def levels_of(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Values as whole levels from 0 (low) to 254 (high); minus infinity becomes the lowest."""
    scaled = np.nan_to_num((values - low) / (high - low), nan=0.0, posinf=1.0, neginf=0.0)
    return np.ascontiguousarray((scaled.clip(0, 1) * 254).round().astype(np.uint8))


def choose() -> None:
    """Take over the head that was clicked; what comes from a browser is checked."""
    head = st.session_state["head_grid"].get("head")
    if type(head) is int and 0 <= head < 128:
        state.change(head=head)
