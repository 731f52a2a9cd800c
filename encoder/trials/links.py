"""Trials of what heads link, each held against pairs of words that stand as far apart and have nothing to do with it.

The largest of many heads' weights is large for most pairs of words, and a head that looks at the next word links every
noun with its verb. So a link counts as far as a head puts more weight there than it usually does at that distance.
"""

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from encoder.errors import EncoderError
from encoder.experiments.ablation import ROWS, knock_outs, outcomes
from encoder.formatting import percent, points
from encoder.metrics import SENTENCES, length
from encoder.metrics.habits import runs
from encoder.model.encoder import Encoder
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from encoder.trace.words import punctuation
from encoder.trials.finding import Finding, Grid, array, judge, untried
from encoder.trials.heads import between_words

RARE = 0.05  # the share of other pairs that may be linked as strongly
FEWEST = 20  # pairs at a distance that a share can be told of
OVER = SENTENCES[:50]  # what is usual is measured over these
DRAWS, LEAST = 200, 0.05  # draws of other pairs; and the least excess that counts as a job
# Sentences with the words that a kind of head would link, each pair looked at both ways.
LINKS: dict[str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = {
    "subject, verb and object": (
        ("The cat chased the mouse.", (("cat", "chased"), ("chased", "mouse"))),
        ("The teacher read a long book.", (("teacher", "read"), ("read", "book"))),
        ("My brother bought a new car.", (("brother", "bought"), ("bought", "car"))),
        ("The old man built a small house.", (("man", "built"), ("built", "house"))),
    ),
    "place": (
        ("The keys are on the table.", (("keys", "table"),)),
        ("The dog sleeps under the bed.", (("dog", "bed"),)),
        ("The book lies behind the door.", (("book", "door"),)),
        ("They live near the river.", (("they", "river"),)),
    ),
    "time": (
        ("She came home after dinner.", (("came", "dinner"),)),
        ("We met him on Monday.", (("met", "monday"),)),
        ("He slept during the film.", (("slept", "film"),)),
        ("They left before the morning.", (("left", "morning"),)),
    ),
}
MEASURED: WeakKeyDictionary[Encoder, list[tuple[str, int, Tensor]]] = WeakKeyDictionary()


def both_ways(weights: Tensor, i: int, j: int) -> Tensor:
    """How much two places look at each other: [2, n_layers, H], the earlier at the later one first."""
    left, right = min(i, j), max(i, j)
    return torch.stack([weights[:, :, left, right], weights[:, :, right, left]])


def spoken(trace: Trace) -> list[int]:
    """Which of a run's words are words: no special tokens, no punctuation."""
    marks, words = trace.tokenization.special, trace.tokenization.words
    return [i for i, pieces in enumerate(words) if not marks[pieces[0]] and not punctuation(trace.tokens[pieces[0]])]


def usual(encoder: TextEncoder, distances: Iterable[int], but: Iterable[str] = ()) -> dict[int, Tensor]:
    """What heads put on words so many tokens apart, over the bundled sentences: distance -> [pairs, 2, n_layers, H].

    `but` names sentences to leave out. What was measured is kept for as long as the model is.
    """
    if encoder.model not in MEASURED:
        MEASURED[encoder.model] = [
            (trace.text, j - i, both_ways(weights, i, j))
            for trace in runs(encoder, OVER)
            for weights, places in [(between_words(trace)[0], spoken(trace))]
            for i in places
            for j in places
            if i < j
        ]
    found, left_out = {distance: list[Tensor]() for distance in distances}, set(but)
    for sentence, distance, ways in MEASURED[encoder.model]:
        if distance in found and sentence not in left_out:
            found[distance].append(ways)
    return {distance: torch.stack(pairs) for distance, pairs in found.items() if pairs}


def linked(encoder: TextEncoder, sentence: str, word: str, target: str) -> Finding:
    """Some head links two words more than nearly all pairs of words as far apart, and matters to the result."""
    trace = encoder.trace(sentence)
    weights, (i, j) = between_words(trace, word, target)
    if i == j:
        raise EncoderError(f"“{word}” and “{target}” are one word; a link takes two")
    others = usual(encoder, [abs(i - j)], [sentence]).get(abs(i - j), torch.empty(0))
    if len(others) < FEWEST:
        return untried(f"Too few pairs of words stand {abs(i - j)} words apart in the sentences to compare with.")
    habit = others.mean(0)
    ours = both_ways(weights, i, j)
    more = ours - habit
    way, layer, head = (int(k) for k in torch.unravel_index(more.argmax(), more.shape))
    strength = float(more.max())
    share = float(((others - habit).flatten(1).amax(1) >= strength).float().mean())
    looking = i if (way == 0) == (i < j) else j
    effect = effects(encoder, trace, trace.tokenization.words[looking][0])
    larger = int((effect > effect[layer, head]).sum())
    matters = larger < effect.numel() / 2
    who, whom = (word, target) if looking == i else (target, word)
    said = (
        f"The head that stands out most is layer {layer}, head {head}: “{who}” puts "
        f"{percent(float(ours[way, layer, head]))} of its weight on “{whom}”, where it puts "
        f"{percent(float(habit[way, layer, head]))} on words {abs(i - j)} away on average. Of {len(others)} "
        f"other pairs of words as far apart {percent(share)} stand out as much in some head. Zeroing this head changes "
        f"the vector that “{who}” ends with by {percent(float(effect[layer, head]))}; {larger} of {effect.numel()} "
        f"heads change it more."
    )
    return Finding(
        share, "share of pairs as far apart that are linked as strongly", said,
        judge(share <= RARE and matters, share <= RARE), by_head(more),
    )  # fmt: skip


def effects(encoder: TextEncoder, trace: Trace, position: int) -> Tensor:
    """How much zeroing each head changes the output of one token, relative to its length: [n_layers, H]."""
    edits, before = knock_outs(encoder.config, ("attention.heads",)), trace["output"][position]
    found = [one.output[position] for chunk in outcomes(encoder, trace, edits, None, ROWS) for one in chunk]
    return (length(torch.stack(found) - before) / length(before)).view(encoder.config.n_layers, -1)


def head_job(encoder: TextEncoder, head: int, job: str) -> Finding:
    """The head of this number links the words of one kind of relation, one way, more than other words as far apart."""
    if not 0 <= head < encoder.config.n_heads:
        raise EncoderError(f"there is no head {head}; heads go from 0 to {encoder.config.n_heads - 1}")
    ours, distances, turned = [], [], []
    for sentence, pairs in LINKS[job]:
        trace = encoder.trace(sentence)
        for a, b in pairs:
            weights, (i, j) = between_words(trace, a, b)
            ours.append(both_ways(weights, i, j))
            distances.append(abs(i - j))
            turned.append(i > j)
    others = usual(encoder, distances, [sentence for sentence, _ in LINKS[job]])
    if few := [d for d in distances if len(others.get(d, ())) < FEWEST]:
        return untried(f"Too few pairs of words stand {few[0]} words apart in the sentences to compare with.")
    more = together([one - others[d].mean(0) for one, d in zip(ours, distances, strict=True)], turned)
    generator, draws = torch.Generator().manual_seed(0), []
    for _ in range(DRAWS):
        picked = [others[d][torch.randint(len(others[d]), (1,), generator=generator)][0] for d in distances]
        draws.append(together([p - others[d].mean(0) for p, d in zip(picked, distances, strict=True)], turned))
    chance = torch.stack(draws)[..., head].flatten(1).amax(1)
    bar = max(LEAST, float(chance.quantile(1 - RARE)))
    best_of = more.amax((0, 1))  # of each head, the better direction in its best layer
    value, best = float(best_of[head]), int(best_of.argmax())
    layer = int(more[..., head].amax(0).argmax())
    said = (
        f"Over {len(ours)} labelled pairs of words ({job}) head {head} puts at most {points(value)} more of a word's "
        f"weight on the other than on other words as far away, in layer {layer} and the better direction. Random pairs "
        f"as far apart reach {points(bar)} in 1 of 20 draws, so it counts from there. The best is head {best}, with "
        f"{points(float(best_of[best]))}."
    )
    return Finding(
        value, f"weight of head {head} on the other word, beyond what its distance explains", said,
        judge(value > bar and best == head, value > bar), by_head(more),
    )  # fmt: skip


def by_head(more: Tensor) -> Grid:
    """The better direction of every head as a picture; `more` is [2, n_layers, H]."""
    _, layers, heads = more.shape
    names = [f"layer {n}" for n in range(layers)], [f"head {h}" for h in range(heads)]
    return Grid(array(more.amax(0)), *names, share=False)


def together(pairs: list[Tensor], turned: list[bool]) -> Tensor:
    """The mean over pairs [2, n_layers, H], the first word of each pair looking at the second one first."""
    return torch.stack([pair.flip(0) if t else pair for pair, t in zip(pairs, turned, strict=True)]).mean(0)
