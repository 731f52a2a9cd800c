"""The page Figure: pictures of any page are collected there, and the link, or one line, makes the same figure again."""

import base64
import io
import json
import re
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from page_tools import ask, choose, go, healthy, keys, page_shown, press, said
from PIL import Image
from pypdf import PdfReader
from streamlit.testing.v1 import AppTest
from tiers import mostly_nightly
from visits import link, opened

from encoder import EncoderError, TextEncoder
from encoder.pictures import __main__ as command
from encoder.pictures import figure_link
from encoder.pictures.figure_link import PictureAt
from encoder.pictures.paper.files import MOST_PANELS, PaperFigure
from encoder.support.link_text import squeeze
from encoder.support.theme import palette
from pages.ui.server import jobs
from pages.ui.state.session import Session
from pages.ui.state.site import KEYS, PAGES

pytestmark = pytest.mark.slow

START = {"sentence": "Keys on the <b>table</b>.", "model": "small", "layer": "1", "head": "0"}
UNFOLDED = {"learn": {"born_heads": "1", "born_keep": "1"}}
WIDE = START | {"sentence": "A [MASK] ran."}


def session(app: AppTest) -> Session:
    return app.session_state["session"]


def offers(app: AppTest) -> list[str]:
    """The keys of the buttons that add a picture."""
    return [str(one.key) for one in app.button if str(one.key).startswith("add_") and one.label == "Add to figure"]


def collected(*keys: str) -> AppTest:
    """Some pictures, as the browser adds them, on the page Figure."""
    at = [figure_link.at({"all_heads": "heads"}.get(key, "attention"), key, START) for key in keys]
    return opened("figure", START | {"figure": figure_link.pack(at)})


PAGES_WITH_PICTURES = mostly_nightly([page.key for page in PAGES if page.key != "figure"], ["stack"])


@pytest.mark.parametrize("page", PAGES_WITH_PICTURES)
def test_every_picture_of_a_page_can_be_added_and_is_drawn(page: str) -> None:
    app = opened(page, WIDE | UNFOLDED.get(page, {}))
    keys = offers(app)
    assert keys or page not in UNFOLDED
    assert len(keys) == len([caption for caption in app.caption if caption.value == "Alt text"])
    for key in keys:
        press(app, key)
        assert app.button(key=key).label == "In the figure as (a)", said(app)
        panel = next(iter(session(app).figure.panels.values()))
        assert panel.title and panel.caption and panel.csv()
        session(app).figure.pictures.clear()
        session(app).figure.panels.clear()


def test_the_link_makes_the_same_figure_with_the_numbers_of_the_run(small: TextEncoder) -> None:
    app = opened("figure", link(collected("picture", "all_heads")) | {"figure_look": "1"})
    healthy(app.toggle(key="figure_words").set_value(True).run())
    healthy(app.selectbox(key="figure_for").set_value("One column").run())
    other = opened("figure", link(app))
    assert not other.warning and session(other).figure.pictures == session(app).figure.pictures
    ours, theirs = session(app).figure.printed, session(other).figure.printed
    assert ours.svg() == theirs.svg() and ours.width == 85.0 and "[CLS]" not in theirs.svg().split("</style>")[1]
    panel, trace = next(iter(session(app).figure.panels.values())), small.trace(START["sentence"])
    np.testing.assert_array_equal(panel.maps[0].values, trace["layers.1.attention.weights"][0].numpy())
    assert panel.maps[0].rows[4] == trace.tokens[4]
    image = Image.open(io.BytesIO(session(ask(other, figure_theme="dark")).figure.printed.png(72))).convert("RGB")
    assert max(image.getpixel((1, 1))) < 40, "dark is dark whatever the screen is"
    ramp = {tuple(colour) for colour in palette("share", "dark")}
    assert len({colour for _, colour in image.getcolors(10**6)} & ramp) > 5


def test_two_pictures_of_one_page_keep_their_own_choices_and_leave_the_page_as_it_was() -> None:
    app = opened("stack", START | {"move": "Length", "ways_open": "1"})
    press(app, "add_moves")
    healthy(app.pills(key="move").set_value("Cosine to the input").run())
    press(app, "add_moves")
    other = opened("figure", link(go(app, "figure")) | {"layer": "2"})
    titles = [session(other).figure.panels[at].title for at in session(other).figure.pictures]
    assert len(titles) == 2 and titles[0] != titles[1] and session(other).view.layer == 2
    assert titles == [session(app).figure.panels[at].title for at in session(app).figure.pictures]
    assert {dict(at.query)["layer"] for at in session(other).figure.pictures} == {"1"}
    assert "figure" in link(app) and "figure" not in link(go(app, "stack")) and "figure" in link(go(app, "figure"))


