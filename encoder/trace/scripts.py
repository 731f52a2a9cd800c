"""Scripts that are written without spaces between words."""

import unicodedata

IDEOGRAPHS = ("CJK ", "IDEOGRAPHIC")  # how Unicode's names of letters begin; each of these may be a word
LETTERS = (
    *("BALINESE", "HALFWIDTH KATAKANA", "HIRAGANA", "JAVANESE", "KATAKANA", "KHMER", "LAO", "MYANMAR"),
    *("NEW TAI LUE", "TAI LE", "TAI THAM", "TAI VIET", "THAI", "TIBETAN", "YI SYLLABLE"),
)


def letters_of(text: str) -> list[str]:
    """Return the letters of a text with the marks that belong to them, such as the vowels of Thai; signs are none."""
    letters: list[str] = []
    for c in text:
        if unicodedata.category(c).startswith("M"):
            letters[-1:] = [(letters or [""])[-1] + c]
        elif c.isalpha():
            letters.append(c)
    return letters


def is_ideograph(letter: str) -> bool:
    """Return whether a letter is Chinese."""
    return unicodedata.name(letter[0], "").startswith(IDEOGRAPHS)


def is_unspaced(letter: str) -> bool:
    """Return whether a letter is of a script without spaces between words."""
    return unicodedata.name(letter[0], "").startswith((*IDEOGRAPHS, *LETTERS))
