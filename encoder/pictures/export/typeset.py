"""Words as they stand in a file: on one line, for LaTeX, for Markdown."""

import re

LONGEST = 2000  # characters of a title, a caption or an alt text
UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)
LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "@": r"{@}", "“": "``", "”": "''",
    "…": r"\ldots{}", "×": r"$\times$", "→": r"$\to$", "\u2212": r"$-$", "√": r"$\surd$", "·": r"$\cdot$",
    "≈": r"$\approx$", "ᵀ": r"\textsuperscript{T}", "\u00a0": "~", "±": r"$\pm$", "÷": r"$\div$", "µ": r"$\mu$",
    "²": r"$^2$", "₁": r"$_1$", "₂": r"$_2$", "‖": r"$\|$", "∞": r"$\infty$", "≤": r"$\leq$", "≥": r"$\geq$",
    "–": "--", "—": "---", "\u2018": "`", "\u2019": "'",
}  # fmt: skip
KNOWN = re.compile(r"[ -~À-ÏÑ-Ýß-ïñ-ýÿ]")  # letters of every LaTeX and every of its usual typefaces
OTHER_LETTER = r"\otherletter"
OTHER = r"\providecommand{\otherletter}[2]{\ifdefined\Umathchar#1\else\textbackslash{}u#2\fi}" "\n"
MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&\"@=])")


def plain_text(text: str) -> str:
    """Text on one line; what no eye sees, or what turns the order of what follows, is shown by its number."""
    line = " ".join(str(text)[:LONGEST].split())
    return UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def latex(text: str) -> str:
    """Text for LaTeX: every character that it would read as a command stands for itself.

    Letters that pdfLaTeX does not know are shown there by their number, and LuaLaTeX and XeLaTeX write them: the
    command that does so is OTHER.
    """
    return "".join(LATEX.get(c) or (c if KNOWN.match(c) else other_letter(c)) for c in plain_text(text))


def other_letter(character: str) -> str:
    """A letter beside its number."""
    return f"{OTHER_LETTER}{{{character}}}{{{ord(character):04x}}}"


def markdown(text: str) -> str:
    """Text for Markdown, which reads none of it as a mark."""
    return MARKDOWN.sub(r"\\\1", plain_text(text))
