"""Verdicts that are shipped: those of the bundled weights, of every claim as it is asked today, counted again here."""

import json
import math
from pathlib import Path

import pytest
from shared_models import pretrained
from shipped.verdicts import to_json
from tiers import mostly_nightly

from encoder import EncoderError, TextEncoder
from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS
from encoder.pictures.labs.trial import Verdict
from encoder.teach.lessons.stored import SHIPPED, StoredVerdicts, by_content, read

BY_KEY = {claim.key: claim for claim in CLAIMS}
OF_THE_CLOCK = {"constant-time", "recurrent-training"}  # the seconds of the machine that made them
DAILY = ("softmax", "row-sums", "head-one", "keys-sara", "reversed", "bert-ids", "three-rows")
FIGURES = [(name, key) for name in ("base", "small") for key in BY_KEY if key not in OF_THE_CLOCK]


def stored(encoder: TextEncoder) -> StoredVerdicts:
    found = by_content(encoder.source.fingerprint)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["base", "small"])
def test_every_claim_has_a_verdict_of_the_bundled_weights_as_it_is_asked_today(name: str) -> None:
    found = stored(pretrained(name))
    assert found.model == name
    assert [(one.trial, one.given) for one in found.verdicts] == [(claim.trial, claim.given) for claim in CLAIMS]
    for finding in (one.finding for one in found.verdicts):
        assert finding.sentence and " now" not in finding.sentence
        assert (finding.verdict is Verdict.UNTRIED) == math.isnan(finding.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", mostly_nightly([f"{name} {key}" for name, key in FIGURES], daily=[f"small {key}" for key in DAILY])
)
def test_what_is_stored_is_found_again(case: str) -> None:
    name, key = case.split()
    encoder, claim = pretrained(name), BY_KEY[key]
    then = stored(encoder).finding(claim.trial, claim.given)
    assert then is not None
    try:
        now = labs.run(claim.trial, encoder, claim.given)
    except (EncoderError, KeyError):
        assert then.verdict is Verdict.UNTRIED
    else:
        assert now.verdict is then.verdict
        assert then.value == pytest.approx(now.value, rel=1e-3, abs=1e-5, nan_ok=True)


def test_what_is_asked_in_another_way_has_no_stored_verdict() -> None:
    found = read(SHIPPED / "base.json")
    claim = BY_KEY["head-one"]
    assert found.finding(claim.trial, claim.given) is not None
    assert found.finding(claim.trial, dict(claim.given) | {"head": 30}) is None
    assert found.finding("linked", claim.given) is None


def test_weights_of_which_nothing_is_shipped_have_nothing() -> None:
    assert by_content("sha256 of nothing") is None


def test_what_is_written_is_read_again_and_another_version_is_refused(tmp_path: Path) -> None:
    found, path = read(SHIPPED / "small.json"), tmp_path / "again.json"
    path.write_text(to_json(found), encoding="utf-8")
    assert path.read_bytes() == (SHIPPED / "small.json").read_bytes()
    path.write_text(json.dumps(json.loads(to_json(found)) | {"version": 1}), encoding="utf-8")
    with pytest.raises(EncoderError, match="version 2"):
        read(path)
