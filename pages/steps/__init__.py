"""One thin module per page; its `draw` draws the page's own part of the app."""