def test_panels_are_moved_and_taken_out() -> None:
    app = collected("picture", "all_heads")
    first, second = session(app).figure.pictures
    assert session(press(app, "panel_up_1")).figure.pictures == [second, first]
    assert session(press(app, "panel_out_0")).figure.pictures == [first] and second not in session(app).figure.panels
    press(app, "panel_page_0")
    assert page_shown(app) == "attention" and "more" not in link(app), "the browser draws it"


def test_an_empty_figure_shows_an_example_and_begins_with_a_click(small: TextEncoder) -> None:
    app, trace = opened("figure", START), small.trace(START["sentence"])
    assert "Layer 1, head 0" in example(app) and session(app).figure.printed is None
    assert "figure_pdf" not in keys(app)
    steps = ["input", "q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat"]
    begins = [
        ["layers.1.attention.weights"],
        [f"layers.{layer}.attention.weights" for layer in range(4)],
        [f"layers.1.attention.{step}" for step in steps],
    ]
    for which, names in enumerate(begins):
        press(app, f"figure_begin_{which}")
        panels = [session(app).figure.panels[at] for at in session(app).figure.pictures]
        assert session(app).figure.printed is not None and "layer 1, head 0" in session(app).figure.printed.caption
        for panel, name in zip(panels, names, strict=True):
            recorded = trace.array(name)
            np.testing.assert_array_equal(panel.maps[0].values, recorded[0] if recorded.ndim == 3 else recorded)
        session(app).figure.pictures.clear()
        session(app).figure.panels.clear()
        healthy(app.run())


def test_a_film_of_the_ranks_of_words_begins_with_a_click(small: TextEncoder) -> None:
    app = opened("figure", {"model": "small", "sentence": "The [MASK] sat on the mat.", "lens_token": "1"})
    healthy(next(button for button in app.button if button.label.startswith("The ranks of")).click().run())
    panels = [session(app).figure.panels[at] for at in session(app).figure.pictures]
    trace = small.trace("The [MASK] sat on the mat.")
    after = ["embedding.output", *(f"layers.{layer}.output" for layer in range(trace.config.n_layers))]
    table = small.model.embedding.tokens.weight
    logits = torch.stack([small.model.mlm_head(trace[name], table)[1] for name in after])
    words = logits[-1].argsort(descending=True)[:4].tolist()
    assert len(panels) == trace.config.n_layers + 1
    for layer, panel in enumerate(panels):
        for word, mark in zip(words, panel.marks, strict=True):
            ranks = [int((row > row[word]).sum()) + 1 for row in logits[: layer + 1]]
            assert small.tokenizer.id_to_token(word) in mark["name"] and np.asarray(mark["y"]).tolist() == ranks
    assert len({str(panel.frame["xaxis"]["range"]) + str(panel.frame["yaxis"]["range"]) for panel in panels}) == 1
    other = opened("figure", link(app) | {"figure_part": "Film"})
    assert session(other).figure.pictures == session(app).figure.pictures
    assert f"{len(panels)} pictures" in " ".join(block.value for block in other.markdown)


def test_a_figure_is_drawn_again_only_when_it_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, png = list[int](), PaperFigure.png
    monkeypatch.setattr(PaperFigure, "png", lambda figure, dots: drawn.append(dots) or png(figure, dots))
    app = opened("figure", {"sentence": "Drawn once, please.", "model": "small", "head": "3"})
    assert len(drawn) == 1
    before = example(app)
    healthy(app.run())
    assert len(drawn) == 1 and example(app) == before
    choose(app, head=2)
    assert len(drawn) == 2 and example(app) != before
    choose(app, head=3)
    assert len(drawn) == 2 and example(app) == before


def example(app: AppTest) -> str:
    """The picture on the page, as it is sent."""
    return next(one.proto.body for one in app.get("html") if "data:image/png" in one.proto.body)


def test_what_a_figure_cannot_hold_is_told() -> None:
    app = opened("figure", START | {"model": "small", "sentence": "one two three " * 160})
    assert any("No example of this sentence is drawn: it has 2" in caption.value for caption in app.caption)
    app = opened("attention", START)
    session(app).figure.pictures = [PictureAt("stack", "moves", (("layer", str(i)),)) for i in range(MOST_PANELS)]
    press(app, "add_head_lengths")
    assert f"up to {MOST_PANELS} panels" in said(app) and len(session(app).figure.pictures) == MOST_PANELS


