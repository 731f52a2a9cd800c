"""`python -m encoder.train`: train a model on a corpus, go on with one, or score one."""

import hashlib
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from tokenizers import Tokenizer

from encoder.checkpoint import holds_model
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.encoder import Encoder
from encoder.support.command_line import CommandLine, exit_code
from encoder.trace.trace import Source
from encoder.train import checkpoint_files, model_card
from encoder.train.evaluation import evaluate_text, fill_in_ranks
from encoder.train.loop import train
from encoder.train.packing import encode
from encoder.train.processes import Processes, processes
from encoder.train.recipe import RECIPES, Recipe
from encoder.train.trainer import TrainingRun, renew
from encoder.train.training_corpus import TrainingError, divided, read_all, together
from encoder.train.vocabulary import learn

TOKENIZER = "tokenizer.json"


def arguments(given: list[str] | None = None) -> Namespace:
    """Return the command line."""
    parser = CommandLine("python -m encoder.train", description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, nargs="+", required=True, metavar="FILE", help="text, one line a sentence"
    )
    parser.add_argument("--preset", choices=RECIPES, default="small", help="the recipe")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where everything is written")
    parser.add_argument("--steps", type=int, metavar="N", help="how long; the rate falls to 0 there")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--evaluate", metavar="MODEL", help="score a bundled model or a folder on --corpus instead")
    heldout = "text to score on; without it, every 20th line of the corpus, at most 2,000 of each file"
    parser.add_argument("--heldout", type=Path, nargs="+", default=[], metavar="FILE", help=heldout)
    parser.add_argument("--tokenizer", type=Path, metavar="FILE", help="a tokenizer.json, instead of a new one")
    start = "a bundled model or a folder whose weights, shape and tokenizer to begin with, instead of new ones"
    parser.add_argument("--start", metavar="MODEL", help=start)
    parts = "pieces that a process cuts a step into, where memory is short (gradient accumulation)"
    parser.add_argument("--parts", type=int, default=1, metavar="K", help=parts)
    exam = "examine the heads at each snapshot on gold trees, for the film of the training on the page Training"
    parser.add_argument("--exam", action="store_true", help=exam)
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="settings other than the preset's")
    return parser.parse_args(given)


def chosen_recipe(options: Namespace, workers: int, start: TextEncoder | None) -> Recipe:
    """Return the preset, in the shape of the model to start from, with the settings that were asked for."""
    steps = [] if options.steps is None else [f"steps={options.steps}"]
    preset = RECIPES[options.preset]
    recipe = (replace(preset, config=start.config) if start else preset).with_values([*options.set, *steps])
    if start and recipe.config != start.config:
        raise TrainingError(f"--set changes the shape of {options.start}, whose weights are to be used; leave that out")
    if recipe.renewed and not start:
        raise TrainingError(f"renewed is {recipe.renewed}, but there is no model to renew; name one with --start MODEL")
    pieces = workers * options.parts
    if options.parts < 1 or recipe.rows % pieces:
        raise TrainingError(f"rows is {recipe.rows}; {workers} processes x --parts {options.parts} must divide it")
    return recipe


def tokenizer_for(
    options: Namespace, texts: list[str], recipe: Recipe, on: Processes, start: TextEncoder | None
) -> Tokenizer:
    """The tokenizer of the run: that in the folder or of the model it goes on from, a given one, or one learned."""
    path = options.out / TOKENIZER
    if options.resume:
        tokenizer = opened(path)
    else:
        new = new_tokenizer(options, texts, recipe, start).to_str() if on.first else ""
        tokenizer = Tokenizer.from_str(on.shared(new))
    if tokenizer.get_vocab_size() != recipe.config.vocab_size:
        raise TrainingError(
            f"{options.tokenizer or path} has {tokenizer.get_vocab_size()} pieces and vocab_size is "
            f"{recipe.config.vocab_size}; use --set vocab_size={tokenizer.get_vocab_size()}"
        )
    return tokenizer


def new_tokenizer(options: Namespace, texts: list[str], recipe: Recipe, start: TextEncoder | None) -> Tokenizer:
    """Return the tokenizer that a run begins with."""
    if start:
        return start.tokenizer
    return opened(options.tokenizer) if options.tokenizer else learn(texts, recipe.config.vocab_size)


