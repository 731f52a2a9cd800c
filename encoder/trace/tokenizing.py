"""From text to the pieces that a model knows: one sentence, or a pair of them, cut where it is too long."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from tokenizers import Encoding, Tokenizer

from encoder.support.errors import EncoderError
from encoder.trace.gaps import TextRead, with_mask
from encoder.trace.tokens import Text, Tokens
from encoder.trace.words import word_groups

SPACE = "▁"  # as SentencePiece writes it
MAX_CHARACTERS = 100_000  # of one sentence


class Piece(NamedTuple):
    """One token of the input; `segment` is 0 in sentence A and 1 in sentence B, `word` counts within the sentence."""

    id: int
    token: str
    special: bool
    segment: int
    span: tuple[int, int] = (0, 0)
    word: int | None = None


class Cut(NamedTuple):
    """What was read of one sentence: its text up to `characters`, and the number of tokens left out after that."""

    text: str
    dropped: int
    characters: int


def tokens(tokenizer: Tokenizer, asked: Text, most: int, mask: str | None = None) -> Tokens:
    """Split a sentence, or a pair, into `most` tokens or fewer; the result says where it was cut.

    Of a pair the longer sentence is cut first, until both are equally long, and then both. A gap that was typed, see
    `encoder.trace.gaps`, is read as the model's mask; spans and texts stay those of what was typed.

    Raises:
        EncoderError: fewer tokens than the special ones of a pair, or a tokenizer that fails on this text.
    """
    texts = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in sentences(asked)]
    read = [with_mask(text[:MAX_CHARACTERS], mask) for text in texts]
    with failures_told():
        # Of a batch the library lets other threads go on meanwhile; of a single text it does not.
        parts = tokenizer.encode_batch([each.text for each in read], add_special_tokens=False)
        lengths = [len(part) for part in parts]
        room = most - (len(joined(tokenizer, parts)) - sum(lengths))
        if room < 0:
            raise EncoderError(f"this takes {most - room} special tokens alone; {most} tokens or fewer are read")
        for part, length in zip(parts, shares(lengths, room), strict=True):
            part.truncate(length)
        pieces = placed(joined(tokenizer, parts), texts, read, parts)
        typed = [texts[piece.segment][slice(*piece.span)] for piece in pieces]
        stretch = stretches([texts[piece.segment][: piece.span[0]] for piece in pieces], typed)
    cuts = [cut(*each) for each in zip(texts, read, parts, lengths, strict=True)]
    return Tokens(
        text=cuts[0].text,
        ids=tuple(piece.id for piece in pieces),
        tokens=tuple(piece.token for piece in pieces),
        spans=tuple(piece.span for piece in pieces),
        special=tuple(piece.special for piece in pieces),
        dropped=cuts[0].dropped,
        kept_characters=cuts[0].characters,
        words=word_groups(
            [None if p.word is None else (p.segment, p.word, k) for p, k in zip(pieces, stretch, strict=True)],
            typed,
            [piece.span for piece in pieces],
        ),
        segments=tuple(piece.segment for piece in pieces),
        pair=cuts[1].text if len(cuts) > 1 else "",
        pair_dropped=cuts[1].dropped if len(cuts) > 1 else 0,
        pair_kept_characters=cuts[1].characters if len(cuts) > 1 else 0,
        inputs=texts[0] if isinstance(asked, str) else (texts[0], texts[1]),
        mask=mask,
        unread=sum(max(0, len(text) - MAX_CHARACTERS) for text in texts),
    )


def stretches(before: Sequence[str], typed: Sequence[str]) -> list[int]:
    """Which stretch of text without white space each piece is in, given the text before it and its own.

    Some tokenizers write a mark for every space before they split anything, and then take a whole text for one word.
    White space that is a piece of its own belongs to the stretch after it.
    """
    numbers, start, blank = [0], -1, False
    for text, own in zip(before, typed, strict=True):
        after = text[-1:].isspace() or own[:1].isspace()
        numbers.append(numbers[-1] + (after and not blank and len(text) != start))
        start, blank = len(text), bool(own) and own.isspace()
    return numbers[1:]


@contextmanager
def failures_told() -> Iterator[None]:
    """Tell in a sentence what the tokenizers library fails with: bare exceptions, and panics that are none."""
    try:
        yield
    except ValueError:
        raise
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise EncoderError(
                f"the tokenizer cannot read this text: {str(error)[:200] or type(error).__name__}"
            ) from None
        raise


def sentences(asked: Text) -> tuple[str, ...]:
    """The sentences that were asked for, one or two."""
    if isinstance(asked, str):
        return (asked,)
    if not isinstance(asked, tuple) or len(asked) != 2 or not all(isinstance(sentence, str) for sentence in asked):
        raise EncoderError(f"got {asked!r:.60}; a text is a str, or a tuple of two for a pair of sentences")
    return asked


def shares(lengths: list[int], room: int) -> list[int]:
    """How many tokens each sentence keeps: all of a short one, the rest for the other, and half each of two long."""
    if len(lengths) == 1:
        return [min(lengths[0], room)]
    a, b = lengths
    half = max((room + 1) // 2, room - b)
    a = min(a, half)
    return [a, min(b, room - a)]


def cut(text: str, read: TextRead, part: Encoding, length: int) -> Cut:
    """What is left of a sentence that had `length` tokens."""
    dropped = length - len(part)
    shortened = dropped or len(text) > MAX_CHARACTERS
    kept = max((read.span_typed(*span)[1] for span in part.offsets), default=0) if shortened else len(text)
    return Cut(text[:kept], dropped, kept)


def joined(tokenizer: Tokenizer, parts: list[Encoding]) -> list[Piece]:
    """One or two sentences with the special tokens that the tokenizer puts around them.

    A tokenizer that knows no pairs closes each sentence as it closes a single one: [CLS] A [SEP] B [SEP].
    """
    if len(parts) == 1:
        return rows(tokenizer, tokenizer.post_process(parts[0]), 0)
    if tokenizer.num_special_tokens_to_add(True) < tokenizer.num_special_tokens_to_add(False):
        first, second = (rows(tokenizer, tokenizer.post_process(part), i) for i, part in enumerate(parts))
        opening = next((i for i, piece in enumerate(second) if not piece.special), len(second) - 1)
        return first + second[opening:]
    both = tokenizer.post_process(parts[0], parts[1])
    if set(both.type_ids) == {0, 1}:
        return [
            piece._replace(segment=kind) for piece, kind in zip(rows(tokenizer, both, 0), both.type_ids, strict=True)
        ]
    words = [i for i, special in enumerate(both.special_tokens_mask) if not special]
    start = words[len(parts[0])] if len(parts[1]) else len(both) - 1  # RoBERTa's types do not tell: B's first word
    return [piece._replace(segment=int(i >= start)) for i, piece in enumerate(rows(tokenizer, both, 0))]


def rows(tokenizer: Tokenizer, encoding: Encoding, segment: int) -> list[Piece]:
    """The tokens of an encoding, called what the vocabulary calls them: an encoding may hold the typed text instead."""
    columns = zip(encoding.ids, encoding.special_tokens_mask, strict=True)
    return [Piece(i, str(tokenizer.id_to_token(i)), bool(special), segment) for i, special in columns]


def placed(pieces: list[Piece], texts: list[str], read: list[TextRead], parts: list[Encoding]) -> list[Piece]:
    """The same with the stretch of the text behind each, without the space before it, and the number of its word.

    They are those of the parts: a byte-level post-processor takes the space off once more, with a letter in its place.
    """
    places = [iter(zip(part.offsets, part.word_ids, strict=True)) for part in parts]
    placed_pieces = []
    for piece in pieces:
        if not piece.special:
            place = next(places[piece.segment], None)
            if place is None:
                raise EncoderError("the tokenizer cannot read a pair: its template has one of the sentences twice")
            span, word = place
            start, end = read[piece.segment].span_typed(*span)
            typed = texts[piece.segment][start:end]
            bare = piece.token == SPACE and not typed.isspace()  # the space that a tokenizer sets before a text
            span = (start, start) if bare else trimmed(texts[piece.segment], start, end)
            piece = piece._replace(span=span, word=word)
        placed_pieces.append(piece)
    return placed_pieces


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of text without the space around it; as it is where it is nothing else."""
    typed = text[start:end]
    return (start + len(typed) - len(typed.lstrip()), start + len(typed.rstrip())) if typed.strip() else (start, end)
