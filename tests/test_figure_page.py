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
from page_tools import choose, go, healthy, page_shown, said
from PIL import Image
from pypdf import PdfReader
from streamlit.testing.v1 import AppTest
from visits import link, opened

from encoder import EncoderError, TextEncoder
from encoder.metrics.guess import guess_place
from encoder.pictures import __main__ as command
from encoder.pictures import figure_link
from encoder.pictures.figure_link import PictureAt
from encoder.pictures.paper.files import MOST_PANELS, PaperFigure
from encoder.pictures.view import EXAMPLE
from encoder.support.link_text import squeeze
from encoder.support.theme import palette
from pages.ui.server import job_queue
from pages.ui.state.session import Session
from pages.ui.state.site import KEYS, PAGES

pytestmark = pytest.mark.slow

START = {"sentence": "Keys on the <b>table</b>.", "model": "small", "layer": "1", "head": "0"}
UNFOLDED = {"atlas": {"atlas_map": "1", "atlas_spread": "1"}, "learn": {"born_heads": "1", "born_keep": "1"}}
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


@pytest.mark.parametrize("page", [page.key for page in PAGES if page.key != "figure"])
def test_every_picture_of_a_page_can_be_added_and_is_drawn(page: str) -> None:
    app = opened(page, WIDE | UNFOLDED.get(page, {}))
    keys = offers(app)
    assert keys or page not in UNFOLDED
    assert len(keys) == len([one for one in app.caption if one.value == "Alt text"])
    for key in keys:
        healthy(app.button(key=key).click().run())
        assert app.button(key=key).label == "In the figure as (a)", said(app)
        panel = next(iter(session(app).figure.panels.values()))
        assert panel.title and panel.caption and panel.csv()
        session(app).figure.pictures.clear()
        session(app).figure.panels.clear()


def test_what_was_added_has_the_numbers_of_the_run(small: TextEncoder) -> None:
    (panel,) = session(collected("picture")).figure.panels.values()
    trace = small.trace(START["sentence"])
    np.testing.assert_array_equal(panel.maps[0].values, trace["layers.1.attention.weights"][0].numpy())
    assert panel.maps[0].rows[4] == trace.tokens[4]


def test_the_link_makes_the_same_figure_in_a_fresh_session() -> None:
    app = opened("figure", link(collected("picture", "all_heads")) | {"figure_look": "1"})
    app.toggle(key="figure_words").set_value(True).run()
    healthy(app.selectbox(key="figure_for").set_value("One column").run())
    other = opened("figure", link(app))
    assert not other.warning and session(other).figure.pictures == session(app).figure.pictures
    ours, theirs = session(app).figure.printed, session(other).figure.printed
    assert ours.svg() == theirs.svg() and ours.width == 85.0 and "[CLS]" not in theirs.svg().split("</style>")[1]


def test_the_page_was_left_as_it_was_after_pictures_were_fetched() -> None:
    app = opened("attention", START)
    healthy(app.button(key="add_head_lengths").click().run())
    other = opened("figure", START | {"layer": "2", "figure": link(go(app, "figure"))["figure"]})
    assert session(other).view.layer == 2
    ((at, panel),) = session(other).figure.panels.items()
    assert dict(at.query)["layer"] == "1" and panel.title.startswith("Length of what each head adds")


def test_two_pictures_of_one_page_keep_their_own_choices() -> None:
    app = opened("stack", START | {"move": "Length", "ways_open": "1"})
    healthy(app.button(key="add_moves").click().run())
    app.pills(key="move").set_value("Cosine to the input").run()
    healthy(app.button(key="add_moves").click().run())
    other = opened("figure", link(go(app, "figure")))
    titles = [session(other).figure.panels[at].title for at in session(other).figure.pictures]
    assert len(titles) == 2 and titles[0] != titles[1]
    assert titles == [session(app).figure.panels[at].title for at in session(app).figure.pictures]


