"""Small tasks whose right attention is known: data, training, recorded runs, and mysteries."""
