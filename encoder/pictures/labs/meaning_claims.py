"""Trials of what context makes of a word, of what made a guess, and of what makes two sentences alike."""

import math
import re
from collections.abc import Sequence

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments.attributions.gradients import (
    gradient_x_attention,
    gradient_x_input,
    knock_out_tokens,
    relevance,
)
from encoder.experiments.attributions.similarity import Likeness, likeness
from encoder.experiments.attributions.target import Target, spearman
from encoder.experiments.attributions.why import INTEGRATED, LOOKED, SLOPE, integrated_shares
from encoder.experiments.compare import cosines, mean_between
from encoder.metrics import attention_weights
from encoder.pictures.labs.head_claims import position_of
from encoder.pictures.labs.trial import Finding, a_text, bars, claim, curves, judge, trial, untried
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, listed, percent, shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import stream

ALIKE = 0.9  # cosine from which two vectors count as one
KINDS = {  # words that are frequent enough to be one piece of most vocabularies
    "family": ("mother", "father", "brother", "sister", "son", "daughter"),
    "numbers": ("two", "three", "four", "five", "six", "seven"),
    "days": ("monday", "tuesday", "friday", "saturday", "sunday"),
    "places": ("city", "town", "village", "country", "river"),
    "body": ("hand", "head", "eyes", "face", "heart"),
    "time": ("day", "week", "month", "year", "hour"),
    "going": ("go", "come", "walk", "run", "return"),
    "saying": ("say", "tell", "ask", "speak", "answer"),
}
LEANS = 2  # factor of the odds from which a guess leans
WEIGHT = "attention weight"
METHODS = (INTEGRATED, SLOPE, LOOKED, WEIGHT)
SAME_ORDER, SOME_ORDER = 0.8, 0.5  # rank agreements


@claim(
    "contexts",
    "tutorial",
    "A word has one static vector, and another vector in each context: “light”.",
    lesson="many-meanings",
    word="light",
    sentences=["Turn on the light.", "This bag is light.", "I prefer light blue."],
)
@trial()
def contexts(encoder: TextEncoder, word: str, sentences: list[str]) -> Finding:
    """One word has one static vector, and another one in each sentence."""
    if len(sentences) < 2:
        raise EncoderError(f"{len(sentences)} sentences; it takes 2 or more to compare")
    static, vectors, places = [], [], []
    for sentence in sentences:  # one run at a time: of each only the word's vectors are kept
        run = encoder.trace(sentence)
        place = position_of(run, word)
        places.append(place)
        static.append(run["embedding.tokens"][place].clone())
        vectors.append(stream(run)[:, place].clone())
        del run
    same = all(torch.equal(vector, static[0]) for vector in static)
    alike = cosines(vectors)
    mean, last = mean_between(alike), float(mean_between(alike)[-1])
    nearest = float(alike[-1].fill_diagonal_(-1).max())
    where = ", where only the place differs," if len(set(places)) > 1 else ", at one and the same place,"
    everywhere = "both" if len(sentences) == 2 else f"all {len(sentences)}"
    text = (
        f"“{word}” has {'the same' if same else 'not the same'} row of the embedding table in {everywhere} "
        f"sentences. The mean cosine between its vectors is {brief(float(mean[0]))} at the input{where} and "
        f"{brief(last)} after the last layer. The nearest two have {brief(nearest)}; from {ALIKE:g} on two count as "
        f"one."
    )
    picture = curves({"mean cosine": mean}, range(len(mean)), ("layers behind it", "cosine"))
    return Finding(last, "mean cosine after the last layer", text, judge(same and nearest < ALIKE), picture)


@claim("rows-meaning", "workflow", page="embedding")
@trial()
def rows_hold_meaning(encoder: TextEncoder) -> Finding:
    """The rows of the embedding table hold meaning: words of one kind have rows alike.

    Of KINDS of words that are one piece each, all words of all kinds are compared by the cosine of their rows. What
    counts is that clearly more words have a word of their kind nearest than chance would give.
    """
    numbers = {word: encoder.tokenizer.token_to_id(word) for kind in KINDS.values() for word in kind}
    kinds = {word: kind for kind, words in KINDS.items() for word in words if numbers[word] is not None}
    rows = encoder.model.embedding.tokens.weight.detach()[[numbers[word] for word in kinds]].double()
    rows = rows / rows.norm(dim=-1, keepdim=True)
    nearest = (rows @ rows.T).fill_diagonal_(-math.inf).argmax(-1).tolist()
    words = list(kinds)
    own = [kinds[word] == kinds[words[near]] for word, near in zip(words, nearest, strict=True)]
    share = sum(own) / len(own)
    chance = sum(sum(kinds[w] == kinds[v] for v in words) - 1 for w in words) / len(words) / (len(words) - 1)
    error = math.sqrt(chance * (1 - chance) / len(words))
    pairs = [f"“{word}” “{words[near]}”" for word, near in list(zip(words, nearest, strict=True))[::5]]
    text = (
        f"Of {len(words)} words of {len(KINDS)} kinds {percent(share)} have a word of their own kind nearest among "
        f"them; by chance {percent(chance)} would. Nearest are, for example, {listed(pairs)}."
    )
    return Finding(share, "share of words whose nearest one is of their kind", text, judge(share > chance + 4 * error))


