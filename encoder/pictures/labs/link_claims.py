"""Trials of what heads link, each held against pairs of words that stand as far apart and have nothing to do with it.

The largest of many heads' weights is large for most pairs of words, a head that looks at the next word links every noun
with its verb, and the fewer tokens a sentence has the more of its weight each of them gets by even attention. So a link
counts as far as a head puts more weight there than even attention and than it usually does at that distance, and only
where the largest of all heads is seldom as large for other words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.ablation import ROWS, knock_outs, outcomes
from encoder.metrics import MARGIN, SENTENCES, length
from encoder.metrics.head_measures import runs
from encoder.model.encoder import Encoder
from encoder.pictures.labs.head_claims import between_words
from encoder.pictures.labs.trial import Finding, a_text, by_head, claim, judge, trial, untried
from encoder.support.errors import EncoderError
from encoder.support.formatting import listed, percent, points
from encoder.trace.trace import Trace
from encoder.trace.words import punctuation

RARE = 0.05  # the share of other pairs that may be linked as strongly
FEWEST = 20  # places of other words that a share can be told of
LEAST = 0.05  # of a word's weight, beyond what is usual: less is no link, however rare
OVER = SENTENCES[:50]  # what is usual is measured over these
DRAWS = 1000  # of other words
Pairs = Sequence[tuple[int, int]]
SVO = "subject, verb and object"
KEYS = "Keys on the table belong to Sara."
# Sentences with the words that a kind of head would link, each pair looked at both ways.
LINKS: dict[str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = {
    SVO: (
        ("The cat chased the mouse.", (("cat", "chased"), ("chased", "mouse"))),
        ("The teacher read a long book.", (("teacher", "read"), ("read", "book"))),
        ("My brother bought a new car.", (("brother", "bought"), ("bought", "car"))),
        ("The old man built a small house.", (("man", "built"), ("built", "house"))),
        ("The dog found an old bone.", (("dog", "found"), ("found", "bone"))),
        ("A woman opened the door.", (("woman", "opened"), ("opened", "door"))),
        ("The boy wrote a letter.", (("boy", "wrote"), ("wrote", "letter"))),
        ("Her sister sold the small car.", (("sister", "sold"), ("sold", "car"))),
    ),
    "place": (
        ("The keys are on the table.", (("keys", "table"),)),
        ("The dog sleeps under the bed.", (("dog", "bed"),)),
        ("The book lies behind the door.", (("book", "door"),)),
        ("They live near the river.", (("they", "river"),)),
        ("The children play in the old garden.", (("children", "garden"),)),
        ("A picture hangs on the wall.", (("picture", "wall"),)),
        ("The boat lay on the lake.", (("boat", "lake"),)),
        ("My father works in a large office.", (("father", "office"),)),
    ),
    "time": (
        ("She came home after dinner.", (("came", "dinner"),)),
        ("We met him on Monday.", (("met", "monday"),)),
        ("He slept during the film.", (("slept", "film"),)),
        ("They left before the morning.", (("left", "morning"),)),
        ("The train arrived at noon.", (("arrived", "noon"),)),
        ("She was born in the winter.", (("born", "winter"),)),
        ("He worked until the evening.", (("worked", "evening"),)),
        ("They stayed for two weeks.", (("stayed", "weeks"),)),
    ),
}
JOB = a_text(choices=LINKS)


@dataclass(frozen=True)
class Looks:
    """What the words of a sentence of `tokens` tokens look at, beyond even attention.

    `excess` [n_layers, H, m, m] is for each of the m words the weight of each piece of the other word less 1 / tokens:
    0 where all tokens get the same, whatever the length of the sentence and the number of pieces. `spoken` are those of
    the m that are words: no special tokens, no punctuation.
    """

    text: str
    tokens: int
    excess: Tensor
    spoken: frozenset[int]

    def pairs(self, pairs: Pairs, moved: int = 0) -> Tensor:
        """The excess for pairs of places, each moved to the right: [pairs, 2, n_layers, H], as ordered first."""
        i, j = (torch.tensor(ends) + moved for ends in zip(*pairs, strict=True))
        return torch.stack([self.excess[:, :, i, j], self.excess[:, :, j, i]]).permute(3, 0, 1, 2)

    def moves(self, pairs: Pairs) -> list[int]:
        """How far the pairs can be moved so that they still join words."""
        places = {place for pair in pairs for place in pair}
        return [k for k in range(-min(places), max(self.spoken, default=0)) if {p + k for p in places} <= self.spoken]


MEASURED: WeakKeyDictionary[Encoder, list[Looks]] = WeakKeyDictionary()


def looks(trace: Trace) -> Looks:
    """What the words of a run look at."""
    pieces = trace.tokenization
    sizes = torch.tensor([len(word) for word in pieces.words])
    marks = pieces.special
    spoken = (i for i, w in enumerate(pieces.words) if not marks[w[0]] and not punctuation(trace.tokens[w[0]]))
    excess = between_words(trace)[0] / sizes - 1 / len(trace.tokens)
    return Looks(trace.text, len(trace.tokens), excess, frozenset(spoken))


@dataclass(frozen=True)
class Usual:
    """What heads do with other words that stand as those of some pairs do.

    `habit` [pairs, 2, n_layers, H] is the mean over all such places in the bundled sentences, `chance` [places, pairs,
    2, n_layers, H] what each of them differs from it.
    """

    habit: Tensor
    chance: Tensor


def usual(encoder: TextEncoder, pairs: Pairs, tokens: int, but: Sequence[str] = ()) -> Usual | None:
    """The same pattern of places wherever it fits in the bundled sentences; None where that is too seldom.

    What even attention gives grows as a sentence gets shorter, and so does what differs from it by chance: what was
    found in longer sentences counts as much more.

    Args:
        encoder: the model; what was measured is kept for as long as it is.
        pairs: of words of one sentence, by their places among its words.
        tokens: the length of that sentence.
        but: sentences to leave out.
    """
    if encoder.model not in MEASURED:
        MEASURED[encoder.model] = [looks(trace) for trace in runs(encoder, OVER)]
    every = [
        (sentence.pairs(pairs, k), max(1.0, sentence.tokens / tokens))
        for sentence in MEASURED[encoder.model]
        if sentence.text not in but
        for k in sentence.moves(pairs)
    ]
    if len(every) < FEWEST:
        return None
    result, longer = torch.stack([weights for weights, _ in every]), torch.tensor([factor for _, factor in every])
    habit = result.mean(0)
    return Usual(habit, (result - habit) * longer.view(-1, 1, 1, 1, 1))


def places_of(trace: Trace, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Where pairs of words stand among the words of a run.

    Raises:
        EncoderError: a word is not there, or both of a pair are one.
    """
    words = trace.tokenization
    result = [(words.words.index(words.find(a)), words.words.index(words.find(b))) for a, b in pairs]
    if same := [pair for pair, (i, j) in zip(pairs, result, strict=True) if i == j]:
        raise EncoderError(f"“{same[0][0]}” and “{same[0][1]}” are one word; a link takes two")
    return result


