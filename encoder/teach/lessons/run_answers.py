"""What a run answers to a question of a lesson: the value of each word or choice, or one number, and what is right."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import cosine, final_answer, logit_lens, settled
from encoder.metrics.guess import guess_place
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.words import merge

TIE, NEARLY = 0.01, 0.9  # two values no farther apart, and nearly as large, are both right
FLAT = 1.5  # times even attention: a row whose highest share is below that looks at nothing in particular


@dataclass(frozen=True)
class AskedRun:
    """A run that a question is put to, at a layer and head of it.

    `words` are the positions of the pieces of each word that can be pressed, `word` is the one asked about, `choices`
    what can be chosen.
    """

    encoder: TextEncoder
    trace: Trace
    layer: int
    head: int
    words: tuple[tuple[int, ...], ...] = ()
    word: str = ""
    choices: tuple[str, ...] = ()

    @property
    def gap(self) -> int:
        """The position of the first gap.

        Raises:
            EncoderError: there is none.
        """
        place = guess_place(self.trace, self.encoder.mask_token)
        if self.trace.tokens[place] != self.encoder.mask_token:
            raise EncoderError("this needs a gap")
        return place

    @property
    def pieces(self) -> tuple[int, ...]:
        """The positions of the word asked about.

        Raises:
            EncoderError: it does not stand in the sentence.
        """
        return self.trace.tokenization.find(self.word)


@dataclass(frozen=True)
class RunAnswer:
    """What a run answers.

    `values` are of the words, of the choices, or one number; none where they would not help. `right` are the indices of
    those that are right. `form` is "share", "cosine" or "count". `flat` tells that nothing stands out, `rest` the share
    that no word here has. `place` is the step and the index of the number to open, None where it is no one number;
    `heads` are those that were counted, each by its layer and its number.
    """

    values: tuple[float, ...]
    right: tuple[int, ...]
    form: str
    flat: bool = False
    rest: float = 0.0
    place: tuple[str, tuple[int, ...]] | None = None
    heads: tuple[tuple[int, ...], ...] = ()


def best(values: Tensor) -> tuple[int, ...]:
    """The indices of the largest of these values [n], and of those that are as good as it."""
    top = float(values.max())
    return tuple((values >= top - min(TIE, (1 - NEARLY) * abs(top))).nonzero()[:, 0].tolist())


def numbers(values: Tensor) -> tuple[float, ...]:
    """Values [n] as plain numbers."""
    return tuple(values.double().tolist())


def looked_at(asked: AskedRun) -> RunAnswer:
    """How much the head gives each word from the word asked about: sums over its pieces, means over the asked ones."""
    trace, pieces = asked.trace, asked.trace.tokenization
    step = f"layers.{asked.layer}.attention.weights"
    row = merge(trace[step][asked.head], pieces.words)[pieces.words.index(asked.pieces)]
    shares = row[[pieces.words.index(word) for word in asked.words]]
    right = best(shares)
    (own, *others), (to, *more) = asked.pieces, asked.words[right[0]]
    place = None if others or more else (step, (asked.head, own, to))
    flat = float(shares.max()) < FLAT / len(row)
    return RunAnswer(numbers(shares), right, "share", flat, float(row.sum() - shares.sum()), place)


def alike(asked: AskedRun, step: str = "embedding.tokens") -> RunAnswer:
    """The cosine of each word's vector at a step with that of the word asked about, which itself is not right."""
    x = asked.trace[step]
    own = x[list(asked.pieces)].mean(0)
    values = torch.stack([cosine(x[list(word)].mean(0), own) for word in asked.words])
    others = values.masked_fill(torch.tensor([word == asked.pieces for word in asked.words]), -2.0)
    return RunAnswer(numbers(values), best(others), "cosine")


