"""Reading gold trees: what CoNLL-U says, and a sentence with its line for a file that is none."""

import gzip
import lzma
from pathlib import Path

import pytest
from shared_models import treebanks

from encoder.exam import ExamError, read_treebank, treebank
from encoder.exam.__main__ import main
from encoder.exam.links import gaps, relations
from encoder.exam.treebank import LONGEST_LINE, LONGEST_RELATION, MOST_GIVEN, MOST_RELATIONS, MOST_WORDS, given_treebank

GOOD = (  # ID FORM UPOS FEATS HEAD DEPREL, the other columns are put between
    "1 The DET _ 2 det",
    "2 keys NOUN Number=Plur 6 nsubj",
    "3 to ADP _ 5 case",
    "4 the DET _ 5 det",
    "5 cabinet NOUN Number=Sing 2 nmod",
    "6 lost VERB Mood=Ind|Number=Plur 0 root",
)


def line(short: str) -> str:
    """One line of ten columns from six."""
    number, form, tag, features, head, relation = short.split(" ")
    return "\t".join((number, form, "_", tag, "_", features, head, relation, "_", "_"))


def conllu(*sentences: tuple[str, ...]) -> str:
    return "".join("# text = x\n" + "".join(f"{line(word)}\n" for word in words) + "\n" for words in sentences)


def changed(place: int, word: str) -> str:
    """The good sentence twice, the second time with another line; words of the second begin in line 10."""
    words = list(GOOD)
    words[place] = word
    return conllu(GOOD, tuple(words))


FIRST = conllu(GOOD)
RAW = FIRST + "# text = y\n"  # the next line is number 10
BROKEN: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "no sentence"),
    "comments alone": ("# a\n# b\n\n", "line 1 begins a sentence without words"),
    "spaces for tabs": (line(GOOD[0]).replace("\t", "    ") + "\n", "line 1 has 1 column"),
    "cut off": (FIRST + FIRST[:60], "line 11 has 6 columns"),
    "no heads at all": (conllu(tuple(" ".join((*w.split(" ")[:4], "_", "_")) for w in GOOD)), "line 2 has no head"),
    "head of 5,000 digits": (changed(1, f"2 keys NOUN _ {'1' * 5000} nsubj"), "line 11 cannot be read"),
    "head a fraction": (changed(1, "2 keys NOUN _ 2.5 nsubj"), "line 11"),
    "head too far": (changed(2, "3 to ADP _ 7 case"), "line 12 has the head 7; it must be from 0 to 6"),
    "head itself": (changed(3, "4 the DET _ 4 det"), "line 13 has the head 4"),
    "circle of two": (changed(1, "2 keys NOUN _ 5 nsubj"), "line 10 has a word whose governors"),
    "no root": (changed(5, "6 lost VERB _ 2 root"), "governors lead round in a circle"),
    "relation missing": (changed(4, "5 cabinet NOUN _ 2 _"), "line 14 has no relation"),
    "word empty": (changed(4, "5  NOUN _ 2 nmod"), "line 14 has no word"),
    "number missing": (changed(0, "_ The DET _ 2 det"), "line 10 has no number"),
    "number twice": (changed(1, "1 keys NOUN _ 6 nsubj"), "line 11 has the number 1 where 2 comes next"),
    "number left out": (changed(1, "3 keys NOUN _ 6 nsubj"), "line 11 has the number 3 where 2"),
    "no line between": (FIRST.rstrip("\n") + "\n" + FIRST, "line 9 has the number 1 where 7"),
    "only a contraction": (FIRST + line("1-2 don't _ _ _ _") + "\n\n", "line 9 begins a sentence without words"),
    "line too long": (RAW + "1\t" + "x" * LONGEST_LINE + "\n", "line 10 is longer than 20,000 bytes"),
    "Latin-1": (FIRST.encode() + "1\tcafé\n".encode("latin-1"), "not UTF-8 from line 9 on"),
    "binary": (bytes(range(256)) * 8, "not UTF-8 from line 2 on"),
}


def test_a_broken_file_gets_a_sentence_with_its_line(tmp_path: Path) -> None:
    """Read from the disk, and given by a visitor."""
    path = tmp_path / "trees.conllu"
    for name, (text, sentence) in BROKEN.items():
        path.write_bytes(content := text.encode() if isinstance(text, str) else text)
        for called, read in ((str(path), read_treebank), ("mine.conllu", None)):
            with pytest.raises(ExamError) as refused:
                read(path) if read else given_treebank(content, called, "mine")
            said = str(refused.value)
            assert sentence in said and called in said and "\n" not in said, name


def test_a_packed_file_is_unpacked_and_a_damaged_one_refused(tmp_path: Path) -> None:
    packed = {".xz": lzma.compress(FIRST.encode()), ".gz": gzip.compress(FIRST.encode())}
    for ending, content in packed.items():
        path = tmp_path / f"trees.conllu{ending}"
        path.write_bytes(content)
        assert read_treebank(path).name == "trees" and len(read_treebank(path).trees) == 1
        path.write_bytes(content[:-9])
        with pytest.raises(ExamError, match="cannot be read after line"):
            read_treebank(path)