ELSEWHERE = figure_link.pack([PictureAt("nowhere", "x", ())])


ODD = [  # what JSON can say and no figure holds: half of a character, and what is no text where one belongs
    [["stack", "moves", {"sentence": "\ud800"}]],
    [["stack", "moves", {"\udc00": "x"}]],
    [["\ud800", "moves", {}]],
    [[["stack"], "moves", {}]],
    [[{"stack": 1}, "moves", {}]],
    [["stack", ["moves"], {}]],
    [["stack", "moves", [["sentence", "x"]]]],
    {"stack": "moves"},
    [[[[[[["stack"]]]]]]],
]
DAMAGED = ["abc", "x" * 1400, "<b>", ELSEWHERE, ELSEWHERE[:-9]] + [squeeze(json.dumps(one)) for one in ODD]


def test_what_is_no_figure_is_refused_with_a_sentence_and_left_out() -> None:
    for text in DAMAGED:
        with pytest.raises(EncoderError, match="the link's figure"):
            figure_link.unpack(text, KEYS)
    for text in (ELSEWHERE, DAMAGED[5], DAMAGED[8]):
        app = opened("figure", START | {"figure": text})
        assert "figure" in said(app) and not session(app).figure.pictures and "figure" not in link(app)


def test_a_picture_that_its_page_does_not_show_is_said() -> None:
    packed = figure_link.pack(
        [PictureAt("stack", "nothing", ()), figure_link.at("stack", "moves", START | {"step": "output"})]
    )
    app = opened("figure", START | {"figure": packed})
    assert "Not drawn" in " ".join(one.value for one in app.markdown)
    assert len(session(app).figure.panels) == 1 and session(app).figure.printed is not None


def test_a_packed_figure_never_unpacks_to_more_than_its_bound() -> None:
    huge = figure_link.pack([PictureAt("stack", "moves", (("sentence", "x" * 500_000),))])
    assert huge and len(huge) < 1500
    with pytest.raises(ValueError, match="larger than 60,000 bytes"):
        figure_link.unpack(huge, KEYS)


def test_a_film_of_the_only_panel_shows_its_maps_and_can_be_taken_along() -> None:
    app = collected("all_heads")
    app = opened("figure", link(app) | {"figure_part": "Film", "figure_size": "360p", "figure_seconds": "2"})
    healthy(app.button(key="film_make").click().run())
    (_, kept) = session(app).sweeps["film"]
    film = Image.open(io.BytesIO(kept))
    assert film.size == (640, 360) and film.n_frames >= 4
    assert "L0H0" in " ".join(one.value for one in app.markdown)
    assert not jobs.heavy.line
    assert "film_cancel" not in keys(app)


def test_a_card_shows_the_first_picture_or_an_example() -> None:
    app = opened("figure", link(collected("picture")) | {"figure_part": "Share card"})
    assert any("1200 × 630" in caption.value for caption in app.caption)
    assert "Keys on the &lt;b&gt;table" in example(app)
    app = opened("figure", START | {"figure_part": "Share card"})
    image = Image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]+)", example(app))[1])))
    assert image.size == (1200, 630) and "Keys on the &lt;b&gt;table" in example(app)
    assert any("An example" in caption.value for caption in app.caption)


def test_one_line_makes_the_figure_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = collected("picture")
    address = "http://localhost:8501/figure?" + urlencode(link(app))
    for ending in (".pdf", ".svg", ".csv"):
        assert command.main([address, "--out", str(tmp_path / f"again{ending}")]) == 0
        assert "180.0 x " in capsys.readouterr().out
    pdf, svg, csv = ((tmp_path / f"again{ending}").read_bytes() for ending in (".pdf", ".svg", ".csv"))
    assert abs(float(PdfReader(io.BytesIO(pdf)).pages[0].mediabox.width) * 25.4 / 72 - 180) < 0.1
    assert (svg.decode(), csv.decode()) == (session(app).figure.printed.svg(), session(app).figure.printed.csv())


def test_one_line_says_why_it_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for address, out, why in (("figure=abc", "f.pdf", "no packed figure|damaged"), ("x=1", "f.doc", ".doc")):
        assert command.main([address, "--out", str(tmp_path / out)]) == 2
        assert re.search(why, capsys.readouterr().err)
    assert not list(tmp_path.iterdir())
