"""The page Your model, and tiny checkpoints in the folder that it opens them from (`model_root` in conftest.py)."""

from pathlib import Path

from page_tools import go, open_app
from streamlit.testing.v1 import AppTest
from tiny import TINY, tiny_model, tiny_tokenizer

from encoder import checkpoint

SENTENCE = "w1 w2 w3 w2 w4"


def put(folder: Path, seed: int = 0) -> None:
    """A tiny checkpoint."""
    checkpoint.save(tiny_model(TINY, seed), tiny_tokenizer(), folder)


def page(part: str, **query: str) -> AppTest:
    app = open_app(**query)
    app.session_state["your_model"] = part
    return go(app, "your_model")


def texts(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.error, *app.warning]).replace("\\", "")
