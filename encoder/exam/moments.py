"""How grammar is born: what every head gets right on gold trees at the moments of training whose weights are kept.

`python -m encoder.exam.moments --model small --out encoder/exam/results/moments/small.json` makes what is shipped.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from encoder import whole_file
from encoder.exam.answers import DIRECTIONS, WorkWatch, report_nothing, tally
from encoder.exam.examination import RESULTS
from encoder.exam.links import relations
from encoder.exam.treebank import ExamError, Treebank, bundled_treebanks
from encoder.experiments import timelapse
from encoder.text_encoder import TextEncoder
from encoder.train.command import exit_code

FORMAT, VERSION = "encoder-exam-moments", 1
Counts = dict[str, list[list[int]]]  # relation -> right answers by layer and head


@dataclass(frozen=True)
class Moments:
    """For each step of training how often each head was right, of `links` of each relation of a treebank.

    `right[step][relation]` [n_layers][H] counts the dependents whose largest weight is on their governor ("row").
    """

    model: str
    treebank: str
    links: dict[str, int]
    right: dict[int, Counts]

    def shares(self, relation: str, layer: int, head: int) -> dict[int, float]:
        """Return the share of a relation's dependents that a head is right at, from 0 to 1, by the step of training.

        Raises:
            ExamError: no such relation, layer or head.
        """
        try:
            if min(layer, head) < 0:
                raise IndexError
            return {step: right[relation][layer][head] / self.links[relation] for step, right in self.right.items()}
        except (KeyError, IndexError) as error:
            raise ExamError(f"{self.treebank} has no {relation!r:.80} of layer {layer}, head {head}") from error

    def to_json(self) -> str:
        """Return everything as JSON, a line for each step."""
        steps = ",\n  ".join(
            f'"{step}": {json.dumps(right, separators=(",", ":"))}' for step, right in self.right.items()
        )
        about = {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model,
            "treebank": self.treebank,
            "links": self.links,
        }
        lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in about.items()]
        return "{\n" + ",\n".join(lines) + ',\n "right": {\n  ' + steps + "\n }\n}\n"


def right_answers(encoder: TextEncoder, treebank: Treebank, only: Sequence[str] = ()) -> tuple[dict[str, int], Counts]:
    """Return how many links of each relation a treebank has, and how many of them each head gets right.

    `only` names the relations that are counted, all of them where it is empty; sentences without one are not run.
    """
    sentences = [
        one for one in relations(treebank) if not only or any(link.kind in only for link in one.links)
    ]  # fmt: skip
    counted = tally(encoder, sentences, WorkWatch(1, report_nothing))
    right = counted.right[:, :, DIRECTIONS.index("row")].sum(1)
    wanted = [(i, kind) for i, kind in enumerate(counted.kinds) if not only or kind in only]
    return {kind: int(counted.asked[i].sum()) for i, kind in wanted}, {kind: right[i].tolist() for i, kind in wanted}


def count_moments(model: str) -> Moments:
    """Count the right answers of a bundled model at every kept moment of its training, on the first bundled treebank.

    Raises:
        ExamError: it keeps no moments.
    """
    steps, treebank = timelapse.snapshots(model), bundled_treebanks()[0]
    if not steps:
        raise ExamError(f"{model} keeps no weights of moments of its training")
    counts = {step: right_answers(timelapse.at(model, step), treebank) for step in steps}
    return Moments(model, treebank.name, counts[steps[0]][0], {step: right for step, (_, right) in counts.items()})


def bundled_moments(model: str) -> Moments | None:
    """Read what is shipped of a bundled model's training; None where there is nothing."""
    path = RESULTS / "moments" / f"{model}.json"
    if not path.is_file():
        return None
    raw = json.loads(path.read_text(encoding="utf-8"))
    return Moments(
        raw["model"], raw["treebank"], raw["links"], {int(step): right for step, right in raw["right"].items()}
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
