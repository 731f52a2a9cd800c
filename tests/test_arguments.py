"""Wrong arguments of the public functions: each gives a right answer or an EncoderError with the value in it."""

import gzip
import inspect
import io
import math
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from in_turn import in_turn
from tiny import TINY, tiny

import encoder as library
from encoder import Edit, EncoderConfig, EncoderError, TextEncoder, Trace, experiments, metrics
from encoder.atlas.corpus import AtlasCorpus, AtlasError
from encoder.checkpoint import hub
from encoder.pictures.export import to_csv_zip, to_npz

Call = Callable[..., object]
ENCODER = tiny(EncoderConfig(**{**vars(TINY), "mlm_head": True}))
TRACE: Trace = ENCODER.trace("w1 w2 w3 w2 w4")
WRONG: dict[str, Any] = {
    "a-fraction": 1.5,
    "below": -1,
    "above": 10**9,
    "a-text": "x",
    "an-empty-text": "",
    "nothing": None,
    "no-number": math.nan,
    "infinity": math.inf,
    "an-empty-list": [],
    "a-list": [1.5],
    "an-object": {},
    "a-truth": True,
    "far-below": -(10**30),
    "far-above": 10**30,
    "an-array": np.array([1.5, 2.5]),
    "a-tensor": torch.tensor(1.5),
}
SHAPE = EncoderConfig(vocab_size=16_384, d_model=8, n_heads=1, n_layers=1, d_ff=8)

CALLS: dict[str, Call] = {  # what takes one argument of a kind that a person may get wrong
    "predict-k": lambda one: ENCODER.predict(TRACE, one),
    "predict-position": lambda one: ENCODER.predict(TRACE, 3, [one]),
    "predict-positions": lambda one: ENCODER.predict(TRACE, 3, one),
    "predict-trace": lambda one: ENCODER.predict(one),
    "word-id-position": lambda one: ENCODER.word_id(TRACE, one, "w1"),
    "word-id-word": lambda one: ENCODER.word_id(TRACE, 1, one),
    "seed": lambda one: TextEncoder.from_config(SHAPE, one),
    "config": lambda one: TextEncoder.from_config(one),
    "pretrained": lambda one: TextEncoder.from_pretrained(one),
    "step": lambda one: TRACE[one],
    "entry": lambda one: TRACE.step(one),
    "array": lambda one: TRACE.array(one),
    "explain-name": lambda one: ENCODER.explain(TRACE, one, (0,)),
    "explain-index": lambda one: ENCODER.explain(TRACE, "output", one),
    "explain-place": lambda one: ENCODER.explain(TRACE, "output", (one, 0)),
    "prompt": lambda one: ENCODER.prompted("w1", one),
    "prompted": lambda one: ENCODER.prompted(one),
    "text": lambda one: ENCODER.trace(one),
    "hidden": lambda one: ENCODER.trace("w1 w2", hidden=one),
    "hidden-position": lambda one: ENCODER.trace("w1 w2", hidden=[one]),
    "edits": lambda one: ENCODER.trace("w1 w2", edits=one),
    "edit": lambda one: ENCODER.trace("w1 w2", edits=[one]),
    "edit-step": lambda one: ENCODER.trace("w1", edits=[Edit(one, "zero")]),
    "edit-action": lambda one: Edit("output", one),
    "edit-heads": lambda one: Edit("layers.0.attention.heads", "zero", heads=one),
    "edit-positions": lambda one: Edit("output", "zero", positions=one),
    "edit-number": lambda one: Edit("output", "scale", value=one),
    "edit-seed": lambda one: Edit("output", "noise", value=one),
    "preset": lambda one: library.preset(one),
    "learned": lambda one: library.learned(one),
    "mystery": lambda one: library.mystery(one),
    "hub-id": lambda one: hub.download(one, Path("nowhere"), endpoint="http://127.0.0.1:9"),
    "hub-folder": lambda one: hub.download("team/../tiny", one),
    "csv-layer": lambda one: to_csv_zip(TRACE, one, io.BytesIO()),
    "csv-trace": lambda one: to_csv_zip(one, 0, io.BytesIO()),
    "npz-trace": lambda one: to_npz(one, io.BytesIO()),
    **{
        f"config-{name}": lambda one, name=name: EncoderConfig(**{name: one})
        for name in EncoderConfig.__dataclass_fields__
    },
}
RIGHT: dict[str, tuple[str, ...]] = {  # what is no mistake after all
    "predict-k": ("above", "far-above"),
    "predict-positions": ("nothing", "an-empty-list", "an-object"),
    "hidden": ("an-empty-list", "an-object", "an-empty-text"),
    "edits": ("an-empty-list", "an-object"),
    "text": ("a-text", "an-empty-text"),
    "prompt": ("an-empty-text", "nothing"),
    "prompted": ("a-text", "an-empty-text"),
    "edit-heads": ("nothing",),
    "edit-positions": ("nothing",),
    "edit-number": ("a-fraction", "below", "above", "far-above", "far-below"),
    "seed": ("above",),
    "edit-seed": ("above",),
}


