"""More of Compare, which the browser draws: how far two runs are apart, a word in many sentences, patches, a cosine."""

import streamlit as st

from encoder.experiments.attributions.similarity import LONGEST, Centred, centred, likeness
from encoder.experiments.attributions.similarity import MOST as MOST_SENTENCES
from encoder.experiments.attributions.similarity import alike as alike_sentences
from encoder.experiments.attributions.similarity import lines as lines_of
from encoder.experiments.compare import aligned_tokens, first_difference, patch_sweep
from encoder.explain.cost import run_flops
from encoder.metrics import SENTENCES
from encoder.pictures.expression import ENC
from encoder.pictures.registry.compare import (
    APART,
    FOLLOW,
    FOLLOWED,
    PATCH,
    PATCH_HEADS,
    PATCH_STEP,
    PATCHED,
    WEIGHTS_A,
    WEIGHTS_B,
    patched_heads,
    same_words,
    shown_head,
    spell,
    swept,
)
from encoder.pictures.registry.compare_sentences import (
    AFTER,
    ALL_ALIKE,
    COSINE_SHARES,
    LESS,
    LIST,
    MOST,
    PLAIN,
    SENTENCE_LIST,
    SET,
    TWO,
    VECTORS,
    WORD,
    WORD_MAP,
    WORD_MEANS,
    alike_of_list,
    pair_name,
    texts_of_list,
    whole,
    with_word,
)
from encoder.pictures.registry.side_by_side_pictures import BESIDE_A, BESIDE_B, BESIDE_CHANGE
from encoder.pictures.scene import NO_PREFIX, PREFIX_A, PREFIX_B, Scene
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, listed, shown
from pages.ui import session_runs
from pages.ui.picture_view import ask, show, tabs, tie
from pages.ui.server import jobs, offered_models
from pages.ui.state import session_state as state
from pages.ui.step import side_by_side, sweep
from pages.ui.text import plain, say
from pages.ui.widgets import fold


def draw_two_runs() -> None:
    """How far the vectors of both runs are apart, one word of both, and any step of both."""
    try:
        load_model()
    except EncoderError as error:
        st.markdown(plain(f"Model B cannot be shown: {error}."))
        return
    scene = ask(APART)
    a, b = scene.t, scene.b
    pairs = aligned_tokens(a, b)
    unlike = (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model)
    if unlike or all(p.a is None or p.b is None for p in pairs):
        why = "These models differ in layers or width" if unlike else "No word of A stands beside one of B"
        st.markdown(f"{why}, so their vectors are not subtracted; the weights of both can be looked at.")
        draw_two_shapes(scene)
        return
    part = first_difference(a, b)
    say(f"The words that both share first part at {part}." if part else "No number differs.")
    show(APART, scene=scene)
    draw_followed_word(scene)
    pictures = {"A": BESIDE_A, "B": BESIDE_B, "B minus A": BESIDE_CHANGE}
    fold(
        "Any step of both, side by side",
        "beside_open",
        lambda: side_by_side.draw(scene, pictures),
        holds={"beside_step"},
    )


def load_model() -> None:
    """Load the model of run B; EncoderError if it cannot be had."""
    view = state.current()
    if view.other_model:
        offered_models.remember(view.other_model)
    session_runs.text_encoder(view.other_model or view.model)


def draw_followed_word(scene: Scene) -> None:
    """One word that stands in both runs, layer by layer, and beside it the first that was changed."""
    if same := same_words(scene):
        names = [f"{pair.a} {spell(scene.t, pair.a)}" for pair in same]
        st.selectbox("Follow the word", range(len(same)), format_func=names.__getitem__, **tie(FOLLOW, scene))
        show(FOLLOWED, scene=scene)


def draw_two_shapes(scene: Scene) -> None:
    """The weights of one head of each, of the chosen layer and head or the last that its model has."""
    for name, run, picture in (("A", scene.t, WEIGHTS_A), ("B", scene.b, WEIGHTS_B)):
        layer, head = shown_head(run, scene)
        st.markdown(f"**{name}: {plain(run.source.name)}, layer {layer}, head {head}**")
        show(picture, scene=scene)


