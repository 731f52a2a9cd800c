"""Grammar on film: where a head looks in the bar's sentence as it is trained, what is guessed then, and all curves."""

from dataclasses import replace
from typing import Any

import streamlit as st

from encoder.exam.exam_sentences import text
from encoder.exam.links import JUDGED
from encoder.exam.moments import PERMUTED, moments_file, trees_of
from encoder.exam.relation_curve import (
    EXAMPLES,
    RelationCurve,
    headline,
    passing,
    relation_curve,
    relations_of,
    under,
    who,
)
from encoder.experiments.circuit.circuit_moments import TrainingCircuit, shipped_trainings
from encoder.packet.shipped import SENTENCES
from encoder.pictures.ask import FOLDER, MOMENT, in_examined
from encoder.pictures.expression import call
from encoder.pictures.picture import Answer
from encoder.pictures.registry.grammar_pictures import (
    GRAMMAR,
    GRAMMAR_ARCS,
    GRAMMAR_CIRCUIT,
    GRAMMAR_FILM,
    GRAMMAR_GUESS,
    GRAMMAR_HEADS,
    MOMENTS,
    RELATION,
    TREES,
    WORD,
    arcs,
    head_circuit,
    is_marked,
    moments_of,
    place,
    position,
    sentence,
)
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from encoder.support.formatting import listed
from encoder.tasks.kept_moments import WordMoments, gap_moments, typed_words
from pages.ui import session_runs
from pages.ui.components import film_component as film
from pages.ui.frame import page_run
from pages.ui.frame.page_header import page_header
from pages.ui.picture_view import answer_of, show, tie
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.text import plain
from pages.ui.widgets import fold

CARRIED, BESIDE = "born_carried", "born_beside"
CARRY = "carried to the verb"
# What a session has without having typed it: the example of the chosen curve stands in its place.
OFFERED = {*SENTENCES, *(example.sentence for example in EXAMPLES.values())}
HOW_CARRIED = (
    "Carried is how much of the change between “is” and “are” comes when what these heads write at the gap is taken "
    "from the other sentence of a pair, such as “The key near the garden [MASK] old.” and “The keys …”. This way is "
    "used; it need not be the only one. That grammar comes in a short stretch of training was found by Chen et al. "
    "2023 (arXiv 2309.07311)."
)
MOST_WORDS = 80  # of a sentence that are drawn
NEAR = 60  # letters on each side of a gap that are written


def draw(above: Any) -> None:
    """The finding `above`, the sentence with its guesses, the axis and the curves; how it was measured is folded."""
    keep_up()
    scene = filmed()
    moments, circuit = moments_of(scene), circuit_of(scene)
    relations = relations_of(moments)
    curves = {EXAMPLES[relation].title: relation_curve(moments, relation) for relation in relations}
    curve = curves[EXAMPLES[scene[RELATION]].title]
    main, moved = (answer_of(picture, scene=scene) for picture in (GRAMMAR, GRAMMAR_ARCS))
    saved = {"The curves": main, "The arcs": moved, "All moments": answer_of(GRAMMAR_FILM, scene=scene)}
    if moments.agreement.made:
        saved["“is” or “are”"] = answer_of(GRAMMAR_GUESS, scene=scene)
    model = f"the {moments.model} model"
    finding = headline(curve, f"a head of {model}" if curve.place else model)
    if circuit and carried(circuit):
        main = answer_of(GRAMMAR_CIRCUIT, scene=scene)
        saved, finding = saved | {"The curves": main}, head_circuit(circuit)
    with above:
        page_header(plain(finding), save=saved)
    draw_film(scene, curves, curve, circuit, moved, main.alt)
    fold("More", "born_more", lambda: draw_more(scene, curve, circuit))


def keep_up() -> None:
    """Bring the curve's example into the bar of who comes with no own sentence; forget what was tapped in another."""
    here, view = state.session(), state.current()
    run, before = here.filmed
    if run != here.runs - 1 and bring_example():
        here.filmed = here.runs, state.current().sentence
        st.rerun()
    if run >= 0 and before != view.sentence:
        state.remember(WORD.key, None, None)
    here.filmed = here.runs, view.sentence


def bring_example() -> bool:
    """Put the example of the chosen curve where a sentence stands that nobody typed; whether that is another one."""
    example = EXAMPLES[filmed()[RELATION]].sentence
    if state.current().second or state.current().sentence not in OFFERED - {example}:
        return False
    show_example()
    return True


def show_example() -> None:
    """Put the example of the chosen curve into the bar."""
    state.change(sentence=EXAMPLES[filmed()[RELATION]].sentence, second="", hidden=(), edits=())
    state.remember(WORD.key, None, None)


