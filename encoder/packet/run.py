"""A run as packets: level 1 holds what all layers and heads do, level 2 the vectors of one layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import torch

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits import edit_text
from encoder.edits.edit import Edit
from encoder.edits.edit_text import edits_to_text
from encoder.experiments.ablation import ROWS, WatchedWord, knock_outs, outcomes
from encoder.experiments.attributions.contributions import logit_attribution
from encoder.experiments.attributions.target import Target
from encoder.metrics.answer import answers, label_names, name_of
from encoder.metrics.lens import word
from encoder.metrics.reading_notes import notes
from encoder.model.config import EncoderConfig
from encoder.packet.carriers import carriers
from encoder.packet.format import Stored, Values, exact, pack, shares, signed
from encoder.packet.heads_level import evidence
from encoder.packet.tempting import tempts
from encoder.support.errors import integer
from encoder.support.formatting import shown
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows as rows_of

MOST_SCORED = 64  # tokens of a run whose scores are sent
MOST_BYTES = 2_000_000  # of weights
GUESSES = 10  # of each mask
WITHOUT = 3  # words of each run without a head that are told
MOST_WORDS = 64  # whose shares without each head are told
MOST_LABELS = 200  # whose names are sent
MOST_CHANGES = 12  # edits that are told in words
LONGEST = 40  # characters of a token or word
ADDED = ("sinusoidal", "learned")  # positions that are added to the words
USUAL_MASK = "[MASK]"  # a run tells of its model's mask where it is another one, or none
MASKED = ("attention.windowed", "attention.masked")  # steps that follow from the scores unless an edit is there


@dataclass(frozen=True)
class Off:
    """What a gap's guess becomes without each head: the ids of the words told of, and their shares.

    `ids` [words], the run's own guesses first; `without` [layers, heads, words]. `parts` [layers, 2, words] is the same
    without what attention, and what feed-forward, writes; `places` [words] without what is added for positions, None
    where nothing is.
    """

    ids: tuple[int, ...]
    without: Values
    parts: Values
    places: Values | None


def level_1(
    encoder: TextEncoder, trace: Trace, *, off: bool = True, around: int | None = None, most_bytes: int = MOST_BYTES
) -> bytes:
    """Return all layers of a run: its tokens and words, every head's weights and scores, and what it guesses.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        off: whether it is told what each head and part does alone: to the first gap's guess, or where nothing is
            guessed to the last vector of each token; it takes a part of a run for each. Without it what each head adds
            to the guess is told, which the run itself says.
        around: the position whose row is kept where the weights of all take more than `most_bytes`; the gap, or the
            first token, without it.
        most_bytes: of weights; rows are left out where there are more, but never all.

    Raises:
        EncoderError: a trace of another model, a position outside the sentence, or an edit that no text can hold.
    """
    encoder.check_own(trace)
    how = answers(encoder.config)
    gaps = how.places(trace, gaps_of(encoder, trace))
    rows = kept_rows(trace, max(0, next(iter(gaps), 0)) if around is None else around, most_bytes)
    about = facts(encoder, trace) | {"rows": list(rows), "gap": gaps[0] if gaps else -1, "guesses": {}}
    arrays = maps(trace, rows)
    if how.part and how.in_shares:
        about["guesses"] = {str(gap): guesses(encoder, trace, gap) for gap in gaps}
    if how.labels is not None:
        about["answer"] = labelling(encoder, trace, gaps)
    first = next(iter(about["guesses"].get(str(about["gap"]), [])), [""])[0]
    if off and first:
        effects = without_each_head(encoder, trace, gaps[0])
        now = how.shares(how.scores(trace, gaps[0]))[list(effects.ids)].tolist()
        about["off"] = {
            "words": [name_of(encoder, i) for i in effects.ids],
            "shares": [significant(p) for p in now],
        }
        arrays |= {"off": exact(effects.without), "parts": exact(effects.parts)}
        arrays |= {} if effects.places is None else {"places": exact(effects.places)}
    elif first:
        guess = int(how.scores(trace, gaps[0]).argmax())
        added = logit_attribution(encoder, trace, Target(gaps[0], guess)).grid(encoder.config)
        arrays["adds"] = exact(added[:, : encoder.config.n_heads].float().numpy())
    elif off:
        arrays |= {name: exact(values) for name, values in moved_without_each_part(encoder, trace).items()}
    names = zip(about["words"], about["names"], strict=True)
    before = next((name for (at, count), name in names if at + count == about["gap"]), "")
    if how.labels is None and tempts(before, first):
        about["tempts"] = before
    if not trace.edits and not trace.hidden:
        about["evidence"] = evidence(trace.source.fingerprint, first if how.labels is None else "")
        if known := carriers(trace.source.fingerprint, first):
            about["carries"] = known
    return pack(1, about, arrays)


def labelling(encoder: TextEncoder, trace: Trace, places: Sequence[int]) -> dict[str, Any]:
    """Return what a header says of labels: their names, what each is said of, and of a regression its numbers."""
    how = answers(encoder.config)
    assert how.labels is not None
    numbers = {str(at): [significant(value) for value in how.scores(trace, at).tolist()] for at in places}
    values = {} if how.in_shares else {"values": numbers}
    return {
        "labels": label_names(encoder)[:MOST_LABELS],
        "of": how.labels.labelled,
        "problem": how.labels.problem,
        **values,
    }


def opening(about: Mapping[str, Any], arrays: Mapping[str, Stored]) -> tuple[int, int]:
    """Return the layer and head whose loss costs the first gap's guess most, or else moves the last vectors most.

    Args:
        about: the header of a packet of level 1.
        arrays: its arrays; where no head was taken away it is the one that adds most to the guess, or the first.
    """
    if "off" in arrays and about["guesses"].get(str(about["gap"])):
        first = about["off"]["words"].index(about["guesses"][str(about["gap"])][0][0])
        lost = -arrays["off"].numbers[..., first]
    elif "moved" in arrays:
        lost = arrays["moved"].numbers.mean(-1)
    elif "adds" in arrays:
        lost = arrays["adds"].numbers
    else:
        return 0, 0
    layer, head = np.unravel_index(np.nan_to_num(lost, nan=-np.inf).argmax(), lost.shape)
    return int(layer), int(head)


def level_2(trace: Trace, layer: int) -> bytes:
    """Return the vectors of one layer's attention, in the order they are computed.

    Raises:
        EncoderError: there is no such layer.
    """
    layer = integer("layer", layer, 0, trace.config.n_layers - 1)
    at = f"layers.{layer}.attention."
    places = {
        "x": "input",
        "q": "q",
        "k": "k",
        "v": "v",
        "q_rotated": "q_rotated",
        "k_rotated": "k_rotated",
        "mixed": "heads",
        "concat": "concat",
        "output": "output",
    }
    arrays = {name: signed(trace.array(at + step)) for name, step in places.items() if at + step in trace}
    if len(trace.tokens) <= MOST_SCORED:
        total = f"{at}total" if f"{at}total" in trace else f"{at}scores"
        arrays["products"] = exact(trace.array(total))
    return pack(2, {"layer": layer, **of_attention(trace, layer)}, arrays)


def of_attention(trace: Trace, layer: int) -> dict[str, Any]:
    """Return what must be known of a layer's attention to say what it reads, and of what its scores are made."""
    config, normed = trace.config, f"layers.{layer}.add_norm_1.normalized"
    before = config.norm_first and normed in trace
    added = {"positions": "its position added", "segments": "its segment added"}
    embedded = [
        *([f"times √{config.d_model}"] if config.scale_embeddings else []),
        *(text for name, text in added.items() if f"embedding.{name}" in trace and trace[f"embedding.{name}"].any()),
        *(["normed"] if config.embedding_norm else []),
        *(["widened"] if config.embedding_size is not None else []),
    ]
    return {
        "divisor": config.score_size**0.5,
        "reads": "norm" if before else "layer" if layer else "embedding",
        "embedded": embedded,
        "bias": config.attention_bias,
        "distance": config.position_bias,
    }


