"""All of a run as one file: every step as arrays for numpy, or one layer as CSV files in a zip.

A file holds nothing but the run, so the same run gives the same bytes.
"""

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, BinaryIO

import numpy as np
import torch

from encoder.edits.edit import Edit
from encoder.edits.edit_text import edit_to_text
from encoder.pictures.export.caption import About, caption
from encoder.pictures.export.tables import Rows, grid, header, numbered, to_csv
from encoder.support.errors import integer, of_kind
from encoder.trace.trace import Trace

FORMAT = 1  # of the files; goes up when a reader has to change
ABOUT = "about.json"
PER_ENTRY = 320  # bytes that a zip and numpy spend on each array besides its numbers
PER_NUMBER = 5  # bytes that a number takes in a zip of CSV files, about
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the date of every file in a zip, so that the same run gives the same bytes
A_TRACE = "a Trace, as TextEncoder.trace gives it"
Progress = Callable[[float], None]


def about(trace: Trace) -> dict[str, Any]:
    """What a run was, as plain data for JSON: model, sentence, tokens, what was hidden and changed, and versions."""
    config = {name: None if value == -np.inf else value for name, value in asdict(trace.config).items()}
    return {
        "format": FORMAT,
        "caption": caption(About(trace)),
        "text": trace.text,
        "pair": trace.tokenization.pair,
        "segments": list(trace.tokenization.segments),
        "tokens": trace.tokens,
        "ids": trace.ids,
        "hidden": list(trace.hidden),
        "padding": trace.padding,
        "edits": [spelled(edit) for edit in trace.edits],
        "model": trace.source.name,
        "sha256": trace.source.sha256,
        "seed": trace.source.seed,
        "config": config,
        "torch": str(torch.__version__),
        "steps": {name: list(trace[name].shape) for name in trace},
    }


def spelled(edit: Edit) -> str:
    """An edit as text; of a patch from a run without text form, its words."""
    try:
        return edit_to_text(edit)
    except ValueError:
        return f"{edit.step}:{edit.action}"


def run_size(trace: Trace) -> int:
    """How large the file of `to_npz` becomes, in bytes, to a few kilobytes."""
    return len(json.dumps(about(trace))) + sum(trace[name].nbytes + PER_ENTRY + 2 * len(name) for name in trace)


def layer_size(trace: Trace, layer: int) -> int:
    """About how large the file of `to_csv_zip` becomes, in bytes."""
    return sum(trace[name].numel() * PER_NUMBER + PER_ENTRY for name in of_layer(trace, layer))


def to_npz(trace: Trace, file: BinaryIO, progress: Progress | None = None) -> None:
    """Write every step to a file that numpy alone opens: the names of the arrays are those of the steps.

    `json.loads(numpy.load(path)["about.json"])` says what run it was. Arrays are written one after the other, so no
    second copy of the run is held. `progress` gets the share that is done, from 0 to 1.
    """
    of_kind("trace", trace, Trace, A_TRACE)
    with archive(file, zipfile.ZIP_STORED) as whole:
        write(whole, ABOUT, json.dumps(about(trace), indent=1).encode())
        for done, name in enumerate(trace, start=1):
            with whole.open(zipfile.ZipInfo(f"{name}.npy", FIRST_DAY), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(trace.array(name)), allow_pickle=False)
            if progress:
                progress(done / len(trace))


def to_csv_zip(trace: Trace, layer: int, file: BinaryIO, progress: Progress | None = None) -> None:
    """Write a layer as one CSV file for each step, and about.json, in a zip.

    A file has a row for each token; of steps with heads a row for each head and token, the head in the first column.

    Raises:
        EncoderError: the model has no such layer.
    """
    names = of_layer(trace, layer)
    with archive(file, zipfile.ZIP_DEFLATED) as whole:
        write(whole, ABOUT, json.dumps(about(trace) | {"layer": layer}, indent=1).encode())
        for done, name in enumerate(names, start=1):
            write(whole, f"{trace.step(name).local}.csv", to_csv(table(trace, name)).encode())
            if progress:
                progress(done / len(names))


def of_layer(trace: Trace, layer: int) -> list[str]:
    """The steps of a layer in the order of computation."""
    layer = integer("layer", layer, 0, of_kind("trace", trace, Trace, A_TRACE).config.n_layers - 1)
    return [name for name in trace if trace.step(name).layer == layer]


def table(trace: Trace, name: str) -> Rows:
    """A recorded step as rows, the header first."""
    step, values = trace.step(name), trace.array(name)
    if values.ndim == 1:
        values = values[:, None]
    columns = step.columns(trace.tokens)
    if values.ndim == 2:
        yield from grid(values, step.rows(trace.tokens), columns)
        return
    yield ("head", "token", *header(columns, values.shape[-1]))
    for head, matrix in enumerate(values):
        yield from ((head, token, *row) for token, row in zip(numbered(step.rows(trace.tokens)), matrix, strict=True))


@contextmanager
def archive(file: BinaryIO, method: int) -> Iterator[zipfile.ZipFile]:
    """A zip that is written front to back."""
    with zipfile.ZipFile(file, "w", method, compresslevel=1) as whole:
        yield whole


def write(whole: zipfile.ZipFile, name: str, content: bytes) -> None:
    """One file of a zip, with a date that never changes."""
    entry = zipfile.ZipInfo(name, FIRST_DAY)
    entry.compress_type = whole.compression
    whole.writestr(entry, content)
