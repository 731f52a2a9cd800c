"""Training itself: it learns, survives a kill to the last bit, adds up over processes, and says what is wrong."""

import os
import random
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tiny import TINY, tiny, tiny_tokenizer
from two_processes import LINES, RECIPE, gradients

from encoder import TextEncoder
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.tap import Recorder
from encoder.train import checkpoint_files
from encoder.train.__main__ import main
from encoder.train.checkpoint_files import TrainingProgress
from encoder.train.loop import all_batches, read
from encoder.train.objective import MaskedWords, TrainingTap
from encoder.train.packing import encode, packed, plan
from encoder.train.processes import ALONE
from encoder.train.trainer import Trainer, TrainingRun, new_model, new_optimizer
from encoder.train.training_corpus import TrainingError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
STEPS, FEW_STEPS = 90, 3
QUICK = f"--preset tiny --steps {STEPS} --set evaluate_every=30 checkpoint_every=25 snapshots=0,10".split()
SHORT = f"--preset tiny --steps {FEW_STEPS} --set evaluate_every=3 checkpoint_every=2 snapshots=0,2".split()
LOWER = 2.0  # nats that the loss must fall by


def written(path: Path, lines: int = 2000) -> Path:
    """A corpus of made-up words in which who acts decides what is done and where."""
    draw = random.Random(4)
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    words = ["".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in range(480)]
    who, does, where = words[:60], words[60:240], words[240:]
    texts = []
    for _ in range(lines):
        pair = []
        for i in draw.choices(range(60), k=2):
            action, place = draw.choice(does[3 * i : 3 * i + 3]), draw.choice(where[4 * i : 4 * i + 4])
            pair.append(f"the {who[i]} {action} at the {place}")
        texts.append(f"{' while '.join(pair)}.")
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("corpus") / "text.txt")


