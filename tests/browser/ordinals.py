"""Which of several in words, for tests that say again what a page says."""

WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
WORDS += ("eleventh", "twelfth")
ENDS = {1: "st", 2: "nd", 3: "rd"}


def nth(place: int) -> str:
    """The place in a row, counted from 0."""
    if place < len(WORDS):
        return WORDS[place]
    end = "th" if (place + 1) % 100 in (11, 12, 13) else ENDS.get((place + 1) % 10, "th")
    return f"{place + 1}{end}"