@claim(
    "apple",
    "tutorial",
    "In “I love Apple phones” the word moves from fruit towards computers.",
    lesson="many-meanings",
    sentence="I love Apple phones.",
    other="I love apple pie.",
    word="apple",
    near="computer",
    far="fruit",
    neutral=["I love apple houses.", "I love apple."],
    stand_in="banana",
)
@trial()
def leans(
    encoder: TextEncoder,
    sentence: str,
    other: str,
    word: str,
    near: str,
    far: str,
    neutral: Sequence[str] = (),
    stand_in: str = "",
) -> Finding:
    """In this sentence the model's guess at the word leans to a meaning, and by that word and this company alone.

    It leans where the odds of `near` against `far` are LEANS times those in the other sentence. The controls: so they
    must be against each neutral sentence, whose other words hint at neither meaning; and `stand_in`, a word without the
    second meaning, must not lean as far in the same two sentences. With all that, `near` must be the likelier word.
    """
    texts = [sentence, other, *neutral]
    if stand_in:
        texts += [re.sub(rf"\b{re.escape(word)}\b", stand_in, text, flags=re.IGNORECASE) for text in (sentence, other)]
    odds = []
    for i, text in enumerate(texts):
        trace = encoder.trace(text)
        if "mlm.logits" not in trace:
            return untried("This model has no head that guesses words.")
        at = position_of(trace, word if i < 2 + len(neutral) else stand_in)
        logits = trace["mlm.logits"][at]
        odds.append(float(logits[encoder.word_id(trace, at, near)] - logits[encoder.word_id(trace, at, far)]))
    moved = odds[0] - odds[1]
    hints = [odds[0] - o for o in odds[2 : 2 + len(neutral)]]
    replaced = odds[-2] - odds[-1] if stand_in else -math.inf
    measured = (
        f"At “{word}” in “{sentence}” the model gives “{near}” {brief(math.exp(odds[0]))} times the probability of "
        f"“{far}”; in “{other}” {brief(math.exp(odds[1]))} times: the odds differ by a factor of "
        f"{brief(math.exp(moved))}."
    )
    measured += "".join(
        f" Against “{text}”, which hints at neither, the factor is {brief(math.exp(hint))}."
        for text, hint in zip(neutral, hints, strict=True)
    )
    if stand_in:
        measured += f" With “{stand_in}” in place of “{word}” it is {brief(math.exp(replaced))}."
    least = math.log(LEANS)
    by_itself = moved > least and all(hint > least for hint in hints) and moved > replaced
    judgement = judge(
        by_itself and odds[0] > 0, f"it leans to “{near}”, and “{far}” is still the likelier" if by_itself else ""
    )
    return Finding(math.exp(moved), "factor between the odds", measured, judgement)


def guess(encoder: TextEncoder, trace: Trace) -> Target | None:
    """The likeliest word at the mask token, or at the first word where there is none; None without a head."""
    if "mlm.logits" not in trace:
        return None
    at = trace.tokens.index(encoder.mask_token) if encoder.mask_token in trace.tokens else min(1, len(trace.tokens) - 1)
    return Target(at, int(trace["mlm.logits"][at].argmax()))


def named(encoder: TextEncoder, target: Target) -> str:
    """The word that is guessed, in quotation marks."""
    return f"“{shown(encoder.tokenizer.id_to_token(target.word) or str(target.word))}”"


def given_by(method: str, encoder: TextEncoder, trace: Trace, target: Target) -> Tensor:
    """What a method gives each token: [n]; attention weight is the mean over all heads, from the guess's place."""
    if method == INTEGRATED:
        return integrated_shares(encoder, trace, target)
    if method == SLOPE:
        return gradient_x_input(encoder, trace, target).shares
    if method == LOOKED:
        return relevance(gradient_x_attention(encoder, trace, target), [target.position])
    return attention_weights(trace).mean((0, 1))[target.position]


