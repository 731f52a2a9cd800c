"""One head's map at several moments, with a slider and a play button; all of it moves in the browser."""

import math

from encoder.pictures.chart import SmallMap
from encoder.support.formatting import shown
from encoder.support.theme import Theme
from encoder.tasks.timelapse import Moment
from pages.ui.component import component, packed_palette

_component = component(__file__, "timelapse", "<div class='player'></div>")


def draw(key: str, label: str, moments: list[Moment], tokens: list[str], theme: Theme, start: int) -> int:
    """Draw the moments, beginning with number `start`; returns how many cells a pixel stands for in each direction."""
    every = math.ceil(len(tokens) / maps.MOST_ROWS)
    drawn = [SmallMap("", label, maps.pooled(moment.weights, every), "share", 1.0) for moment in moments]
    _component(
        key=key,
        data={
            "moments": [
                {
                    "title": f"step {moment.step:,}",
                    "cells": maps.packed(small.values, small, exact=False),
                    "answers": [[shown(word), round(share, 4)] for word, share in moment.answers],
                }
                for moment, small in zip(moments, drawn, strict=True)
            ],
            "rows": len(drawn[0].values),
            "every": every,
            "names": [shown(token) for token in tokens],
            "palette": packed_palette("share", theme),
            "label": label,
            "start": start,
        },
    )
    return every
