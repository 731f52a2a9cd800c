"""A list of sentences labelled and explained: `python -m encoder.pictures.labels LIST --model DIR --out labels.csv`.

One line of the list is one sentence. Each has its label, how sure the model is, and the word that speaks for it most.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.attributions.target import Target, whole_words
from encoder.experiments.attributions.word_sums import added_by_word
from encoder.metrics.answer import answers, label_names
from encoder.pictures.lists import ListTable, Measured, numbered_by_length, runs_of
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.progress import progress
from encoder.trace.trace import Trace

FILES: dict[str, Callable[[ListTable], bytes]] = {
    ".csv": lambda table: table.csv().encode(),
    ".parquet": ListTable.parquet,
}


def labelled_rows(encoder: TextEncoder, trace: Trace) -> list[dict[str, Any]]:
    """Return a row for each answer of a run: of the sentence, or of each of its words.

    `share` is how sure the model is, of a regression its number. `adds` is what the word with the most puts into the
    lead of the label over the next one; into the label alone where labels do not compete.
    """
    how, names, text = answers(encoder.config), label_names(encoder), trace.tokenization
    result = list[dict[str, Any]]()
    words = [text.spelled(word) for word in whole_words(trace)]
    for place in how.places(trace, []):
        scores = how.scores(trace, place)
        first, *others = scores.topk(min(2, how.count)).indices.tolist() if how.in_shares else [0]
        against = others[0] if others and how.competing else None
        adds = added_by_word(encoder, trace, Target(place, first, against))[:-1]
        most = int(adds.argmax())
        of_word = {} if how.of_sentence else {"of word": text.spelled(text.word_of(place))}
        row = {"label": names[first], "share": float(how.shares(scores)[first]), "word": words[most]}
        result.append(of_word | row | {"adds": float(adds[most])})
    return result


def label_list(
    encoder: TextEncoder, sentences: Sequence[str], hear: Callable[[int, int], None] | None = None
) -> Measured:
    """Label a list of sentences, each as if it were alone, and say of each the word that speaks for its label most.

    Args:
        encoder: a model with a head of labels.
        sentences: what it reads, one after the other.
        hear: told how many are done, and of how many; what it raises ends the work. Without it there is a bar.

    Returns:
        one table, with the columns `sentence` (its number from 0), `text`, `label`, `share`, `word` and `adds`; of a
        tagger a row for each word, in `of word`.

    Raises:
        EncoderError: the model names no labels.
    """
    if answers(encoder.config).labels is None:
        raise EncoderError(f"{encoder.source.name!r} names no labels")
    every, cut = dict[int, list[dict[str, Any]]](), list[int]()
    by_length, left_out = numbered_by_length(encoder, sentences)
    with nullcontext(hear) if hear else progress("labelling", "sentences") as tell:
        for done, (number, trace) in enumerate(runs_of(encoder, sentences, by_length), 1 + len(left_out)):
            try:
                if isinstance(trace, EncoderError):
                    raise trace
                every[number] = labelled_rows(encoder, trace)
                cut += [number] * (len(trace.tokenization.text) < len(sentences[number]))
                trace.let_go(partial(encoder.trace, sentences[number]))
            except EncoderError as error:
                left_out[number] = str(error)
            tell(done, len(sentences))
    rows = [{"sentence": i, "text": sentences[i]} | row for i in sorted(every) for row in every[i]]
    columns = {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else {})}
    return Measured((ListTable((), columns),), tuple(sorted(cut)), dict(sorted(left_out.items())))


def make(given: Sequence[str] | None) -> None:
    """Do what the command line says."""
    line = CommandLine(prog="python -m encoder.pictures.labels", description=__doc__.split("\n", 1)[0])
    line.add_argument("list", type=Path, help="a file of text, with a sentence in each line")
    line.add_argument("--model", default="good-or-bad", help="a bundled model with labels, or the path of a folder")
    line.add_argument("--out", type=Path, default=Path("labels.csv"), help=f"ends with {' or '.join(FILES)}")
    asked = line.parse_args(given)
    if asked.out.suffix not in FILES:
        raise EncoderError(f"{asked.out} ends with {asked.out.suffix or 'nothing'}; it must be {' or '.join(FILES)}")
    whole_file.check(asked.out)
    sentences = asked.list.read_text(encoding="utf-8").splitlines()
    result = label_list(TextEncoder.from_pretrained(asked.model), sentences)
    (table,) = result.tables
    if not table.columns:
        raise EncoderError(f"{asked.list} has no sentence that could be labelled")
    whole_file.write(asked.out, FILES[asked.out.suffix](table))
    print(f"{asked.out}: {len(table)} rows" + f", {len(result.left_out)} left out" * bool(result.left_out))


def main(given: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit code, 2 where it cannot be done."""
    return exit_code(lambda: make(given), "start again")


if __name__ == "__main__":
    sys.exit(main())