def draw_one_word() -> None:
    """The sentences, the word, and its cosines between them."""
    scene = ask(WORD_MAP)
    st.text_area(f"Up to {MOST} sentences, one in a line", max_chars=4000, height=130, **tie(SET, scene))
    st.text_input("Word", max_chars=40, **tie(WORD, scene))
    try:
        held = with_word(scene)
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    if any(len(pieces) > 1 for _, pieces in held):
        st.caption("The model reads this word in pieces; the vectors are those of the first.")
    known = {ENC.trace(text.text): session_runs.run(scene.view.model, text.text) for text, _ in held}
    assert AFTER.offered is not None
    st.select_slider("After", AFTER.offered(scene), **tie(AFTER, scene))
    show(WORD_MAP, known=known)
    show(WORD_MEANS, known=known, more="At the input only the position tells its vectors apart.")


def draw_patch() -> None:
    """What is patched, the way to run it, and what came back."""
    scene = ask(PATCH)
    view, a, b = scene.view, scene.t, scene.b
    st.markdown(plain(f"A is “{shown(a.text, 80)}”, B is “{shown(b.text, 80)}” in the same model."))
    if len(a.tokens) != len(b.tokens):
        st.markdown(f"A has {len(a.tokens)} tokens and B has {len(b.tokens)}; a patch needs the same number.")
        return
    choose_patch(scene)
    scene = ask(PATCH)
    step, heads = scene[PATCH_STEP], patched_heads(scene)
    asked = (view.model, a.inputs, b.inputs, view.hidden, view.edits, step, heads)
    try:
        result = sweep.follow(
            "patch", asked, lambda: patch_sweep(scene.encoder, a, b, step, heads=heads), "Patch every place in turn"
        )
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    if result is not None:
        show(PATCH, scene=scene, known={swept(scene): result})


def choose_patch(scene: Scene) -> None:
    """The step that is patched, and which of its heads; none stands for all."""
    step = st.selectbox("Step", PATCHED, **tie(PATCH_STEP, scene))
    if step == "attention.heads":
        every = range(scene.encoder.config.n_heads)
        st.pills("Heads", every, selection_mode="multi", **tie(PATCH_HEADS, scene))


def draw_alike() -> None:
    """The sentences on top of the page, or a list of them."""
    parts = (TWO, LIST)
    choice = state.choice("alike_part", parts, TWO)
    if st.pills("Sentences", parts, required=True, label_visibility="collapsed", **choice) == LIST:
        draw_list()
    else:
        draw_two_sentences()


def draw_two_sentences() -> None:
    """The prefixes, and what the two sentences have in common."""
    scene = ask(COSINE_SHARES)
    if prompts := scene.encoder.prompts:
        with st.container(horizontal=True):
            for name, option in (("A", PREFIX_A), ("B", PREFIX_B)):
                st.pills(f"Prefix of {name}", [*prompts, NO_PREFIX], required=True, **tie(option, scene))
        run = session_runs.now()
        if scene[PREFIX_A] != NO_PREFIX and not run.tokenization.pair and (run.hidden or run.edits):
            st.caption("Behind a prefix every token stands elsewhere, so masks and changes are not made here.")
    draw_cosine()


HOW = {
    None: "This model was given no way to make one vector of a sentence; the mean over its tokens is taken.",
    "mean": "Its vector is the mean over the tokens.",
    "mean_sqrt_len": "Its vector is the sum over the tokens, divided by the square root of their number.",
    "max": "Its vector has, in each dimension, the largest number of any token: that token alone gets the share.",
    "cls": "Its vector is that of the first token alone.",
}