def test_panels_are_moved_and_taken_out() -> None:
    app = collected("picture", "all_heads")
    first, second = session(app).figure.pictures
    healthy(app.button(key="panel_up_1").click().run())
    assert session(app).figure.pictures == [second, first]
    healthy(app.button(key="panel_out_0").click().run())
    assert session(app).figure.pictures == [first] and second not in session(app).figure.panels
    healthy(app.button(key="panel_page_0").click().run())
    assert page_shown(app) == "attention" and "more" not in link(app), "the browser draws it"


def test_an_empty_figure_shows_an_example_and_begins_with_the_chosen_head() -> None:
    app = opened("figure", START)
    assert "Layer 1, head 0" in next(one.value for one in app.html if "true-size" in one.value)
    assert "figure_pdf" not in [button.key for button in app.button] and session(app).figure.printed is None
    healthy(app.button(key="figure_begin_0").click().run())
    assert session(app).figure.printed is not None and "layer 1, head 0" in session(app).figure.printed.caption


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("query", [pytest.param({}, marks=pytest.mark.nightly), START], ids=["usual", "other"])
def test_a_film_through_the_layers_and_one_of_ten_steps_begin_with_a_click(
    which: int, query: dict[str, str], small: TextEncoder, base: TextEncoder
) -> None:
    app = opened("figure", query)
    healthy(app.button(key=f"figure_begin_{which}").click().run())
    panels = [session(app).figure.panels[at] for at in session(app).figure.pictures]
    trace = (small if query else base).trace(query.get("sentence", EXAMPLE))
    layer, head = (1, 0) if query else (4, 1)
    steps = ["input", "q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat"]
    layers = [layer] if which == 0 else range(trace.config.n_layers)
    names = [f"layers.{i}.attention.weights" for i in layers]
    if which == 2:
        names = [f"layers.{layer}.attention.{one}" for one in steps]
    for panel, name in zip(panels, names, strict=True):
        recorded = trace.array(name)
        shown = np.asarray(panel.maps[0].values)
        np.testing.assert_array_equal(shown, recorded[head] if recorded.ndim == 3 else recorded)
    assert session(opened("figure", link(app))).figure.pictures == session(app).figure.pictures


@pytest.mark.parametrize(
    "query",
    [
        pytest.param({}, marks=pytest.mark.nightly),
        {"model": "small", "sentence": "The [MASK] sat on the mat.", "lens_token": "1"},
    ],
    ids=["usual", "other"],
)
def test_a_film_of_the_ranks_of_words_begins_with_a_click(
    query: dict[str, str], small: TextEncoder, base: TextEncoder
) -> None:
    app = opened("figure", query)
    begins = next(button for button in app.button if button.label.startswith("The ranks of"))
    healthy(begins.click().run())
    panels = [session(app).figure.panels[at] for at in session(app).figure.pictures]
    encoder = small if query else base
    trace = encoder.trace(query.get("sentence", EXAMPLE))
    position = int(query.get("lens_token", guess_place(trace, encoder.mask_token)))
    after = ["embedding.output", *(f"layers.{layer}.output" for layer in range(trace.config.n_layers))]
    logits = torch.stack(
        [encoder.model.mlm_head(trace[name], encoder.model.embedding.tokens.weight)[position] for name in after]
    )
    words = logits[-1].argsort(descending=True)[:4].tolist()
    assert len(panels) == trace.config.n_layers + 1
    for layer, panel in enumerate(panels):
        for word, mark in zip(words, panel.marks, strict=True):
            ranks = [int((one > one[word]).sum()) + 1 for one in logits[: layer + 1]]
            assert encoder.tokenizer.id_to_token(word) in mark["name"] and np.asarray(mark["y"]).tolist() == ranks
    assert len({str(panel.frame["xaxis"]["range"]) + str(panel.frame["yaxis"]["range"]) for panel in panels}) == 1
    assert session(opened("figure", link(app))).figure.pictures == session(app).figure.pictures
    assert f"{len(panels)} pictures" in " ".join(
        said.value for said in opened("figure", link(app) | {"figure_part": "Film"}).markdown
    )


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


