"""The names of all choices that a link may make: those that pages ask for, and the options of pictures."""

from functools import cache

from encoder.pictures.registry import pictures
from encoder.pictures.scene import PREFIX_A, PREFIX_B

SPELLED = """
    all_lessons ask_why atlas_key atlas_list atlas_map atlas_near atlas_off atlas_part atlas_run atlas_spread
    atlas_token atlas_word born_beside born_heads born_keep claim cost_parameters cost_shape cost_steps find
    heads_beside heads_list heads_other heads_part heads_trees lab lessons_part models_part more mystery_head
    mystery_task read_after several term_place tokens_open training_heads training_layers training_norm
    training_part training_positions training_rate training_seed training_steps training_task training_width
    unfolded walk_of words_only
"""
OF_PAGES = frozenset(SPELLED.split())


@cache
def names() -> frozenset[str]:
    """Return every name that a link may use for a choice."""
    of_pictures = {option.key for picture in pictures().values() for option in picture.options}
    return OF_PAGES | of_pictures | {PREFIX_A.key, PREFIX_B.key}
