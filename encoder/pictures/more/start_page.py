"""More of Start: which words made the guess, several heads together, and the sentence as tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

from encoder.checkpoint.tokenizer_files import UNKNOWN
from encoder.metrics import parked
from encoder.pictures.figures.scatter import undrawn
from encoder.pictures.lab import Ask, Note, Part, Show, Table, When
from encoder.pictures.more import what_if_page
from encoder.pictures.picture import Answer
from encoder.pictures.registry.heads_pictures import arrow, is_pair
from encoder.pictures.registry.sentence_pictures import (
    DRAWN,
    HOW,
    LINKS,
    MERGED,
    PART,
    PARTS,
    SOME_HEADS,
    SOME_TOKENS,
    SOME_WORDS,
    SUMMED,
    TOGETHER_MATRIX,
    one_way,
    some_heads,
    some_words,
    title_several,
    words_of,
)
from encoder.pictures.scene import Scene
from encoder.support.formatting import listed, percent, shown
from encoder.trace.trace import Trace

MARKS = {  # what tokenizers write into a token -> what it says
    "##": "a piece that continues a word",
    "Ġ": "a piece that follows a space",
    "▁": "a piece that follows a space",
    "<0x": "one byte of a letter that is no piece of its own",
}
CHOICES = {"all": "All tokens", "words": "Words only", "letters": "Words, no punctuation"}
ONLY_DRAWN = """Lines lead from each token, on the left, to the tokens it looks at, on the right. Only what is drawn \
changes: the run stays as it is, and no weight is made larger."""
OF_MERGED = """The pieces of a word are one: where it looks is the mean of its pieces' rows, how much it is looked at \
the sum of their columns. So each row still sums to 1."""
GIVES = "“Gives in all” is how much of its own weight each token puts on the chosen ones together."
NO_SUM = "The largest of several heads' weights: these rows no longer sum to 1."
NO_SEGMENTS = "This model has no segment embeddings: only the separator tells it where sentence B begins."


def word_name(scene: Scene, place: int) -> str:
    """What a token, or a word, is called where some are chosen."""
    return f"{place} {shown(words_of(scene)[place])}"


def is_merged(answer: Answer) -> bool:
    """Whether the pieces of each word are one."""
    return bool(answer.scene[MERGED])


def of_way(answer: Answer) -> str:
    """How much of where one sentence looks is the way that is drawn."""
    scene = answer.scene
    if scene[PART] == PARTS[0]:
        return ""
    share = answer.value(one_way(scene))[1]
    return f"{arrow(scene[PART])} is {percent(share)} of where {scene[PART][0]} looks; the rest is not drawn below."


def of_lines(answer: Answer) -> str:
    """What is left out of the lines, and whether the head is idle here."""
    scene, heads = answer.scene, some_heads(answer.scene)
    idle = parked(scene.t, scene.layer, heads[0]).sentence if len(heads) == 1 else ""
    drawn = percent(undrawn(answer.numbers.array))
    return f"{idle} Lines for weights under 0.02 are left out: {drawn} of all weight drawn.".strip()


def of_sums(answer: Answer) -> str:
    """What the sums are of."""
    scene = answer.scene
    largest = scene[HOW] == "Largest" and len(some_heads(scene)) > 1
    return " ".join([GIVES] * bool(some_words(scene)) + [NO_SUM] * largest)


def explained(run: Trace) -> str:
    """What there is to know about the tokens of this sentence, and no other."""
    tokens = run.tokens
    added = list(dict.fromkeys(token for token, own in zip(tokens, run.tokenization.special, strict=True) if own))
    sentences = ["A token is a word, or a piece of one, that the model knows by number (id)."]
    if added:
        sentences.append(f"{listed(added)} {'are' if len(added) > 1 else 'is'} added for the model.")
    sentences += [f"{unknown} stands for what its vocabulary lacks." for unknown in UNKNOWN if unknown in tokens]
    sentences += [
        f"{mark} marks {what}." for mark, what in MARKS.items() if any(token.startswith(mark) for token in tokens)
    ]
    return " ".join(sentences)


def guesses(answer: Answer) -> str:
    """What the model would say at each mask."""
    scene = answer.scene
    mask, every = scene.encoder.mask_token, scene.encoder.predict(scene.t, 3) or []
    sentences = [
        f"At {mask} (position {i}) the model would say: "
        + ", ".join(f"“{word}” {percent(probability)}" for word, probability in every[i])
        + "."
        for i, token in enumerate(scene.t.tokens)
        if every and token == mask
    ]
    return " ".join(sentences)


def tokens(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """Every token with its position and id, what was typed for it, and whether the model adds it."""
    run = answer.scene.t
    read, places = run.tokenization, range(len(run.tokens))
    columns: dict[str, Sequence[Any]] = {
        "position": [str(i) for i in places],
        "token": [shown(token) for token in run.tokens],
        "id": [str(number) for number in run.ids],
        "typed": [read.typed(i) for i in places],
        "added": ["yes" if own else "" for own in read.special],
    }
    return columns | ({"sentence": ["AB"[segment] for segment in read.segments]} if read.pair else {})


def lacks_segments(answer: Answer) -> bool:
    """Whether nothing but the separator tells the sentences of a pair apart."""
    return is_pair(answer) and answer.scene.config.n_segments < 2


def how_many(answer: Answer) -> str:
    """How many tokens the sentence is."""
    return f"The sentence is {len(answer.scene.t.tokens)} tokens."


def heads_of_layer(scene: Scene, head: int) -> str:
    """What a head is called where some are chosen."""
    return f"{scene.layer}.{head}"


MORE: dict[str, tuple[Part, ...]] = {
    "words": what_if_page.MORE["words"],
    "several": (
        ONLY_DRAWN,
        Ask("Heads", SOME_HEADS, "pills", heads_of_layer),
        Ask("Together", HOW, "pills"),
        Ask("Draw", DRAWN, "pills", lambda scene, choice: CHOICES[choice]),
        Ask("Pieces of a word", MERGED, "pills", lambda scene, merged: "as one word" if merged else "one by one"),
        When(is_merged, (OF_MERGED,)),
        When(is_pair, (Ask("From sentence to sentence", PART, "pills", lambda scene, way: arrow(way)),)),
        When(
            is_merged,
            (Ask("Only where these look, and who looks at them", SOME_WORDS, "marks", word_name),),
            (Ask("Only where these look, and who looks at them", SOME_TOKENS, "marks", word_name),),
        ),
        Note("paragraph", of_way),
        Show(LINKS, more=of_lines),
        Note("heading", lambda answer: f"The same as a matrix ({title_several(answer.scene)})"),
        TOGETHER_MATRIX,
        Note("heading", "The rows and columns added up"),
        Show(SUMMED, more=of_sums),
    ),
    "tokens": (
        Note("finding", how_many),
        Note("paragraph", lambda answer: explained(answer.scene.t)),
        Note("paragraph", guesses),
        When(lacks_segments, (NO_SEGMENTS,)),
        Table("tokens", tokens),
    ),
}
