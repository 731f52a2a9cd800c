"""Which way of sharing a guess out among its words finds the one that decides it? `python -m encoder.exam.word_guides`.

In constructed sentences the form of a masked verb depends on one word, its subject. Each way is asked which word puts
most into the lead of the right form over the wrong one.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.constructed_sentences import FORMS, ConstructedSentence, constructed_sentences, mask_of
from encoder.experiments.attributions.gradients import gradient_x_input, knock_out_tokens
from encoder.experiments.attributions.target import Target, whole_words, word_shares
from encoder.experiments.attributions.why import integrated_shares
from encoder.experiments.attributions.word_sums import BESIDE, sum_over_words
from encoder.metrics.flows import rollout
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.formatting import percent
from encoder.support.progress import pulse
from encoder.trace.trace import Trace

Way = Callable[[TextEncoder, Trace, Target], Tensor]  # gives a number for each token, [n]
DRAWS = 5  # of each frame and each pair of numbers: 140 sentences


def added(encoder: TextEncoder, trace: Trace, target: Target) -> Tensor:
    """What each token adds to the lead, in the exact sum."""
    assert target.against is not None
    return sum_over_words(encoder, trace, target.position, (target.word, target.against)).lead()[:-BESIDE]


WAYS: dict[str, Way] = {
    "sum over words": added,
    "leaving a word out": lambda encoder, trace, target: knock_out_tokens(encoder, trace, target).shares,
    "gradient x input": lambda encoder, trace, target: gradient_x_input(encoder, trace, target).shares,
    "attention rollout": lambda encoder, trace, target: rollout(trace)[-1, target.position],
}
SLOW: dict[str, Way] = {"integrated gradients": integrated_shares}


@dataclass(frozen=True)
class Guide:
    """In how many of `n` sentences the word that a way puts first is the subject."""

    way: str
    right: int
    n: int


def guides(encoder: TextEncoder, sentences: Sequence[ConstructedSentence], ways: dict[str, Way]) -> list[Guide]:
    """Ask every way for the word that puts most into the right form of the masked verb.

    Raises:
        EncoderError: the model guesses no words, or has no mask.
    """
    mask, right = mask_of(encoder), dict.fromkeys(ways, 0)
    for sentence in sentences:
        pulse()
        trace = encoder.trace(" ".join(sentence.words))
        at = trace.tokens.index(mask)
        forms = [encoder.word_id(trace, at, form) for form in FORMS]
        word, against = forms if sentence.numbers[0] == 0 else reversed(forms)
        special = trace.tokenization.special
        for name, way in ways.items():
            numbers = word_shares(trace, [way(encoder, trace, Target(at, word, against))])[0].tolist()
            by_word = [
                number for number, pieces in zip(numbers, whole_words(trace), strict=True) if not special[pieces[0]]
            ]
            others = [i for i in range(len(by_word)) if i != sentence.gap]
            right[name] += max(others, key=by_word.__getitem__) == sentence.subject
    return [Guide(name, count, len(sentences)) for name, count in right.items()]


def report(given: list[str] | None = None) -> None:
    """Print a line for each way."""
    parser = CommandLine("python -m encoder.exam.word_guides", description=__doc__)
    parser.add_argument("--model", default="base", help="a model that guesses words; base without it")
    parser.add_argument("--draws", type=int, default=DRAWS, help="sentences of each frame and pair of numbers")
    parser.add_argument("--slow", action="store_true", help="integrated gradients too, seconds a sentence")
    wish = parser.parse_args(given)
    encoder = TextEncoder.from_pretrained(wish.model)
    sentences = constructed_sentences(mask_of(encoder), wish.draws)
    for guide in guides(encoder, sentences, WAYS | (SLOW if wish.slow else {})):
        print(f"{guide.way}: the subject is the first word in {percent(guide.right / guide.n)} of {guide.n} sentences")


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: report(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
