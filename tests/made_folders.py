"""Folders of models in the layouts that transformers 4 and 5 write: families x heads x tokenizers x settings x files.

Each row of FOLDERS makes one; the words are fixed, so that what transformers reads of them is a table:

    PYTHONPATH=. python tests/made_folders.py

writes tests/data/folders.json: the ids that AutoTokenizer gives for each, or that it fails.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import Tensor
from twins import drawn

TABLE = Path(__file__).parent / "data" / "folders.json"
TEXTS = (
    "Hello world, the capital of France is paris.",
    "HELLO Ünïcödé naïve café",
    "今天 hello 天气",
    "the MASK cat sat on MASK",  # each model's own mask stands there
    "hello [WORLD] cat\tsat\non  the <ent> mat",
    "🙂 don't re-open co-worker's e-mail",
    "",
)
PAIR = ("the cat sat", "hello paris")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = (
    "the capital of france is paris hello world cat sat on mat don open work er mail naive naïve café 今 天 气 . , - '"
)
PIECES = [*WORDS.split(), *"HPFCÜÖïöéü", *LETTERS, *(f"##{c}" for c in LETTERS + "éïöü"), "##ing", "##s"]
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("c", "a"), ("ca", "t"), ("Ġ", "cat"), ("o", "n"), ("h", "e")]
SIZES = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40}
Change = Callable[[Path], None]


def named(tokens: list[str]) -> dict[str, str]:
    """The special tokens as a tokenizer_config.json names them."""
    kinds = ("pad", "unk", "cls", "sep", "mask") if tokens is BERT else ("cls", "pad", "sep", "unk", "mask")
    return {f"{kind}_token": token for kind, token in zip(kinds, tokens, strict=True)}


def write(folder: Path, **files: Any) -> None:
    """Files of a folder; a dot in a name is written as two underscores."""
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")


# Tokenizers


def word_pieces(words: list[str] = BERT, **settings: Any) -> Change:
    """A vocab.txt with its settings, as transformers 4 writes them for tokenizers in Python."""

    def made(folder: Path) -> None:
        write(folder, vocab__txt="\n".join([*words, *PIECES]) + "\n", tokenizer_config__json=named(words) | settings)

    return made


def word_piece_json(post: bool = True, **settings: Any) -> Change:
    """A tokenizer.json of word pieces."""

    def made(folder: Path) -> None:
        vocabulary = {piece: i for i, piece in enumerate([*BERT, *PIECES])}
        one = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        one.normalizer = normalizers.BertNormalizer(lowercase=settings.get("do_lower_case", True))
        one.pre_tokenizer, one.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
        if post:
            one.post_processor = processors.TemplateProcessing(
                single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
            )
        one.add_special_tokens(BERT)
        write(folder, tokenizer__json=one.to_str(), tokenizer_config__json=named(BERT) | settings)

    return made


def byte_pairs(as_json: bool, **settings: Any) -> Change:
    """Byte pairs: a vocab.json and its merges.txt, or a tokenizer.json."""

    def made(folder: Path) -> None:
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        words = [*ROBERTA[:4], *alphabet, *("".join(pair) for pair in MERGES), "<mask>"]
        vocabulary = {word: i for i, word in enumerate(words)}
        write(folder, tokenizer_config__json=named(ROBERTA) | settings)
        if not as_json:
            merges = "#version: 0.2\n" + "\n".join(map(" ".join, MERGES)) + "\n"
            write(folder, vocab__json=vocabulary, merges__txt=merges)
            return
        one = Tokenizer(models.BPE(vocabulary, MERGES))
        one.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=settings.get("add_prefix_space", False))
        one.decoder = decoders.ByteLevel()
        one.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
        one.add_special_tokens([AddedToken(name, lstrip=name == "<mask>", special=True) for name in ROBERTA])
        write(folder, tokenizer__json=one.to_str())

    return made


UNIGRAMS = [f"▁{word}" for word in WORDS.split()] + ["▁", *LETTERS, "今", "天", "气", "é", "ï", ".", ",", "-", "'"]


def unigrams(special: list[str], template: str, pair: str, **settings: Any) -> Change:
    """A tokenizer.json of unigrams, as SentencePiece makes them."""

    def made(folder: Path) -> None:
        scored = [(piece, 0.0) for piece in special] + [(piece, -2.0 - i / 50) for i, piece in enumerate(UNIGRAMS)]
        unknown = next(i for i, piece in enumerate(special) if "unk" in piece.lower())
        one = Tokenizer(models.Unigram(scored, unk_id=unknown))
        one.normalizer = normalizers.NFKC()
        one.pre_tokenizer = pre_tokenizers.Metaspace()
        one.decoder = decoders.Metaspace()
        ids = [(piece, i) for i, piece in enumerate(special) if piece in template]
        one.post_processor = processors.TemplateProcessing(single=template, pair=pair, special_tokens=ids)
        one.add_special_tokens([AddedToken(piece, special=True) for piece in special])
        write(folder, tokenizer__json=one.to_str(), tokenizer_config__json=settings)

    return made


def sentence_pieces(name: str, special: list[str], **settings: Any) -> Change:
    """A model of SentencePiece alone, as tokenizers in Python have it."""

    def made(folder: Path) -> None:
        from sentencepiece import sentencepiece_model_pb2 as schema

        proto = schema.ModelProto()  # type: ignore[attr-defined]
        for piece in special:
            proto.pieces.add(piece=piece, score=0.0, type=2 if piece == "<unk>" else 3)
        for i, piece in enumerate(UNIGRAMS):
            proto.pieces.add(piece=piece, score=-2.0 - i / 50)
        proto.trainer_spec.model_type = 1
        proto.trainer_spec.unk_id = special.index("<unk>")
        proto.normalizer_spec.add_dummy_prefix = True
        (folder / name).write_bytes(proto.SerializeToString())
        write(folder, tokenizer_config__json=settings)

    return made


def again(make: Change, kind: str) -> Change:
    """A tokenizer as transformers 5 saves it once it has read it."""

    def made(folder: Path) -> None:
        import transformers

        make(folder)
        one = getattr(transformers, kind).from_pretrained(folder)
        for file in list(folder.iterdir()):
            file.unlink()
        one.save_pretrained(folder)

    return made


def with_files(make: Change, **files: Any) -> Change:
    """The same with more files, or other ones."""

    def made(folder: Path) -> None:
        make(folder)
        write(folder, **files)

    return made


# Weights and configurations


def weights(change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> Change:
    """Other tensors in the file."""

    def made(folder: Path) -> None:
        save_file(change(load_file(folder / "model.safetensors")), folder / "model.safetensors")

    return made


def renamed(change: Callable[[str], str]) -> Change:
    return weights(lambda found: {change(name): tensor for name, tensor in found.items()})


def shards(pickled: bool) -> Change:
    """The weights in two files and an index."""

    def made(folder: Path) -> None:
        found, kind = load_file(folder / "model.safetensors"), "bin" if pickled else "safetensors"
        stem, place = "pytorch_model" if pickled else "model", dict[str, str]()
        for i, names in enumerate((list(found)[::2], list(found)[1::2])):
            file = f"{stem}-0000{i + 1}-of-00002.{kind}"
            part = {name: found[name] for name in names}
            torch.save(part, folder / file) if pickled else save_file(part, folder / file)
            place |= dict.fromkeys(names, file)
        write(folder, **{f"{stem}__{kind}__index__json": {"metadata": {}, "weight_map": place}})
        (folder / "model.safetensors").unlink()

    return made


def pickle(zipped: bool = True, **change: Any) -> Change:
    """The weights as torch.save writes them, and before torch 1.6 wrote them."""

    def made(folder: Path) -> None:
        found = load_file(folder / "model.safetensors")
        torch.save(found | change, folder / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)
        (folder / "model.safetensors").unlink()

    return made


def told(**fields: Any) -> Change:
    """Other fields of config.json; `...` takes one out."""

    def made(folder: Path) -> None:
        raw = json.loads((folder / "config.json").read_text()) | fields
        write(folder, config__json={name: value for name, value in raw.items() if value is not ...})

    return made


def old_norms(name: str) -> str:
    """Norms as files before 2019 call them."""
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    return next((name.removesuffix(new) + then for new, then in old.items() if name.endswith(new)), name)


@dataclass(frozen=True)
class Made:
    """One folder: which model with which head, its tokenizer, what else differs, and what is to come of it."""

    model: str
    config: str
    tokenizer: Change
    change: tuple[Change, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""  # what the sentence says, where it does not open
    says: str = ""  # what `left_out` or `why_no_guesses` holds
    guesses: bool | None = None  # whether it makes guesses; by its class where this is None


def of(kind: str, head: str, tokenizer: Change, *change: Change, **more: Any) -> Made:
    return Made(f"{kind}{head}", f"{kind}Config", tokenizer, change, **more)


MLM, BARE = "ForMaskedLM", "Model"
XLMR = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
ALBERT = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
DEBERTA = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
XLMR_NAMES = named(XLMR) | {"bos_token": "<s>", "eos_token": "</s>"}
XLMR_TEMPLATES = ("<s> $A </s>", "<s> $A </s> </s> $B </s>")
BERT_TEMPLATES = ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
ADDED = {"added_tokens__json": {"[WORLD]": 150, "<ent>": 151}}
SPECIAL = {"special_tokens_map__json": named(BERT) | {"additional_special_tokens": ["[WORLD]"]}}
DISTANCES = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8}
IDS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}
PLAIN = word_pieces(tokenizer_class="BertTokenizer")
FAST = {"tokenizer_class": "PreTrainedTokenizerFast"}

FOLDERS: dict[str, Made] = {
    # BERT and its tokenizers
    "bert": of("Bert", MLM, PLAIN),
    "bert-cased": of("Bert", MLM, word_pieces(do_lower_case=False)),
    "bert-accents-kept": of("Bert", MLM, word_pieces(strip_accents=False)),
    "bert-accents-stripped-cased": of("Bert", BARE, word_pieces(do_lower_case=False, strip_accents=True)),
    "bert-chinese-together": of("Bert", BARE, word_pieces(tokenize_chinese_chars=False)),
    "bert-class-in-config": of("Bert", MLM, word_pieces(), told(tokenizer_class="BertTokenizerFast")),
    "bert-no-settings": of("Bert", MLM, lambda at: (PLAIN(at), (at / "tokenizer_config.json").unlink())[0]),
    "bert-added": of("Bert", MLM, with_files(PLAIN, **ADDED)),
    "bert-added-special": of("Bert", MLM, with_files(PLAIN, **ADDED, **SPECIAL)),
    "bert-added-decoder": of(
        "Bert",
        BARE,
        word_pieces(added_tokens_decoder={"150": {"content": "[WORLD]", "lstrip": True, "special": True}}),
    ),
    "bert-extra-tokens": of("Bert", MLM, word_pieces(additional_special_tokens=["[WORLD]", "<ent>"])),
    "bert-json": of("Bert", MLM, word_piece_json(tokenizer_class="BertTokenizer")),
    "bert-json-4": of("Bert", MLM, word_piece_json(tokenizer_class="BertTokenizerFast")),
    "bert-json-cased": of("Bert", MLM, word_piece_json(do_lower_case=False, tokenizer_class="BertTokenizer")),
    "bert-json-cased-by-file-alone": of("Bert", MLM, word_piece_json(do_lower_case=False, **FAST)),
    "bert-json-no-template": of("Bert", MLM, word_piece_json(post=False, tokenizer_class="BertTokenizer")),
    "bert-json-no-template-fast": of("Bert", BARE, word_piece_json(post=False, **FAST)),
    "bert-json-no-class": of("Bert", MLM, word_piece_json()),
    "bert-added-saved-by-5": of("Bert", MLM, again(with_files(PLAIN, **ADDED), "BertTokenizer")),
    "bert-names-of-roberta": of("Bert", MLM, with_files(PLAIN, tokenizer_config__json={"mask_token": "<ent>", **FAST})),
    "bert-byte-pairs": of("Bert", BARE, byte_pairs(as_json=True, tokenizer_class="RobertaTokenizer")),
    "bert-paths-of-another-machine": of(
        "Bert", MLM, word_pieces(vocab_file="/etc/passwd", tokenizer_file="../x", special_tokens_map_file="/root/x")
    ),
    # slow-only, remote and missing ones
    "japanese": of("Bert", BARE, word_pieces(tokenizer_class="BertJapaneseTokenizer"), refused="BertJapaneseTokenizer"),
    "own-tokenizer-code": of(
        "Bert",
        BARE,
        word_pieces(auto_map={"AutoTokenizer": ["tok.Mine", None]}, tokenizer_class="Mine"),
        refused="transformers cannot read its tokenizer",
    ),
    "no-such-class": of("Bert", BARE, word_pieces(tokenizer_class="NoSuchTokenizer")),
    # heads
    "bert-bare": of("Bert", BARE, PLAIN),
    "bert-two-heads": of("Bert", "ForPreTraining", PLAIN, says="next-sentence head"),
    "bert-colbert": of(
        "Bert",
        BARE,
        PLAIN,
        renamed(lambda name: f"bert.{name}"),
        weights(lambda found: found | {"linear.weight": torch.ones(8, 24)}),
        says="linear.weight (of another task)",
    ),
    "bert-untied": of(
        "Bert",
        MLM,
        PLAIN,
        told(tie_word_embeddings=False),
        weights(lambda found: found | {"cls.predictions.decoder.weight": torch.ones(152, 24)}),
        says="names words by a table of its own",
        guesses=False,
    ),
    "bert-tied-and-saved": of(
        "Bert",
        MLM,
        PLAIN,
        weights(
            lambda found: (
                found
                | {
                    "cls.predictions.decoder.weight": found["bert.embeddings.word_embeddings.weight"].clone(),
                    "cls.predictions.decoder.bias": found["cls.predictions.bias"].clone(),
                }
            )
        ),
    ),
    "bert-half-a-head": of(
        "Bert",
        MLM,
        PLAIN,
        weights(lambda found: {n: t for n, t in found.items() if "transform.dense" not in n}),
        says="not whole",
        guesses=False,
    ),
    # files and prefixes
    "bert-in-shards": of("Bert", MLM, PLAIN, shards(pickled=False)),
    "bert-pickle": of("Bert", MLM, PLAIN, pickle()),
    "bert-old-pickle": of("Bert", MLM, PLAIN, pickle(zipped=False)),
    "bert-pickles": of("Bert", MLM, PLAIN, shards(pickled=True)),
    "bert-pickle-of-code": of("Bert", BARE, PLAIN, pickle(x=Path("x")), refused="cannot be read as weights alone"),
    "bert-no-prefix": of("Bert", MLM, PLAIN, renamed(lambda name: name.removeprefix("bert."))),
    "bert-of-a-trainer": of("Bert", MLM, PLAIN, renamed(lambda name: f"model.{name}")),
    "bert-on-several": of("Bert", MLM, PLAIN, renamed(lambda name: f"module.{name}")),
    "bert-gamma-beta": of("Bert", MLM, PLAIN, renamed(old_norms)),
    "bert-float16": of("Bert", MLM, PLAIN, weights(lambda found: {n: t.half() for n, t in found.items()})),
    "bert-bfloat16": of("Bert", MLM, PLAIN, weights(lambda found: {n: t.bfloat16() for n, t in found.items()})),
    "bert-two": of(
        "Bert",
        BARE,
        PLAIN,
        weights(lambda found: {f"{s}.{n}": t.clone() for s in "qa" for n, t in found.items()}),
        refused="several encoders",
    ),
    # fields
    "bert-of-2019": of("Bert", MLM, PLAIN, told(model_type=..., architectures=...), says="no model_type"),
    "bert-bare-of-2019": of("Bert", BARE, PLAIN, told(model_type=..., architectures=...), refused="no model_type"),
    "bert-class-without-type": of("Bert", BARE, PLAIN, told(model_type=...), says="it names BertModel"),
    "bert-odd-fields": of("Bert", MLM, PLAIN, told(_num_labels=3, finetuning_task="x", torch_dtype="float16", gen={})),
    "bert-silent-fields": of("Bert", MLM, PLAIN, told(layer_norm_eps=..., type_vocab_size=..., hidden_act=...)),
    "bert-quantised": of("Bert", BARE, PLAIN, told(quantization_config={"bits": 4}), refused="quantization_config"),
    "bert-decoder": of("Bert", BARE, PLAIN, told(is_decoder=True), refused="is_decoder is True"),
    "bert-own-code": of("Bert", BARE, PLAIN, told(auto_map={"AutoModel": "x.Y"}), refused="never run"),
    "bert-adapter": of("Bert", BARE, with_files(PLAIN, adapter_config__json={}), refused="adapter of another model"),
    "longformer": of("Bert", BARE, PLAIN, told(model_type="longformer"), refused="see only their neighbours"),
    # families
    "roberta": of("Roberta", MLM, byte_pairs(as_json=False)),
    "roberta-json": of("Roberta", MLM, byte_pairs(as_json=True, tokenizer_class="RobertaTokenizerFast")),
    "roberta-prefix-space": of("Roberta", BARE, byte_pairs(as_json=True, add_prefix_space=True)),
    "xlm-roberta": of("XLMRoberta", MLM, unigrams(XLMR, *XLMR_TEMPLATES, **XLMR_NAMES)),
    "xlm-roberta-pieces": of("XLMRoberta", MLM, sentence_pieces("sentencepiece.bpe.model", ["<unk>", "<s>", "</s>"])),
    "camembert": of("Camembert", MLM, unigrams(XLMR, *XLMR_TEMPLATES, **XLMR_NAMES)),
    "electra": of("Electra", "ForPreTraining", PLAIN, says="replaced-token head"),
    "albert": of("Albert", MLM, unigrams(ALBERT, *BERT_TEMPLATES), values={"embedding_size": 16}),
    "albert-pieces": of("Albert", BARE, sentence_pieces("spiece.model", ALBERT)),
    "mpnet": of("MPNet", MLM, word_pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"])),
    "deberta-v3": of("DebertaV2", BARE, unigrams(DEBERTA, *BERT_TEMPLATES), values=DISTANCES),
    "deberta-v3-pieces": of(
        "DebertaV2",
        BARE,
        sentence_pieces("spm.model", ["<unk>", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]),
        values=DISTANCES,
    ),
    "modernbert": of("ModernBert", MLM, word_piece_json(**FAST), values={**IDS, "local_attention": 8}),
    "gte": of("Gte", MLM, word_piece_json(tokenizer_class="BertTokenizer")),
    "eurobert": of("EuroBert", BARE, word_piece_json(**FAST), values={**IDS, "mask_token_id": 4}),
}
ROWS = dict.fromkeys(("roberta-json", "roberta", "roberta-prefix-space", "bert-byte-pairs"), 400)


def make(name: str, folder: Path) -> Any:
    """Make a folder; returns the model of transformers whose weights are in it."""
    import transformers

    made = FOLDERS[name]
    sizes = {"vocab_size": ROWS.get(name, 152), "max_position_embeddings": 70}
    values = {**sizes, **SIZES, **made.values}
    config = getattr(transformers, made.config)(**values, attn_implementation="eager")
    model = drawn(getattr(transformers, made.model)(config))
    made.tokenizer(folder)
    model.save_pretrained(folder)
    for change in made.change:
        change(folder)
    return model


def ids_of(folder: Path) -> dict[str, Any]:
    """What transformers' own tokenizer of a folder gives, or that it fails."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        mask = tokenizer.mask_token or "MASK"
        alone = [tokenizer(text.replace("MASK", mask))["input_ids"] for text in TEXTS]
        kind, pair = type(tokenizer).__name__, tokenizer(*PAIR)["input_ids"]
        return {"class": kind, "mask": mask, "ids": alone, "pair": pair}
    except Exception as error:
        return {"fails": type(error).__name__}


if __name__ == "__main__":
    rows = {}
    for name in FOLDERS:
        with TemporaryDirectory() as there:
            make(name, Path(there))
            rows[name] = ids_of(Path(there))
    TABLE.parent.mkdir(exist_ok=True)
    lines = (f" {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
