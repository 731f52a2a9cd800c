"""Every verdict on every claim and tutorial line: python tests/verdicts.py [--models base even] [--root FOLDER].

    base, small   the bundled models
    untrained     random weights in the shape of MiniLM, with a head that guesses words
    even          random weights in the shape of `base` and no queries, so that all tokens get the same attention

A line for each, with its verdict by model. With `--chance` instead how often a head of 30 untrained models has a job.
`--root` is the folder whose code and lessons are tried, so that two states of them can be compared with diff.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

parser = argparse.ArgumentParser(description="Every verdict on every claim and tutorial line.")
parser.add_argument("--models", nargs="*", default=["base", "small", "untrained", "even"])
parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
parser.add_argument("--chance", action="store_true")
options = parser.parse_args()
sys.path.insert(0, str(options.root))

import torch  # noqa: E402
from controls import chance_links, even, lines, untrained  # noqa: E402

from encoder import TextEncoder  # noqa: E402
from encoder.teach import trials  # noqa: E402


def model(name: str) -> TextEncoder:
    """A model by its name."""
    made = {"untrained": lambda: untrained(0), "even": even}
    return made[name]() if name in made else TextEncoder.from_pretrained(name)


def verdict(encoder: TextEncoder, trial: str, given: dict[str, Any]) -> str:
    """What comes out, in one word or two; a refusal as well."""
    try:
        return trials.run(trial, encoder, given).verdict.value
    except (ValueError, KeyError) as error:
        return f"refused: {str(error)[:60]}"


torch.set_num_threads(1)
if options.chance:
    outcome = chance_links(10)
    print(
        f"{outcome.asked} verdicts on 30 untrained models: {outcome.holds} hold, {outcome.with_a_condition} with a "
        f"condition; {outcome.models_with_a_job} models have a head with a job."
    )
    sys.exit()
encoders = {name: model(name) for name in options.models}
verdicts = {
    line: [verdict(encoder, *asked) for encoder in encoders.values()] for line, asked in lines(options.root).items()
}
print(" | ".join(["line", *encoders]))
for line, row in verdicts.items():
    print(" | ".join([line, *row]), flush=True)
for name, column in zip(encoders, zip(*verdicts.values(), strict=True), strict=True):
    print(f"{name}: " + ", ".join(f"{count} {one}" for one, count in sorted(Counter(column).items())))
