"""Who looks at whom: the strongest look, where attention rests, and how many heads do the same."""

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import attention_weights
from encoder.metrics.strongest_looks import even_share, stands_out
from encoder.metrics.word_kinds import token_kinds
from encoder.support.formatting import listed, percent
from encoder.teach.story.stop import StoryStop, Subject, Values, band, best_first, called, options
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens

QUARTERS = ("less than a quarter", "a quarter to a half", "a half to three quarters", "three quarters or more")


def strongest(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """What the word looks at most, in the head that looks hardest from word to word."""
    row = attention_weights(trace, about.layer)[about.head, about.word].numpy()
    name, kind = called(trace, about.word), "other word" if about.words else "other token" if len(row) > 1 else "token"
    offered, place = options(about.looked_at, best_first(row, about.others), lambda i: called(trace, i), "at nothing")
    share, where = percent(float(row[about.looked_at]), 1), f"in layer {about.layer}, head {about.head}"
    text = f"{name} gives {share} of its attention to {called(trace, about.looked_at)}, {where}"
    text += f": {about.excels}" if about.excels else ""
    weak = len(row) > 1 and not stands_out(trace, float(row[about.looked_at]))
    little = f" That is little: even attention would give {percent(even_share(trace), 1)}." if weak else ""
    return StoryStop(
        "The strongest look",
        f"Attention is how much a token looks at each token. Which {kind} does {name} look at most, {where}?",
        offered,
        place,
        f"{text}.{little}",
        "arcs" if about.words else "bars",
        "start",
        Values({"weight": row}, tokens(trace), f"attention of {name}"),
        word=about.word,
        layer=about.layer,
        head=about.head,
        seen=about.looked_at,
    )


def parked(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """How much weight rests on what the model adds; how much on the tokens themselves where it adds nothing."""
    kinds = token_kinds(trace)[: len(tokens(trace))]
    added = [i for i, kind in enumerate(kinds) if kind == "special"]
    looking = [i for i, kind in enumerate(kinds) if kind != "special"] or list(range(len(kinds)))
    mean = attention_weights(trace).double().mean((0, 1)).numpy()[looking]
    received = mean.mean(0)
    every = f"all {trace.config.n_layers * trace.config.n_heads} heads"
    if added:
        share = float(received[added].sum())
        on = listed(list(dict.fromkeys(trace.tokens[i] for i in added)))
        question = (
            f"The model adds {on} to the text. How much of their attention do the tokens of the text give to that?"
        )
        text = f"Over {every}, the tokens of the text give {percent(share)} of their attention to {on}."
    else:
        share = float(mean[np.arange(len(looking)), looking].mean())
        question = "How much of its attention does a token give to itself, on average?"
        text = f"Over {every}, a token gives {percent(share)} of its attention to itself, on average."
    return StoryStop(
        "Where it rests",
        question,
        QUARTERS,
        band(share, (0.25, 0.5, 0.75)),
        text,
        "bars",
        "heads",
        Values({"mean weight": received}, tokens(trace), "mean weight that it gets"),
    )


def agreeing(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """How many heads look from the word at the same one most."""
    total = trace.config.n_layers * trace.config.n_heads
    others = list(about.others)
    rows = attention_weights(trace)[:, :, about.word].numpy()[..., others]
    count = int((rows.argmax(-1) == others.index(about.looked_at)).sum())
    offered, place = options(count, (total, total // 2, total // 4, total // 8, total // 3, 0))
    name, seen = called(trace, about.word), called(trace, about.looked_at)
    kind = "words" if about.words else "tokens"
    heads = "several heads that look on their own" if trace.config.n_heads > 1 else "one head"
    only = f" most at {seen}, the only one there is" if len(others) < 2 else ""
    at = only or f" more at {seen} than at any of the other {kind}"
    return StoryStop(
        "Many heads",
        f"Every layer has {heads}. How many of {total} look from {name}{at}?",
        offered,
        place,
        f"{count} of {total} heads look{'s' if count == 1 else ''} from {name}{at}.",
        "heads",
        "heads",
        word=about.word,
        layer=about.layer,
        head=about.head,
    )