@trial(runs=150, method=a_text(choices=METHODS))
def order_agrees(encoder: TextEncoder, sentence: str, method: str) -> Finding:
    """The words that a method gives most are those without which the guess falls most.

    The order of a method's shares is held against that of the falls when each word alone becomes the mask token.
    """
    trace = encoder.trace(sentence)
    target = guess(encoder, trace)
    if target is None or encoder.mask_token is None:
        return untried("This model has no head that guesses words.")
    falls = knock_out_tokens(encoder, trace, target).shares
    shares = given_by(method, encoder, trace, target)
    places = [i for i, special in enumerate(trace.tokenization.special) if not special and i != target.position]
    if len(places) < 3:
        return untried(f"{len(places)} words beside the guess; an order takes 3 or more.")
    value = spearman(shares[places], falls[places])
    top, truly = (max(places, key=lambda i, of=of: float(of[i])) for of in (shares, falls))  # type: ignore[misc]
    text = (
        f"The guess is {named(encoder, target)}. By {method} “{shown(trace.tokens[top])}” counts most; truly it falls "
        f"most without “{shown(trace.tokens[truly])}”, by {brief(float(falls[truly]))}. Over {len(places)} words the "
        f"two orders agree by {brief(value)} (Spearman; 1 is the same order, 0 none)."
    )
    picture = bars({"falls by": falls[places]}, [trace.tokens[i] for i in places], "logit of the guess")
    judgement = judge(
        value >= SAME_ORDER,
        f"in part: by {SOME_ORDER:g} or more, and not by {SAME_ORDER:g}" if value >= SOME_ORDER else "",
    )
    return Finding(value, "rank agreement", text, judgement, picture)


@trial(runs=20)
def looked_at_matters(encoder: TextEncoder, sentence: str) -> Finding:
    """The token that gets most attention is the one that the guess needs most.

    Attention is the mean over all layers, heads and tokens. What a token hands over is taken away by zeroing its values
    in every layer, while all others still look at it: then the logit of the guess falls, or does not.
    """
    trace = encoder.trace(sentence)
    target = guess(encoder, trace)
    if target is None:
        return untried("This model has no head that guesses words.")
    weight = attention_weights(trace).mean((0, 1, 2))
    logit = float(target.of(trace["mlm.logits"]))
    falls = torch.tensor(
        [logit - float(target.of(silent(encoder, sentence, i)["mlm.logits"])) for i in range(len(trace.tokens))]
    )
    most, needed = int(weight.argmax()), int(falls.argmax())
    value = float(falls[most] / falls[needed]) if float(falls[needed]) > 0 else 0.0
    first, second = shown(trace.tokens[most]), shown(trace.tokens[needed])
    text = (
        f"“{first}” gets {percent(float(weight[most]))} of all weight, “{second}” "
        f"{percent(float(weight[needed]))}. When the first hands over nothing, the logit of {named(encoder, target)} "
        f"falls by {brief(float(falls[most]))}; when the second does, by {brief(float(falls[needed]))}."
    )
    picture = bars({"falls by": falls}, trace.tokens, "logit of the guess")
    what = "fall for the most looked-at token, over the largest"
    judgement = judge(
        most == needed,
        "it is not the one needed most, and its fall is half of the largest or more" if value >= SOME_ORDER else "",
    )
    return Finding(value, what, text, judgement, picture)


def silent(encoder: TextEncoder, sentence: str, position: int) -> Trace:
    """The run in which a token hands over nothing, though it is looked at as before."""
    steps = [f"layers.{i}.attention.v" for i in range(encoder.config.n_layers)]
    return encoder.trace(sentence, edits=[Edit(step, "zero", positions=(position,)) for step in steps])


@trial()
def meaning_counts(encoder: TextEncoder, sentence: str, denial: str, other: str) -> Finding:
    """A sentence is more like one that says the same in other words than like its denial in the same words.

    `other` says the same. Alike is the cosine of the sentences' vectors; how much of it comes from tokens that stand in
    both is the sum of their cells.
    """
    a, b, c = (encoder.trace(text) for text in (sentence, denial, other))
    against, same = likeness(a, b), likeness(a, c)
    value = same.cosine - against.cosine
    measured = (
        f"“{sentence}” has a cosine of {against.cosine:.4f} with “{denial}” and of {same.cosine:.4f} with “{other}”. "
        f"Pairs of tokens that stand in both sentences make {percent(shared(against, a, b))} of the first and "
        f"{percent(shared(same, a, c))} of the second."
    )
    return Finding(value, "cosine with the same meaning, less that with the denial", measured, judge(value > 0))


def shared(result: Likeness, a: Trace, b: Trace) -> float:
    """The share of a cosine that comes from pairs of the same token."""
    cells = sum(float(result.cells[i, j]) for i, x in enumerate(a.tokens) for j, y in enumerate(b.tokens) if x == y)
    return cells / result.cosine
