"""A short tour of a model that somebody opens: what kind it is, what its heads do, and what to try with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam import Exam
from encoder.exam.exam_sentences import NO_JOB, head_jobs, scope, tally_of_heads
from encoder.explain.cost import size
from encoder.metrics import MOST, SENTENCES, attention_weights, first_lost, role_mass
from encoder.metrics.guess import guess_place, word_guess
from encoder.metrics.head_measures import HeadSurvey, runs
from encoder.metrics.roles import role_queries
from encoder.model.activations import ACTIVATIONS
from encoder.support.formatting import listed, percent, short, shown
from encoder.teach.story.looks import strongest
from encoder.teach.story.stop import subject
from encoder.trace.trace import HELD, Source, Trace
from encoder.trace.unpadded import tokens

OVER = SENTENCES[:12]  # enough to know a habit by, and quick
MANY = f"{len(OVER)} sentences"
PLACES = {  # what a head can look at out of habit -> how it is called
    "previous": "the token before",
    "next": "the next token",
    "self": "the token itself",
    "special": "the tokens that the model adds",
    "punctuation": "punctuation",
}
POSITIONS = {
    "sinusoidal": "sines and cosines tell it the places",
    "learned": "it has a vector of its own for each place, which training changes",
    "rotary": "queries and keys are turned by their places",
    "alibi": "scores fall with the distance of two tokens",
    "none": "nothing tells it the order of the tokens",
}


@dataclass(frozen=True)
class HabitHead:
    """A head, and the mean share of its weight that lies on one kind of place."""

    layer: int
    head: int
    share: float


@dataclass(frozen=True)
class Try:
    """Something to try: why, on which page, and where in the model; None and empty leave it where it is.

    `choices` are what a link to that page would say beside that.
    """

    text: str
    page: str
    layer: int | None = None
    head: int | None = None
    step: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)


Habits = Mapping[str, Sequence[HabitHead]]


def origin(source: Source) -> str:
    """Where the weights of a model come from, in a sentence."""
    if source.maker == HELD:
        return "Its weights are those of a model of transformers that was held."
    if source.maker.startswith("TextEncoder."):
        return "Its weights were kept on the way while it was trained."
    if source.maker:
        return "It was trained on strings of one small task."
    if source.seed is None:
        return "Its weights were read from a file."
    return f"Its weights were drawn at random (seed {source.seed}): nothing that it does was learned."


def kind(encoder: TextEncoder) -> tuple[str, ...]:
    """What kind of model it is, in sentences."""
    config, source = encoder.config, encoder.source
    layers = f"{config.n_layers} layers" if config.n_layers > 1 else "1 layer"
    heads = f"{config.n_heads} heads" if config.n_heads > 1 else "1 head"
    shape = f"{layers} of {heads}, {config.d_model:,} numbers for each token"
    parameters = size(config).parameters
    counted = f"{short(parameters / 1e6)} million" if parameters >= 1e6 else f"{parameters:,}"
    text = [
        f"“{shown(source.name, 60)}” has {shape}, and {counted} parameters.",
        origin(source),
        f"It knows {config.vocab_size:,} tokens and reads up to {config.max_positions:,} at once; "
        f"{POSITIONS[config.positions]}{', and scores get a number for the distance' * bool(config.position_buckets)}.",
        f"It norms {'before each part of a layer' if config.norm_first else 'after each sum, as in the paper'}; "
        f"the activation of its feed-forward is {ACTIVATIONS[config.activation].title}.",
    ]
    if config.window is not None:
        text.append(
            f"Its tokens see {config.window} neighbours on either side, and all others in every "
            f"{config.global_every}. layer only, from layer 0 on."
        )
    if config.gated:
        text.append("Its feed-forward is gated: what is activated is multiplied with a second linear map.")
    if config.shared_layers and config.n_layers > 1:
        text.append(f"All {config.n_layers} layers are one and the same, run again and again.")
    if config.n_segments > 1:
        text.append("It has a vector for each sentence of a pair, so it can tell the second from the first.")
    ends = (
        "It guesses the word of each place."
        if config.mlm_head
        else "It ends in a vector for each token: it names no words."
    )
    return (*text, ends)


def habits(encoder: TextEncoder) -> dict[str, tuple[HabitHead, ...]]:
    """For each of PLACES the heads that put more than half of their weight there over some sentences, most first."""
    shape = encoder.config.n_layers, encoder.config.n_heads
    mass = {role: torch.zeros(shape, dtype=torch.float64) for role in PLACES}
    count = dict.fromkeys(PLACES, 0)
    for trace in runs(encoder, OVER):
        names, weights = tokens(trace), attention_weights(trace).double().flatten(0, 1)
        result = role_mass(weights.float(), names)
        for role in PLACES:
            queries = role_queries(names, role)
            mass[role] += queries * result[role].view(shape)
            count[role] += queries
    return {role: clear(mass[role] / max(count[role], 1)) for role in PLACES}


def habits_of(survey: HeadSurvey) -> dict[str, tuple[HabitHead, ...]]:
    """The same, of heads that are measured already."""
    return {role: clear(survey.measures[role]) for role in PLACES}


def clear(shares: torch.Tensor) -> tuple[HabitHead, ...]:
    """The heads of a map [n_layers, H] with more than MOST, the largest first."""
    over = [(float(shares[i, h]), -i, -h) for i, h in (shares > MOST).nonzero().tolist()]
    return tuple(HabitHead(-i, -h, share) for share, i, h in sorted(over, reverse=True))


def heads(encoder: TextEncoder, trace: Trace, result: Habits, over: str = MANY) -> tuple[str, ...]:
    """What its heads do, in sentences: in those that `over` names, and in this one."""
    total = encoder.config.n_layers * encoder.config.n_heads
    text = []
    for role, them in result.items():
        if not them:
            continue
        first = them[0]
        looks = f"{len(them)} of {total} heads {'looks' if len(them) == 1 else 'look'}"
        text.append(
            f"{looks} mostly at {PLACES[role]}: layer {first.layer}, head {first.head} gives it {percent(first.share)}."
        )
    none = listed([PLACES[role] for role in result])
    head = f"Over {over}: "
    text = [head + text[0], *text[1:]] if text else [f"{head}no head gives most of its weight to one of {none}."]
    if not first_lost(trace):
        text.append(f"In this text: {strongest(encoder, trace, subject(trace)).sentence}")
    return tuple(text)


def jobs_of(exam: Exam, total: int) -> tuple[str, ...]:
    """Return what an examination on gold trees found of all its heads, in sentences."""
    jobs = [f"Layer {layer}, head {head} {job}." for (layer, head), them in head_jobs(exam).items() for job in them]
    rest = f"In all {'other ' if jobs else ''}heads: {NO_JOB}."
    return (f"{scope(exam)} {tally_of_heads(exam, total)} {rest}", *jobs)


def tries(encoder: TextEncoder, trace: Trace, result: Habits) -> tuple[Try, ...]:
    """What to try with this model, with this run's numbers."""
    if first_lost(trace):
        return (
            Try("This run does not end in numbers. Change the sentence, or take back what was changed.", "sentence"),
        )
    about, config = subject(trace), encoder.config
    offers = [Try("Follow this sentence from its tokens to the end, in twelve stops.", "story")]
    guess = word_guess(encoder, trace, guess_place(trace, encoder.mask_token))
    if guess is not None:
        more = "" if encoder.mask_token in tokens(trace) else f" Put {encoder.mask_token} in place of a word and see."
        offers.append(Try(f"{guess.sentence}{more}", "stack", step="mlm.probabilities"))
    else:
        offers.append(
            Try(
                "It names no words, but its vectors can be held against each other: two sentences, pair by "
                "pair of their tokens.",
                "compare",
                choices={"compare_part": "Alike?"},
            )
        )
    for role in ("previous", "next", "self"):
        if them := result.get(role, ()):
            one = them[0]
            offers.append(
                Try(
                    f"See layer {one.layer}, head {one.head} look at {PLACES[role]}.",
                    "attention",
                    one.layer,
                    one.head,
                    "attention.weights",
                )
            )
            break
    offers.append(
        Try(f"Ask where “{shown(trace.tokens[about.word])}” looks, in every head.", "sentence", about.layer, about.head)
    )
    offers.append(
        Try(
            "See which of its heads do a job in sentences whose grammar people marked.",
            "heads",
            choices={"heads_part": "What each head does"},
        )
    )
    if config.n_layers * config.n_heads > 1:
        offers.append(Try("Switch off its heads, one by one, and see which matters for this sentence.", "what_if"))
    return tuple(offers)
