"""Make the files of a picture, or of several on one sheet.

`python -m encoder.pictures all_heads layer_step --model base --sentence "A cat sat." --layer 5 --out sheet.pdf`
A key followed by the parameters of a link, such as `"layer_step?layer=3&head=1"`, is of what these say. The address of
a page, such as `"http://localhost:8501/attention?layer=3&head=1"`, stands for its main picture. What they leave open
is what the options say.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

from encoder.edits.edit_text import text_to_edits
from encoder.pictures.ask import ask
from encoder.pictures.link import FIELDS, from_query, spelled
from encoder.pictures.page_pictures import is_address, shown_at
from encoder.pictures.picture import DRAWN, Answer, Picture
from encoder.pictures.picture_files import OF_ANSWER, OF_SHEET
from encoder.pictures.printing import DPI, SIZES, Sheet
from encoder.pictures.registry import picture, pictures
from encoder.pictures.view import View
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.progress import counting

ENDINGS = ", ".join(OF_SHEET | OF_ANSWER)


def view_of(arguments: argparse.Namespace) -> View:
    """What the arguments ask for."""
    view, usual = View(choices=tuple(choice(text) for text in arguments.choose)), View()
    given = {name: getattr(arguments, name) for name in ("sentence", "second", "other", "model", "step")}
    view = replace(view, **{name: text for name, text in given.items() if text is not None})
    first = {} if view.model == usual.model else {"layer": 0, "head": 0}
    places = {name: getattr(arguments, name) for name in ("layer", "head")}
    view = replace(view, **first | {name: place for name, place in places.items() if place is not None})
    return replace(view, hidden=tuple(sorted(set(arguments.mask))), edits=text_to_edits(arguments.edits))


def as_link(arguments: argparse.Namespace) -> dict[str, str]:
    """The same as a link spells it, but for what nobody said."""
    view, names = view_of(arguments), ("sentence", "second", "other", "model", "step", "layer", "head")
    stated = {name for name in names if getattr(arguments, name) is not None} | {"hidden", "edits"}
    return {name: text for name, text in spelled(view).items() if text and name in stated | dict(view.choices).keys()}


def choice(text: str) -> tuple[str, str]:
    """What else is chosen, from NAME=VALUE.

    Raises:
        EncoderError: it is not written so.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise EncoderError(f"--choose takes NAME=VALUE, such as rollout_layer=2, and not {text!r}")
    return name, value


def parser() -> CommandLine:
    """The arguments of the command line."""
    line = CommandLine(prog="python -m encoder.pictures", description=__doc__.split("\n", 1)[0])
    line.add_argument(
        "pictures", nargs="*", metavar="picture", help="keys, KEY?PARAMETERS, or addresses of pages; none lists all"
    )
    line.add_argument("--sentence", help="what the model reads")
    line.add_argument("--second", help="sentence B of a pair")
    line.add_argument("--other", help="the sentence that it is compared with")
    line.add_argument("--model", help='"base", "small", or the path of a checkpoint folder (default: base)')
    line.add_argument("--layer", type=int, help="counted from 0")
    line.add_argument("--head", type=int, help="counted from 0")
    line.add_argument("--step", help='of the picture "picture": attention.weights, feed_forward.activation, ...')
    line.add_argument("--mask", type=int, nargs="*", default=[], help="positions that no token may look at")
    line.add_argument("--edits", default="", help="changes to the run, as a link spells them")
    line.add_argument("--choose", action="append", default=[], metavar="NAME=VALUE", help="a choice of the picture")
    line.add_argument(
        "--out", type=Path, default=Path("figure.pdf"), help=f"ends with {', '.join(OF_SHEET | OF_ANSWER)}"
    )
    line.add_argument(
        "--size", choices=SIZES, default="two", help="as shown, or one or two columns wide (default: two)"
    )
    line.add_argument("--dpi", type=int, default=DPI[0], help="of a PNG (default: 300)")
    return line


def write(arguments: argparse.Namespace) -> str:
    """Write the file that is asked for, and return what there is to say of it.

    Raises:
        EncoderError: there is no such picture, or it cannot be drawn of what was asked.
        OSError: the file cannot be written.
    """
    out, ending = arguments.out, arguments.out.suffix
    if ending not in OF_SHEET | OF_ANSWER:
        raise EncoderError(
            f"{out} ends with {ending or 'nothing'}; it must be one of {', '.join(OF_SHEET | OF_ANSWER)}"
        )
    whole_file.check(out)
    view = view_of(arguments)
    if len(arguments.pictures) > 1 and ending not in OF_SHEET:
        raise EncoderError(f"several pictures have no {ending}; it must be one of {', '.join(OF_SHEET)}")
    answers = [answer(address, view, as_link(arguments)) for address in arguments.pictures]
    known = {name for each in answers for name in choices_of(each.picture)}
    if unknown := [name for name, _ in view.choices if name not in known]:
        offered = f"there is {', '.join(sorted(known))}" if known else "there is none"
        raise EncoderError(f"no picture here has a choice {unknown[0]!r}; {offered}")
    if len(answers) == 1 and ending in OF_ANSWER:
        whole_file.write(out, OF_ANSWER[ending](answers[0]))
        return f"{out}: {answers[0].alt}"
    sheet = Sheet(answers, arguments.size)
    whole_file.write(out, OF_SHEET[ending](sheet, out, arguments.dpi))
    return f"{out}: {sheet.width:.1f} x {sheet.height:.1f} mm{f'. {sheet.note}' if sheet.note else ''}"


def choices_of(each: Picture) -> set[str]:
    """The names of all that can be chosen for a picture."""
    return {option.key for option in each.options} | ({DRAWN} if each.pairs is not False else set())


def answer(address: str, view: View, stated: Mapping[str, str]) -> Answer:
    """The picture of a page's address, or of a key: of what its parameters ask for, else of `view`, stated by options.

    Raises:
        EncoderError: there is no such page or picture, no link says that, or a choice is none that is offered.
    """
    if is_address(address):
        each, view = shown_at(address, stated)
    else:
        key, _, query = address.partition("?")
        each, asked = picture(key), dict(parse_qsl(query))
        linked, notes = from_query(asked, lambda model: None, choices_of(each))
        if notes:
            raise EncoderError(notes[0])
        choices = dict(view.choices) | dict(linked.choices)
        fields = {name: getattr(linked, name) for name in FIELDS & asked.keys()}
        view = replace(view, **fields, choices=tuple(sorted(choices.items())))
    scene = ask(each, view)
    each.check_choices(scene)
    return each.of(scene)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    given = parser().parse_args(arguments)
    if not given.pictures:
        print("\n".join(f"{key:24} {each.question}" for key, each in sorted(pictures().items())))
        return 0

    def work() -> None:
        with counting("picture"):
            written = write(given)
        print(written)

    return exit_code(work, "start again")


if __name__ == "__main__":
    sys.exit(main())
