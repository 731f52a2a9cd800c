"""Where pages that were merged into others are now: one table for old addresses, lessons and figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PlaceNow:
    """A page by its key, what its link must say to show what an old page showed, and what it must not say.

    What `query` says goes before what the old link says: a link keeps the choices of other pages too. `unless_said` is
    where the old page began.
    """

    page: str
    query: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    unless_said: Mapping[str, str] = field(default_factory=dict)


IN_LESSON = ("lesson", "at")  # the page of lessons would show its step
OLD = {
    "alike": PlaceNow("compare", {"compare_part": "Alike?"}),
    "looks": PlaceNow("sentence", {"several": "1"}),
    "training": PlaceNow("learn", {"learn_part": "Time-lapse"}),
    "flows": PlaceNow("heads", {"heads_part": "What really flows"}),
    "position": PlaceNow("embedding", unless_said={"step": "embedding.positions"}),
    "lens": PlaceNow("stack", {"step": "output"}, ("step",)),  # the page had no steps, and its link meant none
    "vectors": PlaceNow("stack", {"step": "output", "sources_open": "1"}, ("step",)),
    "tour": PlaceNow("your_model"),
    "why": PlaceNow("what_if", unless_said={"why": "Which parts"}),
    "model_cost": PlaceNow("your_model", {"models_part": "Cost"}),
    "labs": PlaceNow("lessons", {"lessons_part": "Labs"}, IN_LESSON, {"lab": "Word order"}),
    "claims": PlaceNow("lessons", {"lessons_part": "Claims"}, IN_LESSON),
    "glossary": PlaceNow("lessons", {"lessons_part": "Glossary"}, IN_LESSON),
}
FOLDED = {  # the pictures of a page that lie in a fold now, and what opens it
    ("stack", "nearest_by_layer"): {"words_open": "1"},
    ("stack", "moves"): {"ways_open": "1"},
    ("stack", "alike_tokens"): {"ways_open": "1"},
    ("stack", "paths"): {"ways_open": "1"},
    ("atlas", "atlas_heads"): {"atlas_map": "1"},
    ("atlas", "atlas_units"): {"atlas_map": "1"},
    ("atlas", "atlas_deciles"): {"atlas_spread": "1"},
    ("learn", "grammar_heads"): {"born_heads": "1"},
}
RENAMED = {  # the page and key of a picture that has another key now, as no two have the same
    ("compare", "alike"): "cosine_shares",
    ("stack", "nearest"): "nearest_by_layer",
    ("compare", "living_map"): "living_change",
    ("what_if", "apart"): "apart_changed",
    ("what_if", "beside_0"): "step_before",
    ("what_if", "beside_1"): "step_now",
    ("what_if", "beside_change"): "step_change",
    ("embedding", "nearest"): "near_words",
    ("embedding", "alike"): "alike_places",
    ("add_norm", "picture"): "layer_step",
}


def lead(page: str, query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the page and the parameters of a link that show what an old one asks for; those of today are unchanged."""
    place = OLD.get(page)
    if place is None:
        return page, dict(query)
    rest = {name: text for name, text in query.items() if name not in place.without}
    return place.page, {**place.unless_said, **rest, **place.query}
