"""`python -m encoder.train`: train a model on a corpus, or go on with one; under torchrun in several processes."""

import csv
import hashlib
import io
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from time import perf_counter

import torch
from safetensors.torch import save
from tokenizers import Tokenizer
from tqdm import tqdm

from encoder import checkpoint
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.encoder import Encoder
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.processes import Processes, processes
from encoder.support.progress import progress as shown
from encoder.support.whole_file import check_folder, write
from encoder.train.masked_rows import Batch, batches, divided, encode, held_out_batches
from encoder.train.recipe import RECIPES, Recipe
from encoder.train.trainer import Score, Trainer, evaluate, evaluate_text
from encoder.train.vocabulary import TrainingError, learn

CHECKPOINT, METRICS, TOKENIZER, CARD = "checkpoint.pt", "metrics.csv", "tokenizer.json", "MODEL_CARD.md"
COLUMNS = ("step", "tokens", "seconds", "rate", "train_loss", "loss", "top_1", "top_5")
LOOSE = ("evaluate_every", "checkpoint_every", "snapshots", "config")  # a run that goes on may have others


def arguments(given: list[str] | None = None) -> Namespace:
    """Return the command line."""
    parser = CommandLine("python -m encoder.train", description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, nargs="+", required=True, metavar="FILE", help="text, one line a sentence"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where everything is written")
    parser.add_argument("--preset", choices=RECIPES, default="small", help="the recipe")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="settings other than the preset's")
    start = "a bundled model or a folder whose weights, shape and tokenizer to begin with, instead of new ones"
    parser.add_argument("--start", metavar="MODEL", help=start)
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    return parser.parse_args(given)


def check_place(folder: Path, resume: bool) -> None:
    """Refuse a folder that cannot be written to, or that holds what training would replace."""
    check_folder(folder)
    there = (folder / CHECKPOINT).exists()
    if resume and not there:
        raise TrainingError(f"{folder} has no {CHECKPOINT} to resume from; start without --resume")
    if there and not resume:
        raise TrainingError(f"{folder} already holds a run; go on with --resume, or choose another folder")
    if not resume and checkpoint.holds_model(folder):
        raise TrainingError(f"{folder} holds a model, which training would replace; choose another folder")


def chosen_recipe(options: Namespace, workers: int, start: TextEncoder | None) -> Recipe:
    """Return the preset, in the shape of the model to start from, with the settings that were asked for."""
    preset = RECIPES[options.preset]
    recipe = (replace(preset, config=start.config) if start else preset).with_values(options.set)
    if start and recipe.config != start.config:
        raise TrainingError(f"--set changes the shape of {options.start}, whose weights are to be used; leave that out")
    if recipe.rows % workers:
        raise TrainingError(f"rows is {recipe.rows}; it must be a multiple of {workers}, the number of processes")
    return recipe


def chosen_tokenizer(
    options: Namespace, texts: list[str], recipe: Recipe, on: Processes, start: TextEncoder | None
) -> Tokenizer:
    """The tokenizer in the folder of the run that goes on, or of the model it begins with, or one that is learned."""
    if options.resume:
        return Tokenizer.from_file(str(options.out / TOKENIZER))
    if start:
        return start.tokenizer
    new = learn(texts, recipe.config.vocab_size).to_str() if on.first else ""
    return Tokenizer.from_str(on.shared(new))


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder for one run: two that write to it would mix their checkpoints. It is free again however a run ends.

    Where the system knows no such locks (Windows), nothing is held.

    Raises:
        TrainingError: another run holds it.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise TrainingError(f"another run writes to {folder}; wait for its end, or choose another folder") from error
    finally:
        os.close(lock)


