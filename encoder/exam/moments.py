"""How grammar is born: what every head gets right on gold trees at the moments of training whose weights are kept.

Beside it stand the rule that needs no model, the best fixed distance, and how often each head answers by that rule,
right or wrong: so it is seen whether a head counts words or finds the one that is meant. `encoder.exam.rise` tells the
moment at which it does.

`python -m encoder.exam.moments --model small --out encoder/exam/results/moments/small.json` makes what is shipped.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

from encoder import checkpoint, whole_file
from encoder.command_line import exit_code
from encoder.exam.answers import DIRECTIONS, Tally, WorkWatch, report_nothing, tally
from encoder.exam.examination import RESULTS
from encoder.exam.frames import NOUNS, MadeSentence, leads_of, made_sentences, mask_of
from encoder.exam.licence import best_distance
from encoder.exam.links import JUDGED, LinkedSentence, TreeLink, gaps, relations
from encoder.exam.treebank import ExamError, Treebank, bundled_treebanks
from encoder.experiments import timelapse
from encoder.text_encoder import TextEncoder

FORMAT, VERSION = "encoder-exam-moments", 2
COUNTED_NEAR = ("obj", "det", "case", JUDGED)  # the relations of which the answers by the fixed distance are counted
DRAWS = 10  # made sentences of each frame in each of the four numbers
Counts = dict[str, list[list[int]]]  # relation -> right answers by layer and head


@dataclass(frozen=True)
class Agreement:
    """In how many of `made` sentences the form of the verb that agrees is likelier than the other, by the step.

    `nearest` is in how many of them the form that agrees with the nearest noun is the right one.
    """

    made: int
    nearest: int
    right: dict[int, int]


@dataclass(frozen=True)
class FixedDistance:
    """The best fixed distance for a relation: the words to the right, and how many links it is right at."""

    distance: int
    right: int


@dataclass(frozen=True)
class Moments:
    """For each step of training how often each head was right, of `links` of each relation of a treebank.

    `right[step][relation]` [n_layers][H] counts the dependents whose largest weight is on their governor ("row"),
    `near[step][relation]` those whose largest weight is at the distance of the relation's rule, right or wrong.
    """

    model: str
    treebank: str
    links: dict[str, int]
    rules: dict[str, FixedDistance]
    agreement: Agreement
    near: dict[int, Counts]
    right: dict[int, Counts]

    def shares(self, relation: str, layer: int, head: int) -> dict[int, float]:
        """Return the share of a relation's dependents that a head is right at, from 0 to 1, by the step of training.

        Raises:
            ExamError: no such relation, layer or head.
        """
        return self.shares_of(self.right, relation, layer, head)

    def shares_near(self, relation: str, layer: int, head: int) -> dict[int, float]:
        """Return the share of a relation's dependents from which a head looks at the rule's distance, by the step.

        Raises:
            ExamError: it was not counted of this relation, or there is no such layer or head.
        """
        return self.shares_of(self.near, relation, layer, head)

    def shares_of(self, counts: dict[int, Counts], relation: str, layer: int, head: int) -> dict[int, float]:
        """Return counts of a head as shares of a relation's dependents, by the step."""
        try:
            if min(layer, head) < 0:
                raise IndexError
            return {step: count[relation][layer][head] / self.links[relation] for step, count in counts.items()}
        except (KeyError, IndexError) as error:
            raise ExamError(f"{self.treebank} has no {relation!r:.80} of layer {layer}, head {head}") from error

    def to_json(self) -> str:
        """Return everything as JSON, a line for each step."""
        about = {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model,
            "treebank": self.treebank,
            "links": self.links,
            "rules": {relation: asdict(rule) for relation, rule in self.rules.items()},
            "agreement": asdict(self.agreement),
        }
        lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in about.items()]
        for name, counts in (("near", self.near), ("right", self.right)):
            steps = (f'"{step}": {json.dumps(count, separators=(",", ":"))}' for step, count in counts.items())
            lines.append(f' "{name}": {{\n  ' + ",\n  ".join(steps) + "\n }")
        return "{\n" + ",\n".join(lines) + "\n}\n"


def questions(encoder: TextEncoder, treebank: Treebank, only: Sequence[str] = ()) -> list[LinkedSentence]:
    """Return the sentences of a treebank as they stand, and those with a gap where the model has a mask.

    `only` names the relations that are asked, all of them where it is empty; sentences without one are left out.
    """
    masked = [] if encoder.mask_token is None else gaps(treebank, encoder.mask_token)
    every = [*relations(treebank), *masked]
    return [one for one in every if not only or any(link.kind in only for link in one.links)]


