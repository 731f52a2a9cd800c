"""The contract of every picture: numbers, drawing, table, code, caption, alt text, address and paper."""

import ast
import csv
import html
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypdf import PdfReader
from shared_models import pretrained
from tiers import mostly_nightly

from encoder import PRESETS, EncoderConfig, EncoderError, TextEncoder
from encoder.browser.page_table import PAGES
from encoder.edits.edit import Edit
from encoder.edits.edit_text import text_to_edits
from encoder.model.config_text import config_to_text
from encoder.pictures import __main__ as command
from encoder.pictures import ask as models
from encoder.pictures import page_pictures, registry
from encoder.pictures.ask import scene_of
from encoder.pictures.expression import Expression, of_runs
from encoder.pictures.lab import pictures_of
from encoder.pictures.labs import LABS
from encoder.pictures.link import from_query, spell
from encoder.pictures.more.sections import MORE
from encoder.pictures.numbers import array
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.picture_files import IN_BROWSER
from encoder.pictures.printing import Sheet
from encoder.pictures.registry import pictures
from encoder.pictures.screen import KINDS
from encoder.pictures.view import Cell, View
from encoder.trace.trace import Trace

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
MINILM = EncoderConfig(
    n_layers=3,
    d_model=96,
    n_heads=12,
    d_ff=384,
    activation="gelu",
    positions="learned",
    n_segments=2,
    embedding_norm=True,
    scale_embeddings=False,
    pooling="mean",
    unit_length=True,
)
MODERNBERT = replace(PRESETS["modern"], n_layers=4, d_model=96, n_heads=4, d_ff=144)
T5 = EncoderConfig(n_layers=2, d_model=48, n_heads=3, d_ff=96, positions="none", position_buckets=32)
MODELS = {
    "base": "base",
    "small": "small",
    "MiniLM": f"{models.BUILT}{config_to_text(MINILM, 3)}",
    "ModernBERT": f"{models.BUILT}{config_to_text(MODERNBERT, 4)}",
    "T5": f"{models.BUILT}{config_to_text(T5, 5)}",
}
SENTENCE, OTHER, SECOND = "The [MASK] sat on <b> mats.", "The [MASK] slept on <b> beds.", "A dog ran."
HIDDEN, EDITS = (2,), ("layers.0.attention.heads:zero:h=2", "embedding.positions:zero")
# Their numbers are those of the table.
NOT_DRAWN_BY_PLOTLY = ("links", "maps", "grid", "map", "strips", "units", "fan_out", "areas")
# One of each kind is printed; all of them at night.
ON_PAPER = {str(each.kind): key for key, each in pictures().items() if each.heavy is False}


# What loads a model in printed lines, each model once for all of them.
LOADED = {name: cache(getattr(TextEncoder, name)) for name in ("from_pretrained", "from_config")}


@cache
def encoder_of(model: str) -> TextEncoder:
    """A model, made once for all tests."""
    return pretrained(model) if model in ("base", "small") else models.model_called(model)


@lru_cache(maxsize=6)
def run(model: str, text: Any, hidden: tuple[int, ...], edits: str) -> Trace:
    """A run, kept while other pictures of the same model are asked."""
    return encoder_of(model).trace(text, hidden=hidden, edits=text_to_edits(edits))


def view(model: str, **fields: Any) -> View:
    """What is on the screen: a sentence with a mask and with HTML, in a layer and head that all models have."""
    cell = Cell("layers.1.attention.output", (1, 3))
    return replace(View(sentence=SENTENCE, other=OTHER, model=MODELS[model], layer=1, head=2, cell=cell), **fields)


CALLS: dict[tuple[TextEncoder, str], Any] = {}  # what calls of no run gave, by model, while a test lasts


@pytest.fixture(autouse=True)
def nothing_is_kept() -> Iterator[None]:
    yield
    CALLS.clear()


def answer(picture: Picture, asked: View) -> Answer:
    """A picture, asked by a view."""
    scene = scene_of(asked, picture.needs, encoder_of, run)

    def keep(part: Expression, now: Callable[[], Any]) -> Any:
        if of_runs(part):
            return now()
        key = (scene.encoder, str(part))
        if key not in CALLS:
            CALLS[key] = now()
        return CALLS[key]

    return picture.of(scene, keep)


