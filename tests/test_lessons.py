"""Lesson files: what they may hold, what is said of those that hold something else, and a folder of a server's own."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from in_turn import in_turn

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.classifier_config import ClassifierConfig
from encoder.model.config import PRESETS, EncoderConfig
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.glossary import TERMS, beside
from encoder.pictures import labs
from encoder.pictures.labs import CLAIMS, SOURCES
from encoder.pictures.labs.softmax_lab import EXAMPLE
from encoder.pictures.view import EXAMPLE as WIDE
from encoder.pictures.view import OTHER as TIRED
from encoder.teach.lessons.lesson import MOST_BYTES, SHELVES, After, Lesson, LessonError, LessonStep, Question, read
from pages.ui.lessons import library

GOOD = """
title = "Order"
shelf = "First hour"
minutes = 4
[[step]]
page = "attention"
text = "Look."
view = {sentence = "I love deep learning", layer = 2, head = 3, step = "attention.weights"}
own = true
check = {trial = "same_vectors", positions = "off"}
question = {kind = "number", ask = "How far?", low = 0, high = 2.5}
"""


def problems(text: str) -> str:
    with pytest.raises(LessonError) as caught:
        read(text, "mine.toml")
    assert str(caught.value) == "\n".join(caught.value.problems)
    assert all(problem.startswith("mine.toml") for problem in caught.value.problems)
    return str(caught.value)


def test_a_good_file_is_read() -> None:
    (step,) = read(GOOD).steps
    view = {"sentence": "I love deep learning", "layer": "2", "head": "3", "step": "attention.weights"}
    question = Question("number", "How far?", low=0.0, high=2.5, near=0.125)
    check = {"trial": "same_vectors", "positions": "off"}
    assert step == LessonStep("attention", "Look.", view=view, own=True, check=check, question=question)
    assert (step.trial, step.given) == ("same_vectors", {"positions": "off"})


@in_turn(
    ("change", "said"),
    [
        (("title =", "titel ="), ("there is no field 'titel'", "title is missing")),
        (('"Order"', '"' + "x" * 81 + '"'), ("title has 81 characters", "at most 80")),
        (('"Order"', "7"), ("title is 7", "must be text")),
        (("page =", "side ="), ("step 1", "no field 'side'", "page is missing")),
        (('"Look."', '"' + "x" * 601 + '"'), ("step 1: text has 601 characters", "at most 600")),
        (('"Look."', '"   "'), ("step 1: text is '   '", "not empty")),
        (("own = true", 'own = "yes"'), ("step 1: own is 'yes'", "true or false")),
        (("layer = 2", "at = 1"), ("step 1: at of view: there is no such field", "parameters of a link")),
        (("layer = 2", "layer = true"), ("step 1: layer of view is", "must be text")),
        (("view = {", "view = 3 # {"), ("step 1: view is 3", "must be a table")),
        (('trial = "same_vectors"', 'trial = "os.system"'), ("check: there is no trial 'os.system'", "same_vectors")),
        (('"off"', '"half"'), ("step 1: check: positions of same_vectors is 'half'", "one of off, on")),
        (('positions = "off"', "places = 2"), ("check: places is not a parameter", "sentence, other, positions")),
        (('kind = "number"', 'kind = "essay"'), ("step 1: kind of question is 'essay'", "'number' or 'holds'")),
        (("low = 0", "low = 3"), ("step 1: question: low and high are 3 and 2.5",)),
        (("low = 0", "low = nan"), ("step 1: low of question is nan; it must be a number",)),
        (("check = {", "#"), ("step 1: a question of kind number needs a check or an answer",)),
        (("[[step]]", "[step]"), ("step is {", "it must be a list")),
        (("high = 2.5", "high = 0x" + "f" * 5000), ("more than 64 bits",)),
        (("high = 2.5", "high = " + "9" * 5000), ("not a TOML file",)),
    ],
)
def test_what_is_wrong_is_said_with_file_step_field_value_and_range(
    change: tuple[str, str], said: tuple[str, ...]
) -> None:
    assert change[0] in GOOD
    found = problems(GOOD.replace(*change, 1))
    for part in said:
        assert part in found


def test_a_check_may_be_a_claim() -> None:
    lesson = 'title = "x"\n[[step]]\npage = "lessons"\ntext = "y"\ncheck = {claim = "%s"}'
    (step,) = read(lesson % "softmax").steps
    assert step.trial == "softmax_is" and step.given["scores"] == [2.0, 1.0, 0.1]
    for wrong, told in (("nothing", "no claim 'nothing'"), ('softmax", width = 3, x = "', "not alone")):
        with pytest.raises(LessonError, match=told):
            read(lesson % wrong)


def test_a_claim_is_measured_on_the_sentence_of_the_view() -> None:
    lesson = 'title = "x"\n[[step]]\npage = "attention"\ntext = "y"\ncheck = {claim = "row-sums"}\n'
    (step,) = read(lesson + 'view = {sentence = "I understand this"}').steps
    assert step.given["sentence"] == "I understand this" != read(lesson).steps[0].given["sentence"]


def test_a_lesson_has_bounds() -> None:
    assert "at most 100,000" in problems(GOOD + "#" * MOST_BYTES)
    step = GOOD[GOOD.index("[[step]]") :]
    assert len(read(GOOD + step * 79).steps) == 80
    assert "it has 81 steps" in problems(GOOD + step * 80)
    assert len(problems(GOOD + step.replace("page", "side") * 59).splitlines()) == 20


def test_a_new_lesson_is_one_file(tmp_path: Path) -> None:
    """Dropped beside the others it is offered after them, or at the place that its number says."""
    for path in library.FOLDER.glob("*.toml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    names = list(library.files())
    assert (names[0], names[-1]) == ("the-story", "does-each-head-do-one-thing")
    assert list(library.bundled()) == names
    (tmp_path / "attention-first.toml").write_text(GOOD)
    (tmp_path / "02-a-second.toml").write_text(GOOD)
    assert list(library.files(tmp_path)) == [*names[:2], "a-second", *names[2:], "attention-first"]
    assert read(library.files(tmp_path)["attention-first"].read_text()).title


def test_every_bundled_lesson_asks_and_no_step_says_more_than_a_strip_holds() -> None:
    for name, lesson in library.bundled().items():
        assert any(step.question for step in lesson.steps), name
        for at, step in enumerate(lesson.steps, 1):
            asked = step.question.ask if step.question else ""
            assert len(f"{step.text} {asked}".split()) <= 60, (name, at)


def test_no_question_is_asked_twice_and_every_lesson_says_what_stays() -> None:
    """What a lesson asks of a run, no other lesson asks of the same run."""
    asked: dict[tuple[object, ...], str] = {}
    for name, lesson in library.bundled().items():
        assert lesson.learned.endswith("."), name
        for step in lesson.steps:
            if step.question and (step.answer or "sentence" in step.view):
                seen = (step.page, sorted(step.view.items()), sorted(step.answer.items()), step.trial, step.given)
                key = (repr(seen), step.question.word)
                assert asked.setdefault(key, name) == name, (name, asked[key], step.name)


def test_a_lab_is_open_at_the_scores_that_the_step_speaks_of() -> None:
    steps = [step for step in library.bundled()["softmax-by-hand"].steps if step.trial == "softmax_is"]
    for step in steps:
        scores = [float(text) for text in step.view.get("own_scores", EXAMPLE).split(",")]
        assert scores == step.given["scores"] and len(steps) == 3
    by_hand = re.findall(r"e\^(\S+) is ([\d.]+),", steps[0].text)
    assert len(by_hand) == 3 and all(f"{math.exp(float(power)):.3f}" == text for power, text in by_hand)
    total = sum(float(text) for _, text in by_hand)  # as a reader adds up what is printed
    assert f"together {total:.3f}." in steps[0].text


def test_dots_in_texts_are_no_keys() -> None:
    text = "a.b.c.d.e.f … 'x.y.z.u.v' # no.comment.at.all.here"
    step = f'[[step]]\npage="attention"\ntext="""{text}"""\nview.sentence=\'{text.replace(chr(39), "")}\'\n'
    lesson = read(f'title="t" # a.b.c.d.e.f.g\n{step}')
    assert lesson.steps[0].text == text


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A server's own folder of lessons, which it reads anew."""
    monkeypatch.setenv(library.OWN, str(tmp_path))
    library.own.cache_clear()
    yield tmp_path
    library.own.cache_clear()