def draw_cosine() -> None:
    """The number, how it is shared out, and what the mean of other sentences has to do with it."""
    choose_vectors(scene := ask(COSINE_SHARES))
    a, b = scene.t, scene.b
    if scene.encoder.config.pooling == "cls":  # a matrix of tokens has one cell; this is what it gathered
        show(
            COSINE_SHARES,
            scene=scene,
            more="One token stands for the sentence: a row is what the last layer's heads gathered for it from a "
            "token, what it was before that layer, or another part of it.",
        )
        return
    shared = centred(a, b, session_runs.mean_vector()) if scene[VECTORS] == LESS else likeness(a, b)
    words = brief(shared.between_words(a, b))
    more = plain(f"Pairs of words alone add up to {words}, pairs with a special token to the rest.")
    show(COSINE_SHARES, scene=scene, known={whole(scene): shared}, more=more)
    st.caption(
        "A row or column is the vector at that position, which has gathered from its whole sentence, and not the word "
        "alone. Vectors of a model that was not trained to compare sentences share a large part whatever they say."
    )
    if isinstance(shared, Centred):
        say_terms(shared, likeness(a, b).cosine)


def choose_vectors(scene: Scene) -> None:
    """Say what the vector of a sentence is, and offer to take the mean of many sentences off it.

    Where one token stands for the sentence that is not offered: what the token gathered has no share in such a mean.
    """
    pooling, similarity = scene.encoder.config.pooling, getattr(scene.encoder.sentence, "similarity", "cosine")
    other = "" if similarity == "cosine" else f" The folder itself compares by “{similarity}”, not by the cosine."
    st.caption(HOW[pooling] + plain(other))
    if pooling != "cls":
        st.pills("Vectors", (PLAIN, LESS), required=True, **tie(VECTORS, scene))


def say_terms(shares: Centred, cosine: float) -> None:
    """What taking the mean of many sentences off both vectors does to their cosine."""
    terms = listed([f"{name} {value:.4f}" for name, value in shares.terms.items()])
    say(
        f"Four terms of (a - m) · (b - m) make it: {terms}. As they are the vectors have {cosine:.4f}.",
        plain(
            f"a and b are the two vectors, m is the mean of {len(SENTENCES)} sentences; each term is over the lengths "
            "of a - m and b - m. m · m is what all sentences have in common, and says nothing of these two. This is "
            "another number, and no correction of the first."
        ),
    )


def draw_list() -> None:
    """The list, its matrix, and the way to one pair of it."""
    scene = ask(ALL_ALIKE)
    label = f"Sentences, one in each line (2 to {MOST_SENTENCES}, each of {LONGEST} characters or less)"
    st.text_area(label, height=150, max_chars=8000, **tie(SENTENCE_LIST, scene))
    try:
        sentences = lines_of(scene[SENTENCE_LIST])
    except EncoderError as error:
        st.markdown(plain(f"{error}."))
        return
    encoder, texts = scene.encoder, texts_of_list(scene)
    flops = sum(run_flops(encoder.config, len(encoder.tokenize(text).ids)) for text in texts)
    jobs.ask("alike_list", flops / jobs.SPEED, "Run all of them")
    listed = alike_sentences([session_runs.run(scene.view.model, text) for text in texts])

    def open_pair(row: int, column: int) -> None:
        if max(row, column) < len(sentences):
            state.change(sentence=sentences[row], other=sentences[column], second="", hidden=(), cell=None)
            state.remember("alike_part", TWO, None)

    i, j = listed.odd
    more = "more" if listed.cosines[i, j] > listed.expected[i, j] else "less"
    odd = (
        f"The odd pair is {pair_name(listed, (i, j))}: {more} alike than the two are to the others, which would make "
        f"{float(listed.expected[i, j]):.3f}."
    )
    show(ALL_ALIKE, known={alike_of_list(scene): listed}, more=plain(odd), take=open_pair, mark=(i, j))
    st.button(f"Open the odd pair, {i + 1} and {j + 1}", key="open_odd", on_click=open_pair, args=(i, j))


PARTS = {
    "Two runs": draw_two_runs,
    "One word in many sentences": draw_one_word,
    "Patch": draw_patch,
    "Alike?": draw_alike,
}


def draw() -> None:
    """Draw the page."""
    tabs(PARTS, "compare_part")
