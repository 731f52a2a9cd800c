"""Small tasks whose right attention is known: data, training, recorded runs, and weights set by hand."""
