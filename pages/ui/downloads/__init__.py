"""What can be taken along: a picture, its numbers, a whole run."""