@claim(
    "keys-table",
    "tutorial",
    "“Keys on the table belong to Sara”: some head links keys and table.",
    lesson="many-heads",
    sentence=KEYS,
    word="keys",
    target="table",
)
@claim(
    "keys-sara",
    "tutorial",
    "“Keys on the table belong to Sara”: some head links keys and Sara.",
    lesson="many-heads",
    sentence=KEYS,
    word="keys",
    target="sara",
)
@trial(runs=74, held=18, seconds=0.4)
def linked(encoder: TextEncoder, sentence: str, word: str, target: str) -> Finding:
    """Some head links two words more than nearly all pairs of words as far apart, and matters to the result."""
    trace = encoder.trace(sentence)
    pair = places_of(trace, [(word, target)])
    apart = abs(pair[0][0] - pair[0][1])
    others = usual(encoder, pair, len(trace.tokens), [sentence])
    if others is None:
        return untried(f"Too few pairs of words stand {apart} words apart in the sentences to compare with.")
    ours, habit = looks(trace).pairs(pair)[0], others.habit[0]
    more = ours - habit
    way, layer, head = (int(k) for k in torch.unravel_index(more.argmax(), more.shape))
    strength = float(more.max())
    share = float((others.chance[:, 0].flatten(1).amax(1) >= strength).double().mean())
    looking, seen = pair[0] if way == 0 else pair[0][::-1]
    who, whom = (word, target) if way == 0 else (target, word)
    pieces = trace.tokenization.words
    effect = effects(encoder, trace, pieces[looking][0])
    larger = int((effect > effect[layer, head]).sum())
    matters = larger < effect.numel() / 2
    even = len(pieces[seen]) / len(trace.tokens)
    text = (
        f"The head that stands out most is head {head} of layer {layer}: “{who}” puts "
        f"{percent(float(ours[way, layer, head]) * len(pieces[seen]) + even)} of its weight on “{whom}”, where even "
        f"attention would put {percent(even)}. Beyond that it is {points(float(ours[way, layer, head]))}"
        f"{' for each piece' if len(pieces[seen]) > 1 else ''}, and on words {apart} away "
        f"{points(float(habit[way, layer, head]))} on average. Of {len(others.chance)} other pairs of words as far "
        f"apart {percent(share)} stand out as much in some head. Zeroing this head changes the vector that “{who}” "
        f"ends with by {percent(float(effect[layer, head]))}; {larger} of {effect.numel()} heads change it more."
    )
    rare = share <= RARE and strength >= LEAST
    judgement = judge(rare and matters, "a head that matters little may do it" if rare else "")
    return Finding(
        share, "share of pairs as far apart that are linked as strongly", text, judgement, by_head(more.amax(0))
    )


