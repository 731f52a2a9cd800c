"""What is carried: what flows along the strongest look, and what attention and feed-forward add."""

from dataclasses import replace

import numpy as np

from encoder.metrics import attention_weights, length, norm_weighted
from encoder.support.formatting import brief, listed, percent, shown
from encoder.teach.story.stop import StoryStop, Values, best_first, called, options
from encoder.teach.story.strong_look import Subject
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows, tokens

FAR = 20  # times as long: beside such a bar that of the word is none
MOST_NAMED = 4  # tokens that are not drawn


def flowing(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """From which token the word takes most, weight times what is carried."""
    layer, head, word = about.layer, about.head, about.word
    weights = attention_weights(trace, layer)[head, word].double().numpy()
    flow = norm_weighted(trace, layer, slice(head, head + 1))[0, word].double().numpy()
    share = flow / flow.sum() if flow.sum() else flow
    most, heaviest = int(share.argmax()), int(weights.argmax())
    order = [heaviest, *best_first(share, range(len(share)))]
    offered, place = options(most, order, lambda i: called(trace, i), "from none")
    if not flow.sum():
        offered, place = (*offered[:3], "from none"), len(offered[:3])
        said = f"Nothing flows to {called(trace, word)} here: what the tokens carry in this head has length 0."
    else:
        said = f"From {called(trace, most)} comes {percent(float(share[most]))} of what flows, with "
        said += f"{percent(float(weights[most]))} of the weight."
        if heaviest != most:
            said += f" The largest weight, {percent(float(weights[heaviest]))}, is on {called(trace, heaviest)}, from "
            said += f"which {percent(float(share[heaviest]))} of what flows comes."
    return StoryStop(
        "What flows",
        f"A token hands on its value times the weight. From which does {called(trace, word)} take most, in layer "
        f"{layer}, head {head}?",
        tuple(dict.fromkeys(offered)),
        place,
        said,
        "bars",
        "heads",
        Values({"attention weight": weights, "what flows": share}, tokens(trace), "share"),
        word,
        layer,
        head,
        choices={"heads_part": "What really flows"},
    )


def near(lengths: dict[str, np.ndarray], names: list[str], word: int, title: str) -> Values:
    """The lengths at all tokens but those beside whose bars the word's own could not be seen."""
    longest = np.max([*lengths.values()], axis=0)
    seen = np.flatnonzero(longest <= FAR * longest[word]) if longest[word] else np.arange(len(names))
    values = Values({name: series[seen] for name, series in lengths.items()}, [names[i] for i in seen], title)
    if len(seen) == len(names):
        return values
    beyond = [i for i in range(len(names)) if i not in seen]
    said = listed([f"“{shown(names[i])}” ({brief(float(longest[i]))})" for i in beyond[:MOST_NAMED]])
    more = f", and {len(beyond) - MOST_NAMED} more" if len(beyond) > MOST_NAMED else ""
    left_out = (
        f"Not drawn, because they are more than {FAR} times as long as those of “{shown(names[word])}”: {said}{more}."
    )
    return replace(values, at=tuple(seen.tolist()), left_out=left_out)


def added(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """Whether attention or feed-forward adds the longer vector, and how many units do it."""
    at = f"layers.{about.layer}."
    lengths = {
        "attention": length(rows(trace, f"{at}attention.output")).numpy(),
        "feed-forward": length(rows(trace, f"{at}feed_forward.output")).numpy(),
    }
    attention, feed_forward = (float(series[about.word]) for series in lengths.values())
    units = rows(trace, trace.step(f"{at}feed_forward.output").inputs[0])[about.word]
    name, active = called(trace, about.word), int((units > 0).sum())
    same = attention == feed_forward
    return StoryStop(
        "What is added",
        f"In layer {about.layer} attention adds a vector to {name}, feed-forward another. Which is longer?",
        ("attention's", "feed-forward's", "both the same") if same else ("attention's", "feed-forward's"),
        2 if same else int(np.argmax([attention, feed_forward])),
        f"Attention adds a vector of length {brief(attention)}, feed-forward one of {brief(feed_forward)}; "
        f"{active:,} of its {len(units):,} units are above zero for {name}.",
        "bars",
        "feed_forward",
        near(lengths, tokens(trace), about.word, f"length of what layer {about.layer} adds"),
        about.word,
        about.layer,
        step="feed_forward.output",
    )
