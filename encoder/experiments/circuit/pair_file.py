"""Pairs that somebody wrote down: CSV or cells of a spreadsheet with a head line, or a line of JSON for each pair.

Their columns, or keys, are `a` and `b`, the sentences, and where wanted `answer_a` and `answer_b`, the words that are
held against each other at the gap.
"""

import csv
import io
import json
from pathlib import Path
from typing import Any

from encoder.edits.edit import LONGEST_SENTENCE
from encoder.experiments.circuit.minimal_pair import MinimalPair
from encoder.support.errors import EncoderError

MOST_BYTES = 4_000_000
MOST_PAIRS = 2000
COLUMNS = ("a", "b", "answer_a", "answer_b")
SEPARATORS = ",;\t"  # of CSV, of a spreadsheet where a comma is that of decimals, and of its copied cells


def read_pairs(path: str | Path) -> list[MinimalPair]:
    """Read the pairs of a file.

    Raises:
        EncoderError: it cannot be read, holds more than MOST_BYTES or MOST_PAIRS, or a line is no pair, which is named.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise EncoderError(f"{path} cannot be read: {error.strerror or error}") from error
    return given_pairs(content, str(path))


def given_pairs(content: bytes, called: str) -> list[MinimalPair]:
    """Read the pairs of a file in memory; messages call it `called`. Its ending says what it is, or its first letter.

    Raises:
        EncoderError: as `read_pairs`.
    """
    if len(content) > MOST_BYTES:
        raise EncoderError(f"{called} is larger than {MOST_BYTES:,} bytes; give a part")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EncoderError(f"{called} is not UTF-8; save the file as UTF-8") from error
    name = called.lower()
    of_json = name.endswith(".jsonl") or (not name.endswith(".csv") and text.lstrip().startswith("{"))
    rows = json_rows(text, called) if of_json else csv_rows(text, called)
    if not rows:
        raise EncoderError(f"{called} holds no pair; each must have the sentences a and b")
    return [pair_of(row, f"{called}, line {line:,},") for line, row in rows]


def csv_rows(text: str, called: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the rows of a CSV file with their lines."""
    head = text.lstrip().partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter=max(SEPARATORS, key=head.count))
    try:
        names = [name.strip().lower() for name in reader.fieldnames or ()]
        if not {"a", "b"} <= set(names):
            raise EncoderError(f"{called} must begin with a line that names its columns: a,b or {','.join(COLUMNS)}")
        reader.fieldnames = names
        rows = list[tuple[int, dict[str, Any]]]()
        for row in reader:
            few_enough(len(rows), called, reader.line_num)
            rows.append((reader.line_num, row))
    except csv.Error as error:
        raise EncoderError(f"{called} is not a CSV file: line {reader.line_num:,}: {error}") from error
    return rows


def json_rows(text: str, called: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects of a file with a line of JSON for each."""
    rows = list[tuple[int, dict[str, Any]]]()
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        few_enough(len(rows), called, line)
        try:
            row = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise EncoderError(f"{called}, line {line:,}, is not JSON; each line must hold one pair") from error
        if not isinstance(row, dict):
            raise EncoderError(f'{called}, line {line:,}, is not a pair; it must be such as {{"a": "...", "b": "..."}}')
        rows.append((line, row))
    return rows


def few_enough(count: int, called: str, line: int) -> None:
    """Refuse a file with more pairs than MOST_PAIRS."""
    if count >= MOST_PAIRS:
        raise EncoderError(f"{called} has more than {MOST_PAIRS:,} pairs, which are reached in line {line:,}")


def pair_of(row: dict[str, Any], where: str) -> MinimalPair:
    """Return the pair of a row."""
    a, b, *answers = (row.get(name) or "" for name in COLUMNS)
    for name, value in zip(COLUMNS, (a, b, *answers), strict=True):
        if not isinstance(value, str) or len(value) > LONGEST_SENTENCE:
            raise EncoderError(
                f"{where} has something else than a text of at most {LONGEST_SENTENCE:,} characters in {name}"
            )
    if not a.strip() or not b.strip():
        raise EncoderError(f"{where} lacks a sentence; a and b must both be there")
    if bool(answers[0].strip()) != bool(answers[1].strip()):
        raise EncoderError(f"{where} has one answer; answer_a and answer_b go together, or neither")
    return MinimalPair(a.strip(), b.strip(), (answers[0].strip(), answers[1].strip()) if answers[0].strip() else None)
