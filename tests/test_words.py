"""A word is found by its name whatever the tokenizer writes: "ĠParis", "▁Paris" or "Paris"."""

import re
from pathlib import Path

import pytest
from in_turn import in_turn
from more_tools import pictures, section
from readers import READERS, reader

from encoder import TextEncoder, checkpoint
from encoder.experiments.compare import aligned_tokens, first_difference
from encoder.pictures import labs
from encoder.pictures.labs.head_claims import position_of

pytestmark = pytest.mark.slow

PARIS = "The capital of France is Paris."
PARIS_FIRST = "Paris is the capital of France."
MARKED = {"byte pairs": "ĠParis", "sentence piece": "▁Paris", "cased": "Paris"}
MARKED |= dict.fromkeys(("with bytes", "one stretch"), "▁Paris")


@pytest.fixture(scope="module", params=READERS)
def encoder(request: pytest.FixtureRequest) -> TextEncoder:
    return reader(request.param)


def mask(encoder: TextEncoder) -> str:
    assert encoder.mask_token
    return encoder.mask_token


# In one text


def test_every_token_knows_what_was_typed_for_it(encoder: TextEncoder) -> None:
    pieces = encoder.tokenize(PARIS)
    typed = dict(zip(pieces.tokens, map(pieces.typed, range(len(pieces.tokens))), strict=True))
    assert typed[MARKED[encoder.source.name]] == "Paris" and typed["."] == "."
    assert [pieces.spelled(word) for word in pieces.words if not pieces.special[word[0]]] == [
        "The",
        "capital",
        "of",
        "France",
        "is",
        "Paris",
        ".",
    ]


@in_turn("name", ["with bytes", "one stretch"])
def test_letters_without_a_piece_are_bytes_of_their_word(name: str) -> None:
    pieces = reader(name).tokenize("a café\nin  Paris, 日本.")
    bytes_of_it = [token for token in pieces.tokens if token.startswith("<0x")]
    assert bytes_of_it[:2] == ["<0xC3>", "<0xA9>"] and len(bytes_of_it) >= 8
    spelled = [pieces.spelled(word) for word in pieces.words if not pieces.special[word[0]]]
    assert [one for one in spelled if one.strip("\u2581")] == ["a", "café", "in", "Paris", ",", "日本", "."]
    cafe = pieces.find("Café")
    assert {"<0xC3>", "<0xA9>"} <= {pieces.tokens[i] for i in cafe}


def test_a_word_is_found_as_typed_then_in_any_case(encoder: TextEncoder) -> None:
    pieces = encoder.tokenize("the city, The City of Paris")
    found = [pieces.spelled(pieces.find(word)) for word in ("The", "the", "THE", "City", "city", " paris ")]
    assert found == ["The", "the", "the", "City", "city", "Paris"]


def test_a_word_of_several_pieces_is_found_whole(encoder: TextEncoder) -> None:
    pieces = encoder.tokenize("I was born in Calais, Italy.")
    word = pieces.find("Calais")
    assert len(word) > 1 or pieces.tokens[word[0]] == "[UNK]"
    assert pieces.spelled(word) == "Calais"
    assert pieces.find("I") == (pieces.find("was")[0] - len(pieces.find("I")), *pieces.find("I")[1:])


def test_accents_may_be_left_out(encoder: TextEncoder) -> None:
    assert encoder.tokenize("a Café in Paris").find("cafe") == encoder.tokenize("a Café in Paris").find("Café")


def test_a_word_that_is_not_there_is_refused_with_those_that_are(encoder: TextEncoder) -> None:
    with pytest.raises(
        ValueError, match=r"“Rome” is not a word of “The capital.*its words are .*France, is, Paris, \."
    ):
        encoder.tokenize(PARIS).find("Rome")
    with pytest.raises(ValueError, match=r"“” is not a word"):
        encoder.tokenize(PARIS).find(" ")


# In checks of heads


def test_checks_of_heads_find_words(encoder: TextEncoder) -> None:
    trace = encoder.trace(PARIS)
    assert trace.tokens[position_of(trace, "paris")] == MARKED[encoder.source.name]
    weights = trace["layers.0.attention.weights"][1]
    capital, paris = trace.tokenization.find("capital"), trace.tokenization.find("Paris")
    expected = sum(float(weights[i, j]) for i in capital for j in paris) / len(capital)
    found = labs.run(
        "looks_at", encoder, {"sentence": PARIS, "word": "capital", "target": "Paris", "layer": 0, "head": 1}
    )
    assert found.value == pytest.approx(expected, rel=1e-5)


def test_links_are_between_words() -> None:
    """The weight that is told is that of all pieces of both words, in the head that is named."""
    encoder = reader("sentence piece")
    trace = encoder.trace(PARIS)
    places = {"capital": trace.tokenization.find("capital"), "Paris": trace.tokenization.find("Paris")}
    found = labs.run("linked", encoder, {"sentence": PARIS, "word": "capital", "target": "Paris"})
    told = re.search(r"head (\d) of layer (\d): “(\w+)” puts ([\d.]+) % of its weight on “(\w+)”", found.sentence)
    assert told and {told[3], told[5]} == places.keys()
    weights, looking = trace[f"layers.{told[2]}.attention.weights"][int(told[1])], places[told[3]]
    weight = sum(float(weights[i, j]) for i in looking for j in places[told[5]]) / len(looking)
    assert float(told[4]) == pytest.approx(100 * weight, rel=0.05)  # two digits are shown


