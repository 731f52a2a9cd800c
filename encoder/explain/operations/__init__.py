"""Every operation of the catalogue: how a number is made, the line of code that makes it, and what it costs."""
