"""More of Compare: how far two runs are apart, a word in many sentences, patches, and the cosine of sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from encoder.experiments.attributions.similarity import LONGEST, Alike, Centred, likeness, lines
from encoder.experiments.attributions.similarity import MOST as MOST_SENTENCES
from encoder.experiments.compare import aligned_tokens, first_difference
from encoder.explain.cost import run_flops
from encoder.metrics import SENTENCES
from encoder.pictures.lab import Ask, Beside, Long, Note, Part, Press, Show, Switch, Table, When
from encoder.pictures.picture import Answer
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
)
from encoder.pictures.registry.compare_sentences import (
    AFTER,
    ALL_ALIKE,
    COSINE_SHARES,
    LESS,
    MOST,
    SENTENCE_LIST,
    SET,
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
from encoder.pictures.registry.side_by_side_pictures import BESIDE_A, BESIDE_B, BESIDE_CHANGE, BESIDE_STEP
from encoder.pictures.scene import PREFIX_A, PREFIX_B, Scene
from encoder.support.formatting import brief, listed, shown

HOW = {
    None: "This model was given no way to make one vector of a sentence; the mean over its tokens is taken.",
    "mean": "Its vector is the mean over the tokens.",
    "mean_sqrt_len": "Its vector is the sum over the tokens, divided by the square root of their number.",
    "max": "Its vector has, in each dimension, the largest number of any token: that token alone gets the share.",
    "cls": "Its vector is that of the first token alone.",
}
ONE_TOKEN = """One token stands for the sentence: a row is what the last layer's heads gathered for it from a token, \
what it was before that layer, or another part of it."""
NOT_THE_WORD = """A row or column is the vector at that position, which has gathered from its whole sentence, and not \
the word alone. Vectors of a model that was not trained to compare sentences share a large part whatever they say."""
TERMS = f"""a and b are the two vectors, m is the mean of {len(SENTENCES)} sentences; each term is over the lengths of \
a - m and b - m. m · m is what all sentences have in common, and says nothing of these two. This is another number, \
and no correction of the first."""


def can_be_subtracted(answer: Answer) -> bool:
    """Whether the vectors of both runs have one shape, and some word stands in both."""
    a, b = answer.scene.t, answer.scene.b
    unlike = (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model)
    return not unlike and any(pair.a is not None and pair.b is not None for pair in aligned_tokens(a, b))


def why_not(answer: Answer) -> str:
    """Why the vectors are not subtracted."""
    a, b = answer.scene.t, answer.scene.b
    unlike = (a.config.n_layers, a.config.d_model) != (b.config.n_layers, b.config.d_model)
    why = "These models differ in layers or width" if unlike else "No word of A stands beside one of B"
    return f"{why}, so their vectors are not subtracted; the weights of both can be looked at."


def first_part(answer: Answer) -> str:
    """Where the words that both share first part."""
    part = first_difference(answer.scene.t, answer.scene.b)
    return f"The words that both share first part at {part}." if part else "No number differs."


def followed_name(scene: Scene, index: int) -> str:
    """What a word that stands in both runs is called where one is chosen."""
    pair = same_words(scene)[index]
    return f"{pair.a} {spell(scene.t, pair.a)}"


def whose(name: str, answer: Answer) -> str:
    """The model, layer and head whose weights are drawn."""
    run = answer.scene.t if name == "A" else answer.scene.b
    layer, head = shown_head(run, answer.scene)
    return f"{name}: {run.source.name}, head {head} of layer {layer}"


def in_pieces(answer: Answer) -> str:
    """How the model reads the word that is held against itself."""
    if any(len(pieces) > 1 for _, pieces in with_word(answer.scene)):
        return "The model reads this word in pieces; the vectors are those of the first."
    return "Each cosine is between the vectors of the word in two sentences."


def both_texts(answer: Answer) -> str:
    """What is patched into what."""
    a, b = answer.scene.t, answer.scene.b
    return f"A is “{shown(a.text, 80)}”, B is “{shown(b.text, 80)}” in the same model."


def same_length(answer: Answer) -> bool:
    """Whether both sentences have as many tokens."""
    return len(answer.scene.t.tokens) == len(answer.scene.b.tokens)


def lengths(answer: Answer) -> str:
    """How many tokens both have."""
    a, b = len(answer.scene.t.tokens), len(answer.scene.b.tokens)
    return f"A has {a} tokens and B has {b}; a patch needs the same number."


def flops_of_patch(scene: Scene) -> float:
    """Operations of a run for each place that is patched, of which the layers above it are made again."""
    n = len(scene.t.tokens)
    places = scene.n_layers * (len(patched_heads(scene) or ()) or 1 if scene[PATCH_STEP] == PATCHED[-1] else 1)
    return places * n * run_flops(scene.config, n) / 2


def flops_of_list(scene: Scene) -> float:
    """Operations of a run of each sentence of the list."""
    return sum(run_flops(scene.config, len(scene.encoder.tokenize(text).ids)) for text in texts_of_list(scene))


