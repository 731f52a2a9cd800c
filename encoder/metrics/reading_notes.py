"""What a reader must know of a text before they believe a number: what the model does not know, or does not read."""

import re
import unicodedata

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.checkpoint.tokenizer_files import UNKNOWN
from encoder.metrics.word_kinds import OF_GRAMMAR, words_known
from encoder.trace.gaps import TYPED, gaps
from encoder.trace.tokens import Tokens
from encoder.trace.words import punctuation

SEVERAL = 4  # words from which on English has one of grammar
LATIN = 0.8  # of a vocabulary's pieces from which on it is one of Latin letters


def notes(encoder: TextEncoder, text: Tokens) -> list[str]:
    """Return it in sentences: words that are unknown, signs that are left out, gaps without a mask, a lost end."""
    foreign, known = other_letters(encoder, text), words_known(text)
    foreign_words = not (foreign or known.few) and known.pieces > 0 and no_english(text)
    sentences = (
        foreign or known.sentence,
        english(encoder, "It", ".") if foreign or known.few else "",
        english(encoder, "The model", ": what it does with this text says little.") if foreign_words else "",
        unknown(text, known.unknown if foreign else 0),
        left_out(text),
        without_mask(encoder, text),
        encoder.cut(text),
    )
    return [sentence for sentence in sentences if sentence]


def other_letters(encoder: TextEncoder, text: Tokens) -> str:
    """Say so where most letters of a text are no Latin ones and those of the vocabulary are; empty otherwise."""
    letters = [c for c in TYPED.sub("", f"{text.text} {text.pair}") if c.isalpha()]
    if 2 * sum(unicodedata.name(c, "").startswith("LATIN") for c in letters) >= len(letters):
        return ""
    pieces = [piece for piece in encoder.tokenizer.get_vocab() if any(map(str.isalpha, piece))]
    if sum(map(str.isascii, pieces)) < LATIN * len(pieces):
        return ""
    return "This text is not in Latin letters, but the model's vocabulary is: what it does with it says little."


def no_english(text: Tokens) -> bool:
    """Whether none of several words is one that nearly every sentence of English has."""
    words = re.findall(r"[^\W\d_]+", TYPED.sub("", f"{text.text} {text.pair}").lower())
    return len(words) >= SEVERAL and not OF_GRAMMAR.intersection(words)


def english(encoder: TextEncoder, it: str, end: str) -> str:
    """Say so of a bundled model, all of which read English alone; empty of another."""
    source = encoder.source
    return f"{it} learned from English alone{end}" if source.sha256 and not source.origin and not source.maker else ""


def unknown(text: Tokens, words: int) -> str:
    """Say how many marks are unknown to the model, and so many words that nothing else is said of; empty for none."""
    marks = sum(punctuation(text.typed(i)) for i, token in enumerate(text.tokens) if token in UNKNOWN)
    counts = [f"{n} {kind}{'s' * (n > 1)}" for n, kind in ((words, "word"), (marks, "mark")) if n]
    return f"{' and '.join(counts)} {'is' if words + marks == 1 else 'are'} unknown to the model." if counts else ""


def left_out(text: Tokens) -> str:
    """Say how many letters and signs of a text no token stands for; empty where there are none.

    Tokenizers without a token for what they do not know leave it out. Marks on letters that are read do not count.
    """
    lost = 0
    for segment, sentence in enumerate((text.text, text.pair)):
        read = {
            place for span, of in zip(text.spans, text.segments, strict=True) if of == segment for place in range(*span)
        }
        lost += sum(i not in read and unicodedata.category(c)[0] in "LNPS" for i, c in enumerate(sentence))
    if not lost:
        return ""
    lead = "1 sign of this text is" if lost == 1 else f"{lost:,} signs of this text are"
    return f"{lead} left out, for want of a token in this vocabulary."


def without_mask(encoder: TextEncoder, text: Tokens) -> str:
    """Say so where a gap was typed for a model that has no mask; empty otherwise."""
    typed = [sentence[slice(*place)] for sentence in (text.text, text.pair) for place in gaps(sentence)]
    if encoder.mask_token is not None or not typed:
        return ""
    return f"This model has no mask, so no word is hidden: it reads {typed[0]} as it is written."