def test_a_text_too_long_for_paper_has_no_example() -> None:
    app = opened("figure", START | {"model": "small", "sentence": "one two three " * 160})
    assert any("No example of this sentence is drawn: it has 2" in one.value for one in app.caption)


def test_a_figure_takes_so_many_and_says_so() -> None:
    app = opened("attention", START)
    session(app).figure.pictures = [PictureAt("stack", "moves", (("layer", str(i)),)) for i in range(MOST_PANELS)]
    healthy(app.button(key="add_head_lengths").click().run())
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


@pytest.mark.parametrize("text", DAMAGED)
def test_what_is_no_figure_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(EncoderError, match="the link's figure"):
        figure_link.unpack(text, KEYS)


@pytest.mark.parametrize("text", [ELSEWHERE, DAMAGED[5], DAMAGED[8]])
def test_a_damaged_figure_of_a_link_is_said_and_left_out(text: str) -> None:
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


def test_other_pages_have_no_figure_in_their_link() -> None:
    app = collected("picture")
    assert "figure" in link(app)
    assert "figure" not in link(go(app, "stack"))
    assert "figure" in link(go(app, "figure"))


def test_a_film_of_the_only_panel_shows_its_maps_and_can_be_taken_along() -> None:
    app = collected("all_heads")
    app = opened("figure", link(app) | {"figure_part": "Film", "figure_size": "360p", "figure_seconds": "2"})
    healthy(app.button(key="film_make").click().run())
    (_, kept) = session(app).sweeps["film"]
    film = Image.open(io.BytesIO(kept))
    assert film.size == (640, 360) and film.n_frames >= 4
    assert "L0H0" in " ".join(one.value for one in app.markdown)
    assert not job_queue.queue.line
    assert "film_cancel" not in [button.key for button in app.button]


def test_a_card_has_the_sentence_of_the_first_picture() -> None:
    app = opened("figure", link(collected("picture")) | {"figure_part": "Share card"})
    assert any("1200 × 630" in one.value for one in app.caption)
    assert "Keys on the &lt;b&gt;table" in "".join(one.proto.body for one in app.get("html"))


@pytest.mark.parametrize("ending", [".pdf", ".svg", ".csv"])
def test_one_line_makes_the_figure_again(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = collected("picture")
    address = "http://localhost:8501/figure?" + urlencode(link(app))
    assert command.main([address, "--out", str(tmp_path / f"again{ending}")]) == 0
    made = (tmp_path / f"again{ending}").read_bytes()
    assert "180.0 x " in capsys.readouterr().out
    if ending == ".pdf":
        assert abs(float(PdfReader(io.BytesIO(made)).pages[0].mediabox.width) * 25.4 / 72 - 180) < 0.1
    else:
        kept = session(app).figure.printed
        assert made.decode() == (kept.svg() if ending == ".svg" else kept.csv())


def test_one_line_says_why_it_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for address, out, why in (("figure=abc", "f.pdf", "no packed figure|damaged"), ("x=1", "f.doc", ".doc")):
        assert command.main([address, "--out", str(tmp_path / out)]) == 2
        assert re.search(why, capsys.readouterr().err)
    assert not list(tmp_path.iterdir())


def test_dark_is_dark_whatever_the_screen_is() -> None:
    app = opened("figure", link(collected("picture")) | {"figure_theme": "dark"})
    image = Image.open(io.BytesIO(session(app).figure.printed.png(72))).convert("RGB")
    assert max(image.getpixel((1, 1))) < 40
    ramp = {tuple(colour) for colour in palette("share", "dark")}
    assert len({colour for _, colour in image.getcolors(10**6)} & ramp) > 5


def test_before_a_picture_is_added_the_card_shows_an_example() -> None:
    app = opened("figure", START | {"figure_part": "Share card"})
    card = next(one.value for one in app.html if "data:image/png" in one.value)
    image = Image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]+)", card)[1])))
    assert image.size == (1200, 630)
    assert "Keys on the &lt;b&gt;table" in card and any("An example" in one.value for one in app.caption)