def facts(encoder: TextEncoder, trace: Trace) -> dict[str, Any]:
    """Return what a header says of a run before its numbers: the text, its tokens and words, the model."""
    text, config = trace.tokenization, trace.config
    words = [pieces for pieces in text.words if not text.special[pieces[0]]]
    sizes = {"layers": config.n_layers, "heads": config.n_heads, "d_model": config.d_model}
    sizes |= {"d_head": config.d_head, "d_ff": config.d_ff}
    windows = [config.window_of(layer) for layer in range(config.n_layers)]
    finite = config.mask_value > -float("inf")
    return {
        "sentence": text.text,
        "second": text.pair,
        "tokens": [shown(token, LONGEST) for token in trace.tokens],
        "kinds": kinds(encoder, trace),
        "words": [[pieces[0], len(pieces)] for pieces in words],
        "names": [shown(text.spelled(pieces), LONGEST) for pieces in words],
        "dropped": trace.dropped,
        "hidden": list(trace.hidden),
        "edits": edits_to_text(trace.edits),
        "model": {"name": trace.source.name, "digest": digest(trace), **sizes, **lacking(trace)},
        "mask_value": config.mask_value if finite else None,
        "windows": windows if any(window is not None for window in windows) else [],
        **({"notes": remarks} if (remarks := notes(encoder, text)) else {}),
        **({"mask": encoder.mask_token} if encoder.mask_token != USUAL_MASK else {}),
        **({"changes": changes} if (changes := in_words(trace)) else {}),
    }


