"""The names of all choices that a link may make: those that pages ask for, and the options of pictures."""

from functools import cache

from encoder.pictures.lab import options_of
from encoder.pictures.more.sections import MORE
from encoder.pictures.registry import pictures

SPELLED = """
    born_beside born_carried born_more claim lab models_more more mystery_head mystery_task read_after training_heads
    training_hidden training_layers training_more training_norm training_part training_positions training_rate
    training_seed training_steps training_task training_width
"""
OF_PAGES = frozenset(SPELLED.split())


@cache
def names() -> frozenset[str]:
    """Return every name that a link may use for a choice."""
    of_pictures = {option.key for picture in pictures().values() for option in picture.options}
    return (
        OF_PAGES
        | of_pictures
        | {name for page in MORE.values() for parts in page.values() for name in options_of(parts)}
    )