def test_lessons_of_a_servers_own_folder_stand_before_the_others(own: Path) -> None:
    (own / "2-words.toml").write_text(GOOD.replace("Order", "Words"), encoding="utf-8")
    (own / "1-order.toml").write_text(GOOD, encoding="utf-8")
    assert list(library.offered()) == ["order", "words", *library.bundled()] and library.own().refused == ()
    assert library.offered()["words"].title == "Words"


def test_a_bad_lesson_is_named_and_the_others_are_there(own: Path) -> None:
    for name, data, said in (
        ("a.toml", b"title = 'a'", "a.toml: it has 0 steps; a lesson has 1 to 80"),
        ("b.toml", GOOD.replace("Look.", "").encode(), "b.toml, step 1: text is ''; it must be text, and not empty"),
        ("c.toml", GOOD.replace('"attention"', '"nowhere"').encode(), "c.toml, step 1: there is no page 'nowhere'"),
        ("d.toml", GOOD.replace("head = 3", 'edits = "x"').encode(), "d.toml, step 1: the view asks for edits"),
        ("e.toml", b"\xff", "e.toml: it is not text in UTF-8; save it as that"),
        ("f.toml", b"#" * (MOST_BYTES + 1), "f.toml: it has 100,001 bytes; a lesson has at most 100,000"),
        ("g.toml", b"a." * 4000 + b"b = 1", "g.toml: it is nested more than 6 deep"),
        ("h.toml", b"x=" + b"[" * 40_000, "h.toml: it is not a TOML file"),
        ("A_b.toml", GOOD.encode(), "A_b.toml: the name before .toml must be 1 to 40 small letters"),
        ("padding.toml", GOOD.encode(), "padding.toml: there is a lesson 'padding' already"),
    ):
        (own / name).write_bytes(data)
        (own / "order.toml").write_text(GOOD, encoding="utf-8")
        library.own.cache_clear()
        assert list(library.own().lessons) == ["order"]
        assert library.own().refused[0].startswith(said), library.own().refused
        (own / name).unlink()
    (own / "folder.toml").mkdir()
    library.own.cache_clear()
    assert library.own().refused == ("folder.toml: it cannot be read: Is a directory",)


