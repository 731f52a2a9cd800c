"""What each head does: jobs examined on gold trees, beside another model, or on trees of one's own."""

from contextlib import suppress

import pandas as pd
import streamlit as st

from encoder.exam import Exam
from encoder.exam.exam_sentences import NO_JOB, head_jobs, relation_rows, scope, tally_of_heads, text, title
from encoder.exam.examples import side_by_side
from encoder.exam.links import GAPS
from encoder.exam.simple_rules import RULES
from encoder.exam.treebank import MOST_GIVEN, given_treebank
from encoder.support.formatting import percent
from pages.ui import session_runs
from pages.ui.downloads import table as downloads
from pages.ui.refusals import shows_errors
from pages.ui.server import exams, jobs, offered_models
from pages.ui.state import session_state as state
from pages.ui.text import heading, plain, say

PERCENT = st.column_config.NumberColumn(format="%.0f %%")
NOT_YET = (
    "The heads of this model were not examined yet. Does one look from an object to its verb, from an article to its "
    "noun? All are asked on sentences whose grammar people marked, beside simple rules that need no model. It ends "
    "when you leave this page or choose something else."
)
RULE = (
    "A head is chosen on every second sentence and scored on the others. It passed where it is 10 points above the "
    f"best of {len(RULES)} simple rules and every fixed distance, surely so for all heads and relations that were "
    "tried, and in the other text too. A rule is such as “the second noun before”; it is told every word's part of "
    "speech, which a head is not. The best of so many, found on the very sentences, is a strict opponent. Listed too "
    "are heads that are so much better than every fixed distance alone; everything else is no job found, however a map "
    "looks. The names in brackets are those of Universal Dependencies. Nothing was switched off or masked but verbs."
)


def draw_jobs() -> None:
    """What the heads of this model passed in, or the way to examine it."""
    heading("Jobs that were examined")
    with suppress(jobs.NotStarted), shows_errors():
        exam = session_runs.exam()
        if exam is None:
            before = st.empty()
            before.markdown(NOT_YET)
            exam = session_runs.examined()
            if session_runs.exam() is not None:
                st.rerun()  # what stands above shows it too
            before.empty()
        show_exam(exam, "relations")


def show_exam(exam: Exam, key: str) -> None:
    """The jobs in sentences, and the table of relations under a key."""
    by_head, config = head_jobs(exam), session_runs.now().config
    total = config.n_layers * config.n_heads
    if by_head:
        say(tally_of_heads(exam, total), f"In all others: {NO_JOB}.")
        st.markdown(
            "\n".join(f"- L{layer}H{head} {plain(job)}." for (layer, head), them in by_head.items() for job in them)
        )
    else:
        say(f"In all {total} heads: {NO_JOB}.")
    table = pd.DataFrame(relation_rows(exam))
    shares = dict.fromkeys(("right", "rule right", "distance right", "in the other text"), PERCENT)
    downloads.shown_table(table, key=key, hide_index=True, column_config=shares)
    st.caption(plain(f"{scope(exam)} {RULE}"))


EXAMINED = ("base", "small")  # the bundled models whose examination is shipped


def draw_beside() -> None:
    """Another model, and a table with a row for each relation that both were asked."""
    here = state.current().model
    others = [*EXAMINED, *state.session().own_models]
    tie = state.choice("heads_other", others, next(name for name in others if name != here))
    other = st.pills(
        "Beside", others, required=True, format_func=lambda name: plain(offered_models.offer(name).label), **tie
    )
    mine, theirs = session_runs.exam(), exams.exam(other)
    names = [offered_models.offer(name).label for name in (here, other)]
    for exam, name in zip((mine, theirs), names, strict=True):
        if exam is None:
            st.markdown(plain(f"The heads of {name} were not examined yet: open it on this page and examine them."))
    if mine is None or theirs is None:
        return
    pairs = sorted(side_by_side(mine, theirs), key=lambda pair: not pair.apart)
    first = pairs[0]
    say(
        f"Of those that surely differ, most at {title(first.relation)}: {percent(first.first.accuracy)} in {names[0]}, "
        f"{percent(first.second.accuracy)} in {names[1]}."
        if first.apart
        else "They surely differ at no relation."
    )
    table = pd.DataFrame(
        {
            "relation": title(pair.relation),
            "UD": "" if pair.relation in GAPS else pair.relation,
            "head": f"L{pair.first.layer}H{pair.first.head}",
            "right": 100 * pair.first.accuracy,
            "its head": f"L{pair.second.layer}H{pair.second.head}",
            "its right": 100 * pair.second.accuracy,
            "difference": 100 * pair.gain,
            "surely": "yes" if pair.apart else "no",
            "rule right": 100 * pair.first.rule_accuracy,
            "of": pair.first.n,
        }
        for pair in pairs
    )
    shares = dict.fromkeys(("right", "its right", "rule right"), PERCENT)
    points = {"difference": st.column_config.NumberColumn(format="%+.0f")}
    downloads.shown_table(table, key="side_by_side", hide_index=True, column_config=shares | points)
    st.caption(
        plain(
            f"“head” and “right” are of {names[0]}, “its” of {names[1]}, in {text(mine.treebanks[0].name)}; the "
            "difference is in points, “rule right” of the best simple rule. Each model is shown with its own best "
            "head, so the places need not be the same. “surely”: their intervals of 95 % do not meet."
        )
    )


OWN_TREES = "your trees"
KEPT = "trees"  # what was found last, under this name, as long as its file is there
ABOUT = (
    f"A file in CoNLL-U, plain text in UTF-8, of 1 MB and {MOST_GIVEN:,} sentences at most, with a head and a relation "
    "for every word. Heads are chosen on every second of your sentences and scored on the others; news and Wikipedia "
    "confirm them. It ends when you leave this page or choose something else, and nothing of it is kept."
)


def draw_own_trees() -> None:
    """The way to give a file, and what the heads get right on it."""
    st.markdown(ABOUT)
    given = st.file_uploader("A file of gold trees", type=["conllu", "conll", "txt"], key="heads_trees_file")
    sweeps = state.session().sweeps
    if given is None:
        sweeps.pop(KEPT, None)
        return
    model = state.current().model
    asked = given.file_id, exams.content(session_runs.text_encoder(model))
    with suppress(jobs.NotStarted), shows_errors():
        if sweeps.get(KEPT, (None, None))[0] != asked:
            own = given_treebank(given.getvalue(), given.name[:80], OWN_TREES)
            sweeps[KEPT] = asked, exams.examined_on(model, own)
        show_exam(sweeps[KEPT][1], "own_relations")
