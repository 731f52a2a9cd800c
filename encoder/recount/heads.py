"""What the heads of a model look at: neighbours, special tokens, and the words that grammar links.

The rule for grammar is that of Clark et al. 2019, section 4: the word of the largest weight is the answer, without the
word itself and the special tokens. Beside it stands the rule that needs no model: a fixed distance.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.metrics.habits import measured, runs
from encoder.metrics.roles import NO_ROLE, ROLES, SPECIAL, TOO_FEW, head_roles
from encoder.metrics.sentences import BUNDLED, SENTENCES
from encoder.probes.labelled import TAGS, Labelled, labelled
from encoder.text_encoder import TextEncoder
from encoder.trace.unpadded import attention_weights
from encoder.trace.words import places
from encoder.train.diagnostics import SWITCHED_OFF, habits

PARKED = 0.5  # of a head's weight on special tokens, over all rows, from which it is counted
BE = {"am", "is", "are", "was", "were", "be", "been"}
Links = Iterator[tuple[int, int]]


def noun_from(tags: str, start: int) -> int | None:
    """The noun of a phrase that goes on at a word, behind its adjectives and adverbs; None where none comes."""
    rest = tags[start:]
    before = len(rest) - len(rest.lstrip("AR"))
    nouns = len(rest) - before - len(rest[before:].lstrip("N"))
    return start + before + nouns - 1 if nouns else None


def nouns_of_determiners(words: tuple[str, ...], tags: str) -> Links:
    """From each determiner to its noun."""
    for i, tag in enumerate(tags):
        noun = noun_from(tags, i + 1)
        if tag == "D" and noun is not None:
            yield i, noun


def verbs_of_objects(words: tuple[str, ...], tags: str) -> Links:
    """From each noun whose phrase follows a verb at once to that verb; "is" and its forms have no object."""
    for i, tag in enumerate(tags):
        noun = noun_from(tags, i + 1 + (tags[i + 1 : i + 2] == "D"))
        if tag == "V" and tags[i + 1 : i + 2] != "R" and words[i].lower() not in BE and noun is not None:
            yield noun, i


RELATIONS: dict[str, Callable[[tuple[str, ...], str], Links]] = {
    "determiner to its noun": nouns_of_determiners,
    "object to its verb": verbs_of_objects,
}


@dataclass(frozen=True)
class RelationScores:
    """How often heads find the word that grammar links.

    `chosen` and `scored` are shares of right answers [n_layers * H] on the two halves of the sentences, the second of
    `links` links; `fixed` is the share of the best fixed distance, `distance`, on all of them, which favours it.
    """

    chosen: Tensor
    scored: Tensor
    links: int
    distance: int
    fixed: float

    @property
    def best(self) -> int:
        """The head that is best on the half that chooses, layer by layer."""
        return int(self.chosen.argmax())


def examined(encoder: TextEncoder, relation: str) -> RelationScores:
    """Examine every head on the labelled sentences, in halves that keep sentences of nearly the same words together."""
    right: tuple[list[Tensor], list[Tensor]] = ([], [])
    distances = Counter[int]()
    known = {one.text: (i, one) for i, one in enumerate(labelled())}
    for trace in runs(encoder, list(known)):
        i, one = known[trace.text]
        words = places(trace.tokenization.spans, one.words)
        answers = looked_at(attention_weights(trace).flatten(0, 1), words)  # [heads, words]
        for source, target in RELATIONS[relation](one.words, letters(one)):
            right[i // 2 % 2].append(answers[:, source] == target)
            distances[target - source] += 1
    distance, most = distances.most_common(1)[0]
    chosen, scored = (torch.stack(half).float().mean(0) for half in right)
    return RelationScores(chosen, scored, len(right[1]), distance, most / distances.total())


def letters(one: Labelled) -> str:
    """The parts of speech of a sentence, a letter a word."""
    return "".join([*TAGS][tag] for tag in one.tags)


def looked_at(weights: Tensor, words: list[list[int]]) -> Tensor:
    """The other word that each word looks at most: weights [heads, n, n] -> [heads, words]."""
    rows = torch.stack([weights[:, pieces].mean(1) for pieces in words], 1)
    between = torch.stack([rows[..., pieces].sum(-1) for pieces in words], -1)
    between.diagonal(dim1=-2, dim2=-1).fill_(-1)
    return between.argmax(-1)


def lines(encoder: TextEncoder) -> Iterator[str]:
    """What a card says of heads."""
    n_layers, n_heads = encoder.config.n_layers, encoder.config.n_heads
    words, weights = list[list[str]](), list[Tensor]()
    for trace in runs(encoder, SENTENCES):
        words.append(trace.tokens)
        weights.append(attention_weights(trace).flatten(0, 1))
    parked = (measured(weights, words, ["special"])["special"] > PARKED).view(n_layers, n_heads).sum(-1)
    diagnosed = habits(encoder)
    on_special = diagnosed.values["specials"]
    yield f"Heads over the {BUNDLED}, layers and heads from 0"
    for i, role in enumerate(head_roles(weights, words)):
        if role.label not in (NO_ROLE, TOO_FEW, ROLES[SPECIAL], "sep", "cls"):
            yield f"  {role.label}: {name(encoder, i)}, mean weight {role.mass:.2f}"
    yield (
        f"  over half of their weight on [CLS] and [SEP]: {int(parked.sum())} of {n_layers * n_heads}, "
        f"by layer {', '.join(map(str, parked.tolist()))}"
    )
    yield (
        f"  over {100 * SWITCHED_OFF:.0f} % of the words' weight there: {int((on_special > SWITCHED_OFF).sum())}; "
        f"least and most in layer 0: {100 * float(on_special[0].min()):.1f} and "
        f"{100 * float(on_special[0].max()):.1f} %"
    )
    yield f"  saturated layers: {', '.join(map(str, diagnosed.saturated)) or 'none'}"
    yield "Heads that find a word by grammar, in encoder/probes/labelled.txt: chosen on one half, scored on the other"
    for relation in RELATIONS:
        found = examined(encoder, relation)
        yield (
            f"  {relation}: {name(encoder, found.best)}, {100 * float(found.scored[found.best]):.1f} % of "
            f"{found.links}; best fixed distance ({found.distance:+d}): {100 * found.fixed:.1f} %"
        )


def name(encoder: TextEncoder, head: int) -> str:
    """A head, counted layer by layer, as people write it: L3H6."""
    return "L{}H{}".format(*divmod(head, encoder.config.n_heads))
