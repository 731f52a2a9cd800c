"""What a run answers to the questions of lessons, and what a screen is told of a step."""

from typing import Any

import pytest
import torch
from in_turn import in_turn

from encoder import TextEncoder
from encoder.support.errors import EncoderError
from encoder.teach.lessons.lesson import LessonStep, Swap
from encoder.teach.lessons.run_answers import ANSWERS, AskedRun, best
from pages.front import lesson_steps
from pages.front.lesson_steps import shown_step
from pages.front.request_fields import LessonRequest, RefusedError, read
from pages.ui.lessons import library

KEYS = "The keys to the cabinet [MASK] on the table."
WIDE = "The animal didn't cross the street because it was too wide."


def asked(
    encoder: TextEncoder, text: str, *, layer: int = 5, head: int = 6, word: str = "", choices: Any = ()
) -> AskedRun:
    trace = encoder.trace(text)
    words = tuple(one for one in trace.tokenization.words if not trace.tokenization.special[one[0]])
    return AskedRun(encoder, trace, layer, head, words, word, tuple(choices))


def step_of(name: str, at: int, **changed: str) -> dict[str, Any]:
    """What a screen that shows a step is told; `changed` is what is otherwise on it."""
    step = library.bundled()[name].steps[at - 1]
    query = {"sentence": step.view["sentence"], "model": "base", "layer": "4", "head": "1", **step.view} | changed
    page, show = query.pop("page", step.page), bool(query.pop("show", ""))
    return shown_step(LessonRequest(name, at, page, tuple(query.items()), show))


def answered(name: str, at: int, guess: float | None, **changed: str) -> dict[str, Any]:
    step = library.bundled()[name].steps[at - 1]
    query = {"sentence": step.view["sentence"], "model": "base", "layer": "4", "head": "1", **step.view} | changed
    found: dict[str, Any] = shown_step(LessonRequest(name, at, step.page, tuple(query.items()), True, guess))["told"]
    return found


def said(parts: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in parts)


def test_where_a_word_looks_is_the_row_of_the_run(base: TextEncoder) -> None:
    answer = ANSWERS["looked_at"](asked(base, KEYS, word="[MASK]"))
    trace = base.trace(KEYS)
    row = trace["layers.5.attention.weights"][6, trace.tokens.index("[MASK]")]
    assert answer.values == pytest.approx(row[1:-1].tolist())  # without [CLS] and [SEP]
    assert answer.right == (int(row[1:-1].argmax()),) and trace.tokens[answer.right[0] + 1] == "keys"
    assert answer.rest == pytest.approx(float(row[0] + row[-1]), abs=1e-6) and not answer.flat
    assert answer.place == ("layers.5.attention.weights", (6, 6, 2))


def test_pieces_of_a_word_are_one_and_a_row_that_is_even_tells_nothing(base: TextEncoder) -> None:
    text = "An unbelievableness xylophonists heard."
    found = asked(base, text, layer=0, head=0, word="heard")
    answer = ANSWERS["looked_at"](found)
    row = base.trace(text)["layers.0.attention.weights"][0, found.pieces[0]]
    assert max(map(len, found.words)) > 1
    assert answer.values == pytest.approx([float(row[list(word)].sum()) for word in found.words], abs=1e-6)
    even = ANSWERS["looked_at"](asked(base, "a a a a a a a a", layer=0, head=0, word="a"))
    assert even.flat == (max(even.values) < 1.5 / 10)


def test_two_words_that_are_as_good_are_both_right(base: TextEncoder) -> None:
    found = ANSWERS["looked_at"](asked(base, WIDE, layer=4, head=1, word="it"))
    best = max(found.values)
    assert {i for i, value in enumerate(found.values) if value >= best - 0.01} == set(found.right)


def test_whose_numbers_are_alike_is_the_cosine_of_rows_of_the_table(base: TextEncoder) -> None:
    found = asked(base, KEYS, word="keys")
    answer = ANSWERS["alike"](found)
    table = base.model.embedding.tokens.weight[torch.tensor(found.trace.tokenization.ids)]
    unit = table / table.norm(dim=-1, keepdim=True)
    assert answer.values == pytest.approx((unit @ unit[2])[1:-1].tolist(), abs=1e-5)
    assert [found.trace.tokens[i + 1] for i in answer.right] == ["cabinet"]


def test_the_likeliest_of_some_words_is_that_of_the_run(base: TextEncoder) -> None:
    answer = ANSWERS["likeliest"](asked(base, KEYS, choices=("is", "are", "was", "were")))
    guesses = base.predict(base.trace(KEYS), 500, [6])
    assert guesses is not None
    assert answer.values == pytest.approx([dict(guesses[0])[word] for word in ("is", "are", "was", "were")])
    assert answer.right == (1,)
    with pytest.raises(EncoderError, match="not a single word"):
        ANSWERS["likeliest"](asked(base, KEYS, choices=("unbelievableness", "are")))
    with pytest.raises(EncoderError, match="gap"):
        ANSWERS["likeliest"](asked(base, WIDE, choices=("is", "are")))


