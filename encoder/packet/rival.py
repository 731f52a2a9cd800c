"""The word that a guess is held against, wherever the lead of one word over another is told."""

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.links import OTHER_NUMBER
from encoder.packet.run import shown_word
from encoder.trace.trace import Trace

GOES_ON = "##"  # begins a piece that goes on with a word
LIKELIEST = 10  # words, among which the next one is looked for


def rival_of(encoder: TextEncoder, trace: Trace, position: int) -> int:
    """Return the id of the first guess's rival: the other number of a verb, else the next word in whatever letters.

    A whole word goes before the end of one, where one is among the likeliest.
    """
    first, *others = trace["mlm.logits"][position].topk(min(LIKELIEST, trace.config.vocab_size)).indices.tolist()
    guess = shown_word(encoder, first)
    other = encoder.tokenizer.token_to_id(OTHER_NUMBER.get(guess, ""))
    if other is not None:
        return int(other)
    names = {i: shown_word(encoder, i) for i in others}
    different = [i for i in others if names[i].lower() != guess.lower()] or others
    return int(next((i for i in different if not names[i].startswith(GOES_ON)), different[0]))
