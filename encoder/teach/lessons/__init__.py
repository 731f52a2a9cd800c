"""Lessons: what one is, how it is read, what is guessed, and the claims that tutorials make."""
