"""The ways to another model, and tiny checkpoints in the folder that one opens (`model_root` in conftest.py)."""

from pathlib import Path

from page_tools import healthy, open_app
from streamlit.testing.v1 import AppTest
from tiny import TINY, tiny_model, tiny_tokenizer

from encoder import checkpoint

SENTENCE = "w1 w2 w3 w2 w4"


def put(folder: Path, seed: int = 0) -> None:
    """A tiny checkpoint."""
    checkpoint.save(tiny_model(TINY, seed), tiny_tokenizer(), folder)


def page(part: str, **query: str) -> AppTest:
    app = open_app("models", models_part="Another model", **query)
    return healthy(app.segmented_control(key="models").set_value(part).run())


def texts(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.error, *app.warning]).replace("\\", "")
