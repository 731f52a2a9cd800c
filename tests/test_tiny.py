"""The shapes that the daily tests try: together they make every choice that any shape makes."""

from tiny import COVERING, VARIANTS, choices, pairs_of_choices

from encoder import PRESETS
from encoder.model.config import CHOICES


def test_every_choice_of_an_encoder_is_made_by_a_shape_that_is_tried_daily() -> None:
    made = {choice for name in COVERING for choice in choices(VARIANTS[name]).items()}
    assert {(option, value) for option, values in CHOICES.items() for value in values} <= made
    for preset in PRESETS.values():
        assert choices(preset).items() <= made
    assert made == {choice for config in VARIANTS.values() for choice in choices(config).items()}


def test_few_shapes_make_most_pairs_of_choices() -> None:
    every = set.union(*map(pairs_of_choices, VARIANTS.values()))
    daily = set.union(*(pairs_of_choices(VARIANTS[name]) for name in COVERING))
    assert len(daily) > 0.9 * len(every) and len(COVERING) < len(VARIANTS) / 2
