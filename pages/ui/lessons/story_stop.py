"""One stop of the story on the screen: question, guess, answer and picture, and the way on."""

import html
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from encoder.pictures.ask import scene_of
from encoder.pictures.more.start_page import explained
from encoder.pictures.picture import Picture
from encoder.pictures.registry.grids import STORY_HEADS
from encoder.pictures.registry.sentence_pictures import ARCS, WORD, names_drawn, words_to_look_from
from encoder.pictures.registry.story_pictures import STORY_PICTURE, story_of
from encoder.pictures.view import Cell
from encoder.support.formatting import shown
from encoder.teach.story import StoryStop
from encoder.teach.story.stop import PictureKind
from encoder.trace.trace import Trace
from pages.ui import cell_links, session_runs
from pages.ui.components import story_arcs
from pages.ui.downloads import keep
from pages.ui.lessons import story_view
from pages.ui.picture_view import answer_of, show
from pages.ui.picture_view import ask as ask_of
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.step import sections
from pages.ui.text import plain, say, title

MOST_WORDS = 60  # of the text that is shown before the picture is
PROMISE = "The picture comes with your guess."


def draw() -> None:
    """The rail, and the stop that the link names."""
    stops = story_view.stops()
    if not stops:
        title("This run does not end in numbers, so it has no story: take back what was changed in it.")
        return
    number = story_view.at()
    stop = stops[number - 1]
    story_view.arrange(stop, number)
    guesses = story_view.guesses()
    title(plain(stop.question))
    draw_rail(stops, number, guesses)
    with st.container(key="card_question"):
        if number not in guesses:
            st.html(sentence(stop))
            ask(stop, number)
            st.caption(PROMISE)
            return
        marked(stop, guesses[number])
        beside = stop.picture in BESIDE
        left, right = st.columns([2, 3]) if beside else (st.container(), st.container())
        with left:
            outcome(stop, guesses[number])
        with right:
            draw_picture(session_runs.now(), stop)
        with left if beside else st.container():  # a wide picture stands right below the answer, on the first screen
            on(stop, number)
    if number == story_view.COUNT:
        ending(guesses)


def draw_rail(stops: Sequence[StoryStop], at: int, guesses: Collection[int]) -> None:
    """Draw the chapters, each of which leads to its first stop without a guess, and the stops of the one that is open.

    What was guessed has a tick.
    """
    chapters: dict[str, list[int]] = {}
    for number, stop in enumerate(stops, 1):
        chapters.setdefault(stop.chapter, []).append(number)
    here = stops[at - 1].chapter
    state.show(story_chapter=here, story_stop=at)
    tie: dict[str, Any] = {"required": True, "label_visibility": "collapsed"}

    def ticked(name: str) -> str:
        return plain(f"{name} ✓" if {*chapters[name]} <= {*guesses} else name)

    def named(number: int) -> str:
        return plain(f"{'✓' if number in guesses else number} {stops[number - 1].name}")

    def open_chapter() -> None:
        inside = chapters[state.value("story_chapter")]
        story_view.go(next((number for number in inside if number not in guesses), inside[0]))

    with st.container(key="story_rail", gap="xsmall"):
        st.segmented_control(
            "Chapter", list(chapters), key="story_chapter", format_func=ticked, on_change=open_chapter, **tie
        )
        st.pills(
            "Stop",
            chapters[here],
            key="story_stop",
            format_func=named,
            on_change=lambda: story_view.go(state.value("story_stop")),
            **tie,
        )


def ask(stop: StoryStop, number: int) -> None:
    """The options as buttons; a tap is a guess."""
    with st.container(horizontal=True, vertical_alignment="center", key="story_options"):
        for i, option in enumerate(stop.options):
            st.button(plain(option), key=f"option_{i}", on_click=story_view.guess, args=(number, i))
        st.button(
            "Show me", key="reveal", shortcut="S", type="tertiary", on_click=story_view.guess, args=(number, None)
        )


def marked(stop: StoryStop, guess: int | None) -> None:
    """The options, the right one and the guessed one marked."""
    st.html(f"<ul class='story-options'>{''.join(option(stop, i, guess) for i in range(len(stop.options)))}</ul>")


def outcome(stop: StoryStop, guess: int | None) -> None:
    """What the run answers."""
    verdict = "" if guess is None else "Right. " if guess == stop.answer else "Not quite. "
    say(f"{verdict}{stop.sentence}")


def on(stop: StoryStop, number: int) -> None:
    """The way deeper, and to another guess."""
    page = page_of(stop.page)
    with st.container(horizontal=True, key="story_on"):
        st.button(
            f"Go deeper here: {page.title}",
            key="deeper",
            icon=page.icon,
            on_click=story_view.deeper,
            args=(stop, number),
        )
        st.button("Guess again", key="again", type="tertiary", on_click=story_view.forget, args=(number,))


