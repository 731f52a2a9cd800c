"""Other people's folders: each opens with the ids and the numbers of transformers, or is refused in one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from in_turn import in_turn
from made_folders import FOLDERS, PAIR, TABLE, TEXTS, make

from encoder import CheckpointError, TextEncoder

pytestmark = pytest.mark.slow

CLOSE = 2e-5  # of numbers of about 1, in float32
TOLD: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
REFUSED = [name for name, made in FOLDERS.items() if made.refused or "fails" in TOLD[name]]


def test_the_table_is_of_these_folders() -> None:
    assert list(TOLD) == list(FOLDERS) and len(FOLDERS) - len(REFUSED) >= 50
    wrong = [name for name, row in TOLD.items() if "fails" in row and name not in REFUSED]
    assert not wrong and len(REFUSED) > 9


@in_turn("name", REFUSED)
def test_it_is_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    make(name, tmp_path)
    with pytest.raises(CheckpointError) as error:
        TextEncoder.from_pretrained(tmp_path)
    told = str(error.value)
    assert FOLDERS[name].refused in told and str(tmp_path) in told
    assert "\n" not in told and len(told) < 850 and "Traceback" not in told


@in_turn("name", [name for name in FOLDERS if name not in REFUSED])
def test_it_opens_as_transformers_reads_it(name: str, tmp_path: Path) -> None:
    twin, made = make(name, tmp_path), FOLDERS[name]
    encoder = TextEncoder.from_pretrained(tmp_path)
    texts = [text.replace("MASK", TOLD[name]["mask"]) for text in TEXTS]
    assert [list(encoder.tokenize(text).ids) for text in texts] == TOLD[name]["ids"]
    assert list(encoder.tokenize(PAIR).ids) == TOLD[name]["pair"]
    trace = encoder.trace(TEXTS[0])
    ids = torch.tensor([trace.ids])
    if {"bert-float16", "bert-bfloat16"} & {name}:
        twin = twin.to(getattr(torch, name.removeprefix("bert-"))).float()
    with torch.no_grad():
        found = twin(input_ids=ids, output_hidden_states=True)
    assert torch.allclose(trace["output"], found.hidden_states[-1][0], atol=CLOSE, rtol=CLOSE)
    named = "ForMaskedLM" in made.model or ("ForPreTraining" in made.model and "Electra" not in made.model)
    guesses = named if made.guesses is None else made.guesses
    assert (encoder.predict(trace) is not None) is guesses and bool(encoder.why_no_guesses) is not guesses
    if guesses:
        logits = found.logits if hasattr(found, "logits") else found.prediction_logits
        assert torch.allclose(trace["mlm.logits"], logits[0], atol=CLOSE, rtol=CLOSE)
    assert made.says in " ".join((*encoder.left_out, encoder.why_no_guesses))