def opened(path: Path) -> Tokenizer:
    """Return the tokenizer in a tokenizer.json."""
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise TrainingError(f"{path} is not a tokenizer: {error}") from error


def run_training(options: Namespace, on: Processes) -> None:
    """Train as asked, and write the model with its card."""
    if options.out is None:
        raise TrainingError("say where to write with --out DIR")
    if options.out.exists() and not options.out.is_dir():
        raise TrainingError(f"{options.out} is a file; --out must name a folder, which may be a new one")
    if not options.resume and (options.out / checkpoint_files.CHECKPOINT).exists():
        raise TrainingError(f"{options.out} already holds a run; go on with --resume, or choose another folder")
    if not options.resume and holds_model(options.out):
        raise TrainingError(f"{options.out} holds a model, which training would replace; choose another folder")
    if options.resume and not (options.out / checkpoint_files.CHECKPOINT).exists():
        raise TrainingError(
            f"{options.out} has no {checkpoint_files.CHECKPOINT} to resume from; start without --resume"
        )
    with checkpoint_files.alone(options.out) if on.first else nullcontext():
        train_alone(options, on)


def train_alone(options: Namespace, on: Processes) -> None:
    """Train in a folder that no other run writes to."""
    start = TextEncoder.from_pretrained(options.start) if options.start else None
    recipe = chosen_recipe(options, on.count, start)
    files, held = divided(options.corpus, options.heldout)
    lines = together(list(files.values()))
    tokenizer = tokenizer_for(options, lines.texts, recipe, on, start)
    if start and recipe.renewed and not options.resume:
        renew(start, recipe.renewed, recipe.seed)
    tokens = encode(lines, tokenizer, recipe.row_length)
    pinned = hashlib.sha256(tokens.ids.tobytes() + tokens.starts.tobytes()).hexdigest()[:12]
    texts = [text for some in held.values() for text in some]
    given = start.model if start else None
    examine = examiner(options.out, tokenizer, recipe) if options.exam else None
    run = TrainingRun(recipe, tokens, texts, tokenizer, options.out, pinned, options.parts, given, examine)
    run.check_rows()
    if on.first and not options.resume:
        checkpoint_files.write(options.out / TOKENIZER, tokenizer.to_str().encode())
    model, progress = train(run, on, options.resume)
    if on.first:
        checkpoint_files.save_model(options.out, model, tokenizer, recipe.row_length)
        encoder = TextEncoder.from_pretrained(options.out)
        facts = model_card.TrainingFacts(
            options.preset,
            {name: len(some.texts) for name, some in files.items()},
            {name: evaluate_text(encoder, some) for name, some in held.items()},
            f"{on.count} x {on.device.type}",
            f"{start.source.name} ({start.source.sha256})" if start else "",
        )
        print(model_card.save(options.out, recipe, progress, facts))


def examiner(folder: Path, tokenizer: Tokenizer, recipe: Recipe) -> Callable[[int, Encoder], None]:
    """Return what examines each snapshot of a run, and writes down in its folder what the heads get right."""
    if not recipe.snapshots:
        raise TrainingError("--exam examines snapshots, and this run keeps none; use --set snapshots=0,100,1000")
    from encoder.exam.moments import MomentLog  # it reads trees, which a training without it need not be able to

    log = MomentLog(folder)
    return lambda step, model: log.add(step, TextEncoder(model, tokenizer, Source(f"step {step}")))


def run_evaluation(options: Namespace) -> None:
    """Score a model on every file of the corpus, and ask it the fill-ins."""
    encoder = TextEncoder.from_pretrained(options.evaluate)
    for name, lines in read_all(options.corpus).items():
        print(f"{name}: {evaluate_text(encoder, lines.texts)}")
    for sentence, rank, guess in fill_in_ranks(encoder):
        print(f"{sentence}  {guess}  ({'rank ' + str(rank) if rank <= 5 else 'not among five'})")
    first, five, asked_for = model_card.fill_ins(encoder)
    print(f"fill-ins: {first} of {asked_for} guessed first, {five} among the first five")


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; returns the exit code, 2 where it cannot be done."""
    options = arguments(given)

    def work() -> None:
        if options.evaluate:
            run_evaluation(options)
            return
        with processes() as on:
            run_training(options, on)

    return exit_code(work, "go on from the last checkpoint with --resume")


if __name__ == "__main__":
    sys.exit(main())