def views(picture: Picture, model: str) -> Iterator[View]:
    """Views of a model that may have what a picture needs: one sentence, a pair, and a changed run."""
    changed = text_to_edits(EDITS[0]) if picture.needs == "unchanged" else ()
    pair = {"sentence": "The keys <b> [MASK] big.", "other": "The key <b> [MASK] big."}
    for fields in ({}, {"second": SECOND}, {"step": "mlm.probabilities"}, pair):
        yield view(model, choices=tuple(sorted(picture.unfolds.items())), edits=changed, **fields)


def shown(key: str, model: str) -> Answer | None:
    """A picture of a model with its choices spelled out; None where the model has not what it needs."""
    picture = pictures()[key]
    for asked in views(picture, model):
        try:
            first = answer(picture, asked)
            usual = {option.key: spell(option.of(first.scene)) for option in picture.options}
            again = answer(picture, replace(asked, choices=tuple(sorted(dict(asked.choices).items() | usual.items()))))
            assert again.numbers.array.size
            return again
        except EncoderError:
            continue
    return None


def finite(values: Any) -> np.ndarray:
    """The finite numbers among these, sorted: pictures and tables have them in an order of their own."""
    flat = np.asarray(array(values), dtype=np.float64).ravel()
    return np.sort(flat[np.isfinite(flat)])


def drawn(kind: str, figure: Any) -> np.ndarray:
    """The numbers that a Plotly figure draws: of a matrix and of series as they stand, else sorted."""
    marks = [mark.to_plotly_json() for mark in figure.data]
    if kind in ("matrix", "waves"):
        return np.asarray(marks[0]["z"], dtype=np.float64)
    if kind in ("bars", "curve", "outlines"):
        return np.array([np.asarray(mark["y"], dtype=np.float64) for mark in marks])
    if kind in ("tiles", "words"):
        return finite(marks[0]["z"])
    sides = "xy" if kind in ("points", "paths") else "y"
    return finite([number for mark in marks for side in sides for number in np.ravel(mark[side]).tolist()])


def is_drawn(found: Answer, figure: Any) -> bool:
    """Whether a figure draws the numbers, each in its place; masked cells are drawn blank."""
    pixels, numbers = drawn(found.kind, figure), found.numbers.array
    if found.kind == "terms":  # sorted by size, and the least of many as one bar
        most = min(20, numbers.size)
        return same(np.sort(np.abs(pixels))[-most:], np.sort(np.abs(numbers))[-most:]) or numbers.size > 24
    if found.kind not in ("matrix", "waves", "bars", "curve", "outlines"):
        return bool(np.allclose(pixels, finite(numbers), rtol=1e-6))
    numbers = numbers.reshape(pixels.shape)
    seen = np.isfinite(pixels)
    there = seen.any() or not np.isfinite(numbers).any()
    return bool(there and np.allclose(pixels[seen], numbers[seen], rtol=1e-6, atol=1e-12))


def tabled(text: str, width: int) -> np.ndarray:
    """The last columns of a CSV file, row by row."""
    return np.array([[float(cell) for cell in row[-width:]] for row in list(csv.reader(io.StringIO(text)))[1:]])


