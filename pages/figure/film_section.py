"""The figure as a film: its pictures, or the maps of its only one, one after the other."""

from typing import get_args

import streamlit as st

from encoder.pictures.export.caption import file_name
from encoder.pictures.paper import film as films
from encoder.pictures.paper.film import Film, Kind, has_video, passage, pictures_of
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief
from encoder.support.theme import Theme
from pages.figure import contents
from pages.figure.contents import shown
from pages.ui.downloads.keep import save
from pages.ui.server import jobs
from pages.ui.server.jobs import EndedError
from pages.ui.server.slow_files import filmed
from pages.ui.state import session_state as state
from pages.ui.text import plain

SECONDS = range(2, 31)
MIMES: dict[Kind, str] = {"gif": "image/gif", "mp4": "video/mp4", "webm": "video/webm"}
KEPT = "film"  # what was made last, under this name


def draw() -> None:
    """What the film shows, its choices, the way to make it with progress, and then to look at it and take it along."""
    kinds = get_args(Kind)[: None if has_video() else 1]
    with st.container(horizontal=True, vertical_alignment="bottom", key="film_choices"):
        kind = st.pills("Film as", kinds, required=True, **state.choice("figure_film", kinds, kinds[0]))
        size = st.pills("Size", films.SIZES, required=True, **state.choice("figure_size", films.SIZES, "720p"))
        seconds = st.select_slider("Seconds", SECONDS, **state.choice("figure_seconds", SECONDS, 8))
    if not has_video():
        st.caption("MP4 and WebM need the package imageio-ffmpeg where this app runs; a GIF plays on every slide too.")
    pictures = pictures_of(shown())[: films.MOST_PICTURES]
    if len(pictures) < 2:
        contents.draw_beginnings(
            "A film needs two pictures, or one of several maps: the moments of **Time-lapse**, all heads."
        )
        return
    chosen = dict(state.current().choices)
    theme: Theme = "dark" if chosen.get("figure_theme") == "dark" else "light"
    looks = theme, chosen.get("figure_words") == "1", chosen.get("figure_fit") == "1"
    film = Film(pictures, float(seconds), size, *looks)
    first, last = (plain(pictures[i].title) for i in (0, -1))
    st.markdown(
        f"{len(pictures)} pictures of {brief(film.seconds / len(pictures))} seconds each, from “{first}” to “{last}”. "
        f"{passage(film)}"
    )
    asked = (tuple(state.session().figure.pictures), kind, size, seconds, *looks)
    if st.button("Make the film", key="film_make", type="primary"):
        make(film, kind, asked)
    take_along(kind, asked)


def make(film: Film, kind: Kind, asked: tuple[object, ...]) -> None:
    """Make it when its turn has come; who leaves the page or clicks elsewhere ends it."""
    bar, way_out = st.progress(0.0, "Starting …"), st.empty()
    way_out.button("Cancel", key="film_cancel")

    def tell(done: float) -> None:
        bar.progress(done, f"{done:.0%} of the film")

    try:
        with jobs.refused(), jobs.in_turn():
            state.session().sweeps[KEPT] = (asked, filmed(film, kind, tell))
    except (EndedError, EncoderError) as error:
        st.warning(f"No film was made: {error}.")
    bar.empty()
    way_out.empty()


def take_along(kind: Kind, asked: tuple[object, ...]) -> None:
    """The film that was made of these very choices."""
    before, kept = state.session().sweeps.get(KEPT, (None, b""))
    if before != asked:
        return
    show = st.image if kind == "gif" else st.video
    show(kept)
    label = f"Save the film ({len(kept) / 1e6:.1f} MB)"
    save(label, "film_save", f"{file_name('film')}.{kind}", lambda: kept, MIMES[kind])