def lacking(trace: Trace) -> dict[str, bool]:
    """Return what a model lacks: its weights are drawn at random, or it has no head that guesses words."""
    lacks = {"untrained": trace.source.seed is not None, "wordless": not trace.config.mlm_head}
    return {name: True for name, lack in lacks.items() if lack}


def in_words(trace: Trace) -> list[str]:
    """Return what the edits of a run do, in words; the first MOST_CHANGES of them."""
    return [edit_text.sentence(edit, trace.config) for edit in trace.edits[:MOST_CHANGES]]


def digest(trace: Trace) -> str:
    """Twelve digits that pin the weights: those of a checkpoint's file, or of what makes random ones again."""
    source = trace.source
    recipe = repr((source.seed, source.maker, trace.config))
    return source.sha256 or sha256(recipe.encode()).hexdigest()[:12]


def kinds(encoder: TextEncoder, trace: Trace) -> list[str]:
    """Of each token whether it is a gap ("mask"), padding, one that the model added ("special"), or a word's."""
    n = len(trace.tokens) - trace.padding
    kinds_of_tokens = ["special" if special else "word" for special in trace.tokenization.special[:n]]
    masks = [i for i, token in enumerate(trace.tokens[:n]) if token == encoder.mask_token]
    for i in masks:
        kinds_of_tokens[i] = "mask"
    return kinds_of_tokens + ["padding"] * trace.padding


def gaps_of(encoder: TextEncoder, trace: Trace) -> list[int]:
    """Return the positions of the gaps, in order."""
    return [i for i, kind in enumerate(kinds(encoder, trace)) if kind == "mask"]


