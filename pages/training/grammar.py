"""Grammar is born: when heads begin to look at words, when they beat simple rules, and what is guessed then."""

from dataclasses import replace
from typing import Any

import streamlit as st

from encoder.exam.exam_sentences import text
from encoder.exam.moments import PERMUTED, Moments, moments_file, trees_of
from encoder.exam.rise import EXAMPLES, KEYS, Rise, headline, passing, relations_of, rise, under, who, whole
from encoder.experiments.circuit.circuit_moments import shipped_trainings
from encoder.explain.cost import size
from encoder.pictures.ask import FOLDER, MOMENT, in_examined
from encoder.pictures.picture import Answer
from encoder.pictures.registry.grammar_pictures import (
    FORMS,
    GRAMMAR,
    GRAMMAR_ARCS,
    GRAMMAR_CIRCUIT,
    GRAMMAR_FILM,
    GRAMMAR_GUESS,
    GRAMMAR_HEADS,
    GUESSED,
    LONGEST,
    RELATION,
    SENTENCE,
    TREES,
    WORD,
    arcs,
    asks_gap,
    heads_of,
    is_marked,
    moments_of,
    place,
    position,
)
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from encoder.tasks.kept_moments import GapMoments, WordMoments
from pages.ui import session_runs
from pages.ui.components import film_component
from pages.ui.downloads import keep
from pages.ui.frame import page_run
from pages.ui.frame.page_header import page_header
from pages.ui.picture_view import answer_of, show, tie
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import plain, say, subheading
from pages.ui.widgets import fold


def draw() -> None:
    """The finding, the curves with the guesses beside them, the sentence, and all heads."""
    scene = filmed()
    moments = moments_of(scene)
    relations = relations_of(moments)
    curves = [(EXAMPLES[relation].title, rise(moments, relation)) for relation in relations]
    chosen = relations.index(scene[RELATION])
    chosen_curve = curves[chosen][1]
    rises = chosen_curve.leaves is not None
    start = (chosen_curve.begins or chosen_curve.leaves or 0) if rises else len(chosen_curve.steps) - 1
    page_header(plain(headline(chosen_curve, moments.model)))
    curve, moved, among = (answer_of(picture, scene=scene) for picture in (GRAMMAR, GRAMMAR_ARCS, GRAMMAR_HEADS))
    with st.container(key="film_first"):
        left, right = st.columns([2, 1], gap="medium")
    with left:
        first = st.container()
        st.caption(plain(f"{passing(chosen_curve)} {under(chosen_curve, text(moments.treebank))} {model_shown(scene)}"))
        choose_film(scene)
        beside = choose_beside(scene)
        with first:
            film_component.draw_curves(
                GRAMMAR.key, curves, chosen, curve.alt, start, walk_to, lambda i: choose_curve(relations[i]), beside
            )
    pictures = {"The curves": curve, "The arcs": moved, "As a film": answer_of(GRAMMAR_FILM, scene=scene)}
    if moments.agreement.made:
        pictures["The guesses"] = guess = answer_of(GRAMMAR_GUESS, scene=scene)
        guessed: GapMoments = guess.value(GUESSED)
        with right:
            film_component.draw_guess(GRAMMAR_GUESS.key, chosen_curve.steps, guessed, FORMS, KEYS, guess.alt, start)
    arcs_of_words: WordMoments = moved.value(arcs(scene))
    draw_sentence(scene, chosen_curve, arcs_of_words, who(place(scene), moments.model), start)
    known = shipped_trainings().get(scene.source.fingerprint)
    if known and known.constructed.steps == chosen_curve.steps:
        draw_circuit(scene)
    fold("Which heads take part", "born_heads", lambda: draw_heads(moments, heads_of(scene), start, among))
    for answer in pictures.values():
        keep.offer(answer)


def filmed() -> Scene:
    """What the pictures are asked of: the chosen model where its training was examined, else the bundled one."""
    model = in_examined(state.current().model, session_runs.text_encoder)
    return Scene(replace(state.current(), model=model), session_runs.text_encoder(model))


def model_shown(scene: Scene) -> str:
    """Which model it is, and why it is not the one in the bar."""
    name = moments_of(scene).model
    shown = f"This is {name}, {size(scene.encoder.config).parameters / 1e6:.1f} M parameters"
    model = state.current().model
    if model == scene.view.model:
        return f"{shown}."
    if model.startswith(MOMENT):
        return f"{shown}, at all its moments; the bar says {offered_models.offer(model).label}."
    return f"{shown}, while the bar says {offered_models.offer(model).label}, whose training was not examined."


def walk_to(step: int) -> None:
    """Go to the attention of the model as it was at a step, on the sentence of the film."""
    scene = filmed()
    page_run.show_model(f"{MOMENT}{scene.view.model},{step}")
    layer, head = place(scene)
    state.change(
        sentence=EXAMPLES[scene[RELATION]].sentence if is_marked(scene) else scene[SENTENCE],
        second="",
        hidden=(),
        edits=(),
        layer=layer,
        head=head,
    )
    state.remember("word", position(scene), None)
    state.session().go_to = page_of("attention").key


def choose_curve(relation: str) -> None:
    """Take the relation whose curve was chosen by its name; the word that was tapped is of another sentence."""
    state.remember(RELATION.key, relation, None)
    state.remember(WORD.key, None, None)


