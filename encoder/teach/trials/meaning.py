"""Trials of what context makes of a word."""

import math
import re
from collections.abc import Sequence

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.compare import cosines, mean_between
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, listed, percent
from encoder.teach.trials.finding import Curves, Finding, array, judge, untried
from encoder.teach.trials.head_trials import position_of
from encoder.trace.unpadded import stream

ALIKE = 0.9  # mean cosine above which two vectors count as one meaning
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
    mean = mean_between(cosines(vectors))
    last = float(mean[-1])
    where = ", where only the place differs," if len(set(places)) > 1 else ", at one and the same place,"
    everywhere = "both" if len(sentences) == 2 else f"all {len(sentences)}"
    text = (
        f"“{word}” has {'the same' if same else 'not the same'} row of the embedding table in {everywhere} "
        f"sentences. The mean cosine between its vectors is {brief(float(mean[0]))} at the input{where} and "
        f"{brief(last)} after the last layer."
    )
    curves = Curves({"mean cosine": array(mean)}, array(range(len(mean))), ("layers behind it", "cosine"))
    return Finding(last, "mean cosine after the last layer", text, judge(same and last < ALIKE), curves)


def rows_hold_meaning(encoder: TextEncoder) -> Finding:
    """The rows of the embedding table hold meaning: the word nearest to another is mostly one of its own kind.

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