def of_table(text: str) -> np.ndarray:
    """The numbers of a CSV file."""
    cells = [cell for row in list(csv.reader(io.StringIO(text)))[1:] for cell in row]
    return finite([float(cell) for cell in cells if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", cell)])


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether these are the same numbers, but for what nine digits and float32 leave out."""
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True)


def of_a_model(key: str) -> list[Answer]:
    """A picture of a model that has what it needs; which one, turns with the pictures.

    `base` holds four times what all the others do: its pictures are tried with those of every model.
    """
    models = [model for model in MODELS if model != "base"]
    turn = list(pictures()).index(key) % len(models)
    return [*islice(filter(None, (shown(key, model) for model in models[turn:] + models[:turn])), 1)]


def is_heavy(picture: Picture) -> bool:
    """Whether it trains, or sweeps over every part of a model."""
    return picture.heavy is not False


KEYS = mostly_nightly(pictures(), [key for key, picture in pictures().items() if not is_heavy(picture)])


@pytest.mark.parametrize("key", KEYS)
def test_a_picture_keeps_its_contract(key: str) -> None:
    """One visit of a model that has what it needs: each question below is asked of the same picture."""
    keeps_its_contract(of_a_model(key))


@pytest.mark.nightly
@pytest.mark.parametrize("key", pictures())
def test_a_picture_of_every_model_keeps_its_contract(key: str) -> None:
    answers = [found for model in MODELS if (found := shown(key, model))]
    keeps_its_contract(answers)
    pages = PdfReader(io.BytesIO(Sheet((answers[-1],)).pdf())).pages
    has_its_labels(answers[-1], "".join(page.extract_text() for page in pages))


def keeps_its_contract(answers: list[Answer]) -> None:
    assert answers, "no model has it"
    for found in answers:
        assert found.kind in KINDS.keys() | {*NOT_DRAWN_BY_PLOTLY}
        draws_what_was_measured(found)
        says_its_finding(found)
        is_what_its_code_says(found)
    prints_its_numbers(answers[0])
    leads_back(answers[-1])
    if answers[-1].picture.key in ON_PAPER.values():
        svg = Sheet((answers[-1],)).svg(in_page=True)  # the letters that a PDF embeds take longer than all else here
        has_its_labels(answers[-1], html.unescape(re.sub("<[^>]*>", " ", svg[svg.index("</style>") :])))
    names_what_reaches_it(answers[0])


def draws_what_was_measured(found: Answer) -> None:
    """The figure, the table and the files hold the numbers, each in its place."""
    numbers, figure = found.numbers.array, found.figure()
    if found.kind not in NOT_DRAWN_BY_PLOTLY and getattr(figure, "ends", None) is None:
        assert is_drawn(found, figure)
    width = 1 if found.numbers.words or numbers.ndim == 1 else numbers.shape[-1]
    np.testing.assert_allclose(tabled(found.csv(), width).ravel(), numbers.astype(np.float64).ravel(), rtol=1e-7)
    numbers = finite(numbers)
    assert same(finite(np.load(io.BytesIO(found.npz()))["numbers"]), numbers)
    as_json = json.loads(found.json())
    assert same(finite([n for n in np.ravel(np.array(as_json["numbers"], dtype=object)) if n is not None]), numbers)
    assert as_json["caption"] == found.caption


def is_what_its_code_says(found: Answer) -> None:
    """What its code calls gives the numbers; rows may be drawn across."""
    if found.code and not is_heavy(found.picture):
        numbers, measured = found.numbers.array, array(found.value(found.expression))
        sides = [numbers, numbers.T, numbers.swapaxes(-1, -numbers.ndim + 1 or -1)]
        assert any(same(side, measured) for side in sides)


def prints_its_numbers(found: Answer) -> None:
    """Its lines give the same numbers by themselves, with the library alone."""
    if is_heavy(found.picture):
        return
    assert set(re.findall(r"^(?:from|import) (\w+)", found.code, re.MULTILINE)) <= {"encoder", "torch"}, found.code
    names: dict[str, Any] = {"__name__": "__main__"}
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        for name, load in LOADED.items():
            patch.setattr(TextEncoder, name, load)
        exec(compile(found.code, found.picture.key, "exec"), names)
    assert printed.getvalue()
    measured = array(found.value(found.expression))
    np.testing.assert_allclose(array(names["x"]), measured, rtol=1e-5, atol=1e-7, err_msg=found.code)


def says_its_finding(found: Answer) -> None:
    """The alt text has a number, and the caption says it."""
    assert re.search(r"\d", found.alt) and found.alt.rstrip().endswith("."), found.alt
    assert found.title and found.alt.rstrip(".") in found.caption
    assert found.picture.question.endswith("?")
    assert re.fullmatch(r"[A-Za-z0-9._-]+", found.file_name)


def leads_back(found: Answer) -> None:
    """Its address shows the same."""
    again = answer(found.picture, from_query(found.query, lambda model: None)[0])
    assert np.array_equal(again.numbers.array, found.numbers.array, equal_nan=True)
    assert (again.title, again.caption) == (found.title, found.caption)


def has_its_labels(found: Answer, text: str) -> None:
    """A text from paper has the title and the names of few rows."""
    letters = re.sub(r"\s", "", text)
    assert re.sub(r"\s", "", found.title)[:20] in letters
    names = found.numbers.along(found.numbers.dims[0])
    if found.kind == "matrix" and isinstance(names, list) and len(names) < 15:
        missing = [name for name in names if re.sub(r"\s", "", name)[:8] not in letters]
        assert not missing, (missing, text)


def names_what_reaches_it(plain: Answer) -> None:
    """The caption names what was masked or changed just where the numbers are others by it."""
    if plain.picture.needs == "unchanged":
        return
    assert "Masked:" not in plain.caption and "Changed:" not in plain.caption
    if plain.picture.needs in ("model", "examined"):
        return  # it is of no run
    added = plain.scene.encoder.config.positions in ("sinusoidal", "learned")  # where none are, to zero them is nothing
    edits = EDITS if added else EDITS[:1]
    for word, fields in (("Masked:", {"hidden": HIDDEN}), *(("Changed:", {"edits": text_to_edits(e)}) for e in edits)):
        other = answer(plain.picture, replace(plain.scene.view, **fields))
        changed = not np.array_equal(other.numbers.array, plain.numbers.array, equal_nan=True)
        assert (word in other.caption) == changed, (fields, other.caption)


def test_layers_and_heads_are_chosen_from_all_numbers(small: TextEncoder) -> None:
    found = shown("rollout", "small")
    assert found is not None
    every = found.all_numbers
    for layer in range(4):
        chosen = answer(found.picture, replace(found.scene.view, choices=(("rollout_layer", str(layer)),)))
        np.testing.assert_array_equal(every.at(layer=layer).array, chosen.numbers.array)
    with pytest.raises(KeyError, match="there is no words"):
        every.at(words=1)


def test_no_page_draws_a_picture_past_the_registry_and_each_shows_what_is_there() -> None:
    """What draws with Plotly is `show`; what a component of our own draws says by whose numbers, with `keep.offer`."""
    pages = (ROOT / "pages").rglob("*.py")
    used, shows = dict[str, set[str]](), set[str]()
    for path in pages:
        text = path.read_text(encoding="utf-8")
        for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
            used.setdefault(ast.unparse(call.func).rpartition(".")[2], set()).add(str(path.relative_to(ROOT)))
        shows |= set(re.findall(r"\b[A-Z][A-Z_0-9]+\b", text))
    assert used["plotly_chart"] <= {"pages/ui/picture_view.py"} and "chart" not in used
    scripts = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "encoder" / "browser").glob("*.js"))
    main = {key for page in PAGES.values() for key, _ in page.pictures.values()}
    kept = {key for key in IN_BROWSER if key in main or f"'{key}'" in scripts}  # what the browser's pages show
    in_labs = {picture.key for lab in LABS.values() for picture in pictures_of(lab.parts)}
    below = {each.key for page in MORE.values() for parts in page.values() for each in pictures_of(parts)}
    assert kept == set(IN_BROWSER) >= main | set(re.findall(r"picture: '(\w+)'", scripts))
    modules = [vars(value) for name, value in vars(registry).items() if f"{registry.__name__}.{name}" in sys.modules]
    names = {
        name
        for module in modules
        for name, value in module.items()
        if isinstance(value, Picture) and value.key not in kept | in_labs | below
    }
    assert len(names) > 5 and names <= shows, "a picture that no page shows"


def test_the_terms_of_a_number_that_is_no_sum_are_refused_with_a_sentence() -> None:
    view = View(sentence="A cat.", model="small", cell=Cell("output", (0, 0)))
    with pytest.raises(EncoderError, match=r"of output, is not a sum of terms"):
        _ = answer(pictures()["terms"], view).numbers.array


def test_one_line_writes_several_pictures_on_a_sheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], small: TextEncoder
) -> None:
    given = ["--model", "small", "--sentence", "A cat sat.", "--layer", "1", "--head", "2"]
    assert command.main(["all_heads", "measured", *given, "--out", str(tmp_path / "sheet.csv")]) == 0
    assert command.main(["all_heads", "measured", *given, "--out", str(tmp_path / "sheet.pdf")]) == 0
    assert capsys.readouterr().out.count("180.0 x ") == 2
    pdf = PdfReader(io.BytesIO((tmp_path / "sheet.pdf").read_bytes())).pages[0]
    assert abs(float(pdf.mediabox.width) * 25.4 / 72 - 180) < 0.1
    first, second = (tmp_path / "sheet.csv").read_text().split("picture ")[1:]
    assert first.startswith("a\n") and second.startswith("b\n")
    weights = small.trace("A cat sat.")["layers.3.attention.weights"]
    assert np.isclose(of_table(first.split("\n", 1)[1]), weights[3, 1, 2].item(), rtol=1e-5).any()


def test_addresses_of_pages_stand_for_their_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], small: TextEncoder
) -> None:
    at = "https://host.org/app/{}?model=small&sentence=The+cat+%5BMASK%5D.&word=3&v=1"
    every = [at.format(page) for page in ("", *PAGES) if page not in ("start", "compare")]
    assert command.main([*every, "--out", str(tmp_path / "sheet.csv")]) == 0
    tables = (tmp_path / "sheet.csv").read_text().split("picture ")[1:]
    assert len(tables) == len(every) == len(PAGES) - 1
    one = at.format("attention") + "&layer=2&head=1&step=attention.scaled"
    assert command.main([one, "--out", str(tmp_path / "one.csv")]) == 0
    scores = small.trace("The cat [MASK].")["layers.2.attention.scaled"][1]
    assert np.allclose(of_table((tmp_path / "one.csv").read_text()), finite(scores), rtol=1e-5)
    layer, head = divmod(int(small_costs(small).argmax()), small.config.n_heads)
    assert (page_pictures.shown_at(at.format("heads"))[1].layer, page_pictures.shown_at(at.format(""))[1].head) == (
        layer,
        head,
    )
    capsys.readouterr()
    for address, why in ((at.format("class"), "the page 'class' has no picture"), (f"{one}&layer=-1", "layer")):
        assert command.main([address, "--out", str(tmp_path / "none.pdf")]) == 2
        assert why in capsys.readouterr().err
    assert not (tmp_path / "none.pdf").exists()


def test_options_say_what_keys_and_addresses_leave_open(tmp_path: Path, small: TextEncoder) -> None:
    out, given = tmp_path / "one.csv", ["--model", "small", "--sentence", "A cat sat.", "--layer", "1", "--mask", "2"]
    weights = small.trace("A cat sat.", hidden=(2,))["layers.1.attention.weights"]
    for asked in ("layer_step?head=2", "/attention?head=2&step=attention.weights"):
        assert command.main([asked, *given, "--out", str(out)]) == 0
        assert np.allclose(of_table(out.read_text()), finite(weights[2]), rtol=1e-5), asked
    assert command.main(["layer_step?head=2&sentence=A+dog", *given, "--out", str(out)]) == 0
    assert "dog" in out.read_text() and "cat" not in out.read_text()


def small_costs(small: TextEncoder) -> np.ndarray:
    """What each head costs the guess at the gap: its share with everything on, less that without the head."""
    run = small.trace("The cat [MASK].")
    gap, config = run.tokens.index("[MASK]"), small.config
    guess = int(run["mlm.logits"][gap].argmax())
    each = [
        small.trace("The cat [MASK].", edits=(Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,)),))
        for layer in range(config.n_layers)
        for head in range(config.n_heads)
    ]
    before = float(run["mlm.probabilities"][gap, guess])
    return np.array([before - float(after["mlm.probabilities"][gap, guess]) for after in each])


def test_one_line_says_why_it_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for keys, out, why in (
        (["nothing"], "f.pdf", "no picture is called 'nothing'; there are"),
        (["al_heads"], "f.pdf", "no picture is called 'al_heads'; did you mean 'all_heads'?"),
        (["all_heads"], "f.doc", ".doc"),
        (["all_heads", "measured"], "f.npz", "several pictures have no .npz"),
        (["all_heads"] * 13, "f.pdf", "a sheet has 1 to 12"),
        (
            ["measured", "--choose", "measur=entropy"],
            "f.csv",
            "has a choice 'measur'; there is atlas_of, measure, over",
        ),
        (["measured", "--choose", "measure=entropi"], "f.csv", "measure is 'entropi'; it must be one of normalized_"),
        (["inside_terms?inside_query=9"], "f.csv", "inside_query is '9'; it must be one of 0, 1, 2, 3, 4"),
    ):
        assert command.main([*keys, "--model", "small", "--sentence", "A cat.", "--out", str(tmp_path / out)]) == 2
        assert why in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
