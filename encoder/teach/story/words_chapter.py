"""Words become numbers: tokens, the vector of each, and what is added for its place."""

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import length, nearest_words
from encoder.metrics.word_kinds import token_kinds
from encoder.support.formatting import brief, listed, shown
from encoder.teach.story.stop import StoryStop, Subject, Values, band, called, options
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows, tokens

NEAREST = 8  # words that are drawn
FAR = (60, 600, 6000)  # ranks of the words that are offered beside the nearest
ALIKE = 0.1  # lengths that differ by less than a tenth are about the same


def pieces(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """How many tokens the text is."""
    text, n = trace.tokenization, len(tokens(trace))
    added = [i for i, kind in enumerate(token_kinds(trace)[:n]) if kind == "special"]
    written = len(f"{text.text} {text.pair}".split())
    offered, place = options(n, (written, n - len(added), n + 2, n + 3, n + 4))
    names = list(dict.fromkeys(trace.tokens[i] for i in added))
    sentence = f"The model reads {n} token{'s' if n > 1 else ''}: {n - len(added)} from the text"
    sentence += f", and {len(added)} that it adds ({listed(names)})." if added else "; it adds none."
    longest = max((word for word in text.words if word[-1] < n), key=len)
    if len(longest) > 1:
        sentence += f" “{shown(text.spelled(longest))}” comes in {len(longest)} pieces."
    texts = "these two texts" if text.pair else "this text"
    question = f"A model reads tokens: words, or pieces of them. How many does it read for {texts}?"
    return StoryStop("Tokens", question, offered, place, sentence, "tokens", "start")


def nearest(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """Which other token of the vocabulary has the vector most like that of the word; of a mask, that it looks at."""
    at = about.looked_at if trace.tokens[about.word] == encoder.mask_token else about.word
    name, size = called(trace, at), trace.config.vocab_size
    result = nearest_words(encoder, trace.ids[at], max(FAR) + 1)
    words = [shown(word) for word, _ in result]
    offered, place = options(words[0], [words[rank] for rank in FAR if rank < len(words)] + words[:0:-1])
    cosines = np.array([value for _, value in result[:NEAREST]])
    return StoryStop(
        "Vectors",
        f"Each of the {size:,} tokens that the model knows is a vector of numbers. Whose points most nearly the same "
        f"way as that of {name}?",
        offered,
        place,
        f"“{words[0]}”: of all other tokens in the table its vector is nearest to that of {name}, with a cosine of "
        f"{brief(cosines[0])}.",
        "bars",
        "embedding",
        Values({"cosine": cosines}, [word for word, _ in result[:NEAREST]], f"cosine with {name}"),
        at,
        step="embedding.tokens",
    )


def places(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """How long the vector of a place is beside that of the word."""
    lengths = {
        "the word": length(rows(trace, "embedding.scaled")).numpy(),
        "its place": length(rows(trace, "embedding.positions")).numpy(),
    }
    word, place = (float(series[about.word]) for series in lengths.values())
    name = called(trace, about.word)
    text = f"The vector of {name} has length {brief(word)}, that of its place, position {about.word}, {brief(place)}"
    text += ": nothing is added for the place." if not place else f": {brief(place / word)} times." if word else "."
    return StoryStop(
        "Places",
        f"A vector for the place, added to the word's, can tell the order. How long is it here, beside that of {name}?",
        ("shorter", "about as long", "longer"),
        band(place, ((1 - ALIKE) * word, (1 + ALIKE) * word)) if place or word else 1,
        text,
        "bars",
        "embedding",
        Values(lengths, tokens(trace), "length"),
        about.word,
        step="embedding.positions",
    )
