"""The shipped classifier: a head over `base` that says of a sentence whether it tells of something good or bad.

    python -m tests.shipped.labels --out encoder/pretrained/good-or-bad

It takes some seconds. Of `base` nothing is written: the folder names it, and holds the head alone.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.probes.layer_probes import MOODS, labelled
from encoder.experiments.probes.regression import Regression, fit
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code

TENTHS = 10  # each sentence is judged by a head that has seen neither it nor the one that differs from it by a word
CONFIG = {
    "head_of": "base",
    "name": "good-or-bad",
    "classifier": {"labels": list(MOODS.values()), "reading": "words"},
}


def vectors(encoder: TextEncoder) -> Tensor:
    """The mean of the last vectors of each sentence's words, without what stands around it: [sentences, d_model]."""
    return torch.stack([encoder.trace(sentence.text)["output"][1:-1].mean(0) for sentence in labelled()])


def unseen(x: Tensor, labels: Tensor) -> Tensor:
    """The share of the first label of each sentence, by a head that was fitted to the other tenths: [sentences]."""
    judged = torch.zeros(len(x), dtype=torch.float64)
    for tenth in range(TENTHS):
        tested = (torch.arange(len(x)) // 2) % TENTHS == tenth
        judged[tested] = fit(x[~tested], labels[~tested], len(MOODS)).shares(x[tested])[:, 0]
    return judged


def head_of(fitted: Regression) -> dict[str, Tensor]:
    """A fitted map as the last map of a head: what makes numbers alike in size is within its weights."""
    weight = fitted.weight / fitted.scale
    return {
        "classifier.output.weight": weight.float(),
        "classifier.output.bias": (fitted.bias - weight @ fitted.mean).float(),
    }


def make(given: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = CommandLine("python -m tests.shipped.labels", description="Make the classifier that is shipped.")
    parser.add_argument("--out", type=Path, required=True, help="the folder that is written")
    options = parser.parse_args(given)
    whole_file.check_folder(options.out)
    x, labels = vectors(TextEncoder.from_pretrained("base")), torch.tensor([sentence.mood for sentence in labelled()])
    judged = unseen(x, labels)
    right = ((judged > 0.5) == (labels == 0)).double()
    taught = [
        [sentence.text, sentence.mood, round(share, 4)]
        for sentence, share in zip(labelled(), judged.tolist(), strict=True)
    ]
    lines = ",\n".join(json.dumps(line, ensure_ascii=False) for line in taught)
    whole_file.write(options.out / "model.safetensors", save(head_of(fit(x, labels, len(MOODS)))), parents=True)
    whole_file.write(options.out / "taught.json", f"[\n{lines}\n]\n".encode())
    whole_file.write(options.out / "config.json", f"{json.dumps(CONFIG, indent=1)}\n".encode())
    of_each = ", ".join(f"{name} {right[labels == i].mean():.0%}" for i, name in enumerate(MOODS.values()))
    print(f"right of {len(labels)} sentences, each unseen: {right.mean():.0%} ({of_each})")


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