def test_from_which_layer_on_the_guess_is_first(base: TextEncoder) -> None:
    trace = base.trace(KEYS)
    streams = [trace["embedding.output"], *(trace[f"layers.{i}.output"] for i in range(6))]
    logits = [base.model.predict(x) for x in streams]
    first = [int(one[6].argmax()) for one in logits if one is not None]
    layer = next(i for i in range(6) if len(set(first[i + 1 :])) == 1)  # after layer i, and after all that follow
    answer = ANSWERS["first_from"](asked(base, KEYS, choices=list("012345")))
    assert answer.values == (layer,) and answer.right == (layer,)


def test_how_many_heads_look_most_at_a_word(base: TextEncoder) -> None:
    trace = base.trace(KEYS)
    rows = torch.stack([trace[f"layers.{i}.attention.weights"][:, 6, 1:-1] for i in range(6)])
    answer = ANSWERS["heads_looking"](asked(base, KEYS, word="[MASK]"), at="keys")
    assert answer.values == (float((rows.argmax(-1) == 1).sum()),) == (5.0,)
    assert sorted(answer.heads) == sorted(map(tuple, (rows.argmax(-1) == 1).nonzero().tolist()))


@in_turn("model", ["base", "small"])
def test_a_word_takes_its_own_numbers_along(model: str, request: pytest.FixtureRequest) -> None:
    encoder: TextEncoder = request.getfixturevalue(model)
    assert ANSWERS["moves_along"](asked(encoder, "The cat chased the mouse.", layer=0, head=0)).right == (0,)
    with pytest.raises(EncoderError, match="two words"):
        ANSWERS["moves_along"](asked(encoder, "cat", layer=0, head=0))


def test_a_count_is_of_the_run(base: TextEncoder) -> None:
    found = asked(base, KEYS)
    counts = {
        what: ANSWERS["count"](found, what=what).values[0] for what in ("tokens", "heads", "layers", "parameters")
    }
    assert counts["tokens"] == 12 and (counts["heads"], counts["layers"]) == (48, 6)
    assert counts["parameters"] == sum(one.numel() for one in base.model.parameters())


def test_a_step_asks_and_says_nothing_of_the_answer_before() -> None:
    found = step_of("the-story", 5)
    assert found["question"]["kind"] == "word" and "told" not in found and "values" not in str(found)
    assert [word["name"] for word in found["question"]["words"] if word["asked"]] == ["____"]
    assert len(found["steps"]) == len(library.bundled()["the-story"].steps)


def test_what_is_told_of_a_right_a_wrong_and_no_guess() -> None:
    right, wrong, none = (answered("the-story", 5, guess) for guess in (2, 5, None))
    assert (right["right"], wrong["right"], none["right"]) == (True, False, None)
    assert said(right["head"]).startswith("You got it: keys, 89") and said(wrong["head"]).startswith(
        "The answer is keys, 89"
    )
    assert said(wrong["lines"][0]).startswith("You said cabinet") and wrong["yours"] == 4
    assert answered("the-story", 5, 999)["right"] is None  # no word stands there
    assert said(answered("when-does-grammar-begin", 1, None)["head"]).startswith("The answer is “.”, 22")


def test_a_claim_is_true_or_false_or_it_depends_and_then_the_condition_is_said() -> None:
    name, (at, step) = "word-order", list(enumerate(library.bundled()["word-order"].steps, 1))[2]
    query = tuple({"sentence": step.view["sentence"], "model": "base", "layer": "4", "head": "1", **step.view}.items())
    found = shown_step(LessonRequest(name, at, step.page, query))
    assert found["question"]["choices"] == ["True", "False", "It depends"]
    true, depends = (shown_step(LessonRequest(name, at, step.page, query, True, guess))["told"] for guess in (0, 2))
    assert (true["right"], depends["right"]) == (False, True)
    assert said(true["head"]) == "It depends." and said(true["lines"][0]) == "You said: true."
    assert said(depends["head"]) == "You got it: it depends."
    assert "the same vectors, but in other rows" in said(depends["lines"][0])


def test_every_token_that_is_counted_is_shown_once_it_was_answered() -> None:
    step = library.bundled()["the-story"].steps[1]
    query = tuple({"model": "base", "layer": "4", "head": "1", **step.view}.items())
    before = shown_step(LessonRequest("the-story", 2, step.page, query))
    after = shown_step(LessonRequest("the-story", 2, step.page, query, True, 12.0))
    assert "[CLS]" not in str(before["question"]["words"])
    assert len(after["question"]["words"]) == 12 and after["question"]["words"][0]["name"] == "[CLS]"


def test_a_number_that_is_exactly_right_is_not_called_close() -> None:
    count = answered("the-story", 6, None)["scale"]["value"]
    exact, near = (answered("the-story", 6, guess) for guess in (count, count + 1))
    assert said(exact["head"]).startswith(f"You got it: {count:.0f} ")
    assert "You said" not in " ".join(map(said, exact["lines"]))
    assert said(near["head"]).startswith("Close: the answer is ") and said(near["lines"][0]).startswith("You said ")


