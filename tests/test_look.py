"""One look for all pages: the theme file and the pictures agree, and every text has enough contrast."""

import re
import tomllib
from pathlib import Path

import pytest

from encoder.support.theme import ACCENT, BACKGROUND, INK, MUTED, SECOND, Theme
from pages.ui.style import OF_SERVER as STYLE

ROOT = Path(__file__).resolve().parents[1]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
SCHEMES: tuple[Theme, ...] = ("light", "dark")
TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11, level AA


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages_and_pictures_have_the_same_colours(scheme: Theme) -> None:
    page = THEME[scheme]
    assert (page["backgroundColor"], page["textColor"]) == (BACKGROUND[scheme], INK[scheme])
    assert page["linkColor"] == ACCENT[scheme]
    said = dict(re.findall(r"--(\w+): light-dark\((.+?)\);", STYLE))
    shown = {name: pair.split(", ")[SCHEMES.index(scheme)] for name, pair in said.items()}
    drawn = {"muted": MUTED, "accent": ACCENT, "second": SECOND, "page": BACKGROUND}
    assert shown == {name: pair[scheme] for name, pair in drawn.items()}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_has_enough_contrast(scheme: Theme) -> None:
    page = THEME[scheme]
    for background in (page["backgroundColor"], page["secondaryBackgroundColor"]):
        for text in (INK[scheme], MUTED[scheme], page["linkColor"], page["codeTextColor"]):
            assert contrast(text, background) >= TEXT, (text, background)
        for mark in (ACCENT[scheme], SECOND[scheme], page["primaryColor"]):
            assert contrast(mark, background) >= GRAPHIC, (mark, background)
        assert contrast({"light": "#ffffff", "dark": BACKGROUND[scheme]}[scheme], page["primaryColor"]) >= TEXT, (
            "of a button"
        )


def test_nothing_is_fetched_and_reduced_motion_is_respected() -> None:
    assert "prefers-reduced-motion: reduce" in STYLE
    for path in [*(ROOT / "pages" / "ui").rglob("*.css"), *(ROOT / "pages" / "ui").rglob("*.js")]:
        assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/)", path.read_text(encoding="utf-8")), path.name
