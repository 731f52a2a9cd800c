"""The ways to another model, and tiny checkpoints in the folder that one opens (`model_root` in conftest.py)."""

import json
from pathlib import Path
from typing import Any

from page_tools import open_app
from streamlit.testing.v1 import AppTest
from tiny import TINY, tiny_model, tiny_tokenizer

from encoder import checkpoint

SENTENCE = "w1 w2 w3 w2 w4"


def put(folder: Path, seed: int = 0) -> None:
    """A tiny checkpoint."""
    checkpoint.save(tiny_model(TINY, seed), tiny_tokenizer(), folder)


def page(**query: str) -> AppTest:
    return open_app("models", **query)


def shown(app: AppTest, part: str) -> dict[str, Any]:
    """What a part that the browser draws is told: "model_parts" or "model_rows"."""
    return json.loads(next(one.proto.json for one in app.get("bidi_component") if one.proto.id.endswith(f"-{part}")))


def rows(app: AppTest) -> dict[str, dict[str, Any]]:
    """The rows of the models that can be opened, by the models' names."""
    return {row["name"]: row for row in shown(app, "model_rows")["rows"]}


def texts(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.error, *app.warning]).replace("\\", "")
