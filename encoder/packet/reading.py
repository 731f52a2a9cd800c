"""What a run's numbers mean for words, and what is claimed of them: where a head looks, which head is clearest.

`encoder/browser/run.js` and `start.js` choose and claim the same; `tests/reading_cases.json` is the table for both.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from encoder.packet.format import Stored, Values
from encoder.support.formatting import listed, ordinal

NOISE = 0.1  # of a share: a head that costs a smaller part of it is no reason for a guess
MOST = 1_000_000  # weights that are read to find the word whose head is clearest
Place = tuple[int, int]  # a layer, and a head of it
Sentence = tuple[str, dict[str, Any]]  # the key of a pattern, and its arguments


@dataclass(frozen=True)
class Word:
    """A word with its tokens, or a gap; `position` is its first token."""

    position: int
    count: int
    name: str
    gap: bool

    @property
    def plain(self) -> bool:
        """Whether it is a word, with a letter or digit, and no gap and no sign."""
        return not self.gap and any(unicodedata.category(letter)[0] in "LN" for letter in self.name)


@dataclass(frozen=True)
class Look:
    """Where a word looks: the share of each word, and what goes to tokens that are none."""

    shares: Values
    rest: float


@dataclass(frozen=True)
class Choice:
    """The word that a picture looks from, and the head."""

    word: Word
    place: Place


class Reading:
    """A run of level 1, read word by word.

    Args:
        about: the header of a packet.
        arrays: its arrays; of them `weights` is read, and where they are there `off` and `moved`.
    """

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, Stored]) -> None:
        self.about, self.arrays = about, arrays
        self.layers, self.heads = int(about["model"]["layers"]), int(about["model"]["heads"])
        numbers = arrays["weights"].numbers.astype(np.float32).astype(np.float64)
        self.weights: Values = np.where(np.isnan(numbers), 0, numbers)  # [layers, heads, rows, tokens]
        self.rows = {position: i for i, position in enumerate(about["rows"])}

    @cached_property
    def words(self) -> list[Word]:
        """The words and gaps, in order."""
        pairs = zip(self.about["words"], self.about["names"], strict=True)
        begun = {first: (count, name) for (first, count), name in pairs}
        words, end = list[Word](), 0
        for i, (token, kind) in enumerate(zip(self.about["tokens"], self.about["kinds"], strict=True)):
            if i >= end and (kind == "mask" or i in begun):
                count, name = begun.get(i, (1, token))
                words.append(Word(i, count, token if kind == "mask" else name, kind == "mask"))
                end = i + count
        return words

    @cached_property
    def others(self) -> list[int]:
        """The positions of tokens that are no words, no gap and no padding."""
        inside = {word.position + i for word in self.words for i in range(word.count)}
        kinds = self.about["kinds"]
        return [i for i in range(len(kinds)) if i not in inside and kinds[i] != "padding"]

    @cached_property
    def to_words(self) -> Values:
        """The weights with those of a word's tokens added up: [layers, heads, rows, words]."""
        ends = [place for word in self.words for place in (word.position, word.position + word.count)]
        padded = np.concatenate([self.weights, np.zeros((*self.weights.shape[:-1], 1))], -1)
        return np.add.reduceat(padded, ends, -1)[..., ::2]

    def word_at(self, position: int | None) -> Word | None:
        """Return the word that a token belongs to; None for none."""
        here = (word for word in self.words if position in range(word.position, word.position + word.count))
        return next(here, None)

    def held(self, word: Word) -> bool:
        """Return whether the run holds where a word looks."""
        return word.position in self.rows

    def look(self, place: Place, word: Word) -> Look:
        """Return where a head looks from a word: the mean over its tokens."""
        tokens = range(word.position, word.position + word.count)
        rows = [self.rows[i] for i in tokens if i in self.rows]
        if not rows:
            return Look(np.full(len(self.words), np.nan), np.nan)
        rest = self.weights[place][rows][:, self.others].mean(0).sum()
        return Look(self.to_words[place][rows].mean(0), float(rest))

    def clearest(self, word: Word) -> tuple[Place, float]:
        """Return the head that looks most at one other word, and that share.

        Words right beside it count only where there are no others: a head that looks there mostly follows the place,
        whatever stands there.
        """
        own = self.words.index(word)
        others = [i for i in range(len(self.words)) if i != own]
        far = [i for i in others if abs(i - own) > 1]
        plain = [i for i in far if self.words[i].plain]
        seen = plain or far or others
        if not seen or not self.held(word):
            return (0, 0), -1.0
        shares = self.to_words[:, :, self.rows[word.position]][..., seen].max(-1)
        layer, head = np.unravel_index(shares.argmax(), shares.shape)
        return (int(layer), int(head)), float(shares.max())

    @cached_property
    def asked(self) -> Word | None:
        """The word that a picture begins with: the first gap, else the one whose clearest head is clearest."""
        able = [word for word in self.words if self.held(word)]
        gap = next((word for word in able if word.gap), None)
        if gap is not None or not able:
            return gap or next(iter(self.words), None)
        times = Counter(word.name.lower() for word in self.words)
        plain = [word for word in able if word.plain]
        # Words that stand twice, such as "the", would leave open which is meant.
        once = [word for word in plain if times[word.name.lower()] == 1]
        most = max(1, MOST // (self.layers * self.heads * len(self.about["tokens"])))
        tried = (once or plain or able)[:most]
        shares = [self.clearest(word)[1] for word in tried]
        return tried[int(np.argmax(shares))] if max(shares) > -1 else able[0]

    @cached_property
    def effects(self) -> list[tuple[float, Place]]:
        """How the share of the first guess at the first gap changes without each head, the largest loss first."""
        guess = next(iter(self.about["guesses"].get(str(self.about["gap"]), [])), None)
        known = self.about.get("off", {}).get("words", [])
        if guess is None or "off" not in self.arrays or guess[0] not in known:
            return []
        change = self.arrays["off"].numbers[..., known.index(guess[0])].astype(np.float64) - guess[1]
        return sorted(((float(value), place) for place, value in np.ndenumerate(change)), key=itemgetter(0))

    def moves(self, word: Word) -> list[tuple[float, Place]]:
        """How far the last vector of a word moves when each head is off, the farthest first."""
        if "moved" not in self.arrays:
            return []
        tokens = slice(word.position, word.position + word.count)
        far = self.arrays["moved"].numbers.astype(np.float64)[..., tokens].mean(-1)
        return sorted(
            ((float(value), place) for place, value in np.ndenumerate(far) if np.isfinite(value)),
            key=itemgetter(0),
            reverse=True,
        )

    @cached_property
    def needed(self) -> bool:
        """Whether the first guess loses more than noise without some head, in a model that was trained."""
        share = next((share for _, share in self.about["guesses"].get(str(self.about["gap"]), [])), np.nan)
        trained = not self.about["model"].get("untrained")
        return bool(self.effects) and trained and -self.effects[0][0] >= NOISE * share

    def opening(self, word: Word) -> Place:
        """The head that a picture begins with: the one that a word needs most, else the clearest."""
        most = self.effects if word.position == self.about["gap"] else []
        return next((place for _, place in most or self.moves(word)), None) or self.clearest(word)[0]

    def choice(self, word: int | None = None, layer: int | None = None, head: int | None = None) -> Choice | None:
        """What is shown where a person chose this much, the rest chosen by the run; None where there is no word.

        The head does not follow the word that a person chose.
        """
        chosen = self.word_at(word)
        if chosen is None or not self.held(chosen):
            chosen = self.asked
        if chosen is None or self.asked is None:
            return None
        own = self.opening(self.asked)
        layer, head = (given if given is not None else usual for given, usual in zip((layer, head), own, strict=True))
        return Choice(chosen, (min(layer, self.layers - 1), min(head, self.heads - 1)))

    def guesses(self, word: Word) -> list[tuple[str, float]]:
        """Return what the model guesses at a gap, the likeliest first; nothing for a word."""
        return [(text, share) for text, share in self.about["guesses"].get(str(word.position), [])] if word.gap else []

    def name(self, word: Word) -> str:
        """Return how a word is shown: a gap as what the model guesses there, if it guesses."""
        return next((text for text, _ in self.guesses(word)), "____") if word.gap else word.name

    def called(self, word: Word) -> str:
        """Return how a sentence speaks of a word: a gap as one, a word in quotation marks, and which of several."""
        alike = [each for each in self.words if each.gap == word.gap and (word.gap or each.name == word.name)]
        name, place = "gap" if word.gap else f"“{word.name}”", alike.index(word)
        if len(alike) < 2:
            return "the gap" if word.gap else name
        return f"the {ordinal(place)} {name}"

    def passed(self, word: Word, top: int) -> Word | None:
        """Return the word before the gap that would have another verb, where a head looks past it; None else."""
        start = self.words.index(word)
        fits = self.about.get("tempts") and word.position == self.about["gap"] and top < start - 1
        return self.words[start - 1] if fits else None

    @cached_property
    def others_named(self) -> str:
        """The tokens that are no words, in a row, each once; "" where there are none."""
        names = [*dict.fromkeys(self.about["tokens"][i] for i in self.others)]
        return listed(names) if names else ""

    def claim(self, place: Place, word: Word) -> Sentence:
        """Return what a head does from a word, as a pattern and its arguments."""
        look, (layer, head) = self.look(place, word), place
        top = self.words[int(np.argmax(look.shares))]
        share = float(look.shares.max())
        if look.rest > share:
            return "looks_special", {"layer": layer, "head": head, "word": self.others_named, "share": look.rest}
        args: dict[str, Any] = {"layer": layer, "head": head, "share": share}
        if top == word:
            return "looks_itself", args | {"word": self.called(word)}
        between = self.passed(word, self.words.index(top))
        if between:
            return "looks_past", args | {"between": self.called(between), "word": self.called(top)}
        return "looks", args | {"word": self.called(top)}

    def question(self, word: Word) -> Sentence:
        """Return what is asked of a word, as a pattern and its arguments."""
        if not self.guesses(word) or word.position != self.about["gap"] or not self.needed:
            return "question_own", {"word": self.called(word)}
        if self.about.get("tempts"):
            return "question_past", {"between": f"“{self.about['tempts']}”", "word": self.name(word)}
        if sum(each.gap for each in self.words) > 1:
            return "question_gap_of", {"word": self.name(word), "asked": self.called(word)}
        return "question_gap", {"word": self.name(word)}
