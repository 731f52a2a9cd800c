"""More of Heads: examined on gold trees, measured, compared, inside one head, and over a list of sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from encoder.exam import Exam
from encoder.exam.exam_sentences import NO_JOB, head_jobs, relation_rows, scope, tally_of_heads, text, title
from encoder.exam.examination import SENTENCES, TOKENS, bundled_exam, examined_on, usual_exam
from encoder.exam.examples import side_by_side
from encoder.exam.links import GAPS
from encoder.exam.simple_rules import RULES
from encoder.exam.treebank import MOST_GIVEN
from encoder.experiments.attributions.circuits import looked_for, written_for
from encoder.experiments.circuit import Circuit, find_circuit, given_pairs
from encoder.experiments.circuit.found_circuit import named
from encoder.experiments.circuit.many_pairs import SAMPLE
from encoder.experiments.circuit.patching import CONTROLS, MOST_HEADS
from encoder.explain.cost import run_flops
from encoder.metrics import HEAD_MEASURES, MARGIN, MOST, ROLES, disagreement, gained
from encoder.metrics.head_measures import HeadSurvey
from encoder.metrics.roles import NO_ROLE
from encoder.pictures.expression import ENC, Call, call
from encoder.pictures.lab import (
    Ask,
    Beside,
    HeadBoard,
    Long,
    LongTable,
    LongTables,
    MarkedLine,
    MarkedLines,
    Note,
    Part,
    Show,
    Table,
    When,
)
from encoder.pictures.lists import ListTable, Measured, measure
from encoder.pictures.more import heads_corpus
from encoder.pictures.more.contexts import CHOOSE_ATLAS
from encoder.pictures.more.surveys import as_chosen, as_chosen_or_atlas
from encoder.pictures.picture import Answer
from encoder.pictures.registry.atlas import opened
from encoder.pictures.registry.grids import FLOW, FLOW_MINUS_WEIGHT, FLOW_WEIGHT
from encoder.pictures.registry.heads_pictures import (
    BETWEEN,
    INSIDE_TERMS,
    KEY,
    LIKENESS,
    MANY,
    MEASURE,
    MEASURED,
    MIXING,
    OVER,
    PLANE,
    QUERY,
    WAY,
    arrow,
    every_head,
    is_pair,
    measured,
    surveyed,
    token_title,
)
from encoder.pictures.scene import Option, Scene, atlas_number
from encoder.support.errors import EncoderError
from encoder.support.formatting import listed, percent, points, shown
from encoder.support.progress import in_stages
from encoder.support.screening import UNSHOWN, is_fit

EXAM = call(usual_exam, ENC)
EXAMINED = ("base", "small")  # the bundled models whose examination is shipped
TREES_TAKE = 4.0  # runs, about, of each given sentence: its own, those with a masked verb, and those that confirm
CONSTRUCTED = 6_000  # sentences
IN_PERCENT = ("right", "rule right", "distance right", "in the other text")  # columns of the table of relations
NOT_YET = """Does a head look from an object to its verb, from an article to its noun? All heads are asked on \
sentences whose grammar people marked, beside simple rules that need no model."""
RULE = (
    "A head is chosen on every second sentence and scored on the others. It passed where it is 10 points above the "
    f"best of {len(RULES)} simple rules and every fixed distance, surely so for all heads and relations that were "
    "tried, and in the other text too. A rule is such as “the second noun before”; it is told every word's part of "
    "speech, which a head is not. The best of so many, found on those very sentences, is a strict opponent. Listed too "
    "are heads that are so much better than every fixed distance alone; everything else is no job found, however a map "
    "looks. The names in brackets are those of Universal Dependencies. Nothing was switched off, and "
    "nothing but verbs was masked."
)


def flops_of_exam(scene: Scene) -> float:
    """Operations of asking a model every sentence of the treebanks, and the constructed ones."""
    return (SENTENCES + CONSTRUCTED) * run_flops(scene.config, TOKENS)


def tally(exam: Exam, answer: Answer) -> str:
    """How many heads passed."""
    total = answer.scene.n_layers * answer.scene.n_heads
    if head_jobs(exam):
        return f"{tally_of_heads(exam, total)} In all others: {NO_JOB}."
    return f"In all {total} heads: {NO_JOB}."


def jobs_in(exam: Exam) -> list[MarkedLine]:
    """Each job of each head."""
    by_head = head_jobs(exam).items()
    return [
        MarkedLine(((f"{layer}.{head} ", "at"), (f"{job}.", ""))) for (layer, head), jobs in by_head for job in jobs
    ]


def table_of(exam: Exam) -> Mapping[Any, Sequence[Any]]:
    """A row for each relation."""
    rows = relation_rows(exam)
    names = {name: f"{name} (%)" if name in IN_PERCENT else name for name in (rows[0] if rows else ("relation",))}
    return {title: [row[name] for row in rows] for name, title in names.items()}


def shown_exam(of: Callable[[Scene], Call], key: str) -> tuple[Part, ...]:
    """The jobs of an examination in sentences, and its table."""

    def exam(answer: Answer) -> Exam:
        result: Exam = answer.value(of(answer.scene))
        return result

    return (
        Note("finding", lambda answer: tally(exam(answer), answer)),
        MarkedLines(f"{key}_jobs", lambda answer: jobs_in(exam(answer))),
        Table(key, lambda answer: table_of(exam(answer))),
        Note("paragraph", lambda answer: f"{scope(exam(answer))} {RULE}"),
    )


def others(scene: Scene) -> list[str]:
    """The other models whose examination is shipped."""
    return [name for name in EXAMINED if name != scene.view.model]


OTHER = Option("heads_other", others, lambda scene: others(scene)[0])


def both(answer: Answer) -> tuple[Exam, Exam]:
    """The examination of this model, and that of the other one."""
    theirs = bundled_exam(answer.scene[OTHER])
    assert theirs is not None, "it is shipped"
    return answer.value(EXAM), theirs


def most_apart(answer: Answer) -> str:
    """At which relation the best heads of both differ most."""
    pairs = sorted(side_by_side(*both(answer)), key=lambda pair: not pair.apart)
    first, names = pairs[0], (answer.scene.source.name, answer.scene[OTHER])
    if not first.apart:
        return "They surely differ at no relation."
    shares = [percent(row.accuracy) for row in (first.first, first.second)]
    return (
        f"Of those that surely differ, most at {title(first.relation)}: {shares[0]} in {names[0]}, {shares[1]} in "
        f"{names[1]}."
    )


def relation_by_relation(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """A row for each relation that both were asked."""
    pairs = sorted(side_by_side(*both(answer)), key=lambda pair: not pair.apart)
    return {
        "relation": [title(pair.relation) for pair in pairs],
        "UD": ["" if pair.relation in GAPS else pair.relation for pair in pairs],
        "head": [f"{pair.first.layer}.{pair.first.head}" for pair in pairs],
        "right (%)": [100 * pair.first.accuracy for pair in pairs],
        "its head": [f"{pair.second.layer}.{pair.second.head}" for pair in pairs],
        "its right (%)": [100 * pair.second.accuracy for pair in pairs],
        "difference (points)": [100 * pair.gain for pair in pairs],
        "surely": ["yes" if pair.apart else "no" for pair in pairs],
        "rule right (%)": [100 * pair.first.rule_accuracy for pair in pairs],
        "of": [pair.first.n for pair in pairs],
    }


def how_beside(answer: Answer) -> str:
    """What the columns are."""
    mine, _ = both(answer)
    return (
        f"“head” and “right” are of {answer.scene.source.name}, “its” of {answer.scene[OTHER]}, in "
        f"{text(mine.treebanks[0].name)}; “rule right” is that of the best simple rule. Each model is shown with its "
        "own best head, so the places need not be the same. “surely”: their intervals of 95 % do not meet."
    )


TREES = Option("trees", None, lambda scene: "")
ABOUT_TREES = (
    f"A file in CoNLL-U, plain text in UTF-8, of 1 MB and {MOST_GIVEN:,} sentences at most, with a head and a relation "
    "for every word. Heads are chosen on every second of your sentences and scored on the others; news and Wikipedia "
    "confirm them. Nothing of the file is kept."
)


def of_trees(scene: Scene) -> Call:
    """The examination on the trees that were given."""
    return call(examined_on, ENC, scene[TREES], "The text")


def flops_of_trees(scene: Scene) -> float:
    """Operations of asking a model these sentences, and those that confirm."""
    trees: str = scene[TREES]
    return (TREES_TAKE * trees.count("\n\n") + SENTENCES / 3) * run_flops(scene.config, TOKENS)


PAIRS = Option("pairs", None, lambda scene: "")
MOST_OWN = 500  # pairs that a page tries
ABOUT_PAIRS = (
    "Each pair is two sentences that differ in one word of one token, with ___ at the word that turns with it. Give a "
    "line “a,b” or “a,b,answer_a,answer_b” and then a line for each pair, as a spreadsheet saves or copies them, or a "
    f"line of JSON for each pair; {MOST_OWN} pairs at most. Without answers, they are what the model guesses first. "
    "Every head is tried alone, then the smallest set that carries 80 % is measured beside random ones. Nothing of it "
    "is kept."
)


def of_own_pairs(scene: Scene) -> Call:
    """What carries the change in the pairs that were given."""
    return call(circuit_on, ENC, scene[PAIRS])


def circuit_on(encoder: Any, text: str) -> Circuit:
    """Find the heads that carry the change in the pairs of a text.

    Raises:
        EncoderError: the text holds no pairs, too many, or none that counts for this model.
    """
    pairs = given_pairs(text.encode(), "The text")
    if len(pairs) > MOST_OWN:
        raise EncoderError(f"The text has {len(pairs):,} pairs; {MOST_OWN} are the most that a page tries")
    with in_stages("pairs of your own", runs_of(len(pairs), encoder.config.n_layers * encoder.config.n_heads)):
        return find_circuit(encoder, pairs, edges=False)


def runs_of(pairs: int, heads: int) -> list[float]:
    """How many runs each stage takes: which pairs react, each head, growing sets, controls, the set in all pairs."""
    sample = min(pairs, SAMPLE)
    return [2 * pairs, (2 + heads) * sample, (2 + MOST_HEADS) * sample, (4 + CONTROLS) * sample, 4 * pairs]


def flops_of_pairs(scene: Scene) -> float:
    """Operations of these runs."""
    runs = runs_of(min(scene[PAIRS].count("\n") + 1, MOST_OWN), scene.n_layers * scene.n_heads)
    return sum(runs) * run_flops(scene.config, TOKENS)


def own_circuit(answer: Answer) -> Circuit:
    """What was found of the pairs that were given."""
    circuit: Circuit = answer.value(of_own_pairs(answer.scene))
    return circuit


def carrying(answer: Answer) -> str:
    """Which heads carry the change, and how much random ones do."""
    circuit = own_circuit(answer)
    heads, pairs = listed([named(head) for head in circuit.heads]), f"{circuit.pairs} pair{'s' * (circuit.pairs != 1)}"
    beside = f"; random sets of as many others carry {percent(max(circuit.random))} at most" if circuit.random else ""
    if not circuit.small:
        most = f"{heads} carry most, {percent(circuit.share)}"
        return f"No small set of heads carries the change in {pairs}: {most}{beside}."
    who, does = ("Head", "alone carries") if len(circuit.heads) == 1 else ("Heads", "together carry")
    return f"{who} {heads} {does} {percent(circuit.share)} of the change in {pairs}{beside}."


def of_counted(answer: Answer) -> str:
    """Which pairs count, what halves of them say, and what all heads and none do."""
    circuit = own_circuit(answer)
    why = ", ".join(f"{count} ({kind})" for kind, count in circuit.left_out.items())
    halves = " and ".join(map(percent, circuit.halves))
    return " ".join(
        [f"Left out: {why}."] * bool(why)
        + [f"In every second pair, and in the others: {halves}."] * bool(halves)
        + [f"All heads at once carry {percent(circuit.all)}, none {percent(circuit.none)}."]
        + [
            "The board shows in percent how much of the change each head carries alone; a press chooses the head. 4.1 "
            "is head 1 of layer 4. A pair counts where the lead of its first word falls by 1 nat or more."
        ]
    )


def each_share(answer: Answer) -> list[list[float]]:
    """What each head carries, layer by layer."""
    circuit, scene = own_circuit(answer), answer.scene
    return [[circuit.each[layer, head] for head in range(scene.n_heads)] for layer in range(scene.n_layers)]


def own_pairs(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """A row for each pair that counts."""
    pairs = own_circuit(answer).of_pairs
    return {
        "a": [pair.a if is_fit(pair.a, pair.b) else UNSHOWN for pair in pairs],
        "b": [pair.b if is_fit(pair.a, pair.b) else UNSHOWN for pair in pairs],
        "answers": [" / ".join(pair.words) for pair in pairs],
        "change (nats)": [pair.flip for pair in pairs],
        "these heads carry (%)": [100 * pair.share for pair in pairs],
        "the next ones (%)": [100 * pair.control for pair in pairs],
    }


def survey_of(answer: Answer) -> HeadSurvey:
    """The measures of all heads over what is chosen."""
    survey: HeadSurvey = answer.value(measured(answer.scene))
    return survey


def span_name(scene: Scene, span: str) -> str:
    """What the many sentences are: those of an atlas where the model has one."""
    return f"{opened(scene).card.many} of its atlas" if span == MANY and atlas_number(scene) is not None else span


def over_what(answer: Answer) -> str:
    """What was measured."""
    scene = answer.scene
    if scene[OVER] == MANY and atlas_number(scene) is not None:
        return f"Read from the atlas of this model: on {opened(scene).card.scope}."
    survey = survey_of(answer)
    whole = " It is measured on the whole sentence, with no token masked." if scene.view.hidden else ""
    once = survey.sentences == 1
    return f"Over {survey.sentences} sentence{'' if once else 's'}, {survey.tokens} tokens.{whole if once else ''}"


def looking(answer: Answer) -> str:
    """The heads that look at one kind of place."""
    heads, roles = every_head(answer), [role for layer in survey_of(answer).roles for role in layer]
    those = [
        f"{head} {role.label} ({percent(role.mass)})"
        for head, role in zip(heads, roles, strict=True)
        if role.label in ROLES[:3]
    ]
    places = ", ".join(those) if those else "none that chance does not explain"
    return f"Heads with a place to look, as layer.head: {places}."


def roles(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """All heads with where they look, and all measures that there are of them."""
    survey = survey_of(answer)
    rows = [asdict(role) for layer in survey.roles for role in layer]
    columns: dict[str, Sequence[Any]] = {"head": every_head(answer)}
    columns["looks at"] = ["no one place" if row["label"] == NO_ROLE else row["label"] for row in rows]
    columns |= {name: [row[name] for row in rows] for name in rows[0] if name != "label"}
    for name, measured_by in HEAD_MEASURES.items():
        try:
            columns[measured_by.title] = survey.measures[name].flatten().tolist()
        except EncoderError:  # an atlas may be older than a measure
            columns[measured_by.title] = ["not in this atlas"] * len(rows)
    return columns


HOW_LABELLED = (
    f"A head is labelled where it puts more than {percent(MOST)} of its weight on a role, and at least "
    f"{points(MARGIN)} more than uniform attention would and than it does with the tokens in a shuffled order; n "
    "counts the queries. A place to look is no job. “special” is [CLS] and [SEP] together, where neither has the "
    "role alone. Weights alone do not explain what a model answers."
)
DIVERGENCE = "Jensen-Shannon divergence in nats: 0 the same rows, ln 2 never on the same token."


def can_be_compared(answer: Answer) -> bool:
    """Whether the weights of all heads are numbers."""
    return bool(np.isfinite(answer.value(surveyed(answer.scene)).likeness.numpy()).all())


def inside(answer: Answer) -> str:
    """Of which head the score is taken apart."""
    scene = answer.scene
    looks, looked_at = (token_title(scene, scene[option]) for option in (QUERY, KEY))
    return f"Head {scene.head} of layer 0: why {looks} scores {looked_at} as it does"


SUM_OF_TERMS = """In layer 0 a token is its word, its place, its sentence and what biases add, so a score is a sum \
over pairs of those. The norm divides by the spread that it had in this run. In later layers a token mixes many \
words."""


def by_weights(answer: Answer) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """The words that the head looks for at one token, and those that it writes towards from the other."""
    scene = answer.scene
    query, key = (scene.t.ids[scene[option]] for option in (QUERY, KEY))
    asks = call(looked_for, ENC, scene.layer, scene.head, query)
    return answer.value(asks), answer.value(call(written_for, ENC, scene.layer, scene.head, key))


def looks_and_writes(answer: Answer) -> str:
    """The first of both."""
    scene = answer.scene
    looks, writes = ([f"“{shown(word)}”" for word, _ in words[:3]] for words in by_weights(answer))
    query, key = (f"“{shown(scene.t.tokens[scene[option]])}”" for option in (QUERY, KEY))
    return f"At {query} it looks for {listed(looks)}. From {key} it writes towards {listed(writes)}."


def weights_alone(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """All of both."""
    scene, (looks, writes) = answer.scene, by_weights(answer)
    query, key = (f"“{shown(scene.t.tokens[scene[option]])}”" for option in (QUERY, KEY))
    return {
        f"at {query} it looks for": [shown(word) for word, _ in looks],
        "score": [value for _, value in looks],
        f"from {key} it writes towards": [shown(word) for word, _ in writes],
        "cosine": [value for _, value in writes],
    }


def of_weights(answer: Answer) -> str:
    """What the weights alone say."""
    layer = answer.scene.layer
    deeper = "" if layer == 0 else f" In layer {layer} what arrives is no longer the word, so take it as a hint."
    return (
        "Of the weights alone: words as the embedding table has them, without a place and without company, through "
        "this head's W_Q and W_K, or W_V and W_O. Scores with all words of the vocabulary, and the words of the "
        f"embedding table nearest to what is written; no run is read.{deeper}"
    )


LOOKING = """The weight says how much one token looks at another; what it takes is the weight times the vector that \
the other hands over. A short vector moves little, however large the weight."""
OF_FLOW = """The scale of the flow is that of all heads. In formulas ‖A f(x)‖, where f(x) is the value taken through \
the head's part of W_O (Kobayashi et al. 2020)."""
OF_MIXING = """The rest is its own: what it had before (the residual), and what it takes from itself. In the papers \
this is the mixing ratio with the residual, before the norm (AttnRes-N, Kobayashi et al. 2021)."""


