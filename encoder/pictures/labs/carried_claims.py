"""Trials of what single heads carry to a guess, by what was measured of constructed pairs of sentences."""

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.circuit import Circuit, circuits_by_content, phenomena
from encoder.pictures.labs.trial import Finding, a_text, claim, grid, judge, trial, untried
from encoder.support.errors import EncoderError
from encoder.support.formatting import listed, percent

MOST = 0.5  # of a change: what a head carries as much of alone, it is said to do
NOT_MEASURED = "What the heads of this model carry to a gap was not measured; that of “base” was."
STORED = "The pairs are constructed, and it was measured before these weights were shipped."


def constructed(encoder: TextEncoder) -> dict[str, Circuit]:
    """What was measured of constructed pairs, by what differs in them; empty where nothing was."""
    shipped = circuits_by_content(encoder.source.fingerprint)
    return shipped.constructed if shipped else {}


def named(*heads: tuple[int, int]) -> str:
    """Heads in words."""
    return listed([f"head {head} of layer {layer}" for layer, head in heads])


def carriers(change: str, circuit: Circuit) -> str:
    """What carries a change: one head, some together, or no few."""
    first = max(circuit.each, key=circuit.each.__getitem__)
    if circuit.each[first] >= MOST:
        who = f"{named(first)}, {percent(circuit.each[first])}"
    elif circuit.small:
        who = f"{named(*circuit.heads)} together, {percent(circuit.share)}"
    else:
        who = f"no few heads (the best {len(circuit.heads)} {percent(circuit.share)})"
    return f"{phenomena()[change].shows}: {who}"


@trial(change=a_text(choices=phenomena()))
def head_carries(encoder: TextEncoder, change: str, layer: int = 0, head: int = 0) -> Finding:
    """A head alone carries most of what turns a guess when one other word of the sentence is exchanged."""
    if not (circuits := constructed(encoder)):
        return untried(NOT_MEASURED)
    circuit, place = circuits[change], (layer, head)
    if place not in circuit.each:
        raise EncoderError(f"there is no {named(place)} here")
    share, others = circuit.each[place], [other for other in circuit.heads if other != place]
    joined = f"; {named(*circuit.heads)} together {percent(circuit.share)}" if len(circuit.heads) > 1 else ""
    text = (
        f"{named(place).capitalize()} alone carries {percent(share)} of the change in {circuit.pairs} pairs "
        f"({phenomena()[change].shows}){joined}; sets of as many other heads at most {percent(max(circuit.random))}. "
        f"{STORED}"
    )
    helped = circuit.small and place in circuit.heads
    condition = f"together with {named(*others)}" if helped and others else ""
    return Finding(share, "share of the change that this head carries", text, judge(share >= MOST, condition))


@claim("one-thing-each", "guide", lesson="does-each-head-do-one-thing")
@trial()
def each_carries_one(encoder: TextEncoder) -> Finding:
    """Each head of the last layer does one thing.

    What was tried are the constructed phenomena, so a head without one may do what nobody has asked.
    """
    if not (circuits := constructed(encoder)):
        return untried(NOT_MEASURED)
    every = next(iter(circuits.values())).each
    last = [place for place in every if place[0] == encoder.config.n_layers - 1]
    does = {place: [name for name, circuit in circuits.items() if circuit.each[place] >= MOST] for place in last}
    able = [str(head) for (_, head), changes in does.items() if changes]
    several = [f"head {head} carries {len(changes)}" for (_, head), changes in does.items() if len(changes) > 1]
    text = (
        f"Of {len(circuits)} changes of one word, what carries most to the guess: "
        f"{'; '.join(carriers(*each) for each in circuits.items())}. So {len(able)} of the {len(last)} heads of the "
        f"last layer carry one of these alone{f' ({listed(several)})' if several else ''}, the others none. {STORED}"
    )
    condition = f"for heads {listed(able)} alone, of the {len(circuits)} changes that were tried" if able else ""
    shares = np.array([[circuit.each[place] for place in last] for circuit in circuits.values()])
    picture = grid(shares, list(circuits), [f"head {head}" for _, head in last])
    holds = judge(all(len(changes) == 1 for changes in does.values()), condition)
    return Finding(float(len(able)), "heads of the last layer that carry a change alone", text, holds, picture)
