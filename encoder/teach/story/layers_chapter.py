"""What is carried along the strongest look and added, and again, layer after layer: how alike all tokens become."""

from dataclasses import replace

import numpy as np
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import attention_weights, cosine_matrix, length, norm_weighted, stream
from encoder.metrics.sublayers import added_ratios
from encoder.support.formatting import brief, listed, percent, shown
from encoder.teach.story.stop import StoryStop, Subject, Values, band, best_first, called, options
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
        text = f"Nothing flows to {called(trace, word)} here: what the tokens carry in this head has length 0."
    else:
        text = f"From {called(trace, most)} comes {percent(float(share[most]))} of what flows, with "
        text += f"{percent(float(weights[most]))} of the weight."
        if heaviest != most:
            text += f" The largest weight, {percent(float(weights[heaviest]))}, is on {called(trace, heaviest)}, from "
            text += f"which {percent(float(share[heaviest]))} of what flows comes."
    return StoryStop(
        "What flows",
        f"A token hands on its value times the weight. From which does {called(trace, word)} take most, in layer "
        f"{layer}, head {head}?",
        tuple(dict.fromkeys(offered)),
        place,
        text,
        "bars",
        "heads",
        Values({"attention weight": weights, "what flows": share}, tokens(trace), "share"),
        word,
        layer,
        head,
        choices={"more": "flow"},
    )


def near(lengths: dict[str, np.ndarray], names: list[str], word: int, title: str) -> Values:
    """The lengths at all tokens but those beside whose bars the word's own could not be seen."""
    longest = np.max([*lengths.values()], axis=0)
    seen = np.flatnonzero(longest <= FAR * longest[word]) if longest[word] else np.arange(len(names))
    values = Values({name: series[seen] for name, series in lengths.items()}, [names[i] for i in seen], title)
    if len(seen) == len(names):
        return values
    beyond = [i for i in range(len(names)) if i not in seen]
    text = listed([f"“{shown(names[i])}” ({brief(float(longest[i]))})" for i in beyond[:MOST_NAMED]])
    more = f", and {len(beyond) - MOST_NAMED} more" if len(beyond) > MOST_NAMED else ""
    left_out = (
        f"Not drawn, because they are more than {FAR} times as long as those of “{shown(names[word])}”: {text}{more}."
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


SAME = 0.05  # cosines, or shares of a length, that differ by less are about the same


def most_added(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """In which layer attention adds most to the word, against what stood there."""
    name, count = called(trace, about.word), trace.config.n_layers
    ratios = added_ratios(trace)[0][:, about.word]
    top, least = int(ratios.argmax()), int(ratios.argmin())
    offered, place = options(top, best_first(ratios, range(count)), lambda i: f"layer {i}")
    question = (
        f"All {count} layers do the same in turn. In which does attention add most to {name}, against what stood there?"
    )
    text = f"In layer {top} attention adds {brief(float(ratios[top]))} times the length of what stood there"
    text += f"; least, {brief(float(ratios[least]))} times, in layer {least}." if count > 1 else "."
    if count == 1:
        question = f"How long is what attention adds to {name}, against what stood there?"
        offered, place = ("less than half", "half to as long", "longer"), band(float(ratios[0]), (0.5, 1.0))
    return StoryStop(
        "Layer by layer",
        question,
        offered,
        place,
        text,
        "bars",
        "add_norm",
        Values(
            {"what attention adds": ratios},
            [f"layer {i}" for i in range(count)],
            "length added ÷ length that stood there",
        ),
        about.word,
        layer=top,
        step="add_norm_1.sum",
    )


def mean_cosines(vectors: Tensor) -> np.ndarray:
    """The mean cosine between two different tokens at each level: [levels, n, d] -> [levels]."""
    n = vectors.shape[1]
    alike = cosine_matrix(vectors.double())
    result: np.ndarray = ((alike.sum((1, 2)) - alike.diagonal(dim1=1, dim2=2).sum(1)) / (n * (n - 1))).numpy()
    return result


def growing_alike(encoder: TextEncoder, trace: Trace, about: Subject) -> StoryStop:
    """Whether the tokens' vectors become more alike; for a token alone, whether its vector grows."""
    vectors = stream(trace)
    names = ["input", *(f"layer {i}" for i in range(trace.config.n_layers))]
    if vectors.shape[1] > 1:
        means = mean_cosines(vectors)
        before, after = float(means[0]), float(means[-1])
        answer = band(after - before, (-SAME, SAME))
        text = (
            f"The mean cosine of two tokens is {brief(before)} before the first layer, {brief(after)} after the last."
        )
        return StoryStop(
            "All together",
            "After all layers, how alike are the vectors of the tokens, against before the first?",
            ("less alike", "about as alike", "more alike"),
            answer,
            text,
            "lines",
            "output",
            Values({"mean cosine": means}, names, "mean cosine of two tokens"),
        )
    lengths = length(vectors[:, 0]).numpy()
    before, after = float(lengths[0]), float(lengths[-1])
    return StoryStop(
        "All together",
        f"After all layers, how long is the vector of {called(trace, 0)}, against before the first?",
        ("shorter", "about as long", "longer"),
        band(after, ((1 - SAME) * before, (1 + SAME) * before)),
        f"It has length {brief(before)} before the first layer and {brief(after)} after the last.",
        "lines",
        "output",
        Values({"length": lengths}, names, "length"),
        word=0,
    )
