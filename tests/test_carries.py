"""What carries a change to the gap: patches by hand give the same in every model, and what is no pair is refused."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from in_turn import in_turn
from shared_models import lent, pretrained, treebanks
from tiers import mostly_nightly
from tiny import VARIANTS, tiny

from encoder import PRESETS, Edit, TextEncoder
from encoder.exam.natural_pairs import agreeing_words, natural_pairs
from encoder.exam.treebank import Tree
from encoder.experiments.circuit import (
    Board,
    Control,
    Edge,
    Edges,
    HeadSet,
    MinimalPair,
    PairError,
    PairRun,
    check_reacts,
    circuits_by_content,
    find_circuit,
    given_pairs,
    phenomena,
    phenomenon,
    read_pairs,
    run_pair,
    study,
)
from encoder.experiments.circuit.__main__ import main
from encoder.experiments.circuit.found_circuit import circuit_of
from encoder.experiments.circuit.own_pair import past, results
from encoder.experiments.circuit.pair_file import MOST_BYTES, MOST_PAIRS
from encoder.experiments.circuit.patching import every_head, falls, looking, reading, writing
from encoder.experiments.circuit.shipped_circuits import SHIPPED, read_circuits
from encoder.experiments.circuit.small_changes import small_changes
from encoder.metrics.answer import answers
from encoder.packet.circuit_level import level_13
from encoder.packet.format import unpack
from encoder.support.errors import EncoderError
from encoder.support.progress import listening

A, B = "w1 w2 w3 [MASK] w4 w2", "w1 w9 w3 [MASK] w4 w2"
KEYS = MinimalPair("The keys to the cabinet [MASK] on the table.", "The key to the cabinet [MASK] on the table.")
KINDS = ("post-norm", "rotary-theta-per-layer", "disentangled-norm", "albert", "modern-mlm-head")


def turning(encoder: TextEncoder) -> PairRun:
    """The tiny pair with the two words whose logits turn most."""
    a, b = (encoder.trace(text) for text in (A, B))
    apart = a["mlm.logits"][4, 5:] - b["mlm.logits"][4, 5:]
    words = f"w{int(apart.argmax())}", f"w{int(apart.argmin())}"
    return run_pair(encoder, MinimalPair(A, B, words))


def share_by_hand(encoder: TextEncoder, run: PairRun, *edits: Edit) -> float:
    """The share of the flip that edits of A bring, from whole runs."""
    ids = [encoder.tokenizer.token_to_id(word) for word in run.words]
    a, patched, b = (encoder.trace(text, edits=changes) for text, changes in ((A, ()), (A, edits), (B, ())))
    first, after, last = (
        float(t["mlm.logits"][4, ids[0]].double() - t["mlm.logits"][4, ids[1]].double()) for t in (a, patched, b)
    )
    return (first - after) / (first - last)


@in_turn("name", KINDS)
def test_a_patch_is_the_edit_made_by_hand(name: str) -> None:
    encoder = tiny(replace(VARIANTS[name], mlm_head=True))
    run = turning(encoder)
    assert (run.place, run.changed) == (4, 2) and run.flip > 0.01
    *boards, heads, control, edges = results(encoder, run)
    assert isinstance(heads, HeadSet) and isinstance(control, Control) and isinstance(edges, Edges)
    assert control.all == pytest.approx(1, abs=1e-4) and control.none == pytest.approx(0, abs=1e-5)
    board = boards[-1]
    assert (
        isinstance(board, Board) and len(board.each) == board.total == encoder.config.n_layers * encoder.config.n_heads
    )
    for layer, head in ((0, 1), (1, 2)):
        by_hand = Edit(f"layers.{layer}.attention.heads", "patch", (head,), (4,), B)
        assert board.each[layer, head] == pytest.approx(share_by_hand(encoder, run, by_hand), abs=1e-4)
    together = [Edit(f"layers.{layer}.attention.heads", "patch", (head,), (4,), B) for layer, head in heads.heads]
    assert heads.share == pytest.approx(share_by_hand(encoder, run, *together), abs=1e-4)
    assert heads.share == pytest.approx((run.leads[0] - run.lead(heads.logits)) / run.flip, abs=1e-9)


@in_turn("name", KINDS)
def test_an_edge_is_the_row_of_a_run_that_reads_the_others_values(name: str) -> None:
    """By hand: the head's row at its target from a whole run in which its values at the source are B's."""
    encoder = tiny(replace(VARIANTS[name], mlm_head=True))
    run = turning(encoder)
    for layer, head, sources, target in ((0, 1, (2,), 4), (0, 2, (2,), 3), (1, 0, (1, 3), 4)):
        values = Edit(f"layers.{layer}.attention.v", "patch", (head,), sources, run.b)
        row = encoder.trace(A, edits=[values])
        by_hand = Edit(f"layers.{layer}.attention.heads", "patch", (head,), (target,), row)
        fall = falls(encoder, run, [reading(run, [Edge((layer, head), sources, target)])])[0]
        assert fall / run.flip == pytest.approx(share_by_hand(encoder, run, by_hand), abs=1e-4)
    weights = Edit("layers.1.attention.weights", "patch", (2,), (4,), B)
    looks = falls(encoder, run, [looking(run, [(1, 2)])])[0]
    assert looks / run.flip == pytest.approx(share_by_hand(encoder, run, weights), abs=1e-4)


NO_PAIRS = {  # why -> two sentences for base, and answers
    "no gap": ("The keys are old.", "The key [MASK] old.", None),
    "gap elsewhere": ("The keys [MASK] old.", "The [MASK] were old.", None),
    "several gaps": ("The [MASK] [MASK] old.", "A [MASK] [MASK] old.", None),
    "number of tokens": ("The keys [MASK] old.", "The keys [MASK] very old.", None),
    "more than one differs": ("The keys [MASK] old.", "A key [MASK] old.", None),
    "nothing differs": ("The keys [MASK] old.", "the keys ___ old.", None),
    "unknown answer": ("The keys [MASK] old.", "The key [MASK] old.", ("zzxxqq", "is")),
    "same answers": ("The keys [MASK] old.", "The key [MASK] old.", ("is", "Is")),
    "no sentence": ("", "The key [MASK] old.", None),
    "hardly reacts": ("The keys [MASK] old.", "The keys [MASK] red.", ("are", "were")),
    "the other way": ("The keys near the house [MASK] old.", "The key near the house [MASK] old.", ("is", "are")),
}


@in_turn("kind", NO_PAIRS)
def test_what_is_no_pair_is_refused_in_a_sentence(kind: str) -> None:
    a, b, answers = NO_PAIRS[kind]
    with pytest.raises(PairError) as refused:
        check_reacts(run_pair(pretrained("base"), MinimalPair(a, b, answers)))
    assert refused.value.kind == kind
    assert str(refused.value).endswith(".") and len(str(refused.value)) < 200 and str(refused.value)[0] in "ABTF“"


def test_words_of_other_lengths_are_named() -> None:
    with pytest.raises(PairError, match=r"“cabinets” is 2 tokens and “cabinet” 1: the places do not match"):
        run_pair(pretrained("base"), MinimalPair("The cabinets [MASK] old.", "The cabinet [MASK] old."))


def test_a_model_without_words_or_training_has_no_circuit() -> None:
    with pytest.raises(PairError, match="no head that guesses words"):
        run_pair(tiny(VARIANTS["post-norm"]), MinimalPair(A, B))
    untrained = TextEncoder.from_config(replace(PRESETS["paper"], n_layers=2, d_model=64, n_heads=4, d_ff=128))
    pairs = [replace(pair, answers=("are", "is")) for pair in phenomenon("number").pairs[:6]]
    with pytest.raises(EncoderError, match="none of 6 pairs can be used"):
        find_circuit(untrained, pairs)


def test_a_pair_of_base_gives_its_results_as_they_come() -> None:
    encoder, forwards = pretrained("base"), 0

    def count() -> None:
        nonlocal forwards
        forwards += 1

    with listening(count):
        run = run_pair(encoder, KEYS)
        order = list(study(encoder, run))
    assert [type(result).__name__ for result in order] == [*["Board"] * 4, "HeadSet", "Control", "Edges"]
    assert [len(result.each) for result in order if isinstance(result, Board)] == [0, 16, 32, 48]
    assert forwards <= 14
    assert run.words == ("are", "is") and run.leads == pytest.approx((5.93, -6.59), abs=0.01)
    heads, control, edges = order[-3:]
    assert isinstance(heads, HeadSet) and isinstance(control, Control) and isinstance(edges, Edges)
    assert heads.heads == ((5, 6), (4, 1)) and heads.small and heads.share == pytest.approx(0.879, abs=0.005)
    assert max(control.random) < 0.1 and len(control.random) == 20
    assert control.all == pytest.approx(1, abs=5e-4) and control.none == pytest.approx(0, abs=5e-4)
    shares = {(edge.head, edge.sources, edge.target): round(share, 2) for edge, share in edges.shares.items()}
    noun, article, gap = 2, 1, 6
    assert shares == {
        ((5, 6), (noun,), gap): 0.42,
        ((4, 1), (noun,), gap): 0.27,
        ((4, 1), (article,), gap): 0.20,
        ((3, 6), (noun,), article): 0.15,
    }
    assert edges.together > 0.75 and max(edges.looks.values()) < 0.05


def test_it_ends_where_somebody_stops_it() -> None:
    encoder = tiny(replace(VARIANTS["post-norm"], mlm_head=True, n_layers=9))
    run, pulses = turning(encoder), 0

    def stop() -> None:
        nonlocal pulses
        pulses += 1
        if pulses == 2:
            raise KeyboardInterrupt

    with listening(stop), pytest.raises(KeyboardInterrupt):
        list(results(encoder, run))
    assert pulses == 2
    with pytest.raises(PairError, match="hardly reacts"):
        study(encoder, run)  # at once


# Many pairs


def test_shares_of_many_pairs_are_sums_over_sums() -> None:
    encoder = pretrained("small")
    pairs = phenomenon("number").pairs[:3]
    circuit = find_circuit(encoder, [*pairs, MinimalPair("no gap", "no gap at all")])
    assert (circuit.pairs, circuit.sample, circuit.left_out) == (3, 3, {"no gap": 1})
    runs = [run_pair(encoder, pair) for pair in pairs]
    fallen = [falls(encoder, run, [writing(run.b, circuit.heads, run.reads)])[0] for run in runs]
    assert circuit.share == pytest.approx(sum(fallen) / sum(run.flip for run in runs), abs=1e-5)
    assert circuit.halves[1] == pytest.approx(fallen[1] / runs[1].flip, abs=1e-5)
    assert [pair.share for pair in circuit.of_pairs] == pytest.approx(
        [fall / run.flip for fall, run in zip(fallen, runs, strict=True)], abs=1e-5
    )
    assert circuit.all == pytest.approx(1, abs=5e-4) and circuit.none == pytest.approx(0, abs=5e-4)
    again = circuit_of(json.loads(circuit.to_json()))
    assert again.to_json() == circuit.to_json() and again.of_pairs == ()
    given = find_circuit(encoder, pairs, heads=[(0, 0)], edges=False)
    assert given.heads == ((0, 0),) and given.share < 0.05 and given.edges == ()
    with pytest.raises(EncoderError, match="heads is"):
        find_circuit(encoder, pairs, heads=[(9, 0)])
    with pytest.raises(EncoderError, match=r"least is 0\.1"):
        find_circuit(encoder, pairs, least=0.1)


def test_natural_pairs_are_found_by_the_tree() -> None:
    words = ["The", "keys", "to", "the", "cabinet", "are", "on", "the", "table", "."]
    tree = Tree(
        tuple(words),
        ("DET", "NOUN", "ADP", "DET", "NOUN", "AUX", "ADP", "DET", "NOUN", "PUNCT"),
        (1, 8, 4, 4, 1, 8, 8, 8, -1, 8),
        ("det", "nsubj", "case", "det", "nmod", "cop", "case", "det", "root", "punct"),
        ("", "Plur", "", "", "Sing", "", "", "", "Sing", ""),
        ("", "", "", "", "", "Ind", "", "", "", ""),
    )
    assert list(agreeing_words(tree)) == [(5, 1, "key")]
    assert list(agreeing_words(replace(tree, tags=("DET", "PROPN", *tree.tags[2:])))) == []
    assert list(agreeing_words(replace(tree, words=(*words[:1], "geese", *words[2:])))) == []


def test_the_bundled_treebanks_have_327_pairs_of_which_ten_carry_what_is_shipped() -> None:
    encoder = pretrained("base")
    pairs = [pair for treebank in treebanks() for pair in natural_pairs(encoder, treebank)]
    assert len(pairs) == 327
    shipped = circuits_by_content(encoder.source.fingerprint)
    assert shipped is not None and (shipped.natural.pairs, len(shipped.natural.of_pairs)) == (304, 304)
    by_a = {(pair.a, pair.b): pair for pair in pairs}
    for known in sorted(shipped.natural.of_pairs, key=lambda pair: len(pair.a))[::31]:
        run = run_pair(encoder, by_a[known.a, known.b])
        compared = [writing(run.b, heads, run.reads) for heads in (shipped.natural.heads, shipped.natural.control)]
        share, control = (fall / run.flip for fall in falls(encoder, run, compared))
        assert run.words == known.words and run.flip == pytest.approx(known.flip, abs=0.01)
        assert (share, control) == pytest.approx((known.share, known.control), abs=0.01)


@in_turn("model", ["base", "small"])
def test_what_is_shipped_says_what_its_pairs_say(model: str) -> None:
    path = SHIPPED / f"{model}.json"
    shipped = read_circuits(path)
    assert shipped.fingerprint == pretrained(model).source.fingerprint and path.stat().st_size < 150_000
    natural = shipped.natural
    carried = sum(pair.share * pair.flip for pair in natural.of_pairs)
    assert natural.share == pytest.approx(carried / sum(pair.flip for pair in natural.of_pairs), abs=1e-3)
    assert natural.over_half == pytest.approx(
        sum(pair.share > 0.5 for pair in natural.of_pairs) / natural.pairs, abs=1e-3
    )
    assert shipped.to_json() == path.read_text(encoding="utf-8")


def test_two_heads_of_base_carry_the_number_of_a_subject_in_sentences_that_people_wrote() -> None:
    shipped = read_circuits(SHIPPED / "base.json").natural
    assert tuple(shipped.heads) == ((4, 1), (5, 6)) and shipped.share == pytest.approx(0.86, abs=0.02)
    assert len(shipped.random) == 20 and max(shipped.random) <= 0.1
    assert (shipped.all, shipped.none) == pytest.approx((1, 0), abs=5e-4) and shipped.together >= 0.75
    assert abs(shipped.halves[0] - shipped.halves[1]) < 0.03 and shipped.over_half > 0.97
    assert abs(shipped.control_share) < 0.1


def test_phenomena_have_fifty_pairs_that_react_and_halves_that_agree() -> None:
    shipped = read_circuits(SHIPPED / "base.json").constructed
    assert shipped.keys() == phenomena().keys()
    for name, circuit in shipped.items():
        assert len(phenomena()[name].frames) >= 3 and len({pair.a for pair in phenomena()[name].pairs}) > 10
        assert circuit.pairs >= 50 and circuit.pairs + sum(circuit.left_out.values()) == len(phenomena()[name].pairs)
        assert abs(circuit.halves[0] - circuit.halves[1]) < 0.1, name
        assert (circuit.all, circuit.none) == pytest.approx((1, 0), abs=5e-4)
        if circuit.small:
            assert max(circuit.random) < 0.5 * circuit.share, name
    with pytest.raises(EncoderError, match="no phenomenon is called 'nothing'; there are number, gender"):
        phenomenon("nothing")


# Files and the command


def test_pairs_of_a_file(tmp_path: Path) -> None:
    text = 'B,A,answer_a,answer_b\nThe key ___ old.,The keys ___ old.,are,is\n"A, b ___.","A, c ___.",,\n'
    (tmp_path / "pairs.csv").write_text(text)
    pairs = [MinimalPair("The keys ___ old.", "The key ___ old.", ("are", "is")), MinimalPair("A, c ___.", "A, b ___.")]
    assert read_pairs(tmp_path / "pairs.csv") == pairs
    for mark in ";\t":  # as a spreadsheet saves or copies cells
        cells = text.replace('"A, b ___."', "A; b ___.").replace('"A, c ___."', "A; c ___.").replace(",", mark)
        assert given_pairs(cells.encode(), "The text")[0] == pairs[0]
    lines = [{"a": p.a, "b": p.b} | dict(zip(("answer_a", "answer_b"), p.answers or (), strict=False)) for p in pairs]
    for called in ("pairs.jsonl", "The text"):
        assert given_pairs("\n".join(map(json.dumps, lines)).encode(), called) == pairs


WRONG_FILES = {
    "x.csv, larger": ("x.csv", b"a,b\n" + b"x" * MOST_BYTES, "is larger than 4,000,000 bytes"),
    "x.csv, many": ("x.csv", b"a,b\n" + b"p,q\n" * (MOST_PAIRS + 1), "more than 2,000 pairs, .* in line 2,002"),
    "many lines": ("x.jsonl", b'{"a":"p","b":"q"}\n' * (MOST_PAIRS + 1), "more than 2,000 pairs, .* in line 2,001"),
    "no columns": ("x.csv", b"p,q\n1,2\n", "must begin with a line that names its columns"),
    "empty": ("x.jsonl", b"\n", "holds no pair"),
    "no UTF-8": ("x.csv", b"\xff\xfe", "is not UTF-8"),
    "no JSON": ("x.jsonl", b"{", "line 1, is not JSON"),
    "no object": ("x.jsonl", b"[1]", "line 1, is not a pair"),
    "a number": ("x.jsonl", b'{"a": 5, "b": "q"}', "something else than a text"),
    "one answer": ("x.csv", b"a,b,answer_a,answer_b\np,q,r,\n", "line 2, has one answer"),
    "half a pair": ("x.csv", b"a,b\np\n", "line 2, lacks a sentence"),
    "deep": ("x.jsonl", b"[" * 100_000, "line 1, is not JSON"),
}


@in_turn("name", WRONG_FILES)
def test_a_file_without_pairs_is_refused(name: str) -> None:
    called, content, message = WRONG_FILES[name]
    with pytest.raises(EncoderError, match=message):
        given_pairs(content, called)


def test_the_command_writes_and_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, pairs = tmp_path / "c.json", tmp_path / "pairs.csv"
    pairs.write_text("a,b\nThe keys near the garden ___ old.,The key near the garden ___ old.\nThe keys.,The key.\n")
    assert main(["--model", "small", "--pairs", str(pairs), "--out", str(out)]) == 0
    written, printed = json.loads(out.read_text()), capsys.readouterr().out
    assert written["pairs"] == 1 and written["left_out"] == {"no gap": 1} and [3, 3] in written["heads"]
    assert set(written) >= {"pairs", "flip", "heads", "share", "each", "random", "all", "none", "edges"}
    assert (
        "1 pair, flip" in printed
        and "left out: 1, no gap" in printed
        and "3.3" in printed
        and "all heads: 1.000" in printed
    )


def test_a_run_of_another_model_is_refused() -> None:
    encoder = tiny(replace(VARIANTS["post-norm"], mlm_head=True))
    run = turning(tiny(replace(VARIANTS["post-norm"], mlm_head=True), seed=1))
    with pytest.raises(EncoderError, match="another model"):
        study(encoder, run)


def test_a_guess_that_stays_is_held_against_the_word_that_gains_most() -> None:
    encoder = pretrained("base")
    run = run_pair(encoder, MinimalPair("The old dog [MASK] at the sea.", "The old dogs [MASK] at the sea."))
    run_b = run_pair(encoder, MinimalPair("The keys [MASK] on the table.", "The locks [MASK] on the table."))
    for one in (run, run_b):
        ours, theirs = (trace["mlm.probabilities"][one.place] for trace in (one.a, one.b))
        first, second = one.answers
        assert first == int(ours.argmax()) and first != second
        if int(theirs.argmax()) == first:
            gain = float(theirs[second] / ours[second])
            likely = [i for i in range(len(theirs)) if float(theirs[i]) >= 0.02 and i != first]
            assert second in (likely or [int(theirs.topk(2).indices[1])])
            assert all(float(theirs[i] / ours[i]) <= gain * (1 + 1e-6) for i in likely)
        else:
            assert second == int(theirs.argmax())


FIRST_OFFERED = {  # a sentence, and what a native speaker would accept as the first change of it
    "The queen said that [MASK] was hungry.": "king",
    "Her brother said that [MASK] was late.": "sister",
    "I think that the answer [MASK] wrong.": "answers",
    "The dog that chased the cats [MASK] tired.": "dogs",
    "The man who sold the cars [MASK] rich.": "men people",
    "My sister left her [MASK] at home.": "school brother",
    "The king loved his [MASK].": "queen lost",
    "This book [MASK] very interesting.": "exciting novel",
    "These flowers [MASK] in spring.": "roses eggs",
    "Those apples [MASK] too sour to eat.": "salty bananas",
    "That dog [MASK] loud.": "dogs cat fast",
    "Each student [MASK] a book.": "pupil song",
    "My dog [MASK] every morning.": "dogs cat",
    "The boys in the garden [MASK] tired.": "boy",
    "The actress forgot [MASK] lines.": "actor",
    "Why do birds [MASK] south in winter?": "autumn",
    "We drank some [MASK] in the kitchen.": "bedroom cafeteria spent",
    "Many people [MASK] in big cities.": "huge towns trouble",
    "Yesterday we [MASK] to the beach.": "Today police",
    "Paris is the capital of [MASK].": "Berlin",
    "Yesterday my sister [MASK] a letter.": "brother Today song",
    "He plays [MASK] with his friends.": "enemies friend played performs",
    "She drinks [MASK] every day.": "night evening makes",
    "An apple [MASK] in the garden.": "gardens orange park audience",
    "My aunt cooks [MASK] on Sundays.": "mother uncle cousin Mondays Saturdays stays",
}
FIRST_OFFERED_DAILY = (
    "The queen said that [MASK] was hungry.",
    "I think that the answer [MASK] wrong.",
    "The dog that chased the cats [MASK] tired.",
    "Those apples [MASK] too sour to eat.",
    "The actress forgot [MASK] lines.",
    "Many people [MASK] in big cities.",
    "Paris is the capital of [MASK].",
)
OFFERED = (
    "My neighbours lost her keys in the [MASK].",
    "The waiter was rude, but the soup was warm.",
    "I think that she is happy.",
)
GRAMMAR = "the a for but and despite that i she he was is in with his her"
NO_ENGLISH = re.compile(
    r"\b(an?|this|each) \w+[^s\W]s\b|\b(these|those|many) \w*[^s\W]\b|\b(hers|theirs|thats|overs)\b|those \[MASK\] was",
    re.IGNORECASE,
)


@pytest.mark.parametrize("sentence", mostly_nightly(FIRST_OFFERED, FIRST_OFFERED_DAILY))
def test_a_small_change_is_a_sentence_that_somebody_would_write(sentence: str) -> None:
    """Neither "those [MASK] was" nor "overs" nor "her" made "hers": agreement is not what is to be changed."""
    encoder = lent("base")
    encoder.model.double()  # in float32 runs of another batch differ by as much as is allowed here
    changes = small_changes(encoder, sentence)
    assert changes[0].new in FIRST_OFFERED[sentence].split(), changes
    run = run_pair(encoder, MinimalPair(sentence, changes[0].b))
    assert run.flip == pytest.approx(changes[0].flip, abs=1e-5) and run.words == changes[0].words
    assert not [change.b for change in changes if NO_ENGLISH.search(change.b.replace("people", "peoples"))]


TURNED = {  # a sentence, and the first change of it: natural English, and another guess
    "The brave [MASK] climbed the steep mountain.": "The little [MASK] climbed the steep mountain.",
    "The doctor told the patient to [MASK] more water.": "The doctor told the patient to [MASK] more slowly.",
    "The little girl was [MASK] of the dark.": "The little girl was [MASK] of the danger.",
    "On Sunday the family goes to [MASK].": "On Sunday the teacher goes to [MASK].",
    "The thief stole the [MASK] from the museum.": "The thief stole the [MASK] from the bank.",
    "That dog [MASK] scream.": "That dog [MASK] bite.",
    "The capital of France is [MASK].": "The capital of Germany is [MASK].",
}
TURNED_DAILY = (
    "The brave [MASK] climbed the steep mountain.",
    "The doctor told the patient to [MASK] more water.",
    "That dog [MASK] scream.",
)


@pytest.mark.parametrize("sentence", mostly_nightly(TURNED, TURNED_DAILY))
def test_the_change_that_is_offered_first_turns_the_guess_where_a_natural_one_does(sentence: str) -> None:
    encoder = pretrained("base")
    changes = small_changes(encoder, sentence)
    best = changes[0]
    assert len({change.b for change in changes}) == len(changes) <= 4
    run = run_pair(encoder, MinimalPair(sentence, best.b))
    assert sentence.replace(best.was, best.new, 1) == best.b
    guesses = [trace["mlm.logits"][run.place].softmax(-1) for trace in (run.a, run.b)]
    assert best.b == TURNED[sentence]
    assert guesses[1][run.answers[1]] == guesses[1].max() >= 2 * guesses[1][run.answers[0]]


def test_where_nothing_fits_nothing_is_offered() -> None:
    assert small_changes(pretrained("base"), "El gato [MASK] en la casa.") == []


@in_turn("sentence", OFFERED)
def test_every_change_that_is_offered_moves_the_answer_and_the_sense(sentence: str) -> None:
    """No "neighbors" for "neighbours", no "for" for "the", no small "i", and nothing where nothing is to be carried."""
    for name in ("base", "good-or-bad"):
        encoder = pretrained(name)
        for change in small_changes(encoder, sentence) if name == "base" or "[MASK]" not in sentence else ():
            if "[MASK]" in sentence or name != "base":
                check_reacts(run_pair(encoder, MinimalPair(sentence, change.b)))
            assert change.new != "i" and re.sub("[aeiou]", "", change.new) != re.sub("[aeiou]", "", change.was)
            assert not {change.was.lower(), change.new.lower()} & {*GRAMMAR.split()}, change


@in_turn("name", [name for name, config in VARIANTS.items() if config.classifier and not config.mlm_head])
def test_all_that_a_label_is_read_from_carries_the_whole_change_to_it(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    try:
        run = run_pair(encoder, MinimalPair("w1 w2 w3 w4", "w1 w5 w3 w4"))
    except PairError as error:
        assert error.kind in ("a number", "several labels", "one label")
        return
    how = answers(encoder.config)
    assert run.lead(how.scores(run.a, run.place)) == pytest.approx(run.leads[0])
    whole = [
        writing(run.b, every_head(encoder.config), run.reads),
        writing(run.a, every_head(encoder.config), run.reads),
    ]
    fallen = falls(encoder, run, [(*past(run), *whole[0]), *whole])
    assert fallen[0] == pytest.approx(run.flip, abs=1e-5) and fallen[2] == pytest.approx(0.0, abs=1e-5)
    assert (run.changed in run.reads) or fallen[1] == pytest.approx(run.flip, abs=1e-5)


def test_small_changes_need_no_gap_and_no_words() -> None:
    changes = small_changes(pretrained("base"), "The animals slept in the garden.")
    assert changes[0].b == "The animal slept in the garden." and changes[0].flip is None and changes[0].words is None
    for odd in ("", "[MASK]", "...", "\x00", "猫 猫", "x" * 500, "a " * 300):
        assert all(change.b != odd for change in small_changes(pretrained("base"), odd or "!"))
    assert small_changes(tiny(VARIANTS["post-norm"]), "w1 w2") == []


def test_a_packet_says_of_a_pair_what_the_library_says() -> None:
    encoder = pretrained("base")
    run = run_pair(encoder, KEYS)
    found = list(study(encoder, run))
    board, heads, control, ways = (next(one for one in reversed(found) if isinstance(one, kind)) for kind in RESULTS)
    _, about, arrays = unpack(level_13(encoder, KEYS.a, KEYS.b, "heads", (6,)))
    assert about["share"] == heads.share and [tuple(head) for head in about["heads"]] == list(heads.heads)
    assert about["random"] == list(control.random) and (about["all"], about["none"]) == (control.all, control.none)
    assert all(arrays["each"].values[head] == pytest.approx(share) for head, share in board.each.items())
    index = (6, *(number for head in heads.heads for number in head))
    _, edges, _ = unpack(level_13(encoder, KEYS.a, KEYS.b, "edges", index))
    said = {Edge(tuple(row["head"]), tuple(row["sources"]), row["target"]): row["share"] for row in edges["edges"]}
    assert said == pytest.approx(ways.shares) and edges["together"] == pytest.approx(ways.together)
    assert {tuple(row["head"]): row["share"] for row in edges["where"]} == pytest.approx(ways.looks)


RESULTS = (Board, HeadSet, Control, Edges)
WRONG = {  # part -> an index, words
    "edges": ((6, 9, 9), ()),
    "edges ": ((6,), ()),
    "cut": ((6, 5, 6, 2), ()),
    "cut ": ((6, 5, 6, 99, 6), ()),
    "cut  ": ((6, 5, 8, 2, 6), ()),
    "cut   ": ((6, *(5, 6, 2, 6) * 17), ()),
    "heads ": ((6,), ("are", "")),
    "other": ((), ()),
}


@in_turn("part", WRONG)
def test_what_no_packet_of_a_pair_holds_is_refused(part: str) -> None:
    index, words = WRONG[part]
    with pytest.raises(EncoderError):
        level_13(pretrained("base"), KEYS.a, KEYS.b, part.strip(), index, words)


def test_a_packet_of_what_is_no_pair_says_why() -> None:
    encoder = pretrained("base")
    for index, words, kind in (((2,), (), "no gap"), ((6,), ("are", "zzxxqq"), "unknown answer")):
        _, about, arrays = unpack(level_13(encoder, KEYS.a, KEYS.b, "heads", index, words))
        assert about.keys() == {"circuit", "why", "kind", "labels"} and about["kind"] == kind and not arrays