@pytest.fixture(scope="module")
def unbroken(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("run") / "unbroken"
    assert main(["--corpus", str(corpus), "--out", str(folder), *QUICK]) == 0
    return folder


@pytest.fixture(scope="module")
def short(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of few steps."""
    folder = tmp_path_factory.mktemp("run") / "short"
    assert main(["--corpus", str(corpus), "--out", str(folder), *SHORT]) == 0
    return folder


@pytest.mark.nightly
def test_2000_lines_are_learned_and_a_killed_run_ends_with_the_same_bits(
    corpus: Path, unbroken: Path, tmp_path: Path
) -> None:
    """Killed after step 60, so that 10 steps are lost, and resumed."""
    command = [sys.executable, "-m", "encoder.train", "--corpus", str(corpus), "--out", str(tmp_path / "killed")]
    command += QUICK
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=ROOT, env=alone, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(line.startswith("step 60:") for line in process.stderr)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL and not (tmp_path / "killed" / "model.safetensors").exists()
    subprocess.run([*command, "--resume"], cwd=ROOT, env=alone, check=True, capture_output=True)
    for name in ("checkpoint.safetensors", "model.safetensors", "snapshots/step-000010.safetensors"):
        ours, theirs = load_file(tmp_path / "killed" / name), load_file(unbroken / name)
        assert ours.keys() == theirs.keys() and all(torch.equal(ours[key], theirs[key]) for key in ours)
    seconds = 2
    rows = [
        [[v for i, v in enumerate(row) if i != seconds] for row in read(folder / "metrics.csv")]
        for folder in (tmp_path / "killed", unbroken)
    ]
    assert rows[0] == rows[1] and [row[0] for row in rows[0]] == ["30", "60", "90"]
    first, last = float(torch.log(torch.tensor(1000.0))), float(rows[0][-1][4])
    assert last < first - LOWER and float(rows[0][-1][3]) < float(rows[0][0][3])


def test_what_a_run_leaves_opens_as_a_model(short: Path) -> None:
    encoder = TextEncoder.from_pretrained(short)
    assert encoder.config.trained_length == 128 and encoder.config.d_model == 64
    kept = sorted(path.name for path in (short / "snapshots").iterdir())
    assert kept == ["step-000000.safetensors", "step-000002.safetensors"]
    assert not list(short.rglob("*.part"))
    start = load_file(short / "snapshots" / "step-000000.safetensors")
    fresh = new_model(replace(RECIPE, config=encoder.config)).state_dict()
    assert torch.equal(start["embedding.weight"], fresh["embedding.tokens.weight"].half())
    card = (short / "MODEL_CARD.md").read_text()
    for words in (f"{FEW_STEPS} steps", "1,900 lines", "top-1", "of 20 guessed first", "Saturated", "--preset tiny"):
        assert words in card
    said = encoder.predict(encoder.trace("the [MASK] tepo."))
    assert said is not None and len(said[2]) == 5


def test_a_run_goes_on_only_as_it_began(
    short: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = str(written(tmp_path / "other.txt", 1500))
    before = (short / checkpoint_files.CHECKPOINT).read_bytes()
    for more, sentence in (
        (["peak_rate=1e-3", "--resume"], "another configuration: peak_rate was 0.004 and is now 0.001"),
        (["--resume", "--steps", "999"], "steps was 3 and is now 999"),
        ([], "already holds a run; go on with --resume"),
        (["--resume", "--corpus", other], "another configuration: corpus was '"),
    ):
        assert main(["--corpus", str(corpus), "--out", str(short), *SHORT, *more]) == 2, more
        assert sentence in capsys.readouterr().err
        assert (short / checkpoint_files.CHECKPOINT).read_bytes() == before


def test_a_run_that_cannot_start_says_why(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.txt").write_text("a line")
    pretrained = str(ROOT / "encoder" / "pretrained" / "small" / "tokenizer.json")
    start = ["--corpus", str(corpus), "--preset", "tiny"]
    cases: tuple[tuple[list[str], str], ...] = (
        (["--resume"], "has no checkpoint.safetensors to resume from"),
        (["--set", "vocab_size=9000"], "vocab_size is 9000, but this corpus supports"),
        (["--set", "rows=10", "--parts", "4"], "rows is 10; 1 processes x --parts 4 must divide it"),
        (["--set", "rows=4000"], "a step takes 4000"),
        (["--tokenizer", pretrained], "has 8192 pieces"),
        (["--heldout", "nowhere.txt"], "nowhere.txt cannot be read"),
        (["--tokenizer", str(ROOT / "README.md")], "README.md is not a tokenizer"),
        (["--corpus", str(ROOT / ".gitignore")], "lines are too few to hold some out"),
        (["--out", str(tmp_path / "c.txt")], "c.txt is a file; --out must name a folder"),
        (["--out", str(tmp_path / "c.txt" / "within")], "could not be written"),
        (["--out", str(tmp_path / ("a" * 300))], "cannot be used: File name too long"),
        *((["--evaluate", model], "is neither a bundled model") for model in ("none", "a" * 400, "x\0y", "README.md")),
    )
    for number, (more, sentence) in enumerate(cases):
        out = tmp_path / f"run {number}" / "within"
        assert main([*start, "--out", str(out), *more]) == 2, more
        assert sentence in capsys.readouterr().err, more
        assert not out.parent.exists(), f"{more} leaves {[path.name for path in out.parent.rglob('*')]}"


def small_state(folder: Path, seed: int) -> dict[str, object]:
    """A checkpoint of a model that took no step."""
    recipe = replace(RECIPE, seed=seed)
    model, same = new_model(recipe), checkpoint_files.identity(RECIPE, "text")
    checkpoint_files.save_state(folder, model, new_optimizer(model, recipe, False), TrainingProgress(seed), same)
    return same


def test_a_full_disk_leaves_the_old_checkpoint_whole(tmp_path: Path) -> None:
    same = small_state(tmp_path, 1)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))  # no file may grow beyond
    try:
        with pytest.raises(TrainingError, match=r"could not be written: .*; the last checkpoint.safetensors is whole"):
            small_state(tmp_path, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert checkpoint_files.read_state(tmp_path, same)[1] == TrainingProgress(1)
    assert [path.name for path in tmp_path.iterdir()] == [checkpoint_files.CHECKPOINT]


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, folder = written(tmp_path / "corpus.txt", 40), tmp_path / "run"
    small_state(folder, 1)
    before = (folder / checkpoint_files.CHECKPOINT).read_bytes()
    with checkpoint_files.alone(folder):
        assert main(["--corpus", str(corpus), "--out", str(folder), "--resume", *SHORT]) == 2
    assert "another run writes to" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == [checkpoint_files.CHECKPOINT]
    assert (folder / checkpoint_files.CHECKPOINT).read_bytes() == before
    with checkpoint_files.alone(folder):  # free again
        pass


WEIGHT = "embedding.tokens.weight"
Tensors = dict[str, torch.Tensor]
About = dict[str, str]
DAMAGED: dict[str, tuple[Callable[[Tensors, About], object], str]] = {  # what is done to a checkpoint -> what is said
    "a missing weight": (lambda tensors, about: tensors.pop(f"model.{WEIGHT}"), f"model.{WEIGHT} is missing"),
    "another shape": (lambda tensors, about: tensors.update({f"model.{WEIGHT}": torch.zeros(3, 3)}), "is [3, 3] of"),
    "whole numbers": (
        lambda tensors, about: tensors.update({f"model.{WEIGHT}": tensors[f"model.{WEIGHT}"].int()}),
        "torch.int32",
    ),
    "half of the moments": (
        lambda tensors, about: tensors.update({f"exp_avg.{WEIGHT}": tensors[f"model.{WEIGHT}"].clone()}),
        f"exp_avg_sq.{WEIGHT} is missing",
    ),
    "no recipe": (lambda tensors, about: about.pop("recipe"), "is not a checkpoint of a training run"),
    "a list of progress": (lambda tensors, about: about.update(progress="[]"), "its progress is a list"),
    "a list as recipe": (lambda tensors, about: about.update(recipe="[1]"), "its recipe is a list"),
    "a text as recipe": (lambda tensors, about: about.update(recipe='"a"'), "its recipe is a str"),
    "no recipe at all": (lambda tensors, about: about.update(recipe="null"), "its recipe is a NoneType"),
    "a word as step": (lambda tensors, about: about.update(progress='{"step": "a"}'), "its step is 'a'"),
    "a step before the first": (lambda tensors, about: about.update(progress='{"step": -4}'), "its step is -4"),
    "no number": (lambda tensors, about: about.update(progress='{"step": 1, "nll": NaN}'), "its nll is nan"),
    "an unknown count": (lambda tensors, about: about.update(progress='{"stride": 1}'), "is not a checkpoint"),
}


def test_a_checkpoint_that_is_not_what_a_run_left_is_refused(tmp_path: Path) -> None:
    """Nothing is changed in the model then."""
    same, path = small_state(tmp_path, 1), tmp_path / checkpoint_files.CHECKPOINT
    whole = path.read_bytes()
    model = new_model(RECIPE)
    optimizer, before = new_optimizer(model, RECIPE, False), {n: w.clone() for n, w in model.state_dict().items()}
    for name, (damage, sentence) in DAMAGED.items():
        path.write_bytes(whole)
        with safe_open(path, "pt") as file:
            about, tensors = dict(file.metadata()), {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        damage(tensors, about)
        save_file(tensors, path, about)
        with pytest.raises(TrainingError, match=re.escape(sentence)):
            restore(model, optimizer, tmp_path, same)
        assert all(torch.equal(before[key], weight) for key, weight in model.state_dict().items()), name
    path.write_bytes(whole[:5000])
    with pytest.raises(TrainingError, match="is not a checkpoint of a training run"):
        restore(model, optimizer, tmp_path, same)


def restore(model: Encoder, optimizer: torch.optim.Optimizer, folder: Path, same: dict[str, object]) -> None:
    """Read a checkpoint and put it into a model."""
    tensors, progress = checkpoint_files.read_state(folder, same)
    checkpoint_files.restore(model, optimizer, tensors, progress.step)


@pytest.fixture(scope="module")
def of_one() -> dict[str, torch.Tensor]:
    return gradients(ALONE, parts=1)


def test_a_step_in_parts_has_the_gradient_of_the_whole(of_one: dict[str, torch.Tensor]) -> None:
    in_parts = gradients(ALONE, parts=4)
    assert in_parts.keys() == of_one.keys() and len(of_one) > 30
    for name in of_one:
        torch.testing.assert_close(in_parts[name], of_one[name], rtol=1e-4, atol=1e-7)
        assert of_one[name].abs().max() > 0 or name.endswith("w_k.bias")


def torchrun(*command: str) -> None:
    """Two processes on this machine."""
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *command]
    paths = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
    done = subprocess.run(launch, cwd=ROOT, env=alone, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.nightly
def test_two_processes_get_the_gradient_of_one(of_one: dict[str, torch.Tensor], tmp_path: Path) -> None:
    torchrun("tests/two_processes.py", str(tmp_path / "gradients"))
    of_two = load_file(tmp_path / "gradients")
    assert of_two.keys() == of_one.keys()
    for name in of_one:
        torch.testing.assert_close(of_two[name], of_one[name], rtol=1e-4, atol=1e-7)


@pytest.mark.nightly
def test_two_processes_train_the_model_of_one(corpus: Path, tmp_path: Path) -> None:
    settings = ["--corpus", str(corpus), "--preset", "tiny", "--steps", "6", "--set", "dropout=0", "evaluate_every=3"]
    torchrun("-m", "encoder.train", "--out", str(tmp_path / "two"), *settings)
    assert main(["--out", str(tmp_path / "one"), *settings]) == 0
    two, one = (load_file(tmp_path / name / "checkpoint.safetensors") for name in ("two", "one"))
    assert all(torch.allclose(two[name], one[name], atol=2e-4) for name in one if name.startswith("model."))
    losses = [[float(row[4]) for row in read(tmp_path / name / "metrics.csv")] for name in ("two", "one")]
    assert losses[0] == pytest.approx(losses[1], abs=1e-3) and len(losses[0]) == 2


def test_segments_of_a_row_do_not_see_each_other() -> None:
    """Each segment's output is what the encoder gives for its line alone."""
    encoder = tiny(replace(TINY, mlm_head=True, max_positions=64))
    tokens = encode(LINES, encoder.tokenizer, 40)
    rows = packed(tokens, plan(tokens, 40, 0.0, 0, 0), 0, 4, 40, (0, 2, 3))
    output, _ = MaskedWords(encoder.model).eval().encode(rows.ids, rows.segments, rows.places, 0.0)
    seen = 0
    for row in range(4):
        for number in range(1, int(rows.segments[row].max()) + 1):
            own = rows.segments[row] == number
            alone, _ = encoder.run(rows.ids[row][own][None])
            torch.testing.assert_close(output[row][own], alone[0], rtol=1e-4, atol=1e-5)
            seen += 1
    assert seen > 8


class Seen(TrainingTap):
    """Notes what the training tap hands on."""

    notes: dict[str, torch.Tensor]

    def see(self, name: str, value: torch.Tensor) -> torch.Tensor:
        handed = super().see(name, value)
        self.notes[name] = ((handed == 0) & (value != 0)).float().mean()
        return handed


def test_dropout_acts_where_the_paper_has_it() -> None:
    encoder = tiny(replace(TINY, max_positions=64))
    tap = Seen(encoder.model.embedding.positions.weight, torch.arange(40)[None], 0.3)
    tap.notes = {}
    encoder.run(torch.arange(5, 45)[None], tap=tap)
    dropped = {name for name, share in tap.notes.items() if share > 0.2}
    parts = ("attention.weights", "attention.output", "feed_forward.output")
    assert dropped == {"embedding.output", *(f"layers.{i}.{part}" for i in range(2) for part in parts)}
    assert all(abs(float(tap.notes[name]) - 0.3) < 0.08 for name in dropped)


def test_the_penalty_is_the_mean_square_of_the_log_sum_exp() -> None:
    encoder = tiny(TINY)
    values: dict[str, torch.Tensor] = {}
    ids = torch.arange(5, 15)[None]
    encoder.run(ids, tap=Recorder(values, {}))
    expected = torch.stack([values[f"layers.{i}.attention.scaled"].exp().sum(-1).log() ** 2 for i in range(2)]).mean()
    ones = torch.ones(1, 10, dtype=torch.long)
    objective = MaskedWords(encoder.model, score_penalty=1.0).train()
    _, penalty = objective.encode(ids, ones, torch.arange(10)[None], 0.0)
    torch.testing.assert_close(penalty, expected)


@pytest.mark.nightly
def test_torch_compile_takes_the_forward_pass_whole() -> None:
    tokenizer = tiny_tokenizer()
    run = TrainingRun(RECIPE, encode(LINES, tokenizer, RECIPE.row_length), [], tokenizer, Path(), "")
    trainer, batch = Trainer(RECIPE, ALONE), next(all_batches(run, 0))
    eager = trainer.alone.encode(batch.ids, batch.segments, batch.places, 0.0)
    compiled = torch.compile(trainer.alone.encode, backend="aot_eager", fullgraph=True)
    for one, other in zip(eager, compiled(batch.ids, batch.segments, batch.places, 0.0), strict=True):
        torch.testing.assert_close(one, other)


def test_weight_decay_and_rates_go_to_their_groups() -> None:
    recipe = replace(RECIPE, embedding_rate=0.5)
    model = new_model(recipe)
    words, matrices, vectors = new_optimizer(model, recipe, False).param_groups
    assert words["params"][0] is model.embedding.tokens.weight and words["share"] == 0.5
    assert {p.dim() for p in matrices["params"]} == {2} and {p.dim() for p in vectors["params"]} == {1}
    assert vectors["weight_decay"] == 0 < matrices["weight_decay"]
    assert sum(len(g["params"]) for g in (words, matrices, vectors)) == len(list(model.parameters()))


def test_every_kind_of_positions_can_be_trained() -> None:
    for positions in ("sinusoidal", "learned", "none"):
        config: EncoderConfig = replace(RECIPE.config, positions=positions)  # type: ignore[arg-type]
        tokenizer, recipe = tiny_tokenizer(), replace(RECIPE, config=config, dropout=0.1)
        run = TrainingRun(recipe, encode(LINES, tokenizer, recipe.row_length), [], tokenizer, Path(), "")
        trainer = Trainer(recipe, ALONE)
        trainer.step(next(all_batches(run, 0)), 0)
        table = trainer.model.embedding.positions.weight
        learns = table.grad is not None and bool(table.grad[: recipe.row_length - 12].any())
        assert learns == (positions == "learned")