@dataclass
class Done:
    """Where a run is: steps and tokens behind it, seconds spent, nll and hidden words since the last evaluation."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    nll: float = 0.0
    words: int = 0


def save_checkpoint(folder: Path, trainer: Trainer, done: Done, same: dict[str, object]) -> None:
    """Write all that a run goes on from; no state of a random generator: all draws follow from the seed and the step.

    What was there before stays until all of it is on the disk.
    """
    content = io.BytesIO()
    states = {"model": trainer.model.state_dict(), "optimizer": trainer.optimizer.state_dict()}
    torch.save({**states, "done": asdict(done), "same": same}, content)
    write(folder / CHECKPOINT, content.getvalue())


def load_checkpoint(folder: Path, trainer: Trainer, same: dict[str, object]) -> Done:
    """Put a checkpoint into a model and its optimizer; returns where its run was.

    Raises:
        TrainingError: it is damaged, or belongs to another recipe or text; the message names what differs.
    """
    path = folder / CHECKPOINT
    try:
        kept = torch.load(path, map_location="cpu", weights_only=True)
        before, done = kept["same"], Done(**kept["done"])
        other = [name for name in before | same if before.get(name) != same.get(name)]
        if not other:
            trainer.model.load_state_dict(kept["model"])
            trainer.optimizer.load_state_dict(kept["optimizer"])
    except Exception as error:  # torch raises what it likes at a damaged file
        raise TrainingError(f"{path} is not a checkpoint of a training run: {error}") from error
    if other:
        changes = "; ".join(f"{name} was {before.get(name)!r} and is now {same.get(name)!r}" for name in other[:5])
        raise TrainingError(
            f"{folder} was trained with another configuration: {changes}. "
            "Resume with the same one, or choose another folder with --out"
        )
    return done


def save_snapshot(folder: Path, model: Encoder, step: int) -> None:
    """Write the weights after so many steps under snapshots/, in float16."""
    names = {ours: theirs for theirs, ours in checkpoint.ON_DISK.items()}
    tensors = {names.get(name, name): w.detach().cpu().half().contiguous() for name, w in model.named_parameters()}
    write(folder / "snapshots" / f"step-{step:06d}.safetensors", save(tensors), parents=True)


def save_metrics(folder: Path, rows: Sequence[Sequence[object]]) -> None:
    """Write metrics.csv, with a line for each evaluation."""
    text = io.StringIO()
    cells = ([f"{v:.6g}" if isinstance(v, float) else str(v) for v in row] for row in rows)
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *cells])
    write(folder / METRICS, text.getvalue().encode("utf-8-sig"))


def read_metrics(folder: Path, upto: int) -> list[list[str]]:
    """Return the lines of metrics.csv below its heading, up to a step; none where there is no such file."""
    if not (folder / METRICS).is_file():
        return []
    with (folder / METRICS).open(encoding="utf-8-sig", newline="") as file:
        return [row for row in list(csv.reader(file))[1:] if int(row[0]) <= upto]


def save_model(folder: Path, model: Encoder, tokenizer: Tokenizer, row_length: int) -> None:
    """Write config.json, model.safetensors (float16) and tokenizer.json, which the app and the library open."""
    finished = deepcopy(model).cpu().half()
    finished.config = replace(finished.config, trained_length=row_length)
    checkpoint.save(finished, tokenizer, folder)


def card(options: Namespace, recipe: Recipe, model: Encoder, done: Done, score: Score, on: Processes) -> str:
    """Return what was trained, on what, how, and how well it does, as Markdown."""
    config, weights = recipe.config, sum(weight.numel() for weight in model.parameters())
    settings = ", ".join(f"{name} {value}" for name, value in vars(recipe).items() if name != "config")
    minutes, seconds = divmod(round(done.seconds), 60)
    begun = f" --start {options.start}" if options.start else ""
    return f"""# {options.out.resolve().name}

**What it is.** {config.n_layers} layers, {config.n_heads} heads, d_model {config.d_model}, d_ff {config.d_ff},
vocabulary {config.vocab_size:,}; {weights / 1e6:.2f} M parameters, float16. Trained to guess masked words.

**How it was made.** `python -m encoder.train --preset {options.preset}{begun}`,
PyTorch {version("torch")}, on {on.count} x {on.device.type}: {done.step:,} steps, {done.tokens / 1e6:,.1f} M tokens,
{minutes}:{seconds:02d} minutes. Settings: {settings}.

