"""The frame of a report: its style, the script that draws a picture when it comes into sight, and its parts."""

HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><link rel="icon" href="data:,">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #31333f; max-width: 1000px; margin: 0 auto; padding: 1rem; }}
nav {{ position: sticky; top: 0; background: #fff; padding: 0.5rem 0; z-index: 1; }}
section {{ margin: 2rem 0; }}
h2 {{ border-bottom: 1px solid #e3e6ec; margin-top: 3rem; }}
h2, h3 {{ scroll-margin-top: 3rem; }}
figure {{ margin: 0; overflow-x: auto; }}
figcaption, .quiet {{ font-size: 0.8rem; color: #5c6070; overflow-wrap: anywhere; }}
.tokens {{ display: flex; flex-wrap: wrap; gap: 6px; list-style: none; padding: 0; }}
.tokens li {{ border: 1px solid #1f6fb2; border-radius: 6px; padding: 2px 8px; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
td, th {{ padding: 2px 10px; text-align: left; border-bottom: 1px solid #e3e6ec; font-weight: normal; }}
math {{ font-size: 1.15rem; }}
@page {{ size: A4; margin: 10mm; }}
@media print {{
  nav {{ display: none; }}
  body {{ max-width: none; padding: 0; font-size: 12px; }}
  section, figure {{ break-inside: avoid; }}
  h2, h3 {{ break-after: avoid; }}
  section {{ margin: 0 0 1rem; }}
}}
</style>
<script>{plotly}</script></head>
<body><h1><bdi>{title}</bdi></h1><p class="quiet">{about}</p><nav>{links}</nav>
"""

FIGURE = """<figure><div class="plot" data-key="{key}" style="height: {height}px"></div>
<script type="application/json">{data}</script><figcaption>{words}</figcaption></figure>
"""

FOOT = """<script>
const plots = [...document.querySelectorAll('.plot')];
const PAPER = 700;  // pixels that fit on a sheet
const draw = (plot, width) => {
  if (plot.drawn) return;
  plot.drawn = true;
  const { data, layout } = JSON.parse(plot.nextElementSibling.textContent);
  Plotly.newPlot(plot, data, { ...layout, width }, { responsive: true, displayModeBar: false });
};
const sight = new IntersectionObserver(seen => seen.filter(s => s.isIntersecting).forEach(s => draw(s.target)),
  { rootMargin: '600px' });
plots.forEach(plot => sight.observe(plot));
const resize = size => plots.forEach(plot => plot.drawn ? Plotly.relayout(plot, size) : draw(plot, PAPER));
window.addEventListener('beforeprint', () => resize({ width: PAPER }));
window.addEventListener('afterprint', () => resize({ width: undefined, autosize: true }));
</script></body></html>
"""
