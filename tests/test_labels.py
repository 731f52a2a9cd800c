"""Heads that name labels: those of transformers, whole or refused, with their names, their edits and their files."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from in_turn import in_turn
from safetensors.torch import load_file, save_file
from tiny import LABELS, SENTENCE, TINY, VARIANTS, tiny, tiny_tokenizer
from torch import Tensor
from twins import DISTILBERT_SIZES, IDS, LONG, MODELS, SIZES, WINDOW, fields, roberta_tokenizer, saved

from encoder import CheckpointError, ClassifierConfig, Edit, EncoderConfig, EncoderError, TextEncoder, Trace
from encoder.checkpoint import BUNDLED, save
from encoder.explain.cost import areas
from encoder.explain.kind import kind
from encoder.model.classifier_config import LONGEST_LABEL, MOST_LABELS
from encoder.model.config_text import config_to_text
from encoder.pictures.registry.steps import step_picture

TEXTS: list[Any] = ["w1 w2 w3 w2 w4", ("w7", "w20 w1"), "w5 w6 w7 w8 w9 w10 w11 w12 w13"]
NAMES = {0: "negative", 1: "positive", 2: "neither"}
NARROW, DEBERTA = {**SIZES, "embedding_size": 18}, MODELS["deberta-content-to-position"][2]
EURO = {**LONG, **IDS, "mask_token_id": 4}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, SIZES) for name in ("Bert", "Roberta", "XLMRoberta", "Camembert")},
    **{name: (name, LONG) for name in ("MPNet", "NomicBert", "Gte")},
    **{name: (name, NARROW) for name in ("Electra", "Albert")},
    "DistilBert": ("DistilBert", DISTILBERT_SIZES),
    "DebertaV2": ("DebertaV2", DEBERTA),
    "DebertaV2, tanh": ("DebertaV2", {**DEBERTA, "pooler_hidden_act": "tanh"}),
    "ModernBert": ("ModernBert", WINDOW),
    "ModernBert, mean": ("ModernBert", {**WINDOW, "classifier_pooling": "mean", "classifier_bias": True}),
    "ModernBert, relu": ("ModernBert", {**WINDOW, "classifier_activation": "relu", "norm_bias": True}),
    "EuroBert, late": ("EuroBert", EURO),
    "EuroBert, mean": ("EuroBert", {**EURO, "classifier_pooling": "mean"}),
    "EuroBert, bos": ("EuroBert", {**EURO, "classifier_pooling": "bos"}),
}
WITHOUT_SEGMENTS = ("distilbert", "modernbert", "mpnet", "eurobert")


def head_of(family: str, of: str, **values: Any) -> tuple[str, str, dict[str, Any]]:
    """The class of a model with a head, that of its configuration, and its values."""
    name, sizes = FAMILIES[family]
    return f"{name}For{of}", f"{name}Config", {**sizes, "id2label": NAMES, **values}


@torch.inference_mode()
def logits_of(twin: Any, traces: list[Trace]) -> Tensor:
    """What transformers makes of the same padded batch."""
    ids = torch.tensor([trace.ids for trace in traces])
    mask = torch.tensor([[1] * (len(t.ids) - t.padding) + [0] * t.padding for t in traces])
    apart = getattr(twin.config, "type_vocab_size", 2) > 1
    apart = apart and "roberta" not in twin.config.model_type and twin.config.model_type != "camembert"
    segments = torch.tensor([t.tokenization.segments if apart else [0] * len(t.ids) for t in traces])
    given = {} if twin.config.model_type in WITHOUT_SEGMENTS else {"token_type_ids": segments}
    logits: Tensor = twin(ids, attention_mask=mask, **given).logits
    return logits


@pytest.mark.slow
@in_turn(
    ("family", "of"),
    [
        *((family, "SequenceClassification") for family in FAMILIES),
        *((family, "TokenClassification") for family in FAMILIES if "," not in family or "late" in family),
    ],
)
def test_the_scores_of_every_family_are_those_of_transformers(family: str, of: str, tmp_path: Path) -> None:
    twin = saved(tmp_path, head_of(family, of))
    encoder = TextEncoder.from_pretrained(tmp_path)
    head = encoder.config.classifier
    assert head is not None and head.labels == tuple(NAMES.values()) and head.problem == "single_label"
    assert head.labelled == ("sentence" if of.startswith("Seq") else "token")
    assert not any("classif" in one or "labels" in one for one in encoder.left_out)
    traces = encoder.trace(TEXTS)  # a padded batch with a pair
    for trace, theirs in zip(traces, logits_of(twin, traces), strict=True):
        n, ours = len(trace.tokens) - trace.padding, trace["classifier.logits"]
        torch.testing.assert_close(ours[:n], theirs[:n], atol=1e-5, rtol=0)
        assert ours.shape == theirs.shape
    pieces = roberta_tokenizer() if twin.config.pad_token_id == 1 else tiny_tokenizer()
    taken = TextEncoder.from_transformers(twin, pieces)
    assert taken.config == encoder.config
    assert torch.equal(taken.trace(SENTENCE)["classifier.logits"], encoder.trace(SENTENCE)["classifier.logits"])


@pytest.mark.slow
@in_turn(
    ("values", "problem"),
    [
        ({"problem_type": "regression"}, "regression"),
        ({"problem_type": "multi_label_classification"}, "multi_label"),
        ({"problem_type": "single_label_classification"}, "single_label"),
        ({"id2label": {0: "how good"}}, "regression"),
        ({"id2label": {0: "how good"}, "problem_type": "multi_label_classification"}, "multi_label"),
    ],
)
def test_a_problem_is_said_as_what_it_is(values: dict[str, Any], problem: str, tmp_path: Path) -> None:
    twin = saved(tmp_path, head_of("Bert", "SequenceClassification", **values))
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert encoder.config.classifier is not None and encoder.config.classifier.problem == problem
    trace, said = encoder.trace(TEXTS[0]), kind(encoder.config, encoder.source)[-1]
    labels: Any = encoder.labels(trace)
    scores = logits_of(twin, [trace])[0]
    if problem == "regression":
        assert (
            "classifier.probabilities" not in trace
            and ("a number, not a share" if len(labels) == 1 else "numbers, not shares") in said
        )
        assert [number for _, number in labels] == pytest.approx(scores.tolist(), abs=1e-5)
        return
    shares = scores.sigmoid() if problem == "multi_label" else scores.softmax(-1)
    torch.testing.assert_close(trace["classifier.probabilities"], shares, atol=1e-6, rtol=0)
    assert [share for _, share in labels] == pytest.approx(sorted(shares.tolist(), reverse=True), abs=1e-6)
    assert ("several may hold at once" in said) == (problem == "multi_label")


@pytest.mark.slow
def test_labels_are_named_by_share_and_of_a_tagger_by_word(tmp_path: Path) -> None:
    twin = saved(tmp_path, head_of("Bert", "TokenClassification"))
    encoder = TextEncoder.from_pretrained(tmp_path)
    (trace, *_) = encoder.trace(TEXTS)
    labels: Any = encoder.labels(trace)
    assert [word for word, _ in labels] == ["w1", "w2", "w3", "w2", "w4"]
    shares = logits_of(twin, [trace])[0].softmax(-1)
    for place, (_, ranked) in enumerate(labels, start=1):
        assert ranked[0][0] == NAMES[int(shares[place].argmax())]
        assert [share for _, share in ranked] == pytest.approx(sorted(shares[place].tolist(), reverse=True), abs=1e-5)
    assert tiny(TINY).labels(tiny(TINY).trace(SENTENCE)) is None
    with pytest.raises(EncoderError, match="another model"):
        encoder.labels(tiny(TINY).trace(SENTENCE))


# What opens without labels, and says so


@pytest.mark.slow
@in_turn(
    ("of", "said"),
    [("QuestionAnswering", "(question-answering head)"), ("MultipleChoice", "(multiple-choice head)")],
)
@in_turn("family", ["Bert", "DistilBert", "Albert"])
def test_another_head_is_left_out_by_name(of: str, family: str, said: str, tmp_path: Path) -> None:
    saved(tmp_path, head_of(family, of, id2label={0: "a", 1: "b"}))
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert encoder.config.classifier is None and encoder.labels(encoder.trace(SENTENCE)) is None
    assert any(said in one for one in encoder.left_out)


def weights(change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> Callable[[Path], None]:
    """Other tensors in a folder."""

    def damage(folder: Path) -> None:
        path = folder / "model.safetensors"
        save_file(change(load_file(path)), path)

    return damage


CRF = weights(lambda held: held | {"crf.transitions": torch.zeros(3, 3)})
BARE: dict[str, tuple[Callable[[Path], None], str]] = {
    "a CRF": (CRF, "head for labels (beside it stands crf.transitions, which is not computed here)"),
    "a class of its own": (fields(architectures=["BertMeanForSequenceClassification"]), "(classification head)"),
    "no class": (fields(architectures=...), "(classification head)"),
    "classes that are none": (fields(architectures=[["BertForSequenceClassification"]]), "(classification head)"),
    "a head that is not whole": (
        weights(lambda held: {name: tensor for name, tensor in held.items() if name != "classifier.bias"}),
        "head for labels (it is not whole: classifier.bias",
    ),
    "too many labels": (
        fields(id2label={str(i): str(i) for i in range(MOST_LABELS + 1)}),
        f"head for labels (it has more than {MOST_LABELS:,} labels)",
    ),
}


@pytest.mark.slow
@in_turn("name", BARE)
def test_a_head_that_cannot_be_followed_is_left_out_and_why(name: str, tmp_path: Path) -> None:
    change, said = BARE[name]
    saved(tmp_path, head_of("Bert", "SequenceClassification"))
    change(tmp_path)
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert encoder.config.classifier is None
    assert any(said in one for one in encoder.left_out), encoder.left_out


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "more labels than rows": (fields(id2label={"0": "a", "1": "b"}), r"classifier\.weight .*\(3, 30\).*2 labels"),
    "no names and other rows": (fields(id2label=..., label2id=...), r"classifier\.(weight|bias) .*2 labels"),
    "another width": (
        weights(lambda held: held | {"bert.pooler.dense.weight": torch.zeros(30, 29)}),
        r"pooler\.dense\.weight .*\(30, 29\), expected \(30, 30\)",
    ),
    "an unknown problem": (fields(problem_type="ranking"), "problem_type"),
    "a problem that is a list": (fields(problem_type=["regression"]), r"problem_type is .*it must be one of"),
    "names in a list": (fields(id2label=["a", "b", "c"]), "id2label is"),
    "no labels": (fields(id2label={}), "it has 0 labels"),
    "not finite": (
        weights(lambda held: held | {"classifier.bias": torch.full((3,), torch.inf)}),
        r"classifier\.bias .* not finite",
    ),
}


@pytest.mark.slow
@in_turn("name", REFUSED)
def test_a_head_that_does_not_fit_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    change, said = REFUSED[name]
    saved(tmp_path, head_of("Bert", "SequenceClassification"))
    change(tmp_path)
    with pytest.raises(CheckpointError, match=said):
        TextEncoder.from_pretrained(tmp_path)


@pytest.mark.slow
def test_the_way_of_reading_that_is_not_known_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, head_of("EuroBert, late", "SequenceClassification"))
    fields(classifier_pooling="max")(tmp_path)
    with pytest.raises(CheckpointError, match="classifier_pooling is 'max'; it must be one of bos, mean, late"):
        TextEncoder.from_pretrained(tmp_path)


HOSTILE = {"0": "<script>alert(1)</script>", "1": "x" * 5000, "2": "a\n\x00\u202e$\\frac{1}{0}$ | **b**"}


@pytest.mark.slow
def test_names_may_be_anything_and_are_bounded(tmp_path: Path) -> None:
    saved(tmp_path, head_of("Bert", "SequenceClassification"))
    fields(id2label=HOSTILE)(tmp_path)
    encoder = TextEncoder.from_pretrained(tmp_path)
    assert encoder.config.classifier is not None
    first, second, third = encoder.config.classifier.labels
    assert (first, third) == (HOSTILE["0"], HOSTILE["2"])
    assert len(second) == LONGEST_LABEL and second.endswith("x…")
    said = kind(encoder.config, encoder.source)[-1]
    assert "\n" not in said and "\x00" not in said and len(said) < 300


# Saved, edited, counted


@in_turn("name", [name for name, config in VARIANTS.items() if config.classifier])
def test_it_is_saved_and_opened_again(name: str, tmp_path: Path) -> None:
    encoder = tiny(VARIANTS[name])
    save(encoder.model, encoder.tokenizer, tmp_path)
    again = TextEncoder.from_pretrained(tmp_path)
    assert again.config == encoder.config and again.source.sha256
    assert torch.equal(again.trace(SENTENCE)["classifier.logits"], encoder.trace(SENTENCE)["classifier.logits"])


def test_a_folder_of_ours_that_says_nothing_of_labels_opens_and_one_that_lies_is_refused(tmp_path: Path) -> None:
    encoder = tiny(TINY)
    save(encoder.model, encoder.tokenizer, tmp_path)
    raw = json.loads((tmp_path / "config.json").read_text())
    assert raw.pop("classifier") is None
    (tmp_path / "config.json").write_text(json.dumps(raw))
    assert TextEncoder.from_pretrained(tmp_path).config == TINY
    for told, said in (
        ({"labels": ["a", "b"]}, "lacks the tensor classifier.output.weight"),
        ({"labels": []}, "labels is"),
        ({"labels": ["a", 3]}, "a label is 3"),
        ({"labels": ["a"], "dense": True}, "classifier is"),
        (["a"], "classifier is"),
        ({"labels": ["a"], "reading": "max"}, "reading is 'max'; it must be one of first, mean, words, late"),
        ({"labels": ["a"], "norm": True}, "without an activation"),
    ):
        (tmp_path / "config.json").write_text(json.dumps(raw | {"classifier": told}))
        with pytest.raises(CheckpointError, match=said):
            TextEncoder.from_pretrained(tmp_path)


def test_a_configuration_takes_no_other_head() -> None:
    with pytest.raises(EncoderError, match="must be a ClassifierConfig or None"):
        EncoderConfig(classifier="yes")  # type: ignore[arg-type]
    with pytest.raises(EncoderError, match="labels is"):
        ClassifierConfig(())
    with pytest.raises(EncoderError, match="100 characters or less"):
        ClassifierConfig(("a" * 101,))


def test_edits_before_the_head_and_within_it_reach_the_labels() -> None:
    encoder = tiny(VARIANTS["labels"])
    plain = encoder.trace(SENTENCE)
    weight, bias = encoder.model.get_parameter("classifier.output.weight"), "classifier.output.bias"
    edits = {
        "layers.0.attention.heads": Edit("layers.0.attention.heads", "zero", heads=(1,)),
        "classifier.pooled": Edit("classifier.pooled", "scale", value=2.0),
        "classifier.activation": Edit("classifier.activation", "noise", value=3),
        "classifier.transform": Edit("classifier.transform", "bypass"),
        "classifier.logits": Edit("classifier.logits", "scale", value=0.5),
    }
    for name, edit in edits.items():
        trace = encoder.trace(SENTENCE, edits=[edit])
        assert not torch.allclose(trace["classifier.probabilities"], plain["classifier.probabilities"]), name
        assert torch.allclose(trace["classifier.probabilities"], trace["classifier.logits"].softmax(-1)), name
        if name.startswith("classifier"):
            assert torch.equal(trace["output"], plain["output"])
    none = encoder.trace(SENTENCE, edits=[Edit("classifier.activation", "zero")])
    torch.testing.assert_close(none["classifier.logits"], encoder.model.get_parameter(bias).detach())
    patched = encoder.trace(SENTENCE, edits=[Edit("classifier.activation", "patch", value="w9 w8")])
    other = encoder.trace("w9 w8")
    torch.testing.assert_close(patched["classifier.logits"], other["classifier.logits"])
    assert weight.shape == (len(LABELS), 30)
    with pytest.raises(EncoderError, match="is of the sentence and has no tokens"):
        encoder.trace(SENTENCE, edits=[Edit("classifier.logits", "zero", positions=(1,))])
    edited = encoder.explain(none, "classifier.activation", (0, 4))
    assert edited.recorded == 0 and "set to zero" in edited.edited


def test_an_edit_of_a_tagger_at_one_token_leaves_the_others() -> None:
    encoder = tiny(VARIANTS["labels-of-tokens"])
    plain, trace = (encoder.trace(SENTENCE, edits=edits) for edits in ((), (Edit("output", "zero", positions=(2,)),)))
    same = (trace["classifier.logits"] == plain["classifier.logits"]).all(-1)
    assert same.tolist() == [i != 2 for i in range(len(trace.tokens))]


def test_tokens_that_are_padding_or_hidden_do_not_count_in_a_mean() -> None:
    for name in ("labels-of-the-mean", "late-labels"):
        encoder = tiny(VARIANTS[name])
        alone = encoder.trace(SENTENCE)["classifier.logits"]
        padded = encoder.trace([SENTENCE, f"{SENTENCE} w5 w6"])[0]
        torch.testing.assert_close(padded["classifier.logits"], alone, atol=1e-5, rtol=0)
        hidden = encoder.trace(SENTENCE, hidden=(2,))
        read = "classifier.pooled" if name == "labels-of-the-mean" else "classifier.logits"
        of = "output" if name == "labels-of-the-mean" else "classifier.token_logits"
        kept = [i for i in range(len(hidden.tokens)) if i != 2]
        torch.testing.assert_close(hidden[read].flatten(), hidden[of][kept].mean(0), atol=1e-5, rtol=1e-5)


def test_it_says_what_it_names_where_no_words_are_guessed_and_is_not_written_as_a_line() -> None:
    encoder = tiny(replace(TINY, classifier=ClassifierConfig(("negative", "positive"))))
    labels = "It gives each sentence one of the labels: negative, positive."
    assert encoder.why_no_guesses == f"This model has no head that guesses words. {labels}"
    assert kind(encoder.config, encoder.source)[-1] == labels
    with pytest.raises(EncoderError, match="not written as one line"):
        config_to_text(encoder.config)


@in_turn("name", [name for name, config in VARIANTS.items() if config.classifier])
def test_every_step_of_it_has_its_picture_and_its_table(name: str) -> None:
    """The label that a sentence calls the likeliest has the largest share of all."""
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    head = VARIANTS[name].classifier
    for step in encoder.steps:
        if step.part != "classifier":
            continue
        answer = step_picture(encoder, trace, step.name)
        rows = len(trace.tokens) if step.shape[0] == "n" else len(LABELS) if step.shape[0] == "n_labels" else 1
        assert answer.figure("dark").data and len(list(answer.rows())) == rows + 1
        if step.shape[-1] == "n_labels":
            assert any("bold" in str(cell) for row in answer.rows() for cell in row)
        if step.name == "classifier.probabilities":
            place = int(trace[step.name].argmax()) % len(LABELS)
            assert f"“{LABELS[place]}” ({place})" in answer.sentence and head is not None
            assert ("surest token" in answer.sentence) == (head.labelled == "token")


def test_its_parameters_are_a_part_of_their_own() -> None:
    counts = [Counter[str](), Counter[str]()]
    for count, config in zip(counts, (VARIANTS["labels"], TINY), strict=True):
        for area in areas(tiny(config).model):
            count[area.kind] += area.parameters
    with_head, without = counts
    assert with_head == without | {"labels": 30 * 30 + 30 + 30 * len(LABELS) + len(LABELS)}
    assert "labels" not in without


def test_the_rows_of_its_steps_are_labels_and_so_are_the_columns_of_a_tagger() -> None:
    encoder = tiny(VARIANTS["labels"])
    step = encoder.trace(SENTENCE).step("classifier.logits")
    assert step.rows(["a", "b"]) == list(LABELS) and step.columns(["a", "b"]) == "value"
    tagger = tiny(VARIANTS["labels-of-tokens"]).trace(SENTENCE).step("classifier.logits")
    assert tagger.rows(["a", "b"]) == ["a", "b"] and tagger.columns(["a", "b"]) == list(LABELS)


# A head alone over a bundled model


def test_the_shipped_head_stands_on_the_weights_of_base() -> None:
    encoder, plain = TextEncoder.from_pretrained("good-or-bad"), TextEncoder.from_pretrained("base")
    trace, below = (model.trace("We had a delicious dinner in a cold room.") for model in (encoder, plain))
    assert torch.equal(trace["output"], below["output"]) and encoder.predict(trace) is None
    weights = load_file(BUNDLED / "good-or-bad" / "model.safetensors")
    assert sum(tensor.numel() for tensor in weights.values()) == 2 * 512 + 2
    scores = weights["classifier.output.weight"] @ below["output"][1:-1].mean(0) + weights["classifier.output.bias"]
    torch.testing.assert_close(trace["classifier.logits"], scores, atol=1e-5, rtol=0)
    assert [label for label, _ in encoder.labels(trace) or []] == ["good", "bad"]
    judged = json.loads((BUNDLED / "good-or-bad" / "taught.json").read_text())
    right = [sum((share > 0.5) == (mood == 0) for _, mood, share in judged if mood == which) for which in (0, 1)]
    assert right == [89, 87] and "89 of the 100 good ones, 87 of the 100 bad" in (
        BUNDLED / "good-or-bad" / "MODEL_CARD.md"
    ).read_text(encoding="utf-8")


@in_turn("named", ["good-or-bad", "nothing", "../base", None])
def test_a_head_of_no_bundled_model_is_refused(named: str | None, tmp_path: Path) -> None:
    save_file({"classifier.output.bias": torch.zeros(2)}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"head_of": named, "classifier": {"labels": ["a", "b"]}}))
    with pytest.raises(CheckpointError, match="must be a bundled model with weights of its own"):
        TextEncoder.from_pretrained(tmp_path)


def test_what_the_words_reading_counts() -> None:
    encoder = tiny(VARIANTS["labels-words"])
    for hidden in ((), (2,)):
        trace = encoder.trace(SENTENCE, hidden=hidden)
        counted = [i for i in range(len(trace.tokens)) if i not in hidden][1:-1]
        torch.testing.assert_close(trace["classifier.pooled"][0], trace["output"][counted].mean(0))
