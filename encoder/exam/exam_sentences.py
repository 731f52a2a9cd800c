"""What an examination says in words that a student knows: a head's jobs with their numbers, or "no job found"."""

from encoder.exam.constructed_sentences import ALL, FrameRow
from encoder.exam.examination import Exam
from encoder.exam.links import GAPS, JUDGED
from encoder.exam.passing import ExamRow
from encoder.exam.simple_rules import RULES, distance_in_words
from encoder.support.formatting import listed, percent

NO_JOB = "no job found"
TEXTS = {  # a bundled treebank -> what its sentences are
    "en_pud": "news and Wikipedia",
    "en_ewt": "web text",
    "permuted": "news and Wikipedia (each sentence with the tree of another one of its length)",
}
RELATIONS = {  # of Universal Dependencies -> the dependent and its governor
    "acl": ("clause about a noun", "its noun"),
    "acl:relcl": ("relative clause", "its noun"),
    "advcl": ("clause of time, cause or condition", "its verb"),
    "advmod": ("adverb", "the word it describes"),
    "amod": ("adjective", "its noun"),
    "appos": ("second name of a thing", "its noun"),
    "aux": ("auxiliary", "its verb"),
    "aux:pass": ("passive auxiliary", "its verb"),
    "case": ("preposition", "its noun"),
    "cc": ("joining word such as “and”", "the word it adds"),
    "ccomp": ("clause as an object", "its verb"),
    "compound": ("noun before a noun", "the main noun"),
    "compound:prt": ("particle of a verb", "its verb"),
    "conj": ("word that was added by “and”", "the word it is added to"),
    "cop": ("form of “be”", "its predicate"),
    "csubj": ("clause as a subject", "its verb"),
    "det": ("article", "its noun"),
    "discourse": ("interjection", "its sentence"),
    "expl": ("filler such as “there”", "its verb"),
    "fixed": ("further word of a set phrase", "the first word of the phrase"),
    "flat": ("further word of a name", "the first word of the name"),
    "iobj": ("indirect object", "its verb"),
    "mark": ("word such as “that” or “to”", "the verb of its clause"),
    "nmod": ("noun with a preposition", "the noun it belongs to"),
    "nmod:poss": ("possessive", "its noun"),
    "nsubj": ("subject", "its verb"),
    "nsubj:pass": ("subject of a passive verb", "its verb"),
    "nummod": ("number", "its noun"),
    "obj": ("object", "its verb"),
    "obl": ("noun with a preposition", "the verb it belongs to"),
    "parataxis": ("loose clause", "the main verb"),
    "punct": ("punctuation mark", "the word it belongs to"),
    "vocative": ("name of who is spoken to", "its verb"),
    "xcomp": ("second verb, as in “wants to go”", "the first verb"),
}


def ends(relation: str) -> tuple[str, str]:
    """Return dependent and governor of a relation in words; of a kind of gap, the masked verb and its subject."""
    if relation in GAPS:
        between = GAPS[relation].partition(", ")[2]
        return f"masked verb with {between}" if between else "masked verb", "its subject"
    return RELATIONS.get(relation) or RELATIONS.get(
        relation.split(":")[0], (f"word marked “{relation}”", "its governor")
    )


def title(relation: str) -> str:
    """Return a relation in words, such as "object → its verb"."""
    return " → ".join(ends(relation))


def job(relation: str, direction: str = "row") -> str:
    """Return what a head does that finds a relation, such as "looks from an object to its verb"."""
    dependent, governor = ends(relation)
    named = f"{'an' if dependent[0] in 'aeiou' else 'a'} {dependent}"
    return f"looks from {named} to {governor}" if direction == "row" else f"looks at {named} from {governor}"


def text(treebank: str) -> str:
    """Return what the sentences of a treebank are: "web text"; of one that is not bundled its name."""
    return TEXTS.get(treebank, treebank)


def beside(row: ExamRow | FrameRow) -> str:
    """Return how often a head is right, and how often the best simple rule and the best fixed distance are."""
    best = f"the best simple rule “{row.rule}” {percent(row.rule_accuracy)}"
    fixed = f"the best fixed distance “{distance_in_words(row.distance)}” {percent(row.distance_accuracy)}"
    return f"{percent(row.accuracy)} of {row.n:,}, {best}" + (
        "" if row.rule == distance_in_words(row.distance) else f", {fixed}"
    )


def with_numbers(row: ExamRow) -> str:
    """Return what a head does, with its numbers and those of the rules, and whether it passed."""
    there = "" if row.second_accuracy is None else f"; in {text(row.second)} {percent(row.second_accuracy)}"
    best = "" if row.second_rule_accuracy is None else f", the best rule {percent(row.second_rule_accuracy)}"
    verdict = "It passed" if row.passed else f"It did not pass: {row.verdict}"
    return f"{job(row.relation, row.direction)} ({row.relation}): {beside(row)}{there}{best}. {verdict}"


