"""What a reader is told of words that the model does not have, and of looks too weak to be a finding."""

import pytest
from in_turn import in_turn
from model_page_tools import texts
from page_tools import open_app

from encoder import TextEncoder
from encoder.metrics.strongest_looks import finding, strongest_link
from encoder.metrics.word_kinds import words_known
from encoder.pictures.view import EXAMPLE

pytestmark = pytest.mark.slow

SPANISH = "El perro no cruzó la calle porque estaba cansado."


@in_turn(
    ("text", "counts", "said"),
    [
        (EXAMPLE, (11, 0, 0), ""),
        ("The capital of France is [MASK].", (5, 0, 0), ""),
        (SPANISH, (3, 6, 0), "3 of these 9 words whole; 6 it reads in pieces: what it does with them says little."),
        ("El gato se sentó en la alfombra roja.", (4, 4, 0), "4 of these 8 words whole; 4 it reads in pieces: what it"),
        ("猫は魚を食べた。", (0, 0, 1), "does not know this word at all"),
        ("猫 は 魚 を 食べた", (0, 0, 5), "knows none of these 5 words whole; 5 are unknown to it"),
        ("I 🐱 love 😀 the old sea!", (5, 0, 2), "knows 5 of these 7 words whole; 2 are unknown to it."),
        ("Tokenization of words", (2, 1, 0), ""),
        ("...", (0, 0, 0), ""),
    ],
)
def test_words_are_counted_by_how_the_model_knows_them(
    base: TextEncoder, text: str, counts: tuple[int, int, int], said: str
) -> None:
    found = words_known(base.tokenize(text))
    assert (found.whole, found.pieces, found.unknown) == counts
    assert said in found.sentence and bool(said) == bool(found.sentence)


def test_it_is_said_under_the_sentence_on_every_page_of_the_server() -> None:
    """On those that the browser draws, its run says it: test_packet.py."""
    assert "knows 3 of these 9 words whole" in texts(open_app("models", sentence=SPANISH))
    assert "words whole" not in texts(open_app("models"))


def test_a_look_little_above_even_attention_is_no_finding(base: TextEncoder) -> None:
    trace = base.trace(EXAMPLE)
    even = 1 / len(trace.tokens)
    for layer in range(6):
        for head in range(8):
            link = strongest_link(trace, layer, head)
            assert link is not None
            assert ("no word stands out" in finding(trace, layer, head)) == (link.weight < even + 0.25)
    assert finding(trace, 4, 1).startswith("“it” gives 49 %")
