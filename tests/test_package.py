"""The package in another folder and without Streamlit and Plotly: README's lines and the six commands.

What is built and installed is tried at night; what guards every change runs the same programs from the checkout.
"""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest

import encoder
from encoder.pictures.ask import ask
from encoder.pictures.registry import picture
from encoder.pictures.view import View

pytestmark = pytest.mark.slow

built = pytest.mark.nightly
ROOT = Path(__file__).parents[1]
MOST_BYTES = 75 * 2**20
SCRIPTS = tomllib.loads((ROOT / "encoder" / "pyproject.toml").read_text())["project"]["scripts"]
COMMANDS = ("encoder-atlas", "encoder-circuit", "encoder-exam", "encoder-page", "encoder-picture", "encoder-train")
WORDS = (("The", "DET", 2, "det"), ("dog", "NOUN", 3, "nsubj"), ("ran", "VERB", 0, "root"))
TREE = "\n".join(f"{i}\t{w}\t_\t{t}\t_\t_\t{to}\t{how}\t_\t_" for i, (w, t, to, how) in enumerate(WORDS, 1)) + "\n\n"
PICTURES = (
    "all_heads arcs flow_taken head_lengths layer_step lens links mixing near_words norm_sides picture rollout "
    "words_moved"
)
SMALL_RUN = ["steps=1", "d_model=8", "n_heads=2", "n_layers=1", "d_ff=8", "vocab_size=36", "rows=2", "row_length=8"]
# Runs programs and commands of a JSON list in turn: what each printed, what it complained of, and its exit code.
RUNNER = """
import contextlib, io, json, sys
from importlib import import_module

folder, blocked, scripts = sys.argv[1], sys.argv[2].split(","), json.loads(sys.argv[3])

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.path.insert(0, folder)
sys.meta_path.insert(0, Blocked())
answers = []
for name, *given in json.load(sys.stdin):
    code = 0
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()) as complained:
        sys.argv = [name, *given]
        try:
            if name in scripts:
                module, function = scripts[name].split(":")
                code = getattr(import_module(module), function)()
            else:
                exec(compile(name, "<README.md>", "exec"), {"__name__": "__main__"})
        except SystemExit as end:
            code = end.code
    answers.append((printed.getvalue(), complained.getvalue(), code))
import encoder
assert encoder.__file__.startswith(folder), encoder.__file__
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made of the sdist, without a network."""
    folder = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t"]
    subprocess.run([*build, "sdist"], cwd=ROOT / "encoder", check=True, capture_output=True)
    (source,) = folder.glob("*.tar.gz")
    with tarfile.open(source) as file:
        file.extractall(folder, filter="data")
    subprocess.run([*build, "wheel"], cwd=folder / source.name.removesuffix(".tar.gz"), check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    return folder


def answers(folder: Path, work: Path, blocked: str, given: list[list[str]]) -> list[Any]:
    """Run each in one process that knows only this folder and the environment's packages, save those blocked."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", RUNNER, str(folder), blocked, json.dumps(SCRIPTS)],
        input=json.dumps(given),
        cwd=work,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@built
def test_the_wheel_is_small_and_says_what_it_is(wheel: Path, installed: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    assert {"encoder/pretrained/base/model.safetensors", "encoder/browser/built/front.js"} <= names
    assert [name for name in names if "snapshots/" in name or "atlas/shipped" in name or "__pycache__" in name] == []
    assert {name.split("/")[0] for name in names} == {"encoder", f"encoder-{encoder.__version__}.dist-info"}
    (folder,) = installed.glob("*.dist-info")
    about = Distribution.at(folder)
    assert about.metadata["License-Expression"] == "MIT" and about.version == encoder.__version__
    assert {entry.name: entry.value for entry in about.entry_points} == SCRIPTS and set(SCRIPTS) == set(COMMANDS)
    assert (ROOT / "encoder" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


@built
def test_it_works_without_streamlit_and_plotly(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(f"The {'dog and the ' * i}cat ran home." for i in range(40)))
    (tmp_path / "trees.conllu").write_text(TREE * 8)
    (lines,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    text = ["--corpus", "text.txt"]
    moment = 'from encoder import TextEncoder as T, EncoderError\ntry: T.from_pretrained("small", step=10)\n'
    given = [
        [lines],
        [moment + "except EncoderError as error: print(error)"],
        [
            "from encoder import TextEncoder as T\nfrom encoder.atlas.atlas_folders import atlas_of, AtlasError\n"
            'try: atlas_of(T.from_pretrained("small"))\nexcept AtlasError as error: print(error)'
        ],
        ["encoder-atlas", "--model", "small", *text, "--out", "atlas"],
        ["encoder-exam", "--model", "small", "--trees", "trees.conllu", "--out", "exam.csv"],
        ["encoder-train", *text, "--out", "trained", "--set", *SMALL_RUN],
        *([name, "--help"] for name in COMMANDS if name != "encoder-picture"),
        ["encoder-picture", "rollout"],
        ["encoder-page", "A cat sat.", "--model", "small", "--out", "run.html"],
        ["encoder-exam", "--out", "exam.txt"],
        ["encoder-exam", "--out", "nowhere/exam.csv"],
        ["encoder-exam", "--model", "nothing", "--out", "exam.json"],
        ["encoder-atlas", "--corpus"],
        ["encoder-train", "--what"],
    ]
    readme, moment, shelf, atlas, exam, train, *rest = answers(installed, tmp_path, "streamlit,plotly", given)
    assert "torch.Size([8, 9, 9]) [('paris', 0." in readme[0] and "'previous'" in readme[0]
    assert "checkout" in moment[0] and "checkout" in shelf[0]
    for name, answer in (("atlas", atlas), ("exam.csv", exam), ("trained", train)):
        assert answer[2] == 0 and (tmp_path / name).exists(), answer
    assert all("usage:" in answer[0] and answer[2] == 0 for answer in rest[:5])
    assert rest[5] == ["", "error: plotly is not installed; pip install 'encoder[figures]' brings it\n", 2]
    assert rest[6][1:] == ["", 0] and (tmp_path / "run.html").exists()
    reasons = (".csv", "No such file", "'nothing'", "--corpus", "--corpus")
    for (printed, complained, code), reason in zip(rest[7:], reasons, strict=True):
        assert (printed, complained.count("\n"), code) == ("", 1, 2) and reason in complained


NO_EXTRAS = "streamlit,plotly,matplotlib,PIL,conllu,pyarrow"
TABLE = "Atlas(Path(encoder.__file__).parent / 'atlas/shipped/small').head(0, 0)._repr_html_()"
SAYS_WHICH = """
from pathlib import Path
import encoder
from encoder.atlas.atlas_reader import Atlas
from encoder.exam import bundled_treebanks
try: {need}
except ImportError as error: print(error)
"""


@pytest.mark.parametrize("place", ["checkout", pytest.param("installed", marks=built)])
def test_a_living_cell_and_a_file_need_no_extra_and_what_does_says_which(
    place: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    folder = ROOT if place == "checkout" else request.getfixturevalue("installed")
    cell = "from encoder import TextEncoder\nt = TextEncoder.from_pretrained('small').trace('A cat sat.')\n"
    given = [
        [cell + "print(len(t._repr_html_()), len(t.show('heads')._repr_html_()))"],
        ["encoder-page", "A cat sat.", "--model", "small", "--out", "run.html"],
        ["encoder-picture", "rollout", "--model", "small"],
        ["try: from encoder import measure\nexcept ImportError as error: print(error)"],
        [SAYS_WHICH.format(need="bundled_treebanks()")],
        *([[SAYS_WHICH.format(need=TABLE)]] if place == "checkout" else []),  # which alone has the shipped atlases
    ]
    shown, plain, charts, measured, *trees_and_atlas = answers(folder, tmp_path, NO_EXTRAS, given)
    assert min(map(int, shown[0].split())) > 300_000 and plain[1:] == ["", 0], (shown, plain)
    assert charts[2] == 2 and charts[1].endswith(" is not installed; pip install 'encoder[figures]' brings it\n")
    assert measured[0] == "plotly is not installed; pip install 'encoder[figures]' brings it\n"
    for needed, answer in zip(("conllu", "pyarrow"), trees_and_atlas, strict=False):
        assert answer[0] == f"{needed} is not installed; pip install 'encoder[exam]' brings it\n"


@built
def test_the_lines_of_pictures_need_the_package_alone(installed: Path, tmp_path: Path) -> None:
    """What Keep gives as code runs without what the pages stand on."""
    view = View(model="small", sentence="A cat sat on the mat.", second="It slept.", layer=1, head=1)
    lines = [picture(key).of(ask(picture(key), view)).code for key in PICTURES.split()]
    found = answers(installed, tmp_path, "streamlit,plotly,transformers", [[code] for code in lines])
    assert [answer for answer in found if not answer[0] or answer[1:] != ["", 0]] == []
    assert list(tmp_path.iterdir()) == []
