"""The pages of the app: main.py is every run of a session, steps/ are the pages, parts/ what is theirs alone."""
