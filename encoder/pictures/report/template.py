"""The frame of a report: its style, the script that says the number that is pointed at, and its parts."""

from encoder.support.theme import ACCENT, BACKGROUND, GRID, INK, MUTED, Theme

HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><link rel="icon" href="data:,">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: {ink}; background: {background};
  max-width: 1000px; margin: 0 auto; padding: 1rem; }}
nav {{ position: sticky; top: 0; background: {background}; padding: 0.5rem 0; z-index: 1; }}
section {{ margin: 2rem 0; }}
h2 {{ border-bottom: 1px solid {grid}; margin-top: 3rem; }}
h2, h3 {{ scroll-margin-top: 3rem; }}
a {{ color: {accent}; }}
figure {{ margin: 0; }}
figure svg {{ display: block; width: 100%; height: auto; }}
output {{ display: block; min-height: 1.5em; font-size: 0.8rem; color: {muted}; }}
figcaption, .quiet {{ font-size: 0.8rem; color: {muted}; overflow-wrap: anywhere; }}
.tokens {{ display: flex; flex-wrap: wrap; gap: 6px; list-style: none; padding: 0; }}
.tokens li {{ border: 1px solid {accent}; border-radius: 6px; padding: 2px 8px; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
td, th {{ padding: 2px 10px; text-align: left; border-bottom: 1px solid {grid}; font-weight: normal; }}
math {{ font-size: 1.15rem; }}
@page {{ size: A4; margin: 10mm; }}
@media print {{
  nav, output {{ display: none; }}
  figure svg {{ width: 180mm; }}
  body, svg {{ print-color-adjust: exact; }}
  body {{ max-width: none; padding: 0; font-size: 12px; }}
  section, figure {{ break-inside: avoid; }}
  h2, h3 {{ break-after: avoid; }}
  section {{ margin: 0 0 1rem; }}
}}
</style>
</head>
<body><h1><bdi>{title}</bdi></h1><p class="quiet">{about}</p><nav>{links}</nav>
"""

FIGURE = """<figure data-key="{key}">{svg}
<script type="application/json">{data}</script><output>{hint}</output>{numbers}<figcaption>{words}</figcaption></figure>
"""

FOOT = """<script>
const numbers = text => new Float32Array(Uint8Array.from(atob(text), sign => sign.charCodeAt(0)).buffer);
const named = (names, at) => typeof names === 'string' ? `${names} ${at + 1}` : names[at];
const said = ({ title, rows, columns, shape, values, cells }, i, j) => {
  const value = values[i * shape[1] + j];
  const number = Number.isFinite(value) ? Number(value.toPrecision(4)).toString() : 'masked';
  const word = cells.length ? ` “${cells[i][j]}”` : '';
  return `${title ? title + ', ' : ''}${rows[i]}, ${named(columns, j)}:${word} ${number}`;
};
for (const figure of document.querySelectorAll('figure')) {
  const svg = figure.querySelector('svg'), line = figure.querySelector('output');
  let maps;
  const read = event => {
    maps ??= JSON.parse(figure.querySelector('script').textContent).maps
      .map(map => ({ ...map, values: numbers(map.values) }));
    const whole = svg.getBoundingClientRect();
    const x = (event.clientX - whole.left) / whole.width, y = (event.clientY - whole.top) / whole.height;
    for (const map of maps) {
      const [left, top, wide, high] = map.at, [n, m] = map.shape;
      const i = Math.floor((y - top) / high * n), j = Math.floor((x - left) / wide * m);
      if (i >= 0 && i < n && j >= 0 && j < m) line.textContent = said(map, i, j);
    }
  };
  svg.addEventListener('pointermove', read);
  svg.addEventListener('pointerdown', read);
}
</script></body></html>
"""


def head(title: str, about: str, links: str, theme: Theme) -> str:
    """The beginning of the page; its words are HTML."""
    looks = {"ink": INK, "muted": MUTED, "background": BACKGROUND, "grid": GRID, "accent": ACCENT}
    colours = {name: colour[theme] for name, colour in looks.items()}
    return HEAD.format(title=title, about=about, links=links, **colours)