@claim(
    "one-head-both",
    "tutorial",
    "A single head cannot link “keys” both to “table” and to “Sara”.",
    page="heads",
    sentence=KEYS,
    word="keys",
    first="table",
    second="sara",
)
@trial()
def one_head_both(encoder: TextEncoder, sentence: str, word: str, first: str, second: str) -> Finding:
    """No single head looks between a word and two others at once; for each of the two some head does.

    A head looks between two words where one of them puts MARGIN more on the other than even attention would. That alone
    makes no link: see `linked`.
    """
    trace = encoder.trace(sentence)
    weights, (at, *others) = between_words(trace, word, first, second)
    even = [len(trace.tokenization.words[other]) / len(trace.tokens) for other in others]
    excess = torch.stack(
        [
            torch.maximum(
                weights[:, :, at, other] - share,
                weights[:, :, other, at] - len(trace.tokenization.words[at]) / len(trace.tokens),
            )
            for other, share in zip(others, even, strict=True)
        ]
    )
    both = excess.amin(0)
    at_best = [divmod(int(weights.argmax()), weights.shape[1]) for weights in (*excess, both)]
    most = [float(weights.max()) for weights in (*excess, both)]
    text = " ".join(
        f"Between “{word}” and “{other}” head {head} of layer {layer} looks most: {points(value)} more than even "
        f"attention, one way or the other."
        for other, value, (layer, head) in zip((first, second), most, at_best, strict=False)
    )
    layer, head = at_best[2]
    text += (
        f" At both at once head {head} of layer {layer} looks most: {points(most[2])} for the weaker of the two. "
        f"It counts from {points(MARGIN)} on."
    )
    if min(most[:2]) <= MARGIN:
        return untried(f"{text} Not each of the two has a head that does so, and nothing follows of one for both.")
    what = "weight beyond even attention of the best head for both"
    return Finding(most[2], what, text, judge(most[2] <= MARGIN), by_head(both))


def effects(encoder: TextEncoder, trace: Trace, position: int) -> Tensor:
    """How much zeroing each head changes the output of one token, relative to its length: [n_layers, H]."""
    edits, before = knock_outs(encoder.config, ("attention.heads",)), trace["output"][position]
    result = [outcome.output[position] for chunk in outcomes(encoder, trace, edits, None, ROWS) for outcome in chunk]
    return (length(torch.stack(result) - before) / length(before)).view(encoder.config.n_layers, -1)


@dataclass(frozen=True)
class Links:
    """How much more heads look from one word of labelled pairs to the other than words placed alike do.

    `more` [2, n_layers, H] is the mean over `pairs` pairs, the first word looking at the second one first; `chance` is
    what the largest of all heads, layers and directions seldom exceeds for random words.
    """

    more: Tensor
    chance: float
    pairs: int

    @property
    def bar(self) -> float:
        """From where on it counts."""
        return max(LEAST, self.chance)

    @property
    def best_of(self) -> Tensor:
        """The better direction in the best layer of each head: [H]."""
        return self.more.amax((0, 1))

    def layer(self, head: int) -> int:
        """The layer in which a head links most."""
        return int(self.more[..., head].amax(0).argmax())


