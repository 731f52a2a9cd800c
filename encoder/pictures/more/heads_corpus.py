"""More of Heads over a whole corpus: contexts of the chosen one, from kind to kind, a word, and vectors nearby."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import torch

from encoder.atlas import reruns
from encoder.atlas.atlas_reader import Firing
from encoder.atlas.pairs import MEANINGS
from encoder.atlas.reruns import AtlasPart
from encoder.atlas.searching import (
    PLACE,
    NearToken,
    WordHead,
    WordUnit,
    heads_between,
    heads_from,
    nearest_outputs,
    nearest_tokens,
    units_on,
)
from encoder.pictures.lab import Ask, Long, MarkedLine, MarkedLines, Note, Part, Show, Table, When
from encoder.pictures.more import contexts
from encoder.pictures.more.contexts import CHOOSE_ATLAS, LIST, NO_ATLAS, has_atlas
from encoder.pictures.picture import Answer
from encoder.pictures.registry.atlas import (
    ATLAS_DECILES,
    ATLAS_HEADS,
    ATLAS_PAIRS,
    BY,
    END,
    KNOWN,
    START,
    TITLES,
    TO_THE_RIGHT,
    UP,
    measures,
    opened,
)
from encoder.pictures.registry.heads_pictures import every_head
from encoder.pictures.scene import Option, Scene, token_of
from encoder.support.formatting import percent, shown
from encoder.trace.tokens import Text
from encoder.trace.unpadded import stream, tokens

PLACES = {  # what a head can look at out of habit -> how it is called
    "previous": "the token before",
    "next": "the next token",
    "self": "the token itself",
    "special": "the tokens that the model adds",
    "punctuation": "punctuation",
}
RANKINGS = {"weight": "Weight", "written": "What is written"}
READING = (
    "Marked is the token that looks and the one that it looks at; behind them the weight, and the length of what is \
written."
)
NO_CONTEXT = "There is no context in this list."


def row_of(scene: Scene) -> Mapping[str, Any]:
    """What the atlas knows of the chosen head."""
    row: Mapping[str, Any] = opened(scene).heads.slice(scene.layer * scene.n_heads + scene.head, 1).to_pylist()[0]
    return row


def of_kind(scene: Scene, by: str, kind: str) -> list[Firing]:
    """The largest contexts of the chosen head by a ranking, or those that were drawn evenly."""
    return opened(scene).head_firings(scene.layer, scene.head, by, kind)


def firings(scene: Scene) -> list[Firing]:
    """The contexts of the chosen head in the chosen list."""
    return contexts.listed(scene, *(of_kind(scene, scene[BY], kind) for kind in ("top", "sample")))


def gives(answer: Answer) -> str:
    """What the head gives most of its weight to, beside what even weights would."""
    scene, row = answer.scene, row_of(answer.scene)
    place = PLACES.get(str(row["nearest"]), f"“{row['nearest']}”")
    mass, even = (percent(float(row[f"nearest_{name}"])) for name in ("mass", "uniform"))
    return (
        f"Head {scene.head} of layer {scene.layer} gives {place} {mass} of its weight; even weights would give {even}."
    )


def in_corpus(answer: Answer) -> Sequence[MarkedLine]:
    """The contexts, each with its numbers."""
    scene = answer.scene

    def described(firing: Firing) -> str:
        return f"weight {firing.weight:.4f}, written {firing.written:.4f}"

    return contexts.lines(scene, firings(scene), described)


RUN = contexts.run_again("atlas_run", firings)


def again(answer: Answer) -> str:
    """The chosen context run again: its stored numbers against the live ones."""
    scene = answer.scene
    layer, head, firing = scene.layer, scene.head, firings(answer.scene)[answer.scene[RUN] - 1]
    return contexts.verdicts(scene, firing, lambda run, at: reruns.of_head(run, layer, head, at))


def without(answer: Answer) -> str:
    """What the contexts do without the head."""
    scene = answer.scene
    return contexts.without(scene, firings(scene), AtlasPart("head", scene.layer, scene.head))


def known(answer: Answer) -> str:
    """How often the head looks at one token, which place that is, and how its two rankings differ."""
    scene, row = answer.scene, row_of(answer.scene)
    card, by = opened(scene).card, scene[BY]
    top, other = (of_kind(scene, ranking, "top") for ranking in (by, *(set(RANKINGS) - {by})))
    places = ({(firing.sentence, firing.position, firing.looks_at) for firing in some} for some in (top, other))
    both = set.intersection(*places)
    shuffled, special = (percent(float(row[name])) for name in ("nearest_shuffled", "special"))
    clear = row["label"] == row["nearest"]
    looks = f"it looks at one kind of place, “{row['label']}”" if clear else "no one place to look stands out"
    return (
        f"It puts more than half of its weight on one token at {percent(row['firings'] / max(1, card.tokens))} of the "
        f"tokens. On {card.scope} {looks}; with its keys shuffled “{row['nearest']}” would get {shuffled}. Of the "
        f"{len(top)} largest by one ranking, {len(both)} are among the {len(top)} largest by the other. [CLS] and "
        f"[SEP] get {special} of its weight; a token with a short value gets weight and hands over little."
    )


def meaning(answer: Answer) -> str:
    """What the first measure is, and which head is ringed."""
    of = KNOWN.get(answer.scene[TO_THE_RIGHT])
    return (
        f"{of.meaning if of else ''} On {opened(answer.scene).card.scope}. The ringed head is the chosen one.".strip()
    )


def every_row(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """All that the atlas knows of all heads, in numbers."""
    scene = answer.scene
    atlas = opened(scene)
    rows = atlas.heads.select(["label", "nearest", "nearest_mass", "firings", *measures(scene)]).to_pydict()
    firing = [count / max(1, atlas.card.tokens) for count in rows["firings"]]
    first = {
        "head": every_head(answer),
        "label": rows["label"],
        "comes nearest to": rows["nearest"],
        "share of its weight there": rows["nearest_mass"],
        "share of the tokens where it fires": firing,
    }
    return first | {TITLES[name]: rows[name] for name in measures(scene)}


def has_pair(answer: Answer) -> bool:
    """Whether the corpus has tokens of both kinds."""
    scene = answer.scene
    return bool(heads_from(opened(scene), scene[START], scene[END]))


def controls(answer: Answer) -> str:
    """What else would give as much, and how many heads clearly give more."""
    scene = answer.scene
    atlas = opened(scene)
    heads = heads_from(atlas, scene[START], scene[END])
    first, clear = heads[0], sum(head.clear for head in heads)
    other = f", and from tokens of any kind it gives {percent(first.anyone)}" if scene[START] != "any" else ""
    return (
        f"On {atlas.card.scope}: even weights would give {percent(first.uniform)}, chance exceeds "
        f"{percent(min(1.0, first.chance))} in 1 of 20 tries{other}. {clear} of {len(heads)} heads give more than half "
        "of their weight and clearly more than chance."
    )


def pair_rows(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """What each head gives, and what else would give as much."""
    scene = answer.scene
    heads = heads_from(opened(scene), scene[START], scene[END])
    return {
        "head": [f"{head.layer}.{head.head}" for head in heads],
        "weight": [head.weight for head in heads],
        "even weights": [head.uniform for head in heads],
        "1 of 20 by chance": [head.chance for head in heads],
        "from any token": [head.anyone for head in heads],
        "tokens": [head.queries for head in heads],
    }


KINDS = """Kinds are as far as tokens can say: short lists of English words, capital letters, figures and marks. No \
tagger reads the text, so an object is “the nearest later word” at best."""
WORD = Option("atlas_word", None, lambda scene: "")
LOOKED_AT = Option("atlas_key", None, lambda scene: "")
ASK_A_WORD = "Type a word, or a token such as [SEP], and see which units and heads have it among their contexts."


def token(scene: Scene, option: Option) -> str:
    """The token that a word is, or its first piece."""
    text: str = scene[option].strip()
    if not text or scene.encoder.tokenizer.token_to_id(text) is not None:
        return text
    typed = pieces_of(scene, text)
    return typed[0] if typed else ""


def pieces_of(scene: Scene, text: str) -> list[str]:
    """How the model reads a word."""
    read = scene.encoder.tokenize(text)
    return [piece for piece, special in zip(read.tokens, read.special, strict=True) if not special]


def in_pieces(answer: Answer) -> str:
    """Which words the model reads in pieces."""
    scene, sentences = answer.scene, []
    for option in (WORD, LOOKED_AT):
        text = scene[option].strip()
        if text and scene.encoder.tokenizer.token_to_id(text) is None and len(pieces_of(scene, text)) > 1:
            read = ", ".join(pieces_of(scene, text)[:8])
            sentences.append(f"This model reads “{text}” as {read}; the first one counts.")
    return " ".join(sentences)


def is_asked(answer: Answer) -> bool:
    """Whether a word was typed."""
    return bool(token(answer.scene, WORD) or token(answer.scene, LOOKED_AT))


def firing_on(scene: Scene) -> list[WordUnit]:
    """The units that fire on the word."""
    return units_on(opened(scene), token(scene, WORD))


def looking_at(scene: Scene) -> list[WordHead]:
    """The heads that look from the word, or at the other one."""
    return heads_between(opened(scene), token(scene, WORD), token(scene, LOOKED_AT))


def unit_that_fires(answer: Answer) -> str:
    """The unit that fires most often on the word."""
    scene = answer.scene
    units = firing_on(scene)
    if not units:
        return "No unit has it among the contexts that are kept."
    first = units[0]
    return (
        f"Layer {first.layer}, unit {first.unit} comes first: on {opened(scene).card.scope}, “{token(scene, WORD)}” "
        f"has {first.sampled} of {first.of_sampled} of its sampled firings."
    )


def counts(rows: Sequence[Any], part: str) -> Mapping[Any, Sequence[Any]]:
    """Units or heads, and how many of their contexts are on a word."""
    counted = [asdict(row) for row in rows]
    return {
        part: [
            f"{row['layer']}.{row['head']}" if part == "head" else f"{row['unit']} of layer {row['layer']}"
            for row in counted
        ],
        "drawn evenly, on it": [row["sampled"] for row in counted],
        "drawn": [row["of_sampled"] for row in counted],
        "largest, on it": [row["top"] for row in counted],
        "largest": [row["of_top"] for row in counted],
    }


def word_units(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """The units that fire on the word."""
    return counts(firing_on(answer.scene), "unit")


def word_heads(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """The heads that look from the word, or at the other one."""
    return counts(looking_at(answer.scene), "head")


def of_word_heads(answer: Answer) -> str:
    """From where to where the heads look."""
    scene = answer.scene
    query, key = token(scene, WORD) or "any token", token(scene, LOOKED_AT) or "any token"
    return f"From {query} to {key}, in the kept contexts of each head by weight, on {opened(scene).card.scope}."


def vectors_kept(scene: Scene) -> dict[str, str]:
    """Of which vectors the atlas keeps some, by the name in a link, and how each is called."""
    card = opened(scene).card
    names = {str(layer): f"vector after {layer} layers" for layer in card.vectors}
    return names | {f"heads-{layer}": f"output of the head in layer {layer}" for layer in card.head_vectors}


OF_TOKEN = Option("atlas_near", vectors_kept, lambda scene: [*vectors_kept(scene)][-1])
TOKEN = token_of("atlas_token", lambda scene: min(1, len(scene.t.tokens) - 1))
NO_VECTORS = "This atlas keeps no vectors; make one with --vectors or --head-vectors."


def neighbours(scene: Scene) -> list[NearToken]:
    """The tokens of the corpus whose vectors are nearest to that of the chosen token."""
    what, at = scene[OF_TOKEN], min(scene[TOKEN], len(tokens(scene.t)) - 1)
    if not what.startswith("heads-"):
        return nearest_tokens(opened(scene), int(what), stream(scene.t)[int(what)][at])
    layer = int(what.removeprefix("heads-"))
    written = scene.t[f"layers.{layer}.attention.heads"][scene.head, at]
    return nearest_outputs(opened(scene), scene.encoder, layer, scene.head, torch.as_tensor(written))


def one_line(text: Text) -> str:
    """A text, or both of a pair."""
    return text if isinstance(text, str) else contexts.BETWEEN.join(text)


def nearest(answer: Answer) -> str:
    """The nearest of all."""
    scene = answer.scene
    first, what = neighbours(scene)[0], scene[OF_TOKEN]
    layer = what.removeprefix("heads-")
    of = f"What head {scene.head} of layer {layer} writes to" if layer != what else f"After {what} layers the vector of"
    sentence = shown(one_line(opened(scene).texts([first.sentence])[first.sentence]), 80)
    return (
        f"{of} “{shown(scene.t.tokens[scene[TOKEN]])}” is nearest to that of “{first.token}” in “{sentence}”: cosine "
        f"{first.cosine:.4f}."
    )


def near_lines(answer: Answer) -> Sequence[MarkedLine]:
    """The nearest tokens, each in its sentence."""
    scene = answer.scene
    near = neighbours(scene)
    texts = opened(scene).texts(sorted({token.sentence for token in near}))
    return [
        MarkedLine(
            contexts.pieces(scene.encoder.tokenize(texts[token.sentence]), token.position), f"cosine {token.cosine:.4f}"
        )
        for token in near
    ]


def of_neighbours(answer: Answer) -> str:
    """Among which vectors they were looked for."""
    atlas = opened(answer.scene)
    many = len(atlas.tokens("vectors.parquet", *PLACE))
    return (
        f"Exact, among the vectors of the {many:,} tokens that this atlas keeps of {atlas.card.scope}, in the original "
        "space."
    )


def in_atlas(*parts: Part) -> tuple[Part, ...]:
    """Return parts that read an atlas, with which one it is; what to do where there is none."""
    return (When(has_atlas, (CHOOSE_ATLAS, *parts, Note("paragraph", contexts.which_atlas)), NO_ATLAS),)


HEADS: dict[str, tuple[Part, ...]] = {
    "contexts": in_atlas(
        Note("finding", gives),
        Ask("Ranked by", BY, "pills", lambda scene, name: RANKINGS[name]),
        Ask("Contexts", LIST, "list"),
        When(
            lambda answer: bool(firings(answer.scene)),
            (
                MarkedLines("head_contexts", in_corpus),
                READING,
                Ask("Run one again, live", RUN, "list"),
                When(lambda answer: answer.scene[RUN] != "none", (Note("finding", again),)),
                Long(
                    "Run them without this head",
                    lambda scene: contexts.flops_without(scene, firings(scene)),
                    (Note("paragraph", without),),
                ),
            ),
            (NO_CONTEXT,),
        ),
        Note("paragraph", known),
        ATLAS_DECILES,
    ),
    "two_measures": in_atlas(
        Ask("Across", TO_THE_RIGHT, "list", lambda scene, name: TITLES[name]),
        Ask("Up", UP, "list", lambda scene, name: TITLES[name]),
        Show(ATLAS_HEADS, more=meaning),
        Table("atlas_table", every_row),
    ),
    "kinds": in_atlas(
        Ask("From", START, "list", lambda scene, kind: MEANINGS[kind]),
        Ask("To", END, "list", lambda scene, kind: MEANINGS[kind]),
        When(
            has_pair,
            (Show(ATLAS_PAIRS, more=controls), Table("atlas_pairs_table", pair_rows), KINDS),
            ("No token of this corpus is of the one kind with another of the other.",),
        ),
    ),
    "find": in_atlas(
        Ask("Word", WORD, "text", most=60),
        Ask("Looks at (may stay empty)", LOOKED_AT, "text", most=60),
        When(
            is_asked,
            (
                Note("paragraph", in_pieces),
                When(
                    lambda answer: bool(token(answer.scene, WORD)),
                    (
                        Note("heading", "Units that fire on it"),
                        Note("finding", unit_that_fires),
                        When(lambda answer: bool(firing_on(answer.scene)), (Table("atlas_word_units", word_units),)),
                    ),
                ),
                Note("heading", "Heads that look that way"),
                When(
                    lambda answer: bool(looking_at(answer.scene)),
                    (Table("atlas_word_heads", word_heads),),
                    ("None has it among the contexts that are kept.",),
                ),
                Note("paragraph", of_word_heads),
            ),
            (ASK_A_WORD,),
        ),
    ),
    "nearest": in_atlas(
        When(
            lambda answer: bool(vectors_kept(answer.scene)),
            (
                Ask("Of a token", OF_TOKEN, "list", lambda scene, name: vectors_kept(scene)[name]),
                Ask("Token", TOKEN, "token"),
                Note("finding", nearest),
                MarkedLines("near_tokens", near_lines),
                Note("paragraph", of_neighbours),
            ),
            (NO_VECTORS,),
        ),
    ),
}
