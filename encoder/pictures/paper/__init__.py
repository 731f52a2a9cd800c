"""Figures for a paper: panels on a sheet of so many mm, as vectors with text."""