def choose_film(scene: Scene) -> None:
    """The relation, the sentence, and the trees where there are several."""
    titles = {relation: EXAMPLES[relation].title for relation in relations_of(moments_of(scene))}
    with st.container(horizontal=True, vertical_alignment="center", key="film_choices"):
        st.pills(
            "Relation",
            list(titles),
            required=True,
            format_func=titles.__getitem__,
            label_visibility="collapsed",
            width="content",
            **anew(tie(RELATION, scene)),
        )
        st.text_input(
            "A sentence of yours",
            max_chars=LONGEST,
            placeholder=EXAMPLES[scene[RELATION]].sentence,
            label_visibility="collapsed",
            **anew(state.choice(SENTENCE.key, None, "")),
        )
        if len(trees := trees_of(scene.encoder)) > 1:
            names = {PERMUTED: "control: trees of other sentences"}
            st.pills(
                "Counted on",
                trees,
                required=True,
                label_visibility="collapsed",
                width="content",
                format_func=lambda name: names.get(name, text(name)),
                **tie(TREES, scene),
            )


def anew(tied: dict[str, Any]) -> dict[str, Any]:
    """What ties a widget to the link, and forgets the word that was tapped: it is of another sentence."""

    def take() -> None:
        tied["on_change"]()
        state.remember(WORD.key, None, None)

    return {**tied, "on_change": take}


def examined() -> list[str]:
    """The models that this session can choose from whose training was examined."""
    models_examined = ["small"]
    for name in state.session().own_models:
        try:
            if name.startswith(FOLDER) and moments_file(offered_models.place(name)).is_file():
                models_examined.append(name)
        except EncoderError:  # its folder is gone
            continue
    return models_examined


def choose_beside(scene: Scene) -> tuple[str, Rise] | None:
    """Another training to be shown beside, where there is one, with its name; None where none is chosen."""
    others = [name for name in examined() if name != scene.view.model]
    if not others:
        return None
    names = {"": "alone"} | {name: f"beside {offered_models.offer(name).label}" for name in others}
    tie = state.choice("born_beside", list(names), "")
    other = st.pills(
        "Beside another training",
        list(names),
        required=True,
        label_visibility="collapsed",
        width="content",
        format_func=lambda name: plain(names[name]),
        **tie,
    )
    if not other or in_examined(other, session_runs.text_encoder) != other:
        return None
    beside = moments_of(Scene(scene.view, session_runs.text_encoder(other)))
    if scene[RELATION] not in relations_of(beside):
        st.caption("The other training was not asked this.")
        return None
    curve = rise(beside, scene[RELATION])
    st.caption(plain(f"Beside it {beside.model}. {whole(curve, beside.model)}"))
    return beside.model, curve


MOST_WORDS = 40  # of a sentence that are drawn


def draw_sentence(scene: Scene, curve: Rise, seen: WordMoments, name: str, start: int) -> None:
    """The arcs in the sentence, and what is known of it."""
    word = min(scene[WORD], len(seen.words) - 1, MOST_WORDS - 1)
    example, marked = EXAMPLES[curve.relation], is_marked(scene)
    gold = (seen.words.index(example.source), seen.words.index(example.target)) if marked else None
    film_component.draw_arcs(GRAMMAR_ARCS.key, curve.steps, seen, MOST_WORDS, word, gold, name, start, take_word)
    notes = [
        "Dotted: what is right, marked by hand."
        if marked
        else "Nobody marked the grammar of this sentence, so it is not said which answer is right."
    ]
    if curve.place is None:
        notes.append(f"Agreement is the work of the whole model; the arcs are of {name}, which finds the subject best.")
    if example.sentence == KEYS and not asks_gap(scene):
        notes.append(
            f"It has no {scene.encoder.mask_token}, so no verb is masked in it: choose from which word to look."
        )
    if left := max(0, len(seen.words) - MOST_WORDS):
        notes.append(f"The last {left:,} words are not drawn.")
    if seen.left_out:
        notes.append("The sentence is longer than the model reads; its end is left out.")
    st.caption(plain(" ".join(notes)))


def draw_circuit(scene: Scene) -> None:
    """What the heads carry that bring the number of the subject to the verb, over the same steps."""
    subheading("What carries the number of the subject to the verb")
    left, right = st.columns([2, 1], gap="medium")
    with left:
        answer = show(GRAMMAR_CIRCUIT, scene=scene, sentence=False, numbers=False)
    with right:
        say(answer.sentence)
        st.caption(
            plain(
                "Constructed pairs such as “The key near the garden [MASK] old.” and “The keys …”: how much of the "
                "change between “is” and “are” comes when what these heads write at the gap is taken from the other "
                "sentence. This way is used; it need not be the only one. That grammar comes in a short stretch of "
                "training was found by Chen et al. 2023 (arXiv 2309.07311)."
            )
        )


def draw_heads(moments: Moments, relation: str, start: int, answer: Answer) -> None:
    """All heads at the relation, with what the marks mean."""
    say(answer.sentence)
    st.caption(
        "A curve for each head over the same steps, from 0 to 100 %; dotted is the best simple rule. A dot marks a "
        "step at which that head was the best of all; the frame is around the head that is best at the end, chosen on "
        "the sentences that are counted here. On sentences that did not choose it, Heads says whether it passed."
    )
    film_component.draw_heads(GRAMMAR_HEADS.key, moments, relation, start)
    keep.offer(answer)


def take_word(word: int) -> None:
    """Remember the word that was tapped."""
    state.remember(WORD.key, word, None)