def how(answer: Answer) -> str:
    """How the vector of a sentence is made."""
    encoder = answer.scene.encoder
    similarity = getattr(encoder.sentence, "similarity", "cosine")
    other = "" if similarity == "cosine" else f" The folder itself compares by “{similarity}”, not by the cosine."
    return HOW[encoder.config.pooling] + other


def of_words(answer: Answer) -> str:
    """What pairs of words alone add up to."""
    scene = answer.scene
    words = brief(answer.value(whole(scene)).between_words(scene.t, scene.b))
    return f"Pairs of words alone add up to {words}, pairs with a special token to the rest."


def terms(answer: Answer) -> str:
    """What taking the mean of many sentences off both vectors does to their cosine."""
    scene, shares = answer.scene, answer.value(whole(answer.scene))
    assert isinstance(shares, Centred)
    parts = listed([f"{name} {value:.4f}" for name, value in shares.terms.items()])
    cosine = likeness(scene.t, scene.b).cosine
    return f"Four terms of (a - m) · (b - m) make it: {parts}. As they are the vectors have {cosine:.4f}."


def odd_pair(answer: Answer) -> str:
    """Which pair of a list is least as the others would have it."""
    alike: Alike = answer.value(alike_of_list(answer.scene))
    i, j = alike.odd
    more = "more" if alike.cosines[i, j] > alike.expected[i, j] else "less"
    return (
        f"The odd pair is {pair_name(alike, (i, j))}: {more} alike than the two are to the others, which would make "
        f"{float(alike.expected[i, j]):.3f}."
    )


def open_pairs(answer: Answer) -> list[Switch]:
    """The way to the odd pair of a list: as the two sentences of this page."""
    alike: Alike = answer.value(alike_of_list(answer.scene))
    sentences = lines(answer.scene[SENTENCE_LIST])
    i, j = alike.odd
    makes = {"sentence": sentences[i], "other": sentences[j], "second": "", "cell": ""}
    return [Switch(f"Open the odd pair, {i + 1} and {j + 1}", False, makes)]


def texts(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """The sentences of a list, by number."""
    sentences = lines(answer.scene[SENTENCE_LIST])
    return {"number": [str(i + 1) for i in range(len(sentences))], "sentence": list(sentences)}


def is_of_one_token(answer: Answer) -> bool:
    """Whether one token stands for a sentence."""
    return bool(answer.scene.config.pooling == "cls")


def has_prefixes(answer: Answer) -> bool:
    """Whether the model was trained with prefixes."""
    return bool(answer.scene.encoder.prompts)


MORE: dict[str, tuple[Part, ...]] = {
    "apart": (
        When(
            can_be_subtracted,
            (
                Note("finding", first_part),
                APART,
                When(
                    lambda answer: bool(same_words(answer.scene)),
                    (Ask("Follow the word", FOLLOW, "list", followed_name), FOLLOWED),
                ),
            ),
            (
                Note("paragraph", why_not),
                Note("heading", lambda answer: whose("A", answer)),
                WEIGHTS_A,
                Note("heading", lambda answer: whose("B", answer)),
                WEIGHTS_B,
            ),
        ),
    ),
    "beside": (
        When(
            can_be_subtracted,
            (Ask("Step", BESIDE_STEP, "list"), Beside((BESIDE_A, BESIDE_B, BESIDE_CHANGE))),
            (Note("paragraph", why_not),),
        ),
    ),
    "word": (
        Ask(f"Up to {MOST} sentences, one in a line", SET, "lines", most=1500),
        Ask("Word", WORD, "text", most=40),
        Note("paragraph", in_pieces),
        Ask("After", AFTER, "marks"),
        WORD_MAP,
        Show(WORD_MEANS, more="At the input only the position tells its vectors apart."),
    ),
    "patch": (
        When(
            same_length,
            (
                Note("paragraph", both_texts),
                Ask("Step", PATCH_STEP, "list"),
                When(
                    lambda answer: answer.scene[PATCH_STEP] == PATCHED[-1],
                    (Ask("Heads (none stands for all)", PATCH_HEADS, "pills"),),
                ),
                Long("Patch every place in turn", flops_of_patch, (PATCH,)),
            ),
            (Note("paragraph", lengths),),
        ),
    ),
    "cosine": (
        When(has_prefixes, (Ask("Prefix of A", PREFIX_A, "pills"), Ask("Prefix of B", PREFIX_B, "pills"))),
        Note("paragraph", how),
        When(
            is_of_one_token,
            (Show(COSINE_SHARES, more=ONE_TOKEN),),
            (
                Ask("Vectors", VECTORS, "pills"),
                Show(COSINE_SHARES, more=of_words),
                When(lambda answer: answer.scene[VECTORS] == LESS, (Note("finding", terms), TERMS)),
                NOT_THE_WORD,
            ),
        ),
    ),
    "list": (
        Ask(
            f"Sentences, one in each line (2 to {MOST_SENTENCES}, each of {LONGEST} characters or less)",
            SENTENCE_LIST,
            "lines",
            most=1500,
        ),
        Long(
            "Run all of them",
            flops_of_list,
            (Show(ALL_ALIKE, more=odd_pair), Press("", open_pairs), Table("texts", texts)),
        ),
    ),
}
