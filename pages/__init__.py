"""The pages of the app: main.py is every run of a session, ui/ what pages share, every other file or folder a page."""
