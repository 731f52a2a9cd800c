"""Training itself: it learns, survives a kill to the last bit, adds up over processes, and says what is wrong."""

import os
import random
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny import TINY, tiny, tiny_tokenizer

from encoder import TextEncoder
from encoder.model.config import EncoderConfig
from encoder.model.tap import Recorder
from encoder.support.whole_file import WriteError
from encoder.train.__main__ import CHECKPOINT, Done, held, load_checkpoint, main, read_metrics, save_checkpoint
from encoder.train.masked_rows import Batch, Lines, Vocabulary, batches, encode, epoch_of, packed
from encoder.train.recipe import RECIPES, Recipe
from encoder.train.trainer import MaskedWords, Trainer, TrainingTap, new_model, new_optimizer
from encoder.train.vocabulary import TrainingError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
STEPS, FEW_STEPS = 90, 3
QUICK = f"--preset tiny --set steps={STEPS} evaluate_every=30 checkpoint_every=25 snapshots=0,10".split()
SHORT = f"--preset tiny --set steps={FEW_STEPS} evaluate_every=3 checkpoint_every=2 snapshots=0,2".split()
LOWER = 2.0  # nats that the loss must fall by
LINES = Lines([" ".join(f"w{(i * j) % 47}" for j in range(1, 3 + i % 9)) for i in range(200)], [False] * 200)
SIZES = ["vocab_size=53", "d_model=30", "n_heads=3", "d_ff=44", "row_length=24", "rows=12"]
RECIPE: Recipe = replace(RECIPES["tiny"].with_values(SIZES), dropout=0.0, score_penalty=1e-2, clip=1000.0)


def first_batch(recipe: Recipe) -> Batch:
    """The batch of the first step."""
    tokenizer = tiny_tokenizer()
    return next(batches(encode(LINES, tokenizer, recipe.row_length), tokenizer, recipe))


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


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    """The weights in a checkpoint, in full."""
    model: dict[str, torch.Tensor] = torch.load(folder / CHECKPOINT, weights_only=True)["model"]
    return model


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
    for name in ("model.safetensors", "snapshots/step-000010.safetensors"):
        assert (tmp_path / "killed" / name).read_bytes() == (unbroken / name).read_bytes()
    ours, theirs = (weights_of(folder) for folder in (tmp_path / "killed", unbroken))
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[key], theirs[key]) for key in ours)
    seconds = 2
    rows = [
        [[v for i, v in enumerate(row) if i != seconds] for row in read_metrics(folder, STEPS)]
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
    for words in (f"{FEW_STEPS} steps", "text.txt", "top-1", "dropout 0.1", "--preset tiny"):
        assert words in card
    said = encoder.predict(encoder.trace("the [MASK] tepo."))
    assert said is not None and len(said[2]) == 5


def test_a_run_goes_on_only_as_it_began(
    short: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = str(written(tmp_path / "other.txt", 1500))
    before = (short / CHECKPOINT).read_bytes()
    for more, sentence in (
        (["peak_rate=1e-3", "--resume"], "another configuration: peak_rate was 0.004 and is now 0.001"),
        (["steps=999", "--resume"], "steps was 3 and is now 999"),
        ([], "already holds a run; go on with --resume"),
        (["--resume", "--corpus", other], "another configuration: corpus was '"),
    ):
        assert main(["--corpus", str(corpus), "--out", str(short), *SHORT, *more]) == 2, more
        assert sentence in capsys.readouterr().err
        assert (short / CHECKPOINT).read_bytes() == before


def test_a_run_that_cannot_start_says_why(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.txt").write_text("a line")
    start = ["--corpus", str(corpus), "--preset", "tiny"]
    cases: tuple[tuple[list[str], str], ...] = (
        (["--resume"], "has no checkpoint.pt to resume from"),
        (["--set", "vocab_size=9000"], "vocab_size is 9000, but this corpus supports"),
        (["--set", "rows=4000"], "a step takes 4000"),
        (["--corpus", "nowhere.txt"], "nowhere.txt cannot be used: No such file"),
        (["--corpus", str(ROOT / ".gitignore")], "lines, too few to hold some out"),
        (["--out", str(tmp_path / "c.txt")], "c.txt could not be written"),
        (["--out", str(tmp_path / "c.txt" / "within")], "could not be written"),
        (["--out", str(tmp_path / ("a" * 300))], "cannot be used: File name too long"),
        *((["--start", model], "is neither a bundled model") for model in ("none", "a" * 400, "x\0y", "README.md")),
        (["--start", "small", "--set", "d_ff=64"], "changes the shape of small"),
    )
    for number, (more, sentence) in enumerate(cases):
        out = tmp_path / f"run {number}" / "within"
        assert main([*start, "--out", str(out), *more]) == 2, more
        assert sentence in capsys.readouterr().err, more
        assert not out.parent.exists(), f"{more} leaves {[path.name for path in out.parent.rglob('*')]}"


def test_a_run_begins_with_the_weights_and_the_tokenizer_of_a_model(tmp_path: Path) -> None:
    corpus, folder = written(tmp_path / "text.txt", 200), tmp_path / "run"
    few = ["--set", "rows=2", "steps=2", "warm_up=1", "snapshots=0"]
    assert main(["--corpus", str(corpus), "--out", str(folder), "--start", "small", *few]) == 0
    small, after = TextEncoder.from_pretrained("small"), TextEncoder.from_pretrained(folder)
    assert after.tokenizer.to_str() == small.tokenizer.to_str()
    snapshot = load_file(folder / "snapshots" / "step-000000.safetensors")
    weight = small.model.embedding.tokens.weight
    assert torch.equal(snapshot["embedding.weight"], weight.half())
    assert not torch.equal(after.model.embedding.tokens.weight, weight)
    assert "--start small" in (folder / "MODEL_CARD.md").read_text()


SAME: dict[str, object] = {"corpus": "text"}


def small_state(folder: Path, step: int) -> Trainer:
    """A checkpoint of a model that took no step."""
    trainer = Trainer(replace(RECIPE, seed=step))
    folder.mkdir(exist_ok=True)
    save_checkpoint(folder, trainer, Done(step), SAME)
    return trainer


def test_a_full_disk_leaves_the_old_checkpoint_whole(tmp_path: Path) -> None:
    small_state(tmp_path, 1)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))  # no file may grow beyond
    try:
        with pytest.raises(WriteError, match="could not be written"):
            small_state(tmp_path, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert load_checkpoint(tmp_path, Trainer(RECIPE), SAME) == Done(1)
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]


def test_two_runs_do_not_write_to_one_folder(short: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in short.iterdir() if path.is_file()}
    command = ["--corpus", str(corpus), "--out", str(short), "--resume", *SHORT]
    with held(short):
        assert main(command) == 2
    assert "another run writes to" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in short.iterdir() if path.is_file()} == before
    assert main(command) == 0, "it is free again"


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    small_state(tmp_path, 1)
    path = tmp_path / CHECKPOINT
    whole, state = path.read_bytes(), torch.load(path, weights_only=True)
    damaged = [{**state, "model": {}}, {**state, "done": {"stride": 1}}, {**state, "same": [1]}, [], {}]
    for content in (*damaged, whole[:5000], b""):
        path.write_bytes(content) if isinstance(content, bytes) else torch.save(content, path)
        with pytest.raises(TrainingError, match=r"checkpoint.pt is not a checkpoint of a training run"):
            load_checkpoint(tmp_path, Trainer(RECIPE), SAME)


