"""Tiny folders of every newer family open on the pages, and what a page says of them is so."""

from pathlib import Path

import pytest
from more_tools import section, words
from page_tools import asked_step, go, open_app, said, shown_view
from published import PUBLISHED
from twins import MODELS, saved

from encoder.checkpoint import families
from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow

FAMILIES = {
    "modernbert": "modernbert",
    "mpnet": "mpnet",
    "nomic-bert": "nomic_bert",
    "gte": "gte",
    "eurobert": "eurobert",
    "deberta-v3": "deberta-v2",
    "new": "new",
    "jina": "jina_bert",
}


def tiny_folder(root: Path, name: str) -> None:
    """A tiny model of transformers, or one of code published apart."""
    if name not in PUBLISHED:
        saved(root / name, MODELS[name])
        return
    (root / name).mkdir(parents=True)
    PUBLISHED[name](root / name)


EVERY = [page.key for page in PAGES]
LAYERS = {"mpnet": "2"}


def test_every_newer_family_is_visited() -> None:
    older = {"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "albert"}
    assert set(FAMILIES.values()) == families.FAMILIES.keys() - older


@pytest.mark.parametrize(
    ("name", "pages"), [(name, EVERY[i :: len(FAMILIES)]) for i, name in enumerate(FAMILIES)], ids=[*FAMILIES]
)
def test_a_folder_opens_on_the_pages(model_root: Path, name: str, pages: list[str]) -> None:
    """Every family the attention, and besides each page with one family."""
    tiny_folder(model_root, name)
    app = open_app(model=f"folder:{name}", layer=LAYERS.get(name, "1"), sentence="w1 w2 w3 w2 w4")
    for key in ("attention", *pages):
        go(app, key)
        assert shown_view(app).model == f"folder:{name}"
        assert not said(app), key


NEW_STEPS = [
    ("modernbert", "layers.1.attention.q_rotated", "Rotated queries"),
    ("modernbert", "layers.1.attention.windowed", "Scores within the window"),
    ("modernbert", "layers.1.feed_forward.gated", "Gated units"),
    ("mpnet", "layers.1.attention.position_bias", "Position bias"),
    ("new", "layers.1.attention.cos", "by NTK scaling"),
    ("gte-slowed", "layers.1.attention.cos", "every angle is divided by s = 2.5"),
    ("deberta-v3", "layers.1.attention.c2p", "Content to position"),
    ("deberta-v3", "layers.1.attention.p2c", "Position to content"),
    ("deberta-v3", "layers.1.attention.k_distance", "Keys of the distances"),
    ("deberta-v3", "distances.output", "Distances: Scaled and shifted"),
]


def test_a_new_step_is_told_of_with_its_numbers(model_root: Path) -> None:
    for name in {"jina", *(name for name, *_ in NEW_STEPS)}:
        tiny_folder(model_root, name)
    for name, step, title in NEW_STEPS:
        about, numbers = asked_step(step, model=f"folder:{name}", sentence="w1 w2 w3 w2 w4", index=[0])
        assert title in f"{about['title']} {about['note']}" and len(numbers) > 1, (name, step)
    falls = section("attention", "bias", model="folder:jina", layer="1", sentence="w1 w2 w3 w2 w4")
    assert "These slopes are not learned" in words(falls)
