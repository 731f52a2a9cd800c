"""The guess: what the model says and from where on; of a model that guesses no words, what its vectors are like."""

import numpy as np
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import cosine, final_answer, first_lost, logit_lens, race, settled
from encoder.metrics.lens import word as word_of
from encoder.support.formatting import brief, percent, shown
from encoder.teach.story.stop import StoryStop, Subject, Values, best_first, called, options
from encoder.trace.trace import Trace
from encoder.trace.unpadded import once, rows, tokens

BEST = 5  # guesses that are drawn
IN_RACE = 4
UNTRAINED = " The weights of this model were drawn at random: it has learned no word."


@once
def guessed(trace: Trace, encoder: TextEncoder, word: int) -> tuple[Trace, int, str]:
    """The run whose guess is asked for, where it is read, and its text where it is another one than this.

    It is read at the mask that is followed, else at the first; a text without one is read once more with the mask in
    place of the word. Where that cannot be, because nothing was typed there, it is read at the word itself.
    """
    names, mask = tokens(trace), encoder.mask_token
    if mask is not None and mask in names:
        return trace, word if names[word] == mask else names.index(mask), ""
    pieces = trace.tokenization
    whole = pieces.word_of(word)
    changed = bool(trace.edits or trace.hidden)
    if mask is None or not pieces.typed(word).strip() or (changed and len(whole) > 1):
        return trace, word, ""
    text = pieces.replaced(whole, mask)
    inputs = (pieces.text, text) if pieces.second and whole[0] >= pieces.second else (text, pieces.pair)
    masked = encoder.trace(inputs if pieces.second else text, hidden=trace.hidden, edits=trace.edits)
    if tokens(masked)[whole[0] : whole[0] + 1] != [mask] or first_lost(masked):
        return trace, word, ""
    return masked, whole[0], " ".join(filter(None, inputs)) if pieces.second else text


def first_choice(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """The likeliest word, where the model guesses words; else the token whose output vector is most like the word's."""
    if encoder.model.mlm_head is None:
        return most_like(trace, rows(trace, "output")[about.word], about)
    name = called(trace, about.word)
    trace, at, text = guessed(trace, encoder, about.word)
    result = encoder.predict(trace, BEST, [at])
    assert result is not None, "the model has a head"
    words, shares = [shown(word) for word, _ in result[0]], np.array([share for _, share in result[0]])
    offered, place = options(words[0], words[1:])
    sentence = f"“{words[0]}”, with {percent(float(shares[0]))}"
    sentence += f"; next comes “{words[1]}”, with {percent(float(shares[1]))}." if len(words) > 1 else "."
    which = f"Which at {name}, which it can see?"
    if text:
        which = f"Now {name} is masked. Which word does it put there?"
    elif trace.tokens[at] == encoder.mask_token:
        which = f"Which word does it put in the place of {called(trace, at)}?"
    return StoryStop(
        "The guess",
        f"From the last vector the model guesses the word of each place. {which}",
        offered,
        place,
        sentence + (UNTRAINED if trace.source.seed is not None else ""),
        "bars",
        "output",
        Values({"probability": shares}, [word for word, _ in result[0]], "probability"),
        at,
        step="mlm.probabilities",
        masked=text,
    )


def settling(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """From which layer on the guess stays the first choice; else the token most like the mean of all vectors."""
    if encoder.model.mlm_head is None:
        return mean_like(trace)
    asked, count = called(trace, about.word), trace.config.n_layers
    trace, at, text = guessed(trace, encoder, about.word)
    lens = logit_lens(encoder, trace, [at])
    answer, _, rank = final_answer(lens)
    first, name = settled(rank[:, 0]), shown(word_of(encoder, int(answer[0])))
    offered, place = options(first, (0, count, count // 2, max(first - 1, 0), min(first + 1, count)), level)
    sentence = f"“{name}” is the first choice before the first layer already, and stays it."
    if first:
        sentence = f"From {level(first)} on “{name}” is the first choice; before the first layer it is number "
        sentence += f"{int(rank[0, 0]):,} of {lens.shape[-1]:,}."
    ids, ranks = race(lens[:, 0], IN_RACE)
    words = [word_of(encoder, i) for i in ids.tolist()]
    there = f" in place of {asked}" if text else ""
    return StoryStop(
        "When it settles",
        f"Ask the model after each layer what it would say{there}. From where on is it “{name}”?",
        offered,
        place,
        sentence,
        "race",
        "output",
        Values({"ranks": ranks.numpy()}, words, "rank"),
        at,
        masked=text,
    )


def level(i: int) -> str:
    """A level of the stream: before the first layer, or after a layer."""
    return f"after layer {i - 1}" if i else "before the first layer"


def most_like(trace: Trace, vector: Tensor, about: Subject) -> StoryStop:
    """Which other token's output vector is most like that of the word."""
    cosines = cosine(rows(trace, "output"), vector).numpy()
    name = called(trace, about.word)
    others = [i for i in range(len(cosines)) if i != about.word] or [about.word]
    order = best_first(cosines, others)
    offered, place = options(order[0], order, lambda i: called(trace, i))
    ends = "it ends" if trace.config.classifier is None else "its encoder ends"
    return StoryStop(
        "The output",
        f"This model names no words: {ends} in a vector for each token. Whose is most like {name}?",
        offered,
        place,
        f"The output vector of {name} is most like that of {called(trace, order[0])}: their cosine is "
        f"{brief(float(cosines[order[0]]))}.",
        "bars",
        "output",
        Values({"cosine": cosines}, tokens(trace), f"cosine with {name}"),
        about.word,
        step="output",
    )


def mean_like(trace: Trace) -> StoryStop:
    """Which token's output vector is most like the mean of all, by which sentences are compared."""
    output = rows(trace, "output")
    cosines = cosine(output, output.mean(0)).numpy()
    order = best_first(cosines, range(len(cosines)))
    offered, place = options(order[0], order, lambda i: called(trace, i))
    return StoryStop(
        "The whole sentence",
        "The mean of its vectors can stand for a whole text. Which token is most like that?",
        offered,
        place,
        f"That of {called(trace, order[0])}: its cosine with the mean of all {len(cosines)} is "
        f"{brief(float(cosines[order[0]]))}; least like it is {called(trace, order[-1])}, with "
        f"{brief(float(cosines[order[-1]]))}.",
        "bars",
        "compare",
        Values({"cosine": cosines}, tokens(trace), "cosine with the mean"),
        choices={"more": "cosine"},
    )