@pytest.mark.nightly
def test_two_processes_train_the_model_of_one(corpus: Path, tmp_path: Path) -> None:
    settings = ["--corpus", str(corpus), "--preset", "tiny", "--set", "steps=6", "dropout=0", "evaluate_every=3"]
    settings += ["score_penalty=0.01"]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*launch, "-m", "encoder.train", "--out", str(tmp_path / "two"), *settings]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert main(["--out", str(tmp_path / "one"), *settings]) == 0
    two, one = (weights_of(tmp_path / name) for name in ("two", "one"))
    assert two.keys() == one.keys() and all(torch.allclose(two[name], one[name], atol=2e-4) for name in one)
    losses = [[float(row[4]) for row in read_metrics(tmp_path / name, 6)] for name in ("two", "one")]
    assert losses[0] == pytest.approx(losses[1], abs=1e-3) and len(losses[0]) == 2


def test_segments_of_a_row_do_not_see_each_other() -> None:
    """Each segment's output is what the encoder gives for its line alone."""
    encoder = tiny(replace(TINY, mlm_head=True, max_positions=64))
    tokens = encode(LINES, encoder.tokenizer, 40)
    rows = packed(tokens, epoch_of(tokens, 40, 0.0, 0, 0), 0, 4, 40, Vocabulary(encoder.tokenizer))
    ids, segments, places = rows
    output, _ = MaskedWords(encoder.model).eval().encode(ids, segments, places, 0.0)
    seen = 0
    for row in range(4):
        for number in range(1, int(segments[row].max()) + 1):
            own = segments[row] == number
            alone, _ = encoder.run(ids[row][own][None])
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
    trainer, batch = Trainer(RECIPE), first_batch(RECIPE)
    eager = trainer.alone.encode(batch.ids, batch.segments, batch.places, 0.0)
    compiled = torch.compile(trainer.alone.encode, backend="aot_eager", fullgraph=True)
    for one, other in zip(eager, compiled(batch.ids, batch.segments, batch.places, 0.0), strict=True):
        torch.testing.assert_close(one, other)


def test_weight_decay_and_rates_go_to_their_groups() -> None:
    recipe = replace(RECIPES["tiny"], rest_rate=0.5)
    model = new_model(recipe)
    groups = new_optimizer(model, recipe).param_groups
    assert {(group["share"], group["weight_decay"] > 0) for group in groups} == {
        (1, True),
        (1, False),
        (0.5, True),
        (0.5, False),
    }
    for group in groups:
        for weight in group["params"]:
            (name,) = (name for name, own in model.named_parameters() if own is weight)
            assert (weight.dim() == 2) == (group["weight_decay"] > 0) and (".attention." in name) == (
                group["share"] == 1
            )
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))


def test_every_kind_of_positions_can_be_trained() -> None:
    for positions in ("sinusoidal", "learned", "none"):
        config: EncoderConfig = replace(RECIPE.config, positions=positions)  # type: ignore[arg-type]
        recipe = replace(RECIPE, config=config, dropout=0.1)
        trainer = Trainer(recipe)
        trainer.step(first_batch(recipe), 0)
        table = trainer.model.embedding.positions.weight
        learns = table.grad is not None and bool(table.grad[: recipe.row_length - 12].any())
        assert learns == (positions == "learned")
