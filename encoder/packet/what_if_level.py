"""What a run becomes without its parts as a packet, level 7: each part alone, or what the run's own edits changed."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.edits.edit_text import sentence
from encoder.experiments.ablation import forward, together
from encoder.experiments.attributions.target import Target
from encoder.experiments.compare import first_difference, relative_difference
from encoder.metrics.answer import answers, name_of
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.packet.format import Stored, exact, pack
from encoder.packet.run import GUESSES, MOST_WORDS, WITHOUT, gaps_of, likeliest, significant
from encoder.trace.trace import Trace
from encoder.trace.unpadded import rows, tokens

BLOCKS = ("attention.output", "feed_forward.output")  # what a layer writes into the stream; a layer is both
COLUMNS = len(BLOCKS) + 1


def level_7(encoder: TextEncoder, trace: Trace, *, parts: bool = True) -> bytes:
    """Return what parts do: of a run without edits each part alone, of one with edits what differs from that without.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        parts: whether each part of a run without edits is tried; it takes a part of a run for each.

    Raises:
        EncoderError: a trace of another model.
    """
    encoder.check_own(trace)
    if trace.edits:
        return pack(7, *changed(encoder, trace))
    if not parts:
        return pack(7, {"words": []}, {})
    return pack(7, *each_part(encoder, trace))


def guessed_at(encoder: TextEncoder, trace: Trace) -> int | None:
    """Return the first place of an answer in shares, such as a gap that the model guesses; None where there is none."""
    how = answers(encoder.config)
    return next(iter(how.places(trace, gaps_of(encoder, trace))), None) if how.part and how.in_shares else None


def parts_tried(encoder: TextEncoder, trace: Trace) -> int:
    """Return how many parts of each layer are tried: heads too where no word is guessed; else level 1 has them."""
    if trace.edits:
        return 0
    return COLUMNS + (encoder.config.n_heads if guessed_at(encoder, trace) is None else 0)


def columns(config: EncoderConfig, layer: int, *, heads: bool) -> list[tuple[Edit, ...]]:
    """The edits that switch off each part of a layer alone: its heads, if wanted, its two blocks, and both of these."""
    each = [(Edit(f"layers.{layer}.attention.heads", "zero", heads=(head,)),) for head in range(config.n_heads)]
    blocks = tuple(Edit(f"layers.{layer}.{step}", "zero") for step in BLOCKS)
    return [*(each if heads else []), *((block,) for block in blocks), blocks]


def each_part(encoder: TextEncoder, trace: Trace) -> tuple[dict[str, Any], dict[str, Stored]]:
    """Return what each part does alone: to the shares of words at the gap, and without one to the output."""
    gap, config, how = guessed_at(encoder, trace), encoder.config, answers(encoder.config)
    outcomes = list(without(encoder, trace, gap, heads=gap is None))
    if gap is None:
        changes = torch.cat([change for change, _ in outcomes])
        return {"words": []}, {"change": exact(changes.reshape(config.n_layers, -1).numpy())}
    now = how.shares(how.scores(trace, gap))
    every = how.shares(torch.cat([logits for _, logits in outcomes if logits is not None]))
    own = likeliest(now, GUESSES) if bool(now.isfinite().all()) else []
    others = set(every.nan_to_num().topk(min(WITHOUT, how.count)).indices.flatten().tolist()) - set(own)
    more = sorted(others, key=lambda i: (-float(every[:, i].nan_to_num().amax()), i))[: MOST_WORDS - len(own)]
    ids = [*own, *more] if own else []
    about = {"words": [name_of(encoder, i) for i in ids], "shares": [significant(p) for p in now[ids].tolist()]}
    return about, {"parts": exact(every[:, ids].reshape(config.n_layers, -1, len(ids)).numpy())}


def without(
    encoder: TextEncoder, trace: Trace, gap: int | None, *, heads: bool
) -> Iterator[tuple[Tensor, Tensor | None]]:
    """For some parts after the other: how far the output changes without each [parts], and the logits at the gap."""
    before, config = rows(trace, "output"), encoder.config
    size = together(len(trace.tokens))
    length = torch.linalg.vector_norm(before)
    for layer in range(config.n_layers):
        wanted = columns(config, layer, heads=heads)
        for chunk in (wanted[i : i + size] for i in range(0, len(wanted), size)):
            output, logits = forward(encoder, trace, chunk, {}, gap)
            apart = output[:, : len(tokens(trace))] - before
            yield torch.linalg.vector_norm(apart, dim=(1, 2)) / length, None if gap is None else stacked(logits)


@torch.inference_mode()
def share_costs(encoder: TextEncoder, trace: Trace, target: Target) -> Tensor:
    """Return what each part alone costs the share of an answer: [layers, heads + 3], above 0 where it falls without it.

    After the heads of a layer come its attention, its feed-forward, and both.
    """
    how, place = answers(encoder.config), target.position
    runs = without(encoder, trace, place, heads=True)
    scores = torch.cat([logits for _, logits in runs if logits is not None])
    shares = how.shares(torch.cat([how.scores(trace, place)[None], scores]))[:, target.word]
    return (shares[0] - shares[1:]).reshape(encoder.config.n_layers, -1)


def stacked(logits: Any) -> Tensor:
    """Logits of several rows, [rows, vocab]."""
    return torch.stack(list(logits))


def changed(encoder: TextEncoder, trace: Trace) -> tuple[dict[str, Any], dict[str, Stored]]:
    """What differs from the same run without edits: the guess, the first step, and how far each token ends up."""
    plain = encoder.trace(trace.inputs, hidden=trace.hidden)
    step = first_difference(plain, trace)
    entry = by_name(encoder.config)[step] if step else None
    first = {"step": entry.local, "layer": entry.layer, "title": entry.title} if entry else None
    changes = [sentence(edit, encoder.config) for edit in trace.edits]
    about: dict[str, Any] = {"first": first, "changes": changes, "words": [], "shares": [], "after": []}
    gap, how = guessed_at(encoder, trace), answers(encoder.config)
    if how.part and not how.in_shares:
        place = how.places(trace, [])[0]
        about["numbers"] = [[significant(x) for x in how.scores(run, place).tolist()] for run in (plain, trace)]
    if gap is not None:
        before, after = (how.shares(how.scores(run, gap)) for run in (plain, trace))
        if bool(before.isfinite().all()):
            ids = list(dict.fromkeys((*likeliest(before, GUESSES), *likeliest(after.nan_to_num(), GUESSES))))
            about["words"] = [name_of(encoder, i) for i in ids]
            about["shares"] = [significant(p) for p in before[ids].tolist()]
            finite = bool(after.isfinite().all())
            about["after"] = [significant(p) for p in after[ids].tolist()] if finite else []
    ours, theirs = rows(plain, "output"), rows(trace, "output")
    change = float(torch.linalg.vector_norm(theirs - ours) / torch.linalg.vector_norm(ours))
    about["change"] = round(change, 7) if change < float("inf") else None  # null is no finite number
    return about, {"moved": exact(relative_difference(plain, trace)[-1].numpy())}