def most_and_least(answer: Answer) -> str:
    """Which token hands over most and least, against its weight."""
    scene = answer.scene
    more = gained(disagreement(scene.t, scene.layer)[scene.head])
    most, least = int(more.argmax()), int(more.argmin())
    below = points(float(-more[least]) / len(scene.t.tokens))
    return (
        f"Over all rows, and against its weight, {scene.token(most)} hands over most, and {scene.token(least)} least: "
        f"on average over the rows its share of the flow is {below} below its share of the weight."
    )


MOST_SENTENCES, MOST_ROWS, FIRST = 1000, 500_000, 20  # sentences and rows that are measured, rows on the page
LIST = Option("list", None, lambda scene: "")
MEASURES = {f"measured?measure={name}": each.title for name, each in HEAD_MEASURES.items()}
OF_LIST = MEASURES | {
    "head_lengths": "Length of what each head writes, by token",
    "mixing": "How much each token takes from others",
    "arcs": "Where each head looks from the first word",
    "all_heads": "All weights, from token to token",
    "rollout": "Rollout, from token to token",
}
NUMBERED = {str(i): name for i, name in enumerate(OF_LIST)}  # a link has commas between what is chosen
WANTED = Option("list_of", lambda scene: NUMBERED, lambda scene: ["0", "1"], many=True)