def filmed() -> Scene:
    """What the pictures are asked of: the chosen model where its training was examined, else the bundled one."""
    model = in_examined(state.current().model, session_runs.text_encoder)
    return Scene(replace(state.current(), model=model), session_runs.text_encoder(model))


def circuit_of(scene: Scene) -> TrainingCircuit | None:
    """What heads carry over this training; None where that was not measured at the same moments."""
    known = shipped_trainings().get(scene.source.fingerprint)
    return known if known and known.constructed.steps == list(moments_of(scene).right) else None


def carried(circuit: TrainingCircuit | None) -> bool:
    """Whether the curve of what heads carry is the chosen one."""
    return circuit is not None and dict(state.current().choices).get(CARRIED) == "1"


def draw_film(
    scene: Scene,
    curves: dict[str, RelationCurve],
    curve: RelationCurve,
    circuit: TrainingCircuit | None,
    moved: Answer,
    label: str,
) -> None:
    """The picture: it moves in the browser alone."""
    relations, steps = [rising.relation for rising in curves.values()], curve.steps
    lines = [film.line(title, list(rising.shares.values())) for title, rising in curves.items()]
    dashed = [film.line(f"this head looks {curve.fixed_name}", list(curve.near.values()))] if curve.near else []
    if circuit:
        of, names = circuit.constructed.lines, [who(at, circuit.model) for at in circuit.heads]
        lines.append(film.line(CARRY, of[-1].tolist()))
        if carried(circuit):
            dashed = [film.line(name, shares.tolist()) for name, shares in zip(names, of, strict=False)]
    chosen = len(relations) if carried(circuit) else relations.index(curve.relation)
    start = len(steps) - 1 if carried(circuit) else curve.leaves or len(steps) - 1
    seen: WordMoments = moved.value(arcs(scene))
    words, example = seen.words[:MOST_WORDS], EXAMPLES[curve.relation]
    key = GRAMMAR.key
    film.draw(
        "film",
        key,
        {
            "steps": steps,
            "curves": lines,
            "chosen": chosen,
            "unit": "carried" if carried(circuit) else "right",
            "lines": [] if carried(circuit) else film.rules(curve),
            "dashed": dashed,
            "beside": of_other(scene),
            **film.of_words(seen, MOST_WORDS),
            "gaps": [word == scene.encoder.mask_token for word in words],
            "special": specials(scene),
            "from": min(scene[WORD], len(words) - 1),
            "gold": (words.index(example.source), words.index(example.target)) if is_marked(scene) else None,
            "typed": scene.view.sentence not in OFFERED,
            "who": "Head {1} of layer {0}.".format(*place(scene)),
            "note": " ".join(notes(scene, curve, seen)),
            "guess": guesses(scene, seen, moved),
            "start": start,
            "label": label,
        },
        on_word_change=lambda: film.picked(key, "word", range(len(words)), take_word),
        on_curve_change=lambda: film.picked(key, "curve", range(len(lines)), lambda i: choose_curve(relations, i)),
        on_example_change=lambda: film.picked(key, "example", range(1), lambda _: show_example()),
        on_walk_change=lambda: film.picked(key, "walk", steps, walk_to),
    )


def specials(scene: Scene) -> str:
    """The tokens of the sentence that no word was typed for, in words."""
    pieces = scene.encoder.tokenize(sentence(scene))
    return listed(list(dict.fromkeys(pieces.tokens[i] for i, own in enumerate(pieces.special) if own))) or "no word"


def notes(scene: Scene, curve: RelationCurve, seen: WordMoments) -> list[str]:
    """What must be known of what is drawn beside that."""
    sentences = []
    if scene.view.model != state.current().model and not state.current().model.startswith(MOMENT):
        asked = offered_models.offer(state.current().model).label.partition(":")[0]
        sentences.append(f"“{asked}” was not filmed: this is “{moments_of(scene).model}”.")
    if curve.place is None:
        sentences.append("No head does this alone: this one finds the subject best.")
    if left := max(0, len(seen.words) - MOST_WORDS):
        sentences.append(f"The last {left:,} words are not drawn.")
    if seen.left_out:
        sentences.append("The sentence is longer than the model reads; its end is left out.")
    return sentences


