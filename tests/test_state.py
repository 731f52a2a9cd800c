"""The view and its link: round trip, and every bad parameter falls back with a sentence."""

from in_turn import in_turn

from encoder import PRESETS
from encoder.model.steps.catalogue import catalogue
from encoder.pictures.link import LONGEST_IN_URL, from_query, to_query
from encoder.pictures.view import EXAMPLE, View
from pages.ui.server.offered_models import check
from pages.ui.state.choice_names import names
from pages.ui.state.page_steps import steps_of
from pages.ui.state.site import PAGES, page_of

ODD = View(sentence="<b>x</b> & $x$ 😀 ?=#", model="small", layer=2, head=3, step="attention.scores", hidden=(1, 4))


def test_a_link_restores_its_view_and_says_only_what_is_not_usual() -> None:
    for view in (View(), ODD, View(layer=0, head=0)):
        assert from_query(to_query(view), check, names()) == (view, [])
    assert to_query(View()) == {}
    assert "sentence" not in to_query(View(sentence="x" * (LONGEST_IN_URL + 1)))
    assert "sentence" in to_query(View(sentence="x" * LONGEST_IN_URL))


@in_turn(
    ("name", "value"),
    [
        ("model", "../../etc"),
        ("model", ""),
        ("layer", "-1"),
        ("layer", "1e3"),
        ("layer", "٣"),
        ("layer", "9" * 400),
        ("head", "nan"),
        ("head", "1.5"),
        ("step", "attention.nothing"),
        ("hidden", "1,x"),
        ("hidden", ",".join(map(str, range(600)))),
    ],
)
def test_a_bad_parameter_falls_back_and_is_named(name: str, value: str) -> None:
    view, notes = from_query({name: value}, check, names())
    assert view == View()
    assert len(notes) == 1
    assert name in notes[0]
    assert value[:40] in notes[0]


def test_a_link_may_not_have_many_sentences_run() -> None:
    few, many = (";".join(f"output:patch:v=sentence%20{i}" for i in range(n)) for n in (4, 5))
    assert from_query({"edits": few}, check, names())[1] == []
    view, notes = from_query({"edits": many}, check, names())
    assert view.edits == () and "4 other sentences" in notes[0]


def test_a_sentence_in_a_link_is_one_line_and_an_empty_one_is_the_example() -> None:
    assert from_query({"sentence": "  "}, check, names())[0].sentence == EXAMPLE
    view = from_query({"sentence": "One.\nTwo.\r\n", "second": "Three\nfour"}, check, names())[0]
    assert (view.sentence, view.second) == ("One. Two.", "Three four")


def test_layer_head_and_hidden_are_brought_into_range_and_said() -> None:
    view, notes = View(layer=77, head=8, hidden=(2, 99)).within(PRESETS["paper"], n=5)
    assert (view.layer, view.head, view.hidden) == (5, 7, (2,))
    for note, *words in zip(notes, ("layer 77", "head 8", "99"), ("0 to 5", "0 to 7", "0 to 4"), strict=True):
        assert all(word in note for word in words), note
    view, notes = View(hidden=(0, 1, 2)).within(PRESETS["paper"], n=3)
    assert view.hidden == () and "at least one" in notes[0]


@in_turn("name", PRESETS)
def test_every_step_is_explained_by_one_page(name: str) -> None:
    config = PRESETS[name]
    for layer in range(config.n_layers):
        explained = [step.name for page in PAGES for step in steps_of(page, config, layer).values()]
        assert sorted(explained) == sorted(step.name for step in catalogue(config) if step.layer in (None, layer))
    assert [*steps_of(page_of("attention"), config, 1)][-1].startswith("attention.")
