"""The list of all sentences of the screen, to be read in one go."""

from sentences import sentences


def test_the_list_has_what_every_kind_of_file_says_and_no_code() -> None:
    listed = dict(sentences())
    for name, sentence in (
        ("encoder/packet/patterns.json", "Why does the model say “{word}”?"),
        ("encoder/browser/drawer.js", "This number cannot be shown: the address names none."),
        ("encoder/model/steps/entries.py", "One number per token. It is subtracted next."),
        ("pages/lessons/16-cost.toml", "Twice as many tokens make four times as many pairs."),
        ("pages/front/make.py", "The model cannot read this: {error}."),
    ):
        assert sentence in listed[name], name
    said = [sentence for all_of_file in listed.values() for sentence in all_of_file]
    assert len(said) > 3000
    assert not [sentence for sentence in said if "function (" in sentence or "Return the" in sentence]
