"""Minimal pairs of sentences that people wrote: the subject of a masked verb in its other number."""

from collections.abc import Iterator

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.checkpoint.tokenizer_files import UNKNOWN
from encoder.exam.links import BESIDE_VERBS, GAP_WORDS, OTHER_NUMBER, SUBJECTS
from encoder.exam.treebank import Tree, Treebank
from encoder.experiments.circuit.minimal_pair import MinimalPair, PairError, difference
from encoder.support.errors import EncoderError
from encoder.support.progress import pulse

PLURAL = "s"


def natural_pairs(encoder: TextEncoder, treebank: Treebank) -> list[MinimalPair]:
    """Find the pairs of a treebank for a model: A as it was written, B with its subject in the other number.

    A sentence of at most GAP_WORDS words with a verb of OTHER_NUMBER, which is masked and is the answer for A, its
    other form that for B; its one subject is a noun before it whose other number is the same word with or without a
    plain -s; and to the model both are one token, and all others are the same.

    Raises:
        EncoderError: the vocabulary has no mask.
    """
    mask = encoder.mask_token
    if mask is None:
        raise EncoderError(f"the vocabulary of {encoder.source.name} has no mask, so no word can be hidden in it")
    pairs = list[MinimalPair]()
    for tree in treebank.trees:
        pulse()
        for verb, subject, other in agreeing_words(tree):
            form = tree.words[verb].lower()
            a = [*tree.words[:verb], mask, *tree.words[verb + 1 :]]
            b = [*a[:subject], other, *a[subject + 1 :]]
            pair = MinimalPair(" ".join(a), " ".join(b), (form, OTHER_NUMBER[form]))
            if one_token_differs(encoder, pair):
                pairs.append(pair)
    return pairs


def agreeing_words(tree: Tree) -> Iterator[tuple[int, int, str]]:
    """Yield the places of each verb and its subject, and the other number of the subject."""
    if len(tree.words) > GAP_WORDS:
        return
    for verb, word in enumerate(tree.words):
        if word.lower() not in OTHER_NUMBER:
            continue
        governor = tree.heads[verb] if tree.relations[verb] in BESIDE_VERBS else verb
        of_it = [i for i, head in enumerate(tree.heads) if head == governor and tree.relations[i] in SUBJECTS]
        if len(of_it) != 1 or of_it[0] > verb or tree.tags[of_it[0]] != "NOUN":
            continue
        if other := other_number(tree.words[of_it[0]], tree.numbers[of_it[0]]):
            yield verb, of_it[0], other


def other_number(noun: str, number: str) -> str:
    """Return a noun in its other number, by a plain -s; empty where that is not how it is made."""
    if number == "Sing":
        return noun + PLURAL
    return noun.removesuffix(PLURAL) if number == "Plur" and noun.endswith(PLURAL) else ""


def one_token_differs(encoder: TextEncoder, pair: MinimalPair) -> bool:
    """Whether the sentences have the same tokens but for one, which is a word of its own and known in both."""
    a, b = encoder.tokenize(pair.a), encoder.tokenize(pair.b)
    try:
        place = difference(a, b)
    except PairError:
        return False
    return len(a.word_of(place)) == 1 and not {a.tokens[place], b.tokens[place]} & set(UNKNOWN)