def guesses(scene: Scene, seen: WordMoments, moved: Answer) -> dict[str, Any] | None:
    """What is guessed at the gap, or at the word that is looked at most, which is hidden then; None of no guesses."""
    encoder, asked = scene.encoder, min(scene[WORD], len(seen.words) - 1)
    whole, mask = sentence(scene), encoder.mask_token
    pieces = encoder.tokenize(whole)
    hidden, gap = "", 0
    if not mask or not encoder.config.mlm_head:
        return None
    if mask in seen.words:
        gap = seen.words[:asked].count(mask) if seen.words[asked] == mask else 0
    else:
        shares = seen.weights[-1, asked].tolist()
        named = [i for i, word in enumerate(seen.words) if i != asked and any(c.isalnum() for c in word)]
        most = max(named or range(len(shares)), key=shares.__getitem__)
        hidden, whole = seen.words[most], pieces.replaced(pieces.words[typed_words(encoder, pieces)[most]], mask)
    pieces = encoder.tokenize(whole)
    gaps = [span for span, token in zip(pieces.spans, pieces.tokens, strict=True) if token == mask]
    if gap >= len(gaps):
        return None
    first, last = gaps[gap]
    before, after = pieces.text[:first], pieces.text[last:]
    before = before if len(before) <= NEAR else f"… {before[-NEAR:].partition(' ')[2]}"
    after = after if len(after) <= NEAR else f"{after[:NEAR].rpartition(' ')[0]} …"
    return film.of_guesses(moved.value(call(gap_moments, MOMENTS, whole, [], gap)), hidden, (before, after))


def walk_to(step: int) -> None:
    """Go to the attention of the model as it was at a step: this sentence, from the same word, the same head."""
    scene = filmed()
    page_run.show_model(f"{MOMENT}{scene.view.model},{step}")
    layer, head = place(scene)
    state.change(second="", hidden=(), edits=(), layer=layer, head=head)
    state.remember("word", position(scene), None)
    state.session().go_to = page_of("attention").key


def choose_curve(relations: list[str], index: int) -> None:
    """Take the curve of that number, and its example where the sentence is not one's own."""
    state.remember(CARRIED, index == len(relations), False)
    state.remember(RELATION.key, (*relations, JUDGED)[index], None)
    bring_example()


def take_word(word: int) -> None:
    """Remember the word that was tapped."""
    state.remember(WORD.key, word, None)


def draw_more(scene: Scene, curve: RelationCurve, circuit: TrainingCircuit | None) -> None:
    """How it was measured, on which trees, beside which other training; and all heads."""
    moments = moments_of(scene)
    st.markdown("**How this was measured**")
    st.markdown(plain(f"{passing(curve)} {under(curve, text(moments.treebank))}"))
    if circuit:
        st.markdown(plain(f"{answer_of(GRAMMAR_CIRCUIT, scene=scene).sentence} {HOW_CARRIED}"))
    if len(trees := trees_of(scene.encoder)) > 1:
        names = {PERMUTED: "control: trees of other sentences"}
        st.pills(
            "Counted on",
            trees,
            required=True,
            format_func=lambda name: names.get(name, text(name)),
            **tie(TREES, scene),
        )
    if others := others_of(scene):
        names = {"": "alone"} | {name: offered_models.offer(name).label for name in others}
        st.pills(
            "Beside another training",
            list(names),
            required=True,
            format_func=lambda name: plain(names[name]),
            **state.choice(BESIDE, list(names), ""),
        )
    if beside := risen_beside(scene):
        st.markdown(
            plain(f"Beside it {beside[0]}. {headline(beside[1], who(beside[1].place, beside[0]))} {passing(beside[1])}")
        )
    show(GRAMMAR_HEADS, scene=scene)


def others_of(scene: Scene) -> list[str]:
    """The other models that this session can choose from whose training was examined."""
    examined = ["small"]
    for name in state.session().own_models:
        try:
            if name.startswith(FOLDER) and moments_file(offered_models.place(name)).is_file():
                examined.append(name)
        except EncoderError:  # its folder is gone
            continue
    return [name for name in examined if name != scene.view.model]


def risen_beside(scene: Scene) -> tuple[str, RelationCurve] | None:
    """The same curve of another training, where one is chosen that was asked it, with its name."""
    other = dict(state.current().choices).get(BESIDE, "")
    if other not in others_of(scene) or in_examined(other, session_runs.text_encoder) != other:
        return None
    beside = moments_of(Scene(scene.view, session_runs.text_encoder(other)))
    return (beside.model, relation_curve(beside, scene[RELATION])) if scene[RELATION] in relations_of(beside) else None


def of_other(scene: Scene) -> dict[str, Any] | None:
    """The curve of another training as the film has it."""
    beside = risen_beside(scene)
    if beside is None:
        return None
    name, curve = beside
    return film.line(name, list(curve.shares.values())) | {"steps": curve.steps}
