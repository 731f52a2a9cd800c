"""A tokenizer of its own for a corpus: lower case, words and their pieces (WordPiece, Schuster & Nakajima 2012)."""

from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import WordPiece
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import WordPieceTrainer

from encoder.support.errors import EncoderError

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ALIKE = {  # written in many ways, read as one
    '"': "“”„«»",
    "'": "‘’ʼ`´",  # noqa: RUF001
    "-": "–—−‐‑",  # noqa: RUF001
    "...": "…",
}
LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}  # noqa: RUF001
# "didn't" and "o'clock" are one word, "it's" two; digits, letters, other scripts and every sign stand apart.
WORDS = (
    r"o'clock(?![a-z])|[a-z]+n't(?![a-z])|'(?:s|m|d|ll|re|ve)(?![a-z])|[a-z]+|[0-9]+"
    r"|[^\sa-z0-9\p{P}\p{S}]+|[\p{P}\p{S}]"
)


class TrainingError(EncoderError):
    """Training that cannot start or go on; the message says why and what to do."""


def empty() -> Tokenizer:
    """Return how text is cleaned and cut into words, before any vocabulary is known."""
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]", max_input_chars_per_word=64))
    same = [normalizers.Replace(letter, plain) for plain, many in ALIKE.items() for letter in many]
    letters = [normalizers.Replace(letter, plain) for letter, plain in LETTERS.items()]
    tokenizer.normalizer = normalizers.Sequence(
        [*same, normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), *letters]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORDS), "removed", invert=True)
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def learn(texts: Sequence[str], vocab_size: int) -> Tokenizer:
    """Return a tokenizer whose vocabulary has exactly `vocab_size` pieces, the same for the same texts.

    The library numbers letters in the order of a hash table, another one in each process, and numbers decide between
    merges that are equally frequent. So the letters are found first, and given in their order.

    Raises:
        TrainingError: the texts do not hold so many pieces; the message says how many they do.
    """
    letters = max(30, vocab_size // 8)
    known = trained(texts, 0, SPECIAL, letters)
    first = [piece for piece in sorted(known) if len(piece) == 1]
    alphabet = first + [piece for piece in sorted(known) if len(piece) == 3 and piece.startswith("##")]
    pieces = trained(texts, vocab_size, (*SPECIAL, *alphabet), len(first), first)
    if len(pieces) != vocab_size:
        raise TrainingError(
            f"vocab_size is {vocab_size}, but this corpus supports {len(pieces)} pieces; "
            f"use --set vocab_size={len(pieces)} or a larger corpus"
        )
    tokenizer = empty()
    tokenizer.model = WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=64)
    tokenizer.add_special_tokens(list(SPECIAL))
    ends = [(token, pieces[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return tokenizer


def trained(
    texts: Sequence[str], vocab_size: int, first: Sequence[str], letters: int, alphabet: Sequence[str] = ()
) -> dict[str, int]:
    """Return pieces and their numbers: those in `first` come first, then as many as there is room for.

    Of single letters the most frequent are kept; with an `alphabet`, those in it.
    """
    tokenizer = empty()
    trainer = WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=list(first),
        show_progress=False,
        limit_alphabet=letters,
        initial_alphabet=list(alphabet),
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer.get_vocab()