def lines_of(text: str) -> list[str]:
    """The lines of a text that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def sentences_of(scene: Scene) -> list[str]:
    """The sentences of the list, as many as are measured."""
    return lines_of(scene[LIST])[:MOST_SENTENCES]


def of_list(scene: Scene) -> Call:
    """The measures over the list."""
    return call(measured_list, ENC, scene[LIST], [NUMBERED[number] for number in scene[WANTED]])


def measured_list(encoder: Any, text: str, pictures: Sequence[str]) -> Measured:
    """Measure pictures over the lines of a text.

    Raises:
        EncoderError: the tables would have more than MOST_ROWS rows.
    """
    return measure(encoder, lines_of(text)[:MOST_SENTENCES], pictures, most_rows=MOST_ROWS)


def flops_of_list(scene: Scene) -> float:
    """Operations of a run of each sentence of the list."""
    return sum(run_flops(scene.config, len(scene.encoder.tokenize(line).ids)) for line in sentences_of(scene))


def of_lines(answer: Answer) -> str:
    """How many sentences there are, of how many."""
    every = len(lines_of(answer.scene[LIST]))
    if every > MOST_SENTENCES:
        return f"The first {MOST_SENTENCES:,} of {every:,} sentences are measured."
    return f"{every:,} sentence{'' if every == 1 else 's'}."


def of_left_out(answer: Answer) -> str:
    """Which sentences are in no table, and how many were cut."""
    done: Measured = answer.value(of_list(answer.scene))
    lines = sentences_of(answer.scene)
    few = [f"Left out: “{shown(lines[i], 60)}”, {why}." for i, why in islice(done.left_out.items(), 5)]
    if len(done.left_out) > len(few):
        few.append(f"And {len(done.left_out) - len(few):,} more are left out.")
    cut = f"{len(done.cut):,} are longer than the model reads, and cut." if done.cut else ""
    return " ".join([*few, cut]).strip()


def tables_of_list(answer: Answer) -> list[LongTable]:
    """The tables of the list, each with its first rows."""
    done: Measured = answer.value(of_list(answer.scene))
    return [
        LongTable(
            table.name,
            f"{len(table):,} rows, one for each sentence, {', '.join(table.dims)}. The first {min(FIRST, len(table))}:",
            {OF_LIST.get(name, name): values[:FIRST].tolist() for name, values in table.columns.items()},
            {kind: partial(file_of, table, kind) for kind in ("csv", "parquet", "npz")},
        )
        for table in done.tables
    ]


def file_of(table: ListTable, kind: str) -> bytes:
    """A table as a file of a kind."""
    content: str | bytes = getattr(table, kind)()
    return content.encode() if isinstance(content, str) else content


def is_given(option: Option, answer: Answer) -> bool:
    """Whether somebody gave a text."""
    return bool(answer.scene[option].strip())


MORE: dict[str, tuple[Part, ...]] = {
    "jobs": (
        NOT_YET,
        Long(
            "Examine the heads of this model on two treebanks",
            flops_of_exam,
            shown_exam(lambda scene: EXAM, "relations"),
            of=lambda scene: EXAM,
        ),
    ),
    "measures": (
        Ask("Over", OVER, "pills", span_name),
        When(lambda answer: answer.scene[OVER] == MANY, (CHOOSE_ATLAS,)),
        Ask("Measure", MEASURE, "list", lambda scene, name: HEAD_MEASURES[name].title),
        as_chosen_or_atlas(
            Show(MEASURED, more=lambda answer: f"{HEAD_MEASURES[answer.scene[MEASURE]].meaning} {over_what(answer)}"),
            Note("finding", looking),
            Table("roles", roles),
            HOW_LABELLED,
        ),
    ),
    "alike": (
        Ask("Over", OVER, "pills"),
        as_chosen(
            When(
                can_be_compared,
                (Show(LIKENESS, more=DIVERGENCE), PLANE),
                ("Some weights of this model are not numbers here, so its heads cannot be compared.",),
            )
        ),
    ),
    "inside": (
        Beside((Ask("It looks (query)", QUERY, "token"), Ask("It is looked at (key)", KEY, "token"))),
        Note("heading", inside),
        Show(INSIDE_TERMS, more=SUM_OF_TERMS),
        Note("heading", lambda answer: f"Head {answer.scene.head} of layer {answer.scene.layer}: its weights alone"),
        Note("finding", looks_and_writes),
        Table("inside_words", weights_alone),
        Note("paragraph", of_weights),
    ),
    "flow": (
        LOOKING,
        Beside((FLOW_WEIGHT, FLOW, FLOW_MINUS_WEIGHT)),
        Note("finding", most_and_least),
        OF_FLOW,
        Note("heading", "How much of each vector comes from others"),
        Show(MIXING, more=OF_MIXING),
    ),
    "between": (
        When(
            is_pair,
            (Ask("From sentence to sentence", WAY, "pills", lambda scene, way: arrow(way)), BETWEEN),
            ("This is one sentence; with a second one, from the menu of the bar, this shows what heads send across.",),
        ),
    ),
    **heads_corpus.HEADS,
    "beside": (
        Ask("Beside", OTHER, "pills"),
        Long(
            "Examine the heads of this model first",
            flops_of_exam,
            (
                Note("finding", most_apart),
                Table("side_by_side", relation_by_relation),
                Note("paragraph", how_beside),
            ),
            of=lambda scene: EXAM,
        ),
    ),
    "trees": (
        ABOUT_TREES,
        Ask("Gold trees in CoNLL-U", TREES, "given", most=1_000_000),
        When(
            partial(is_given, TREES),
            (
                Long(
                    "Examine the heads of this model on these trees",
                    flops_of_trees,
                    shown_exam(of_trees, "own_relations"),
                    of=of_trees,
                ),
            ),
        ),
    ),
    "pairs": (
        ABOUT_PAIRS,
        Ask("Pairs of sentences", PAIRS, "given", most=200_000),
        When(
            partial(is_given, PAIRS),
            (
                Long(
                    "Find the heads that carry the change",
                    flops_of_pairs,
                    (
                        Note("finding", carrying),
                        HeadBoard(
                            "own_board", "How much of the change each head carries alone, in percent", each_share
                        ),
                        Note("paragraph", of_counted),
                        Table("own_pairs", own_pairs),
                    ),
                    of=of_own_pairs,
                ),
            ),
        ),
    ),
    "list": (
        "Every sentence is read alone, by the model in the bar, without what is changed or masked.",
        Ask(f"Sentences, one in each line, {MOST_SENTENCES:,} at most", LIST, "given", most=200_000),
        Ask("Measure", WANTED, "pills", lambda scene, number: OF_LIST[NUMBERED[number]]),
        When(
            partial(is_given, LIST),
            (
                Note("paragraph", of_lines),
                Long(
                    "Measure these sentences",
                    flops_of_list,
                    (Note("paragraph", of_left_out), LongTables("list", tables_of_list)),
                    of=of_list,
                ),
            ),
        ),
    ),
}
