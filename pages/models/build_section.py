"""A model of any shape with random weights: its four sizes in sight, everything else in a fold, and its parameters."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from encoder import PRESETS
from encoder.explain.cost import size
from encoder.model.config import LONGEST, OPTIONS, EncoderConfig
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief
from pages.ui.frame import page_run
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import plain

TOKENS_OF_BASE = 16_384  # an untrained model reads text with the tokenizer of `base`
IN_SIGHT = 4  # of COUNTS are in sight, all other fields are folded
# field -> (what it is called, smallest, largest, by how much a press changes it)
COUNTS = {
    "n_layers": ("layers", 1, 48, 1),
    "n_heads": ("heads", 1, 64, 1),
    "d_model": ("width", 8, 2048, 64),
    "d_ff": ("feed-forward", 8, 8192, 256),
    "vocab_size": ("vocabulary", TOKENS_OF_BASE, 100_000, 1),
    "max_positions": ("longest input, in tokens", 16, LONGEST, 1),
}
TITLES = {name: title for name, (title, *_) in COUNTS.items()} | {
    name: title.lower() for name, (title, _) in OPTIONS.items()
}
NOTHING = 0  # what stands in the form for None
MASKED = -1e9  # where a window may leave a token with nobody to see
NO_GUESSES = ", guesses no words"
SEED = 2**31 - 1  # the largest


def draw() -> None:
    """Draw the fields, below a wrong one why it is wrong, the parameters, and the button that builds it."""
    if not state.has("build_d_model"):
        state.show(preset=next(iter(PRESETS)))
        take_preset()
    config, wrong, why = config_of_form()
    grid([(name, ask_number) for name in [*COUNTS][:IN_SIGHT]], wrong, why, 130)
    if config:
        st.markdown(f"**{millions(config)}** parameters, random weights{NO_GUESSES * (not config.mlm_head)}")
    else:
        st.markdown("**–** parameters" if wrong else f":red[{why}]")
    with st.container(horizontal=True):
        st.button("Build it", type="primary", key="build", disabled=config is None, on_click=build)
        if state.current().model.startswith(offered_models.BUILT):
            st.button("See its attention", key="see_built", on_click=see)
    draw_others(wrong, why)


def build() -> None:
    """Go on with a model of the shape that the form describes."""
    config, _, _ = config_of_form()
    if config is not None:
        page_run.show_model(offered_models.built(config, state.value("build_seed")))


def see() -> None:
    """Go to the attention of the model that was built."""
    state.session().go_to = page_of("attention").key


def draw_others(wrong: str, why: str) -> None:
    """Draw all other settings."""
    rest = [*[(name, ask_number) for name in [*COUNTS][IN_SIGHT:]], *[(name, ask_option) for name in OPTIONS]]
    with st.expander(f"All {len(rest) + 2} other settings", expanded=wrong in dict(rest)):
        st.selectbox("start from", list(PRESETS), key="preset", on_change=take_preset)
        grid(rest, wrong, why, 210)
        if idle := state.value("build_vocab_size") - TOKENS_OF_BASE:
            st.caption(
                f"Text is read with the bundled tokenizer of {TOKENS_OF_BASE:,} tokens: {idle:,} rows of this "
                "vocabulary are never looked up. They count as parameters all the same."
            )
        st.number_input("seed", 0, SEED, value=0, step=1, key="build_seed")


def grid(fields: Sequence[tuple[str, Callable[[str], None]]], wrong: str, why: str, width: int) -> None:
    """Draw fields that are at least so wide, in two columns where there is room, what is wrong with one below it."""
    with st.grid(2, min_column_width=width):
        for name, draw_field in fields:
            with st.container(gap="xsmall"):
                draw_field(name)
                if name == wrong:
                    st.markdown(f":red[{why}]")


def millions(config: EncoderConfig) -> str:
    """How many parameters, in short."""
    count = size(config).parameters
    return f"{brief(count / 1e6)} M" if count >= 1e6 else f"{count:,}"


def ask_number(name: str) -> None:
    """The field of a number."""
    st.number_input(TITLES[name], step=COUNTS[name][-1], key=f"build_{name}")  # config_of_form says what is too large


def ask_option(name: str) -> None:
    """The field of a choice."""
    _, values = OPTIONS[name]
    st.selectbox(TITLES[name], list(values), format_func=values.__getitem__, key=f"build_{name}")


def take_preset() -> None:
    """Fill the form with a preset."""
    chosen = PRESETS[state.value("preset")]
    shown = {name: getattr(chosen, name) for name in TITLES}
    state.show(**{f"build_{name}": NOTHING if value is None else value for name, value in shown.items()})


def config_of_form() -> tuple[EncoderConfig | None, str, str]:
    """The shape that the form describes; where there is none, the field that is wrong, and why, as Markdown."""
    like = PRESETS[state.value("preset")]
    given = {name: state.value(f"build_{name}") for name in TITLES}
    given["window"] = given["window"] or None
    if given["window"] and like.mask_value == -math.inf:
        given["mask_value"] = MASKED
    for name, (title, low, high, _) in COUNTS.items():
        if not low <= given[name] <= high:
            return None, name, f"{title.capitalize()} must be {low:,} to {high:,}."
    width, heads = given["d_model"], given["n_heads"]
    if width % heads:
        near = [count for count in range(1, 65) if width % count == 0]
        better = min(near, key=lambda count: abs(count - heads))
        return None, "n_heads", f"{heads} heads cannot share a width of {width:,} evenly; {better} can."
    try:
        config = replace(like, **given)
        offered_models.within_limit(config)
    except EncoderError as error:
        why = re.sub(r"\w+_\w+", lambda name: TITLES.get(name[0], name[0]), str(error))
        return None, next((name for name, title in TITLES.items() if title in why), ""), plain(f"{why}.")
    return config, "", ""