def right_answers(encoder: TextEncoder, treebank: Treebank, only: Sequence[str] = ()) -> tuple[dict[str, int], Counts]:
    """Return how many links of each relation a treebank has, and how many of them each head gets right.

    `only` names the relations that are counted, all of them where it is empty; sentences without one are not run.
    """
    counted = tally(encoder, questions(encoder, treebank, only), WorkWatch(1, report_nothing))
    return links_of(counted, only), counts_of(counted, only)


def links_of(counted: Tally, only: Sequence[str] = ()) -> dict[str, int]:
    """Return how many links of each relation were asked."""
    return {kind: int(counted.asked[i].sum()) for i, kind in enumerate(counted.kinds) if not only or kind in only}


def counts_of(counted: Tally, only: Sequence[str] = ()) -> Counts:
    """Return the right answers of each head at each relation, read by rows."""
    right = counted.right[:, :, DIRECTIONS.index("row")].sum(1)
    return {kind: right[i].tolist() for i, kind in enumerate(counted.kinds) if not only or kind in only}


def near_answers(encoder: TextEncoder, treebank: Treebank, distances: Mapping[str, int]) -> Counts:
    """Return from how many dependents of these relations each head looks at the word so far to the right."""
    asked = [
        replace(one, links=tuple(link for link in by_rule(one, distances) if 0 <= link.target < len(one.words)))
        for one in questions(encoder, treebank, tuple(distances))
    ]
    return counts_of(tally(encoder, [one for one in asked if one.links], WorkWatch(1, report_nothing)))


def by_rule(sentence: LinkedSentence, distances: Mapping[str, int]) -> list[TreeLink]:
    """Return the links of some relations, each to the word at the relation's distance instead of the governor."""
    return [
        TreeLink(link.kind, link.source, link.source + distances[link.kind])
        for link in sentence.links
        if link.kind in distances
    ]


def agreeing(encoder: TextEncoder, made: Sequence[MadeSentence]) -> int:
    """Return in how many made sentences the form of the masked verb that agrees is likelier than the other."""
    return sum(next(leads_of(encoder, one, ())) > 0 for one in made)


def by_nearest_noun(made: Sequence[MadeSentence]) -> int:
    """Return in how many made sentences the noun nearest to the gap has the number of the subject."""
    many = {noun.split()[1] for noun in NOUNS}
    return sum((one.words[one.nouns[-1]] in many) == (one.numbers[0] == 1) for one in made)


def count_moments(model: str) -> Moments:
    """Count the right answers of a bundled model at every kept moment of its training, on the first bundled treebank.

    Raises:
        ExamError: it keeps no moments.
    """
    steps, treebank = checkpoint.snapshots(model), bundled_treebanks()[0]
    if not steps:
        raise ExamError(f"{model} keeps no weights of moments of its training")
    last = timelapse.at(model, steps[-1])
    counted, made = (
        tally(last, questions(last, treebank), WorkWatch(1, report_nothing)),
        made_sentences(mask_of(last), DRAWS),
    )
    links = links_of(counted)
    distances = {kind: best_distance(counted, kind) for kind in counted.kinds}
    rules = {kind: FixedDistance(far, round(share * links[kind])) for kind, (far, share) in distances.items()}
    asked = {kind: rules[kind].distance for kind in COUNTED_NEAR}
    near, right, agreed = dict[int, Counts](), dict[int, Counts](), dict[int, int]()
    for step in steps:
        encoder = timelapse.at(model, step)
        near[step] = near_answers(encoder, treebank, asked)
        right[step] = right_answers(encoder, treebank)[1]
        agreed[step] = agreeing(encoder, made)
    agreement = Agreement(len(made), by_nearest_noun(made), agreed)
    return Moments(model, treebank.name, links, rules, agreement, near, right)


@cache
def bundled_moments(model: str) -> Moments | None:
    """Read what is shipped of a bundled model's training; None where there is nothing."""
    path = RESULTS / "moments" / f"{model}.json"
    if not path.is_file():
        return None
    return read_moments(path)


def read_moments(path: Path) -> Moments:
    """Read the JSON of `to_json`."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    agreement = raw["agreement"]
    near, right, agreed = (
        {int(step): count for step, count in counts.items()}
        for counts in (raw["near"], raw["right"], agreement["right"])
    )
    return Moments(
        raw["model"],
        raw["treebank"],
        raw["links"],
        {relation: FixedDistance(**rule) for relation, rule in raw["rules"].items()},
        Agreement(agreement["made"], agreement["nearest"], agreed),
        near,
        right,
    )


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = ArgumentParser("python -m encoder.exam.moments", description=__doc__)
    parser.add_argument(
        "--model", default="small", help="a bundled model or a folder that keeps moments of its training"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON that is written")
    asked = parser.parse_args(given)
    whole_file.write(asked.out, count_moments(asked.model).to_json().encode())
    print(asked.out)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