def test_what_a_lesson_says_of_its_own_sentence_is_not_said_of_another() -> None:
    own = answered("the-story", 3, 1, sentence="The keys of the piano are white.")
    theirs = answered("the-story", 3, 1)
    assert len(own["lines"]) < len(theirs["lines"])


def test_a_screen_that_is_elsewhere_is_told_so() -> None:
    assert step_of("the-story", 5, page="heads")["away"] == {"why": "around"}
    assert step_of("the-story", 5, head="2")["away"] == {"why": "around"}
    assert step_of("the-story", 3, sentence="I like tea.")["away"]["why"] == "sentence"
    assert step_of("the-story", 1, sentence="I like [MASK].")["away"]["why"] == "sentence"  # its choices are of its own
    away = step_of("the-story", 5, model="small")["away"]
    assert away["why"] == "model" and "6 layers of 8 heads" in away["said"] and "4 of 4" in away["said"]


def test_a_question_about_words_needs_them_all(base: TextEncoder) -> None:
    """The story asks how many heads look from the gap at "keys"."""
    at = next(i for i, step in enumerate(library.bundled()["the-story"].steps, 1) if step.answer.get("at") == "keys")
    assert step_of("the-story", at, sentence="My two brothers [MASK] hungry.")["away"]["why"] == "sentence"
    assert step_of("the-story", at, sentence="My keys [MASK] there.")["question"]


def test_a_word_is_not_asked_how_much_it_is_like_itself() -> None:
    words = step_of("the-story", 3)["question"]["words"]
    assert [word["name"] for word in words if not word["can"]] == ["keys"]
    assert all(word["can"] for word in step_of("the-story", 5)["question"]["words"])


def test_a_model_that_fits_is_asked_itself() -> None:
    found = step_of("the-story", 1, model="small")
    assert found["question"] and found["own"]


def test_a_goal_counts_the_heads_that_are_off_and_nothing_else_reaches_it() -> None:
    last = len(library.bundled()["the-story"].steps)
    none = step_of("the-story", last)["goal"]
    both = step_of("the-story", last, edits="layers.4.attention.heads:zero:h=1;layers.5.attention.heads:zero:h=6")[
        "goal"
    ]
    block = step_of("the-story", last, edits="layers.3.output:zero;layers.4.output:zero")["goal"]
    assert (none["word"], none["done"], none["count"]) == ("are", False, 0)
    assert (both["word"], both["done"], both["count"]) == ("is", True, 2)
    layer = step_of("the-story", last, edits="layers.4.attention.output:zero;layers.4.feed_forward.output:zero")["goal"]
    again = step_of("the-story", last, show="it is loaded again where it was reached")
    assert again["goal"] == none and "told" not in again
    assert not block["done"] and not layer["done"] and layer["count"] == 0 and not layer["alone"]


def test_a_word_of_the_swap_goes_into_the_sentence_and_back() -> None:
    step = LessonStep("attention", "x", view={"sentence": WIDE}, swap=Swap("wide", "tired"))
    request = LessonRequest("the-story", 1, "attention", ())
    for sentence, other in ((WIDE, WIDE.replace("wide", "tired")), (WIDE.replace("wide", "tired"), WIDE)):
        query = {"sentence": sentence, "model": "base", "layer": "4", "head": "1"}
        swapped = lesson_steps.AtStep(step, query, request).swapped()
        assert swapped is not None and swapped["sentence"] == other
    assert lesson_steps.AtStep(step, {"sentence": "I like tea.", "model": "base"}, request).swapped() is None


@in_turn(
    "body",
    [
        b"{}x",
        b'{"lesson": 3}',
        b'{"lesson": "the-story", "at": 0}',
        b'{"lesson": "the-story", "show": 1}',
        b'{"lesson": "the-story", "guess": "keys"}',
        b'{"lesson": "the-story", "guess": 1e999}',
        b'{"lesson": "the-story", "query": {"a b": "c"}}',
        b'{"lesson": "the-story", "run": "x"}',
    ],
)
def test_what_no_strip_sends_is_refused(body: bytes) -> None:
    with pytest.raises(RefusedError):
        shown_step(read(LessonRequest, body))


def test_a_lesson_that_is_not_there_is_said() -> None:
    with pytest.raises(RefusedError, match="no such lesson"):
        shown_step(read(LessonRequest, b'{"lesson": "nobody", "query": {}}'))


@pytest.mark.parametrize(
    ("values", "right"), [([0.692, 0.1, 0.7], (0, 2)), ([0.001, 0.002, 0.004], (2,)), ([-0.5, -0.8], (0,))]
)
def test_values_that_are_as_good_as_the_best_are_right_and_small_ones_are_no_tie(
    values: list[float], right: tuple[int, ...]
) -> None:
    assert best(torch.tensor(values)) == right
