"""How grammar is born: what every head gets right on gold trees at the moments of training whose weights are kept.

Beside it stand the best simple rule of all, the best fixed distance, and how often each head answers by that distance,
right or wrong: so it is seen whether a head counts words or finds the one that is meant.
`encoder.exam.relation_curve` tells the moments at which it begins to, and passes either.

`python -m encoder.exam.moments --model small --out encoder/exam/results/moments/small.json` makes what is shipped.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from encoder import checkpoint
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam import examination
from encoder.exam.answers import DIRECTIONS, WorkWatch, read, report_nothing, tally
from encoder.exam.constructed_sentences import agreeing, agreeing_by_rule, constructed_sentences, knows_forms, mask_of
from encoder.exam.examination import RESULTS
from encoder.exam.links import GAPS, JUDGED, LinkedSentence, TreeLink
from encoder.exam.passing import best_of, nearest_most
from encoder.exam.simple_rules import right_by_rule
from encoder.exam.treebank import BUNDLED, ExamError, Treebank, bundled_treebanks
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.progress import counting
from encoder.support.typed_fields import read_kept
from encoder.tasks import kept_moments

FORMAT, VERSION = "encoder-exam-moments", 3
COUNTED_NEAR = ("obj", "det", "case", JUDGED)  # the relations of which the answers by the fixed distance are counted
SHOWN, NEAR = COUNTED_NEAR, "near "  # the relations of the film; before the kind of a link to the word at that distance
PERMUTED = "permuted"
TREES = (*BUNDLED, PERMUTED)
NEAREST = "the nearest noun before"  # the rule that tempts at a gap
DRAWS = 10  # constructed sentences of each frame in each of the four numbers
Counts = dict[str, list[list[int]]]  # relation -> right answers by layer and head


@dataclass(frozen=True)
class Agreement:
    """In how many of `made` sentences the form of the verb that agrees is likelier than the other, by the step.

    `nearest` is in how many of them the form that agrees with the nearest noun before the gap is the right one,
    `best_right` the same of the noun of the `best` rule.
    """

    made: int
    nearest: int
    best: str
    best_right: int
    right: dict[int, int]


@dataclass(frozen=True)
class RelationRules:
    """The best fixed distance for a relation, the words to the right, and the best rule of all: and how often right."""

    distance: int
    right: int
    best: str
    best_right: int


class MomentCounts(NamedTuple):
    """What every head does at one moment: see `Moments`."""

    near: Counts
    right: Counts
    agreed: int


@dataclass(frozen=True)
class Moments:
    """For each step of training how often each head was right, of `links` of each relation of a treebank.

    `right[step][relation]` [n_layers][H] counts the dependents whose largest weight is on their governor ("row"),
    `near[step][relation]` those whose largest weight is at the distance of the relation's rule, right or wrong.
    """

    model: str
    treebank: str
    links: dict[str, int]
    rules: dict[str, RelationRules]
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
            raise ExamError(f"{self.treebank} has no {relation!r:.80} of head {head} of layer {layer}") from error

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
    every = [sentence for part in examination.questions(encoder, treebank) for sentence in part]
    if not only:
        return every
    reduced = (
        replace(sentence, links=tuple(link for link in sentence.links if link.kind in only)) for sentence in every
    )
    return [sentence for sentence in reduced if sentence.links]


def permuted(sentences: Sequence[LinkedSentence]) -> list[LinkedSentence]:
    """Return the sentences each with the links of another of as many words: a control that has no grammar to find.

    Distances stay as they are, so the rule of a fixed distance does, too. A sentence without another is left out.
    """
    alike = dict[tuple[int, bool], list[LinkedSentence]]()
    for sentence in sentences:
        alike.setdefault((len(sentence.words), any(link.kind in GAPS for link in sentence.links)), []).append(sentence)
    return [
        replace(sentence, links=other.links)
        for some in alike.values()
        for sentence, other in zip(some, some[1:] + some[:1], strict=True)
        if sentence.words != other.words
    ]


class MomentCounter:
    """Counts what every head of a model gets right at moments of its training, one after the other.

    `questions` leave out those that the model cannot read whole; beside each link of COUNTED_NEAR stands one to the
    word at the distance of the relation's rule.
    """

    def __init__(self, encoder: TextEncoder, name: str, questions: Sequence[LinkedSentence]) -> None:
        self.name = name
        readable = [entry.sentence for entry in read(encoder, questions)[0]]
        if not readable:
            raise ExamError(f"{encoder.source.name} can read no sentence of {name}")
        apart = dict[str, Counter[int]]()
        for link in (link for sentence in readable for link in sentence.links):
            apart.setdefault(link.kind, Counter())[link.target - link.source] += 1
        self.links = {kind: apart[kind].total() for kind in sorted(apart)}
        rules = {kind: nearest_most(apart[kind]) for kind in self.links}
        by_rule = right_by_rule(readable, [*self.links])
        self.rules = {
            kind: RelationRules(far, apart[kind][far], *best_of(apart[kind], by_rule[kind]))
            for kind, far in rules.items()
        }
        self.questions = [
            replace(sentence, links=(*sentence.links, *by_distance(sentence, rules))) for sentence in readable
        ]
        self.gap_sentences = constructed_sentences(mask_of(encoder), DRAWS) if knows_forms(encoder) else []

    def count(self, encoder: TextEncoder) -> MomentCounts:
        """Count at one moment."""
        counted = tally(encoder, self.questions, WorkWatch(1, report_nothing))
        right = counted.right[:, :, DIRECTIONS.index("row")].sum(1).tolist()
        every = dict(zip(counted.kinds, right, strict=True))
        near = {kind.removeprefix(NEAR): every.pop(kind) for kind in counted.kinds if kind.startswith(NEAR)}
        return MomentCounts(near, every, agreeing(encoder, self.gap_sentences))

    def moments(self, model: str, by_step: Mapping[int, MomentCounts]) -> Moments:
        """Return what was found by the step of training."""
        ordered = sorted(by_step.items())
        by_noun = agreeing_by_rule(self.gap_sentences) if self.gap_sentences else {NEAREST: 0}
        best = max(by_noun, key=by_noun.__getitem__)
        agreed = {step: counts.agreed for step, counts in ordered}
        agreement = Agreement(len(self.gap_sentences), by_noun[NEAREST], best, by_noun[best], agreed)
        near, right = ({step: getattr(counts, name) for step, counts in ordered} for name in ("near", "right"))
        return Moments(model, self.name, self.links, self.rules, agreement, near, right)


def by_distance(sentence: LinkedSentence, distances: Mapping[str, int]) -> list[TreeLink]:
    """Return the links of COUNTED_NEAR, each to the word at the relation's distance instead of the governor."""
    moved = (
        TreeLink(NEAR + link.kind, link.source, link.source + distances[link.kind])
        for link in sentence.links
        if link.kind in COUNTED_NEAR
    )
    return [link for link in moved if 0 <= link.target < len(sentence.words)]