def option(stop: StoryStop, i: int, guess: int | None) -> str:
    """An option after the guess: the right one and the guessed one say so."""
    right, guessed = i == stop.answer, i == guess
    mine = " · your guess" if guessed else ""
    kind = "right" if right else "guessed" if guessed else ""
    mark = "✓ " if right else "✗ " if guessed else ""
    return f"<li class='{kind}'>{mark}<bdi>{html.escape(stop.options[i])}</bdi>{mine}</li>"


def sentence(stop: StoryStop) -> str:
    """The text in boxes, the word that is asked about marked: as tokens, before they are asked about as written."""
    trace = session_runs.now()
    texts = trace.tokenization.text, trace.tokenization.pair
    words = [*trace.tokens] if stop.word is not None else " ".join(texts).split()
    if stop.masked and stop.word is not None:
        pieces = trace.tokenization.word_of(stop.word)
        words[stop.word : stop.word + len(pieces)] = [str(session_runs.text_encoder(state.current().model).mask_token)]
    boxes = [
        f"<div role='listitem' class='{'asked' if i == stop.word else ''}'>"
        f"<bdi>{html.escape(shown(word, 24))}</bdi></div>"
        for i, word in enumerate(words)
        if i < MOST_WORDS or i == stop.word
    ]
    more = f"<div role='listitem'>… {len(words) - len(boxes)} more</div>" if len(words) > len(boxes) else ""
    return f"<div class='tokens story' role='list'>{''.join(boxes)}{more}</div>"


def ending(guesses: dict[int, int | None]) -> None:
    """How many of the guesses were right, and where one can go from here; what was only shown is no guess."""
    stops = story_view.stops()
    guessed = [number for number, guess in guesses.items() if guess is not None]
    right = sum(guesses[number] == stops[number - 1].answer for number in guessed)
    sentence = "The end."
    if guessed:
        sentence += f" You got {right} of {len(guessed)}{'.' if len(guessed) == len(stops) else ' that you guessed.'}"
    st.success(f"{sentence} Type another sentence on top, and all twelve answers are new.", icon=":material/flag:")
    with st.container(horizontal=True, key="story_end"):
        for key, label in (("embedding", "Walk through every step"), ("lessons", "Go on with the lessons")):
            page = page_of(key)
            st.button(label, key=f"end_{key}", icon=page.icon, on_click=leave, args=(page.key,))


def leave(key: str) -> None:
    """Go to another page when the story has ended."""
    state.session().go_to = key


def draw_picture(trace: Trace, stop: StoryStop) -> None:
    """Draw it."""
    PICTURES[stop.picture](trace, stop)


BESIDE: tuple[PictureKind, ...] = ("tokens", "bars", "lines", "race")  # what has room beside the answer


def tokens(trace: Trace) -> None:
    """The text as tokens."""
    sections.draw_tokens(trace)
    st.caption(plain(explained(trace)))


def arcs(trace: Trace, stop: StoryStop) -> None:
    """Where the stop's head looks from the word, as arcs; a button opens the number that the answer says."""
    choices = state.current().choices
    view = replace(state.current(), choices=tuple(sorted({**dict(choices), WORD.key: str(stop.word)}.items())))
    answer = answer_of(ARCS, scene_of(view, ARCS.needs, session_runs.text_encoder, session_runs.run))
    scene, shares = answer.scene, answer.numbers.array.tolist()
    asked = words_to_look_from(scene)[scene[WORD]]
    story_arcs.draw(ARCS.key, names_drawn(scene), asked, shares, answer.title, answer.alt)
    keep.offer(answer)
    cell = Cell(f"layers.{scene.layer}.attention.weights", (scene.head, stop.word or 0, stop.seen or 0))
    st.button("How it was computed", key="story_number", type="tertiary", on_click=cell_links.open_number, args=(cell,))


def chart(trace: Trace, stop: StoryStop) -> None:
    """What the stop measures."""
    assert stop.values is not None, "a chart has values"
    show(STORY_PICTURE, known={story_of(ask_of(STORY_PICTURE)): story_view.stops()}, sentence=False)
    if stop.values.left_out:
        st.caption(plain(stop.values.left_out))


def heads(trace: Trace, stop: StoryStop) -> None:
    """All heads of the layer."""
    head_maps(STORY_HEADS)


def head_maps(picture: Picture) -> None:
    """All heads of the layer as small maps."""
    layer = show(picture, sentence=False, numbers=False).scene.layer
    st.caption(f"The heads of layer {layer}: rows look, columns are looked at.")


PICTURES: dict[PictureKind, Callable[[Trace, StoryStop], None]] = {
    "tokens": lambda trace, stop: tokens(trace),
    "arcs": arcs,
    "bars": chart,
    "lines": chart,
    "race": chart,
    "heads": heads,
}
