"""What a teacher can ask the class about the run on the screen; the answer is the model's own, of that moment."""

from collections.abc import Callable

import streamlit as st

from encoder.errors import EncoderError
from encoder.formatting import shown
from encoder.lessons import guesses
from encoder.lessons.claims import CLAIMS, Claim
from encoder.metrics.cells import largest_pair
from encoder.metrics.guess import guess_place
from encoder.trace.trace import Trace
from encoder.trials import Finding, Verdict
from pages.ui import session
from pages.ui.lessons import library, questions
from pages.ui.live import follow
from pages.ui.live.classroom import classroom
from pages.ui.live.question import LONGEST_OPTION, MOST_OPTIONS, Question
from pages.ui.refusals import told
from pages.ui.server import consent
from pages.ui.state import session_state as state
from pages.ui.state.site import Page
from pages.ui.text import plain

VERDICTS = tuple(verdict.value for verdict in Verdict if verdict is not Verdict.UNTRIED)
MOST_WORDS = 4  # to choose from where a word is guessed


def offer(page: Page) -> None:
    """The button that unfolds what can be asked here."""
    fold = st.popover("Ask the class", key="class_ask", icon=":material/quiz:", on_change="rerun")
    if fold.open:
        with fold, told():
            offered = KINDS if page != library.HERE else {"The question of this lesson": of_lesson} | KINDS
            kind = st.selectbox("Ask", list(offered), key="class_ask_kind")
            made = offered[kind]()
            st.button("Ask", key="class_ask_now", type="primary", disabled=made is None, on_click=put, args=(made,))


def put(make: Callable[[], Question]) -> None:
    """Ask the class."""
    seat = state.session().seat
    if seat is None:
        return
    try:
        with follow.reaching():
            classroom().ask(seat, make())
    except EncoderError as error:
        state.note([f"The class cannot be asked this: {str(error).rstrip('.')}."])


def token(label: str, key: str, trace: Trace, default: int) -> int:
    """One of the tokens of the run."""
    names = [f"{i} {shown(name)}" for i, name in enumerate(trace.tokens)]
    found: int = st.selectbox(label, range(len(names)), min(default, len(names) - 1), key=key,
                              format_func=names.__getitem__)  # fmt: skip
    return found


def pair(trace: Trace) -> tuple[int, int]:
    """What to ask about first: the word that is asked on the screen or else the pair of the largest weight."""
    view = state.current()
    weights = trace[f"layers.{view.layer}.attention.weights"][view.head]
    query, key = largest_pair(weights.numpy(), trace.tokenization.special)
    said = dict(view.choices).get("ask_word", "")
    known = said.isdigit() and int(said) < len(trace.tokens)
    return (int(said), key) if known else (query, key)


def where(trace: Trace, *, head: bool = True) -> str:
    """What run a question is about, for the caption of its picture."""
    view = state.current()
    place = f", layer {view.layer}, head {view.head}" if head else ""
    return f"answers of a class; {view.model}, “{shown(str(trace.text), 100)}”{place}"


def look() -> Callable[[], Question]:
    """Where a word looks most."""
    trace, view = session.now(), state.current()
    at = token("Which word looks?", "class_ask_word", trace, pair(trace)[0])
    return lambda: looking(trace, view.layer, view.head, at, "")


def looking(trace: Trace, layer: int, head: int, at: int, ask: str) -> Question:
    """The question where a token looks most in a head."""
    if len(trace.tokens) > MOST_OPTIONS:
        raise EncoderError(f"the sentence has {len(trace.tokens)} tokens; a class chooses among {MOST_OPTIONS} at most")
    row, best = guesses.most_looked_at(trace, layer, head, at)
    ask = ask or f"Where does “{shown(trace.tokens[at])}” ({at}) look most in layer {layer}, head {head}?"
    names = tuple(f"{i} {shown(name)}"[:LONGEST_OPTION] for i, name in enumerate(trace.tokens))
    return Question(0, "choice", ask[:200], float(best), names, tuple(row.tolist()), where=where(trace))