def test_a_large_file_is_refused_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treebank, "MOST_BYTES", 640_000)
    path = tmp_path / "large.conllu.xz"
    path.write_bytes(lzma.compress((b"#" + b"x" * 9_998 + b"\n") * 200))
    with pytest.raises(ExamError, match="larger than 640,000 bytes, which are reached in line 65"):
        read_treebank(path)


def test_what_cannot_be_opened_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path / "none.conllu", tmp_path):
        assert main(["--model", "small", "--trees", str(path), "--out", str(tmp_path / "out.json")]) == 2
        assert str(path) in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()


def test_a_sentence_is_read_as_it_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "one.two.conllu"
    rows = [*map(line, GOOD), line("6.1 been VERB _ _ _")]
    rows.insert(4, line("5-6 cabinet-lost _ _ _ _"))
    path.write_text("\ufeff# sent_id = 1\r\n" + "\r\n".join(rows), encoding="utf-8")
    (tree,) = read_treebank(path).trees
    assert given_treebank(path.read_bytes(), "x", "one") == read_treebank(path)
    assert tree.words == ("The", "keys", "to", "the", "cabinet", "lost") and tree.heads == (1, 5, 4, 4, 1, -1)
    assert tree.relations[1] == "nsubj" and tree.numbers[1] == "Plur" and tree.moods[5] == "Ind"


def test_the_bundled_treebanks_hold_what_their_readme_says() -> None:
    pud, web = treebanks()
    assert (len(pud.trees), len(web.trees)) == (1000, 2001)
    links = [link for sentence in relations(pud) for link in sentence.links]
    assert sum(link.kind == "obj" for link in links) == 877
    assert len(links) == sum(len(tree.words) for tree in pud.trees) - 1000


def test_gaps_are_where_grammar_says(tmp_path: Path) -> None:
    """A noun of another number between, a name of two words as subject, and what makes no gap."""
    keys = (*GOOD[:5], "6 are AUX Mood=Ind 7 cop", "7 here ADV _ 0 root")
    keys = (*keys[:1], "2 keys NOUN Number=Plur 7 nsubj", *keys[2:])
    name = (
        "1 Kori PROPN Number=Sing 4 nsubj",
        "2 Schulman PROPN Number=Sing 1 flat",
        "3 has AUX Mood=Ind 4 aux",
        "4 left VERB _ 0 root",
    )
    pronoun = ("1 They PRON _ 3 nsubj", "2 are AUX Mood=Ind 3 cop", "3 here ADV _ 0 root")
    asked = ("1 are AUX Mood=Ind 3 cop", "2 keys NOUN _ 3 nsubj", "3 here ADV _ 0 root")
    path = tmp_path / "gaps.conllu"
    path.write_text(conllu(keys, pronoun, name, asked), encoding="utf-8")
    first, second = gaps(read_treebank(path), "[MASK]")
    assert first.words == ("The", "keys", "to", "the", "cabinet", "[MASK]", "here")
    assert {(link.source, link.target) for link in first.links} == {(5, 1)}
    assert [link.kind for link in first.links] == ["gap", "gap:between", "gap:other"]
    assert second.words == ("Kori Schulman", "[MASK]", "left") and second.number == 2
    assert second.links[0][1:] == (1, 0) and second.links[1].kind == "gap:next"


def chain(words: int, last: int) -> str:
    """A sentence in which each word hangs on the one before, and the first on the `last`."""
    return "".join(line(f"{i} w X _ {i - 1 or last} dep{'' if i > 1 else last}") + "\n" for i in range(1, words + 1))


def test_a_file_that_is_given_has_bounds() -> None:
    one = line("1 w X _ 0 root") + "\n\n"
    assert len(given_treebank((one * MOST_GIVEN).encode(), "x", "mine").trees) == MOST_GIVEN
    kinds = "".join(line(f"1 w X _ 0 r{i}") + "\n\n" for i in range(MOST_RELATIONS + 1))
    for text, why in (
        (one * (MOST_GIVEN + 1), "more than 2,000 sentences, which are reached in line 4,001"),
        (kinds, "more than 200 different relations"),
        (chain(MOST_WORDS + 1, 0), "begins a sentence of 1,001 words, where 1,000 are the most"),
        (chain(MOST_WORDS, MOST_WORDS), "governors lead round in a circle"),
        (one.replace("root", "r" * (LONGEST_RELATION + 1)), "a relation of more than 60 letters"),
    ):
        with pytest.raises(ExamError, match=why):
            given_treebank(text.encode(), "x", "mine")
    assert len(given_treebank(chain(MOST_WORDS, 0).encode(), "x", "mine").trees[0].words) == MOST_WORDS
