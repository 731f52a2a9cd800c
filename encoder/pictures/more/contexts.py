"""Contexts of an atlas: a token in its sentence, with what it looks at, its numbers, and the same run again."""

from collections.abc import Callable, Mapping, Sequence

from encoder.atlas.atlas_folders import FOLDER, shelf
from encoder.atlas.atlas_reader import Firing
from encoder.atlas.reruns import Absence, AtlasPart, Compared, absences, summed_up
from encoder.explain.cost import run_flops
from encoder.pictures.lab import Ask, MarkedLine, Note, Part, Piece, Switch, When
from encoder.pictures.picture import Answer
from encoder.pictures.registry.atlas import opened
from encoder.pictures.scene import ATLAS, Option, Scene, atlases, one_of
from encoder.support.formatting import percent, shown
from encoder.trace.tokens import Text, Tokens
from encoder.trace.trace import Trace

AROUND = 90  # characters on each side that are shown of a long sentence
BETWEEN = " / "  # the sentences of a pair
LARGEST = "the largest"
LISTS = (LARGEST, *(f"tenth {tenth}" for tenth in range(10, 0, -1)))
LIST = one_of("atlas_list", LISTS)
MAKE = "python -m encoder.atlas --model FOLDER --corpus text.txt --out my-atlas"
ELSEWHERE = f"""There is no atlas of this model here, and that of another model is not shown in its place. Make one of \
a text of yours, and start the app with {FOLDER} set to the folder:"""
NO_ATLAS: tuple[Part, ...] = (ELSEWHERE, Note("code", MAKE))
Compare = Callable[[Trace, Firing], list[Compared]]


def has_atlas(answer: Answer) -> bool:
    """Whether the model has an atlas."""
    return bool(atlases(answer.scene))


def which_atlas(answer: Answer) -> str:
    """What the atlas is of, and which were left out."""
    card = opened(answer.scene).card
    licence = f" Text: {card.licence}." if card.licence else ""
    refused = shelf(answer.scene.source).refused
    return f"On {card.scope}.{licence}{card.screened}" + "".join(
        f" An atlas is left out: {sentence}." for sentence in refused
    )


def atlas_name(scene: Scene, number: int) -> str:
    """What an atlas is called where there are several."""
    atlas = shelf(scene.source).atlases[number]
    return f"{number + 1} {atlas.folder.name}: {atlas.card.scope}"


CHOOSE_ATLAS = When(lambda answer: len(atlases(answer.scene)) > 1, (Ask("Atlas", ATLAS, "list", atlas_name),))


def pieces(tokens: Tokens, position: int, looks_at: int | None = None) -> tuple[Piece, ...]:
    """Return a sentence in pieces: the token is marked "at", what it looks at "key", and itself "both".

    Special tokens stand behind the sentence, the sentences of a pair one after the other.
    """
    marks = {position: "at"}
    if looks_at is not None:
        marks[looks_at] = "key" if looks_at != position else "both"
    inside = {i: mark for i, mark in marks.items() if i < len(tokens.spans) and not tokens.special[i]}
    texts = (tokens.text, tokens.pair) if any(tokens.segments) else (tokens.text,)
    in_text = list[Piece]()
    for side, text in enumerate(texts):
        places = sorted((tokens.spans[i], mark) for i, mark in inside.items() if tokens.segments[i] == side)
        in_text += [(BETWEEN, "")] * bool(side) + excerpt(text, places)
    for i, mark in marks.items():
        if i not in inside:
            in_text += [(" → ", ""), (name_of(tokens, i), mark)]
    return tuple(in_text)


def excerpt(text: str, places: Sequence[tuple[tuple[int, int], str]]) -> list[Piece]:
    """Return a sentence in pieces, of a long one what is around the stretches that are marked."""
    first = max(0, places[0][0][0] - AROUND) if places else 0
    last = places[-1][0][1] + AROUND if places else AROUND
    in_text: list[Piece] = [("… ", "")] if first else []
    end = first
    for (start, stop), mark in places:
        in_text += [(shorter(text[end:start]), ""), (text[start:stop], mark)]
        end = stop
    in_text.append((text[end:last] + (" …" if last < len(text) else ""), ""))
    return [piece for piece in in_text if piece[0]]


def name_of(tokens: Tokens, position: int) -> str:
    """Return a token that stands nowhere in the text."""
    return shown(tokens.tokens[position]) if position < len(tokens.tokens) else f"token {position}"


def shorter(text: str) -> str:
    """Return what is between two tokens that are far apart."""
    return text if len(text) <= 2 * AROUND else f"{text[:AROUND]} … {text[-AROUND:]}"


def lines(scene: Scene, firings: Sequence[Firing], described: Callable[[Firing], str]) -> list[MarkedLine]:
    """Return each context in its sentence, with its numbers; a press makes it the sentence of every page."""
    texts = texts_of(scene, firings)
    below = list[MarkedLine]()
    for firing in firings:
        text = texts[firing.sentence]
        sentence, second = (text, "") if isinstance(text, str) else text
        opens = Switch("Open it", False, {"sentence": sentence, "second": second, "edits": "", "cell": ""})
        in_text = pieces(scene.encoder.tokenize(text), firing.position, firing.looks_at)
        below.append(MarkedLine(in_text, described(firing), opens))
    return below


def verdicts(scene: Scene, firing: Firing, compare: Compare) -> str:
    """Return what a context says as it is stored, and run again now."""
    text = texts_of(scene, [firing])[firing.sentence]
    return " ".join(verdict.sentence for verdict in compare(scene.encoder.trace(text), firing))


def texts_of(scene: Scene, firings: Sequence[Firing]) -> Mapping[int, Text]:
    """Return the texts of contexts, by the number of the sentence."""
    return opened(scene).texts(sorted({firing.sentence for firing in firings}))


def placed(scene: Scene, firings: Sequence[Firing]) -> list[tuple[Text, int]]:
    """Return the texts of contexts, with the positions of their tokens."""
    texts = texts_of(scene, firings)
    return [(texts[firing.sentence], firing.position) for firing in firings]


def flops_without(scene: Scene, firings: Sequence[Firing]) -> float:
    """Operations of a run of each context, with a part and without it."""
    lengths = [len(scene.encoder.tokenize(text).ids) for text, _ in placed(scene, firings)]
    return sum(2 * run_flops(scene.config, n) for n in lengths)


def without(scene: Scene, firings: Sequence[Firing], part: AtlasPart) -> str:
    """Return what knocking a part out does at all contexts of a list, and at each."""
    effects = absences(scene.encoder, part, placed(scene, firings))
    each = "; ".join(f"{i}. {moved(absence)}" for i, absence in enumerate(effects, 1))
    return f"{summed_up(effects)} One by one: {each}."


def moved(absence: Absence) -> str:
    """Return what one context's token does without the part."""
    if absence.turned and absence.before and absence.after:
        return f"changes by {percent(absence.moved)}, “{absence.before[0]}” turns into “{absence.after[0]}”"
    return f"changes by {percent(absence.moved)}"


def listed(scene: Scene, top: Sequence[Firing], sample: Sequence[Firing]) -> list[Firing]:
    """Return the chosen list: the largest, or a tenth of all that were drawn evenly."""
    chosen = scene[LIST]
    if chosen == LARGEST:
        return list(top)
    return [firing for firing in sample if firing.decile == int(chosen.split()[1]) - 1]


def run_again(key: str, firings: Callable[[Scene], Sequence[Firing]]) -> Option:
    """Return the option of which context of a list is run again; "none" of them."""
    return Option(key, lambda scene: ["none", *range(1, len(firings(scene)) + 1)], lambda scene: "none")