def links(encoder: TextEncoder, job: str) -> Links | None:
    """The labelled pairs of a job held against draws of other words; None where too few stand as they do.

    In each draw every labelled sentence gives its pattern of places to a bundled one, so that pairs of one sentence
    stay together. What counts by chance is the largest of all heads, layers and directions, RARE shared out to all jobs
    of LINKS.
    """
    generator = torch.Generator().manual_seed(0)
    ours, draws = [], []
    labelled = [sentence for sentence, _ in LINKS[job]]
    for sentence, pairs in LINKS[job]:
        trace = encoder.trace(sentence)
        places = places_of(trace, pairs)
        others = usual(encoder, places, len(trace.tokens), labelled)
        if others is None:
            return None
        ours.append(looks(trace).pairs(places) - others.habit)
        draws.append(others.chance[torch.randint(len(others.chance), (DRAWS,), generator=generator)].sum(1))
    every = torch.cat(ours)
    largest = (torch.stack(draws).sum(0) / len(every)).flatten(1).amax(1)
    return Links(every.mean(0), float(largest.quantile(1 - RARE / len(LINKS))), len(every))


def of_links(result: Links | None, job: str, head: int | None = None) -> Finding:
    """Return whether the head of this number has a job, or whether some head has one."""
    if result is None:
        return untried("Too few words stand as the labelled ones do in the sentences to compare with.")
    best = int(result.best_of.argmax())
    which = best if head is None else head
    strengths, value = result.more.amax(0)[:, which], float(result.best_of[which])
    able = [str(i) for i, strength in enumerate(strengths.tolist()) if strength > result.bar]
    text = (
        f"Best for {job} is head {best}, in layer {result.layer(best)}: over {result.pairs} labelled pairs it puts "
        f"{points(float(result.best_of[best]))} more of a word's weight on the other word than words placed alike "
        f"and even attention explain. It counts from {points(result.bar)} on: with random words the best of all "
        f"heads reaches {points(result.chance)} in 1 of {len(LINKS) / RARE:.0f} draws."
    )
    judgement, whose = judge(bool(able)), "the best head"
    if head is not None:
        if len(strengths) > 1:
            text += f" Head {head} is another head in each of {len(strengths)} layers; {len(able) or 'none'} of them "
            text += "counts." if len(able) < 2 else "count."
        if best != head:
            text += f" The best of them has {points(value)}, in layer {result.layer(head)}."
        layers = f"in {'layer' if len(able) == 1 else 'layers'} {listed(able)} alone" if able else ""
        condition = layers if best == head else f"head {best} links them more" if able else ""
        judgement, whose = judge(best == head and len(able) == len(strengths), condition), f"head {head}"
    what = f"weight of {whose} on the other word, beyond what its place explains"
    return Finding(value, what, text, judgement, by_head(result.more.amax(0)))


@claim(
    "head-one",
    "tutorial",
    "The first head, head 0 here, links subject, verb and object.",
    lesson="many-heads",
    head=0,
    job=SVO,
)
@claim(
    "head-two",
    "tutorial",
    "The second head, head 1 here, links things and places.",
    lesson="many-heads",
    head=1,
    job="place",
)
@claim("head-three", "tutorial", "The third head, head 2 here, links words of time.", page="heads", head=2, job="time")
@trial(runs=58, held=18, seconds=0.3, job=JOB)
def head_job(encoder: TextEncoder, head: int, job: str) -> Finding:
    """The head of this number links the words of one kind of relation, more than other words and than other heads.

    In every layer: a head of the same number in another layer is another head, with weights of its own.
    """
    if not 0 <= head < encoder.config.n_heads:
        raise EncoderError(f"there is no head {head}; heads go from 0 to {encoder.config.n_heads - 1}")
    return of_links(links(encoder, job), job, head)


@claim("some-head", "guide workflow", "Some head links subject, verb and object.", page="heads", job=SVO)
@trial(runs=58, held=18, seconds=0.3, job=JOB)
def some_head_links(encoder: TextEncoder, job: str) -> Finding:
    """Some head links the words of one kind of relation more than other words."""
    return of_links(links(encoder, job), job)
