"""Lessons on the screen: played, made and kept."""
