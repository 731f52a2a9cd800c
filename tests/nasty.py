"""Text that breaks things: what people paste, what links carry, and what an attacker would type."""

from hypothesis import strategies as st

CANARY = "canary=1"  # no page may ever run this; short, because what it is made of are tokens that each page draws
SCRIPTS = (
    f"<script>{CANARY}</script>",
    f"<img src=x onerror={CANARY}>",
    f"<svg/onload={CANARY}>",
    f"\"><iframe srcdoc='<script>parent.{CANARY}</script>'>",
    f"[click](javascript:{CANARY})",
    f'![x](x"onerror="{CANARY})',
    f"<a href=javascript:{CANARY}>a</a>",
    f"{{{{constructor.constructor('{CANARY}')()}}}}",
    f"${{{CANARY}}}",
    f"$\\href{{javascript:{CANARY}}}{{x}}$",
    f"$$\\htmlData{{x={CANARY}}}{{y}}$$",
    f"</style><style>*{{display:none}}</style><b style=x onclick={CANARY}>b</b>",
)
MARKUP = (
    "<b>bold</b> &lt;i&gt; <br>",
    "**bold** _it_ # h\n- list\n> quote\n```\ncode",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "$x^2$ $$\\frac{1}{0}$$ \\(y\\) \\end{document}",
    ":red[x] :material/delete: :streamlit: -> -- :smile:",
    "%{x} %{customdata[0]} {x} %s %n",
)
CHARACTERS = (
    "",
    "   \t\r\n",
    "\x00",
    "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029",
    "a\u200bb\u200dc\u2060d\ufeffe\u00ade",
    "\u202eabc\u202d\u2066def\u2069\u200f",
    "\ud800",
    "a\udc00b\ud83d",
    "\ufffe\uffff\U0010ffff",
    "Z\u0351\u036b\u0343\u032a\u0302\u034e" * 20,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 8,
    "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd \u4f60\u597d",
    "\u115f\u1160\u3164\uffa0\u2800\u034f",
    "\u0130\u1e9e\ufb03\u0149",  # one character that becomes several in lower case
)
FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://x","y")',
    "\uff1d1",
)
PATHS = ("../../etc/passwd", "/etc/passwd", "C:\\x", "file:///etc/passwd", "a\x00b", "folder:../x", "~root", "CON")
NUMBERS = ("nan", "-1", "1e999", "inf", "0x10", "9" * 400, "-0", "1.5", "\u0663", "\u00b2", "1_000", " 1", "+1", "None")
LONG = ("x" * 100_000, "word " * 20_000, "\u4f60" * 100_000, "a\u0301" * 50_000, "=" * 100_000)
SPECIAL = ("[MASK]" * 30, "[CLS] [SEP] [PAD] [UNK]", "[PAD]", "##ing ##", "[MASK", "<mask> <s> </s>")
SHORT = tuple(dict.fromkeys((*SCRIPTS, *MARKUP, *CHARACTERS, *FORMULAS, *PATHS, *NUMBERS, *SPECIAL)))
EVERY = (*SHORT, *LONG)

any_text = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates and control characters too
texts = st.one_of(st.sampled_from(SHORT), any_text, st.builds("".join, st.lists(st.sampled_from(SHORT), max_size=3)))


def as_sent(text: str) -> str:
    """A text as a browser sends it: lone surrogates exist in its memory, not on the wire."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
