"""What an examination says in words that a student knows: a head's licences with their numbers, or "no job found"."""

from encoder.exam.examination import Exam
from encoder.exam.frames import ALL, FrameRow
from encoder.exam.licence import ExamRow
from encoder.exam.links import GAPS, JUDGED
from encoder.support.formatting import listed, percent

NO_JOB = "no job found"
TEXTS = {  # a bundled treebank -> what its sentences are
    "en_pud": "news and Wikipedia",
    "en_ewt": "web text",
    "permuted": "news and Wikipedia (each sentence with the tree of another one of its length)",
}
DIGITS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
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
    """Return what a head does that has a licence for a relation, such as "looks from an object to its verb"."""
    dependent, governor = ends(relation)
    named = f"{'an' if dependent[0] in 'aeiou' else 'a'} {dependent}"
    return f"looks from {named} to {governor}" if direction == "row" else f"looks at {named} from {governor}"


def text(treebank: str) -> str:
    """Return what the sentences of a treebank are: "web text"; of one that is not bundled its name."""
    return TEXTS.get(treebank, treebank)


def rule(distance: int) -> str:
    """Return a fixed distance in words: "two words back", or "one word on"."""
    apart = DIGITS[abs(distance)] if abs(distance) < len(DIGITS) else str(abs(distance))
    return f"{apart} {'word' if abs(distance) == 1 else 'words'} {'back' if distance < 0 else 'on'}"


def licence(row: ExamRow) -> str:
    """Return what a licensed head does, with its numbers and those of the rule that needs no model."""
    here = f"{percent(row.accuracy)} of {row.n:,}, the rule “{rule(row.distance)}” {percent(row.distance_accuracy)}"
    there = "" if row.second_accuracy is None else f"; in {text(row.second)} {percent(row.second_accuracy)}"
    return f"{job(row.relation, row.direction)} ({row.relation}): {here}{there}"


def best_rule(row: FrameRow) -> tuple[str, float]:
    """Return the best of the four rules beside a head in made sentences, and the share it is right in."""
    rules = {
        "nearest noun": row.nearest_noun,
        "first noun": row.first_noun,
        rule(row.distance): row.distance_accuracy,
        f"word {row.position} of the sentence": row.position_accuracy,
    }
    best = max(rules, key=rules.__getitem__)
    return best, rules[best]


def made_licence(exam: Exam) -> tuple[tuple[int, int], str] | None:
    """Return the head with a licence for the subject of a gap in made sentences, and what it does; None without one.

    Where real sentences give no such licence, that is part of the sentence.
    """
    row = next((frame for frame in exam.frames if frame.frame == ALL and frame.licensed), None)
    if row is None:
        return None
    place, (name, share) = (row.layer, row.head), best_rule(row)
    numbers = f"{percent(row.accuracy)} of {row.n:,}, the rule “{name}” {percent(share)}"
    if any(real.licensed and (real.relation, real.place) == (JUDGED, place) for real in exam.rows):
        return place, f"{job('gap', row.direction)} in made sentences: {numbers}"
    return place, (
        f"{job('gap', row.direction)}, licensed in made sentences only: {numbers}. In real sentences with a noun "
        f"between it has no licence: {real_gaps(exam, place)}"
    )


def real_gaps(exam: Exam, place: tuple[int, int]) -> str:
    """Return what a head does at the masked verbs of real sentences with a noun between, and the rule in each text."""
    rows = [exam.row(JUDGED, bank.name) for bank in exam.treebanks if JUDGED in exam.relations(bank.name)]
    numbers = [
        f"{percent(row.accuracy)} of {row.n:,} in {text(row.treebank)}, the rule {percent(row.distance_accuracy)}"
        for row in rows
        if row.place == place
    ]
    return ", and ".join(numbers) if numbers else "another head is best there"


def head_jobs(exam: Exam) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return what each head with a licence does, by layer and head, those of most certain numbers first."""
    jobs = dict[tuple[int, int], list[str]]()
    for row in sorted(exam.licences(), key=lambda row: (row.place, -row.corrected_low)):
        jobs.setdefault(row.place, []).append(licence(row))
    if head_and_job := made_licence(exam):
        jobs.setdefault(head_and_job[0], []).append(head_and_job[1])
    return {place: tuple(jobs[place]) for place in sorted(jobs)}


def head_sentences(exam: Exam, layer: int, head: int) -> tuple[str, ...]:
    """Return what one head has a licence for, or that no job was found, in sentences."""
    jobs = head_jobs(exam).get((layer, head), ())
    return tuple(f"It {job}." for job in jobs) or (f"On gold trees: {NO_JOB} for it.",)


def scope(exam: Exam) -> str:
    """Return on what a model was examined, in sentences."""
    counts = [f"{bank.sentences:,} sentences of {text(bank.name)} ({bank.name})" for bank in exam.treebanks]
    gaps = sum(bank.gaps for bank in exam.treebanks)
    more = [f"{gaps:,} masked verbs"] * bool(gaps) + ["made sentences"] * bool(exam.frames)
    no_mask = "" if gaps else " No verb could be masked in them, so no head was asked for the subject of one."
    return f"Examined on gold trees: {listed(counts + more)}.{no_mask}"


def relation_rows(exam: Exam) -> list[dict[str, str | int | float | None]]:
    """Return a row of a table for each relation of the first treebank: its best head, the rule beside it, the verdict.

    Licensed ones come first, then those with the most questions; shares are in percent.
    """
    first = exam.treebanks[0].name
    rows = sorted((row for row in exam.rows if row.treebank == first), key=lambda row: (not row.licensed, -row.n))
    return [
        {
            "relation": title(row.relation),
            "UD": "" if row.relation in GAPS else row.relation,
            "best head": f"L{row.layer}H{row.head}",
            "right": 100 * row.accuracy,
            "rule": rule(row.distance),
            "rule right": 100 * row.distance_accuracy,
            "of": row.n,
            "in the other text": None if row.second_accuracy is None else 100 * row.second_accuracy,
            "licence": "yes" if row.licensed else row.verdict,
        }
        for row in rows
    ]
