"""The story of a run: every number of its sentences is computed anew from the trace, with loops and numpy alone."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from in_turn import in_turn
from shared_models import pretrained
from tiny import SENTENCE, TINY, tiny
from tokenizers.processors import TemplateProcessing
from twins import MINILM

from encoder import PRESETS, Edit, EncoderError, TextEncoder, Trace
from encoder.teach.story import StoryStop, story

pytestmark = pytest.mark.slow

GAP = "The keys to the cabinet [MASK] on the table."
PAIR = ("My dog slept all day.", "He was tired of the cat.")
CASES: dict[str, tuple[str, str | tuple[str, str]]] = {
    "base": ("base", "The animal didn't cross the street because it was too wide."),
    "base, mask": ("base", "The capital of France is [MASK]."),
    "base, no letters": ("base", "!!!"),
    "small": ("small", "Keys on the table belong to Sara."),
    "small, pair": ("small", PAIR),
    "small, one word": ("small", "Hello"),
    "minilm": ("minilm", "My dog chased the cat because it was hungry."),
    "untrained": ("untrained", "The cat chased the mouse."),
    "no head": ("no head", SENTENCE),
    "no head, one word": ("no head", "w1"),
    "one layer, one token": ("one token", "w1"),
    "no positions": ("no positions", SENTENCE),
}


@cache
def made(name: str) -> TextEncoder:
    if name in ("base", "small"):
        return pretrained(name)
    if name == "minilm":
        return pretrained(MINILM)
    if name == "untrained":
        shape = replace(PRESETS["paper"], vocab_size=16384, n_layers=3, d_model=64, n_heads=4, d_ff=96, mlm_head=True)
        return TextEncoder.from_config(shape, seed=3)
    if name == "one token":
        alone = tiny(replace(TINY, n_layers=1, mlm_head=True))
        alone.tokenizer.post_processor = TemplateProcessing(single="$A", special_tokens=[])
        return alone
    return tiny(replace(TINY, positions="none") if name == "no positions" else TINY)


@cache
def told(case: str) -> tuple[TextEncoder, Trace, dict[str, StoryStop]]:
    """A model, a run, and its stops by their names."""
    name, text = CASES[case]
    trace = made(name).trace(text)
    return made(name), trace, {stop.name: stop for stop in story(made(name), trace)}


def numbers(text: str) -> list[float]:
    """The numbers of a sentence that stand by themselves: not those in names, and no positions in brackets."""
    bare = re.sub(r"“[^”]*”( \(\d+\))?", "", text)
    return [float(found.replace(",", "")) for found in re.findall(r"(?<![\w#])-?\d[\d,]*(?:\.\d+)?(?:e-\d+)?", bare)]


def close(said: float, real: float) -> bool:
    """Whether a number is the real one as it is written: to the digits that are shown."""
    return abs(said - real) <= 0.006 * abs(real) + 1e-9


def length(trace: Trace, step: str, at: int) -> float:
    return float(np.sqrt(np.square(trace.array(step)[at].astype(np.float64)).sum()))


def cosines(x: np.ndarray) -> np.ndarray:
    unit = x.astype(np.float64) / np.linalg.norm(x.astype(np.float64), axis=-1, keepdims=True)
    return unit @ unit.swapaxes(-1, -2)


def named(trace: Trace, text: str) -> int:
    """The position of the token that an option or the start of a sentence names."""
    name, at = re.match(r"“(.*?)”(?: \((\d+)\))?", text).groups()
    return int(at) if at else trace.tokens.index(name)


def right(stop: StoryStop) -> str:
    return stop.options[stop.answer]


@in_turn("case", CASES)
def test_there_are_twelve_in_five_chapters_and_each_can_be_guessed(case: str) -> None:
    _, trace, stops = told(case)
    chapters = list(dict.fromkeys(stop.chapter for stop in stops.values()))
    assert len(stops) == 12 and len(chapters) == 5
    assert (chapters[3] == f"Again, {trace.config.n_layers} times") == (trace.config.n_layers > 1)
    for stop in stops.values():
        assert 2 <= len(stop.options) <= 4 and len(set(stop.options)) == len(stop.options), stop
        assert 0 <= stop.answer < len(stop.options) and stop.sentence.endswith("."), stop
        assert not re.search(r"\bnan\b|\binf\b|None", stop.sentence + stop.question), stop
        assert stop.layer is None or stop.layer < trace.config.n_layers


@in_turn("case", CASES)
def test_tokens_are_counted(case: str) -> None:
    _, trace, stops = told(case)
    added = sum(trace.tokenization.spans[i] == (0, 0) for i in range(len(trace.tokens)))
    stop = stops["Tokens"]
    assert right(stop) == str(len(trace.tokens))
    assert numbers(stop.sentence)[:2] == [len(trace.tokens), len(trace.tokens) - added]


@in_turn("case", CASES)
def test_the_nearest_vector_is_found_by_hand(case: str) -> None:
    encoder, trace, stops = told(case)
    stop = stops["Vectors"]
    table = encoder.model.embedding.tokens.weight.detach().numpy().astype(np.float64)
    own = trace.ids[stop.word]
    near = table @ table[own] / np.maximum(np.linalg.norm(table, axis=1) * np.linalg.norm(table[own]), 1e-30)
    near[own] = -9
    assert right(stop) == encoder.tokenizer.id_to_token(int(near.argmax()))
    assert close(numbers(stop.sentence)[-1], near.max())


@in_turn("case", CASES)
def test_a_place_is_as_long_as_is_said(case: str) -> None:
    _, trace, stops = told(case)
    stop = stops["Places"]
    word, place = (length(trace, f"embedding.{part}", stop.word) for part in ("scaled", "positions"))
    said = numbers(stop.sentence)
    assert close(said[0], word) and said[1] == stop.word and close(said[2], place)
    expected = "longer" if place >= 1.1 * word else "about as long" if place >= 0.9 * word else "shorter"
    assert right(stop) == expected
    assert ("nothing is added" in stop.sentence) == (trace.config.positions == "none")


def letters(trace: Trace) -> list[int]:
    """The positions of what was typed with a letter or digit in it."""
    return [
        i
        for i, token in enumerate(trace.tokens)
        if trace.tokenization.typed(i).strip() and any(c.isalnum() for c in token)
    ]


@in_turn("case", CASES)
def test_the_strongest_look_is_where_the_word_looks_most_and_excels_as_is_said(case: str) -> None:
    _, trace, stops = told(case)
    stop, words, n = stops["The strongest look"], letters(trace), len(trace.tokens)
    row = trace.array(f"layers.{stop.layer}.attention.weights")[stop.head, stop.word]
    keys = [i for i in (words if len(words) > 1 else range(n)) if i != stop.word] or [stop.word]
    seen = named(trace, right(stop))
    assert seen in keys and row[seen] == max(row[i] for i in keys)
    (share,) = [float(found) for found in re.findall(r"gives (\d+) %", stop.sentence)]
    assert abs(share - 100 * row[seen]) <= 0.51
    assert f"in layer {stop.layer}, head {stop.head}" in stop.sentence
    least = 2 if "beside it" in stop.sentence else 1
    queries = [stop.word] if "its strongest" in stop.sentence else words
    if "strongest" in stop.sentence:
        first, last = trace.config.n_layers // 2, trace.config.n_layers - 1
        assert f"in layers {first} to {last}" in stop.sentence if last > first else "in this layer" in stop.sentence
        others = words if len(words) > 1 else range(n)
        assert row[seen] == max(
            trace.array(f"layers.{layer}.attention.weights")[head, i, j]
            for layer in range(first, last + 1)
            for head in range(trace.config.n_heads)
            for i in queries
            for j in others
            if abs(i - j) >= least
        )


@in_turn("case", CASES)
def test_what_rests_is_a_mean_over_all_heads(case: str) -> None:
    _, trace, stops = told(case)
    stop, n = stops["Where it rests"], len(trace.tokens)
    added = [i for i in range(n) if trace.tokenization.spans[i] == (0, 0)]
    typed = [i for i in range(n) if i not in added]
    shares = [
        sum(trace.array(f"layers.{layer}.attention.weights")[head, i, j] for j in (added or [i]))
        for layer in range(trace.config.n_layers)
        for head in range(trace.config.n_heads)
        for i in typed
    ]
    share = float(np.mean(np.array(shares, np.float64)))
    assert numbers(stop.sentence)[0] == trace.config.n_layers * trace.config.n_heads
    assert abs(numbers(stop.sentence)[1] - 100 * share) < 0.51
    assert stop.answer == sum(share >= limit for limit in (0.25, 0.5, 0.75))


@in_turn("case", CASES)
def test_heads_that_agree_are_counted(case: str) -> None:
    _, trace, stops = told(case)
    stop, words, seen = stops["Many heads"], letters(trace), named(trace, right(stops["The strongest look"]))
    keys = [i for i in (words if len(words) > 1 else range(len(trace.tokens))) if i != stop.word] or [stop.word]
    count = 0
    for layer in range(trace.config.n_layers):
        for weights in trace.array(f"layers.{layer}.attention.weights"):
            count += max(keys, key=lambda i: weights[stop.word, i]) == seen
    assert right(stop) == str(count)
    assert numbers(stop.sentence)[:2] == [count, trace.config.n_layers * trace.config.n_heads]


@in_turn("case", CASES)
def test_what_flows_is_weight_times_what_is_carried(case: str) -> None:
    encoder, trace, stops = told(case)
    stop = stops["What flows"]
    at, d_head = f"layers.{stop.layer}.attention.", trace.config.d_model // trace.config.n_heads
    w_o = encoder.model.layers[stop.layer].attention.w_o.weight.detach().numpy()
    part = w_o[:, stop.head * d_head : (stop.head + 1) * d_head]
    weights = trace.array(at + "weights")[stop.head, stop.word]
    flow = np.array([np.linalg.norm(weights[j] * (part @ v)) for j, v in enumerate(trace.array(at + "v")[stop.head])])
    top = named(trace, right(stop))
    assert flow[top] == pytest.approx(flow.max(), rel=1e-5)
    said = numbers(stop.sentence)
    assert abs(said[0] - 100 * flow[top] / flow.sum()) < 0.51 and abs(said[1] - 100 * weights[top]) < 0.51
    if "The largest weight" in stop.sentence:
        assert abs(said[2] - 100 * weights.max()) < 0.51
        assert abs(said[3] - 100 * flow[weights.argmax()] / flow.sum()) < 0.51
    else:
        assert weights.argmax() == top


@in_turn("case", CASES)
def test_what_is_added_is_as_long_as_is_said(case: str) -> None:
    _, trace, stops = told(case)
    stop = stops["What is added"]
    at = f"layers.{stop.layer}."
    attention, feed_forward = (length(trace, f"{at}{part}.output", stop.word) for part in ("attention", "feed_forward"))
    units = trace.array(f"{at}feed_forward.activation")[stop.word]
    said = numbers(stop.sentence)
    assert close(said[0], attention) and close(said[1], feed_forward)
    assert said[2:] == [sum(unit > 0 for unit in units), trace.config.d_ff]
    assert right(stop) == ("attention's" if attention > feed_forward else "feed-forward's")


@in_turn("case", CASES)
def test_the_bars_of_the_word_can_be_seen_beside_the_others(case: str) -> None:
    """What is so long that they could not is named with its length instead."""
    _, trace, stops = told(case)
    stop = stops["What is added"]
    assert stop.values is not None
    drawn = range(len(trace.tokens) - trace.padding) if stop.values.at is None else stop.values.at
    parts = {"attention": "attention.output", "feed-forward": "feed_forward.output"}
    for name, part in parts.items():
        recorded = [length(trace, f"layers.{stop.layer}.{part}", i) for i in drawn]
        assert stop.values.series[name] == pytest.approx(recorded, rel=1e-5)
    assert stop.values.names == [trace.tokens[i] for i in drawn] and stop.word in drawn
    longest = np.max([*stop.values.series.values()], axis=0)
    assert longest.max() <= 20 * longest[list(drawn).index(stop.word)]
    missing = [i for i in range(len(trace.tokens) - trace.padding) if i not in drawn]
    assert all(f"“{trace.tokens[i]}”" in stop.values.left_out for i in missing[:4])
    assert bool(missing) == bool(stop.values.left_out)


@in_turn("case", CASES)
def test_the_layer_that_adds_most_is_found(case: str) -> None:
    _, trace, stops = told(case)
    stop, count = stops["Layer by layer"], trace.config.n_layers
    ratios = [
        length(trace, f"layers.{i}.attention.output", stop.word)
        / length(trace, f"layers.{i}.add_norm_1.residual", stop.word)
        for i in range(count)
    ]
    said, top = numbers(stop.sentence), int(np.argmax(ratios))
    assert said[0] == top and close(said[1], max(ratios))
    if count > 1:
        assert right(stop) == f"layer {top}" and close(said[2], min(ratios)) and said[3] == int(np.argmin(ratios))
    else:
        assert stop.answer == (ratios[0] >= 0.5) + (ratios[0] >= 1)


@in_turn("case", CASES)
def test_tokens_grow_as_alike_as_is_said(case: str) -> None:
    _, trace, stops = told(case)
    stop, n = stops["All together"], len(trace.tokens)
    ends = [trace.array("embedding.output"), trace.array(f"layers.{trace.config.n_layers - 1}.output")]
    if n == 1:
        found = [float(np.linalg.norm(end[0].astype(np.float64))) for end in ends]
        answer = (found[1] >= 0.95 * found[0]) + (found[1] >= 1.05 * found[0])
    else:
        found = [float((cosines(end).sum() - n) / (n * (n - 1))) for end in ends]
        answer = (found[1] - found[0] >= -0.05) + (found[1] - found[0] >= 0.05)
    assert stop.answer == answer
    assert all(close(said, real) for said, real in zip(numbers(stop.sentence), found, strict=True))


@in_turn("case", CASES)
def test_the_guess_is_the_likeliest_word_and_settles_where_is_said(case: str) -> None:
    encoder, trace, stops = told(case)
    if encoder.model.mlm_head is None:
        assert {"The output", "The whole sentence"} < set(stops)
        return
    stop, later = stops["The guess"], stops["When it settles"]
    assert stop.masked == later.masked
    if stop.masked:
        trace = encoder.trace(stop.masked if not trace.tokenization.pair else both(trace, stop.masked))
    if trace.tokenization.text.strip("!"):
        assert trace.tokens[stop.word] == encoder.mask_token
    shares = trace.array("mlm.probabilities")[stop.word]
    best, second = np.argsort(-shares, kind="stable")[:2]
    assert right(stop) == encoder.tokenizer.id_to_token(int(best))
    assert f"“{encoder.tokenizer.id_to_token(int(second))}”" in stop.sentence
    assert abs(numbers(stop.sentence)[0] - 100 * shares[best]) < 0.51
    assert ("drawn at random" in stop.sentence) == (trace.source.name == "random")
    names = ["embedding.output", *(f"layers.{i}.output" for i in range(trace.config.n_layers))]
    ranks = []
    for name in names:
        logits = encoder.model.predict(trace[name][stop.word][None]).detach().numpy()[0]
        ranks.append(1 + sum(logits > logits[best]))
    first = next(i for i in range(len(ranks)) if all(rank == 1 for rank in ranks[i:]))
    assert right(later) == (f"after layer {first - 1}" if first else "before the first layer")
    if first:
        assert numbers(later.sentence) == [first - 1, ranks[0], trace.config.vocab_size]


@in_turn("case", CASES)
def test_a_model_without_a_head_tells_what_its_vectors_are_like(case: str) -> None:
    encoder, trace, stops = told(case)
    if encoder.model.mlm_head is not None:
        assert not {"The output", "The whole sentence"} & set(stops)
        return
    stop, whole, output = stops["The output"], stops["The whole sentence"], trace.array("output")
    row = cosines(output)[stop.word]
    row[stop.word] = -9
    assert named(trace, right(stop)) == row.argmax() and close(numbers(stop.sentence)[-1], row.max())
    mean = cosines(np.vstack([output, output.mean(0)]))[-1, :-1]
    assert named(trace, right(whole)) == mean.argmax()
    count, most, least = numbers(whole.sentence)
    assert count == len(output) and close(most, mean.max()) and close(least, mean.min())


def both(trace: Trace, masked: str) -> tuple[str, str]:
    """The two texts of a pair of which one holds a mask now."""
    first, second = trace.tokenization.text, trace.tokenization.pair
    return (first, masked[len(first) + 1 :]) if masked.startswith(first) else (masked[: -len(second) - 1], second)


@in_turn(("text", "word"), [(GAP, None), (GAP, 5), (CASES["base"][1], 8), (CASES["base"][1], 2)])
def test_the_word_that_is_asked_for_is_followed_to_a_guess_of_a_masked_word(text: str, word: int | None) -> None:
    encoder = pretrained("base")
    trace = encoder.trace(text)
    stops = {stop.name: stop for stop in story(encoder, trace, word)}
    hero = 6 if word is None else word
    assert {stops[name].word for name in ("Places", "The strongest look", "What flows", "What is added")} == {hero}
    look = stops["The strongest look"]
    weights = trace.array(f"layers.{look.layer}.attention.weights")[look.head, hero]
    assert named(trace, right(look)) == max(
        (i for i in range(1, len(trace.tokens) - 2) if i != hero), key=lambda i: weights[i]
    )
    assert "its strongest look" in look.sentence
    guess = stops["The guess"]
    asked = encoder.trace(guess.masked) if guess.masked else trace
    assert asked.tokens[guess.word] == encoder.mask_token and (guess.word == hero or word == 5)
    assert bool(guess.masked) == (text != GAP) and ("is masked" in guess.question) == bool(guess.masked)
    assert right(guess) == encoder.predict(asked, 1, [guess.word])[0][0][0]


def test_a_word_in_pieces_is_masked_whole_and_what_nobody_typed_is_not() -> None:
    encoder = pretrained("base")
    trace = encoder.trace("The zyxwvq slept.")
    pieces = trace.tokenization.word_of(2)
    assert len(pieces) > 1
    guess = next(stop for stop in story(encoder, trace, pieces[1]) if stop.name == "The guess")
    assert guess.masked == "The [MASK] slept." and guess.word == 2
    assert not any(stop.masked for stop in story(encoder, trace, 0))
    with pytest.raises(EncoderError, match="word"):
        story(encoder, trace, 99)


def test_with_a_mask_it_is_the_mask_that_is_guessed() -> None:
    encoder, text = pretrained("base"), "The capital of France is [MASK]."
    stop = next(stop for stop in story(encoder, encoder.trace(text)) if stop.name == "The guess")
    assert right(stop) == "paris" and "“[MASK]”" in stop.question


EDITS: dict[str, Callable[[], Edit]] = {
    "no values": lambda: Edit("layers.1.attention.v", "zero"),
    "no attention": lambda: Edit("layers.1.attention.output", "zero"),
    "nothing at all": lambda: Edit("embedding.output", "zero"),
}


@in_turn("name", EDITS)
def test_a_run_with_parts_switched_off_has_a_story_too(name: str) -> None:
    encoder = tiny(replace(TINY, mlm_head=True))
    stops = story(encoder, encoder.trace(SENTENCE, edits=(EDITS[name](),)))
    assert len(stops) == 12 and all(2 <= len(stop.options) <= 4 for stop in stops)
    flows = next(stop for stop in stops if stop.name == "What flows")
    assert (right(flows) == "from none") == (name == "no values")
    assert not any("nan" in stop.sentence for stop in stops)


LOST = tuple(Edit("layers.0.output", "scale", value=1e30) for _ in range(2))  # more than float32 holds


def test_a_run_that_ends_in_no_numbers_has_none() -> None:
    encoder = tiny(TINY)
    assert story(encoder, encoder.trace(SENTENCE, edits=LOST)) == ()
