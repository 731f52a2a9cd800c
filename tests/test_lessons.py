"""Lesson files: what they may hold, what is said of those that hold something else, the way into a link and back."""

import base64
import json
import random
import re
import string
import tracemalloc
import zlib
from pathlib import Path

import pytest
from in_turn import in_turn
from tiers import mostly_nightly

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.config import PRESETS, EncoderConfig
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.glossary import TERMS, beside
from encoder.teach import trials
from encoder.teach.lessons import foreign
from encoder.teach.lessons.claims import CLAIMS, SOURCES, TIRED, WIDE
from encoder.teach.lessons.foreign import LINK, LONGEST_LINK, OLD_LINK, pack, unpack
from encoder.teach.lessons.guesses import number, token, verdict
from encoder.teach.lessons.lesson import (
    LEVELS,
    MOST_BYTES,
    Lesson,
    LessonError,
    LessonStep,
    Question,
    as_data,
    read,
    write,
)
from encoder.teach.trials import Finding, judge
from pages.ui.lessons import library

GOOD = """
title = "Order"
learn = "What order is."
[[step]]
page = "attention"
text = "Look."
view = {sentence = "I love deep learning", layer = 2, head = 3, step = "attention.weights"}
own = true
check = {trial = "same_vectors", positions = "off"}
question = {kind = "number", ask = "How far?", low = 0, high = 2.5}
"""
NASTY = (
    'quote " backslash \\ newline \n tab \t bell \x07 delete \x7f emoji 👩‍🔬 \U0001f600 right \u202e <b>x</b> $x$ ```'
)


def problems(text: str) -> str:
    with pytest.raises(LessonError) as caught:
        read(text, "mine.toml")
    assert str(caught.value) == "\n".join(caught.value.problems)
    assert all(problem.startswith("mine.toml") for problem in caught.value.problems)
    return str(caught.value)


def test_a_good_file_is_read() -> None:
    (step,) = read(GOOD).steps
    view = {"sentence": "I love deep learning", "layer": "2", "head": "3", "step": "attention.weights"}
    question = Question("number", "How far?", "", 0.0, 2.5)
    assert step == LessonStep("attention", "Look.", view, True, "same_vectors", {"positions": "off"}, question)


@in_turn(
    ("change", "said"),
    [
        (("title =", "titel ="), ("there is no field 'titel'", "level, minutes, step", "title has 0 characters")),
        (('"Order"', '"' + "x" * 81 + '"'), ("title has 81 characters", "1 to 80")),
        (('"Order"', "7"), ("title is '7'", "1 to 80")),
        (("page =", "side ="), ("step 1", "no field 'side'", "page has 0 characters")),
        (('"Look."', '"' + "x" * 601 + '"'), ("step 1: text has 601 characters", "1 to 600")),
        (('"Look."', '"   "'), ("step 1: text has 3 characters",)),
        (("own = true", 'own = "yes"'), ("step 1: own is 'yes'", "true or false")),
        (("layer = 2", "present = 1"), ("step 1: view has no field 'present'", "parameters of a link")),
        (("layer = 2", "'l a' = 1"), ("step 1: view has no field 'l a'",)),
        (("layer = 2", "layer = true"), ("step 1: layer of view must be",)),
        (("layer = 2", "layer = [2]"), ("step 1: layer of view must be",)),
        (("view = {", "view = 3 # {"), ("step 1: view is '3'", "must be a table")),
        (('trial = "same_vectors"', 'trial = "os.system"'), ("check: there is no trial 'os.system'", "same_vectors")),
        (('trial = "same_vectors"', 'trial = ["x"]'), ("step 1: check: there is no trial",)),
        (('"off"', '"half"'), ("step 1: check: positions of same_vectors is 'half'", "one of off, on")),
        (('positions = "off"', "places = 2"), ("step 1: check: places is no parameter", "sentence, other, positions")),
        (('kind = "number"', 'kind = "essay"'), ("step 1: kind of question is 'essay'", "token, number, verdict")),
        (("low = 0", "low = 3"), ("step 1: low and high of the question are 3 and 2.5",)),
        (("low = 0", "low = nan"), ("step 1: low and high",)),
        (("low = 0", 'low = "0"'), ("step 1: low and high",)),
        (("check = {", "#"), ("step 1: a question of kind number needs a check",)),
        (("own = true", 'not_shown = "because it is large"'), ("step 1: not_shown begins", "no step that has a check")),
        (("own = true", "not_shown = 1"), ("step 1: not_shown is '1'",)),
        (("own = true", 'statements = "It is lost."'), ("step 1: statements must be a list of at most 8 texts",)),
        (("own = true", 'statements = ["A.", " "]'), ("step 1: statements must be a list of at most 8 texts",)),
        (("own = true", 'statements = ["A.", 2]'), ("step 1: statements must be a list of at most 8 texts",)),
        (("[[step]]", "[step]"), ("it has 0 steps", "1 to 80")),
        (("[[step]]", "[[steps]]"), ("no field 'steps'", "it has 0 steps")),
        (("high = 2.5", "high = 0x" + "f" * 5000), ("more than 64 bits",)),
        (("high = 2.5", "high = " + "9" * 5000), ("no TOML file",)),
        (("high = 2.5", "high = " + "[" * 5000), ("no TOML file",)),
        (("title", "title = ="), ("no TOML file",)),
    ],
)
def test_what_is_wrong_is_said_with_file_step_field_value_and_range(
    change: tuple[str, str], said: tuple[str, ...]
) -> None:
    assert change[0] in GOOD
    found = problems(GOOD.replace(*change, 1))
    for part in said:
        assert part in found


