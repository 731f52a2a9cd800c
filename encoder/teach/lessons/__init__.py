"""Lessons: what one is, how it is read and written, what is guessed, and the claims that tutorials make."""
