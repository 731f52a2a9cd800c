"""Make the files of a figure again from its link: `python -m pages.parts.figure LINK --out figure.pdf`."""

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from streamlit.testing.v1 import AppTest

from encoder import whole_file
from encoder.errors import EncoderError
from encoder.paper.files import DPI, PaperFigure
from pages.ui.state.session import KEY, Session

APP = Path(__file__).parents[2] / "main.py"
SECONDS = 120.0  # that a figure may take
FILES: dict[str, Callable[[PaperFigure, Path, int], bytes]] = {
    ".pdf": lambda made, out, dpi: made.pdf(),
    ".svg": lambda made, out, dpi: made.svg().encode(),
    ".png": lambda made, out, dpi: made.png(dpi),
    ".csv": lambda made, out, dpi: made.csv().encode(),
    ".tex": lambda made, out, dpi: made.latex(f"{out.stem}.pdf").encode(),
    ".md": lambda made, out, dpi: made.markdown(f"{out.stem}.svg").encode(),
    ".zip": lambda made, out, dpi: made.zip(out.stem),
}


def of_link(link: str) -> PaperFigure:
    """The figure that a link to the page Figure shows, drawn by the pages themselves, without a browser or a server.

    Raises:
        EncoderError: the link names no figure, or a picture of it cannot be drawn; the message says why.
    """
    query = dict(parse_qsl(urlsplit(link).query or link.removeprefix("?"), keep_blank_values=True))
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    app = AppTest.from_file(str(APP), default_timeout=SECONDS)
    app.switch_page("steps/figure.py")
    for name, text in query.items():
        app.query_params[name] = text
    app.query_params.pop("figure_part", None)
    app.run()
    found: Session = app.session_state[KEY]
    said = [one.value for one in app.warning] + [f"{at.page}: {why}" for at, why in found.not_drawn.items()]
    if app.exception or found.printed is None or len(found.panels) < len(found.figure):
        raise EncoderError(" ".join(said).replace("\\", "") or "the link names no figure")
    return found.printed


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m pages.parts.figure", description=__doc__)
    parser.add_argument("link", help="the address of the page Figure, as the browser shows it")
    parser.add_argument("--out", type=Path, default=Path("figure.pdf"), help=f"ends with {', '.join(FILES)}")
    parser.add_argument("--dpi", type=int, default=DPI[0], help="of a PNG (default: 300)")
    asked = parser.parse_args(arguments)
    try:
        if asked.out.suffix not in FILES:
            raise EncoderError(
                f"{asked.out} ends with {asked.out.suffix or 'nothing'}; it must be one of {', '.join(FILES)}"
            )
        made = of_link(asked.link)
        whole_file.write(asked.out, FILES[asked.out.suffix](made, asked.out, asked.dpi))
    except (EncoderError, OSError) as error:
        print(f"No figure: {error}".rstrip(".") + ".", file=sys.stderr)
        return 1
    print(f"{asked.out}: {made.width:.1f} x {made.height:.1f} mm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