def test_a_step_says_what_it_shows_or_why_it_cannot() -> None:
    lesson = 'title = "x"\n[[step]]\npage = "attention"\ntext = "y"\n'
    (step,) = read(lesson + 'statements = ["A.", "B."]\nnot_shown = "because there is none here"').steps
    assert (step.statements, step.not_shown) == (("A.", "B."), "because there is none here")
    assert "not_shown begins" in problems(lesson + 'not_shown = "It is too large."')


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


@in_turn("name", library.files())
def test_bundled_lessons_come_back_from_text_and_link(name: str) -> None:
    lesson = library.bundled()[name]
    assert read(write(lesson)) == lesson
    packed = pack(lesson)
    assert packed is not None and unpack(packed) == lesson


def test_a_new_lesson_is_one_file(tmp_path: Path) -> None:
    """Dropped beside the others it is offered after them, or at the place that its number says."""
    for path in library.FOLDER.glob("*.toml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    names = list(library.files())
    assert (names[0], names[-1]) == ("what-is-attention", "when-does-grammar-begin")
    assert list(library.bundled()) == names
    (tmp_path / "attention-first.toml").write_text(GOOD)
    (tmp_path / "02-a-second.toml").write_text(GOOD)
    assert list(library.files(tmp_path)) == [*names[:2], "a-second", *names[2:], "attention-first"]
    assert read(library.files(tmp_path)["attention-first"].read_text()).title


def test_every_bundled_lesson_ends_in_a_live_number() -> None:
    for lesson in library.bundled().values():
        assert lesson.steps[-1].trial
        assert any(step.question for step in lesson.steps)


def test_hostile_text_survives_the_way_through_file_and_link() -> None:
    lesson = Lesson("T", NASTY, (LessonStep("attention", NASTY, {"sentence": NASTY}),))
    assert read(write(lesson)) == lesson
    assert unpack(str(pack(lesson))) == lesson


def squeezed(data: bytes, prefix: str = LINK) -> str:
    """What a link holds of these bytes."""
    return prefix + base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


HOSTILE = {  # what a reader of TOML takes much memory or time for
    "quotes that end a text": 'x=["""q"""", """z"""]\n' + "a." * 49000 + "b=1",
    "quotes that do not": 'x="""' + '\\"""\n' * 19900,
    "a bare key": "a." * 45000 + "b=1",
    "a quoted key": '"a".' * 19000 + "b=1",
    "a name of a table": "[" + "a." * 45000 + "b]",
    "inline tables": "x=" + "{a=" * 20000,
    "keys in an inline table": "x={" + ",".join(f"{'a.' * 40}b{i}=1" for i in range(900)) + "}",
    "lists": "x=" + "[" * 49000,
    "many deep keys": "\n".join(f"{'a.' * 100}b{i}=1" for i in range(480)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_nightly(HOSTILE, daily=["quotes that end a text", "lists"]))
def test_a_file_of_somebody_else_costs_the_reader_nothing(name: str) -> None:
    """It is read in another process, with bounds; read again it is refused without one."""
    foreign.as_json.cache_clear()
    tracemalloc.start()
    try:
        for _ in range(2):
            with pytest.raises(LessonError, match=r"nested|no TOML file"):
                foreign.read(HOSTILE[name], "a file")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert foreign.as_json.cache_info().misses <= 1


def test_dots_in_texts_are_no_keys() -> None:
    text = "a.b.c.d.e.f … 'x.y.z.u.v' # no.comment.at.all.here"
    step = f'[[step]]\npage="attention"\ntext="""{text}"""\nview.sentence=\'{text.replace(chr(39), "")}\'\n'
    lesson = read(f'title="t" # a.b.c.d.e.f.g\nlearn="{text}"\n{step}')
    assert lesson.learn == text and lesson.steps[0].text == text


DATA = as_data(read(GOOD))
NESTED = {"title": "t", "step": [{"page": "attention", "text": "x", "view": {"sentence": [[[[[[[1]]]]]]]}}]}


@in_turn(
    ("link", "said"),
    [
        (LINK, "letters"),
        (f"{LINK}../../etc/passwd", "letters"),
        (LINK + "A" * LONGEST_LINK, "the link must be"),
        (f"{LINK}AAAA", "damaged"),
        (squeezed(json.dumps(DATA).encode())[:-20], "cut off"),
        (squeezed(b"\xff\xfe"), "damaged"),
        (squeezed(b'{"title": 1}'), "title is '1'"),
        (squeezed(b"\0" * (MOST_BYTES + 1)), "larger than 100,000 bytes"),
        (squeezed(b"[1, 2]"), "no table"),
        (squeezed(b'{"title": '), "no JSON"),
        (squeezed(b"[" * 90_000), "no JSON"),
        (squeezed(json.dumps(NESTED).encode()), "nested more than 6 deep"),
        (squeezed(json.dumps(DATA | {"title": "\ud800"}).encode()), "half of a character"),
        (squeezed(json.dumps(DATA | {"\udfff": 1}).encode()), "half of a character"),
        (squeezed(json.dumps(DATA | {"minutes": 2**64}).encode()), "more than 64 bits"),
        (squeezed(b'{"minutes": ' + b"9" * 9000 + b"}"), "no JSON"),
        (squeezed(b'{"minutes": NaN}'), "NaN"),
        (squeezed(b"title = 1", OLD_LINK), "title is '1'"),
        (squeezed(b"\xff\xfe", OLD_LINK), "damaged"),
        (squeezed(b"\0" * (MOST_BYTES + 1), OLD_LINK), "larger than 100,000 bytes"),
    ],
)
def test_a_damaged_link_is_said(link: str, said: str) -> None:
    for _ in range(2):  # a refusal that is kept says the same
        with pytest.raises(LessonError, match=said):
            unpack(link)


# The link of "Who is it?" as it was shared when a link held a TOML file.
OLD = (
    "z:eNq1VU1P3EAMvc-vsHLpBUX084IQQkI9teqlUg9oVZnEuxklGaczDoEbP6T9c_ySemaSXZAWCcFyHGdtP7_37BUrHcEpFL8aBhvAyllhOkLv"
    "cpCkIQ8oQk4sOwgNTwGmBgUQBs-ORw0KujrAmv0RWAfSaKGea-pA4_kZNJ9cRWWsfq1ftPra-iCaTEMoTG_dKBQ0_sWYy8sYXa3MgJuEbgugME"
    "I3EkM_G9LytscOalu7dwKV5xC0HWlNTyRwRRWOgXQomFC_MMNkayrhK3sYA9zf_bVyf_cvDr5LK0HH9gQ1U8jgG8I0hmt3KUrE2NXQMbfKmEmA"
    "y2tL08oss74SpTKFt0r-KXwyCcEpvDexzSNCyonsppGwxfBnpBA_rExrXUwqhFtS4jC08VWYiX2KWymeR_UPR5CSqgbdhsJR0nW9n8Q8bQnf0b"
    "dqlMjk9ieRrQCOp9knygH2lPgtD06iWE_1S1msGqralRFvMXk1If-N8pg9Qb-hRFGGt7fZgXSpuB_Q006Vi-hPdLezPUdd2bXn_iErwg8kiWK4"
    "qEV0V1RDOeOekoKJK42dwXnXpYJaWpVTbFSf6Kqn8le30FHiHR0cl8efgdepQWYvOsCxo_Kt9oHTMXq1IZ6Q2NOafDhYl4dq5kunj5xWKCUVZx"
    "MsxnnSJdfka1vJ1ieq1vm-c2wj_2XU9SIfLo01rCcqruBZ8fyjmlZywREthFtLzHIHRdwpR-nGl_AtbsH8yrYJaOtkPnXNCTiyidI5WybO6KL7"
    "VFpp8pXFYUg3V-9vXkZtrG7SmLpKgG6GDvVqzP89y_9LmFS0tzseuU1ULs682-8Py35_fMExOZDT5q3Ya7TFVjujLdb7D6c6ujk"
)


def test_a_link_of_an_earlier_version_still_leads_to_its_lesson() -> None:
    lesson = unpack(OLD)
    bundled = library.bundled()["who-is-it"]
    assert lesson.title == bundled.title
    assert [step.page for step in lesson.steps] == [step.page for step in bundled.steps]
    assert unpack(str(pack(lesson))) == lesson


@in_turn("prefix", [LINK, OLD_LINK])
def test_a_link_that_would_unpack_to_much_fills_no_memory(prefix: str) -> None:
    bomb = squeezed(b"\0" * 4_000_000, prefix)
    assert len(bomb) <= LONGEST_LINK
    tracemalloc.start()
    with pytest.raises(LessonError, match="larger than 100,000 bytes"):
        unpack(bomb)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_lesson_too_long_for_a_link_is_not_packed() -> None:
    draw = random.Random(0)
    texts = ["".join(draw.choices(string.ascii_letters, k=600)) for _ in range(20)]
    lesson = Lesson("T", "L", tuple(LessonStep("attention", text) for text in texts))
    assert read(write(lesson)) == lesson
    assert pack(lesson) is None


@in_turn(
    ("step", "said"),
    [
        (LessonStep("nowhere", "x"), "step 1: there is no page 'nowhere'"),
        (LessonStep("class", "x"), "step 1: there is no page 'class'"),
        (LessonStep("attention", "x", {"model": "gpt"}), "step 1: the view asks for model “gpt”"),
        (LessonStep("attention", "x", {"floor": "2"}), "step 1: the view also asks for “floor”"),
        (LessonStep("attention", "x", {"layer": "-1"}), "step 1: the view asks for layer “-1”"),
        (LessonStep("attention", "x", {"step": "attention.magic"}), "the view asks for step"),
        (LessonStep("attention", "x", {"edits": "layers.0.output:explode"}), "the view asks for edits"),
        (LessonStep("attention", "x", {"hidden": "1,x"}), "the view asks for hidden"),
    ],
)
def test_pages_and_views_that_are_not_there_are_said(step: LessonStep, said: str) -> None:
    with pytest.raises(LessonError, match=said):
        library.fitting(Lesson("T", "L", (step,)))


def test_guesses_and_their_distance(base: TextEncoder) -> None:
    trace = base.trace("The animal didn't cross the street because it was too wide.")
    right, wrong, none = (token(trace, 4, 1, 8, guess) for guess in (2, 6, None))
    assert (right.right, right.distance, wrong.right, wrong.distance) == (True, 0.0, False, 4.0)
    assert "“animal” (2), with 49 %" in wrong.sentence and "4 tokens away" in wrong.sentence
    assert not none.right and "animal" in none.sentence
    found = Finding(0.494, "cosine", "said.", judge(True))
    assert number(found, 0, 1, 0.5).right and not number(found, 0, 1, 0.8).right
    assert number(found, 0, 1, 0.8).distance == pytest.approx(0.306)
    assert verdict(found, "holds").right and not verdict(found, "does not hold").right


def test_claims_are_data_that_trials_decide() -> None:
    assert len(CLAIMS) >= 12
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert trials.problems(claim.trial, claim.given) == []
        assert claim.where and set(claim.where) <= set(SOURCES)
        assert claim.lesson in library.bundled() if claim.lesson else claim.page in library.SHOWN


STEPS = {
    step.local
    for config in (
        *PRESETS.values(),
        EncoderConfig(pooling="mean"),
        EncoderConfig(position_buckets=32, norm="rms_norm"),
        EncoderConfig(distance_scores="both"),
    )
    for step in catalogue(config)
}


def test_every_term_stands_beside_a_step_and_every_step_that_matters_has_one() -> None:
    assert {term.name for term in TERMS} == {term.name for step in STEPS for term in beside(step)}
    for step in (
        "attention.q",
        "attention.weights",
        "add_norm_1.variance",
        "feed_forward.hidden",
        "embedding.positions",
    ):
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


def test_level_and_minutes_are_read_and_every_bundled_lesson_has_them() -> None:
    lesson = read(GOOD.replace("[[step]]", 'level = "basics"\nminutes = 8\n[[step]]', 1))
    assert (lesson.level, lesson.minutes) == ("basics", 8) and read(write(lesson)) == lesson
    assert "level is 'easy'; it must be one of" in problems(GOOD.replace("[[step]]", 'level = "easy"\n[[step]]', 1))
    for wrong in ("-1", "241", "1.5", "true"):
        assert "whole number from 0 to 240" in problems(GOOD.replace("[[step]]", f"minutes = {wrong}\n[[step]]", 1))
    bundled = library.bundled()
    assert next(iter(bundled)) == "what-is-attention"
    assert [name for name, one in bundled.items() if not (one.level in LEVELS and one.minutes)] == []


def test_texts_name_what_is_on_the_screen_and_nothing_that_is_put_away_before_a_class() -> None:
    """In front of a class the sidebar is hidden, and what stands beside a text is not above or below it."""
    hidden = re.compile(r"\b(sidebar|above|below|left|right|click|menu)\b", re.IGNORECASE)
    said = {
        (name, at): text
        for name, lesson in library.bundled().items()
        for at, step in enumerate(lesson.steps, 1)
        for text in (step.text, step.question.ask if step.question else "")
    }
    named = {place: hidden.findall(text) for place, text in said.items() if hidden.search(text)}
    assert {place: words for place, words in named.items() if words != ["below"]} == {}
    assert all("below zero" in said[place] for place in named)
    assert "For us “it” is the street." in library.bundled()["who-is-it"].steps[0].text


def test_what_changes_is_the_guess_at_the_hidden_word(base: TextEncoder) -> None:
    found = []
    for text in (WIDE, TIRED):
        trace = base.trace(text.replace("because it", "because the [MASK]"))
        guesses = base.predict(trace, 2, [trace.tokens.index("[MASK]")])
        assert guesses is not None
        found.append([word for word, _ in guesses[0]])
    assert found == [["road", "hole"], ["dog", "animal"]]
