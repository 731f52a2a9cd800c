"""The layers over the corpus: how long their vectors are, what grows large, and which units never fire."""

import numpy as np

from encoder.figures.charts import lines
from encoder.formatting import brief
from pages.parts.atlas.shelf import about, now, source
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.text import plain, say, theme


def draw() -> None:
    """A picture of the lengths, and a row for each layer."""
    atlas = now()
    rows = atlas.layers
    words, special = (rows[f"length_{name}"].to_numpy() for name in ("words", "special"))
    mean = np.linalg.norm(np.array(rows["mean_vector"].to_pylist()), axis=-1)
    series = {"words": words, "special tokens": special, "their mean vector": mean}
    drawn = lines(series, np.arange(len(words)), ("layers behind it", "length"), theme=theme())
    lengths = 'rows["length_words"].to_numpy(), rows["length_special"].to_numpy()'
    made = f'[[{lengths}, length(torch.tensor(rows["mean_vector"].to_pylist()))] for rows in [{source(atlas)}.layers]]'
    last = len(words) - 1
    fact = (
        f"After the last layer a word's vector has length {brief(float(words[last]))} on average, and the mean of all "
        f"of them {brief(float(mean[last]))}."
    )
    chart(drawn, "atlas_lengths", f"How long vectors are after each layer. {fact}", about(atlas), made=made)
    say(fact, plain(f"On {atlas.card.scope}. What the mean has, all vectors share, whatever they say."))
    largest = np.array(rows["largest_size"].to_pylist())
    table = rows.select(["after", "dead_units"]).to_pandas()
    table["length of words"], table["length of special tokens"], table["length of the mean"] = words, special, mean
    table["largest number"], table["at channel"] = largest.max(-1), largest.argmax(-1)
    table["channels over 6 times the median"] = [
        ", ".join(map(str, one[:8])) or "none" for one in rows["outlier_channels"].to_pylist()
    ]
    downloads.shown_table(table, key="atlas_layers", hide_index=True)
