"""What pages say of a picture agrees with itself and with its numbers."""

import re

import pytest
from page_tools import go, healthy, open_app, step_about
from streamlit.testing.v1 import AppTest

from encoder import TextEncoder
from encoder.experiments.importance import importance
from encoder.metrics import disagreement, length, parked, stream
from pages.ui.server.measurements import importances

pytestmark = pytest.mark.slow


def told(app: AppTest) -> str:
    """All text of a page, without the backslashes that keep it from being Markdown."""
    texts = [one.value for one in (*app.markdown, *app.caption, *app.text)]
    return re.sub(r"\\(.)", r"\1", " ".join(texts))


HUNGRY = "My dog chased the cat because it was hungry."
DEFAULT = "The animal didn't cross the street because it was too tired."


@pytest.mark.parametrize("sentence", [HUNGRY, DEFAULT])
def test_the_largest_weight_between_words_is_told_one_way(base: TextEncoder, sentence: str) -> None:
    query = {"sentence": sentence, "layer": "4", "head": "1", "step": "attention.weights"}
    app = open_app("sentence", several="1", **query)
    trace = base.trace(sentence)
    weights = trace["layers.4.attention.weights"][1]
    words = range(1, len(trace.tokens) - 1)
    i, j = max(((i, j) for i in words for j in words), key=lambda pair: float(weights[pair]))
    text = told(app)
    found = re.findall(
        r"“([^”]+)” \((\d+)\) puts [\d.]+ % on “([^”]+)” \((\d+)\), the largest weight between two", text
    )
    assert found == [(trace.tokens[i], str(i), trace.tokens[j], str(j))] * len(found)
    assert found


def test_a_picture_of_special_tokens_says_so_calmly(base: TextEncoder) -> None:
    app = open_app("attention", sentence=DEFAULT, layer="4", head="1", step="attention.weights")
    line = parked(base.trace(DEFAULT), 4, 1).sentence
    assert line and line in step_about(app, "layers.4.attention.weights")["look"]
    app = open_app("attention", sentence=DEFAULT, layer="1", head="7", step="attention.weights")
    assert "parked" not in step_about(app, "layers.1.attention.weights")["look"]


@pytest.mark.parametrize(
    ("edits", "holds"),
    [("", True), ("embedding.positions:zero", False), ("embedding.positions:shuffle:v=7", False)],
)
def test_what_holds_of_the_model_alone_is_not_said_of_a_changed_run(edits: str, holds: bool) -> None:
    """Without its positions two copies of one word have the same rows at the end."""
    app = open_app("stack", sentence="The cat saw the other cat.", **({"edits": edits} if edits else {}))
    text = step_about(app, "output")["look"]
    assert "Two copies of one word in a sentence have different rows here" in text
    assert ("Said of the model as it is" not in text) == holds


def test_a_change_that_does_not_reach_a_picture_takes_nothing_from_its_words() -> None:
    app = open_app("embedding", edits="layers.2.attention.heads:zero:h=3")
    text = step_about(app, "embedding.output")["look"]
    assert "differ by nothing but their positions" in text and "Said of the model" not in text


def test_a_share_below_another_is_told_in_points(base: TextEncoder) -> None:
    """The most that a token hands over less than its weight, as the mean over the rows of flow share minus weight."""
    text = told(open_app("heads", heads_part="What really flows", sentence=DEFAULT, layer="4", head="1"))
    less = disagreement(base.trace(DEFAULT), 4)[1].sum(0).min() / len(base.trace(DEFAULT).tokens)
    found = re.search(r"its share of the flow is ([\d.]+) points below its share of the weight", text)
    assert found and float(found[1]) == pytest.approx(-100 * float(less), rel=0.02)


def test_proofs_agree_in_digits() -> None:
    app = open_app("attention", sentence=DEFAULT, layer="4", head="1", step="attention.weights")
    values = [metric.value for metric in app.metric]
    assert values
    assert all(re.fullmatch(r"to (\d+ digits|the last bit)", value) for value in values), values


def test_lengths_are_told_as_they_are(base: TextEncoder) -> None:
    app = open_app("stack", sentence=DEFAULT, ways_open="1")
    healthy(app.pills(key="move").set_value("Length").run())
    lengths = length(stream(base.trace(DEFAULT))[-1])
    ratio = float(lengths.max() / lengths.min())
    assert f"{ratio:.3g} times as long as the shortest" in told(app)


def test_the_board_is_asked_for_and_kept_for_all(small: TextEncoder) -> None:
    importances.clear()  # another test may have asked
    app = go(open_app(model="small"), "what_if")
    assert "standard error" not in told(app)
    healthy(app.button(key="board_go").click().run(timeout=300))
    *_, found = importance(small, "mean")
    heads = found.harm[:, :-1]
    clear = int((heads > 2 * found.harm_error[:, :-1]).sum())
    most = f"{float(heads[2, 3]):.3g} ± {float(found.harm_error[2, 3]):.3g}"
    line = f"of the heads layer 2, head 3 matters most, {most}; {clear} of 16 heads"
    assert float(heads.max()) == float(heads[2, 3])
    assert line in told(app)
    other = go(open_app(model="small"), "what_if")
    assert line in told(other)  # nothing was measured again
