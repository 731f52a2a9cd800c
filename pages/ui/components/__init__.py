"""What moves in the browser: a file of Python, and the script and style of the same name beside it."""