@in_turn("call", CALLS)
def test_a_wrong_argument_is_refused_in_a_sentence_and_nothing_else_comes_of_any(call: str) -> None:
    for name, value in WRONG.items():
        try:
            CALLS[call](value)
        except EncoderError as error:
            assert 10 < len(str(error)) < 500, (name, str(error))
        else:
            assert call.startswith("config-") or name in RIGHT.get(call, ()), name


GOOD: dict[str, Any] = {  # by the name of a parameter, a value that fits
    "trace": TRACE,
    "encoder": ENCODER,
    "layer": 1,
    "head": 1,
    "k": 2,
    "position": 2,
    "positions": (1, 2),
    "seed": 1,
    "query": 1,
    "key": 2,
    "unit": 3,
    "token": 2,
    "points": 9,
    "part": "add_norm_1",
    "n": len(TRACE.tokens),
    "heads": slice(0, 2),
    "layers": 1,
    "config": TINY,
}
UNTRIED = {"trace", "encoder", "n", "layers", "config"}  # a program gives these, no person


def changed(function: Call, base: dict[str, Any], name: str, value: object) -> object:
    """A call with one argument in the place of another."""
    others = {} if name in base else {name: value}
    return function(*(value if one == name else fits for one, fits in base.items()), **others)


def parameters(module: ModuleType) -> Iterator[tuple[str, Call]]:
    """Every parameter of a package's functions that takes a number or a name, and a call that changes it alone."""
    for name in dir(module):
        function = getattr(module, name)
        if not inspect.isfunction(function) or name == "learning_curves":  # trains
            continue
        given = inspect.signature(function).parameters
        needed = [one for one, about in given.items() if about.default is about.empty]
        if set(needed) <= GOOD.keys():
            base = {one: GOOD[one] for one in needed}
            for one in (one for one in given if one in GOOD.keys() - UNTRIED):
                yield f"{name}-{one}", partial(changed, function, base, one)


OF_PACKAGES = dict([*parameters(metrics), *parameters(experiments)])
assert len(OF_PACKAGES) >= 30


@in_turn("call", OF_PACKAGES)
def test_measures_and_experiments_refuse_what_is_not_there(call: str) -> None:
    refused = 0
    for one in WRONG.values():
        try:
            OF_PACKAGES[call](one)
        except EncoderError as error:
            refused += 1
            assert 10 < len(str(error)) < 500
    assert refused >= len(WRONG) - 5  # a seed or a number of words may be large, and some mean all by None


PLACES = dict.fromkeys(("position", "query", "key", "token"), len(TRACE.tokens))
COUNTS = {"head": TINY.n_heads, "positions": len(TRACE.tokens), **PLACES}  # by a parameter, how many there are of it


@in_turn("call", [call for call in OF_PACKAGES if call.rpartition("-")[2] in COUNTS])
def test_the_first_and_the_last_are_taken_and_the_one_after_it_is_refused(call: str) -> None:
    name = call.rpartition("-")[2]
    first, last, after = ((i,) if name == "positions" else i for i in (0, COUNTS[name] - 1, COUNTS[name]))
    OF_PACKAGES[call](first)
    OF_PACKAGES[call](last)
    with pytest.raises(EncoderError):
        OF_PACKAGES[call](after)


def test_numbers_of_numpy_and_torch_are_numbers() -> None:
    assert ENCODER.predict(TRACE, np.int64(2), [np.int32(1)]) == ENCODER.predict(TRACE, 2, [1])
    assert ENCODER.word_id(TRACE, torch.tensor(1), "w3") == ENCODER.word_id(TRACE, 1, "w3")


def test_a_step_that_is_not_there_is_a_key_error_and_an_encoder_error() -> None:
    with pytest.raises(KeyError) as error:
        TRACE["layers.9.output"]
    assert isinstance(error.value, EncoderError) and str(error.value).startswith("no step is called 'layers.9.output'")
    assert TRACE.get("layers.9.output") is None and [] not in TRACE


@in_turn("damage", ["cut", "changed", "no header"])
def test_a_damaged_archive_of_text_is_named(damage: str, tmp_path: Path) -> None:
    content = gzip.compress(b"".join(b"line %d of the text\n" % i for i in range(5000)))
    path = tmp_path / "text.txt.gz"
    path.write_bytes(
        {
            "cut": content[: len(content) // 2],
            "changed": content[:200] + b"\xff" * 40 + content[240:],
            "no header": content[10:],
        }[damage]
    )
    with pytest.raises((EOFError, zlib.error, OSError)):
        gzip.decompress(path.read_bytes())
    with pytest.raises(AtlasError, match=r"text\.txt\.gz"):
        AtlasCorpus((path,)).measured()
