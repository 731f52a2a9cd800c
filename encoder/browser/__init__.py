"""The browser's part of the front: its scripts, the one file that is built of them, and living files."""
