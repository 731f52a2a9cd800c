"""The packet of a run that is asked for, by the rules of this server. Imported when the libraries are there."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from encoder import TextEncoder
from encoder.experiments.ablation import together
from encoder.model.config import EncoderConfig
from encoder.packet.circuit_level import level_13
from encoder.packet.format import VERSION
from encoder.packet.heads_level import level_6
from encoder.packet.levels import MORE, OF_STEP, OF_WORDS
from encoder.packet.run import level_1
from encoder.packet.sum_level import level_10
from encoder.packet.two_models_level import level_14
from encoder.packet.what_if_level import level_7, parts_tried
from encoder.pictures.link import edits as edits_of_link
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace
from pages.front.request_fields import OF_MODELS, OF_PAIR, RefusedError, RunRequest
from pages.ui.server import engine, exams, jobs, offered_models
from pages.ui.server.pool import borrowing

BEGINNINGS = dict.fromkeys((*OF_STEP, *OF_WORDS), "These numbers cannot be shown") | {OF_PAIR: ""}  # of a refusal
EDITED = 3  # what a small layer takes that is edited, over one that is not
AGAIN = 2  # seconds after which a server that was full may be asked again


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """For the block, all that is asked for is on loan; what cannot be made is refused, in a sentence that begins so.

    Where nothing is said of how it begins, it is the error's own.
    """
    with borrowing():
        try:
            yield
        except jobs.FullError as error:
            raise RefusedError(503, f"{error}. Try again in a moment.", AGAIN) from None
        except EncoderError as error:
            sentence = f"{what}: {error}" if what else f"{error}"
            raise RefusedError(400, sentence[:1].upper() + sentence[1:].rstrip("?.") + ".") from None


def packet(request: RunRequest) -> bytes:
    """Make it.

    Raises:
        RefusedError: there is no such model or layer here, the run does not fit it, or the server has no room now.
    """
    with refusing(BEGINNINGS.get(request.level, "This run cannot be made")):
        encoder = opened(request.model)
        text = fitting(encoder, request)
        if request.level == OF_PAIR:
            return of_pair(encoder, request)
        if request.level == OF_MODELS:
            return of_models(text, request)
        return written(encoder, engine.run(request.model, text, request.hidden, request.edits), request)


def opened(name: str) -> TextEncoder:
    """Return the model of that name, where it is at hand or takes a moment to load.

    Raises:
        RefusedError: there is none, or it is too large, or it is to be asked for by a click first.
    """
    try:
        offered_models.check(name)
    except EncoderError as error:
        raise RefusedError(404, f"The model “{name[:60]}” is not available here: {error}.") from None
    try:
        seconds = 0.0 if engine.is_loaded(name) else offered_models.seconds(name)
        if seconds > jobs.UNASKED:
            advice = f"It takes {jobs.spoken(seconds)} to load this model. Open the page Models and choose it there."
            raise RefusedError(403, advice)
        return engine.text_encoder(name)
    except EncoderError as error:
        raise RefusedError(503, f"The model “{name[:60]}” cannot be opened now: {error}.", AGAIN) from None


def fitting(encoder: TextEncoder, request: RunRequest) -> Text:
    """Return what the model reads of the sentence, or of both.

    Raises:
        RefusedError: it cannot read that, or hidden positions, edits or the layer are not in it.
    """
    try:
        changes = edits_of_link(request.edits)
        pieces = encoder.tokenize((request.sentence, request.second) if request.second else request.sentence)
    except EncoderError as error:
        raise RefusedError(400, f"The model cannot read this: {error}.") from None
    if request.layer >= encoder.config.n_layers:
        raise RefusedError(
            404, f"There is no layer {request.layer}: layers go from 0 to {encoder.config.n_layers - 1}."
        )
    view = View(layer=0, head=0, hidden=request.hidden, edits=changes)
    _, notes = view.within(encoder.config, len(pieces.ids))
    if notes:
        raise RefusedError(400, notes[0])
    return pieces.inputs


def written(encoder: TextEncoder, trace: Trace, request: RunRequest) -> bytes:
    """Return the run as a packet; the run without each part is left out where it would take long."""
    if request.level in OF_STEP:
        return OF_STEP[request.level](encoder, trace, request.step, request.index)
    if request.level == 6:
        return level_6(encoder, trace, exam=exams.made_here(encoder))
    if request.level == 10 and encoder.config.mlm_head:
        return OF_WORDS[10](encoder, trace, request.step, request.index, request.words)
    if request.level not in (1, 7, 10, 12):
        return MORE[request.level](encoder, trace, request.layer)
    config, n = encoder.config, len(trace.tokens)
    parts = parts_tried(encoder, trace) if request.level == 7 else config.n_heads
    seconds = sweep_seconds(config, n, parts) if request.off or request.level != 1 else 0.0
    tried = 0.0 < seconds <= jobs.UNASKED
    if request.level == 12 and not tried:
        raise EncoderError("this text is too long to try what each part costs")
    with jobs.in_turn(seconds if tried else 0.0):
        if request.level == 10:
            return level_10(encoder, trace, request.step, request.index, request.words, parts=tried)
        if request.level == 12:
            return OF_WORDS[12](encoder, trace, request.step, request.index, request.words)
        return level_1(encoder, trace, off=tried) if request.level == 1 else level_7(encoder, trace, parts=tried)


def of_pair(encoder: TextEncoder, request: RunRequest) -> bytes:
    """Return a part of what carries the change from one sentence to another as a packet.

    Raises:
        EncoderError: it is no such pair, or would take too long.
    """
    n = len(encoder.tokenize(request.sentence).ids)
    tries = request.step in ("heads", "edges")  # each head
    seconds = sweep_seconds(encoder.config, n, encoder.config.n_heads) if tries else 0.0
    if seconds > jobs.MOST:
        raise EncoderError(f"this would take {jobs.spoken(seconds)} here; encoder-circuit has no such bound")
    with jobs.in_turn(seconds):
        return level_13(encoder, request.sentence, request.other, request.step, request.index, request.words)


def of_models(text: Text, request: RunRequest) -> bytes:
    """Return in which layer two models part that read the same text, as a packet."""
    opened(request.other)
    a, b = (engine.run(name, text, request.hidden, request.edits) for name in (request.model, request.other))
    return level_14(a, b)


def sweep_seconds(config: EncoderConfig, n: int, parts: int) -> float:
    """About how long it takes to run n tokens without each of so many parts of every layer.

    Of each run only the layers above the part are made again, and parts of a layer pass together.
    """
    calls = config.n_layers * math.ceil(parts / together(n)) / 2
    return jobs.seconds(config, n, config.n_layers * parts / 2, EDITED * calls)


def pinned(name: str) -> str | None:
    """What pins a model that is at hand: its weights, how they are written, and whether a visitor has examined it.

    None where it is not at hand.
    """
    encoder = engine.model_cache.peek(name)
    if encoder is None:
        return None
    source, examined = encoder.source, exams.made_here(encoder) is not None
    return f"{VERSION} {source.fingerprint} {source.maker}{' examined' * examined}"
