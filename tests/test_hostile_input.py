"""Generated input, by the thousand, through everything that reads what a person or a link gives.

The cases are the same in every run. What is refused is refused with a ValueError (or, for the name of a number, a
KeyError), which the pages show as a sentence; anything else would be a traceback.
"""

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_turn import in_turn
from link_grammar import CELL, EDITS, MODEL, SHAPE, cases
from nasty import EVERY, texts

from encoder import TextEncoder, Trace
from encoder.edits.edit import check
from encoder.edits.edit_text import edits_to_text, sentence, text_to_edits
from encoder.model.config_text import config_to_text, text_to_config
from encoder.pictures.link import cell as read_cell
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.support.theme import label
from encoder.teach.lessons.lesson import LessonError
from encoder.teach.lessons.lesson import read as read_lesson
from pages.front.class_routes import ClassRequest
from pages.front.request_fields import (
    ClaimRequest,
    FileRequest,
    LessonRequest,
    MoreRequest,
    RefusedError,
    RunRequest,
    read,
)
from pages.ui.server import offered_models
from pages.ui.text import plain

pytestmark = pytest.mark.slow


@cases(1000)
@given(texts)
def test_any_text_is_read_and_said_where_it_is_cut(base: TextEncoder, text: str) -> None:
    pieces = base.tokenize(text)
    pieces.text.encode()
    assert len(pieces.ids) == len(pieces.tokens) == len(pieces.spans) == len(pieces.special) <= base.max_tokens
    assert all(0 <= i < base.config.vocab_size for i in pieces.ids)
    assert all(0 <= start <= end <= len(pieces.text) for start, end in pieces.spans)
    assert base.tokenize(pieces.text).ids == pieces.ids


@cases(300)
@given(texts)
def test_any_text_runs_to_finite_numbers(small: TextEncoder, text: str) -> None:
    trace = small.trace(text)
    assert bool(trace["output"].isfinite().all())
    assert float((trace["layers.3.attention.weights"].sum(-1) - 1).abs().max()) < 1e-5


@in_turn("text", EVERY)
def test_every_nasty_text_runs(small: TextEncoder, text: str) -> None:
    assert bool(small.trace(text)["output"].isfinite().all())


@pytest.fixture
def no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty model folder."""
    monkeypatch.setenv("ENCODER_MODELS", str(tmp_path))
    return tmp_path


@cases(1500)
@given(EDITS)
def test_any_text_of_edits_is_refused_or_read_back(base: TextEncoder, text: str) -> None:
    try:
        edits = text_to_edits(text)
        check(edits, base.config, 12)
    except EncoderError as error:
        assert len(str(error)) < 2000
        return
    assert text_to_edits(edits_to_text(edits)) == edits
    assert all(sentence(edit, base.config) for edit in edits)


@cases(1000)
@given(st.one_of(SHAPE, texts))
def test_any_text_of_a_configuration_is_refused_or_read_back(text: str) -> None:
    try:
        config, seed = text_to_config(text)
    except EncoderError as error:
        assert len(str(error)) < 2000
        return
    assert text_to_config(config_to_text(config, seed)) == (config, seed)


@cases(700)
@given(CELL)
def test_any_number_is_explained_or_refused(base: TextEncoder, sara: Trace, cell: str) -> None:
    try:
        place = read_cell(cell)
    except EncoderError as error:
        assert str(error)
        return
    try:
        found = base.explain(sara, place.step, place.index)
    except (KeyError, EncoderError) as error:
        assert error.args[0]
        return
    assert math.isclose(found.result, found.recorded, rel_tol=1e-4, abs_tol=1e-4 * max(found.size, 1.0))


@cases(500)
@given(MODEL)
def test_any_name_of_a_model_is_refused_or_stays_inside(no_models: Path, name: str) -> None:
    try:
        offered_models.check(name)
    except EncoderError as error:
        assert len(str(error)) < 2000
        return
    assert offered_models.offer(name).label
    assert not name.startswith(offered_models.FOLDER)  # there is none in an empty folder


@cases(800)
@given(texts)
def test_any_text_stays_text_on_a_page_and_in_a_picture(text: str) -> None:
    escaped = plain(text)
    left = "".join(escaped[i] for i in range(len(escaped)) if escaped[i] != "\\" and escaped[i - 1 : i] != "\\")
    assert not set(left) & set('`*_{}[]()#+-.!|~$:<>&"@=')
    assert len(shown(text)) <= 14 and shown(text).isprintable()
    assert not set(label(text)) & {"<", ">"}


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)
KINDS = (RunRequest, FileRequest, MoreRequest, LessonRequest, ClaimRequest, ClassRequest)


@cases(600)
@given(st.data())
def test_any_request_is_read_or_refused_in_a_sentence(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(KINDS))
    names = st.sampled_from([*(field.name for field in fields(kind)), "more"])
    values = data.draw(st.dictionaries(names, VALUES, max_size=6))
    try:
        request = read(kind, json.dumps(values).encode())
    except RefusedError as error:
        assert error.message.endswith(".") and error.status in (400, 413) and len(error.message) < 500
        return
    assert isinstance(request, kind)


FIELDS = (
    "title",
    "step",
    "page",
    "text",
    "view",
    "check",
    "question",
    "answer",
    "after",
    "swap",
    "goal",
    "own",
    "card",
)


@cases(400)
@given(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5), st.booleans())
def test_any_lesson_is_read_or_its_faults_are_said(values: dict[str, Any], in_step: bool) -> None:
    lines = "\n".join(f"{name} = {as_toml(value)}" for name, value in values.items())
    text = f"title = 'x'\n[[step]]\npage = 'a'\ntext = 'b'\n{lines}" if in_step else lines
    try:
        read_lesson(text, "mine.toml")
    except LessonError as error:
        assert all(problem.startswith("mine.toml") and len(problem) < 2000 for problem in error.problems)


def as_toml(value: Any) -> str:
    """A value as TOML spells it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(name)} = {as_toml(inner)}' for name, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return str(value) if isinstance(value, float) else json.dumps(value if value is not None else "")