def constructed(exam: Exam) -> FrameRow | None:
    """Return what the best head does in all constructed sentences, where it passed or is beyond any fixed distance."""
    rows = (frame for frame in exam.frames if frame.frame == ALL and (frame.passed or frame.beyond_distance))
    return next(rows, None)


def found_constructed(exam: Exam) -> tuple[tuple[int, int], str] | None:
    """Return the head that finds the subject of a gap in constructed sentences, and what it does; None without one.

    Where it did not pass on real sentences, that is part of the sentence.
    """
    row = constructed(exam)
    if row is None:
        return None
    place = row.layer, row.head
    did = f"{job('gap', row.direction)} in constructed sentences: {beside(row)}"
    if not row.passed:
        return place, f"{did}. It did not pass; in real sentences with a noun between: {real_gaps(exam, place)}"
    if (JUDGED, place) in ((real.relation, real.place) for real in exam.passed()):
        return place, f"{did}. It passed"
    return place, (
        f"{did}. It passed on constructed sentences only; in real sentences with a noun between it did not: "
        f"{real_gaps(exam, place)}"
    )


def real_gaps(exam: Exam, place: tuple[int, int]) -> str:
    """Return what a head does at the masked verbs of real sentences with a noun between, and the rule in each text."""
    rows = [exam.row(JUDGED, bank.name) for bank in exam.treebanks if JUDGED in exam.relations(bank.name)]
    numbers = [
        f"{percent(row.accuracy)} of {row.n:,} in {text(row.treebank)}, the best rule {percent(row.rule_accuracy)}"
        for row in rows
        if row.place == place
    ]
    return ", and ".join(numbers) if numbers else "another head is best there"


def head_jobs(exam: Exam) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return what each head does that passed or is beyond any fixed distance, those of most certain numbers first."""
    jobs = dict[tuple[int, int], list[str]]()
    for row in sorted(exam.jobs(), key=lambda row: (row.place, not row.passed, -row.corrected_low)):
        jobs.setdefault(row.place, []).append(with_numbers(row))
    if head_and_job := found_constructed(exam):
        jobs.setdefault(head_and_job[0], []).append(head_and_job[1])
    return {place: tuple(jobs[place]) for place in sorted(jobs)}


def tally_of_heads(exam: Exam, total: int) -> str:
    """Return how many of all heads passed, on real text and on constructed sentences apart, and how many came near.

    The simple rules that they were compared with are counted too.
    """
    row = constructed(exam)
    built = {(row.layer, row.head)} if row else set[tuple[int, int]]()
    real, near = {row.place for row in exam.passed()}, {row.place for row in exam.jobs()}
    more = (built if row and row.passed else set()) - real
    near, near_built = near - real - more, built - real - near - more
    passed = f"{len(real) or 'None'} of {total} heads passed on real text"
    passed += f", {len(more)} more on constructed sentences only" if more else ""
    tried = (
        f"held against {len(RULES)} simple rules, which are told every word's part of speech, and every fixed distance"
    )
    sentence = f"{passed}, {tried}."
    if near or near_built:
        where = listed(
            [f"{len(near)} on real text"] * bool(near)
            + [f"{len(near_built)} on constructed sentences only"] * bool(near_built)
        )
        sentence += f" Better than any fixed distance, but not 10 points better than the best rule: {where}."
    return sentence


def scope(exam: Exam) -> str:
    """Return on what a model was examined, in sentences."""
    counts = [f"{bank.sentences:,} sentences of {text(bank.name)} ({bank.name})" for bank in exam.treebanks]
    gaps = sum(bank.gaps for bank in exam.treebanks)
    more = [f"{gaps:,} masked verbs"] * bool(gaps) + ["constructed sentences"] * bool(exam.frames)
    no_mask = "" if gaps else " No verb could be masked in them, so no head was asked for the subject of one."
    return f"Examined on gold trees: {listed(counts + more)}.{no_mask}"


def relation_rows(exam: Exam) -> list[dict[str, str | int | float | None]]:
    """Return a row of a table for each relation of the first treebank: its best head, the rule beside it, the verdict.

    Those that passed come first, then those with the most questions; shares are in percent.
    """
    first = exam.treebanks[0].name
    rows = sorted((row for row in exam.rows if row.treebank == first), key=lambda row: (not row.passed, -row.n))
    return [
        {
            "relation": title(row.relation),
            "UD": "" if row.relation in GAPS else row.relation,
            "best head": f"{row.layer}.{row.head}",
            "right": 100 * row.accuracy,
            "best simple rule": row.rule,
            "rule right": 100 * row.rule_accuracy,
            "best distance": distance_in_words(row.distance),
            "distance right": 100 * row.distance_accuracy,
            "of": row.n,
            "in the other text": None if row.second_accuracy is None else 100 * row.second_accuracy,
            "passed": "yes" if row.passed else row.verdict,
        }
        for row in rows
    ]