def test_a_folder_that_is_none_and_one_with_too_many_files_are_said(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(library.MOST_FILES + 1):
        (own / f"{at:03}-order-{at}.toml").write_text(GOOD, encoding="utf-8")
    assert len(library.own().lessons) == library.MOST_FILES
    assert library.own().refused == (f"{library.OWN} names a folder with 101 files; the first 100 are read",)
    monkeypatch.setenv(library.OWN, str(own / "none"))
    library.own.cache_clear()
    (said,) = library.own().refused
    assert said.startswith(library.OWN) and said.endswith("none', which is not a folder.")


@in_turn(
    ("step", "said"),
    [
        (LessonStep("nowhere", "x"), "step 1: there is no page 'nowhere'"),
        (LessonStep("class", "x"), "step 1: there is no page 'class'"),
        (LessonStep("attention", "x", view={"model": "gpt"}), "step 1: the view asks for model “gpt”"),
        (LessonStep("attention", "x", view={"floor": "2"}), "step 1: the view also asks for “floor”"),
        (LessonStep("attention", "x", view={"layer": "-1"}), "step 1: the view asks for layer “-1”"),
        (LessonStep("attention", "x", view={"step": "attention.magic"}), "the view asks for step"),
        (LessonStep("attention", "x", view={"edits": "layers.0.output:explode"}), "the view asks for edits"),
        (LessonStep("attention", "x", view={"hidden": "1,x"}), "the view asks for hidden"),
    ],
)
def test_pages_and_views_that_are_not_there_are_said(step: LessonStep, said: str) -> None:
    with pytest.raises(LessonError, match=said):
        library.fitting(Lesson("T", (step,)))


def test_claims_are_data_that_trials_decide() -> None:
    assert len(CLAIMS) >= 12
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert labs.problems(claim.trial, claim.given) == []
        assert claim.where and set(claim.where) <= set(SOURCES)
        assert claim.lesson in library.bundled() if claim.lesson else claim.page in library.SHOWN


STEPS = {
    step.local
    for config in (
        *PRESETS.values(),
        EncoderConfig(pooling="mean"),
        EncoderConfig(position_buckets=32, norm="rms_norm"),
        EncoderConfig(distance_scores="both"),
        EncoderConfig(classifier=ClassifierConfig(labels=("negative", "positive"))),
    )
    for step in catalogue(config)
}


def test_every_term_stands_beside_a_step_and_every_step_that_matters_has_one() -> None:
    assert {term.name for term in TERMS} == {term.name for step in STEPS for term in beside(step)}
    for step in ("attention.weights", "add_norm_1.variance", "feed_forward.hidden", "embedding.positions"):
        assert beside(step)


def test_the_glossary_of_the_readme_is_the_glossary() -> None:
    readme = (library.FOLDER.parents[1] / "encoder" / "README.md").read_text(encoding="utf-8")
    rows = [
        line.split("|")[1]
        for line in readme.split("## Names here and elsewhere")[1].split("\n##")[0].splitlines()
        if "|" in line
    ][2:]
    names = {name.strip() for row in rows for name in row.replace(" / ", ",").split(",")}
    known = {term.name for term in TERMS} | {"activation"}
    assert names <= known, names - known


def test_shelf_and_minutes_are_read_and_every_bundled_lesson_has_them() -> None:
    lesson = read(GOOD)
    assert (lesson.shelf, lesson.minutes, lesson.card) == ("First hour", 4, 1)
    assert "shelf is 'easy'; it must be one of '', 'First hour'" in problems(GOOD.replace("First hour", "easy"))
    for wrong, must in (("-1", "at least 0"), ("241", "at most 240"), ("true", "a whole number")):
        assert f"it must be {must}" in problems(GOOD.replace("minutes = 4", f"minutes = {wrong}"))
    bundled = library.bundled()
    assert next(iter(bundled)) == "the-story"
    assert [name for name, one in bundled.items() if not (one.shelf in SHELVES and one.minutes)] == []


def texts_after(after: After) -> list[str]:
    """All that is said once a step was answered."""
    return [after.always, after.right, after.wrong, *after.guess.values()]


def test_texts_name_nothing_that_a_phone_or_a_projector_has_elsewhere() -> None:
    """On a phone the strip is a sheet at the foot, and nobody clicks there; before a class the menus are away."""
    elsewhere = re.compile(r"\b(sidebar|click|menu)\b", re.IGNORECASE)
    texts = [
        text
        for lesson in library.bundled().values()
        for step in lesson.steps
        for text in (step.text, step.hint, step.question.ask if step.question else "", *texts_after(step.after))
    ]
    assert [text for text in texts if elsewhere.search(text)] == []


def test_what_changes_is_the_guess_at_the_hidden_word(base: TextEncoder) -> None:
    found = []
    for text in (WIDE, TIRED):
        trace = base.trace(text.replace("because it", "because the [MASK]"))
        guesses = base.predict(trace, 2, [trace.tokens.index("[MASK]")])
        assert guesses is not None
        found.append([word for word, _ in guesses[0]])
    assert found == [["road", "hole"], ["dog", "animal"]]