def test_one_word_in_two_sentences() -> None:
    encoder = reader("sentence piece")
    found = labs.run("contexts", encoder, {"word": "Paris", "sentences": [PARIS, "I was born in Paris, and I live"]})
    assert "“Paris” has the same row of the embedding table in both sentences" in found.sentence


def test_odds_of_words_at_a_mask_are_those_of_the_word_that_would_stand_there(encoder: TextEncoder) -> None:
    texts = [f"The capital of France is {mask(encoder)}.", f"The city of Rome is the {mask(encoder)}."]
    given = {"sentence": texts[0], "other": texts[1], "word": mask(encoder), "near": "Paris", "far": "France"}
    odds = []
    for text in texts:
        trace = encoder.trace(text)
        logits = trace["mlm.logits"][trace.tokens.index(mask(encoder))]
        marked = MARKED[encoder.source.name]
        near, far = (encoder.tokenizer.token_to_id(w) for w in (marked, marked.replace("Paris", "France")))
        odds.append(float(logits[near] - logits[far]))
    assert labs.run("leans", encoder, given).value == pytest.approx(2.718281828 ** (odds[0] - odds[1]), rel=1e-3)


# Beside another text


def test_words_are_lined_up_by_what_was_typed(encoder: TextEncoder) -> None:
    a, b = encoder.trace(PARIS), encoder.trace("The capital of Italy is Rome.")
    at = {word: b.tokenization.find(word)[0] for word in ("capital", "is", ".")}
    pairs = {p.a: (p.b, p.same) for p in aligned_tokens(a, b)}
    assert {word: pairs[a.tokenization.find(word)[0]] for word in at} == {word: (i, True) for word, i in at.items()}
    assert not pairs[a.tokenization.find("Paris")[0]][1]
    whole = encoder.trace("I was born in Calais, Italy."), encoder.trace("I live in Calais, Italy.")
    same = {(p.a, p.b) for p in aligned_tokens(*whole) if p.same}
    assert set(zip(*(run.tokenization.find("Calais") for run in whole), strict=True)) <= same


def test_a_word_that_moved_to_the_front_is_still_the_word() -> None:
    encoder = reader("byte pairs")
    a, b = encoder.trace("in Paris"), encoder.trace("Paris")
    assert (a.tokens[2], b.tokens[1]) == ("ĠParis", "Paris")
    assert [(p.a, p.b) for p in aligned_tokens(a, b) if p.same] == [(0, 0), (2, 1), (3, 2)]
    assert first_difference(a, b) == "embedding.tokens", "the table has two rows for it"


def test_two_tokenizers_line_up_by_words() -> None:
    a, b = reader("byte pairs").trace(PARIS), reader("cased").trace(PARIS)
    same = {(a.tokens[p.a], b.tokens[p.b]) for p in aligned_tokens(a, b) if p.same}
    assert {("ĠParis", "Paris"), ("ĠFrance", "France"), ("Ġcapital", "capital")} <= same


# At a mask


@in_turn("typed", ["Paris", "paris", " PARIS "])
def test_a_word_to_watch_is_the_one_that_would_stand_at_the_mask(encoder: TextEncoder, typed: str) -> None:
    trace = encoder.trace(f"The capital of France is {mask(encoder)}.")
    at = trace.tokens.index(mask(encoder))
    expected = encoder.tokenizer.token_to_id(MARKED[encoder.source.name])
    assert encoder.word_id(trace, at, typed) == expected
    assert encoder.word_id(trace, at, MARKED[encoder.source.name]) == expected


def test_at_the_start_of_a_text_it_is_the_entry_without_a_space() -> None:
    encoder = reader("byte pairs")
    trace = encoder.trace("<mask> is the capital of France.")
    assert encoder.word_id(trace, 1, "Paris") == encoder.tokenizer.token_to_id("Paris")
    pair = encoder.trace((PARIS, "<mask> is the capital"))
    assert encoder.word_id(pair, pair.tokens.index("<mask>"), "Paris") == encoder.tokenizer.token_to_id("Paris")
    assert encoder.word_id(pair, pair.tokens.index("<mask>"), "ĠParis") == encoder.tokenizer.token_to_id("ĠParis")


@in_turn("typed", ["Constantinople", "Calais Italy", "", "日本"])
def test_what_is_no_single_word_cannot_be_watched(encoder: TextEncoder, typed: str) -> None:
    trace = encoder.trace(f"The capital of France is {mask(encoder)}.")
    with pytest.raises(ValueError, match=r"is not one word of the vocabulary"):
        encoder.word_id(trace, trace.tokens.index(mask(encoder)), typed)


# On the pages


def test_the_pages_find_the_word(model_root: Path) -> None:
    made = reader("byte pairs")
    checkpoint.save(made.model, made.tokenizer, model_root / "mine")
    here = {"model": "folder:mine", "sentence": "The capital of France is <mask>.", "layer": "0"}
    for word, known in (("Paris", True), ("Calais Italy", False)):
        items = section("what_if", "loo", watched=word, agreed=True, **here)
        assert ("error" in {item["kind"] for item in items}) != known, word
    texts = f"{PARIS}\n{PARIS_FIRST}\nI live in Rome."
    means = pictures(section("compare", "word", set=texts, set_word="Paris", **here))["set_means"]
    assert means["sentence"].startswith("“Paris” starts with mean cosine")
