"""What pages keep of the measurements of pictures: results, and not the runs that were on the screen then."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from encoder import TextEncoder
from encoder.pictures.expression import Expression
from encoder.pictures.registry.compare_sentences import WORD_MEANS
from encoder.pictures.registry.grammar_pictures import GRAMMAR_ARCS, MOMENTS
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


def test_a_picture_of_moments_of_a_training_keeps_none_of_their_models(small: TextEncoder) -> None:
    """Each page that is open keeps its pictures for Save; the models would be there once for each of them."""
    scene, gone = Scene(View(model="small"), small), list[weakref.ref[TextEncoder]]()

    def make(part: Expression, now: Callable[[], Any]) -> Any:
        value = now()
        if part == MOMENTS:
            gone.extend(map(weakref.ref, value.values()))
        return value

    gc.disable()  # whoever clicks fast clicks before anybody looks for garbage
    try:
        answer = GRAMMAR_ARCS.of(scene, make)
        assert len(answer.numbers.array)
        assert answer.numbers.array.size and gone and not any(model() for model in gone)
    finally:
        gc.enable()