def count_moments(model: str, trees: str = TREES[0]) -> Moments:
    """Count the right answers of a model at every kept moment of its training, on trees by their name.

    `trees` is a bundled treebank, or PERMUTED: the first of them with the trees of other sentences of the same length.
    All relations are counted on the first treebank, on others those of SHOWN.

    Raises:
        ExamError: it keeps no moments, or there are no such trees.
    """
    steps = checkpoint.snapshots(model)
    if not steps:
        raise ExamError(f"{model} keeps no weights of moments of its training")
    if trees not in TREES:
        raise ExamError(f"trees are {trees!r:.80}; they must be one of {', '.join(TREES)}")
    last = kept_moments.at(model, steps[-1])
    bank = bundled_treebanks()[trees == TREES[1]]
    sentences = questions(last, bank, () if trees == TREES[0] else SHOWN)
    counter = MomentCounter(last, trees, permuted(sentences) if trees == PERMUTED else sentences)
    return counter.moments(Path(model).name, {step: counter.count(kept_moments.at(model, step)) for step in steps})


def moments_file(folder: Path) -> Path:
    """Return where the examined moments of a folder's training are written down."""
    return folder / "snapshots" / "moments.json"


@cache
def bundled_moments(model: str, trees: str = TREES[0]) -> Moments | None:
    """Read what is shipped of a bundled model's training on trees by their name; None where there is nothing."""
    path = RESULTS / "moments" / (f"{model}.json" if trees == TREES[0] else f"{model}.{trees}.json")
    return read_moments(path) if path.is_file() else None


def training_moments(encoder: TextEncoder, trees: str = TREES[0]) -> Moments | None:
    """Return how a model did at the moments of its training that were examined; None where none were.

    Of a bundled model it is what is shipped, of one in a folder what `python -m encoder.exam.moments` wrote there.

    Raises:
        ExamError: the file in its folder is damaged.
    """
    folder = kept_moments.kept_in(encoder)
    if folder is None or folder.parent == checkpoint.BUNDLED:
        return None if folder is None else bundled_moments(folder.name, trees)
    path = moments_file(folder)
    if trees != TREES[0] or not path.is_file():
        return None
    moments = read_moments(path)
    return moments if tuple(moments.right) == checkpoint.snapshots(folder) else None


def trees_of(encoder: TextEncoder) -> list[str]:
    """Return the names of the trees that the moments of a model were examined on; none where they were not."""
    return [trees for trees in TREES if training_moments(encoder, trees) is not None]


def read_moments(path: Path) -> Moments:
    """Read the JSON of `to_json`.

    Raises:
        ExamError: the file cannot be read, or holds something else.
    """
    how = "python -m encoder.exam.moments"
    refused = ExamError(f"{path.name} holds no counts of moments of a training; make them: {how}")
    moments = read_kept(path, Moments, (FORMAT, VERSION), refused)
    if not can_be(moments):
        raise refused
    return moments


def can_be(moments: Moments) -> bool:
    """Whether a training can have these counts: of the same shapes and relations, and no more than were asked."""
    steps, links, rules = list(moments.right), moments.links, moments.rules
    every = (*moments.right.values(), *moments.near.values())
    tables = [(name, table) for counts in every for name, table in counts.items()]
    return (
        bool(steps)
        and steps == sorted(steps) == list(moments.near) == list(moments.agreement.right)
        and steps[0] >= 0
        and all(counts.keys() == links.keys() == rules.keys() for counts in moments.right.values())
        and all(0 <= rule.right <= rule.best_right <= links[name] for name, rule in rules.items())
        and len({(len(table), len(row)) for _, table in tables for row in table}) == 1
        and all(0 <= count <= links.get(name, -1) for name, table in tables for row in table for count in row)
    )


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m encoder.exam.moments", description=__doc__)
    parser.add_argument(
        "--model", default="small", help="a bundled model or a folder that keeps moments of its training"
    )
    parser.add_argument(
        "--trees",
        choices=TREES,
        default=TREES[0],
        help="a bundled treebank, or the first of them with the trees of other sentences",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON that is written")
    options = parser.parse_args(given)
    whole_file.check(options.out)
    with counting("moments"):
        moments = count_moments(options.model, options.trees)
    whole_file.write(options.out, moments.to_json().encode())
    print(options.out)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
