"""Pieces merged to words: the tokenizer says which pieces are one word, and attention is summed and averaged over them.

The rule is that of Clark et al. 2019, "What Does BERT Look At?", section 4: attention to a word is the sum over its
pieces, attention from a word the mean over them, so that every row still sums to 1.
"""

from collections.abc import Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor

from encoder.trace.tokens import Tokens

Groups = tuple[tuple[int, ...], ...]


def word_groups(tokens: Tokens, tokenizer: Tokenizer) -> Groups:
    """The positions of each word's pieces, in reading order; every position is in one group.

    A word is what the tokenizer splits into pieces, so punctuation stands alone where the tokenizer takes it apart.
    Special tokens and padding stand alone, and no word reaches from one sentence of a pair into the other.
    """
    words = {segment: iter(word_ids(text, tokenizer)) for segment, text in enumerate((tokens.text, tokens.pair))}
    groups: list[list[int]] = []
    before: object = None
    for i, special in enumerate(tokens.special):
        segment = tokens.segments[i] if tokens.segments else 0
        word = None if special else (segment, next(words[segment], None))
        if word is not None and word[1] is not None and word == before:
            groups[-1].append(i)
        else:
            groups.append([i])
        before = word
    return tuple(map(tuple, groups))


def word_ids(text: str, tokenizer: Tokenizer) -> list[int | None]:
    """For each piece of a text, the number of its word."""
    found: list[int | None] = tokenizer.encode(text, add_special_tokens=False).word_ids
    return found


def words(tokens: Tokens, groups: Groups) -> list[str]:
    """A label for each group: what was typed for it, and the token itself where nothing was."""
    return [spelled(tokens, group) for group in groups]


def spelled(tokens: Tokens, group: Sequence[int]) -> str:
    """The stretch of text from the first piece of a word to its last."""
    first, last = group[0], group[-1]
    if tokens.special[first]:
        return tokens.tokens[first]
    text = tokens.pair if tokens.segments and tokens.segments[first] else tokens.text
    return text[tokens.spans[first][0] : tokens.spans[last][1]].strip() or tokens.tokens[first]


def merge(weights: Tensor, groups: Groups) -> Tensor:
    """Attention from word to word: columns of a word's pieces summed, rows averaged [..., n, n] -> [..., m, m].

    Raises:
        ValueError: weights that are not over the positions of the groups.
    """
    n = sum(map(len, groups))
    if weights.dim() < 2 or weights.shape[-2:] != (n, n):
        raise ValueError(f"weights are {list(weights.shape)} for groups of {n} tokens; they must be [..., {n}, {n}]")
    belongs = torch.zeros(len(groups), n, dtype=weights.dtype)
    for word, group in enumerate(groups):
        belongs[word, list(group)] = 1
    return (belongs / belongs.sum(-1, keepdim=True)) @ weights @ belongs.T
