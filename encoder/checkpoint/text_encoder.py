"""The front door: text in, a trace of every step out."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, overload

import torch
from tokenizers import Tokenizer
from torch import Tensor

from encoder import checkpoint
from encoder.checkpoint.families import REPLACED
from encoder.checkpoint.family_fields import UNTRAINED
from encoder.checkpoint.hugging_face import INCOMPLETE, OWN_TABLE
from encoder.checkpoint.sentence_folder import SentenceSettings
from encoder.checkpoint.tokenizer_files import UNKNOWN, SpecialTokens, special_tokens
from encoder.edits.edit import Edit, check
from encoder.edits.editor import editor
from encoder.explain.kind import labels
from encoder.explain.number import explain
from encoder.explain.operations.explanation import Explanation
from encoder.model.config import EncoderConfig
from encoder.model.encoder import Encoder
from encoder.model.steps.catalogue import catalogue
from encoder.model.steps.step import Step
from encoder.model.tap import NO_TAP, Recorder, Tap
from encoder.support.errors import EncoderError, integer, listed, of_kind, several
from encoder.support.progress import pulse
from encoder.trace.tokenizing import MAX_CHARACTERS, tokens
from encoder.trace.tokens import Text, Tokens
from encoder.trace.trace import HELD, Source, Trace
from encoder.trace.unpadded import first_lost

log = logging.getLogger(__name__)
MAX_TOKENS = 512
OUTGROWN = "%s: its weights are so large that a run holds no finite numbers from %s on"
ENDS = {  # of a pair, by whether the first sentence is cut, and the second
    (True, False): "at the end of the first sentence",
    (False, True): "at the end of the second sentence",
    (True, True): "at the ends of both sentences",
    (False, False): "at the end",
}
NO_TOKENS = "the text has no token that this tokenizer knows, so there is nothing to run"
Sequences = list[str] | list[tuple[str, str]] | list[Text]


class TextEncoder:
    """A tokenizer and an encoder that belong together.

    It keeps no state between calls, so one instance serves many threads. Get one from `from_pretrained` or
    `from_config`.
    """

    def __init__(
        self,
        model: Encoder,
        tokenizer: Tokenizer,
        source: Source,
        special: SpecialTokens | None = None,
        left_out: tuple[str, ...] = (),
        sentence: SentenceSettings | None = None,
        architectures: tuple[str, ...] = (),
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.source = source
        self.config = model.config
        self.sentence = sentence
        longest = None if sentence is None else sentence.longest
        self.own_longest = min(model.config.max_positions, longest or model.config.max_positions)
        self.max_tokens = min(MAX_TOKENS, self.own_longest)
        self.special = special_tokens(tokenizer) if special is None else special
        self.left_out = left_out
        self.architectures = architectures  # the classes that a config.json names
        self.pad_id = (tokenizer.token_to_id(self.special.pad) if self.special.pad else None) or 0

    @classmethod
    def from_pretrained(
        cls, name: str | Path = "base", *, step: int | None = None, called: str | None = None, origin: str | None = None
    ) -> "TextEncoder":
        """A bundled model ("base", "small") or a checkpoint folder, ours or in Hugging Face's layout; works offline.

        Args:
            name: which one. `left_out` then lists what of a checkpoint was not needed. Weights so large that a run
                outgrows float32 are told in the log.
            step: as it was after so many steps of its training, where its weights were kept then; as it is without it.
            called: the name that people see; the folder's own without it.
            origin: what a snippet gives to `from_pretrained`; the path as it was given without it.

        Raises:
            encoder.checkpoint.CheckpointError: there is no such model, or its folder is damaged.
            EncoderError: no weights of that step are kept.
        """
        if step is not None:
            kept = checkpoint.load_snapshot(name, step)
            maker = f"TextEncoder.from_pretrained({origin or str(name)!r}, step={step})"
            moment = Source(f"{checkpoint.find(name).resolve().name} at step {step}", kept.sha256, maker=maker)
            return cls(kept.model, kept.tokenizer, moment, kept.special)
        folder = checkpoint.find(name)
        loaded = checkpoint.load(folder)
        bundled = folder.parent == checkpoint.BUNDLED
        path = "" if bundled else str(name)
        source = Source(called or folder.resolve().name, loaded.sha256, origin=path if origin is None else origin)
        encoder = cls(
            loaded.model,
            loaded.tokenizer,
            source,
            loaded.special,
            loaded.left_out,
            loaded.sentence,
            loaded.architectures,
        )
        if not bundled and (infinite := encoder.outgrown()):
            log.warning(OUTGROWN, name, infinite)
        return encoder

    @classmethod
    def from_transformers(cls, model: Any, tokenizer: Any, *, called: str | None = None) -> "TextEncoder":
        """The encoder in a model of transformers that you hold; no file is written, and weights are shared.

        Args:
            model: of one of the kinds that folders may be of, with any head: `left_out` lists what of it was not
                needed, such as a head that answers questions. A model that is trained further is to be taken anew.
            tokenizer: its tokenizer, of transformers or of the package tokenizers.
            called: the name that people see; that it was loaded by, or its kind, without it.

        Raises:
            encoder.checkpoint.CheckpointError: a kind of model that is not supported, or a tokenizer that cannot be
                used; the message says why.
        """
        loaded = checkpoint.from_object(model, tokenizer)
        name = called or Path(str(getattr(model, "name_or_path", ""))).name or str(model.config.model_type)
        encoder = cls(
            loaded.model,
            loaded.tokenizer,
            Source(name, loaded.sha256, maker=HELD),
            loaded.special,
            loaded.left_out,
            architectures=loaded.architectures,
        )
        if infinite := encoder.outgrown():
            log.warning(OUTGROWN, name, infinite)
        return encoder

    @classmethod
    def from_config(
        cls, config: EncoderConfig, seed: int = 0, tokenizer: Tokenizer | None = None, name: str = "random"
    ) -> "TextEncoder":
        """An untrained model of that shape, reproducible by its seed; reads text with the tokenizer of `base`.

        Raises:
            EncoderError: the vocabulary is smaller than the tokenizer's, or a seed is no whole number from 0.
        """
        of_kind("config", config, EncoderConfig, "an EncoderConfig, such as PRESETS['paper']")
        tokenizer = tokenizer or Tokenizer.from_file(str(checkpoint.BUNDLED / "base" / "tokenizer.json"))
        if tokenizer.get_vocab_size() > config.vocab_size:
            raise EncoderError(
                f"vocab_size is {config.vocab_size}; this tokenizer needs {tokenizer.get_vocab_size()} or more"
            )
        model = checkpoint.build(config, checkpoint.random_weights(config, seed), "the random weights")
        return cls(model, tokenizer, Source(name, seed=seed))

    def outgrown(self) -> str:
        """The first step of a short run whose values are no finite numbers; empty where there is none.

        Weights may be finite, and so large that what is computed from them outgrows float32. Of any other run
        `encoder.metrics.first_lost` tells the same.
        """
        try:
            return first_lost(self.trace("a")) or ""
        except EncoderError:  # this tokenizer may read other texts
            return ""

    @property
    def mask_token(self) -> str | None:
        """The token that stands for a word to be guessed, [MASK] or <mask>; None where the vocabulary has none."""
        return self.special.mask

    @property
    def why_no_guesses(self) -> str:
        """Why this model guesses no words, in sentences; empty where it does."""
        if self.model.mlm_head is not None:
            return ""
        sentences = ["This model has no head that guesses words.", *labels(self.config.classifier)]
        if any(REPLACED in module for module in self.left_out):
            sentences.append("It learned to tell which words were replaced, never to name a hidden one.")
        if any(UNTRAINED in module for module in self.left_out):
            sentences.append("The head for words in its file was not trained, so its guesses would be random.")
        if any(INCOMPLETE in module for module in self.left_out):
            sentences.append("The head for words in its file is not whole, so its guesses would be made up.")
        if any(OWN_TABLE in module for module in self.left_out):
            sentences.append("The head in its file names words by a table of its own, which is not computed here.")
        return " ".join(sentences)

    @property
    def prompts(self) -> Mapping[str, str]:
        """The prefixes that a sentence-transformers folder has, by name."""
        return {} if self.sentence is None else self.sentence.prompts

    def prompted(self, text: str, name: str | None = None) -> str:
        """A text with one of the model's prefixes before it: that of the name, the usual one for None, "" for none.

        Raises:
            EncoderError: the model has no prefix of that name.
        """
        of_kind("text", text, str, "a text")
        usual = "" if self.sentence is None else self.sentence.usual_prompt
        name = usual if name is None else name
        if not isinstance(name, str) or (name and name not in self.prompts):
            raise EncoderError(f"there is no prefix {name!r:.80}; this model has {', '.join(self.prompts) or 'none'}")
        return f"{self.prompts[name]}{text}" if name else text

    @property
    def steps(self) -> tuple[Step, ...]:
        """The catalogue of this model's steps, in the order they are computed."""
        return catalogue(self.config)

    def tokenize(self, text: Text) -> Tokens:
        """Split a sentence, or a pair of them, into the pieces the model knows; too long an input is cut, and says so.

        A gap may be typed as ___, [mask] or <mask>, whatever the model calls its mask.

        Raises:
            EncoderError: something else than a text or a pair, a model with fewer positions than special tokens, or a
                tokenizer that fails on this text.
        """
        pieces = tokens(self.tokenizer, text, self.max_tokens, self.mask_token)
        if max(pieces.ids, default=0) >= self.config.vocab_size:
            raise EncoderError(
                f"the tokenizer gives the id {max(pieces.ids)}; the model knows ids below {self.config.vocab_size}"
            )
        return pieces

    def cut(self, pieces: Tokens) -> str:
        """What was left out at the end of a text, and by whose bound, in one sentence; empty where nothing was."""
        dropped, most, own = pieces.dropped + pieces.pair_dropped, self.max_tokens, self.own_longest
        if not dropped and not pieces.unread:
            return ""
        if not dropped:
            read, lost = f"{MAX_CHARACTERS:,} characters of a sentence are read and no more", f"{pieces.unread:,}"
        else:
            ours = f"At most {most:,} tokens are read here, though the model could read {own:,}"
            read = f"The model reads {most:,} tokens and no more" if most == own else ours
            lost = f"{'at least ' if pieces.unread else ''}{dropped:,}"
        where = ENDS[pieces.dropped > 0, pieces.pair_dropped > 0] if pieces.pair else "at the end"
        return f"{read}: {lost} {where} {'is' if lost == '1' else 'are'} left out."

    @overload
    def trace(self, text: Text, *, hidden: Sequence[int] = (), edits: Sequence[Edit] = ()) -> Trace: ...
    @overload
    def trace(self, text: Sequences, *, hidden: Sequence[int] = (), edits: Sequence[Edit] = ()) -> list[Trace]: ...
    def trace(
        self, text: Text | Sequences, *, hidden: Sequence[int] = (), edits: Sequence[Edit] = ()
    ) -> Trace | list[Trace]:
        """Run the encoder and keep every step.

        Args:
            text: a sentence or a tuple of two, or a list of such to run as one batch padded to the longest.
            hidden: positions that no token may look at, in every sentence.
            edits: what to change on the way, one after the other, in every sentence; all that follows goes on with it.

        Returns:
            a Trace, or one Trace per sentence whose last `padding` tokens are [PAD]. A text of more than `max_tokens`
            tokens is cut, which the log tells, and `dropped` of its trace says how many were left out.

        Raises:
            EncoderError: an empty list, a hidden position outside the sentence, or an edit that cannot be made.
        """
        texts = text if isinstance(text, list) else [text]
        if not texts:
            raise EncoderError("got 0 sentences; trace takes 1 or more")
        pieces = [self.tokenize(t) for t in texts]
        for piece in pieces:
            if sentence := self.cut(piece):
                log.warning("%s", sentence)
        longest = max(len(p.ids) for p in pieces)
        pieces, lengths = [self.padded(p, longest) for p in pieces], [len(p.ids) for p in pieces]
        ids = torch.tensor([p.ids for p in pieces])
        mask = self.mask(lengths, longest, hidden)
        edits = tuple(listed("edits", edits, "Edit"))
        check(edits, self.config, min(lengths))
        runs = self.runs_to_patch_from(edits)
        values: dict[str, Tensor] = {}
        ready: dict[str, float] = {}
        tap: Tap = Recorder(values, ready)
        if edits:
            tap = editor(self.config, [(n, edits) for n in lengths], runs, tap)
        start = perf_counter()
        self.run(ids, mask, tap, self.segments(pieces))
        ready = {name: moment - start for name, moment in ready.items()}
        traces = [
            Trace(
                p,
                self.config,
                self.source,
                values,
                ready,
                row,
                tuple(hidden),
                longest - lengths[row],
                self.model,
                edits,
                self,
            )
            for row, p in enumerate(pieces)
        ]
        return traces if isinstance(text, list) else traces[0]

    @torch.inference_mode()
    def run(
        self, ids: Tensor, hidden: Tensor | None = None, tap: Tap = NO_TAP, segments: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """One forward pass: ids [B, n] -> output [B, n, d_model] and logits [B, n, vocab] (None without a head)."""
        pulse()
        output = self.model(ids, hidden, segments, tap)
        self.model.pool(output, hidden, tap)
        logits = self.model.predict(output, tap)
        self.model.label(output, hidden, tap)
        return output, logits

    def segments(self, pieces: Sequence[Tokens]) -> Tensor | None:
        """The rows of the segment table for a batch [B, n]; None where all are the first."""
        if self.config.n_segments < 2 or not any(any(piece.segments) for piece in pieces):
            return None
        return torch.tensor([piece.segments for piece in pieces])

    def runs_to_patch_from(self, edits: Sequence[Edit]) -> dict[str, Trace]:
        """The runs, without edits, of the sentences that edits patch from."""
        values = [edit.value for edit in edits]
        return {value: self.trace(value) for value in dict.fromkeys(values) if isinstance(value, str)}

    def mask(self, lengths: list[int], longest: int, hidden: Sequence[int]) -> Tensor | None:
        """True where a key may not be looked at [B, n]: padding and hidden positions; None when nothing is hidden."""
        hidden = listed("hidden", hidden, "positions")
        outside = [i for i in hidden if type(i) is not int or not 0 <= i < min(lengths)]
        if outside:
            raise EncoderError(
                f"hidden position {outside[0]} is outside the sentence; positions go from 0 to {min(lengths) - 1}"
            )
        if len(set(hidden)) == min(lengths):
            n = min(lengths)
            raise EncoderError(f"all {n} tokens are hidden; at least one must be left to look at" if n else NO_TOKENS)
        mask = torch.arange(longest) >= torch.tensor(lengths)[:, None]
        mask[:, list(hidden)] = True
        return mask if bool(mask.any()) else None

    def padded(self, pieces: Tokens, length: int) -> Tokens:
        """The same tokens with [PAD] at the end up to `length`."""
        n, extra = len(pieces.ids), length - len(pieces.ids)
        return replace(
            pieces,
            ids=pieces.ids + (self.pad_id,) * extra,
            tokens=pieces.tokens + (str(self.tokenizer.id_to_token(self.pad_id)),) * extra,
            spans=pieces.spans + ((0, 0),) * extra,
            special=pieces.special + (True,) * extra,
            words=pieces.words + tuple((i,) for i in range(n, length)),
            segments=pieces.segments + (0,) * extra,
        )

    def word_id(self, trace: Trace, position: int, word: str) -> int:
        """The token that a word would be in the place of another, such as a mask: after a space "Paris" is "ĠParis".

        It is taken as typed, then in lower case, as a name and in capitals; what is no word may be an entry of the
        vocabulary as it stands there, such as "##ing".

        Raises:
            EncoderError: the vocabulary has it in pieces only, or not at all; a position outside the sentence; or a
                trace of another model.
        """
        self.check_own(trace)
        word = of_kind("word", word, str, "a text").strip()
        place = trace.tokenization.word_of(position)
        start = trace.tokenization.spans[place[0]][0]
        for form in dict.fromkeys((word, word.lower(), word.capitalize(), word.upper())):
            encoding = self.tokenizer.encode(trace.tokenization.replaced(place, form), add_special_tokens=False)
            end = start + len(form)
            spans = zip(encoding.ids, encoding.offsets, strict=True)
            places = [i for i, (first, last) in spans if first < end and last > start]
            if len(places) == 1 and self.tokenizer.id_to_token(places[0]) not in UNKNOWN:
                return places[0]
        entry = self.tokenizer.token_to_id(word)
        if entry is None:
            raise EncoderError(f"“{word}” is not one word of the vocabulary")
        return int(entry)

    def check_own(self, trace: Trace) -> None:
        """Refuse the trace of another model: it has other weights, or the same under another configuration."""
        ours, theirs = self.source, of_kind("trace", trace, Trace, "a Trace, as TextEncoder.trace gives it").source
        same = ours == theirs or (ours.sha256 != "" and ours.sha256 == theirs.sha256)
        if trace.config != self.config or not same:
            raise EncoderError(f"the trace is of another model ({theirs.name}) than this one ({ours.name})")

    def explain(self, trace: Trace, name: str, index: Sequence[int]) -> Explanation:
        """Where one number of a run came from; see `encoder.explain.number.explain`.

        Raises:
            EncoderError: a trace of another model, or an index that is not there.
        """
        self.check_own(trace)
        return explain(self.model, trace, name, index)

    def predict(
        self, trace: Trace, k: int = 5, positions: Sequence[int] | None = None
    ) -> list[list[tuple[str, float]]] | None:
        """The k likeliest words with their probabilities at these positions, or at each; None without an MLM head.

        Raises:
            EncoderError: a trace of another model, whose numbers stand for other words; a k that is not 1 or more, or a
                position outside the sentence.
        """
        self.check_own(trace)
        k = integer("k", k, 1)
        rows = slice(None) if positions is None else several("position", positions, 0, len(trace.tokens) - 1)
        if "mlm.probabilities" not in trace:
            return None
        shares = trace["mlm.probabilities"]
        top = shares[rows].topk(min(k, self.config.vocab_size))
        return [
            [(self.tokenizer.id_to_token(i) or f"#{i}", p) for i, p in zip(ids, ps, strict=True)]
            for ids, ps in zip(top.indices.tolist(), top.values.tolist(), strict=True)
        ]

    def labels(self, trace: Trace) -> list[tuple[str, float]] | list[tuple[str, list[tuple[str, float]]]] | None:
        """What the head that names labels says of a run; None where the model has none.

        Returns:
            of a sentence every label with its share, the likeliest first; of a tagger every word with the labels that
            its first piece has, [PAD] and what the model adds left out. Shares of several labels at once are each of
            their own. The numbers of a regression are no shares, and stand in the model's order.

        Raises:
            EncoderError: a trace of another model.
        """
        self.check_own(trace)
        head = self.config.classifier
        if head is None:
            return None
        names, regression = head.labels, head.problem == "regression"
        values = trace["classifier.logits" if regression else "classifier.probabilities"]

        def ranked(of_one: Tensor) -> list[tuple[str, float]]:
            named = list(zip(names, of_one.tolist(), strict=True))
            return named if regression else sorted(named, key=lambda pair: -pair[1])

        if head.labelled == "sentence":
            return ranked(values)
        text = trace.tokenization
        return [(text.spelled(word), ranked(values[word[0]])) for word in text.words if not text.special[word[0]]]