def rows_within(config: EncoderConfig, n: int, most_bytes: int) -> int:
    """Return how many rows of weights over n tokens, of all heads, take `most_bytes` at most; one where none does."""
    return max(1, min(n, most_bytes // (2 * config.n_layers * config.n_heads * n)))


def kept_rows(trace: Trace, around: int, most_bytes: int) -> range:
    """Return the rows that are kept, with the one asked for in their middle where that can be."""
    n = len(trace.tokens)
    around = integer("around", around, 0, n - 1)
    return window(n, around, rows_within(trace.config, n, integer("most_bytes", most_bytes, 1)))


def window(n: int, around: int, count: int) -> range:
    """So many of n rows, with the one asked for in their middle where that can be."""
    first = max(0, min(around - count // 2, n - count))
    return range(first, first + count)


def maps(trace: Trace, rows: range) -> dict[str, Stored]:
    """Return every head's weights in those rows, and the scores that they came from where the sentence is short."""
    arrays = {"weights": shares(stacked(trace, "attention.weights", rows))}
    if len(trace.tokens) <= MOST_SCORED:
        biased = trace.config.position_bias
        arrays["scores"] = exact(stacked(trace, "attention.biased" if biased else "attention.scaled", rows))
        if any(edit.step.endswith(MASKED) for edit in trace.edits):
            arrays["masked"] = exact(stacked(trace, "attention.masked", rows))
    return arrays


def stacked(trace: Trace, step: str, rows: range) -> Values:
    """Return the rows of a step of pairs of tokens, of all layers: [layers, heads, rows, tokens]."""
    layers = range(trace.config.n_layers)
    return np.stack([trace.array(f"layers.{i}.{step}")[:, rows.start : rows.stop] for i in layers])


def guesses(encoder: TextEncoder, trace: Trace, position: int) -> list[list[Any]]:
    """Return the likeliest words or labels at a place and their shares; none where these are no finite numbers."""
    how = answers(encoder.config)
    shares_at = how.shares(how.scores(trace, position))
    if not bool(shares_at.isfinite().all()):
        return []
    top = shares_at.topk(min(GUESSES, len(shares_at)))
    return [
        [name_of(encoder, i), significant(p)] for i, p in zip(top.indices.tolist(), top.values.tolist(), strict=True)
    ]


def significant(share: float) -> float:
    """Return a share with as many digits as float32 holds."""
    return float(f"{share:.7g}")


def shown_word(encoder: TextEncoder, token: int) -> str:
    """Return a word of the vocabulary as it is shown."""
    return shown(word(encoder, token), LONGEST)


def part_off(config: EncoderConfig) -> list[Edit]:
    """Return the edits that switch off one part alone.

    First what is added for positions, where it is; then layer by layer each head, and what attention and feed-forward
    write.
    """
    places = [Edit("embedding.positions", "zero")] if config.positions in ADDED else []
    return [*places, *knock_outs(config, ("attention.heads", "attention.output", "feed_forward.output"))]


def by_part(every: torch.Tensor, config: EncoderConfig) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Return what stands in the order of `part_off` [edits, ...] by what it is of.

    Returns:
        that of heads [layers, heads, ...], of both blocks [layers, 2, ...], of positions [...]; None for the last one
        where nothing is added for them.
    """
    rows = config.n_layers * (config.n_heads + 2)
    layers = every[-rows:].reshape(config.n_layers, config.n_heads + 2, *every.shape[1:])
    return layers[:, : config.n_heads], layers[:, config.n_heads :], every[0] if len(every) > rows else None


def shares_without_each_part(
    encoder: TextEncoder, trace: Trace, position: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Return the shares of all words or labels at a place when one part alone gives zeros, on top of the run's edits.

    Returns:
        without each head [layers, heads, vocab], each block [layers, 2, vocab], positions [vocab]; see `by_part`.
    """
    chunks = outcomes(encoder, trace, part_off(encoder.config), WatchedWord(position, 0), ROWS)
    logits_of = [outcome.logits for chunk in chunks for outcome in chunk]
    scores = torch.stack([logits for logits in logits_of if logits is not None])
    return by_part(answers(encoder.config).shares(scores), encoder.config)


@torch.inference_mode()
def part_costs(encoder: TextEncoder, trace: Trace, target: Target) -> torch.Tensor:
    """Return what each part alone costs an answer, on top of the run's edits: [parts], above 0 where it is weaker then.

    First positions, where they are added, then attention and feed-forward of each layer. It is the share of the answer
    that is lost without the part; of one that is held against another, the lead in nats.
    """
    edits = [edit for edit in part_off(encoder.config) if edit.heads is None]
    how, (place, *ids) = answers(encoder.config), (target.position, *target.words)
    chunks = outcomes(encoder, trace, edits, WatchedWord(place, 0), ROWS)
    scores = [run.logits for chunk in chunks for run in chunk if run.logits is not None]
    shares = how.shares(torch.stack([how.scores(trace, place), *scores]))[:, ids].double()
    sizes = shares[:, 0] if target.against is None else shares.log() @ torch.tensor([1.0, -1.0]).double()
    return sizes[0] - sizes[1:]


@torch.inference_mode()
def part_moves(encoder: TextEncoder, trace: Trace, word: Sequence[int]) -> torch.Tensor:
    """Return how far the last vectors of a word's pieces move without each part, in their lengths: see `part_costs`."""
    moves = moved_without_each_part(encoder, trace)
    places = [moves["moved_places"][None]] if "moved_places" in moves else []
    every = np.concatenate([*places, moves["moved_parts"].reshape(-1, len(trace.tokens))])
    return torch.from_numpy(every[:, list(word)].mean(-1))


@torch.inference_mode()
def scores_without_each_head(encoder: TextEncoder, trace: Trace, position: int) -> torch.Tensor:
    """Return the scores of all words or labels at a place when one head alone gives zeros: [layers, heads, count]."""
    edits = knock_outs(encoder.config, ("attention.heads",))
    chunks = outcomes(encoder, trace, edits, WatchedWord(position, 0), ROWS)
    every = torch.stack([outcome.logits for chunk in chunks for outcome in chunk if outcome.logits is not None])
    return every.reshape(encoder.config.n_layers, encoder.config.n_heads, -1)


@torch.inference_mode()
def lead_costs(encoder: TextEncoder, trace: Trace, target: Target) -> torch.Tensor:
    """Return how much of a logit, or of the lead of one over another, is lost without each head: [layers, heads]."""

    def lead(scores: torch.Tensor) -> torch.Tensor:
        return scores[..., target.word] - (0.0 if target.against is None else scores[..., target.against])

    without = scores_without_each_head(encoder, trace, target.position)
    return lead(answers(encoder.config).scores(trace, target.position)) - lead(without)


@torch.inference_mode()
def without_each_head(encoder: TextEncoder, trace: Trace, gap: int) -> Off:
    """Return the shares of words at a gap when one head or part alone gives zeros, on top of the run's own edits.

    The words are the run's own guesses and the first ones of each run without a head: at most MOST_WORDS, those of the
    largest shares.
    """
    how = answers(encoder.config)
    heads, blocks, places = shares_without_each_part(encoder, trace, gap)
    every = heads.flatten(0, 1)  # [layers x heads, vocab]
    own = likeliest(how.shares(how.scores(trace, gap)), GUESSES)
    others = set(every.topk(min(WITHOUT, how.count)).indices.flatten().tolist()) - set(own)
    largest = dict(zip(sorted(others), every[:, sorted(others)].amax(0).tolist(), strict=True))
    more = sorted(others, key=lambda i: (-largest[i], i))[: MOST_WORDS - len(own)]
    ids = (*own, *more)
    some = list(ids)
    return Off(
        ids, heads[..., some].numpy(), blocks[..., some].numpy(), None if places is None else places[some].numpy()
    )


@torch.inference_mode()
def moved_without_each_part(encoder: TextEncoder, trace: Trace) -> dict[str, Values]:
    """How far each token's last vector moves when one head or part alone gives zeros, as a part of its length.

    Returns:
        of heads "moved" [layers, heads, tokens], of what attention and feed-forward write "moved_parts" [layers, 2,
        tokens], of positions that are added "moved_places" [tokens]; 0 for padding; on top of the run's own edits.
    """
    config, before = encoder.config, rows_of(trace, "output")
    length = torch.linalg.vector_norm(before, dim=-1)
    chunks = outcomes(encoder, trace, part_off(config), None, ROWS)
    moved = [torch.linalg.vector_norm(run.output - before, dim=-1) / length for chunk in chunks for run in chunk]
    heads, blocks, places = by_part(torch.nn.functional.pad(torch.stack(moved), (0, trace.padding)), config)
    moves = {"moved": heads.numpy(), "moved_parts": blocks.numpy()}
    return moves if places is None else moves | {"moved_places": places.numpy()}


def likeliest(values: torch.Tensor, count: int) -> Sequence[int]:
    """Return the ids of the words with the largest shares [vocab], best first."""
    return [int(i) for i in values.topk(min(count, len(values))).indices]


BASE = EncoderConfig(n_layers=6, n_heads=8, d_model=512)
LARGE = EncoderConfig(n_layers=24, n_heads=16, d_model=1024, d_ff=4096)
MODELS = (BASE, EncoderConfig(n_layers=12, n_heads=12, d_model=768, d_ff=3072), LARGE)
TOKENS = (14, 64, 506)


def level_1_bytes(config: EncoderConfig, n: int, most_bytes: int = MOST_BYTES) -> int:
    """Return bytes of the weights and scores of n tokens; what is told of each head switched off comes to it."""
    pairs = config.n_layers * config.n_heads * rows_within(config, n, most_bytes) * n
    return pairs * (6 if n <= MOST_SCORED else 2)


def level_2_bytes(config: EncoderConfig, n: int) -> int:
    """Return bytes of one layer's vectors, and of the products of queries and keys, of n tokens."""
    turned = 2 if config.positions == "rotary" else 0
    products = 4 * config.n_heads * n * n if n <= MOST_SCORED else 0
    return 2 * n * (7 + turned) * config.d_model + products


def table() -> str:
    """Return the lines of the table of bytes in README.md."""
    lines = []
    for config in MODELS:
        for n in TOKENS:
            rows = rows_within(config, n, MOST_BYTES)
            of = "" if rows == n else f" ({rows} rows)"
            first, second = f"{level_1_bytes(config, n):,}{of}", f"{level_2_bytes(config, n):,}"
            lines.append(f"| {n} | {config.n_layers} x {config.n_heads} | {config.d_model} | {first} | {second} |")
    return "\n".join(lines)