**Data.** {", ".join(path.name for path in options.corpus)}.

**Held-out masked tokens.** {score}.
"""


def ahead(coming: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches, each made while the one before is learned from."""
    with ThreadPoolExecutor(1) as worker:
        following = worker.submit(next, coming, None)
        while (batch := following.result()) is not None:
            following = worker.submit(next, coming, None)
            yield batch


def train(options: Namespace, on: Processes) -> None:
    """Train to the last step, and leave checkpoint, metrics.csv, snapshots, the model and its card in the folder."""
    folder = options.out
    check_place(folder, options.resume)
    start = TextEncoder.from_pretrained(options.start) if options.start else None
    recipe = chosen_recipe(options, on.count, start)
    lines, unseen = divided(options.corpus)
    tokenizer = chosen_tokenizer(options, lines.texts, recipe, on, start)
    tokens = encode(lines, tokenizer, recipe.row_length)
    next(batches(tokens, tokenizer, recipe))  # refuses a corpus that does not fill the rows of a step
    pinned = hashlib.sha256(tokens.ids.tobytes() + tokens.starts.tobytes()).hexdigest()[:12]
    values = {**asdict(recipe.config), **asdict(recipe), "corpus": pinned}
    same = {name: value for name, value in values.items() if name not in LOOSE}
    with held(folder) if on.first else nullcontext():
        trainer = Trainer(recipe, on, start.model if start else None)
        done = load_checkpoint(folder, trainer, same) if options.resume else Done()
        nll = torch.tensor(done.nll if on.first else 0.0, dtype=torch.float64, device=on.device)
        scored = held_out_batches(unseen, tokenizer, recipe.row_length) if on.first else []
        rows: list[Sequence[object]] = [*read_metrics(folder, done.step)]
        began = perf_counter() - done.seconds

        def keep() -> None:
            """Write what is to be kept of this step: a snapshot, a checkpoint."""
            done.nll, done.seconds = on.total(float(nll)), perf_counter() - began
            if on.first:
                if done.step in recipe.snapshots:
                    save_snapshot(folder, trainer.model, done.step)
                save_checkpoint(folder, trainer, done, same)
            on.wait()

        if not options.resume:
            if on.first:
                write(folder / TOKENIZER, tokenizer.to_str().encode())
            keep()
        coming = islice(batches(tokens, tokenizer, recipe, done.step), recipe.steps - done.step)
        with shown("training", "steps") as hear:
            for step, batch, summed in trainer.learn(ahead(coming), done.step):
                done.step, last = step, step == recipe.steps
                done.tokens += batch.ids.numel()
                done.words += len(batch.labels)
                nll += summed
                if step % recipe.evaluate_every == 0 or last:
                    loss = on.total(float(nll)) / max(1, done.words)
                    if on.first:
                        with on.autocast():
                            score = evaluate(trainer.alone, scored, trainer.move)
                        seconds, rate = perf_counter() - began, recipe.rate(step - 1)
                        rows.append((step, done.tokens, seconds, rate, loss, score.loss, score.top_1, score.top_5))
                        save_metrics(folder, rows)
                        tqdm.write(f"step {step}: training loss {loss:.3f}; held out: {score}", file=sys.stderr)
                    nll.zero_()
                    done.words = 0
                    on.wait()
                if step % recipe.checkpoint_every == 0 or last or step in recipe.snapshots:
                    keep()
                hear(step, recipe.steps)
        if on.first:
            save_model(folder, trainer.model, tokenizer, recipe.row_length)
            score = evaluate_text(TextEncoder.from_pretrained(folder), unseen)
            text = card(options, recipe, trainer.model, done, score, on)
            write(folder / CARD, text.encode())
            print(text)


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; returns the exit code, 2 where it cannot be done."""
    options = arguments(given)

    def work() -> None:
        with processes() as on:
            train(options, on)

    return exit_code(work, "go on from the last checkpoint with --resume")


if __name__ == "__main__":
    sys.exit(main())
