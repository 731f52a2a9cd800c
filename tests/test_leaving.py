"""What leaves the app stays text wherever it is opened, whatever the tokens are: tables, reports, formulas, names."""

import csv
import io
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_grammar import cases
from nasty import SHORT, as_sent, texts
from tiny import TINY, tiny_model
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split

from encoder import TextEncoder
from encoder.explain.snippet import snippet
from encoder.pictures.export.caption import About, caption, file_name
from encoder.pictures.export.tables import cell, grid, to_csv
from encoder.trace.trace import Source

pytestmark = pytest.mark.slow

RUNS = re.compile(r"[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]")  # what a spreadsheet may take for a formula
WITHIN = st.sampled_from(["=1+1", "-2", "@SUM(A1)", ";=1", ",=1", "\t=1", '";=1', "|", "'", '"', "\r\n=1", " =1", "a"])
TOKENS = st.one_of(texts, st.lists(WITHIN, max_size=4).map("".join)).map(as_sent)


def cells(text: str, separator: str) -> list[str]:
    """Every cell of a table, read with the separator of some country."""
    return [
        one
        for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator)
        for one in row
    ]


def runs(text: str) -> bool:
    """Whether a spreadsheet would take a cell for a formula."""
    try:
        float(text)
    except ValueError:
        return bool(RUNS.match(text))
    return False


@cases(400)
@given(st.lists(TOKENS, min_size=1, max_size=4))
def test_no_cell_is_run_by_a_spreadsheet(tokens: list[str]) -> None:
    values = np.full((len(tokens), len(tokens)), -1.5, dtype=np.float32)
    for text in (to_csv([[one, -1.5] for one in tokens]), to_csv(grid(values, tokens, tokens))):
        for separator in (",", ";", "\t", "|"):
            assert not [one for one in cells(text, separator) if runs(one)], separator
    back = [row[0] for row in csv.reader(io.StringIO(to_csv([[one] for one in tokens])[1:], newline="")) if row]
    assert [one.replace("'", "") for one in back] == [one.replace("'", "") for one in tokens if one]


@pytest.mark.parametrize("number", [-1.5, -math.inf, np.float32(-2.5), -3, np.int64(-4), 0.1])
def test_numbers_stay_numbers(number: float) -> None:
    assert float(cell(number)) == pytest.approx(float(number))


@cases(300)
@given(st.lists(TOKENS, max_size=3))
def test_a_file_name_is_a_name_on_every_system(parts: list[str]) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}", file_name(*parts))


def strange(words: list[str]) -> TextEncoder:
    """A model whose vocabulary are those words, which stand one to a line."""
    named = ["[PAD]", "[UNK]", "[MASK]", *dict.fromkeys(words)]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(named)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Split("\uf8ff", "removed")
    config = replace(TINY, vocab_size=max(5, len(named)), n_layers=1, max_positions=200, mlm_head=True)
    return TextEncoder(tiny_model(config), tokenizer, Source("</title><b>x", "0" * 12, origin="x'\"\n</title>"))


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return strange([text for text in map(as_sent, SHORT) if text])


def test_a_snippet_is_code_whatever_was_typed(encoder: TextEncoder) -> None:
    for text in SHORT:
        if not text.strip():
            continue
        trace = encoder.trace(text)
        code = snippet(trace, trace.step("output"), 0)
        compile(code, "snippet", "exec")
        assert len(re.findall(r"^(import|from)\b", code, re.MULTILINE)) == 2
        assert "\n" not in caption(About(trace))