def much() -> Callable[[], Question]:
    """How much of its weight a word gives to another."""
    trace, view = session.now(), state.current()
    at = token("Which word looks?", "class_ask_word", trace, pair(trace)[0])
    to = token("At which word?", "class_ask_to", trace, pair(trace)[1])
    said = (
        f"What percentage of its weight does “{shown(trace.tokens[at])}” ({at}) give “{shown(trace.tokens[to])}” ({to})"
    )
    return lambda: Question(
        0, "number", f"{said} in layer {view.layer}, head {view.head}?"[:200],
        100 * float(trace[f"layers.{view.layer}.attention.weights"][view.head, at, to]), low=0.0, high=100.0,
        where=where(trace),
    )  # fmt: skip


def word() -> Callable[[], Question] | None:
    """Which word the model guesses at a place."""
    trace, encoder = session.now(), session.text_encoder(state.current().model)
    if "mlm.probabilities" not in trace:
        st.caption(plain(encoder.why_no_guesses))
        return None
    at = token("At which word?", "class_ask_at", trace, guess_place(trace, encoder.mask_token))

    def made() -> Question:
        best = (encoder.predict(trace, MOST_WORDS, [at]) or [[]])[0]
        found = sorted((shown(name)[:LONGEST_OPTION], share) for name, share in best)
        truth = found.index((shown(best[0][0])[:LONGEST_OPTION], best[0][1]))
        ask = f"Which word is the likeliest at “{shown(trace.tokens[at])}” ({at})?"[:200]
        names, shares = tuple(name for name, _ in found), tuple(share for _, share in found)
        return Question(0, "choice", ask, float(truth), names, shares, where=where(trace, head=False))

    return made


def holds() -> Callable[[], Question] | None:
    """Whether a claim holds in this model."""
    claim: Claim = st.selectbox("Which claim?", CLAIMS, key="class_ask_claim", format_func=lambda one: plain(one.text))
    model = state.current().model
    if session.seconds(claim.trial, claim.given) > consent.UNASKED:
        st.caption("This takes long to measure; measure it among the claims on the page Lessons first.")
        return None
    return lambda: verdict(claim.text, session.finding(claim.trial, claim.given), f"answers of a class; {model}")


def verdict(claim: str, found: Finding, about: str) -> Question:
    """The question whether what was found holds."""
    if found.verdict.value not in VERDICTS:
        raise EncoderError(f"it cannot be tried in this model: {found.sentence}")
    return Question(0, "choice", claim[:200], float(VERDICTS.index(found.verdict.value)), VERDICTS, where=about)


def of_lesson() -> Callable[[], Question] | None:
    """The question of the lesson's step on the screen."""
    view, trace = state.current(), session.now()
    step = library.find(view.lesson).steps[view.at - 1] if view.lesson else None
    if step is None or step.question is None:
        st.caption("This step of a lesson asks nothing; go to one that does.")
        return None
    asked = step.question
    if step.trial and session.seconds(step.trial, step.given) > consent.UNASKED:
        st.caption("This takes long to measure; have the lesson measure it first.")
        return None
    st.markdown(plain(asked.ask or "Where does it look most?"))

    def made() -> Question:
        if asked.kind == "token":
            return looking(trace, view.layer, view.head, questions.query_of(asked, trace), asked.ask)
        found = questions.finding_of(step)
        if isinstance(found, str):
            raise EncoderError(found)
        if asked.kind == "verdict":
            return verdict(asked.ask, found, where(trace, head=False))
        return Question(
            0, "number", asked.ask, found.value, low=asked.low, high=asked.high, where=where(trace, head=False)
        )

    return made


KINDS: dict[str, Callable[[], Callable[[], Question] | None]] = {
    "Where will this head look?": look,
    "How much?": much,
    "Which word?": word,
    "Does it hold?": holds,
}
