"""Pictures: tensors and labels in, a Plotly figure out. Nothing here knows a model or a web page."""
