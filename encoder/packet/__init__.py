"""A run as bytes that a browser, a notebook or a file draws without asking again; README.md says what they hold."""
