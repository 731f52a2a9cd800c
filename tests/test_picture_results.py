"""What pages keep of the measurements of pictures: results, and not the runs that were on the screen then."""

import gc
import weakref

import pytest

from encoder import TextEncoder
from encoder.pictures.registry.compare_sentences import WORD_MEANS
from encoder.pictures.scene import Scene
from encoder.pictures.view import View
from pages.ui.server.picture_results import kept, results


def test_a_kept_result_keeps_no_run(small: TextEncoder) -> None:
    scene = Scene(View(model="small"), small, small.trace("A cat sat."), extra={"more": small.trace("A dog.")})
    gone = weakref.ref(scene.t)
    measured = WORD_MEANS.of(scene, kept(scene)).measured
    assert any(getattr(key[0], "printed", "").startswith("mean_between") for key in results.kept)
    del scene
    gc.collect()
    assert gone() is None, "the run stays with the result"
    again = Scene(View(model="small"), small)
    answer = WORD_MEANS.of(again, kept(again))
    assert answer.measured is measured
    assert answer.numbers.array[-1] == pytest.approx(float(measured[-1]))