def likeliest(asked: AskedRun) -> RunAnswer:
    """The share that the model gives each choice at the first gap.

    Raises:
        EncoderError: there is no gap, the model guesses no words, or a choice is not one word of its vocabulary.
    """
    if "mlm.probabilities" not in asked.trace:
        raise EncoderError(asked.encoder.why_no_guesses)
    known = {choice: asked.encoder.tokenizer.token_to_id(choice) for choice in asked.choices}
    if unknown := [choice for choice, i in known.items() if i is None]:
        raise EncoderError(f"“{unknown[0]}” is not a single word to this model")
    ids = [i for i in known.values() if i is not None]
    shares = asked.trace["mlm.probabilities"][asked.gap, torch.tensor(ids)]
    best_one = (int(shares.argmax()),)
    return RunAnswer(numbers(shares), best_one, "share", place=("mlm.probabilities", (asked.gap, ids[best_one[0]])))


def first_from(asked: AskedRun) -> RunAnswer:
    """The first layer after which the guess at the first gap leads and stays so; choices are layers, counted from 0."""
    _, _, ranks = final_answer(logit_lens(asked.encoder, asked.trace, [asked.gap]))  # [n_layers + 1, 1]
    layer = max(0, settled(ranks[:, 0]) - 1)  # the first row is that of the embedding
    right = (asked.choices.index(str(layer)),) if str(layer) in asked.choices else ()
    return RunAnswer((float(layer),), right, "count")


def heads_looking(asked: AskedRun, at: str) -> RunAnswer:
    """How many heads give one word more than any other word, from the word asked about, and which."""
    pieces = asked.trace.tokenization
    weights = torch.stack([asked.trace[f"layers.{i}.attention.weights"] for i in range(asked.trace.config.n_layers)])
    rows = merge(weights, pieces.words)[:, :, pieces.words.index(asked.pieces)]  # [n_layers, H, m]
    most = rows[..., [pieces.words.index(word) for word in asked.words]].argmax(-1)
    heads = tuple(map(tuple, (most == asked.words.index(pieces.find(at))).nonzero().tolist()))
    return RunAnswer((float(len(heads)),), (), "count", heads=heads)


def moves_along(asked: AskedRun) -> RunAnswer:
    """Which numbers go with a word to another place: those of the word (the first choice), or those of the place.

    The sentence is run once more with the first two words of one piece exchanged; what is compared is what one of them
    had before and has after, by its cosine: its row of the table, and what is added for its position.

    Raises:
        EncoderError: there are no two such words, or a part that is compared is not there.
    """
    trace, pieces = asked.trace, asked.trace.tokenization
    single = [word[0] for word in asked.words if len(word) == 1 and pieces.typed(word[0]).strip()]
    first = single[0] if single else 0
    second = next((i for i in single if trace.tokens[i] != trace.tokens[first]), first)
    known = "embedding.tokens" in trace and "embedding.positions" in trace
    if first == second or pieces.second or not known:
        raise EncoderError("this needs two words that can change places, and positions that are added to them")
    (start, end), (begin, stop) = pieces.spans[first], pieces.spans[second]
    text = pieces.text
    exchanged = text[:start] + text[begin:stop] + text[end:begin] + text[start:end] + text[stop:]
    after = asked.encoder.trace(exchanged)
    steps = ("embedding.tokens", "embedding.positions")
    values = torch.stack([cosine(trace[step][first], after[step][second]) for step in steps])
    return RunAnswer((), best(values), "cosine")


def count(asked: AskedRun, what: str) -> RunAnswer:
    """How many tokens, heads, layers or parameters there are."""
    config = asked.trace.config
    counts = {
        "tokens": len(asked.trace.tokens),
        "heads": config.n_heads * config.n_layers,
        "layers": config.n_layers,
        "parameters": sum(weights.numel() for weights in asked.encoder.model.parameters()),
    }
    if what not in counts:
        raise EncoderError(f"there is no count of {what}; there are those of {', '.join(counts)}")
    return RunAnswer((float(counts[what]),), (), "count")


ANSWERS: dict[str, Callable[..., RunAnswer]] = {
    each.__name__: each for each in (looked_at, alike, likeliest, first_from, heads_looking, moves_along, count)
}


def takes(name: str) -> tuple[str, ...]:
    """What an answer takes besides the run."""
    return tuple(inspect.signature(ANSWERS[name]).parameters)[1:]
